//! Watching a run.

use lanes::Mask;
use shader::ast::ExprId;
use texture::Texel;

use super::Wave;
use crate::ir::{BlockId, FunctionId, Instruction, LookupId, Marker};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// On.
    Continue,
    /// Stop here; the run can be resumed.
    Pause,
}

/// Where the lanes are that run next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place<const W: usize> {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The instruction.
    pub next: usize,
    /// The lanes.
    pub mask: Mask<W>,
    /// How many stretches of control flow are open.
    pub depth: usize,
}

/// Somebody who watches a run. With `()` watching, nothing is paid for it.
pub trait Observer<const W: usize> {
    /// Whether [`Observer::before`] and [`Observer::after`] are wanted.
    const INSTRUCTIONS: bool = false;
    /// Whether [`Observer::texel`] is wanted.
    const TEXELS: bool = false;

    /// The run passed a marker with these lanes on.
    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        let _ = (wave, marker, mask);
        Flow::Continue
    }

    /// An instruction, markers and calls aside, is about to run; operands are in the registers.
    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<ExprId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// It ran; results are in the registers.
    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<ExprId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// A branch was taken: by these lanes one way, by those the other.
    fn branch(&mut self, wave: &Wave<'_, W>, origin: Option<ExprId>, on: &Mask<W>, off: &Mask<W>) {
        let _ = (wave, origin, on, off);
    }

    /// A look-up of a lane read a texel.
    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        let _ = (lookup, handle, lane, texel);
    }
}

impl<const W: usize> Observer<W> for () {}
