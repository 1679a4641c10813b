//! Which vertices a draw is made of.

use api::constant as c;
use inquiry::Work;
use raster::Topology;
use raster::assemble::{Primitive, Provoking, assemble};
use state::variable as var;
use trace::{Bytes, Reader};

/// The vertices of a draw, and what they make.
pub struct Shape {
    /// Primitives of one instance; corners are numbers as in `gl_VertexID`.
    pub primitives: Vec<Primitive>,
    /// How many instances there are.
    pub instances: u32,
    /// The first instance, which attributes are counted from.
    pub base_instance: u32,
}

/// Where a draw has its indices.
enum Indices {
    /// There are none: vertices follow each other.
    None { first: u32 },
    /// These bytes, of so many for each.
    Bytes { bytes: Vec<u8>, size: usize },
}

/// What stands for a cut between primitives in a stream of numbers.
const CUT: u32 = u32::MAX;

impl Shape {
    /// That of a draw. `buffer` gives the contents of a buffer.
    ///
    /// # Errors
    /// In words which draws cannot be taken apart.
    pub fn of(
        reader: &Reader,
        work: &Work,
        buffer: impl FnOnce(u32) -> Result<Vec<u8>, String>,
    ) -> Result<Shape, String> {
        let name = work.calls.name;
        if name == "glEnd" {
            return immediate(reader, work);
        }
        let held = reader.call_at(*work.calls.range.end()).map_err(|error| error.to_string())?;
        let call = held.call();
        let params = call.command.map_or(&[][..], |command| api::command(command).params);
        let place = |name: &str| params.iter().position(|param| param.name == name);
        let argument = |name: &str| call.args.get(place(name)?).map(|word| *word as u32);
        let known = !name.starts_with("glMulti") && !name.contains("Indirect") && !name.contains("TransformFeedback");
        let (Some(mode), Some(count), true) = (argument("mode"), argument("count"), known) else {
            return Err(format!("{name}: its vertices are not followed"));
        };
        let view = work.view().map_err(|error| error.to_string())?;
        let indices = match (argument("type"), place("indices")) {
            (Some(kind), Some(param)) => {
                let size = match kind {
                    c::GL_UNSIGNED_BYTE => 1,
                    c::GL_UNSIGNED_SHORT => 2,
                    _ => 4,
                };
                let array = view.context.vertex_arrays.get(&view.context.vertex_array);
                let elements = array.map(|array| array.elements).filter(|elements| !elements.is_none());
                let bytes = match elements {
                    Some(elements) => {
                        let from = usize::try_from(call.args[param]).unwrap_or(usize::MAX);
                        let all = buffer(elements.name)?;
                        let part = all.get(from..).unwrap_or(&[]);
                        part[..part.len().min(count as usize * size)].to_vec()
                    }
                    None => {
                        let data = call.input(param as u8).ok_or("the trace has no indices for the draw")?;
                        match reader.bytes(data).map_err(|error| error.to_string())? {
                            Some(Bytes::Inline(bytes)) => bytes.to_vec(),
                            Some(Bytes::Blob(bytes)) => bytes.to_vec(),
                            None => return Err("the trace has no indices for the draw".to_owned()),
                        }
                    }
                };
                Indices::Bytes { bytes, size }
            }
            _ => Indices::None { first: argument("first").unwrap_or(0) },
        };
        let vars = &view.context.vars;
        let base = argument("basevertex").unwrap_or(0);
        let stream: Vec<u32> = match indices {
            Indices::None { first } => (first..first.saturating_add(count)).collect(),
            Indices::Bytes { bytes, size } => {
                let largest = u32::MAX >> (32 - 8 * size as u32);
                let restart = if vars.get(var::PRIMITIVE_RESTART_FIXED_INDEX) != 0.0 {
                    Some(largest)
                } else {
                    (vars.get(var::PRIMITIVE_RESTART) != 0.0).then(|| vars.get(var::PRIMITIVE_RESTART_INDEX) as u32)
                };
                let number = |chunk: &[u8]| {
                    let index = chunk.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
                    if Some(index) == restart { CUT } else { index.wrapping_add(base) }
                };
                bytes.chunks_exact(size).take(count as usize).map(number).collect()
            }
        };
        let topology = topology(mode).ok_or_else(|| format!("primitives {mode:#06x} are not followed to vertices"))?;
        Ok(Shape {
            primitives: assemble(topology, &stream, Some(CUT), provoking(work)),
            instances: argument("instancecount").or_else(|| argument("primcount")).unwrap_or(1),
            base_instance: argument("baseinstance").unwrap_or(0),
        })
    }

