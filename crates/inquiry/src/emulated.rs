//! A draw's shader on the emulator as a device that runs variants: the same texts, the same streams of words.

use emulator::Wave;
use emulator::ir::Register;
use instrument::inspect::{Identity, InspectContext, Raw, Run};
use instrument::stream::{BLOCK_HEADER, HEADER, IDENTITY};
use instrument::{Device, InspectError, Scope, Transport, Variant};
use lanes::Mask;
use pipeline::{BufferRange, Program, State};
use reenact::Scene;
use shader::version::{Profile, Stage, Version};

use crate::{Inputs, Work};

/// The binding point of the block that answers go to; no driver has so many.
const BINDING: u32 = 1 << 16;

/// Words of a window of one float target.
const WINDOW: u32 = 2;

/// Blocks of instructions after which an invocation counts as endless.
const BUDGET: u64 = 50_000_000;

/// One invocation of a draw, on the CPU.
pub struct Emulated<'w> {
    work: &'w Work,
    stage: Stage,
    inputs: Inputs,
    scene: Scene,
    device: Device,
}

impl<'w> Emulated<'w> {
    pub(crate) fn new(work: &'w Work, stage: Stage, inputs: Inputs, scene: Scene) -> Emulated<'w> {
        let newest = match work.device.newest.profile {
            Profile::Es => Version { number: 320, profile: Profile::Es },
            profile => Version { number: 460, profile },
        };
        let device = Device {
            newest,
            storage_blocks: [16; 6],
            storage_bindings: 64,
            // Everything comes out through a block, or from languages that have none through one colour.
            integer_targets: false,
            float_targets: true,
            targets: 1,
            feedback_words: 0,
            extensions: work.device.extensions.clone(),
            style: work.device.style,
        };
        Emulated { work, stage, inputs, scene, device }
    }

    /// The stage.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The same draw with other inputs.
    #[must_use]
    pub fn with(self, inputs: Inputs) -> Emulated<'w> {
        Emulated { inputs, ..self }
    }

    /// Which invocation it is.
    #[must_use]
    pub fn pick(&self) -> Identity {
        self.inputs.who
    }

    /// What could not be brought over from the trace: whoever reads it reads zeros.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.scene.missing
    }

    /// What a variant answers for each of these inputs: the words of its stream.
    ///
    /// # Errors
    /// When the emulator does not take the variant, or it does not end.
    pub fn answers(&self, variant: &Variant, inputs: &[Inputs], words: u32) -> Result<Vec<Vec<u32>>, InspectError> {
        match variant.transport {
            Transport::Storage => self.block_answers(variant, inputs, words),
            Transport::FloatTargets(1) => {
                let mut all = vec![Vec::new(); inputs.len()];
                let mut base = 0;
                loop {
                    let windows = self.windows(variant, inputs, base)?;
                    all.iter_mut().zip(windows).for_each(|(stream, window)| stream.extend(window));
                    base += WINDOW;
                    let longest = all.iter().filter_map(|stream: &Vec<u32>| stream.first()).copied().max().unwrap_or(0);
                    if base >= longest.min(words) {
                        break;
                    }
                }
                for stream in &mut all {
                    stream.truncate(stream.first().map_or(0, |&length| length as usize));
                }
                Ok(all)
            }
            _ => Err(InspectError::Failed("the emulator brings answers out through a block or a colour".to_owned())),
        }
    }

    fn block_answers(&self, variant: &Variant, inputs: &[Inputs], words: u32) -> Result<Vec<Vec<u32>>, InspectError> {
        let program = self.program(variant, 0)?;
        let mut state = self.scene.state.clone();
        let range = block(&mut state, [words, 1]);
        let prepared = pipeline::solo::<4>(&state, &program, self.stage).map_err(failed)?;
        let (wave, world) = prepared.ok_or_else(|| InspectError::Failed("the variant has no such stage".to_owned()))?;
        let mut all = Vec::with_capacity(inputs.len());
        for inputs in inputs {
            let (mut wave, mut world) = (wave.clone(), world.clone());
            feed(&mut wave, &program, self.stage, inputs);
            wave.main(Mask::ALL, BUDGET, &mut world, &mut ()).map_err(failed)?;
            let words = words_of(world.buffer_bytes(range));
            let stream = words.get((BLOCK_HEADER + IDENTITY) as usize..).unwrap_or_default();
            let length = stream.first().map_or(0, |&length| length as usize);
            // An invocation that does not answer has an empty stream.
            all.push(stream.get(..length.min(stream.len())).unwrap_or_default().to_vec());
        }
        Ok(all)
    }

    /// A window of each stream, from the colour that the variant writes: half a word to a channel.
    fn windows(&self, variant: &Variant, inputs: &[Inputs], base: u32) -> Result<Vec<[u32; 2]>, InspectError> {
        let program = self.program(variant, base)?;
        let prepared = pipeline::solo::<4>(&self.scene.state, &program, self.stage).map_err(failed)?;
        let (wave, world) = prepared.ok_or_else(|| InspectError::Failed("the variant has no such stage".to_owned()))?;
        let colour = variant.controls.outputs.first().map_or("gl_FragColor", String::as_str);
        let home = match (program.lowered(self.stage), program.shader(self.stage)) {
            (Some(lowered), Some(shader)) => emulator::locate(shader, lowered, colour),
            _ => None,
        };
        let (_, home) = home.ok_or_else(|| InspectError::Failed("the variant writes no colour".to_owned()))?;
        let mut all = Vec::with_capacity(inputs.len());
        for inputs in inputs {
            let (mut wave, mut world) = (wave.clone(), world.clone());
            feed(&mut wave, &program, self.stage, inputs);
            wave.main(Mask::ALL, BUDGET, &mut world, &mut ()).map_err(failed)?;
            let mut halves = home.iter().map(|register| f32::from_bits(wave.register(register)[inputs.lane()]) as u32);
            let mut word = || halves.next().unwrap_or(0) | halves.next().unwrap_or(0) << 16;
            all.push([word(), word()]);
        }
        Ok(all)
    }

    /// The variant as a program, with the uniforms that were recorded.
    fn program(&self, variant: &Variant, base: u32) -> Result<Program, InspectError> {
        let facts = self.work.facts(self.stage).map_err(|error| InspectError::Failed(error.to_string()))?;
        let shader = shader::analyze(&variant.strings, &facts.options);
        let source_text = || variant.strings.concat();
        if shader.has_errors() {
            let log: Vec<&str> = shader.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
            return Err(InspectError::Rejected { log: log.join("\n"), source_text: source_text() });
        }
        let view = self.work.view().map_err(|error| InspectError::Failed(error.to_string()))?;
        let program = reenact::program(&view, self.work.calls.work, vec![shader], self.scene.manner);
        let mut program = program
            .map_err(|refusal| InspectError::Rejected { log: refusal.to_string(), source_text: source_text() })?;
        program.set_uniform(&variant.controls.on, &[1]);
        program.set_uniform(&variant.controls.pick, &[u32::MAX; 4]);
        program.set_uniform(&variant.controls.base, &[base]);
        program.set_uniform(&variant.controls.regions, &[1]);
        program.set_block_binding(&variant.controls.block, BINDING);
        Ok(program)
    }
}

