//! The environment of a wave: the buffers, textures and images of a context.

use std::collections::BTreeMap;

use emulator::host::{At, Host, Space};
use emulator::ir::Register;
use raster::Quad;
use texture::{Image, Sampler, Texture};

use crate::draw::Emitted;
use crate::program::{FragmentPlan, Program, StageProgram, Target};
use crate::state::{BufferRange, ImageUnit, State, TextureId};

/// The resources that all invocations of a draw share; moved out of the state during the draw, so that both can be
/// borrowed.
pub(crate) struct Resources {
    pub buffers: Vec<Vec<u8>>,
    textures: Vec<Texture>,
    units: BTreeMap<(u32, Target), (TextureId, Sampler)>,
    images: BTreeMap<u32, ImageUnit>,
    counters: BTreeMap<u32, BufferRange>,
    clock: u64,
}

impl Resources {
    pub fn take(state: &mut State) -> Resources {
        Resources {
            buffers: std::mem::take(&mut state.buffers),
            textures: std::mem::take(&mut state.textures),
            units: std::mem::take(&mut state.units),
            images: std::mem::take(&mut state.images),
            counters: std::mem::take(&mut state.counter_buffers),
            clock: state.clock,
        }
    }

    pub fn give_back(self, state: &mut State) {
        state.buffers = self.buffers;
        state.textures = self.textures;
        state.units = self.units;
        state.images = self.images;
        state.counter_buffers = self.counters;
        state.clock = self.clock;
    }

    fn range(&mut self, range: BufferRange) -> &mut [u8] {
        let Some(bytes) = self.buffers.get_mut(range.buffer.0 as usize) else { return &mut [] };
        let part = range.of(bytes.len());
        &mut bytes[part]
    }
}

/// The buffers of a stage's blocks, by slot.
pub(crate) fn slots(program: &Program, stage: &StageProgram, state: &State) -> Vec<Option<BufferRange>> {
    let binding = |&(space, binding): &(Space, u32)| match space {
        Space::Uniform => state.uniform_buffers.get(&binding).copied(),
        _ => state.storage_buffers.get(&binding).copied(),
    };
    program.slot_bindings(stage).iter().map(binding).collect()
}

/// The environment of a running wave.
pub(crate) struct World<'w> {
    pub resources: &'w mut Resources,
    /// Buffers of blocks, by slot.
    pub slots: &'w [Option<BufferRange>],
    /// `shared` variables, or the outputs of a patch.
    pub memory: &'w mut [u8],
    /// The quad being shaded, its inputs, and whether it is a back face with separate colours.
    pub quad: Option<(&'w Quad<'w>, &'w FragmentPlan, bool)>,
    /// Receives the vertices that a geometry shader emits.
    pub emitted: Option<&'w mut Emitted>,
}

impl Host for World<'_> {
    fn clock(&mut self) -> u64 {
        self.resources.clock += 1;
        self.resources.clock
    }

    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        let range = match space {
            Space::Workgroup | Space::Patch => return self.memory,
            Space::Private | Space::Generic => None,
            Space::Uniform | Space::Storage => self.slots.get(slot as usize).copied().flatten(),
            Space::Counter => self.resources.counters.get(&slot).copied(),
        };
        range.map_or(&mut [], |range| self.resources.range(range))
    }

    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        let (texture, sampler) = self.resources.units.get(&Target::of_handle(handle)?)?;
        Some((self.resources.textures.get(texture.0 as usize)?, sampler))
    }

    fn image(&mut self, handle: u32) -> Option<(&mut Texture, Image)> {
        let unit = *self.resources.images.get(&handle)?;
        Some((self.resources.textures.get_mut(unit.texture.0 as usize)?, unit.image))
    }

    fn interpolate(&self, input: Register, lane: usize, at: At) -> Option<u32> {
        let (quad, plan, back) = self.quad?;
        let &(_, front_word, back_word) = plan.inputs.iter().find(|(register, ..)| *register == input.0)?;
        let word = if back { back_word } else { front_word };
        let offset = match at {
            At::Centroid => quad.centroid_offset(lane),
            At::Sample(sample) => quad.sample_offset(u32::try_from(sample).unwrap_or(0)),
            At::Offset(offset) => offset,
        };
        Some(quad.varying_at(word as usize, lane, offset).to_bits())
    }

    fn emit(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        if let Some(emitted) = &mut self.emitted {
            emitted.vertex(lane, stream, output);
        }
    }

    fn end_primitive(&mut self, lane: usize, stream: u32) {
        if let Some(emitted) = &mut self.emitted {
            emitted.end(lane, stream);
        }
    }
}
