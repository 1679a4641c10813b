//! Checkpoints, so spaced that they fit.

use std::sync::Arc;

use super::seen::Seen;
use super::state::State;
use super::track::Tracks;
use crate::host::Host;

/// Between the first checkpoints there are at least so many stops.
const SHORTEST: u64 = 256;

/// A stop more between checkpoints for so many bytes of each: making one takes time too.
const BYTES_A_STOP: usize = 1024;

/// Registers are kept in runs of so many; runs that did not change since the checkpoint before are shared with it.
const PAGE: usize = 64;

/// What part of the budget is for checkpoints between the others.
const NEAR_SHARE: usize = 8;

type Page<const W: usize> = Arc<[[u32; W]]>;

/// A run at one time.
struct Checkpoint<'p, const W: usize, H> {
    /// All but the registers.
    state: State<'p, W, H>,
    /// The registers of each wave.
    pages: Vec<Vec<Page<W>>>,
    /// What it takes without the registers.
    bytes: usize,
    /// Statements passed from here to the next; of the last checkpoint not known yet.
    seen: Seen,
}

impl<'p, const W: usize, H: Host + Clone> Checkpoint<'p, W, H> {
    fn new(state: &mut State<'p, W, H>, before: Option<&Self>) -> Self {
        let registers: Vec<_> = state.waves.iter_mut().map(|wave| std::mem::take(wave.registers_mut())).collect();
        let shell = state.clone();
        let bytes = shell.bytes() + registers.iter().map(Vec::len).sum::<usize>().div_ceil(PAGE) * size_of::<Page<W>>();
        let mut pages = Vec::with_capacity(registers.len());
        for (number, (wave, registers)) in state.waves.iter_mut().zip(registers).enumerate() {
            let old = before.map_or(&[][..], |before| &before.pages[number]);
            let new = registers.chunks(PAGE).enumerate().map(|(at, chunk)| match old.get(at) {
                Some(page) if **page == *chunk => Arc::clone(page),
                _ => Arc::from(chunk),
            });
            pages.push(new.collect());
            *wave.registers_mut() = registers;
        }
        Checkpoint { state: shell, pages, bytes, seen: Seen::default() }
    }

    /// What it takes beside what it shares with the checkpoint before.
    fn own_bytes(&self, before: Option<&Self>) -> usize {
        let shared = |wave: usize, at: usize, page: &Page<W>| {
            before.and_then(|before| before.pages[wave].get(at)).is_some_and(|old| Arc::ptr_eq(old, page))
        };
        let numbered = self.pages.iter().enumerate();
        let pages = numbered.flat_map(|(wave, pages)| pages.iter().enumerate().map(move |(at, page)| (wave, at, page)));
        let own = pages.filter(|(wave, at, page)| !shared(*wave, *at, page));
        self.bytes + own.map(|(_, _, page)| size_of_val(&page[..]) + 2 * size_of::<usize>()).sum::<usize>()
    }
}

/// Copies of a run at times some way apart. When they take more than they may, every other one goes and from then on
/// the way from one to the next is twice as long: memory is bounded, and a way back costs no more than its share of
/// the whole run.
pub(super) struct Store<'p, const W: usize, H> {
    /// By time; the first is the start.
    kept: Vec<Checkpoint<'p, W, H>>,
    /// Between two of those, by time: made on a way back, for the next step back.
    near: Vec<Checkpoint<'p, W, H>>,
    bytes: usize,
    budget: usize,
    interval: u64,
}

impl<'p, const W: usize, H: Host + Clone> Store<'p, W, H> {
    pub(super) fn new(start: &mut State<'p, W, H>, budget: usize) -> Store<'p, W, H> {
        let interval = SHORTEST.max((start.bytes() / BYTES_A_STOP) as u64);
        let mut store = Store { kept: Vec::new(), near: Vec::new(), bytes: 0, budget, interval };
        store.keep(start);
        store
    }

    /// When the run begins.
    pub(super) fn start(&self) -> u64 {
        self.kept.first().map_or(0, |first| first.state.time)
    }

    /// When the next checkpoint is wanted.
    pub(super) fn due(&self) -> u64 {
        self.kept.last().map_or(0, |last| last.state.time).saturating_add(self.interval)
    }

    /// Keeps a copy. The state stays as it is.
    pub(super) fn keep(&mut self, state: &mut State<'p, W, H>) {
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

    /// The time of the last checkpoint that is not after a time.
    pub(super) fn before(&self, time: u64) -> u64 {
        self.last(time).state.time
    }

    /// Whether any of these statements may be passed, or be the one a lane is at, between the checkpoint before a time
    /// and the one after it.
    pub(super) fn may_pass(&self, time: u64, wanted: &Seen) -> bool {
        let number = self.number(time);
        let kept = &self.kept[number];
        let mut at = kept.state.tracks.iter().flat_map(Tracks::statements);
        // What comes before the first stop belongs to no statement.
        number == 0 || number + 1 == self.kept.len() || kept.seen.meets(wanted) || at.any(|id| wanted.contains(id))
    }

    /// The time of the first checkpoint after a time.
    pub(super) fn after(&self, time: u64) -> Option<u64> {
        self.kept.get(self.number(time) + 1).map(|kept| kept.state.time)
    }

    /// Makes a state what it was at the last checkpoint that is not after a time.
    pub(super) fn restore(&mut self, time: u64, state: &mut State<'p, W, H>) {
        self.near.truncate(self.near.partition_point(|near| near.state.time <= time));
        let kept = self.last(time);
        let mut room: Vec<_> = state.waves.iter_mut().map(|wave| std::mem::take(wave.registers_mut())).collect();
        *state = kept.state.clone();
        for ((wave, registers), pages) in state.waves.iter_mut().zip(&mut room).zip(&kept.pages) {
            registers.clear();
            pages.iter().for_each(|page| registers.extend_from_slice(page));
            *wave.registers_mut() = std::mem::take(registers);
        }
        if self.near.last().is_some_and(|near| near.state.time < state.time) {
            self.near.clear();
        }
    }

    /// Where to pause on the way from a checkpoint to a time further back than the last one asked for: half-way, and
    /// half of the rest, as long as that is worth it. So the next step back has a shorter way, and so on.
    pub(super) fn pause(&self, state: &State<'p, W, H>, time: u64) -> u64 {
        let way = time.saturating_sub(state.time);
        let room = self.budget / NEAR_SHARE >= state.bytes().saturating_mul(self.near.len() + 1);
        if way > SHORTEST && room { state.time + way / 2 } else { time }
    }

    /// Keeps a copy for the next step back.
    pub(super) fn keep_near(&mut self, state: &mut State<'p, W, H>) {
        let new = Checkpoint::new(state, Some(self.last(state.time)));
        self.near.push(new);
    }

    /// Bytes kept, and in how many checkpoints.
    pub(super) fn size(&self) -> (usize, usize) {
        let near = self.near.iter().map(|near| near.own_bytes(None)).sum::<usize>();
        (self.bytes + near, self.kept.len() + self.near.len())
    }

    fn last(&self, time: u64) -> &Checkpoint<'p, W, H> {
        let kept = &self.kept[self.number(time)];
        let near = self.near.partition_point(|near| near.state.time <= time).checked_sub(1);
        near.map(|number| &self.near[number]).filter(|near| near.state.time > kept.state.time).unwrap_or(kept)
    }

    /// The last of the evenly spaced checkpoints that is not after a time.
    fn number(&self, time: u64) -> usize {
        self.kept.partition_point(|kept| kept.state.time <= time).saturating_sub(1)
    }
}
