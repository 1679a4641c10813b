//! Which calls made the matrices what they are.

use std::collections::BTreeMap;

/// The matrix stacks of a context, each level as the calls that made it.
#[derive(Clone, Default)]
pub struct Stacks {
    /// By mode and, for textures, unit.
    stacks: BTreeMap<(u32, u32), Vec<Level>>,
    /// Calls whose effect can no longer be told from that of others.
    fixed: Vec<u64>,
    /// What matrices were made of when something was set by them, by what was set.
    used: BTreeMap<u32, Vec<u64>>,
    /// For each call that pushed a matrix, the one that took it away.
    pops: BTreeMap<u64, u64>,
}

/// A matrix: what pushed it, and what was done to it since it was last loaded.
#[derive(Clone, Default)]
struct Level {
    push: Option<u64>,
    calls: Vec<u64>,
}

impl Stacks {
    fn stack(&mut self, which: (u32, u32)) -> &mut Vec<Level> {
        self.stacks.entry(which).or_insert_with(|| vec![Level::default()])
    }

    /// A call loads the matrix on top.
    pub fn load(&mut self, which: (u32, u32), call: u64) {
        if let Some(top) = self.stack(which).last_mut() {
            top.calls = vec![call];
        }
    }

    /// A call changes the matrix on top.
    pub fn change(&mut self, which: (u32, u32), call: u64) {
        if let Some(top) = self.stack(which).last_mut() {
            top.calls.push(call);
        }
    }

    /// A call pushes a copy of the matrix on top.
    pub fn push(&mut self, which: (u32, u32), call: u64) {
        self.stack(which).push(Level { push: Some(call), calls: Vec::new() });
    }

    /// A call takes the matrix on top away; what was done to it is of no interest any more.
    pub fn pop(&mut self, which: (u32, u32), call: u64) {
        let stack = self.stack(which);
        if stack.len() > 1
            && let Some(push) = stack.pop().and_then(|level| level.push)
        {
            self.pops.insert(push, call);
        }
    }

    /// A call may do anything to any matrix.
    pub fn blur(&mut self, call: u64) {
        for level in self.stacks.values_mut().flatten() {
            self.fixed.extend(level.push);
            self.fixed.append(&mut level.calls);
        }
        self.fixed.push(call);
    }

    /// A call sets a slot to something that depends on matrices.
    pub fn uses(&mut self, slot: u32) {
        let all: Vec<u64> = self.alive().collect();
        self.used.insert(slot, all);
    }

    /// What everything that matrices decide was set by; see [`Stacks::bring_back`].
    pub fn used(&self) -> BTreeMap<u32, Vec<u64>> {
        self.used.clone()
    }

    /// Slots are set to what they were when `before` was noted.
    pub fn bring_back(&mut self, before: &BTreeMap<u32, Vec<u64>>, covered: impl Fn(u32) -> bool) {
        self.used.retain(|slot, _| !covered(*slot));
        let back = before.iter().filter(|(slot, _)| covered(**slot));
        self.used.extend(back.map(|(slot, calls)| (*slot, calls.clone())));
    }

    fn alive(&self) -> impl Iterator<Item = u64> {
        let levels = self.stacks.values().flatten();
        levels.flat_map(|level| level.push.into_iter().chain(level.calls.iter().copied()))
    }

    /// The calls that are needed to have the matrices, and what was set by them, as they are.
    pub fn needed(&self) -> Vec<u64> {
        let mut calls: Vec<u64> =
            self.alive().chain(self.fixed.iter().copied()).chain(self.used.values().flatten().copied()).collect();
        calls.sort_unstable();
        calls.dedup();
        // Whatever is pushed must be taken away again, or everything below would be somewhere else.
        let pops: Vec<u64> = calls.iter().filter_map(|call| self.pops.get(call).copied()).collect();
        calls.extend(pops);
        calls.sort_unstable();
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHICH: (u32, u32) = (0x1700, 0);

    #[test]
    fn what_is_popped_or_loaded_over_is_of_no_interest() {
        let mut stacks = Stacks::default();
        stacks.load(WHICH, 1);
        stacks.change(WHICH, 2);
        for frame in 0..10 {
            stacks.push(WHICH, 10 + frame * 3);
            stacks.change(WHICH, 11 + frame * 3);
            stacks.pop(WHICH, 12 + frame * 3);
        }
        assert_eq!(stacks.needed(), [1, 2]);
        stacks.push(WHICH, 50);
        stacks.change(WHICH, 51);
        stacks.load(WHICH, 52);
        assert_eq!(stacks.needed(), [1, 2, 50, 52]);
    }

    #[test]
    fn what_lights_were_placed_by_is_kept_with_its_pop() {
        let mut stacks = Stacks::default();
        stacks.load(WHICH, 1);
        stacks.push(WHICH, 2);
        stacks.change(WHICH, 3);
        stacks.uses(7);
        stacks.pop(WHICH, 5);
        assert_eq!(stacks.needed(), [1, 2, 3, 5]);
    }
}
