//! Runs a scenario on the emulator.

use driver::{Assembly, Channel, Operation, Target};
use instrument::inspect::{InspectContext, InspectError, Raw, Run};
use instrument::{Device, Scope, Transport, Variant};
use pipeline::{Array, Attribute, BufferRange, DrawCall, Feedback, Mode, Program, State};
use raster::{Framebuffer, PixelFormat, Topology};
use shader::types::Type;
use shader::version::Stage;

use crate::capabilities::everything;
use crate::scenario::{RunSetup, Scenario, Shaders};
use crate::{raw, sampled};

/// The number of words that transform feedback may write.
const CAPTURED: usize = 1 << 16;

/// Runs a program on the emulator.
pub struct OnEmulator {
    device: Device,
    scenario: Scenario,
    /// The program linked last, with its sources.
    linked: Option<(Shaders, Program)>,
    outputs: Vec<Option<Vec<u32>>>,
}

impl OnEmulator {
    /// Creates an emulator for the scenario; the program is linked on the first run.
    #[must_use]
    pub fn new(scenario: Scenario) -> OnEmulator {
        OnEmulator { device: everything(scenario.api), scenario, linked: None, outputs: Vec::new() }
    }

    /// Restricts the capabilities to those of another device, so that both are asked the same questions.
    #[must_use]
    pub fn like(mut self, device: &Device) -> OnEmulator {
        self.device = device.clone();
        self
    }

    /// The shader's own outputs of the last run, like [`crate::OnDriver::outputs`].
    #[must_use]
    pub fn outputs(&self) -> &[Option<Vec<u32>>] {
        &self.outputs
    }

    /// Runs the program without a variant.
    ///
    /// # Errors
    /// When it does not link or the run fails.
    pub fn run_plain(&mut self) -> Result<(), InspectError> {
        let setup = self.scenario.plain();
        self.perform(None, &setup, None).map(|_| ())
    }

    /// Runs a variant that answers in a storage block with the given initial contents, and returns the block's contents
    /// afterwards.
    ///
    /// # Errors
    /// When the variant does not link or the run fails.
    pub fn run_on_block(
        &mut self,
        variant: &Variant,
        stage: Stage,
        scope: Scope,
        run: Run,
        words: &[u32],
    ) -> Result<Vec<u32>, InspectError> {
        let setup = self.scenario.setup(variant, stage, scope, run);
        let found = self.perform(Some((variant, stage)), &setup, Some((&variant.controls.block, words)))?;
        Ok(found.block.unwrap_or_default())
    }

    fn link(&mut self, variant: Option<(&Variant, Stage)>) -> Result<(), InspectError> {
        let texts = self.scenario.with_variant(variant);
        if self.linked.as_ref().is_some_and(|(linked, _)| *linked == texts) {
            return Ok(());
        }
        let mut shaders = Vec::new();
        for (stage, strings) in &texts {
            let read = shader::analyze(strings, &self.scenario.options(*stage));
            if read.has_errors() {
                let messages: Vec<String> = read.diagnostics.iter().map(|d| d.message.clone()).collect();
                return Err(InspectError::Rejected { log: messages.join("\n"), source_text: strings.concat() });
            }
            shaders.push(read);
        }
        let program = Program::new(shaders, &shader::link::LinkOptions::default()).map_err(|refusal| {
            let log = match &refusal {
                pipeline::Refusal::Link(problems) => {
                    problems.iter().map(|p| p.diagnostic.message.clone()).collect::<Vec<_>>().join("\n")
                }
                other @ pipeline::Refusal::Unsupported { .. } => other.to_string(),
            };
            let source_text = variant.map_or(String::new(), |(variant, _)| variant.strings.concat());
            InspectError::Rejected { log, source_text }
        })?;
        self.linked = Some((texts, program));
        Ok(())
    }

