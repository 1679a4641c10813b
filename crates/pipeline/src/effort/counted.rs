//! What a run of a wave costs.

use emulator::ir::{Instruction, LookupId, Marker, SiteId};
use emulator::wave::{Fault, Flow, Interest, Observer, WaveState};
use lanes::Mask;
use texture::Texel;

use super::Effort;
use crate::GROUP;
use crate::dispatch::DispatchObserver;

/// Units for a texel, or for memory, that a lane reads or writes: a history notes each, looks up the call that wrote it, and
/// follows that.
const ACCESS: u64 = 32;

/// An observer with an effort: when more is done than may be, the wave pauses at its next marker.
pub struct Counted<O> {
    /// The observer.
    pub observer: O,
    units: u64,
    most: u64,
}

impl<O> Counted<O> {
    /// Counts what an observer sees, as far as an effort goes.
    #[must_use]
    pub fn new(observer: O, effort: &Effort) -> Counted<O> {
        Counted { observer, units: 0, most: effort.left() }
    }

    /// Returns what was done so far.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Returns whether that is more than may be done.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.units > self.most
    }
}

impl<const W: usize, O: Observer<W>> Observer<W> for Counted<O> {
    fn interest(&self) -> Interest {
        self.observer.interest().or(Interest::ALL)
    }

    fn marker(&mut self, wave: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        let flow = self.observer.marker(wave, marker, mask);
        if self.is_over() { Flow::Pause } else { flow }
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.units += match instruction {
            Instruction::Read(..)
            | Instruction::Write(..)
            | Instruction::Atomic(..)
            | Instruction::WideAtomic(..)
            | Instruction::Image(_) => ACCESS * u64::from(mask.bits().count_ones()),
            _ => 1,
        };
        self.observer.before(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.observer.after(wave, instruction, origin, mask);
    }

    fn branch(&mut self, wave: &WaveState<W>, origin: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        self.observer.branch(wave, origin, on, off);
    }

    fn texel(&mut self, lookup: LookupId, handle: u32, lane: usize, texel: Texel) {
        self.units += ACCESS;
        self.observer.texel(lookup, handle, lane, texel);
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        self.observer.fault(wave, lane, fault);
    }
}

impl<O: DispatchObserver> DispatchObserver for Counted<O> {
    fn turn(&mut self, who: [[u32; 3]; GROUP as usize]) {
        self.observer.turn(who);
    }

    fn is_over(&self) -> bool {
        Counted::is_over(self)
    }
}
