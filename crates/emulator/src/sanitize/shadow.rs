//! Which registers hold nothing that was ever written.

use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{VarId, VariableKind};

use crate::ir::{Instruction, Program, Register};
use crate::wave::Wave;

/// Of each register the lanes, as bits, in which it is undefined.
#[derive(Debug)]
pub(super) struct Shadow {
    undefined: Vec<u64>,
}

impl Clone for Shadow {
    fn clone(&self) -> Shadow {
        Shadow { undefined: self.undefined.clone() }
    }

    /// Keeps what is allocated.
    fn clone_from(&mut self, source: &Shadow) {
        self.undefined.clone_from(&source.undefined);
    }
}

impl Shadow {
    /// Before `main`: global variables without an initializer and outputs hold nothing.
    pub(super) fn new(shader: &Shader, program: &Program) -> Shadow {
        let mut undefined = vec![0; program.registers as usize];
        for (index, row) in shader.typed.variables.iter().enumerate() {
            let Some(home) = program.variable(VarId(index as u32)) else { continue };
            let global = matches!(row.kind, VariableKind::Global) && row.qualifiers.storage == Storage::Plain;
            let empty = global && row.init.is_none() && row.constant.is_none();
            if empty || row.qualifiers.storage == Storage::Out && !matches!(row.kind, VariableKind::Parameter(..)) {
                home.iter().for_each(|register| undefined[register.0 as usize] = u64::MAX);
            }
        }
        Shadow { undefined }
    }

    /// Lanes in which a register is undefined.
    pub(super) fn of(&self, register: Register) -> u64 {
        self.undefined[register.0 as usize]
    }

    /// From now on it counts as written.
    pub(super) fn define(&mut self, register: Register, lanes: u64) {
        self.undefined[register.0 as usize] &= !lanes;
    }

    /// In these lanes it holds nothing.
    pub(super) fn undefine(&mut self, register: Register, lanes: u64) {
        self.undefined[register.0 as usize] |= lanes;
    }

    /// An instruction ran: moves take along what they move, everything else makes something defined.
    pub(super) fn ran<const W: usize>(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, lanes: u64) {
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

/// Lanes whose word is not zero.
fn bits<const W: usize>(words: &[u32; W]) -> u64 {
    words.iter().take(64).enumerate().fold(0, |all, (lane, &word)| all | u64::from(word != 0) << lane)
}

/// Those lanes of a set of bits for which something holds.
pub(super) fn those(bits: u64, holds: impl Fn(usize) -> bool) -> u64 {
    each(bits).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}

/// The lanes of a set of bits, in order.
pub(super) fn each(bits: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |lane| bits >> lane & 1 != 0)
}