    fn perform(
        &mut self,
        variant: Option<(&Variant, Stage)>,
        setup: &RunSetup,
        block: Option<(&str, &[u32])>,
    ) -> Result<Results, InspectError> {
        self.link(variant)?;
        let Some((_, program)) = &mut self.linked else { return Err(InspectError::Failed("no program".to_owned())) };
        let scenario = &self.scenario;
        let transport = variant.map_or(Transport::Storage, |(variant, _)| variant.transport);
        let own = raw::targets(transport);
        let drawn = matches!(scenario.work, Operation::Draw { .. });
        let locations: Vec<Option<usize>> = match &own {
            None if drawn => scenario.outputs.iter().map(|output| location_of(program, &output.name)).collect(),
            _ => Vec::new(),
        };
        let mut targets = own.unwrap_or_default();
        for (output, location) in scenario.outputs.iter().zip(&locations) {
            let Some(location) = *location else { continue };
            targets.resize(targets.len().max(location + 1), Target::Rgba32F);
            targets[location] = match output.channel {
                Channel::Float => Target::Rgba32F,
                Channel::Int => Target::Rgba32I,
                Channel::Uint => Target::Rgba32Ui,
            };
        }
        let mut state = state(setup, program, &targets);
        program.reset_uniforms();
        for uniform in &setup.uniforms {
            program.set_uniform(&uniform.name, &uniform.words);
        }
        for (unit, image) in (0..).zip(&scenario.images) {
            let Some(info) = program.uniform(&image.name) else { continue };
            let Type::Opaque(opaque) = info.ty else { continue };
            let (texture, sampler) = sampled::texture(image, scenario.api);
            let id = state.add_texture(texture);
            state.units.insert((unit, pipeline::Target::of(&opaque)), (id, sampler));
            program.set_uniform(&image.name, &[unit]);
        }
        let answers = bind_blocks(scenario, program, &mut state, block);
        let captured = match transport {
            Transport::Feedback(_) => Some(capture(program, variant, &mut state)?),
            _ => None,
        };
        run_work(setup, program, &mut state)?;
        let words = |buffer: pipeline::BufferId| {
            let bytes = &state.buffers[buffer.0 as usize];
            bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>()
        };
        let found: Vec<Vec<u32>> =
            targets.iter().enumerate().map(|(n, target)| pixels(&state.framebuffer, n, *target)).collect();
        self.outputs =
            locations.iter().map(|location| location.and_then(|location| found.get(location).cloned())).collect();
        Ok(Results { targets: found, block: answers.map(words), captured: captured.map(words) })
    }
}

/// The results of a run.
struct Results {
    targets: Vec<Vec<u32>>,
    block: Option<Vec<u32>>,
    captured: Option<Vec<u32>>,
}

impl InspectContext for OnEmulator {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError> {
        raw::check(variant.transport)?;
        let setup = self.scenario.setup(variant, stage, scope, run);
        let storage = (variant.transport == Transport::Storage).then(|| raw::block(run));
        let block = storage.as_deref().map(|words| (variant.controls.block.as_str(), words));
        let found = self.perform(Some((variant, stage)), &setup, block)?;
        match variant.transport {
            Transport::Storage => Ok(Raw::Block(found.block.unwrap_or_default())),
            Transport::Feedback(_) => Ok(raw::list(variant.transport, found.captured.unwrap_or_default())),
            transport => raw::grid(transport, &found.targets, setup.rectangle, setup.size[0]),
        }
    }
}

/// The index of the colour target that an output writes.
fn location_of(program: &Program, name: &str) -> Option<usize> {
    if name == "gl_FragColor" {
        return Some(0);
    }
    if let Some(index) = name.strip_prefix("gl_FragData[") {
        return index.trim_end_matches(']').parse().ok();
    }
    let end = name.find('[').unwrap_or(name.len());
    let element = name[end..].trim_start_matches('[').trim_end_matches(']').parse::<usize>().unwrap_or(0);
    let output = program.linked().outputs.iter().find(|output| output.name == name[..end])?;
    Some(output.location? as usize + element)
}

fn state(setup: &RunSetup, program: &Program, targets: &[Target]) -> State {
    let mut framebuffer = Framebuffer::new(setup.size[0].into(), setup.size[1].into());
    for target in targets {
        framebuffer = framebuffer.with_color(match target {
            Target::Rgba8 => PixelFormat::RGBA8,
            Target::Rgba32F => PixelFormat::RGBA32F,
            Target::Rgba32I => PixelFormat::RGBA32I,
            Target::Rgba32Ui => PixelFormat::RGBA32UI,
        });
    }
    let mut state = State::new(framebuffer);
    state.raster.program_point_size = true;
    for attribute in &setup.attributes {
        let bytes: Vec<u8> = attribute.values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let buffer = state.add_buffer(bytes);
        let place = match attribute.name.as_str() {
            "gl_Vertex" => Some(Attribute::Vertex),
            name => program.attribute(name).map(Attribute::Generic),
        };
        if let Some(place) = place {
            state.arrays.enabled.insert(place, Array::floats(buffer, 4));
        }
    }
    state
}

