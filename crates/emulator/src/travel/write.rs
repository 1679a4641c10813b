//! The last write to a variable or to memory.

use lanes::Mask;
use moment::{Moment, SiteId};

use super::state::{At, Goal, Probe};
use super::{Lane, Travel, statements};
use crate::host::Host;
use crate::ir::{Address, Instruction, Program, Register, Registers, Space, Width};
use crate::wave::{Engine, WaveState};

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// Registers of a lane: a variable, or part of one.
    Registers(Lane, Registers),
    /// Words of memory, written by any lane.
    Memory {
        /// The space.
        space: Space,
        /// The buffer.
        slot: u32,
        /// The first byte.
        offset: u32,
        /// The number of words.
        words: u32,
    },
}

/// A write to what is watched.
#[derive(Clone, PartialEq, Debug)]
pub struct Write {
    /// The lane that wrote.
    pub lane: Lane,
    /// When that lane passed the stop it was at; zero if it wrote before its first.
    pub time: u64,
    /// Where it was.
    pub moment: Option<Moment>,
    /// The site of the instruction that wrote.
    pub origin: Option<SiteId>,
    /// The watched words before the write.
    pub old: Vec<u32>,
    /// The watched words after the write.
    pub new: Vec<u32>,
}

impl<const W: usize, H: Host + Clone, E: Engine<W>> Travel<W, H, E> {
    /// Returns the last write before now, also if it did not change anything. `None` if there was none since the start, or
    /// the [`Signal`](super::Signal) said to stop before one was found.
    ///
    /// The run stays where it is. Memory is identified by space and slot: a buffer that is bound twice is watched only
    /// through the given slot.
    pub fn last_write(&mut self, watch: Watch) -> Option<Write> {
        let here = self.state.time;
        let program = self.wave().program();
        let wanted = statements::stops_before(program, |instruction| may_write(program, instruction, watch));
        let mut probe = Writes { watch, held: Vec::new(), bytes: Vec::new(), touched: false, last: None };
        let mut until = here;
        while until > self.store.start() && probe.last.is_none() && !self.signal.report(until) {
            let from = self.store.before(until - 1);
            if wanted.as_ref().is_some_and(|wanted| !self.store.may_pass(from, wanted)) {
                until = from;
                continue;
            }
            self.store.restore(from, &mut self.state);
            if let Watch::Memory { space, slot, offset, words } = watch {
                let bytes = self.state.host.buffer(space, slot).get(offset as usize..).unwrap_or_default();
                probe.bytes = bytes.iter().copied().chain(std::iter::repeat(0)).take(words as usize * 4).collect();
            }
            self.state.run(&self.engine, &Goal::None, until, &mut u64::MAX.clone(), &mut probe);
            until = from;
        }
        self.return_to(here);
        probe.last
    }
}

/// Returns whether an instruction may write what is watched, in some lane.
fn may_write(program: &Program, instruction: &Instruction, watch: Watch) -> bool {
    match watch {
        Watch::Registers(_, run) => {
            instruction.results(program).into_iter().flatten().flat_map(Registers::iter).any(|r| lies_in(run, r))
        }
        Watch::Memory { space, .. } => {
            written(instruction).is_some_and(|(address, _)| address.space == space || address.space == Space::Generic)
        }
    }
}

/// Returns the address and width of a write to memory.
fn written(instruction: &Instruction) -> Option<(&Address, Width)> {
    match instruction {
        Instruction::Write(width, address, _) => Some((address, *width)),
        Instruction::Atomic(_, _, address, _) => Some((address, Width::W32)),
        Instruction::WideAtomic(_, _, address, _) => Some((address, Width::W64)),
        _ => None,
    }
}

fn lies_in(run: Registers, register: Register) -> bool {
    (run.start.0..run.start.0 + run.len).contains(&register.0)
}

struct Writes {
    watch: Watch,
    /// Watched registers, before the instruction that touches them.
    held: Vec<u32>,
    /// Watched memory, at all times.
    bytes: Vec<u8>,
    touched: bool,
    last: Option<Write>,
}

impl Writes {
    fn record<const W: usize>(&mut self, at: &At<'_, W>, lane: usize, old: Vec<u32>, new: Vec<u32>) {
        let track = at.tracks.of(lane);
        let (time, moment) = (track.before(at.time + 1), track.tracker.moment());
        let lane = Lane { wave: at.wave, lane };
        self.last = Some(Write { lane, time, moment, origin: at.origin, old, new });
    }

