//! Tessellation: control shader, tessellator, evaluation shader.

use lanes::Mask;
use raster::Topology;
use raster::tessellate::{Domain, Spacing, Tessellator};
use shader::typed;
use shader::version::Stage;

use super::{DrawError, Stream, trapped};
use crate::host::{Resources, World};
use crate::program::{Program, StageProgram};
use crate::run::{Records, Runner};
use crate::state::State;

/// The number of lanes per patch: `gl_MaxPatchVertices`.
const PATCH: usize = 32;
/// The number of lanes per wave of the evaluation shader.
const W: usize = crate::GROUP as usize;

/// A patch between control and evaluation shader.
struct Patch {
    /// Per-vertex outputs.
    vertices: Records,
    /// Per-patch outputs.
    words: Vec<u32>,
    outer: [f32; 4],
    inner: [f32; 2],
}

/// Assembles patches from a stream of vertices, and tessellates them.
pub(super) fn run(
    state: &State,
    resources: &mut Resources,
    program: &Program,
    evaluation: &StageProgram,
    input: &Stream,
) -> Result<Stream, DrawError> {
    let control = program.stage(Stage::TessControl);
    let size = state.patches.vertices.clamp(1, PATCH as u32) as usize;
    let tessellator = tessellator(program, evaluation);
    let mut control: Option<Runner<'_, PATCH>> = control.map(|stage| Runner::new(program, stage, state));
    let mut evaluation: Runner<'_, W> = Runner::new(program, evaluation, state);
    let mut made = Stream {
        records: Records::new(evaluation.stage.record),
        topology: Topology::Triangles,
        indices: Some(Vec::new()),
        restart: None,
        patches: Vec::new(),
    };
    let all: Vec<u32>;
    let order = match &input.indices {
        Some(indices) => indices,
        None => {
            all = (0..input.records.len() as u32).collect();
            &all
        }
    };
    let parts = order.split(|index| Some(*index) == input.restart);
    let patches = parts.flat_map(|part| part.chunks_exact(size));
    for (number, corners) in (0..).zip(patches) {
        let patch = match &mut control {
            Some(runner) => self::control(runner, resources, &input.records, corners, number)?,
            None => {
                let mut vertices = Records::new(input.records.stride as u32);
                corners.iter().for_each(|&c| vertices.push(input.records.of(c as usize).iter().copied()));
                Patch { vertices, words: Vec::new(), outer: state.patches.outer, inner: state.patches.inner }
            }
        };
        let mesh = tessellator.run(patch.outer, patch.inner);
        made.topology = mesh.topology;
        let first = made.records.len() as u32;
        made.indices.get_or_insert_default().extend(mesh.indices.iter().map(|i| first + i));
        made.patches.extend(mesh.coords.iter().map(|_| number));
        evaluate(&mut evaluation, resources, &patch, &mesh.coords, number, &mut made.records)?;
    }
    Ok(made)
}

impl Program {
    /// The tessellator that the evaluation shader's layout describes; `None` if there is no such shader.
    #[must_use]
    pub fn tessellator(&self) -> Option<Tessellator> {
        self.stage(Stage::TessEvaluation).map(|stage| tessellator(self, stage))
    }
}

fn tessellator(program: &Program, stage: &StageProgram) -> Tessellator {
    let shader = &program.shaders[stage.units[0]];
    let layout = &stage.layout;
    let name = |symbol: Option<_>| symbol.map_or("", |symbol| shader.preprocessed.symbols.name(symbol));
    Tessellator {
        domain: match layout.input_primitive {
            Some(typed::Primitive::Quads) => Domain::Quads,
            Some(typed::Primitive::Isolines) => Domain::Isolines,
            _ => Domain::Triangles,
        },
        spacing: match name(layout.spacing) {
            "fractional_even_spacing" => Spacing::FractionalEven,
            "fractional_odd_spacing" => Spacing::FractionalOdd,
            _ => Spacing::Equal,
        },
        clockwise: name(layout.vertex_order) == "cw",
        point_mode: layout.point_mode,
    }
}

