//! Watching a run.

use lanes::Mask;
use moment::SiteId;
use texture::Texel;

use super::Wave;
use crate::host::Space;
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

/// Something a lane asked for that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A word outside a buffer of so many bytes; no offset if it does not fit 32 bits. No bytes: nothing is bound.
    Memory {
        /// Which memory.
        space: Space,
        /// The buffer.
        slot: u32,
        /// The first byte of the word.
        offset: Option<usize>,
        /// How many there are.
        bytes: usize,
    },
    /// A texel outside an image or a level of a texture; of arrays the layer comes last.
    Texel {
        /// The texel.
        texel: [i32; 3],
        /// How many there are along each axis.
        size: [i32; 3],
    },
    /// A texture or image where none is bound.
    Unbound,
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

    /// An instruction, markers, calls and `discard` aside, is about to run; operands are in the registers and
    /// [`Wave::place`] is where it stands.
    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// It ran; results are in the registers. Barriers have no `after`.
    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// A branch was taken: by these lanes one way, by those the other. [`Wave::place`] is the end of the block.
    fn branch(&mut self, wave: &Wave<'_, W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        let _ = (wave, origin, on, off);
    }

    /// A look-up of a lane read a texel.
    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        let _ = (lookup, handle, lane, texel);
    }

    /// A lane asked for something that is not there.
    fn fault(&mut self, wave: &Wave<'_, W>, lane: usize, fault: Fault) {
        let _ = (wave, lane, fault);
    }
}

impl<const W: usize> Observer<W> for () {}

/// Two observers, the first told first; either may ask for a pause.
impl<const W: usize, A: Observer<W>, B: Observer<W>> Observer<W> for (A, B) {
    const INSTRUCTIONS: bool = A::INSTRUCTIONS || B::INSTRUCTIONS;
    const TEXELS: bool = A::TEXELS || B::TEXELS;

    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        match (self.0.marker(wave, marker, mask), self.1.marker(wave, marker, mask)) {
            (Flow::Continue, Flow::Continue) => Flow::Continue,
            _ => Flow::Pause,
        }
    }

    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.0.before(wave, instruction, origin, mask);
        self.1.before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.0.after(wave, instruction, origin, mask);
        self.1.after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &Wave<'_, W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        self.0.branch(wave, origin, on, off);
        self.1.branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        self.0.texel(lookup, handle, lane, texel);
        self.1.texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &Wave<'_, W>, lane: usize, fault: Fault) {
        self.0.fault(wave, lane, fault);
        self.1.fault(wave, lane, fault);
    }
}

/// Whoever lends an observer gets it back.
impl<const W: usize, O: Observer<W>> Observer<W> for &mut O {
    const INSTRUCTIONS: bool = O::INSTRUCTIONS;
    const TEXELS: bool = O::TEXELS;

    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        (**self).marker(wave, marker, mask)
    }

    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        (**self).before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        (**self).after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &Wave<'_, W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        (**self).branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        (**self).texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &Wave<'_, W>, lane: usize, fault: Fault) {
        (**self).fault(wave, lane, fault);
    }
}

/// An observer that may be absent; what it would need is paid for all the same.
impl<const W: usize, O: Observer<W>> Observer<W> for Option<O> {
    const INSTRUCTIONS: bool = O::INSTRUCTIONS;
    const TEXELS: bool = O::TEXELS;

    fn marker(&mut self, wave: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        self.as_mut().map_or(Flow::Continue, |observer| observer.marker(wave, marker, mask))
    }

    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if let Some(observer) = self {
            observer.before(wave, instruction, origin, mask);
        }
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if let Some(observer) = self {
            observer.after(wave, instruction, origin, mask);
        }
    }

    fn branch(&mut self, wave: &Wave<'_, W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        if let Some(observer) = self {
            observer.branch(wave, origin, on, off);
        }
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        if let Some(observer) = self {
            observer.texel(lookup, handle, lane, texel);
        }
    }

    fn fault(&mut self, wave: &Wave<'_, W>, lane: usize, fault: Fault) {
        if let Some(observer) = self {
            observer.fault(wave, lane, fault);
        }
    }
}
