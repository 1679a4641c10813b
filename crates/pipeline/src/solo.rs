//! A single wave of a stage: the caller provides its inputs instead of the previous stages, and its environment can be
//! cloned, so that a debugger can run it forwards and backwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::host::{Host, Space};
use emulator::ir::Register;
use emulator::wave::Trap;
use emulator::{Wave, WaveState};
use lanes::Mask;
use raster::FragmentOutput;
use shader::Shader;
use shader::types::{Type, TypeTable};
use shader::version::Stage;
use texture::{Image, Sampler, Texture};

use crate::draw::fragment;
use crate::host;
use crate::program::{Program, Slot, StageProgram, Target};
use crate::run::Runner;
use crate::state::{BufferRange, ImageUnit, State, TextureId};

/// An input or output variable of a stage.
#[derive(Clone, Debug)]
pub struct Port<'p> {
    /// Its name, `Block.member`, or the plain name of a built-in variable.
    pub name: &'p str,
    /// Its type, without the per-vertex dimension.
    pub ty: Type,
    /// The table that contains its type.
    pub types: &'p TypeTable,
    /// The registers of its words, for the first vertex.
    pub registers: &'p [u32],
    /// The number of registers between vertices; zero if there is only one vertex.
    pub stride: u32,
    /// Whether it is built-in.
    pub builtin: bool,
    /// Whether it is per-patch.
    pub patch: bool,
    /// Its location and component, if declared in the shader.
    pub location: Option<(u32, u32)>,
    /// The interpolation that the fragment shader declares.
    pub interpolation: Option<shader::qualifier::Interpolation>,
}

impl Program {
    /// The shader of a stage; the one with `main` if there are several.
    #[must_use]
    pub fn shader(&self, stage: Stage) -> Option<&Arc<Shader>> {
        let units = &self.stage(stage)?.units;
        let shaders = || units.iter().filter_map(|unit| self.shaders.get(*unit));
        let has_main = |shader: &&Arc<Shader>| {
            shader.typed.functions.iter().any(|function| shader.preprocessed.symbols.name(function.name) == "main")
        };
        shaders().find(has_main).or_else(|| shaders().next())
    }

    /// The lowered program of a stage.
    #[must_use]
    pub fn lowered(&self, stage: Stage) -> Option<&Arc<emulator::ir::Program>> {
        self.stage(stage).map(|stage| &stage.program)
    }

    /// The inputs that a stage mentions.
    #[must_use]
    pub fn inputs(&self, stage: Stage) -> Vec<Port<'_>> {
        self.stage(stage).map_or(Vec::new(), |stage| stage.inputs.iter().map(|slot| stage.port(slot)).collect())
    }

    /// The outputs that a stage mentions.
    #[must_use]
    pub fn outputs(&self, stage: Stage) -> Vec<Port<'_>> {
        self.stage(stage).map_or(Vec::new(), |stage| stage.outputs.iter().map(|slot| stage.port(slot)).collect())
    }
}

impl StageProgram {
    fn port<'p>(&'p self, slot: &'p Slot) -> Port<'p> {
        Port {
            name: &slot.name,
            ty: slot.ty,
            types: self.types(slot.unit),
            registers: &slot.words,
            stride: slot.stride,
            builtin: slot.builtin,
            patch: slot.qualifiers.flags.patch,
            location: slot.location.map(|location| (location, slot.qualifiers.layout.component.unwrap_or(0))),
            interpolation: slot.qualifiers.interpolation,
        }
    }
}

/// A wave of a stage with its uniforms set, ready to run; `None` if the program has no such stage. The inputs are zero.
///
/// # Errors
/// When the initialisers of global variables do not terminate.
pub fn solo<const W: usize>(state: &State, program: &Program, stage: Stage) -> Result<Option<Wave<W>>, Trap> {
    let Some(stage) = program.stage(stage) else { return Ok(None) };
    let mut runner: Runner<'_, W> = Runner::new(program, stage, state);
    runner.begin(Mask::ALL)?;
    Ok(Some(runner.wave))
}

/// Everything bound in a state, copied once for all environments created from it.
#[derive(Clone, Debug)]
pub struct BoundResources {
    buffers: Vec<Arc<Vec<u8>>>,
    textures: Vec<Arc<Texture>>,
    units: Arc<BTreeMap<(u32, Target), (TextureId, Sampler)>>,
    images: Arc<BTreeMap<u32, ImageUnit>>,
    counters: Arc<BTreeMap<u32, BufferRange>>,
    clock: u64,
}

impl BoundResources {
    /// Copies the bindings of a state.
    #[must_use]
    pub fn new(state: &State) -> BoundResources {
        BoundResources {
            buffers: state.buffers.iter().map(|bytes| Arc::new(bytes.clone())).collect(),
            textures: state.textures.iter().map(|texture| Arc::new(texture.clone())).collect(),
            units: Arc::new(state.units.clone()),
            images: Arc::new(state.images.clone()),
            counters: Arc::new(state.counter_buffers.clone()),
            clock: state.clock,
        }
    }

    /// The same with the textures and samplers that a state binds to units.
    #[must_use]
    pub fn with_units_of(&self, state: &State) -> BoundResources {
        BoundResources { units: Arc::new(state.units.clone()), ..self.clone() }
    }

