//! Runs stages on waves.

use emulator::Wave;
use emulator::ir::Register;
use emulator::wave::{Observer, Stop, Trap};
use lanes::{Mask, Numerics};

use crate::host::{self, World};
use crate::program::{Program, StageProgram};
use crate::state::{BufferRange, State};

/// Outputs of vertices, with the same number of words for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// The number of words per vertex; at least one, so that vertices can be counted.
    pub stride: usize,
    /// The words of all vertices.
    pub words: Vec<u32>,
}

impl Records {
    /// No vertices yet, with the given number of words each.
    pub fn new(words: u32) -> Records {
        Records { stride: words.max(1) as usize, words: Vec::new() }
    }

    pub fn of(&self, vertex: usize) -> &[u32] {
        self.words.get(vertex * self.stride..(vertex + 1) * self.stride).unwrap_or(&[])
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    /// Appends a vertex; missing words are zero.
    pub fn push(&mut self, words: impl Iterator<Item = u32>) {
        let end = self.words.len() + self.stride;
        self.words.extend(words);
        self.words.resize(end, 0);
    }
}

/// A reusable wave of a stage; uniforms stay in its registers.
pub(crate) struct Runner<'p, const W: usize> {
    pub stage: &'p StageProgram,
    pub wave: Wave<W>,
    /// Buffers of blocks, by slot.
    pub slots: Vec<Option<BufferRange>>,
    /// Uniforms with initialisers, and subroutine uniforms: they are set again after the initialisers ran.
    again: Vec<(Register, u32)>,
    /// Built-in inputs for the invocation's position in its subgroup.
    subgroup: Vec<(Register, [u32; W])>,
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
        // These are few, and stored among the variables that are reset for each run.
        again.extend(program.selected(stage));
        for (name, home) in &*stage.builtin_uniforms {
            let words = if name == "gl_SubGroupSizeARB" { vec![W as u32] } else { state.builtin_uniform(name) };
            home.iter().zip(words).for_each(|(register, word)| wave.set(register, [word; W]));
        }
        let inputs = stage.inputs.iter().filter(|slot| slot.builtin);
        let words = inputs.flat_map(|slot| slot.words.iter().enumerate().map(move |(i, &word)| (slot, i, word)));
        let subgroup = words.filter_map(|(slot, i, word)| Some((Register(word), subgroup(&slot.name, i)?))).collect();
        Runner { stage, wave, slots: host::slots(program, stage, state), again, subgroup, budget: state.budget }
    }

    /// Resets the wave and evaluates global initialisers.
    pub fn begin(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        for &(start, end) in &self.stage.variable {
            (start..end).for_each(|register| self.wave.set(Register(register), [0; W]));
        }
        self.wave.set_helpers(Mask::NONE);
        self.wave.initialize(mask)?;
        self.again.iter().for_each(|&(register, value)| self.wave.set(register, [value; W]));
        self.subgroup.iter().for_each(|&(register, values)| self.wave.set(register, values));
        Ok(())
    }

    /// Runs `main`; barriers have no other invocations to wait for.
    pub fn main(&mut self, mask: Mask<W>, world: &mut World<'_>) -> Result<(), Trap> {
        self.wave.main(mask, self.budget, world, &mut ())
    }

    /// Runs to the end or to the next barrier; returns true at a barrier.
    pub fn until_barrier(
        &mut self,
        left: &mut u64,
        world: &mut World<'_>,
        observer: &mut dyn Observer<W>,
    ) -> Result<bool, Trap> {
        loop {
            match self.wave.run(world, observer, left) {
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

/// A word of a variable of GL_ARB_shader_ballot or GL_KHR_shader_subgroup; a wave is a subgroup.
fn subgroup<const W: usize>(name: &str, word: usize) -> Option<[u32; W]> {
    let tail = name.strip_prefix("gl_SubGroup").or_else(|| name.strip_prefix("gl_Subgroup"))?;
    let tail = tail.strip_suffix("ARB").unwrap_or(tail);
    let mask = |bits: fn(u64) -> u64| {
        let half = |bits: u64| (bits & (u64::MAX >> (64 - W))).checked_shr(word as u32 * 32).unwrap_or(0) as u32;
        Some(std::array::from_fn(|lane| half(bits(1 << lane))))
    };
    match tail {
        "Size" => Some([W as u32; W]),
        "Invocation" | "InvocationID" => Some(std::array::from_fn(|lane| lane as u32)),
        "EqMask" => mask(|bit| bit),
        "GeMask" => mask(|bit| !(bit - 1)),
        "GtMask" => mask(|bit| !(bit - 1) & !bit),
        "LeMask" => mask(|bit| bit | (bit - 1)),
        "LtMask" => mask(|bit| bit - 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_lanes() {
        let check = |name: &str, expected: [u32; 4]| assert_eq!(subgroup(name, 0), Some(expected), "{name}");
        check("gl_SubGroupEqMaskARB", [1, 2, 4, 8]);
        check("gl_SubGroupGeMaskARB", [15, 14, 12, 8]);
        check("gl_SubgroupGtMask", [14, 12, 8, 0]);
        check("gl_SubGroupLeMaskARB", [1, 3, 7, 15]);
        check("gl_SubgroupLtMask", [0, 1, 3, 7]);
        check("gl_SubgroupSize", [4; 4]);
        assert_eq!(subgroup::<4>("gl_SubgroupEqMask", 1), Some([0; 4]));
        assert_eq!(subgroup::<4>("gl_SubgroupID", 0), None);
    }
}