impl InspectContext for Emulated<'_> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, _: Stage, _: Scope, run: Run) -> Result<Raw, InspectError> {
        if variant.transport == Transport::FloatTargets(1) {
            let window = self.windows(variant, std::slice::from_ref(&self.inputs), run.base)?.swap_remove(0);
            let [x, y, ..] = self.inputs.who.map(i32::cast_unsigned);
            return Ok(Raw::Grid { rectangle: [x, y, 1, 1], words: window.to_vec() });
        }
        let [room, regions] = run.room;
        let stream = self.answers(variant, std::slice::from_ref(&self.inputs), room)?.swap_remove(0);
        let mut words = vec![0; (BLOCK_HEADER + room * regions) as usize];
        (words[0], words[1]) = (u32::from(stream.len() >= HEADER as usize), room);
        let region = &mut words[BLOCK_HEADER as usize..];
        for (word, number) in region.iter_mut().zip(self.inputs.who) {
            *word = number.cast_unsigned();
        }
        let places = region.iter_mut().skip(IDENTITY as usize).take((room - IDENTITY) as usize);
        places.zip(stream).for_each(|(place, word)| *place = word);
        Ok(Raw::Block(words))
    }
}

/// A block for answers, bound where variants look for it.
fn block(state: &mut State, [words, regions]: [u32; 2]) -> BufferRange {
    let mut bytes = vec![0; 4 * (BLOCK_HEADER + words * regions) as usize];
    bytes[4..8].copy_from_slice(&words.to_le_bytes());
    let range = BufferRange { buffer: state.add_buffer(bytes), offset: 0, size: None };
    state.storage_buffers.insert(BINDING, range);
    range
}

/// Gives the lanes of a quad their inputs; the other lanes of a fragment are its neighbours, which only help.
fn feed(wave: &mut Wave<'_, 4>, program: &Program, stage: Stage, inputs: &Inputs) {
    let (Some(lowered), Some(shader)) = (program.lowered(stage), program.shader(stage)) else { return };
    let mut set = |name: &str, words: &dyn Fn(usize) -> Option<Vec<u32>>| {
        let Some((_, home)) = emulator::locate(shader, lowered, name) else { return };
        let lanes: [Vec<u32>; 4] = std::array::from_fn(|lane| words(lane).unwrap_or_default());
        for (place, register) in home.iter().enumerate() {
            let values = std::array::from_fn(|lane| lanes[lane].get(place).copied().unwrap_or(0));
            wave.set(Register(register.0), values);
        }
    };
    let who = inputs.who.map(i32::cast_unsigned);
    match stage {
        Stage::Fragment => {
            set("gl_PrimitiveID", &|_| Some(vec![who[2]]));
            set("gl_SampleID", &|_| Some(vec![who[3]]));
            // Where a fragment is says which fragment it is, even if the shader does not look.
            let lane = inputs.lane();
            set("gl_FragCoord", &|other| {
                let centre = |axis: usize| {
                    let step = (other >> axis & 1) as f32 - (lane >> axis & 1) as f32;
                    (inputs.who[axis] as f32 + 0.5 + step).to_bits()
                };
                Some(vec![centre(0), centre(1), 0, 1f32.to_bits()])
            });
        }
        Stage::Vertex => {
            set("gl_VertexID", &|_| Some(vec![who[0]]));
            set("gl_InstanceID", &|_| Some(vec![who[1]]));
        }
        Stage::Compute => set("gl_GlobalInvocationID", &|_| Some(who[..3].to_vec())),
        Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
            set("gl_PrimitiveIDIn", &|_| Some(vec![who[0]]));
            set("gl_PrimitiveID", &|_| Some(vec![who[0]]));
            set("gl_InvocationID", &|_| Some(vec![who[1]]));
        }
    }
    let names: Vec<&str> = inputs.named().map(|(name, _)| name).collect();
    for name in names {
        set(name, &|lane| inputs.words(name, lane));
    }
    wave.set_helpers(Mask::from_bits(0b1111 & !(1 << inputs.lane())));
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn failed(trap: impl std::fmt::Display) -> InspectError {
    InspectError::Failed(format!("the emulator stopped: {trap}"))
}
