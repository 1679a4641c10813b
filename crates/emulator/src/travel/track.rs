//! Where each lane is, and when it was at its previous stops: what stepping back needs.

use lanes::Mask;
use moment::{Marker, SiteId, Tracker};

/// When a call, or `main`, passed its stops; zero for never.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Frame {
    /// The last one.
    last: u64,
    /// The one before.
    previous: u64,
}

/// The path of one lane.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Track {
    /// The times of the last stop and the one before it, in any function. They come first because they differ most often.
    last: u64,
    previous: u64,
    pub(super) tracker: Tracker,
    /// `main`, then each open call.
    frames: Vec<Frame>,
}

impl Track {
    fn new() -> Track {
        Track { last: 0, previous: 0, tracker: Tracker::new(), frames: vec![Frame::default()] }
    }

    /// Records that the lane passes a marker; the time of a stop is its own.
    fn pass(&mut self, marker: Marker, time: u64) {
        self.tracker.pass(marker);
        match marker {
            Marker::Statement(_) | Marker::Iterate => {
                (self.previous, self.last) = (self.last, time);
                if let Some(frame) = self.frames.last_mut() {
                    (frame.previous, frame.last) = (frame.last, time);
                }
            }
            Marker::Enter(_) => self.frames.push(Frame::default()),
            Marker::Leave if self.frames.len() > 1 => drop(self.frames.pop()),
            Marker::Leave | Marker::Loop(_) | Marker::Done => {}
        }
    }

    /// Returns the number of open calls.
    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// Returns when the lane passed its last stop before `now`, which is the current time or one more; zero for never.
    pub(super) fn before(&self, now: u64) -> u64 {
        if self.last < now { self.last } else { self.previous }
    }

    /// Returns the same without calls made since: a stop in this function or its caller.
    pub(super) fn before_here(&self, now: u64) -> u64 {
        let Some((here, outer)) = self.frames.split_last() else { return 0 };
        let before = if here.last < now { here.last } else { here.previous };
        if before > 0 { before } else { outer.last().map_or(0, |frame| frame.last) }
    }

    /// Returns when the stop was passed that made the innermost call; zero in `main`.
    pub(super) fn call(&self) -> u64 {
        self.frames.len().checked_sub(2).map_or(0, |caller| self.frames[caller].last)
    }

    /// Returns roughly how many bytes a copy takes.
    fn bytes(&self) -> usize {
        size_of::<Track>() + self.frames.len() * (size_of::<Frame>() + size_of::<moment::Step>()) + 64
    }
}

/// The paths of all lanes of a wave. Lanes with the same path share it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tracks<const W: usize>(Vec<(Mask<W>, Track)>);

impl<const W: usize> Tracks<W> {
    pub(super) fn new() -> Tracks<W> {
        Tracks(vec![(Mask::ALL, Track::new())])
    }

    /// Records that these lanes pass a marker; returns the statement they are at after a stop.
    pub(super) fn pass(&mut self, marker: Marker, time: u64, mask: &Mask<W>) -> Option<SiteId> {
        let mut statement = None;
        let mut touched = 0;
        for index in 0..self.0.len() {
            let (lanes, track) = &mut self.0[index];
            let both = lanes.and(mask);
            if !both.any() {
                continue;
            }
            touched += 1;
            if both == *lanes {
                track.pass(marker, time);
                statement = track.tracker.statement();
            } else {
                let mut parted = track.clone();
                parted.pass(marker, time);
                statement = parted.tracker.statement();
                *lanes = lanes.without(&both);
                self.0.push((both, parted));
            }
        }
        if touched > 1 && marker.is_stop() {
            self.unite(time);
        }
        statement.filter(|_| marker.is_stop())
    }

    /// Joins lanes that have just passed a stop and whose paths are equal again.
    fn unite(&mut self, time: u64) {
        let mut index = 1;
        while index < self.0.len() {
            let track = &self.0[index].1;
            let same = |other: &(Mask<W>, Track)| other.1.last == time && other.1 == *track;
            match self.0[..index].iter().position(same) {
                Some(other) => {
                    let (lanes, _) = self.0.remove(index);
                    self.0[other].0 = self.0[other].0.or(&lanes);
                }
                None => index += 1,
            }
        }
    }

    /// Returns the path of a lane.
    pub(super) fn of(&self, lane: usize) -> &Track {
        let found = self.0.iter().find(|(lanes, _)| lanes.words()[lane] != 0);
        // Each lane is in one of the groups, so the fallback is never used.
        &found.unwrap_or(&self.0[0]).1
    }

    /// Returns the statements that lanes are at.
    pub(super) fn statements(&self) -> impl Iterator<Item = SiteId> {
        self.0.iter().filter_map(|(_, track)| track.tracker.statement())
    }

    /// Returns roughly how many bytes a copy takes.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, track)| size_of::<Mask<W>>() + track.bytes()).sum()
    }
}
