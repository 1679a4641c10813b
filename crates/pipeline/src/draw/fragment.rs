//! Rasterisation and fragment shading.

use emulator::WaveState;
use emulator::ir::{Instruction, Register};
use emulator::wave::Trap;
use lanes::Mask;
use raster::state::Interpolation;
use raster::{Color, Draw, FragmentOutput, Quad, QuadOutput, Vertex};
use shader::types::Scalar;
use shader::version::Stage;

use super::{DrawError, Job, Stream, broadcast, trapped};
use crate::host::{Resources, World};
use crate::program::{Builtin, FragmentPlan, Output, OutputKind, StageProgram, VaryingWord};
use crate::run::Runner;
use crate::state::State;

/// Rasterises a stream of vertices and shades its fragments. `last` is the last vertex processing stage.
pub(super) fn run(
    state: &mut State,
    resources: &mut Resources,
    job: &mut Job<'_, '_>,
    last: &StageProgram,
    stream: &Stream,
) -> Result<(), DrawError> {
    let program = job.program;
    let none = FragmentPlan::default();
    let plan = program.fragment.as_ref().unwrap_or(&none);
    let vertices = Vertices::new(state, last, plan).all(stream);
    let pipeline = pipeline(state, last, plan, stream);
    let mut trap = None;
    let mut shader = program.stage(Stage::Fragment).map(|stage| {
        let runner = Runner::new(program, stage, state);
        let (two_sided, height) = (state.two_sided, state.framebuffer.height);
        let memory = Memory::new(stage, plan);
        Shader { runner, plan, patches: &stream.patches, two_sided, height, inputs: Vec::new(), memory }
    });
    let mut shade = |quad: &Quad<'_>| {
        let Some(shader) = shader.as_mut().filter(|_| trap.is_none()) else { return QuadOutput::default() };
        shader.shade(quad, resources).unwrap_or_else(|stopped| {
            trap = Some(stopped);
            QuadOutput::default()
        })
    };
    let draw = Draw {
        pipeline: &pipeline,
        topology: stream.topology,
        vertices: &vertices,
        indices: stream.indices.as_deref(),
        only: job.call.only,
    };
    let mut done = raster::Stats::default();
    match last.output("gl_ViewportMask") {
        None => done = raster::draw_watched(&draw, &mut shade, job.watch, &mut state.framebuffer),
        Some((mask, _)) => {
            let mask = (mask, last.layout.viewport_relative == Some(true));
            let passes = broadcast::passes(stream, &vertices, mask, pipeline.viewports.len(), pipeline.provoking);
            for pass in &passes {
                let indices = Some(&pass.indices[..]);
                let draw = Draw { topology: pass.topology, vertices: &pass.vertices, indices, ..draw };
                add(&mut done, &raster::draw_watched(&draw, &mut shade, job.watch, &mut state.framebuffer));
            }
        }
    }
    if let (Some(trap), Some(stage)) = (trap, program.stage(Stage::Fragment)) {
        return Err(trapped(stage)(trap));
    }
    add(&mut job.stats.raster, &done);
    job.stats.primitives += done.primitives;
    Ok(())
}

fn add(total: &mut raster::Stats, more: &raster::Stats) {
    total.primitives += more.primitives;
    total.dropped += more.dropped;
    total.quads += more.quads;
    total.fragments += more.fragments;
    total.samples_passed += more.samples_passed;
}

