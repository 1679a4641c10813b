//! Who wrote this last?

use lanes::Mask;
use moment::{Moment, SiteId};

use super::state::{At, Goal, Probe};
use super::{Lane, Travel, seen};
use crate::host::{Host, Space};
use crate::ir::{Instruction, Program, Register, Registers};
use crate::wave::Wave;

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// Registers of a lane: a variable, or part of one.
    Registers(Lane, Registers),
    /// Words of memory, written by any lane.
    Memory {
        /// Which memory.
        space: Space,
        /// Which buffer.
        slot: u32,
        /// The first byte.
        offset: u32,
        /// How many words.
        words: u32,
    },
}

/// A write to what was watched.
#[derive(Clone, PartialEq, Debug)]
pub struct Write {
    /// Who wrote.
    pub lane: Lane,
    /// When that lane passed the stop it was at; zero if it wrote before its first.
    pub time: u64,
    /// Where it was.
    pub moment: Option<Moment>,
    /// The expression that the writing belongs to.
    pub origin: Option<SiteId>,
    /// The words that are watched, before.
    pub old: Vec<u32>,
    /// The same after.
    pub new: Vec<u32>,
}

impl<const W: usize, H: Host + Clone> Travel<'_, W, H> {
    /// The last write before now, also if it wrote what was there; `None` if there was none since the start, or the
    /// [`Signal`](super::Signal) said to stop before one was found.
    ///
    /// The run stays where it is. Memory is known by space and slot: a buffer that is bound twice is watched where it was
    /// asked for.
    pub fn last_write(&mut self, watch: Watch) -> Option<Write> {
        let here = self.state.time;
        let program = self.wave().program();
        let wanted = seen::stops_before(program, |instruction| may_write(program, instruction, watch));
        let mut probe = Writes { watch, words: Vec::new(), touched: false, last: None };
        let mut until = here;
        while until > self.store.start() && probe.last.is_none() && !self.signal.told(until) {
            let from = self.store.before(until - 1);
            if wanted.as_ref().is_some_and(|wanted| !self.store.may_pass(from, wanted)) {
                until = from;
                continue;
            }
            self.store.restore(from, &mut self.state);
            if let Watch::Memory { space, slot, offset, words } = watch {
                probe.words = memory(&mut self.state.host, space, slot, offset, words);
            }
            self.state.run(&Goal::None, until, &mut u64::MAX.clone(), &mut probe);
            until = from;
        }
        self.return_to(here);
        probe.last
    }
}

/// Whether an instruction may write what is watched, in some lane.
fn may_write(program: &Program, instruction: &Instruction, watch: Watch) -> bool {
    match watch {
        Watch::Registers(_, run) => {
            instruction.results(program).into_iter().flatten().flat_map(Registers::iter).any(|r| lies_in(run, r))
        }
        Watch::Memory { space, .. } => match instruction {
            Instruction::Write(address, _)
            | Instruction::Atomic(_, _, address, _)
            | Instruction::WideAtomic(_, _, address, _) => address.space == space,
            _ => false,
        },
    }
}

fn lies_in(run: Registers, register: Register) -> bool {
    (run.start.0..run.start.0 + run.len).contains(&register.0)
}

/// Words of memory; zeros where there is none.
fn memory(host: &mut impl Host, space: Space, slot: u32, offset: u32, words: u32) -> Vec<u32> {
    let bytes = host.buffer(space, slot).get(offset as usize..).unwrap_or_default();
    let chunks = bytes.chunks(4).map(|chunk| chunk.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)));
    chunks.chain(std::iter::repeat(0)).take(words as usize).collect()
}

struct Writes {
    watch: Watch,
    /// What is watched: registers before the instruction that touches them, memory at all times.
    words: Vec<u32>,
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

    /// Follows what an instruction does to memory, lane by lane in the order the lanes do it.
    fn memory<const W: usize>(
        &mut self,
        at: &At<'_, W>,
        wave: &Wave<'_, W>,
        instruction: &Instruction,
        mask: &Mask<W>,
    ) {
        let Watch::Memory { space, slot, offset, words } = self.watch else { return };
        let (Instruction::Write(address, _)
        | Instruction::Atomic(_, _, address, _)
        | Instruction::WideAtomic(_, _, address, _)) = instruction
        else {
            return;
        };
        if address.space != space {
            return;
        }
        let writers = mask.without(wave.helpers());
        for lane in (0..W).filter(|&lane| writers.words()[lane] != 0) {
            let (this, Some(place)) = wave.resolve(address, lane) else { continue };
            let index = place.checked_sub(offset as usize).map(|bytes| bytes / 4);
            let Some(index) = index.filter(|&index| this == slot && index < words as usize) else { continue };
            let old = self.words.clone();
            let operand = |register| wave.register(register)[lane];
            self.words[index] = match *instruction {
                Instruction::Write(_, from) => operand(from),
                Instruction::Atomic(op, _, _, [value, compare]) => {
                    op.apply(old[index], operand(value), operand(compare))
                }
                Instruction::WideAtomic(op, _, _, operands) => {
                    // The words of 64 bits lie side by side; what is watched may end between them.
                    let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
                    let [value, compare] = operands.map(|r| long(operand(r), operand(Register(r.0 + 1))));
                    let upper = old.get(index + 1).copied();
                    let after = op.apply_wide(long(old[index], upper.unwrap_or(0)), value, compare);
                    if upper.is_some() {
                        self.words[index + 1] = (after >> 32) as u32;
                    }
                    after as u32
                }
                _ => old[index],
            };
            self.record(at, lane, old, self.words.clone());
        }
    }
}

/// What registers hold in a lane.
fn held<const W: usize>(wave: &Wave<'_, W>, lane: usize, registers: Registers) -> Vec<u32> {
    registers.iter().map(|register| wave.register(register)[lane]).collect()
}

/// Whether an instruction writes a register of a run for a lane.
fn touches<const W: usize>(wave: &Wave<'_, W>, instruction: &Instruction, lane: usize, run: Registers) -> bool {
    if let Instruction::Store { to, index, .. } = *instruction {
        let index = wave.register(index)[lane];
        return index < to.len && lies_in(run, to.at(index));
    }
    let results = instruction.results(wave.program());
    results.into_iter().flatten().flat_map(Registers::iter).any(|register| lies_in(run, register))
}

impl<const W: usize> Probe<W> for Writes {
    const ON: bool = true;

    fn before(&mut self, at: &At<'_, W>, wave: &Wave<'_, W>, instruction: &Instruction, mask: &Mask<W>) {
        match self.watch {
            Watch::Registers(Lane { wave: number, lane }, run) => {
                let runs = number == at.wave && mask.words()[lane] != 0;
                self.touched = runs && touches(wave, instruction, lane, run);
                if self.touched {
                    self.words = held(wave, lane, run);
                }
            }
            Watch::Memory { .. } => self.memory(at, wave, instruction, mask),
        }
    }

    fn after(&mut self, at: &At<'_, W>, wave: &Wave<'_, W>, _: &Instruction, _: &Mask<W>) {
        if let (Watch::Registers(lane, run), true) = (self.watch, self.touched) {
            let old = std::mem::take(&mut self.words);
            self.record(at, lane.lane, old, held(wave, lane.lane, run));
        }
    }
}
