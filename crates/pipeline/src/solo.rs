//! One wave of a stage by itself: its inputs are given instead of made by the stages before, and the world around it can
//! be copied, so that a debugger can go back and forth.

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

/// A variable through which a stage takes or gives values.
#[derive(Clone, Debug)]
pub struct Port<'p> {
    /// Its name, `Block.member`, or the name of the language's variable alone.
    pub name: &'p str,
    /// Its type, without the dimension of vertices.
    pub ty: Type,
    /// The types it is of.
    pub types: &'p TypeTable,
    /// The registers of its words, for the first vertex.
    pub registers: &'p [u32],
    /// Registers from vertex to vertex; zero if there is only one.
    pub stride: u32,
    /// Belongs to the language.
    pub builtin: bool,
    /// Belongs to a patch as a whole.
    pub patch: bool,
    /// Where it is, if the shader says so: location and component.
    pub location: Option<(u32, u32)>,
    /// How a fragment shader wants it.
    pub interpolation: Option<shader::qualifier::Interpolation>,
}

impl Program {
    /// The shader of a stage that the program is lowered from, the one with `main` if there are several.
    #[must_use]
    pub fn shader(&self, stage: Stage) -> Option<&Arc<Shader>> {
        let units = &self.stage(stage)?.units;
        let shaders = || units.iter().filter_map(|unit| self.shaders.get(*unit));
        let has_main = |shader: &&Arc<Shader>| {
            shader.typed.functions.iter().any(|function| shader.preprocessed.symbols.name(function.name) == "main")
        };
        shaders().find(has_main).or_else(|| shaders().next())
    }

    /// The program a stage runs as.
    #[must_use]
    pub fn lowered(&self, stage: Stage) -> Option<&Arc<emulator::ir::Program>> {
        self.stage(stage).map(|stage| &stage.program)
    }

    /// The inputs of a stage that it mentions.
    #[must_use]
    pub fn inputs(&self, stage: Stage) -> Vec<Port<'_>> {
        self.stage(stage).map_or(Vec::new(), |stage| stage.inputs.iter().map(|slot| stage.port(slot)).collect())
    }

    /// The outputs of a stage that it mentions.
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

/// A wave of a stage that has its uniforms and is about to begin; `None` if the program has no such stage. The inputs are
/// zero.
///
/// # Errors
/// The initializers of global variables do not end.
pub fn solo<const W: usize>(state: &State, program: &Program, stage: Stage) -> Result<Option<Wave<W>>, Trap> {
    let Some(stage) = program.stage(stage) else { return Ok(None) };
    let mut runner: Runner<'_, W> = Runner::new(program, stage, state);
    runner.begin(Mask::ALL)?;
    Ok(Some(runner.wave))
}

/// Everything that is bound in a state, copied from it once for all the worlds that are made of it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    buffers: Vec<Arc<Vec<u8>>>,
    textures: Vec<Arc<Texture>>,
    units: Arc<BTreeMap<(u32, Target), (TextureId, Sampler)>>,
    images: Arc<BTreeMap<u32, ImageUnit>>,
    counters: Arc<BTreeMap<u32, BufferRange>>,
    clock: u64,
}

impl Surroundings {
    /// What is bound in a state.
    #[must_use]
    pub fn new(state: &State) -> Surroundings {
        Surroundings {
            buffers: state.buffers.iter().map(|bytes| Arc::new(bytes.clone())).collect(),
            textures: state.textures.iter().map(|texture| Arc::new(texture.clone())).collect(),
            units: Arc::new(state.units.clone()),
            images: Arc::new(state.images.clone()),
            counters: Arc::new(state.counter_buffers.clone()),
            clock: state.clock,
        }
    }

    /// The world of a stage of a program, whose blocks are bound as `state` says; `None` if it has no such stage.
    #[must_use]
    pub fn world(&self, state: &State, program: &Program, stage: Stage) -> Option<World> {
        let stage = program.stage(stage)?;
        let bytes = stage.program.workgroup_bytes.max(stage.program.patch_bytes) as usize;
        let slots = host::slots(program, stage, state).into();
        Some(World { surroundings: self.clone(), slots, memory: vec![0; bytes] })
    }
}

/// The world around one wave. Copies share what none of them wrote.
#[derive(Clone, Debug)]
pub struct World {
    surroundings: Surroundings,
    slots: Arc<[Option<BufferRange>]>,
    /// `shared` variables, or the outputs of a patch.
    memory: Vec<u8>,
}

impl World {
    /// What a buffer holds.
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

/// What a lane of a fragment shader's wave has made, when it has run. Nothing of a program without such a shader.
#[must_use]
pub fn fragment_output<const W: usize>(program: &Program, wave: &WaveState<W>, lane: usize) -> Option<FragmentOutput> {
    let discard = wave.alive().bits() >> lane & 1 == 0;
    Some(fragment::output(program.fragment.as_ref()?, wave, lane, discard))
}

/// Sets words of an input: those of each lane.
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
    fn a_quad_runs_with_inputs_that_were_given() {
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
        let mut world = Surroundings::new(&state).world(&state, &program, Stage::Fragment).expect("a stage");
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
        // All four wrote; the last one's word stays.
        assert_eq!(world.buffer_bytes(range)[..4], 1.5f32.to_le_bytes());
        assert_eq!(before.buffer_bytes(range)[..4], [0; 4], "copies do not see it");
    }
}
