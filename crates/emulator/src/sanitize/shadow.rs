//! Which registers were never written.

use crate::ir::{Instruction, Program, Register, Registers};
use crate::wave::WaveState;

/// For each register the lanes, as bits, in which it is undefined.
#[derive(Debug)]
pub(crate) struct Shadow {
    undefined: Vec<u64>,
}

impl Clone for Shadow {
    fn clone(&self) -> Shadow {
        Shadow { undefined: self.undefined.clone() }
    }

    /// Reuses the allocation.
    fn clone_from(&mut self, source: &Shadow) {
        self.undefined.clone_from(&source.undefined);
    }
}

impl Shadow {
    /// Returns the shadow of a run that has not begun, in which these registers are undefined.
    pub(crate) fn new(program: &Program, empty: impl IntoIterator<Item = Registers>) -> Shadow {
        let mut undefined = vec![0; program.registers as usize];
        for register in empty.into_iter().flat_map(Registers::iter) {
            undefined[register.0 as usize] = u64::MAX;
        }
        Shadow { undefined }
    }

    /// Returns the lanes in which a register is undefined.
    pub(crate) fn of(&self, register: Register) -> u64 {
        self.undefined[register.0 as usize]
    }

    /// Marks a register as written in these lanes.
    pub(crate) fn define(&mut self, register: Register, lanes: u64) {
        self.undefined[register.0 as usize] &= !lanes;
    }

    /// Marks a register as undefined in these lanes.
    pub(crate) fn undefine(&mut self, register: Register, lanes: u64) {
        self.undefined[register.0 as usize] |= lanes;
    }

    /// Updates the shadow after an instruction: moves copy the shadow, everything else defines its results.
    pub(crate) fn ran<const W: usize>(&mut self, wave: &WaveState<W>, instruction: &Instruction, lanes: u64) {
        match *instruction {
            Instruction::Copy(to, from) => self.put(to, self.of(from), lanes),
            Instruction::Select(to, condition, yes, no) => {
                let chosen = bits(wave.register(condition));
                self.put(to, self.of(yes) & chosen | self.of(no) & !chosen, lanes);
            }
            Instruction::Load { to, from, index } => {
                let at = wave.register(index);
                let undefined = those(lanes, |lane| at[lane] < from.len && self.of(from.at(at[lane])) >> lane & 1 != 0);
                self.put(to, undefined, lanes);
            }
            Instruction::Store { to, index, from } => {
                let at = wave.register(index);
                for lane in each(lanes).filter(|&lane| at[lane] < to.len) {
                    self.put(to.at(at[lane]), self.of(from), 1 << lane);
                }
            }
            Instruction::Undefine(run) => run.iter().for_each(|register| self.undefine(register, lanes)),
            ref other => {
                for run in other.results(wave.program()).into_iter().flatten() {
                    run.iter().for_each(|register| self.define(register, lanes));
                }
            }
        }
    }

    fn put(&mut self, to: Register, undefined: u64, lanes: u64) {
        let word = &mut self.undefined[to.0 as usize];
        *word = *word & !lanes | undefined & lanes;
    }
}

/// Returns the lanes whose word is not zero.
fn bits<const W: usize>(words: &[u32; W]) -> u64 {
    words.iter().take(64).enumerate().fold(0, |all, (lane, &word)| all | u64::from(word != 0) << lane)
}

/// Returns the lanes of a set for which something holds.
pub(crate) fn those(bits: u64, holds: impl Fn(usize) -> bool) -> u64 {
    each(bits).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}

/// Returns the lanes of a set, in order.
pub(crate) fn each(bits: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |lane| bits >> lane & 1 != 0)
}
