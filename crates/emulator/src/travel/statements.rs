//! Which statements a stretch of a run passes, so that a search does not have to run all of it again.

use moment::{Marker, SiteId, SiteKind};

use crate::ir::{Instruction, Program};

/// A set of statements.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct StatementSet(Vec<u64>);

impl StatementSet {
    #[inline]
    pub(super) fn insert(&mut self, site: SiteId) {
        debug_assert_eq!(site.kind(), SiteKind::Statement);
        let word = site.number() as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (site.number() % 64);
    }

    pub(super) fn contains(&self, site: SiteId) -> bool {
        let word = self.0.get(site.number() as usize / 64).filter(|_| site.kind() == SiteKind::Statement);
        word.is_some_and(|word| word >> (site.number() % 64) & 1 != 0)
    }

    pub(super) fn meets(&self, other: &StatementSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(super) fn add(&mut self, other: &StatementSet) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

impl FromIterator<SiteId> for StatementSet {
    fn from_iter<I: IntoIterator<Item = SiteId>>(all: I) -> StatementSet {
        let mut seen = StatementSet::default();
        all.into_iter().for_each(|id| seen.insert(id));
        seen
    }
}

/// Returns the stops that a lane may have passed last when it runs one of the wanted instructions. `None` if that is
/// unknown.
///
/// From each of these instructions all paths are walked backwards, through calls, to the first stop on them.
pub(super) fn stops_before(program: &Program, wanted: impl Fn(&Instruction) -> bool) -> Option<StatementSet> {
    let mut walk = Walk::new(program);
    for (function, row) in program.functions.iter().enumerate() {
        for (block, row) in row.blocks.iter().enumerate() {
            let found = row.instructions.iter().enumerate().filter(|(_, instruction)| wanted(instruction));
            walk.left.extend(found.map(|(at, _)| (function, block, at)));
        }
    }
    walk.run()
}

struct Walk<'p> {
    program: &'p Program,
    /// By function and block: its predecessors.
    leading: Vec<Vec<Vec<usize>>>,
    /// By function: where it is called.
    calls: Vec<Vec<(usize, usize, usize)>>,
    /// By function and block: whether it was walked from its end.
    walked: Vec<Vec<bool>>,
    /// Function, block, and the instruction before which to continue.
    left: Vec<(usize, usize, usize)>,
    found: StatementSet,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Walk<'p> {
        let shape = || program.functions.iter().map(|function| function.blocks.len());
        let mut leading: Vec<Vec<Vec<usize>>> = shape().map(|blocks| vec![Vec::new(); blocks]).collect();
        let mut calls = vec![Vec::new(); program.functions.len()];
        for (function, row) in program.functions.iter().enumerate() {
            for (block, row) in row.blocks.iter().enumerate() {
                row.terminator.successors().for_each(|to| leading[function][to.0 as usize].push(block));
                for (at, instruction) in row.instructions.iter().enumerate() {
                    if let Instruction::Call(callee) = instruction {
                        calls[callee.0 as usize].push((function, block, at));
                    }
                }
            }
        }
        let walked = shape().map(|blocks| vec![false; blocks]).collect();
        Walk { program, leading, calls, walked, left: Vec::new(), found: StatementSet::default() }
    }

    fn run(mut self) -> Option<StatementSet> {
        while let Some((function, block, end)) = self.left.pop() {
            let row = &self.program.functions[function].blocks[block];
            let mut met = false;
            for instruction in row.instructions[..end].iter().rev() {
                match instruction {
                    Instruction::Marker(Marker::Statement(id)) => self.found.insert(*id),
                    Instruction::Marker(Marker::Iterate) => {
                        let id = self.loop_at(function, block)?;
                        self.found.insert(id);
                    }
                    Instruction::Call(callee) => self.enter(callee.0 as usize),
                    _ => continue,
                }
                met = true;
                break;
            }
            if met {
                continue;
            }
            for before in self.leading[function][block].clone() {
                self.walk_whole(function, before);
            }
            if block == 0 {
                self.left.extend_from_slice(&self.calls[function]);
            }
        }
        Some(self.found)
    }

    /// Walks a function from its returns.
    fn enter(&mut self, function: usize) {
        for block in 0..self.program.functions[function].blocks.len() {
            let leaves = self.program.functions[function].blocks[block].terminator.successors().next().is_none();
            if leaves {
                self.walk_whole(function, block);
            }
        }
    }

    fn walk_whole(&mut self, function: usize, block: usize) {
        if !std::mem::replace(&mut self.walked[function][block], true) {
            let end = self.program.functions[function].blocks[block].instructions.len();
            self.left.push((function, block, end));
        }
    }

    /// Returns the loop that begins its iterations in a block: the one whose marker is in a predecessor.
    fn loop_at(&self, function: usize, block: usize) -> Option<SiteId> {
        let before = self.leading[function][block].iter();
        let mut ends = before.map(|&block| self.program.functions[function].blocks[block].instructions.last());
        ends.find_map(|last| match last {
            Some(Instruction::Marker(Marker::Loop(id))) => Some(*id),
            _ => None,
        })
    }
}