/// Creates a buffer for every storage block; returns the buffer of the answers.
fn bind_blocks(
    scenario: &Scenario,
    program: &mut Program,
    state: &mut State,
    block: Option<(&str, &[u32])>,
) -> Option<pipeline::BufferId> {
    let names: Vec<(String, u32)> = program.linked().blocks.iter().map(|b| (b.name.clone(), b.count)).collect();
    let mut answers = None;
    let mut binding = 0;
    for (name, count) in names {
        for instance in 0..count.max(1) {
            let words = match block {
                Some((wanted, words)) if wanted == name => words.to_vec(),
                _ => vec![0; scenario.buffer_words as usize],
            };
            let buffer = state.add_buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
            if block.is_some_and(|(wanted, _)| wanted == name) {
                answers = Some(buffer);
            }
            let range = BufferRange { buffer, offset: 0, size: None };
            let element = if count > 1 { format!("{name}[{instance}]") } else { name.clone() };
            program.set_block_binding(&element, binding);
            state.storage_buffers.insert(binding, range);
            state.uniform_buffers.insert(binding, range);
            binding += 1;
        }
    }
    answers
}

fn capture(
    program: &mut Program,
    variant: Option<(&Variant, Stage)>,
    state: &mut State,
) -> Result<pipeline::BufferId, InspectError> {
    let names: Vec<&str> = variant.iter().flat_map(|(v, _)| v.controls.outputs.iter().map(String::as_str)).collect();
    if !program.capture(&names, false) {
        return Err(InspectError::Failed(format!("{} cannot be captured", names.join(", "))));
    }
    let buffer = state.add_buffer(vec![0; CAPTURED * 4]);
    let mut feedback = Feedback::default();
    feedback.buffers.insert(0, BufferRange { buffer, offset: 0, size: None });
    state.feedback = Some(feedback);
    state.raster.discard = true;
    Ok(buffer)
}

fn run_work(setup: &RunSetup, program: &Program, state: &mut State) -> Result<(), InspectError> {
    let failed = |error: pipeline::DrawError| InspectError::Failed(error.to_string());
    let (assembly, vertices, instances) = match setup.work {
        Operation::Dispatch(groups) => return pipeline::dispatch(state, program, groups, None).map_err(failed),
        Operation::Draw { assembly, vertices, instances } => (assembly, vertices, instances),
    };
    let mode = match assembly {
        Assembly::Points => Topology::Points.into(),
        Assembly::Lines => Topology::Lines.into(),
        Assembly::Triangles => Topology::Triangles.into(),
        Assembly::Fan => Topology::TriangleFan.into(),
        Assembly::LinesAdjacency => Topology::LinesAdjacency.into(),
        Assembly::TrianglesAdjacency => Topology::TrianglesAdjacency.into(),
        Assembly::Patches(size) => {
            state.patches.vertices = size.into();
            Mode::Patches
        }
    };
    let [left, bottom, width, height] = setup.rectangle.map(u32::from);
    let pixels: Vec<(u32, u32)> =
        (bottom..bottom + height).flat_map(|y| (left..left + width).map(move |x| (x, y))).collect();
    let whole = setup.rectangle == [0, 0, setup.size[0], setup.size[1]];
    let mut call = DrawCall::new(Mode::clone(&mode), 0, vertices.into());
    call.instances = instances.into();
    call.only = (!whole).then_some(&pixels);
    pipeline::draw(state, program, &call).map(|_| ()).map_err(failed)
}

/// A target's pixels as a driver returns them: four words per pixel.
fn pixels(framebuffer: &Framebuffer, number: usize, target: Target) -> Vec<u32> {
    let mut words = Vec::new();
    for (x, y) in (0..framebuffer.height).flat_map(|y| (0..framebuffer.width).map(move |x| (x, y))) {
        let color = framebuffer.color(number, x, y).unwrap_or_default();
        words.extend(match target {
            Target::Rgba8 => color.floats().map(|channel| (channel * 255.0).round() as u32),
            Target::Rgba32F | Target::Rgba32I | Target::Rgba32Ui => color.bits(),
        });
    }
    words
}
