//! Vertices captured by transform feedback.

use api::{Trait, constant as c, id};
use instrument::InspectError;
use instrument::stream::IDENTITY;
use shader::version::Stage;

use super::Cost;
use super::changes::failed;
use super::run::{Here, How, draw, read_buffer};
use super::undo::{UndoRecorder, word};

/// Number of captured vertices to allocate memory for when their number is not known.
const ROOM: u64 = 64 << 20;

/// Uses the diversion's own transform feedback until the undo. The program's is paused and unbound; while it is bound, Mesa
/// does not let another program specify what it captures.
pub fn bind(gl: &mut UndoRecorder<'_>) {
    gl.keep_buffer(c::GL_TRANSFORM_FEEDBACK_BUFFER, c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING);
    if gl.capabilities.feedback_objects() {
        let before = gl.integer(c::GL_TRANSFORM_FEEDBACK_BINDING);
        let own = gl.generate(id::glGenTransformFeedbacks);
        gl.delete_on_undo(id::glDeleteTransformFeedbacks, own);
        gl.call_on_undo(id::glBindTransformFeedback, &[u64::from(c::GL_TRANSFORM_FEEDBACK), word(before)]);
        gl.call(id::glBindTransformFeedback, &[u64::from(c::GL_TRANSFORM_FEEDBACK), u64::from(own)]);
    } else {
        super::effects::Range::FEEDBACK.keep(gl, 0);
    }
}

/// Draws, and gives the words that every vertex brings, identity and window, in the order in which they are captured: vertices of vertex
/// shaders one by one, whatever primitives they belong to; those of other stages primitive by primitive.
pub fn capture(
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    (stage, window, how): (Stage, u32, How),
    cost: &mut Cost,
) -> Result<Vec<u32>, InspectError> {
    let words = window + IDENTITY;
    let points = stage == Stage::Vertex;
    if points && how.numbers.is_none() && here.calls.about().has(Trait::CallsLists) {
        return Err(failed("vertices of a display list cannot be captured one by one"));
    }
    let mode = if points { c::GL_POINTS } else { primitives(here, stage) };
    let drawn = How { mode: points.then_some(c::GL_POINTS), ..how };
    let target = u64::from(c::GL_TRANSFORM_FEEDBACK_BUFFER);
    let buffer = gl.generate(id::glGenBuffers);
    gl.delete_on_undo(id::glDeleteBuffers, buffer);
    // The first run only counts primitives, unless the program has an active query that counts them.
    let counted =
        here.view.context.active_queries.active.iter().any(|(target, ..)| *target == c::GL_PRIMITIVES_GENERATED);
    let each = u64::from(words) * 4;
    let vertices = u64::from(match mode {
        c::GL_POINTS => 1u32,
        c::GL_LINES => 2,
        _ => 3,
    });
    let run = |gl: &mut UndoRecorder<'_>, room: u64, cost: &mut Cost| {
        gl.call(id::glBindBuffer, &[target, u64::from(buffer)]);
        gl.call(id::glBufferData, &[target, room.max(4), 0, u64::from(c::GL_DYNAMIC_READ)]);
        gl.call(id::glBindBufferBase, &[target, 0, u64::from(buffer)]);
        while gl.player.take_error() != 0 {}
        gl.call(id::glBeginTransformFeedback, &[u64::from(mode)]);
        let error = gl.player.take_error();
        if error != 0 {
            return Err(failed(&format!("the driver captures nothing (error {error:#06x})")));
        }
        let drew = draw(gl, here, drawn, cost);
        gl.call(id::glEndTransformFeedback, &[]);
        drew
    };
    let query = (!counted).then(|| gl.generate(id::glGenQueries));
    let count = match query {
        Some(query) => {
            gl.delete_on_undo(id::glDeleteQueries, query);
            gl.call(id::glBeginQuery, &[u64::from(c::GL_PRIMITIVES_GENERATED), u64::from(query)]);
            let drew = run(gl, 4, cost);
            gl.call(id::glEndQuery, &[u64::from(c::GL_PRIMITIVES_GENERATED)]);
            drew?;
            let [primitives] = gl.query(id::glGetQueryObjectuiv, &[query, c::GL_QUERY_RESULT].map(u64::from));
            u64::from(primitives) * vertices
        }
        None => ROOM / each,
    };
    if count * each > 1 << 30 {
        return Err(failed(&format!("{count} vertices are too many to be captured")));
    }
    run(gl, count * each, cost)?;
    let start = gl.player.time();
    gl.call(id::glBindBuffer, &[target, u64::from(buffer)]);
    let captured = read_buffer(gl, c::GL_TRANSFORM_FEEDBACK_BUFFER, count * u64::from(words));
    cost.read = gl.player.time() - start;
    captured
}

/// What kind of primitives a stage puts out.
fn primitives(here: &Here<'_>, stage: Stage) -> u32 {
    let facts = here.stages.iter().find(|facts| facts.stage == stage);
    let linked = facts.and_then(|facts| here.view.group.program(facts.program)?.executable.as_ref());
    let told = |name| linked.and_then(|linked| linked.reflection.parameter(name)).unwrap_or(0).cast_unsigned();
    if stage == Stage::Geometry {
        return match told(c::GL_GEOMETRY_OUTPUT_TYPE) {
            c::GL_POINTS => c::GL_POINTS,
            c::GL_LINE_STRIP => c::GL_LINES,
            _ => c::GL_TRIANGLES,
        };
    }
    match (told(c::GL_TESS_GEN_POINT_MODE), told(c::GL_TESS_GEN_MODE)) {
        (1, _) => c::GL_POINTS,
        (_, c::GL_ISOLINES) => c::GL_LINES,
        _ => c::GL_TRIANGLES,
    }
}