/// The rasteriser's state, with the parts that depend on the program.
fn pipeline(state: &State, last: &StageProgram, plan: &FragmentPlan, stream: &Stream) -> raster::Pipeline {
    let mut pipeline = state.raster.clone();
    pipeline.restart = stream.restart;
    let how = |word: &VaryingWord| {
        let mut how = word.how;
        if word.color && state.flat_shade {
            how.interpolation = Interpolation::Flat;
        }
        how
    };
    pipeline.varyings = plan.varyings.iter().map(how).collect();
    pipeline.early_fragment_tests |= plan.early_tests;
    pipeline.sample_shading |= plan.per_sample;
    let declared = |name: &str| last.output(name).map(|(_, len)| ((1u32 << len.min(8)) - 1) as u8);
    if let Some(mask) = declared("gl_ClipDistance") {
        pipeline.clip_distances &= mask;
    }
    pipeline.cull_distances = declared("gl_CullDistance").unwrap_or(0);
    // Targets without an output are not written; the specification leaves their values undefined.
    for (target, row) in pipeline.targets.iter_mut().enumerate() {
        let written = plan.outputs.iter().any(|o| match o.kind {
            OutputKind::Broadcast => true,
            OutputKind::Color(to, ..) => to as usize == target,
            OutputKind::Depth | OutputKind::Stencil | OutputKind::SampleMask => false,
        });
        if !written {
            row.mask = [false; 4];
        }
    }
    pipeline
}

/// Builds the rasteriser's vertices from records.
struct Vertices<'a> {
    state: &'a State,
    plan: &'a FragmentPlan,
    position: Option<(u32, u32)>,
    point_size: Option<(u32, u32)>,
    clip: Option<(u32, u32)>,
    cull: Option<(u32, u32)>,
    clip_vertex: Option<(u32, u32)>,
    layer: Option<(u32, u32)>,
    viewport: Option<(u32, u32)>,
}

impl Vertices<'_> {
    fn new<'a>(state: &'a State, last: &StageProgram, plan: &'a FragmentPlan) -> Vertices<'a> {
        Vertices {
            state,
            plan,
            position: last.output("gl_Position"),
            point_size: last.output("gl_PointSize"),
            clip: last.output("gl_ClipDistance"),
            cull: last.output("gl_CullDistance"),
            clip_vertex: last.output("gl_ClipVertex"),
            layer: last.output("gl_Layer"),
            viewport: last.output("gl_ViewportIndex"),
        }
    }

    fn all(&self, stream: &Stream) -> Vec<Vertex> {
        (0..stream.records.len()).map(|i| self.one(stream.records.of(i))).collect()
    }

    fn one(&self, record: &[u32]) -> Vertex {
        let words = |at: Option<(u32, u32)>| {
            at.and_then(|(start, len)| record.get(start as usize..(start + len) as usize)).unwrap_or(&[])
        };
        let mut position = [0.0, 0.0, 0.0, 1.0];
        copy(&mut position, words(self.position));
        let mut vertex = Vertex::new(position, Vec::with_capacity(self.plan.varyings.len()));
        let clamp = self.state.clamp_vertex_colors;
        vertex.varyings.extend(self.plan.varyings.iter().map(|word| {
            let value = f32::from_bits(record.get(word.record as usize).copied().unwrap_or(0));
            if word.color && clamp { value.clamp(0.0, 1.0) } else { value }
        }));
        let mut size = [self.state.raster.point_size];
        copy(&mut size, words(self.point_size));
        vertex.point_size = size[0];
        copy(&mut vertex.cull_distances, words(self.cull));
        match self.clip {
            Some(_) => copy(&mut vertex.clip_distances, words(self.clip)),
            // Fixed-function clip planes apply to `gl_ClipVertex`, or to the position (GLSL 1.20, 7.1).
            None if self.state.raster.clip_distances != 0 => {
                let mut at = position;
                copy(&mut at, words(self.clip_vertex));
                vertex.clip_distances = self.state.fixed.clip_planes.map(|p| (0..4).map(|i| p[i] * at[i]).sum());
            }
            None => {}
        }
        vertex.layer = words(self.layer).first().copied().unwrap_or(0);
        vertex.viewport = words(self.viewport).first().copied().unwrap_or(0);
        vertex
    }
}

fn copy(to: &mut [f32], from: &[u32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = f32::from_bits(*from));
}

/// Runs the fragment shader.
struct Shader<'p> {
    runner: Runner<'p, 4>,
    plan: &'p FragmentPlan,
    /// The patch of each vertex; empty without tessellation.
    patches: &'p [u32],
    two_sided: bool,
    height: u32,
    /// The inputs of the next quad: registers with the words of its four fragments.
    inputs: Vec<(u32, [u32; 4])>,
    memory: Memory,
}

