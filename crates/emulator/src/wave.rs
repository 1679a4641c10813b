//! Running a program on lanes in lock step.
//!
//! A [`Wave`] is `W` invocations with one program counter. Where a branch divides them, one side runs and then the
//! other, and they meet again at the branch's post-dominator; lanes that do not take part keep their registers. For
//! fragments each four lanes are a quad: left, right, below left, below right.
//!
//! A run can stop anywhere and go on later: at barriers, where an observer says so, or when its budget is spent. All a
//! wave knows is in the wave, so a copy of it is a checkpoint.

mod group;
mod image;
mod memory;
mod observe;
mod step;
#[cfg(test)]
mod tests;
mod texture;

use lanes::{Mask, Numerics};

use crate::host::Host;
use crate::ir::{BlockId, FunctionId, Program, Register};
pub use observe::{Fault, Flow, Observer, Place};

/// Initializers call functions, which may loop.
const MAX_INITIALIZER_BLOCKS: u64 = 1 << 24;

/// What ends a run early. Not a fault of ours: the shader did it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trap {
    /// The budget of blocks ran out: an endless loop, or one as good as endless.
    #[error("the shader did not end within {0} blocks")]
    Endless(u64),
}

/// Why a run came to a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// All lanes are done.
    Done,
    /// The lanes wait for the other waves of their group.
    Barrier,
    /// The observer asked for it.
    Paused,
    /// The budget of blocks is spent.
    Spent,
}

/// Lanes on their way through one stretch of control flow.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Path<const W: usize> {
    function: FunctionId,
    /// `None` at the function's end.
    block: Option<BlockId>,
    /// The next instruction of the block.
    next: usize,
    /// Where the path ends.
    until: Option<BlockId>,
    mask: Mask<W>,
}

/// `W` invocations of a program.
#[derive(Clone)]
pub struct Wave<'p, const W: usize> {
    program: &'p Program,
    numerics: Numerics,
    registers: Vec<[u32; W]>,
    paths: Vec<Path<W>>,
    alive: Mask<W>,
    helpers: Mask<W>,
}

impl<'p, const W: usize> Wave<'p, W> {
    /// Invocations with everything zero, before anything ran.
    #[must_use]
    pub fn new(program: &'p Program, numerics: Numerics) -> Wave<'p, W> {
        let mut registers = vec![[0; W]; program.registers as usize];
        for (register, bits) in &program.presets {
            registers[register.0 as usize] = [*bits; W];
        }
        Wave { program, numerics, registers, paths: Vec::new(), alive: Mask::from_bits(u64::MAX), helpers: Mask::NONE }
    }

    /// The program it runs.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// What a register holds, lane by lane.
    #[must_use]
    pub fn register(&self, register: Register) -> &[u32; W] {
        &self.registers[register.0 as usize]
    }

    /// Gives a register its values: how inputs and uniforms get in.
    pub fn set(&mut self, register: Register, values: [u32; W]) {
        self.registers[register.0 as usize] = values;
    }

    /// All registers, for whoever keeps copies of them.
    pub(crate) fn registers_mut(&mut self) -> &mut Vec<[u32; W]> {
        &mut self.registers
    }

    /// Lanes that were not discarded.
    #[must_use]
    pub fn alive(&self) -> &Mask<W> {
        &self.alive
    }

    /// Lanes that are there for the derivatives of others only, or were demoted; they write nothing.
    #[must_use]
    pub fn helpers(&self) -> &Mask<W> {
        &self.helpers
    }

    /// Makes lanes helpers; do so before the run.
    pub fn set_helpers(&mut self, helpers: Mask<W>) {
        self.helpers = helpers;
    }

    /// Becomes as another wave of the same program is: a copy that keeps its memory.
    pub fn reset_to(&mut self, other: &Self) {
        self.registers.copy_from_slice(&other.registers);
        self.paths.clone_from(&other.paths);
        (self.alive, self.helpers) = (other.alive, other.helpers);
    }

    /// Whether both are at the same place with the same values: the law of going back and forth.
    #[must_use]
    pub fn same_state(&self, other: &Self) -> bool {
        (&self.registers, &self.paths, self.alive, self.helpers)
            == (&other.registers, &other.paths, other.alive, other.helpers)
    }

    /// Roughly how many bytes a copy takes.
    #[must_use]
    pub fn copy_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.registers[..]) + size_of_val(&self.paths[..])
    }

    /// Runs global initializers for these lanes. Give uniforms and inputs their values after this, so that initializers
    /// do not overwrite them.
    ///
    /// # Errors
    /// The budget of blocks ran out.
    pub fn initialize(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        self.begin(self.program.globals, mask);
        let mut left = MAX_INITIALIZER_BLOCKS;
        match self.run(&mut (), &mut (), &mut left) {
            Stop::Spent => Err(Trap::Endless(MAX_INITIALIZER_BLOCKS)),
            Stop::Done | Stop::Barrier | Stop::Paused => Ok(()),
        }
    }

    /// A copy that is about to run another program's entry on the same registers, and some of its own behind them.
    pub(crate) fn diverted<'e>(&self, program: &'e Program, lanes: Mask<W>) -> Wave<'e, W>
    where
        'p: 'e,
    {
        let mut copy: Wave<'e, W> = self.clone();
        copy.program = program;
        copy.registers.resize(program.registers as usize, [0; W]);
        copy.start(lanes);
        copy
    }

    /// Puts these lanes at the beginning of `main`.
    pub fn start(&mut self, mask: Mask<W>) {
        self.begin(self.program.entry, mask);
    }

    fn begin(&mut self, function: FunctionId, mask: Mask<W>) {
        self.alive = mask;
        self.paths.clear();
        self.paths.push(Path { function, block: Some(BlockId(0)), next: 0, until: None, mask });
    }

    /// Runs `main` for these lanes, at most so many blocks, with nobody else to wait for at barriers.
    ///
    /// # Errors
    /// The budget of blocks ran out.
    pub fn main(
        &mut self,
        mask: Mask<W>,
        blocks: u64,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
    ) -> Result<(), Trap> {
        self.start(mask);
        let mut left = blocks;
        loop {
            match self.run(host, observer, &mut left) {
                Stop::Done => return Ok(()),
                Stop::Spent => return Err(Trap::Endless(blocks)),
                Stop::Barrier | Stop::Paused => {}
            }
        }
    }

    /// Where the lanes are that run next; `None` when all are done.
    #[must_use]
    pub fn place(&self) -> Option<Place<W>> {
        let path = self.paths.last()?;
        Some(Place {
            function: path.function,
            block: path.block?,
            next: path.next,
            mask: path.mask.and(&self.alive),
            depth: self.paths.len(),
        })
    }
}