    /// The numbers of the vertices that transform feedback captures of one instance, in this order.
    pub fn captured(&self) -> Vec<u32> {
        self.primitives.iter().flat_map(|primitive| corners(primitive).to_vec()).collect()
    }
}

/// The corners that a primitive has.
pub fn corners(primitive: &Primitive) -> &[u32] {
    use raster::assemble::Kind;
    match primitive.kind {
        Kind::Point => &primitive.corners[..1],
        Kind::Line => &primitive.corners[..2],
        Kind::Triangle => &primitive.corners,
    }
}

/// What is between `glBegin` and `glEnd`; vertices are counted from 0.
fn immediate(reader: &Reader, work: &Work) -> Result<Shape, String> {
    let (mut mode, mut count) = (c::GL_POINTS, 0);
    let mut calls = reader.calls();
    calls.seek(*work.calls.range.start());
    while let Some(call) = calls.next().map_err(|error| error.to_string())? {
        if call.number > *work.calls.range.end() {
            break;
        }
        if call.thread != work.calls.thread {
            continue;
        }
        if call.name() == "glBegin" {
            mode = call.args[0] as u32;
        }
        count += u32::from(makes_vertex(&call));
    }
    let stream: Vec<u32> = (0..count).collect();
    let topology = topology(mode).ok_or_else(|| format!("primitives {mode:#06x} are not followed to vertices"))?;
    let primitives = assemble(topology, &stream, None, provoking(work));
    Ok(Shape { primitives, instances: 1, base_instance: 0 })
}

/// Whether a call between `glBegin` and `glEnd` makes a vertex of what was given before it: attribute 0 is the position
/// (GL 4.6 compatibility, 10.2.1).
pub fn makes_vertex(call: &trace::Call<'_>) -> bool {
    let name = call.name();
    let generic = name.starts_with("glVertexAttrib") && call.args.first() == Some(&0);
    generic || name.strip_prefix("glVertex").is_some_and(|rest| rest.starts_with(['2', '3', '4']))
}

fn provoking(work: &Work) -> Provoking {
    let view = work.view().ok();
    match view.map(|view| view.context.vars.get(var::PROVOKING_VERTEX) as u32) {
        Some(c::GL_FIRST_VERTEX_CONVENTION) => Provoking::First,
        _ => Provoking::Last,
    }
}

fn topology(mode: u32) -> Option<Topology> {
    Some(match mode {
        c::GL_POINTS => Topology::Points,
        c::GL_LINES => Topology::Lines,
        c::GL_LINE_LOOP => Topology::LineLoop,
        c::GL_LINE_STRIP => Topology::LineStrip,
        c::GL_TRIANGLES => Topology::Triangles,
        c::GL_TRIANGLE_STRIP => Topology::TriangleStrip,
        c::GL_TRIANGLE_FAN => Topology::TriangleFan,
        c::GL_QUADS => Topology::Quads,
        c::GL_QUAD_STRIP => Topology::QuadStrip,
        c::GL_POLYGON => Topology::Polygon,
        c::GL_LINES_ADJACENCY => Topology::LinesAdjacency,
        c::GL_LINE_STRIP_ADJACENCY => Topology::LineStripAdjacency,
        c::GL_TRIANGLES_ADJACENCY => Topology::TrianglesAdjacency,
        c::GL_TRIANGLE_STRIP_ADJACENCY => Topology::TriangleStripAdjacency,
        _ => return None,
    })
}