/// The last quad with its outputs, which are reused for equal inputs if the shader's outputs depend on nothing else.
struct Memory {
    usable: bool,
    inputs: Vec<(u32, [u32; 4])>,
    outputs: Option<QuadOutput>,
}

impl Memory {
    fn new(stage: &StageProgram, plan: &FragmentPlan) -> Memory {
        let fetches = !plan.last.is_empty() || plan.outputs.iter().any(|output| output.fetched);
        let blocks = stage.program.functions.iter().flat_map(|function| &function.blocks);
        // Shaders that interpolate at other positions, or depend on which other invocations run, must run every time.
        let bound = |instruction: &Instruction| {
            matches!(instruction, Instruction::AtCentroid(..) | Instruction::AtSample(..) | Instruction::AtOffset(..))
        };
        let looks = blocks.flat_map(|block| &block.instructions).any(bound);
        let usable = !fetches && !looks && !stage.program.minds_company();
        Memory { usable, inputs: Vec::new(), outputs: None }
    }
}

impl Shader<'_> {
    fn shade(&mut self, quad: &Quad<'_>, resources: &mut Resources) -> Result<QuadOutput, Trap> {
        let back = self.two_sided && !quad.front_facing;
        self.inputs.clear();
        for &(register, front_word, back_word) in &self.plan.inputs {
            let word = if back { back_word } else { front_word };
            let values = quad.varyings.get(word as usize).copied().unwrap_or_default();
            self.inputs.push((register, values.map(f32::to_bits)));
        }
        for &(builtin, register) in &self.plan.builtins {
            self.builtin(quad, builtin, register);
        }
        if let Some(outputs) = self.memory.outputs.filter(|_| self.memory.inputs == self.inputs) {
            return Ok(outputs);
        }
        let outputs = self.run(quad, back, resources)?;
        if self.memory.usable {
            std::mem::swap(&mut self.memory.inputs, &mut self.inputs);
            self.memory.outputs = Some(outputs);
        }
        Ok(outputs)
    }

    fn run(&mut self, quad: &Quad<'_>, back: bool, resources: &mut Resources) -> Result<QuadOutput, Trap> {
        let all = Mask::ALL;
        self.runner.begin(all)?;
        for &(register, values) in &self.inputs {
            self.runner.set(register, values);
        }
        self.fetch(quad);
        let helpers = (0..4).filter(|lane| quad.fragments[*lane].is_helper()).fold(0, |bits, lane| bits | 1 << lane);
        self.runner.wave.set_helpers(Mask::from_bits(helpers));
        let slots = std::mem::take(&mut self.runner.slots);
        let quad = Some((quad, self.plan, back));
        let mut world = World { resources, slots: &slots, memory: &mut [], quad, emitted: None };
        self.runner.main(all, &mut world)?;
        self.runner.slots = slots;
        // Demoted fragments become helper invocations, and write nothing either.
        let alive = self.runner.wave.alive().bits() & !(self.runner.wave.helpers().bits() & !helpers);
        let wave = &self.runner.wave;
        Ok(std::array::from_fn(|lane| output(self.plan, wave, lane, alive >> lane & 1 == 0)))
    }

    /// Loads the targets' contents, if the shader fetches them.
    fn fetch(&mut self, quad: &Quad<'_>) {
        let stored = |target: u32| {
            let bits = |lane| quad.stored(target as usize, lane).map_or([0; 4], Color::bits);
            let lanes: [[u32; 4]; 4] = std::array::from_fn(bits);
            std::array::from_fn::<[u32; 4], 4, _>(|component| std::array::from_fn(|lane| lanes[lane][component]))
        };
        for output in self.plan.outputs.iter().filter(|output| output.fetched) {
            let OutputKind::Color(target, component, _) = output.kind else { continue };
            let words = stored(target);
            for i in 0..output.len.min(4 - component.min(4)) {
                self.runner.set(output.start + i, words[(component + i) as usize]);
            }
        }
        for &(target, start) in &self.plan.last {
            (0..).zip(stored(target)).for_each(|(i, word)| self.runner.set(start + i, word));
        }
    }

    /// Adds a built-in variable to the inputs.
    fn builtin(&mut self, quad: &Quad<'_>, builtin: Builtin, register: u32) {
        let per_lane = |f: &dyn Fn(usize) -> u32| std::array::from_fn(f);
        let values: [u32; 4] = match builtin {
            Builtin::FragCoord => {
                for component in 0..4 {
                    let value = per_lane(&|lane| self.coordinate(quad.fragments[lane].coord, component).to_bits());
                    self.inputs.push((register + component as u32, value));
                }
                return;
            }
            Builtin::PointCoord => {
                for component in 0..2 {
                    let value = per_lane(&|lane| quad.fragments[lane].point_coord[component].to_bits());
                    self.inputs.push((register + component as u32, value));
                }
                return;
            }
            Builtin::SamplePosition => {
                let offset = quad.sample_offset(quad.sample.unwrap_or(0));
                for (component, value) in (0..).zip(offset) {
                    self.inputs.push((register + component, [(value + 0.5).to_bits(); 4]));
                }
                return;
            }
            Builtin::FrontFacing => [u32::from(quad.front_facing); 4],
            Builtin::PrimitiveId => {
                let patch = self.patches.get(quad.primitive.corners[0] as usize);
                [patch.copied().unwrap_or(quad.primitive.id); 4]
            }
            Builtin::Layer => [quad.layer; 4],
            Builtin::ViewportIndex => [quad.viewport; 4],
            Builtin::SampleId => [quad.sample.unwrap_or(0); 4],
            Builtin::SampleMaskIn => per_lane(&|lane| quad.fragments[lane].coverage),
            Builtin::Helper => per_lane(&|lane| u32::from(quad.fragments[lane].is_helper())),
        };
        self.inputs.push((register, values));
    }

    /// A component of `gl_FragCoord`, by the shader's layout.
    fn coordinate(&self, coord: [f32; 4], component: usize) -> f32 {
        let half = if self.plan.pixel_center_integer { 0.5 } else { 0.0 };
        match component {
            0 => coord[0] - half,
            1 if self.plan.origin_upper_left => self.height as f32 - coord[1] - half,
            1 => coord[1] - half,
            _ => coord[component],
        }
    }
}

