//! Checkpoints, spaced so that they fit the budget.

use std::sync::Arc;

use super::state::State;
use super::statements::StatementSet;
use super::track::Tracks;
use crate::host::Host;
use crate::wave::WaveState;

/// The least number of stops between two of the first checkpoints.
const SHORTEST: u64 = 256;

/// Bytes of a checkpoint per additional stop between checkpoints, because making one takes time.
const BYTES_A_STOP: usize = 1024;

/// Registers in a page. Pages that did not change since the previous checkpoint are shared with it.
const PAGE: usize = 64;

/// The fraction of the budget for checkpoints between the others.
const NEAR_SHARE: usize = 8;

type Page<const W: usize> = Arc<[[u32; W]]>;

/// Returns everything that waves hold lane by lane: registers and private memory, for each wave in turn.
fn words<const W: usize, H>(state: &mut State<W, H>) -> impl Iterator<Item = &mut Vec<[u32; W]>> {
    state.waves.iter_mut().flat_map(WaveState::words_mut)
}

/// A run at one point in time.
struct Checkpoint<const W: usize, H> {
    /// Everything but registers and private memory.
    state: State<W, H>,
    /// Registers and private memory, for each wave in turn.
    pages: Vec<Vec<Page<W>>>,
    /// Its size without the pages.
    bytes: usize,
    /// Statements passed from here to the next checkpoint; unknown for the last one.
    seen: StatementSet,
}

impl<const W: usize, H: Host + Clone> Checkpoint<W, H> {
    fn new(state: &mut State<W, H>, before: Option<&Self>) -> Self {
        let held: Vec<_> = words(state).map(std::mem::take).collect();
        let shell = state.clone();
        let bytes = shell.bytes() + held.iter().map(Vec::len).sum::<usize>().div_ceil(PAGE) * size_of::<Page<W>>();
        let mut pages = Vec::with_capacity(held.len());
        for (number, (place, words)) in words(state).zip(held).enumerate() {
            let old = before.map_or(&[][..], |before| &before.pages[number]);
            let new = words.chunks(PAGE).enumerate().map(|(at, chunk)| match old.get(at) {
                Some(page) if **page == *chunk => Arc::clone(page),
                _ => Arc::from(chunk),
            });
            pages.push(new.collect());
            *place = words;
        }
        Checkpoint { state: shell, pages, bytes, seen: StatementSet::default() }
    }

    /// Returns its size without what it shares with the previous checkpoint.
    fn own_bytes(&self, before: Option<&Self>) -> usize {
        let shared = |list: usize, at: usize, page: &Page<W>| {
            before.and_then(|before| before.pages[list].get(at)).is_some_and(|old| Arc::ptr_eq(old, page))
        };
        let numbered = self.pages.iter().enumerate();
        let pages = numbered.flat_map(|(list, pages)| pages.iter().enumerate().map(move |(at, page)| (list, at, page)));
        let own = pages.filter(|(list, at, page)| !shared(*list, *at, page));
        self.bytes + own.map(|(_, _, page)| size_of_val(&page[..]) + 2 * size_of::<usize>()).sum::<usize>()
    }
}

/// Copies of a run at certain times. When they exceed the budget, every other one is dropped and the distance between
/// checkpoints doubles: memory is bounded, and going back costs no more than a fraction of the whole run.
pub(super) struct Store<const W: usize, H> {
    /// In order of time; the first is the start.
    kept: Vec<Checkpoint<W, H>>,
    /// Between two of those, in order of time: made while going back, for the next step back.
    near: Vec<Checkpoint<W, H>>,
    bytes: usize,
    budget: usize,
    interval: u64,
}

impl<const W: usize, H: Host + Clone> Store<W, H> {
    pub(super) fn new(start: &mut State<W, H>, budget: usize) -> Store<W, H> {
        let interval = SHORTEST.max((start.bytes() / BYTES_A_STOP) as u64);
        let mut store = Store { kept: Vec::new(), near: Vec::new(), bytes: 0, budget, interval };
        store.keep(start);
        store
    }

    /// Returns when the run starts.
    pub(super) fn start(&self) -> u64 {
        self.kept.first().map_or(0, |first| first.state.time)
    }

