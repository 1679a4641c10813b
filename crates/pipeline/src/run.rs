//! Running a stage on waves.

use emulator::Wave;
use emulator::ir::Register;
use emulator::wave::{Stop, Trap};
use lanes::{Mask, Numerics};

use crate::host::{self, World};
use crate::program::{Program, StageProgram};
use crate::state::{BufferRange, State};

/// Outputs of vertices: as many words for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// Words of one; at least one, so that vertices can be counted.
    pub stride: usize,
    /// All of them.
    pub words: Vec<u32>,
}

impl Records {
    /// No vertices yet, of so many words.
    pub fn new(words: u32) -> Records {
        Records { stride: words.max(1) as usize, words: Vec::new() }
    }

    pub fn of(&self, vertex: usize) -> &[u32] {
        self.words.get(vertex * self.stride..(vertex + 1) * self.stride).unwrap_or(&[])
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    /// Adds a vertex; missing words are zero.
    pub fn push(&mut self, words: impl Iterator<Item = u32>) {
        let end = self.words.len() + self.stride;
        self.words.extend(words);
        self.words.resize(end, 0);
    }
}

/// A wave of a stage that is used again and again; uniforms stay in it.
pub(crate) struct Runner<'p, const W: usize> {
    pub stage: &'p StageProgram,
    pub wave: Wave<'p, W>,
    /// Buffers of blocks, by slot.
    pub slots: Vec<Option<BufferRange>>,
    /// Uniforms that initializers write: they get their values again after those ran.
    again: Vec<(Register, u32)>,
    budget: u64,
}

impl<'p, const W: usize> Runner<'p, W> {
    pub fn new(program: &Program, stage: &'p StageProgram, state: &State) -> Runner<'p, W> {
        let numerics = Numerics { flush_denormals: state.flush_denormals, ..Numerics::IEEE };
        let mut wave = Wave::new(&stage.program, numerics);
        let mut again = Vec::new();
        for copy in &stage.uniforms {
            for word in 0..copy.words {
                let (register, value) = (Register(copy.to.0 + word), program.uniforms.register_word(copy.from + word));
                wave.set(register, [value; W]);
                if copy.initialized {
                    again.push((register, value));
                }
            }
        }
        for (name, home) in &stage.builtin_uniforms {
            for (register, word) in home.iter().zip(state.builtin_uniform(name)) {
                wave.set(register, [word; W]);
            }
        }
        Runner { stage, wave, slots: host::slots(program, stage, state), again, budget: state.budget }
    }

    /// Forgets the last run and evaluates global initializers.
    pub fn begin(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        for &(start, end) in &self.stage.variable {
            (start..end).for_each(|register| self.wave.set(Register(register), [0; W]));
        }
        self.wave.set_helpers(Mask::NONE);
        self.wave.initialize(mask)?;
        self.again.iter().for_each(|&(register, value)| self.wave.set(register, [value; W]));
        Ok(())
    }

    /// Runs `main`, with nobody else to wait for at barriers.
    pub fn main(&mut self, mask: Mask<W>, world: &mut World<'_>) -> Result<(), Trap> {
        self.wave.main(mask, self.budget, world, &mut ())
    }

    /// Runs on to the end or to a barrier; true at a barrier.
    pub fn to_barrier(&mut self, left: &mut u64, world: &mut World<'_>) -> Result<bool, Trap> {
        loop {
            match self.wave.run(world, &mut (), left) {
                Stop::Done => return Ok(false),
                Stop::Barrier => return Ok(true),
                Stop::Paused => {}
                Stop::Spent => return Err(Trap::Endless(self.budget)),
            }
        }
    }

    /// Sets a register by number.
    pub fn set(&mut self, register: u32, values: [u32; W]) {
        self.wave.set(Register(register), values);
    }

    /// The words of all outputs of a lane.
    pub fn outputs(&self, lane: usize) -> impl Iterator<Item = u32> {
        let slots = self.stage.outputs.iter();
        slots.flat_map(move |slot| slot.words.iter().map(move |&word| self.wave.register(Register(word))[lane]))
    }
}
