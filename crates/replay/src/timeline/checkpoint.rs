//! Checkpoints: moments that a run can return to, with what was in objects there.

use std::collections::{BTreeMap, BTreeSet};

use chronicle::graph::Cell;
use device::{ContentsKey, contents_of};
use state::Model;

use crate::player::{Bearings, Contents};

/// So many bytes of contents are kept, all checkpoints together.
pub const BUDGET: u64 = 256 << 20;

/// There are never more checkpoints than this.
const MOST: usize = 48;

/// A moment that the run can return to.
pub struct Checkpoint {
    /// The call that comes next there.
    pub position: u64,
    /// How many calls had been passed over.
    pub passed: usize,
    /// Where the player was.
    pub bearings: Bearings,
    /// The state there.
    pub model: Model,
    /// What things contents there that calls have written to since, as far as the next checkpoint does not have it.
    pub saved: BTreeMap<ContentsKey, Saved>,
    /// What is not kept because it is soon replaced as a whole, and the checkpoint before has no need of it.
    pub replaced: BTreeSet<Cell>,
    /// All of that has been replaced where this call comes next, and only from there on anybody may look.
    pub valid_from: u64,
}

impl Checkpoint {
    /// Whether whoever returns there has to find in a later checkpoint what a cell contents.
    pub fn lacks(&self, cell: Cell) -> bool {
        let saved = |(key, _)| self.saved.contains_key(&key);
        !self.replaced.contains(&cell) && !contents_of(&self.model, cell).is_none_or(saved)
    }
}

/// What something contents; in words why nobody knows.
pub type Saved = Result<Vec<Contents>, String>;

/// Checkpoints, the oldest first.
#[derive(Default)]
pub struct Checkpoints {
    pub list: Vec<Checkpoint>,
    bytes: u64,
    /// The most bytes that were ever kept.
    pub most_bytes: u64,
}

impl Checkpoints {
    /// How many bytes of contents are kept.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes = 0;
    }

    /// Adds to the last one what something contents.
    pub fn add(&mut self, key: ContentsKey, saved: Saved) {
        let Some(last) = self.list.last_mut() else { return };
        self.bytes += size(&saved);
        self.most_bytes = self.most_bytes.max(self.bytes);
        last.saved.insert(key, saved);
    }

    /// Forgets those behind one, which takes over what they have and it has not: nobody wrote to that in between.
    pub fn return_to(&mut self, place: usize) {
        while self.list.len() > place + 1 {
            self.merge(self.list.len() - 1);
        }
    }

    /// Forgets the least useful ones until the budget is kept: those that lie close together for how long ago they are.
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

    /// Forgets one. The one before it takes over what it has not.
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