    /// Returns when the next checkpoint is due.
    pub(super) fn due(&self) -> u64 {
        self.kept.last().map_or(0, |last| last.state.time).saturating_add(self.interval)
    }

    /// Keeps a copy of the state, which does not change.
    pub(super) fn keep(&mut self, state: &mut State<W, H>) {
        let seen = std::mem::take(&mut state.seen);
        if let Some(last) = self.kept.last_mut() {
            last.seen = seen;
        }
        let new = Checkpoint::new(state, self.kept.last());
        self.bytes += new.own_bytes(self.kept.last());
        self.kept.push(new);
        while self.bytes > self.budget - self.budget / NEAR_SHARE && self.kept.len() > 1 {
            for index in (1..self.kept.len()).step_by(2) {
                let seen = std::mem::take(&mut self.kept[index].seen);
                self.kept[index - 1].seen.add(&seen);
            }
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            let befores = std::iter::once(None).chain(self.kept.iter().map(Some));
            self.bytes = self.kept.iter().zip(befores).map(|(kept, before)| kept.own_bytes(before)).sum();
            self.interval = self.interval.saturating_mul(2);
        }
    }

    /// Returns the time of the last checkpoint that is not after a time.
    pub(super) fn before(&self, time: u64) -> u64 {
        self.last(time).state.time
    }

    /// Returns whether any of these statements may be passed, or be the one a lane is at, between the checkpoint before a
    /// time and the one after it.
    pub(super) fn may_pass(&self, time: u64, wanted: &StatementSet) -> bool {
        let number = self.number(time);
        let kept = &self.kept[number];
        let mut at = kept.state.tracks.iter().flat_map(Tracks::statements);
        // Instructions before the first stop belong to no statement.
        number == 0 || number + 1 == self.kept.len() || kept.seen.meets(wanted) || at.any(|id| wanted.contains(id))
    }

    /// Returns the time of the first checkpoint after a time.
    pub(super) fn after(&self, time: u64) -> Option<u64> {
        self.kept.get(self.number(time) + 1).map(|kept| kept.state.time)
    }

    /// Restores a state to the last checkpoint that is not after a time.
    pub(super) fn restore(&mut self, time: u64, state: &mut State<W, H>) {
        self.near.truncate(self.near.partition_point(|near| near.state.time <= time));
        let kept = self.last(time);
        let room: Vec<_> = words(state).map(std::mem::take).collect();
        *state = kept.state.clone();
        for ((place, mut words), pages) in words(state).zip(room).zip(&kept.pages) {
            words.clear();
            pages.iter().for_each(|page| words.extend_from_slice(page));
            *place = words;
        }
        if self.near.last().is_some_and(|near| near.state.time < state.time) {
            self.near.clear();
        }
    }

    /// Returns where to pause on the way from a checkpoint to a time: half-way, and again after half of the rest, as long
    /// as that is worth it. So the next step back has a shorter way, and so on.
    pub(super) fn pause(&self, state: &State<W, H>, time: u64) -> u64 {
        let way = time.saturating_sub(state.time);
        let room = self.budget / NEAR_SHARE >= state.bytes().saturating_mul(self.near.len() + 1);
        if way > SHORTEST && room { state.time + way / 2 } else { time }
    }

    /// Keeps a copy for the next step back.
    pub(super) fn keep_near(&mut self, state: &mut State<W, H>) {
        let new = Checkpoint::new(state, Some(self.last(state.time)));
        self.near.push(new);
    }

    /// Returns the size of all checkpoints, and their number.
    pub(super) fn size(&self) -> (usize, usize) {
        let near = self.near.iter().map(|near| near.own_bytes(None)).sum::<usize>();
        (self.bytes + near, self.kept.len() + self.near.len())
    }

    fn last(&self, time: u64) -> &Checkpoint<W, H> {
        let kept = &self.kept[self.number(time)];
        let near = self.near.partition_point(|near| near.state.time <= time).checked_sub(1);
        near.map(|number| &self.near[number]).filter(|near| near.state.time > kept.state.time).unwrap_or(kept)
    }

    /// Returns the index of the last of the evenly spaced checkpoints that is not after a time.
    fn number(&self, time: u64) -> usize {
        self.kept.partition_point(|kept| kept.state.time <= time).saturating_sub(1)
    }
}
