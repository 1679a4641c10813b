//! Running a program on lanes in lock step.
//!
//! A [`Wave`] is `W` invocations with one program counter. Where a branch divides them, one side runs and then the
//! other, and they meet again at the branch's post-dominator; lanes that do not take part keep their registers. For
//! fragments each four lanes are a quad: left, right, below left, below right.

mod step;
#[cfg(test)]
mod tests;

use lanes::{Mask, Numerics};

use crate::ir::{BlockId, FunctionId, Marker, Program, Register};

/// What ends a run early. Not a fault of ours: the shader did it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trap {
    /// The budget of blocks ran out: an endless loop, or one as good as endless.
    #[error("the shader did not end within {0} blocks")]
    Endless(u64),
}

/// Somebody who watches a run. With `()` watching, nothing is paid for it.
pub trait Observer<const W: usize> {
    /// The run passed a marker with these lanes on.
    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>);
}

impl<const W: usize> Observer<W> for () {
    fn marker(&mut self, _: &Wave<'_, W>, _: Marker, _: &Mask<W>) {}
}

/// Lanes on their way through one stretch of control flow.
#[derive(Clone, Copy)]
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
pub struct Wave<'p, const W: usize> {
    program: &'p Program,
    numerics: Numerics<'p>,
    registers: Vec<[u32; W]>,
    paths: Vec<Path<W>>,
    alive: Mask<W>,
}

impl<'p, const W: usize> Wave<'p, W> {
    /// Invocations with everything zero, before anything ran.
    #[must_use]
    pub fn new(program: &'p Program, numerics: Numerics<'p>) -> Wave<'p, W> {
        let registers = vec![[0; W]; program.registers as usize];
        Wave { program, numerics, registers, paths: Vec::new(), alive: Mask::from_bits(u64::MAX) }
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

    /// Lanes that were not discarded.
    #[must_use]
    pub fn alive(&self) -> &Mask<W> {
        &self.alive
    }

    /// Runs global initializers and `main` for these lanes. Give uniforms their values between
    /// [`Wave::initialize`] and [`Wave::main`] if initializers must not overwrite them.
    ///
    /// # Errors
    /// The budget of blocks ran out.
    pub fn initialize(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        self.run(self.program.globals, mask, u64::MAX, &mut ())
    }

    /// Runs `main` for these lanes, at most so many blocks.
    ///
    /// # Errors
    /// The budget of blocks ran out.
    pub fn main(&mut self, mask: Mask<W>, blocks: u64, observer: &mut impl Observer<W>) -> Result<(), Trap> {
        self.alive = mask;
        self.run(self.program.entry, mask, blocks, observer)
    }
}
