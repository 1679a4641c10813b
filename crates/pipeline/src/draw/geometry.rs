//! Geometry shaders.

use emulator::ir::Register;
use lanes::Mask;
use raster::{Primitive, Topology, assemble};
use shader::typed;

use super::{DrawError, Stream, trapped};
use crate::host::{Resources, World};
use crate::program::{Program, Slot, StageProgram};
use crate::run::{Records, Runner};
use crate::state::State;

/// The number of lanes per wave: each executes one invocation for one primitive.
const W: usize = crate::GROUP as usize;

/// The maximum number of streams of a geometry shader.
const STREAMS: usize = 4;

/// The vertices that the lanes of a wave emitted.
pub(crate) struct Emitted {
    /// The registers of all outputs, in the order of the record.
    outputs: Vec<u32>,
    /// The maximum number of vertices per lane; further ones are undefined and dropped.
    most: usize,
    lanes: Vec<[Strips; STREAMS]>,
}

/// The vertices that a lane emitted to a stream.
#[derive(Clone, Default)]
struct Strips {
    words: Vec<u32>,
    vertices: usize,
    /// The number of vertices at each `EndPrimitive`.
    ends: Vec<usize>,
}

impl Emitted {
    fn new(outputs: &[Slot], most: u32) -> Emitted {
        let outputs = outputs.iter().flat_map(|slot| slot.words.iter().copied()).collect();
        Emitted { outputs, most: most as usize, lanes: vec![Default::default(); W] }
    }

    /// `EmitStreamVertex`
    pub fn vertex(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        if lane.iter().map(|strips| strips.vertices).sum::<usize>() >= self.most {
            return;
        }
        if let Some(strips) = lane.get_mut(stream as usize) {
            strips.words.extend(self.outputs.iter().map(|&register| output(Register(register))));
            strips.vertices += 1;
        }
    }

    /// `EndStreamPrimitive`
    pub fn end(&mut self, lane: usize, stream: u32) {
        if let Some(strips) = self.lanes.get_mut(lane).and_then(|lane| lane.get_mut(stream as usize)) {
            strips.ends.push(strips.vertices);
        }
    }

    /// Appends a lane's vertices to the streams.
    fn collect(&mut self, lane: usize, streams: &mut [Stream]) {
        for (strips, stream) in self.lanes[lane].iter_mut().zip(streams) {
            let Strips { words, vertices, ends } = std::mem::take(strips);
            let indices = stream.indices.get_or_insert_default();
            let first = stream.records.len() as u32;
            let mut from = 0;
            for end in ends.into_iter().chain([vertices]).filter(|end| *end <= vertices) {
                if end > from {
                    indices.extend((from..end).map(|i| first + i as u32));
                    indices.push(u32::MAX);
                }
                from = end;
            }
            let size = self.outputs.len();
            for vertex in 0..vertices {
                stream.records.push(words[vertex * size..(vertex + 1) * size].iter().copied());
            }
        }
    }
}

/// Runs the geometry shader for every primitive; returns one stream of vertices for each of the shader's.
pub(super) fn run(
    state: &State,
    resources: &mut Resources,
    program: &Program,
    stage: &StageProgram,
    input: &Stream,
) -> Result<Vec<Stream>, DrawError> {
    let layout = &stage.layout;
    let topology = match layout.output_primitive {
        Some(typed::Primitive::Points) => Topology::Points,
        Some(typed::Primitive::LineStrip) => Topology::LineStrip,
        _ => Topology::TriangleStrip,
    };
    let all: Vec<u32>;
    let order = match &input.indices {
        Some(indices) => indices,
        None => {
            all = (0..input.records.len() as u32).collect();
            &all
        }
    };
    let primitives = assemble(input.topology, order, input.restart, state.raster.provoking);
    let invocations = layout.invocations.unwrap_or(1).max(1);
    let work: Vec<(&Primitive, u32)> = primitives.iter().flat_map(|p| (0..invocations).map(move |i| (p, i))).collect();
    let mut emitted = Emitted::new(&stage.outputs, layout.max_vertices.unwrap_or(1024));
    let made = || Stream {
        records: Records::new(stage.record),
        topology,
        indices: Some(Vec::new()),
        restart: Some(u32::MAX),
        patches: Vec::new(),
    };
    let mut streams: Vec<Stream> = (0..STREAMS).map(|_| made()).collect();
    let mut runner: Runner<'_, W> = Runner::new(program, stage, state);
    let failed = trapped(stage);
    for chunk in work.chunks(W) {
        let mask = Mask::from_bits(u64::MAX >> (64 - chunk.len()));
        runner.begin(mask).map_err(&failed)?;
        inputs(&mut runner, input, chunk);
        let slots = std::mem::take(&mut runner.slots);
        let mut world = World { resources, slots: &slots, memory: &mut [], quad: None, emitted: Some(&mut emitted) };
        runner.main(mask, &mut world).map_err(&failed)?;
        runner.slots = slots;
        (0..chunk.len()).for_each(|lane| emitted.collect(lane, &mut streams));
    }
    Ok(streams)
}

fn inputs(runner: &mut Runner<'_, W>, input: &Stream, work: &[(&Primitive, u32)]) {
    let vertices: Vec<Vec<u32>> = work.iter().map(|(primitive, _)| primitive.geometry_input()).collect();
    let stage = runner.stage;
    for feed in &stage.feeds {
        for vertex in 0..feed.vertices {
            let value = |lane: usize| {
                let record = vertices.get(lane)?.get(vertex as usize)?;
                input.records.of(*record as usize).get(feed.from as usize).copied()
            };
            let values = std::array::from_fn(|lane| value(lane).unwrap_or(0));
            runner.set(feed.to + vertex * feed.stride, values);
        }
    }
    for slot in stage.inputs.iter().filter(|slot| slot.builtin) {
        let Some(&register) = slot.words.first() else { continue };
        let of = |f: &dyn Fn(&(&Primitive, u32)) -> u32| std::array::from_fn(|lane| work.get(lane).map_or(0, f));
        let values = match slot.name.as_str() {
            // After tessellation, `gl_PrimitiveIDIn` is the number of the patch.
            "gl_PrimitiveIDIn" => of(&|(p, _)| input.patches.get(p.corners[0] as usize).copied().unwrap_or(p.id)),
            "gl_InvocationID" => of(&|(_, invocation)| *invocation),
            "gl_VerticesIn" => [vertices.first().map_or(0, |v| v.len() as u32); W],
            _ => continue,
        };
        runner.set(register, values);
    }
}