    /// Follows what an instruction does to memory, lane by lane in the order in which the lanes do it.
    fn memory<const W: usize>(
        &mut self,
        at: &At<'_, W>,
        wave: &WaveState<W>,
        instruction: &Instruction,
        mask: &Mask<W>,
    ) {
        let Watch::Memory { space, slot, offset, .. } = self.watch else { return };
        let Some((address, width)) = written(instruction) else { return };
        let writers = mask.without(wave.helpers());
        for lane in (0..W).filter(|&lane| writers.words()[lane] != 0) {
            let resolved = wave.resolve(address, lane).filter(|to| (to.space, to.slot) == (space, slot));
            let Some(start) = resolved.and_then(|to| to.offset) else { continue };
            // The bytes of the access, as positions in what is watched; those outside of it are unknown.
            let place = |i: u32| Some(u64::from(start) + u64::from(i)).and_then(|at| at.checked_sub(u64::from(offset)));
            let places: Vec<Option<usize>> = (0..width.bytes())
                .map(|i| place(i).and_then(|at| usize::try_from(at).ok()).filter(|&at| at < self.bytes.len()))
                .collect();
            if places.iter().all(Option::is_none) {
                continue;
            }
            let old = self.words();
            let known = |(i, at): (usize, &Option<usize>)| at.map_or(0, |at| u64::from(self.bytes[at]) << (8 * i));
            let before = places.iter().enumerate().map(known).fold(0, |all, byte| all | byte);
            let after = value_after(wave, instruction, lane, before);
            for (i, at) in places.into_iter().enumerate() {
                if let Some(at) = at {
                    self.bytes[at] = (after >> (8 * i)) as u8;
                }
            }
            self.record(at, lane, old, self.words());
        }
    }

    /// Returns watched memory in words.
    fn words(&self) -> Vec<u32> {
        self.bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }
}

/// Returns what an instruction leaves in memory in a lane.
fn value_after<const W: usize>(wave: &WaveState<W>, instruction: &Instruction, lane: usize, before: u64) -> u64 {
    let word = |register: Register| wave.register(register)[lane];
    let long = |register: Register| u64::from(word(register)) | u64::from(word(Register(register.0 + 1))) << 32;
    match *instruction {
        Instruction::Write(Width::W64, _, from) => long(from),
        Instruction::Write(_, _, from) => u64::from(word(from)),
        Instruction::Atomic(op, _, _, [value, compare]) => {
            u64::from(op.apply(before as u32, word(value), word(compare)))
        }
        Instruction::WideAtomic(op, _, _, [value, compare]) => op.apply_wide(before, long(value), long(compare)),
        _ => before,
    }
}

/// Returns what registers hold in a lane.
fn held<const W: usize>(wave: &WaveState<W>, lane: usize, registers: Registers) -> Vec<u32> {
    registers.iter().map(|register| wave.register(register)[lane]).collect()
}

/// Returns whether an instruction writes a register of a run for a lane.
fn touches<const W: usize>(wave: &WaveState<W>, instruction: &Instruction, lane: usize, run: Registers) -> bool {
    if let Instruction::Store { to, index, .. } = *instruction {
        let index = wave.register(index)[lane];
        return index < to.len && lies_in(run, to.at(index));
    }
    let results = instruction.results(wave.program());
    results.into_iter().flatten().flat_map(Registers::iter).any(|register| lies_in(run, register))
}

impl<const W: usize> Probe<W> for Writes {
    const ON: bool = true;

    fn before(&mut self, at: &At<'_, W>, wave: &WaveState<W>, instruction: &Instruction, mask: &Mask<W>) {
        match self.watch {
            Watch::Registers(Lane { wave: number, lane }, run) => {
                let runs = number == at.wave && mask.words()[lane] != 0;
                self.touched = runs && touches(wave, instruction, lane, run);
                if self.touched {
                    self.held = held(wave, lane, run);
                }
            }
            Watch::Memory { .. } => self.memory(at, wave, instruction, mask),
        }
    }

    fn after(&mut self, at: &At<'_, W>, wave: &WaveState<W>, _: &Instruction, _: &Mask<W>) {
        if let (Watch::Registers(lane, run), true) = (self.watch, self.touched) {
            let old = std::mem::take(&mut self.held);
            self.record(at, lane.lane, old, held(wave, lane.lane, run));
        }
    }
}
