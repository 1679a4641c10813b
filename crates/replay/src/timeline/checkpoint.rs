//! Checkpoints: positions that a run can return to, with the contents of objects there.

use std::collections::{BTreeMap, BTreeSet};

use chronicle::graph::Cell;
use device::{ContentsKey, contents_of};
use state::Model;

use crate::player::{Bearings, Contents};

/// Maximum size in bytes of the contents in all checkpoints together.
pub const BUDGET: u64 = 256 << 20;

/// Maximum number of checkpoints.
const MOST: usize = 48;

/// A position that the run can return to.
pub struct Checkpoint {
    /// The next call.
    pub position: u64,
    /// The number of calls skipped before it.
    pub passed: usize,
    /// The player's own state.
    pub bearings: Bearings,
    /// The state there.
    pub model: Model,
    /// Contents that calls have written to since, unless the next checkpoint has them.
    pub saved: BTreeMap<ContentsKey, Saved>,
    /// What is not saved because it is soon replaced completely, and the previous checkpoint does not need it.
    pub replaced: BTreeSet<Cell>,
    /// Before this call, all of that has been replaced: only from there on are results valid.
    pub valid_from: u64,
}

impl Checkpoint {
    /// Returns whether the contents of a cell have to come from a later checkpoint.
    pub fn lacks(&self, cell: Cell) -> bool {
        let saved = |(key, _)| self.saved.contains_key(&key);
        !self.replaced.contains(&cell) && !contents_of(&self.model, cell).is_none_or(saved)
    }
}

/// Contents, or why they could not be read back.
pub type Saved = Result<Vec<Contents>, String>;

/// Checkpoints, the oldest first.
#[derive(Default)]
pub struct Checkpoints {
    pub list: Vec<Checkpoint>,
    bytes: u64,
    /// The largest size in bytes so far.
    pub most_bytes: u64,
}

impl Checkpoints {
    /// Returns the size in bytes of all contents.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Drops all checkpoints.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes = 0;
    }

    /// Adds contents to the last checkpoint.
    pub fn add(&mut self, key: ContentsKey, saved: Saved) {
        let Some(last) = self.list.last_mut() else { return };
        self.bytes += size(&saved);
        self.most_bytes = self.most_bytes.max(self.bytes);
        last.saved.insert(key, saved);
    }

    /// Drops the checkpoints after one, which takes over contents that it lacks: they were not written to in between.
    pub fn return_to(&mut self, place: usize) {
        while self.list.len() > place + 1 {
            self.merge(self.list.len() - 1);
        }
    }

    /// Drops the least useful checkpoints until the rest is within the budget: those that are close together for their age.
    pub fn keep_budget(&mut self, here: u64) {
        while self.bytes > BUDGET || self.list.len() > MOST {
            let position = |at: usize| self.list.get(at).map_or(here, |checkpoint| checkpoint.position);
            let worth = |at: usize| {
                let before = if at == 0 { 0 } else { position(at - 1) };
                (position(at + 1) - before) as f64 / (here.saturating_sub(position(at)) + 1) as f64
            };
            let Some(least) = (0..self.list.len()).min_by(|a, b| worth(*a).total_cmp(&worth(*b))) else { return };
            self.merge(least);
        }
    }

    /// Drops a checkpoint. The one before it takes over contents that it lacks.
    fn merge(&mut self, place: usize) {
        let gone = self.list.remove(place);
        for (key, saved) in gone.saved {
            match place.checked_sub(1).map(|before| &mut self.list[before]) {
                Some(before) if !before.saved.contains_key(&key) => {
                    before.saved.insert(key, saved);
                }
                _ => self.bytes -= size(&saved),
            }
        }
    }
}

fn size(saved: &Saved) -> u64 {
    saved.as_ref().map_or(0, |contents| contents.iter().map(|one| one.bytes.len() as u64).sum())
}
