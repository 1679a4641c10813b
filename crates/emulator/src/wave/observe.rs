//! Observing a run.

use lanes::Mask;
use moment::SiteId;
use texture::Texel;

use super::WaveState;
use crate::ir::{BlockId, FunctionId, Instruction, LookupId, Marker, Space};

/// Whether a run goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It goes on.
    Continue,
    /// It stops here and can be resumed.
    Pause,
}

/// Where the lanes are that run next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgramCounter<const W: usize> {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The instruction.
    pub next: usize,
    /// The lanes.
    pub mask: Mask<W>,
    /// The number of open stretches of control flow.
    pub depth: usize,
}

/// An access of a lane to something that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Memory outside of a buffer. A buffer of no bytes is not bound.
    Memory {
        /// The space.
        space: Space,
        /// The buffer.
        slot: u32,
        /// The first byte of the access; `None` if it does not fit 32 bits.
        offset: Option<usize>,
        /// The size of the buffer in bytes.
        bytes: usize,
    },
    /// A pointer to nothing, or to another space than the access is for.
    Pointer,
    /// A texel outside of an image or of a level of a texture; the layer of arrays comes last.
    Texel {
        /// The texel.
        texel: [i32; 3],
        /// The number of texels along each axis.
        size: [i32; 3],
    },
    /// A texture or image that is not bound.
    Unbound,
}

/// The events that an observer wants to be told. All other methods of [`Observer`] are for every observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interest {
    /// Whether it wants [`Observer::marker`] and [`Observer::branch`].
    pub markers: bool,
    /// Whether it wants [`Observer::before`] and [`Observer::after`].
    pub instructions: bool,
    /// Whether it wants [`Observer::texel`].
    pub texels: bool,
}

impl Interest {
    /// None of the events.
    pub const NONE: Interest = Interest { markers: false, instructions: false, texels: false };
    /// Markers and branches.
    pub const MARKERS: Interest = Interest { markers: true, ..Interest::NONE };
    /// Markers, branches and single instructions.
    pub const INSTRUCTIONS: Interest = Interest { instructions: true, ..Interest::MARKERS };
    /// All events.
    pub const ALL: Interest = Interest { texels: true, ..Interest::INSTRUCTIONS };

    /// Returns the events that one of two observers wants.
    #[must_use]
    pub fn or(self, other: Interest) -> Interest {
        Interest {
            markers: self.markers || other.markers,
            instructions: self.instructions || other.instructions,
            texels: self.texels || other.texels,
        }
    }
}

/// An observer of a run. The observer `()` wants nothing and costs nothing.
pub trait Observer<const W: usize> {
    /// Returns the events that it wants. Engines ask once for each run.
    fn interest(&self) -> Interest {
        Interest::MARKERS
    }

    /// Called when the run passes a marker with these lanes on.
    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        let _ = (wave, marker, mask);
        Flow::Continue
    }

    /// Called before an instruction runs, except for markers, calls and `discard`: its operands are in the registers and
    /// [`WaveState::program_counter`] is where it stands.
    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// Called after an instruction ran: its results are in the registers. Barriers have no `after`.
    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        let _ = (wave, instruction, origin, mask);
    }

    /// Called for a branch: `on` are the lanes whose condition holds, `off` the others. [`WaveState::program_counter`] is the end of
    /// the block.
    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        let _ = (wave, origin, on, off);
    }

    /// Called when a look-up of a lane reads a texel.
    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        let _ = (lookup, handle, lane, texel);
    }

    /// Called when a lane accesses something that does not exist.
    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        let _ = (wave, lane, fault);
    }
}

impl<const W: usize> Observer<W> for () {
    fn interest(&self) -> Interest {
        Interest::NONE
    }
}

/// Two observers, called in order; either may ask for a pause.
impl<const W: usize, A: Observer<W>, B: Observer<W>> Observer<W> for (A, B) {
    fn interest(&self) -> Interest {
        self.0.interest().or(self.1.interest())
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        match (self.0.marker(wave, marker, mask), self.1.marker(wave, marker, mask)) {
            (Flow::Continue, Flow::Continue) => Flow::Continue,
            _ => Flow::Pause,
        }
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.0.before(wave, instruction, origin, mask);
        self.1.before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.0.after(wave, instruction, origin, mask);
        self.1.after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        self.0.branch(wave, origin, on, off);
        self.1.branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        self.0.texel(lookup, handle, lane, texel);
        self.1.texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        self.0.fault(wave, lane, fault);
        self.1.fault(wave, lane, fault);
    }
}

/// A borrowed observer.
impl<const W: usize, O: Observer<W> + ?Sized> Observer<W> for &mut O {
    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        (**self).marker(wave, marker, mask)
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        (**self).before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        (**self).after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        (**self).branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        (**self).texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        (**self).fault(wave, lane, fault);
    }
}

/// An observer that may be absent.
impl<const W: usize, O: Observer<W>> Observer<W> for Option<O> {
    fn interest(&self) -> Interest {
        self.as_ref().map_or(Interest::NONE, O::interest)
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        self.as_mut().map_or(Flow::Continue, |observer| observer.marker(wave, marker, mask))
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if let Some(observer) = self {
            observer.before(wave, instruction, origin, mask);
        }
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        if let Some(observer) = self {
            observer.after(wave, instruction, origin, mask);
        }
    }

    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        if let Some(observer) = self {
            observer.branch(wave, origin, on, off);
        }
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        if let Some(observer) = self {
            observer.texel(lookup, handle, lane, texel);
        }
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        if let Some(observer) = self {
            observer.fault(wave, lane, fault);
        }
    }
}
