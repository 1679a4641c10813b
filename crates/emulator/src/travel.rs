//! Moving forwards and backwards in a run.
//!
//! A run is deterministic, so any point of it can be reached again: from the nearest checkpoint before it, forwards. Time
//! is counted in *stops* ([`Marker::is_stop`](moment::Marker::is_stop)) that any lane passes: at time `t` the run is right
//! after its `t`-th stop, with nothing of that statement done. Time 0 is the start; the end is one later than the last
//! stop.
//!
//! One lane is followed, and steps are its steps. All lanes are tracked, so another one can be followed at any time.

mod signal;
mod state;
mod statements;
mod store;
#[cfg(test)]
mod tests;
mod track;
mod write;

use std::sync::Arc;

use lanes::Mask;
use moment::{Moment, SiteId, SiteKind};

use crate::host::Host;
use crate::ir::Registers;
use crate::wave::{Engine, Interpreter, WaveState};
pub use signal::Signal;
use state::{Goal, State, Why};
use statements::StatementSet;
use store::Store;
pub use write::{Watch, Write};

/// Blocks between two checks of the signal: some hundredths of a second.
const GLANCE: u64 = 1 << 17;

/// A lane of a group of waves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lane {
    /// The index of the wave.
    pub wave: usize,
    /// The index of the lane in it.
    pub lane: usize,
}

/// Limits of memory and time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes for checkpoints. The checkpoint at the start is always kept.
    pub bytes: usize,
    /// Blocks that one request may run before the shader counts as endless.
    pub blocks: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 120 << 20, blocks: 1_000_000_000 }
    }
}

/// Where a request led.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// At the requested point.
    There,
    /// At the start of the run: there is nothing before it.
    Start,
    /// At the end of the run: there is nothing after it.
    End,
    /// Nowhere: there is no such point in the run.
    Never,
    /// Nowhere: the shader reached nothing within [`Limits::blocks`].
    Endless,
    /// On the way: the [`Signal`] said to stop. The followed lane is right after a stop there.
    Interrupted,
}

/// A run in which one can move in both directions: one wave, or several that wait for each other at barriers.
pub struct Travel<const W: usize, H, E = Interpreter> {
    engine: E,
    state: State<W, H>,
    store: Store<W, H>,
    lane: Lane,
    limits: Limits,
    signal: Arc<Signal>,
}

impl<const W: usize, H: Host + Clone, E: Engine<W>> Travel<W, H, E> {
    /// Returns a run that is about to begin: [`WaveState::start`] was called on each wave, and nothing has run since.
    #[must_use]
    pub fn new(engine: E, waves: Vec<WaveState<W>>, host: H, limits: Limits) -> Travel<W, H, E> {
        let mut state = State::new(waves, host);
        let store = Store::new(&mut state, limits.bytes);
        Travel { engine, state, store, lane: Lane::default(), limits, signal: Arc::default() }
    }

    /// Uses a signal from now on, by which other threads see how far the run is and stop it.
    pub fn use_signal(&mut self, signal: Arc<Signal>) {
        self.signal = signal;
    }

    /// Follows another lane from here; returns false if there is no such lane.
    pub fn follow(&mut self, lane: Lane) -> bool {
        let exists = self.exists(lane);
        if exists {
            self.lane = lane;
        }
        exists
    }

    fn exists(&self, lane: Lane) -> bool {
        lane.wave < self.state.waves.len() && lane.lane < W
    }

    /// Returns the same run from here on, with other words in registers of the followed lane (what-if). It starts here:
    /// there is nothing before now.
    #[must_use]
    pub fn diverted(&self, home: Registers, words: &[u32]) -> Self
    where
        E: Clone,
    {
        let mut state = self.state.clone();
        let wave = &mut state.waves[self.lane.wave];
        for (register, word) in home.iter().zip(words) {
            let mut values = *wave.register(register);
            values[self.lane.lane] = *word;
            wave.set(register, values);
        }
        let store = Store::new(&mut state, self.limits.bytes);
        let (engine, signal) = (self.engine.clone(), Arc::clone(&self.signal));
        Travel { engine, state, store, lane: self.lane, limits: self.limits, signal }
    }