/// Runs the control shader for one patch.
fn control(
    runner: &mut Runner<'_, PATCH>,
    resources: &mut Resources,
    records: &Records,
    corners: &[u32],
    number: u32,
) -> Result<Patch, DrawError> {
    let stage = runner.stage;
    let count = stage.layout.vertices.unwrap_or(1).clamp(1, PATCH as u32);
    let mask = Mask::from_bits(u64::MAX >> (64 - count));
    let failed = trapped(stage);
    runner.begin(mask).map_err(&failed)?;
    for feed in &stage.feeds {
        for vertex in 0..feed.vertices {
            let record = corners.get(vertex as usize).map_or(&[][..], |&c| records.of(c as usize));
            let value = record.get(feed.from as usize).copied().unwrap_or(0);
            runner.set(feed.to + vertex * feed.stride, [value; PATCH]);
        }
    }
    for slot in stage.inputs.iter().filter(|slot| slot.builtin) {
        let Some(&register) = slot.words.first() else { continue };
        let values = match slot.name.as_str() {
            "gl_PatchVerticesIn" => [corners.len() as u32; PATCH],
            "gl_PrimitiveID" => [number; PATCH],
            "gl_InvocationID" => std::array::from_fn(|lane| lane as u32),
            _ => continue,
        };
        runner.set(register, values);
    }
    let mut memory = vec![0; stage.program.patch_bytes as usize];
    let slots = std::mem::take(&mut runner.slots);
    let mut world = World { resources, slots: &slots, memory: &mut memory, quad: None, emitted: None };
    runner.main(mask, &mut world).map_err(&failed)?;
    runner.slots = slots;
    let words: Vec<u32> = memory.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let at = |word: u32| words.get(word as usize).copied().unwrap_or(0);
    let mut vertices = Records::new(stage.record);
    for vertex in 0..count {
        let slots = stage.outputs.iter().filter(|slot| !slot.qualifiers.flags.patch);
        vertices.push(slots.flat_map(|slot| slot.words.iter().map(move |word| at(word + vertex * slot.stride))));
    }
    let slots = stage.outputs.iter().filter(|slot| slot.qualifiers.flags.patch);
    let patch_words = slots.flat_map(|slot| slot.words.iter().map(|word| at(*word))).collect();
    let level = |name: &str, i: usize| {
        let slot = stage.outputs.iter().find(|slot| slot.builtin && slot.name == name);
        f32::from_bits(slot.and_then(|slot| slot.words.get(i)).map_or(0, |word| at(*word)))
    };
    Ok(Patch {
        vertices,
        words: patch_words,
        outer: std::array::from_fn(|i| level("gl_TessLevelOuter", i)),
        inner: std::array::from_fn(|i| level("gl_TessLevelInner", i)),
    })
}

/// Runs the evaluation shader for all vertices of a patch.
fn evaluate(
    runner: &mut Runner<'_, W>,
    resources: &mut Resources,
    patch: &Patch,
    coords: &[[f32; 3]],
    number: u32,
    records: &mut Records,
) -> Result<(), DrawError> {
    let stage = runner.stage;
    let failed = trapped(stage);
    for chunk in coords.chunks(W) {
        let mask = Mask::from_bits(u64::MAX >> (64 - chunk.len()));
        runner.begin(mask).map_err(&failed)?;
        for feed in &stage.feeds {
            for vertex in 0..feed.vertices {
                let record = if feed.patch { &patch.words[..] } else { patch.vertices.of(vertex as usize) };
                let value = record.get(feed.from as usize).copied().unwrap_or(0);
                runner.set(feed.to + vertex * feed.stride, [value; W]);
            }
        }
        for slot in stage.inputs.iter().filter(|slot| slot.builtin) {
            let each = |f: &dyn Fn(usize) -> Option<u32>, runner: &mut Runner<'_, W>| {
                for (i, &register) in slot.words.iter().enumerate() {
                    if let Some(word) = f(i) {
                        runner.set(register, [word; W]);
                    }
                }
            };
            match slot.name.as_str() {
                "gl_PatchVerticesIn" => each(&|_| Some(patch.vertices.len() as u32), runner),
                "gl_PrimitiveID" => each(&|_| Some(number), runner),
                "gl_TessLevelOuter" => each(&|i| patch.outer.get(i).map(|v| v.to_bits()), runner),
                "gl_TessLevelInner" => each(&|i| patch.inner.get(i).map(|v| v.to_bits()), runner),
                "gl_TessCoord" => {
                    for (i, &register) in slot.words.iter().enumerate() {
                        let values = std::array::from_fn(|lane| chunk.get(lane).map_or(0, |c| c[i].to_bits()));
                        runner.set(register, values);
                    }
                }
                _ => {}
            }
        }
        let slots = std::mem::take(&mut runner.slots);
        let mut world = World { resources, slots: &slots, memory: &mut [], quad: None, emitted: None };
        runner.main(mask, &mut world).map_err(&failed)?;
        runner.slots = slots;
        (0..chunk.len()).for_each(|lane| records.push(runner.outputs(lane)));
    }
    Ok(())
}
