//! A run at one point in time, and running it forwards.

use lanes::Mask;
use moment::{Marker, Moment, SiteId};

use super::Lane;
use super::statements::StatementSet;
use super::track::{Track, Tracks};
use crate::host::Host;
use crate::ir::Instruction;
use crate::wave::{Engine, Flow, Interest, Observer, Stop, WaveState};

/// The waves of a group and their host. A copy of it is a checkpoint.
#[derive(Clone)]
pub(super) struct State<const W: usize, H> {
    pub(super) waves: Vec<WaveState<W>>,
    pub(super) host: H,
    /// By wave.
    pub(super) tracks: Vec<Tracks<W>>,
    /// Statements passed since the last checkpoint or an earlier one.
    pub(super) seen: StatementSet,
    /// The wave that runs. Each runs until it ends or waits at a barrier, then the next one, in turns: one of many allowed
    /// orders, and always the same.
    turn: usize,
    /// A wave reached a barrier in this round.
    again: bool,
    /// Stops passed by any lanes; the end counts as one more.
    pub(super) time: u64,
    pub(super) ended: bool,
}

/// Where to stop on the way forwards.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Goal {
    /// Nowhere: at the limit or the end.
    None,
    /// Where the lane passes a stop.
    Stop(Lane),
    /// Where the lane passes a stop with at most this many calls open.
    Depth(Lane, usize),
    /// Where the lane is at a moment.
    Moment(Lane, Moment),
}

/// Why the run stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    Goal,
    Limit,
    End,
    Spent,
}

/// An observer of single instructions.
pub(super) trait Probe<const W: usize> {
    const ON: bool;

    /// As [`Observer::before`], with where the lanes are.
    fn before(&mut self, at: &At<'_, W>, wave: &WaveState<W>, instruction: &Instruction, mask: &Mask<W>);

    /// As [`Observer::after`].
    fn after(&mut self, at: &At<'_, W>, wave: &WaveState<W>, instruction: &Instruction, mask: &Mask<W>);
}

/// Where the run is when a probe is called.
pub(super) struct At<'a, const W: usize> {
    pub(super) wave: usize,
    pub(super) time: u64,
    pub(super) tracks: &'a Tracks<W>,
    pub(super) origin: Option<SiteId>,
}

impl<const W: usize> Probe<W> for () {
    const ON: bool = false;

    fn before(&mut self, _: &At<'_, W>, _: &WaveState<W>, _: &Instruction, _: &Mask<W>) {}

    fn after(&mut self, _: &At<'_, W>, _: &WaveState<W>, _: &Instruction, _: &Mask<W>) {}
}

impl<const W: usize, H: Host + Clone> State<W, H> {
    pub(super) fn new(waves: Vec<WaveState<W>>, host: H) -> State<W, H> {
        let tracks = waves.iter().map(|_| Tracks::new()).collect();
        State { waves, host, tracks, seen: StatementSet::default(), turn: 0, again: false, time: 0, ended: false }
    }

    /// Runs to a goal, at most to a time and at most this many blocks.
    pub(super) fn run(
        &mut self,
        engine: &impl Engine<W>,
        goal: &Goal,
        limit: u64,
        blocks: &mut u64,
        probe: &mut impl Probe<W>,
    ) -> Why {
        if self.ended {
            return Why::End;
        }
        loop {
            if self.turn == self.waves.len() {
                self.turn = 0;
                if !std::mem::take(&mut self.again) {
                    self.ended = true;
                    self.time += 1;
                    return Why::End;
                }
            }
            let (wave, tracks, seen) = (self.turn, &mut self.tracks[self.turn], &mut self.seen);
            let mut watch = Watch { wave, tracks, seen, time: &mut self.time, goal, limit, met: false, probe };
            let stop = engine.run(&mut self.waves[wave], &mut self.host, &mut watch, blocks);
            let met = watch.met;
            match stop {
                Stop::Done => self.turn += 1,
                Stop::Barrier => {
                    self.turn += 1;
                    self.again = true;
                }
                Stop::Paused => return if met { Why::Goal } else { Why::Limit },
                Stop::Spent => return Why::Spent,
            }
        }
    }

    pub(super) fn track(&self, lane: Lane) -> &Track {
        self.tracks[lane.wave].of(lane.lane)
    }

    /// Returns whether both are at the same point with the same values; hosts are not compared.
    pub(super) fn same(&self, other: &Self) -> bool {
        (self.turn, self.again, self.time, self.ended) == (other.turn, other.again, other.time, other.ended)
            && self.tracks == other.tracks
            && self.waves.iter().zip(&other.waves).all(|(a, b)| a.same_state(b))
    }

    /// Returns roughly how many bytes a copy takes.
    pub(super) fn bytes(&self) -> usize {
        let tracks = self.tracks.iter().map(Tracks::bytes).sum::<usize>();
        let waves = self.waves.iter().map(WaveState::copy_bytes).sum::<usize>();
        size_of::<Self>() + tracks + waves + self.seen.bytes() + self.host.copy_bytes()
    }
}

/// Updates the lanes' tracks and stops at the goal.
struct Watch<'a, const W: usize, P> {
    wave: usize,
    tracks: &'a mut Tracks<W>,
    seen: &'a mut StatementSet,
    time: &'a mut u64,
    goal: &'a Goal,
    limit: u64,
    met: bool,
    probe: &'a mut P,
}

impl<const W: usize, P> Watch<'_, W, P> {
    /// Returns whether these lanes of the wave, which have just passed a stop, are at the goal.
    fn is_met(&self, mask: &Mask<W>) -> bool {
        let passes = |lane: &Lane| lane.wave == self.wave && mask.words()[lane.lane] != 0;
        match self.goal {
            Goal::None => false,
            Goal::Stop(lane) => passes(lane),
            Goal::Depth(lane, depth) => passes(lane) && self.tracks.of(lane.lane).depth() <= *depth,
            Goal::Moment(lane, moment) => passes(lane) && self.tracks.of(lane.lane).tracker.is_at(moment),
        }
    }
}

impl<const W: usize, P: Probe<W>> Observer<W> for Watch<'_, W, P> {
    fn interest(&self) -> Interest {
        if P::ON { Interest::INSTRUCTIONS } else { Interest::MARKERS }
    }

    fn marker(&mut self, _: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        *self.time += u64::from(marker.is_stop());
        let Some(statement) = self.tracks.pass(marker, *self.time, mask) else { return Flow::Continue };
        self.seen.insert(statement);
        self.met = self.is_met(mask);
        if self.met || *self.time >= self.limit { Flow::Pause } else { Flow::Continue }
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let at = At { wave: self.wave, time: *self.time, tracks: self.tracks, origin };
        self.probe.before(&at, wave, instruction, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let at = At { wave: self.wave, time: *self.time, tracks: self.tracks, origin };
        self.probe.after(&at, wave, instruction, mask);
    }
}
