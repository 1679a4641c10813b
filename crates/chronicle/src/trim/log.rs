//! What each call sets and relies on, and from that which calls are needed.

use std::collections::BTreeSet;

use super::slot::{Number, Slots};

/// When a call is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Always.
    Always,
    /// When something that it sets is still needed.
    IfNeeded,
    /// When the matrices need it.
    ByMatrices,
}

/// What a call sets and relies on.
#[derive(Default)]
pub struct Effect {
    /// Slots it sets wholly: what was there before does not matter.
    pub sets: Vec<Number>,
    /// Slots it changes: what was there before matters.
    pub changes: Vec<Number>,
    /// Slots it relies on.
    pub needs: Vec<Number>,
    /// Families it relies on.
    pub families: Vec<Number>,
    /// Whether it may rely on anything.
    pub needs_all: bool,
}

/// The calls that are not simply left out.
#[derive(Default)]
pub struct Log {
    entries: Vec<Entry>,
    numbers: Vec<Number>,
}

struct Entry {
    call: u64,
    fate: Fate,
    needs_all: bool,
    /// Where in `numbers` its sets begin, then its changes, needs and families, and where they end.
    ends: [u32; 5],
}

impl Log {
    /// Adds a call.
    pub fn add(&mut self, call: u64, fate: Fate, effect: &Effect) {
        let mut ends = [self.numbers.len() as u32; 5];
        for (at, list) in [&effect.sets, &effect.changes, &effect.needs, &effect.families].into_iter().enumerate() {
            self.numbers.extend_from_slice(list);
            ends[at + 1] = self.numbers.len() as u32;
        }
        self.entries.push(Entry { call, fate, needs_all: effect.needs_all, ends });
    }

    /// The calls that are needed, in order, so that afterwards all slots are as they are now, except those that nobody
    /// will look at.
    pub fn needed(&self, slots: &Slots, unwanted: &[Number], matrices: &BTreeSet<u64>) -> Vec<u64> {
        let mut wanted = vec![true; slots.len()];
        for slot in unwanted {
            wanted[*slot as usize] = false;
        }
        let mut kept = Vec::new();
        for entry in self.entries.iter().rev() {
            let [sets, changes, needs, families] =
                [0, 1, 2, 3].map(|at| &self.numbers[entry.ends[at] as usize..entry.ends[at + 1] as usize]);
            let keep = match entry.fate {
                Fate::Always => true,
                Fate::IfNeeded => sets.iter().chain(changes).any(|slot| wanted[*slot as usize]),
                Fate::ByMatrices => matrices.contains(&entry.call),
            };
            if !keep {
                continue;
            }
            kept.push(entry.call);
            for slot in sets {
                wanted[*slot as usize] = false;
            }
            if entry.needs_all {
                wanted.fill(true);
            }
            for slot in needs.iter().chain(families.iter().flat_map(|family| slots.members(*family))) {
                wanted[*slot as usize] = true;
            }
        }
        kept.reverse();
        kept
    }
}