/// The outputs of a lane.
pub(crate) fn output<const W: usize>(
    plan: &FragmentPlan,
    wave: &WaveState<W>,
    lane: usize,
    discard: bool,
) -> FragmentOutput {
    let mut made = FragmentOutput { discard, ..FragmentOutput::default() };
    for output in &plan.outputs {
        let word = |i: u32| wave.register(Register(output.start + i))[lane];
        match output.kind {
            OutputKind::Broadcast => {
                made.colors = [color(output, 0, Color::default(), word); raster::MAX_TARGETS];
            }
            OutputKind::Color(_, component, true) => made.second = color(output, component, made.second, word),
            OutputKind::Color(target, component, false) => {
                if let Some(slot) = made.colors.get_mut(target as usize) {
                    *slot = color(output, component, *slot, word);
                }
            }
            OutputKind::Depth => made.depth = Some(f32::from_bits(word(0))),
            OutputKind::Stencil => made.stencil = Some(word(0) as u8),
            OutputKind::SampleMask => made.sample_mask = Some(word(0)),
        }
    }
    made
}

/// A colour with some components replaced.
fn color(output: &Output, component: u32, old: Color, word: impl Fn(u32) -> u32) -> Color {
    let mut bits = old.bits();
    for i in 0..output.len.min(4 - component.min(4)) {
        bits[(component + i) as usize] = word(i);
    }
    match output.scalar {
        Scalar::Int => Color::Int(bits.map(u32::cast_signed)),
        Scalar::Uint => Color::Uint(bits),
        _ => Color::Float(bits.map(f32::from_bits)),
    }
}
