//! Where each lane is, and when it was where it was before: what going back needs to know.

use moment::{Marker, Tracker};

/// When a call, or `main`, was at its stops; zero for never.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Frame {
    /// At the one it is at.
    last: u64,
    /// At the one before.
    previous: u64,
}

/// One lane's way.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Track {
    pub(super) tracker: Tracker,
    /// `main`, then each open call.
    frames: Vec<Frame>,
    /// The last stop passed, and the one before that, wherever they are.
    last: u64,
    previous: u64,
}

impl Track {
    pub(super) fn new() -> Track {
        Track { tracker: Tracker::new(), frames: vec![Frame::default()], last: 0, previous: 0 }
    }

    /// The lane passes a marker at a time; of stops the time is their own.
    pub(super) fn pass(&mut self, marker: Marker, time: u64) {
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

    /// How many calls are open.
    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// When the lane passed its last stop before a time that is now or later than its last; zero for never.
    pub(super) fn before(&self, now: u64) -> u64 {
        if self.last < now { self.last } else { self.previous }
    }

    /// The same, with calls made since left out: a stop in this function, or the one that called it.
    pub(super) fn before_here(&self, now: u64) -> u64 {
        let Some((here, outer)) = self.frames.split_last() else { return 0 };
        let before = if here.last < now { here.last } else { here.previous };
        if before > 0 { before } else { outer.last().map_or(0, |frame| frame.last) }
    }

    /// When the stop was passed that made the innermost call; zero in `main`.
    pub(super) fn call(&self) -> u64 {
        self.frames.len().checked_sub(2).map_or(0, |caller| self.frames[caller].last)
    }

    /// Roughly what a copy takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Track>() + self.frames.len() * (size_of::<Frame>() + size_of::<moment::Step>()) + 64
    }
}