    /// Returns the time at which this run starts: later than 0 if it is diverted.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.store.start()
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Returns the lane that is followed.
    #[must_use]
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// Returns the waves as they are now.
    #[must_use]
    pub fn waves(&self) -> &[WaveState<W>] {
        &self.state.waves
    }

    /// Returns the wave of the lane that is followed.
    #[must_use]
    pub fn wave(&self) -> &WaveState<W> {
        &self.state.waves[self.lane.wave]
    }

    /// Returns the host as it is now.
    #[must_use]
    pub fn host(&self) -> &H {
        &self.state.host
    }

    /// Returns the current time.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.state.time
    }

    /// Returns whether the run is over.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.state.ended
    }

    /// Returns where the followed lane is: at the statement it passed last. `None` before its first.
    #[must_use]
    pub fn moment(&self) -> Option<Moment> {
        self.moment_of(self.lane)
    }

    /// Returns where a lane is; `None` before its first statement, or if there is no such lane.
    #[must_use]
    pub fn moment_of(&self, lane: Lane) -> Option<Moment> {
        self.exists(lane).then(|| self.state.track(lane).tracker.moment()).flatten()
    }

    /// Returns the lanes that are where the followed lane is; only that one while it waits for others.
    #[must_use]
    pub fn together(&self) -> Mask<W> {
        let alone = Mask::from_bits(1 << self.lane.lane);
        let is_here = self.state.track(self.lane).before(self.state.time + 1) == self.state.time;
        let running = self.wave().program_counter().map_or(Mask::NONE, |at| at.mask);
        if is_here && running.words()[self.lane.lane] != 0 { running } else { alone }
    }

    /// Returns the number of calls around the followed lane.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.state.track(self.lane).depth()
    }

    /// Returns the bytes of all checkpoints, and their number.
    #[must_use]
    pub fn kept(&self) -> (usize, usize) {
        self.store.size()
    }

    /// Returns whether two runs are at the same point with the same values in every lane, bit for bit.
    #[must_use]
    pub fn same_state(&self, other: &Self) -> bool {
        self.state.same(&other.state)
    }

    /// Steps to the next stop of the lane, into calls.
    pub fn step_into(&mut self) -> Arrival {
        self.forwards(&Goal::Stop(self.lane))
    }

    /// Steps to the next stop of the lane in this function or, when it returns, in its caller.
    pub fn step_over(&mut self) -> Arrival {
        self.forwards(&Goal::Depth(self.lane, self.depth()))
    }

    /// Steps to the next stop of the lane in the caller; from `main` to the end.
    pub fn step_out(&mut self) -> Arrival {
        match self.depth().checked_sub(1) {
            Some(depth) => self.forwards(&Goal::Depth(self.lane, depth)),
            None => self.to_end(),
        }
    }

    /// Steps back to the previous stop of the lane, into calls.
    pub fn back_into(&mut self) -> Arrival {
        self.back_to(self.state.track(self.lane).before(self.state.time))
    }

    /// Steps back to the previous stop of the lane in this function; from its first to the call.
    pub fn back_over(&mut self) -> Arrival {
        self.back_to(self.state.track(self.lane).before_here(self.state.time))
    }

    /// Steps back to the stop that made the innermost call; from `main` to the start.
    pub fn back_out(&mut self) -> Arrival {
        self.back_to(self.state.track(self.lane).call())
    }

    /// Goes to the end of the run.
    pub fn to_end(&mut self) -> Arrival {
        self.forwards(&Goal::None)
    }

    /// Goes to the start of the run.
    pub fn to_start(&mut self) -> Arrival {
        self.back_to(0)
    }

    /// Goes to a time; to the end if it is later than that.
    pub fn go_to(&mut self, time: u64) -> Arrival {
        let here = self.state.time;
        if time < here || here < self.store.before(time) {
            self.store.restore(time, &mut self.state);
        }
        // A time that was reached before is not far from a checkpoint.
        let known = time <= self.store.due();
        let arrival = self.run_checking(&Goal::None, time, &mut self.limits.blocks.clone(), !known);
        if arrival == Arrival::Endless {
            self.return_to(here);
        }
        arrival
    }

    /// Goes to where the followed lane is at a moment, before or after now. The moment must be that of a stop.
    pub fn run_to(&mut self, moment: &Moment) -> Arrival {
        let here = self.state.time;
        if self.is_stop() && self.state.track(self.lane).tracker.is_at(moment) {
            return Arrival::There;
        }
        if moment.site.kind() != SiteKind::Statement {
            return Arrival::Never;
        }
        let goal = Goal::Moment(self.lane, moment.clone());
        let wanted = StatementSet::from_iter([moment.site]);
        let arrival = self
            .run_known(&goal, &wanted)
            .unwrap_or_else(|| self.run(&goal, u64::MAX, &mut self.limits.blocks.clone()));
        if arrival == Arrival::There {
            return Arrival::There;
        }
        if arrival == Arrival::Interrupted {
            self.return_to(here);
            return arrival;
        }
        self.store.restore(0, &mut self.state);
        let known = match self.run_known(&goal, &wanted) {
            Some(Arrival::Interrupted) => {
                self.return_to(here);
                return Arrival::Interrupted;
            }
            known => known.is_some(),
        };
        // The rest lies between the last checkpoint and where the search began.
        if known || self.state.time < here && self.rerun(&goal, here) == Why::Goal {
            return Arrival::There;
        }
        self.return_to(here);
        if arrival == Arrival::End { Arrival::Never } else { arrival }
    }

    /// Goes to the next stop of the lane at which a condition holds; else to the end.
    pub fn run_to_condition(&mut self, mut holds: impl FnMut(&Self) -> bool) -> Arrival {
        let here = self.state.time;
        let mut blocks = self.limits.blocks;
        loop {
            match self.run(&Goal::Stop(self.lane), u64::MAX, &mut blocks) {
                Arrival::There if !holds(self) => {
                    if self.signal.report(self.state.time) {
                        return Arrival::Interrupted;
                    }
                }
                Arrival::Endless => {
                    self.return_to(here);
                    return Arrival::Endless;
                }
                arrival => return arrival,
            }
        }
    }

    /// Goes back to the last stop of the lane at which a condition held; else to the start.
    pub fn back_to_condition(&mut self, holds: impl FnMut(&Self) -> bool) -> Arrival {
        self.back_while(None, holds)
    }

    /// Goes to where the lane is next at one of these statements and a condition holds: a breakpoint. Else to the end.
    pub fn run_to_break(&mut self, sites: &[SiteId], mut holds: impl FnMut(&Self) -> bool) -> Arrival {
        let sites = StatementSet::from_iter(sites.iter().copied());
        self.run_to_condition(|travel| travel.is_at(&sites) && holds(travel))
    }

    /// Goes back to where the lane was last at one of these statements and a condition held; else to the start.
    pub fn back_to_break(&mut self, sites: &[SiteId], mut holds: impl FnMut(&Self) -> bool) -> Arrival {
        let sites = StatementSet::from_iter(sites.iter().copied());
        self.back_while(Some(&sites), |travel| travel.is_at(&sites) && holds(travel))
    }

    /// Returns whether the followed lane has just passed a stop.
    fn is_stop(&self) -> bool {
        self.state.time > 0 && self.state.track(self.lane).before(self.state.time + 1) == self.state.time
    }

    fn is_at(&self, sites: &StatementSet) -> bool {
        self.state.track(self.lane).tracker.statement().is_some_and(|site| sites.contains(site))
    }

    /// Goes back to where a condition holds. If it can hold only at certain statements, stretches of the run without them
    /// are skipped.
    fn back_while(&mut self, sites: Option<&StatementSet>, mut holds: impl FnMut(&Self) -> bool) -> Arrival {
        let mut until = self.state.time;
        while until > self.store.start() {
            if self.signal.report(until) {
                self.return_to(until);
                return Arrival::Interrupted;
            }
            let from = self.store.before(until - 1);
            if sites.is_none_or(|sites| self.store.may_pass(from, sites)) {
                self.store.restore(from, &mut self.state);
                let mut found = None;
                // The checkpoint itself may be right after a stop of the lane.
                let mut is_stop = self.is_stop();
                while self.state.time < until {
                    if is_stop && holds(self) {
                        found = Some(self.state.time);
                    }
                    let goal = Goal::Stop(self.lane);
                    is_stop = self.rerun(&goal, until) == Why::Goal;
                }
                if let Some(time) = found {
                    return self.back_to(time);
                }
            }
            until = from;
        }
        self.to_start()
    }

    /// Goes to a goal in the part of the run that was run before, as far as there are checkpoints. `None` if it is not
    /// there; the run is then at the last checkpoint or where it was, whichever is later.
    fn run_known(&mut self, goal: &Goal, wanted: &StatementSet) -> Option<Arrival> {
        while let Some(next) = self.store.after(self.state.time) {
            if self.signal.report(self.state.time) {
                return Some(Arrival::Interrupted);
            }
            if self.store.may_pass(self.state.time, wanted) && self.rerun(goal, next) == Why::Goal {
                return Some(Arrival::There);
            }
            self.store.restore(next, &mut self.state);
        }
        None
    }

    fn back_to(&mut self, time: u64) -> Arrival {
        let start = self.store.start();
        self.return_to(time.max(start));
        if time == 0 || time < start { Arrival::Start } else { Arrival::There }
    }

    /// Runs a part of the run that was run before.
    fn rerun(&mut self, goal: &Goal, until: u64) -> Why {
        self.state.run(&self.engine, goal, until, &mut u64::MAX.clone(), &mut ())
    }

    /// Goes to a time that was reached before.
    fn return_to(&mut self, time: u64) {
        self.store.restore(time, &mut self.state);
        while self.state.time < time {
            let pause = self.store.pause(&self.state, time);
            self.rerun(&Goal::None, pause);
            if pause < time {
                self.store.keep_near(&mut self.state);
            }
        }
    }

    /// Goes to a goal, else to the end; back here if there is no end.
    fn forwards(&mut self, goal: &Goal) -> Arrival {
        let here = self.state.time;
        let arrival = self.run(goal, u64::MAX, &mut self.limits.blocks.clone());
        if arrival == Arrival::Endless {
            self.return_to(here);
        }
        arrival
    }

    /// Runs to a goal or a time, keeping checkpoints where there are none yet.
    fn run(&mut self, goal: &Goal, until: u64, blocks: &mut u64) -> Arrival {
        self.run_checking(goal, until, blocks, true)
    }

    fn run_checking(&mut self, goal: &Goal, until: u64, blocks: &mut u64, checking: bool) -> Arrival {
        loop {
            let given = GLANCE.min(*blocks);
            let mut left = given;
            let why = self.advance(goal, until, &mut left);
            *blocks -= given - left;
            match why {
                Why::Goal | Why::Limit => return Arrival::There,
                Why::End => return Arrival::End,
                Why::Spent if *blocks == 0 => return Arrival::Endless,
                Why::Spent if checking && self.signal.report(self.state.time) => return self.interrupted(),
                Why::Spent => {}
            }
        }
    }

    /// Stops at a stop of the followed lane: the next one, or the last one if it waits for other lanes.
    fn interrupted(&mut self) -> Arrival {
        match self.advance(&Goal::Stop(self.lane), u64::MAX, &mut GLANCE.clone()) {
            Why::End => return Arrival::End,
            Why::Goal => {}
            Why::Limit | Why::Spent => self.return_to(self.state.track(self.lane).before(self.state.time + 1)),
        }
        Arrival::Interrupted
    }

    /// Runs until there is a reason to stop, keeping checkpoints where there are none yet.
    fn advance(&mut self, goal: &Goal, until: u64, blocks: &mut u64) -> Why {
        while self.state.time < until {
            let due = self.store.due();
            let why = self.state.run(&self.engine, goal, until.min(due), blocks, &mut ());
            if self.state.time == due && why != Why::Spent {
                self.store.keep(&mut self.state);
            }
            if why != Why::Limit {
                return why;
            }
        }
        Why::Limit
    }
}
