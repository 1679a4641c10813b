//! Checkpoints, so spaced that they fit.

use super::state::State;
use crate::host::Host;

/// Between the first checkpoints there are at least so many stops.
const SHORTEST: u64 = 256;

/// A stop more between checkpoints for so many bytes of each: copying takes time too.
const BYTES_A_STOP: usize = 256;

/// Copies of a run at times some way apart. When they take more than they may, every other one goes and from then on
/// the way from one to the next is twice as long: memory is bounded, and a way back costs no more than its share of
/// the whole run.
pub(super) struct Store<'p, const W: usize, H> {
    /// By time; the first is the start.
    kept: Vec<(State<'p, W, H>, usize)>,
    bytes: usize,
    budget: usize,
    interval: u64,
}

impl<'p, const W: usize, H: Host + Clone> Store<'p, W, H> {
    pub(super) fn new(start: &State<'p, W, H>, budget: usize) -> Store<'p, W, H> {
        let bytes = start.bytes();
        let interval = SHORTEST.max((bytes / BYTES_A_STOP) as u64);
        Store { kept: vec![(start.clone(), bytes)], bytes, budget, interval }
    }

    /// When the next checkpoint is wanted.
    pub(super) fn due(&self) -> u64 {
        self.kept.last().map_or(0, |(last, _)| last.time).saturating_add(self.interval)
    }

    /// Keeps a copy.
    pub(super) fn keep(&mut self, state: &State<'p, W, H>) {
        let bytes = state.bytes();
        self.bytes += bytes;
        self.kept.push((state.clone(), bytes));
        while self.bytes > self.budget && self.kept.len() > 1 {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.bytes = self.kept.iter().map(|(_, bytes)| bytes).sum();
            self.interval = self.interval.saturating_mul(2);
        }
    }

    /// The number of the last checkpoint that is not after a time.
    pub(super) fn before(&self, time: u64) -> usize {
        self.kept.partition_point(|(state, _)| state.time <= time).saturating_sub(1)
    }

    /// A checkpoint by number.
    pub(super) fn get(&self, index: usize) -> &State<'p, W, H> {
        &self.kept[index].0
    }

    /// Bytes kept, how many checkpoints, and stops from one to the next.
    pub(super) fn size(&self) -> (usize, usize, u64) {
        (self.bytes, self.kept.len(), self.interval)
    }
}
