//! Which vertices a draw is made of.

mod recorded_call;

use api::{Trait, constant as c};
use inquiry::DrawSnapshot;
use open_trace::{Makes, Single};
use raster::Topology;
use raster::assemble::{Primitive, Provoking, assemble};
use state::variable as var;

use crate::bounds::{ADVICE, MOST_VERTICES};
pub use recorded_call::{Buffers, RecordedCall};
use recorded_call::{Piece, index_size};

/// The vertices of a draw, and what they make.
pub struct Shape {
    /// One after the other; most draws have one.
    pub parts: Vec<Part>,
}

/// What one draw makes, of those that a call may be.
pub struct Part {
    /// Primitives of one instance; corners are numbers as in `gl_VertexID`. Nothing of patches.
    pub primitives: Vec<Primitive>,
    /// Patches of one instance.
    pub patches: Vec<Vec<u32>>,
    /// How many instances there are.
    pub instances: u32,
    /// The first instance, which attributes are counted from.
    pub base_instance: u32,
}

/// What stands for a cut between primitives in a stream of numbers.
const CUT: u32 = u32::MAX;

/// What shows vertices that a history does not follow.
pub(crate) const SHOWN: &str = "`debug --stage vertex --index N` and `inspect --vertex N` show them";

impl Shape {
    /// That of a draw. `buffers` gives the contents of buffers.
    ///
    /// # Errors
    /// When the draw cannot be split into primitives, with the reason.
    pub fn of(told: &RecordedCall, work: &DrawSnapshot, buffers: &mut Buffers<'_>) -> Result<Shape, String> {
        let mode = told.argument("mode").filter(|_| !told.command.has(Trait::FromFeedback));
        let mode = mode.ok_or_else(|| format!("{}: its vertices are not followed; {SHOWN}", told.command.name))?;
        let mut parts = Vec::new();
        let pieces = told.pieces(work, buffers)?;
        let all = pieces.iter().map(|piece| u64::from(piece.count) * u64::from(piece.instances.max(1)));
        let all = all.fold(0, u64::saturating_add);
        if all > MOST_VERTICES && !state::are_limits_lifted() {
            return Err(format!("its {all} vertices are more than a history follows; {ADVICE}"));
        }
        for piece in pieces {
            let stream = stream(told, work, piece, buffers)?;
            parts.push(Part::new(work, mode, &stream, piece)?);
        }
        Ok(Shape { parts })
    }

    /// How many vertices transform feedback captures where nothing comes after the vertices.
    pub fn captured(&self) -> usize {
        let part = |part: &Part| {
            let corners: usize = part.primitives.iter().map(|primitive| corners(primitive).len()).sum();
            corners * part.instances as usize
        };
        self.parts.iter().map(part).sum()
    }

    /// That of vertices that are specified one by one, counted from 0.
    ///
    /// # Errors
    /// When they cannot be split into primitives, with the reason.
    pub fn of_singles(singles: &[Single], work: &DrawSnapshot) -> Result<Shape, String> {
        let (mut parts, mut next) = (Vec::new(), 0);
        let mut begun: Option<(u32, u32)> = None;
        let mut end = |begun: Option<(u32, u32)>, next: u32| match begun {
            Some((mode, first)) if first < next => {
                let piece = Piece { first, count: next - first, from: 0, instances: 1, base_instance: 0 };
                let stream: Vec<u32> = (first..next).collect();
                Part::new(work, mode, &stream, piece).map(|part| parts.push(part))
            }
            _ => Ok(()),
        };
        for single in singles {
            match single.makes {
                Makes::State => {}
                Makes::Primitives(mode) => end(begun.replace((mode, next)), next)?,
                Makes::Vertex => next += 1,
            }
            if u64::from(next) > MOST_VERTICES && !state::are_limits_lifted() {
                return Err(format!("it has more vertices than the {MOST_VERTICES} that a history follows; {ADVICE}"));
            }
        }
        end(begun, next)?;
        Ok(Shape { parts })
    }
}

impl Part {
    /// The numbers of its vertices, some of them several times.
    pub fn vertices(&self) -> impl Iterator<Item = u32> {
        let assembled = self.primitives.iter().flat_map(Primitive::geometry_input);
        assembled.chain(self.patches.iter().flatten().copied())
    }

    fn new(work: &DrawSnapshot, mode: u32, stream: &[u32], piece: Piece) -> Result<Part, String> {
        let mut part = Part {
            primitives: Vec::new(),
            patches: Vec::new(),
            instances: piece.instances,
            base_instance: piece.base_instance,
        };
        if mode == c::GL_PATCHES {
            let view = work.view().map_err(|error| error.to_string())?;
            let size = view.context.vars.get(var::PATCH_VERTICES).max(1.0) as usize;
            let runs = stream.split(|number| *number == CUT);
            part.patches = runs.flat_map(|run| run.chunks_exact(size)).map(<[u32]>::to_vec).collect();
        } else {
            let topology =
                topology(mode).ok_or_else(|| format!("primitives {mode:#06x} are not followed to vertices"))?;
            part.primitives = assemble(topology, stream, Some(CUT), provoking(work));
        }
        Ok(part)
    }
}

/// The corners that a primitive has.
pub fn corners(primitive: &Primitive) -> &[u32] {
    use raster::assemble::PrimitiveKind;
    match primitive.kind {
        PrimitiveKind::Point => &primitive.corners[..1],
        PrimitiveKind::Line => &primitive.corners[..2],
        PrimitiveKind::Triangle => &primitive.corners,
    }
}

/// The numbers of the vertices of a part, with cuts between primitives.
fn stream(
    told: &RecordedCall,
    work: &DrawSnapshot,
    piece: Piece,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<u32>, String> {
    let Piece { first, count, from, .. } = piece;
    let Some(kind) = told.argument("type") else { return Ok((first..first.saturating_add(count)).collect()) };
    let view = work.view().map_err(|error| error.to_string())?;
    let size = index_size(kind);
    let array = view.context.vertex_arrays.get(&view.context.vertex_array);
    let elements = array.map(|array| array.elements).filter(|elements| !elements.is_none());
    let bytes = match elements {
        Some(elements) => {
            let all = buffers(elements.name)?;
            let from = usize::try_from(from).unwrap_or(usize::MAX).min(all.len());
            let to = from.saturating_add(count as usize * size).min(all.len());
            all[from..to].to_vec()
        }
        None if told.command.has(Trait::Multi) => {
            let name = told.command.name;
            return Err(format!("{name}: indices of parts that lie in the program's memory are not followed"));
        }
        None => told.memory("indices").ok_or("the trace has no indices for the draw")?.to_vec(),
    };
    let vars = &view.context.vars;
    let restart = if vars.get(var::PRIMITIVE_RESTART_FIXED_INDEX) != 0.0 {
        Some(u32::MAX >> (32 - 8 * size as u32))
    } else {
        (vars.get(var::PRIMITIVE_RESTART) != 0.0).then(|| vars.get(var::PRIMITIVE_RESTART_INDEX) as u32)
    };
    let number = |chunk: &[u8]| {
        let index = chunk.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
        if Some(index) == restart { CUT } else { index.wrapping_add(first) }
    };
    Ok(bytes.chunks_exact(size).take(count as usize).map(number).collect())
}

pub fn provoking(work: &DrawSnapshot) -> Provoking {
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
