//! What each call sets and relies on, and from that which calls are needed.

use std::collections::{BTreeMap, BTreeSet};

use super::attributes::{Cover, Saved};
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
    /// What calls bring back, and the call that saved it.
    pairs: BTreeMap<u64, (u64, Saved)>,
}

/// The calls between one that saves attributes and one that restores them, visited backwards.
struct Within {
    /// The two calls.
    push: u64,
    pop: u64,
    saved: Saved,
    /// Restored slots that a later call needs.
    needed: Vec<Number>,
    /// Whether something in between is kept that has to be undone.
    undoes: bool,
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

    /// Records that a call restores what another saved. No later call needs what was set between them.
    pub fn pair(&mut self, push: u64, pop: u64, saved: Saved) {
        self.pairs.insert(pop, (push, saved));
    }

    /// Returns the calls that are needed, in order, to restore all slots as they are now, except those that no call
    /// will look at.
    pub fn needed(&self, slots: &Slots, unwanted: &[Number], matrices: &BTreeSet<u64>) -> Vec<u64> {
        let mut wanted = vec![true; slots.len()];
        for slot in unwanted {
            wanted[*slot as usize] = false;
        }
        let mut covers: BTreeMap<Saved, Vec<Cover>> = BTreeMap::new();
        let mut within: Vec<Within> = Vec::new();
        let mut kept = Vec::new();
        for entry in self.entries.iter().rev() {
            let [sets, changes, needs, families] =
                [0, 1, 2, 3].map(|at| &self.numbers[entry.ends[at] as usize..entry.ends[at + 1] as usize]);
            if let Some((push, saved)) = self.pairs.get(&entry.call).copied() {
                let cover = covers.entry(saved).or_insert_with(|| slots.covered(&saved));
                let back = |slot: &usize| wanted[*slot] && cover[*slot] == Cover::Yes;
                let needed: Vec<Number> = (0..cover.len()).filter(back).map(|slot| slot as Number).collect();
                for slot in &needed {
                    wanted[*slot as usize] = false;
                }
                for slot in needs {
                    wanted[*slot as usize] = true;
                }
                within.push(Within { push, pop: entry.call, saved, needed, undoes: false });
                continue;
            }
            if let Some(at) = within.iter().position(|pair| pair.push == entry.call) {
                let pair = within.remove(at);
                if pair.undoes {
                    kept.extend([pair.pop, pair.push]);
                }
                for slot in pair.needed.iter().chain(needs) {
                    wanted[*slot as usize] = true;
                }
                continue;
            }
            let keep = match entry.fate {
                Fate::Always => true,
                Fate::IfNeeded => sets.iter().chain(changes).any(|slot| wanted[*slot as usize]),
                Fate::ByMatrices => matrices.contains(&entry.call),
            };
            if !keep {
                continue;
            }
            kept.push(entry.call);
            let mut undone = vec![false; sets.len()];
            for pair in &mut within {
                let Some(cover) = covers.get(&pair.saved) else { continue };
                pair.undoes |= entry.needs_all || changes.iter().any(|slot| cover[*slot as usize] != Cover::No);
                for (slot, undone) in sets.iter().zip(&mut undone) {
                    pair.undoes |= cover[*slot as usize] != Cover::No;
                    // Who may be undone does not replace what was set before.
                    *undone |= cover[*slot as usize] == Cover::Maybe;
                }
            }
            for (slot, _) in sets.iter().zip(undone).filter(|(_, undone)| !undone) {
                wanted[*slot as usize] = false;
            }
            if entry.needs_all {
                wanted.fill(true);
            }
            for slot in needs.iter().chain(families.iter().flat_map(|family| slots.members(*family))) {
                wanted[*slot as usize] = true;
            }
        }
        kept.sort_unstable();
        kept
    }
}
