//! Running a stage on waves.

use emulator::Wave;
use emulator::ir::Register;
use emulator::wave::Trap;
use lanes::{Mask, Numerics};

use crate::program::{Program, StageProgram};
use crate::state::State;

/// Outputs of vertices: as many words for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// Words of one.
    pub stride: usize,
    /// All of them.
    pub words: Vec<u32>,
}

impl Records {
    pub fn of(&self, vertex: usize) -> &[u32] {
        self.words.get(vertex * self.stride..(vertex + 1) * self.stride).unwrap_or(&[])
    }

    pub fn len(&self) -> usize {
        self.words.len().checked_div(self.stride).unwrap_or(0)
    }
}

/// A wave of a stage that is used again and again; uniforms stay in it.
pub(crate) struct Runner<'p, const W: usize> {
    pub stage: &'p StageProgram,
    pub wave: Wave<'p, W>,
    budget: u64,
}

impl<'p, const W: usize> Runner<'p, W> {
    pub fn new(program: &Program, stage: &'p StageProgram, state: &State) -> Runner<'p, W> {
        let numerics = Numerics { flush_denormals: state.flush_denormals, ..Numerics::IEEE };
        let mut wave = Wave::new(&stage.program, numerics);
        for copy in &stage.uniforms {
            for word in 0..copy.words {
                wave.set(Register(copy.to.0 + word), [program.uniforms.register_word(copy.from + word); W]);
            }
        }
        for (name, home) in &stage.builtin_uniforms {
            for (register, word) in home.iter().zip(state.builtin_uniform(name)) {
                wave.set(register, [word; W]);
            }
        }
        Runner { stage, wave, budget: state.budget }
    }

    /// Forgets the last run and evaluates global initializers.
    pub fn begin(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        for &(start, end) in &self.stage.variable {
            (start..end).for_each(|register| self.wave.set(Register(register), [0; W]));
        }
        self.wave.initialize(mask)
    }

    /// Runs `main`.
    pub fn main(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        self.wave.main(mask, self.budget, &mut ())
    }

    /// Sets a register by number, if there is such a one.
    pub fn set(&mut self, register: u32, values: [u32; W]) {
        self.wave.set(Register(register), values);
    }

    /// The words of all outputs of a lane, added to records.
    pub fn record(&self, lane: usize, records: &mut Records) {
        for slot in &self.stage.outputs {
            records.words.extend(slot.words.iter().map(|&word| self.wave.register(Register(word))[lane]));
        }
    }
}