    /// The environment of a program's stage, whose blocks are bound as in `state`; `None` if there is no such stage.
    #[must_use]
    pub fn world(&self, state: &State, program: &Program, stage: Stage) -> Option<World> {
        let stage = program.stage(stage)?;
        let bytes = stage.program.workgroup_bytes.max(stage.program.patch_bytes) as usize;
        let slots = host::slots(program, stage, state).into();
        Some(World { surroundings: self.clone(), slots, memory: vec![0; bytes] })
    }
}

/// The environment of a wave. Clones share everything that none of them wrote.
#[derive(Clone, Debug)]
pub struct World {
    surroundings: BoundResources,
    slots: Arc<[Option<BufferRange>]>,
    /// `shared` variables, or the outputs of a patch.
    memory: Vec<u8>,
}

impl World {
    /// The contents of a buffer.
    #[must_use]
    pub fn buffer_bytes(&self, range: BufferRange) -> &[u8] {
        let Some(bytes) = self.surroundings.buffers.get(range.buffer.0 as usize) else { return &[] };
        &bytes[range.of(bytes.len())]
    }
}

impl Host for World {
    fn copy_bytes(&self) -> usize {
        self.memory.len() + (self.surroundings.buffers.len() + self.surroundings.textures.len()) * size_of::<usize>()
    }

    fn clock(&mut self) -> u64 {
        self.surroundings.clock += 1;
        self.surroundings.clock
    }

    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        let range = match space {
            Space::Workgroup | Space::Patch => return &mut self.memory,
            Space::Private | Space::Generic => None,
            Space::Uniform | Space::Storage => self.slots.get(slot as usize).copied().flatten(),
            Space::Counter => self.surroundings.counters.get(&slot).copied(),
        };
        let Some(range) = range else { return &mut [] };
        let Some(bytes) = self.surroundings.buffers.get_mut(range.buffer.0 as usize) else { return &mut [] };
        let part = range.of(bytes.len());
        &mut Arc::make_mut(bytes)[part]
    }

    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        let (texture, sampler) = self.surroundings.units.get(&Target::of_handle(handle)?)?;
        Some((self.surroundings.textures.get(texture.0 as usize)?, sampler))
    }

    fn image(&mut self, handle: u32) -> Option<(&mut Texture, Image)> {
        let unit = *self.surroundings.images.get(&handle)?;
        Some((Arc::make_mut(self.surroundings.textures.get_mut(unit.texture.0 as usize)?), unit.image))
    }
}

/// The outputs of a lane of a fragment shader's wave after its run. `None` if the program has no fragment shader.
#[must_use]
pub fn fragment_output<const W: usize>(program: &Program, wave: &WaveState<W>, lane: usize) -> Option<FragmentOutput> {
    let discard = wave.alive().bits() >> lane & 1 == 0;
    Some(fragment::output(program.fragment.as_ref()?, wave, lane, discard))
}

/// Sets words of an input, for each lane.
pub fn feed<const W: usize>(wave: &mut WaveState<W>, port: &Port<'_>, vertex: u32, words: &[[u32; W]]) {
    for (&register, &values) in port.registers.iter().zip(words) {
        wave.set(Register(register + vertex * port.stride), values);
    }
}

#[cfg(test)]
mod tests {
    use raster::Framebuffer;
    use shader::version::Options;

    use super::*;

    #[test]
    fn a_quad_runs_with_given_inputs() {
        let text = "#version 430
            in vec2 at; uniform float scale; out vec4 colour;
            layout(std430, binding = 3) buffer Log { float words[]; };
            void main() { words[0] = at.x; colour = vec4(at * scale, dFdx(at.x), 1); }";
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        let mut program = Program::new(vec![shader], &Default::default()).expect("it links");
        assert!(program.set_uniform("scale", &[2f32.to_bits()]));
        let mut state = State::new(Framebuffer::new(2, 2));
        let buffer = state.add_buffer(vec![0; 16]);
        let range = BufferRange { buffer, offset: 8, size: None };
        state.storage_buffers.insert(3, range);
        let mut wave = solo::<4>(&state, &program, Stage::Fragment).expect("an end").expect("a stage");
        let mut world = BoundResources::new(&state).world(&state, &program, Stage::Fragment).expect("a stage");
        let before = world.clone();
        let inputs = program.inputs(Stage::Fragment);
        let at = inputs.iter().find(|port| port.name == "at").expect("an input");
        let floats = |values: [f32; 4]| values.map(f32::to_bits);
        feed(&mut wave, at, 0, &[floats([1.0, 1.5, 1.0, 1.5]), floats([3.0, 3.0, 4.0, 4.0])]);
        wave.main(Mask::ALL, 1000, &mut world, &mut ()).expect("an end");
        let outputs = program.outputs(Stage::Fragment);
        let lane = |lane: usize| {
            let words = outputs[0].registers.iter().map(|&word| f32::from_bits(wave.register(Register(word))[lane]));
            words.collect::<Vec<f32>>()
        };
        assert_eq!(lane(0), [2.0, 6.0, 0.5, 1.0]);
        assert_eq!(lane(3), [3.0, 8.0, 0.5, 1.0]);
        // All four lanes wrote; the word of the last one remains.
        assert_eq!(world.buffer_bytes(range)[..4], 1.5f32.to_le_bytes());
        assert_eq!(before.buffer_bytes(range)[..4], [0; 4], "clones do not see the write");
    }
}
