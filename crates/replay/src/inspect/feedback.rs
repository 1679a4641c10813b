//! Vertices captured by transform feedback.

use std::time::Instant;

use api::{Trait, constant as c, id};
use instrument::InspectError;
use instrument::stream::IDENTITY;
use shader::version::Stage;

use super::Cost;
use super::changes::failed;
use super::hand::{Hand, word};
use super::run::{Here, How, draw, read_buffer};

/// What there is room for when nobody can say how much will be captured.
const ROOM: u64 = 64 << 20;

/// Makes transform feedback the diversion's own, until all is undone. The program's is paused; while it is bound, Mesa
/// lets nobody say what another program captures.
pub fn bind(hand: &mut Hand<'_>) {
    hand.keep_buffer(c::GL_TRANSFORM_FEEDBACK_BUFFER, c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING);
    if hand.can.feedback_objects() {
        let before = hand.integer(c::GL_TRANSFORM_FEEDBACK_BINDING);
        let own = hand.generate(id::glGenTransformFeedbacks);
        hand.delete_later(id::glDeleteTransformFeedbacks, own);
        hand.later_call(id::glBindTransformFeedback, &[u64::from(c::GL_TRANSFORM_FEEDBACK), word(before)]);
        hand.call(id::glBindTransformFeedback, &[u64::from(c::GL_TRANSFORM_FEEDBACK), u64::from(own)]);
    } else {
        super::effects::Range::FEEDBACK.keep(hand, 0);
    }
}

/// Draws, and gives the words that every vertex brings, identity and window, in the order in which they are captured: vertices of vertex
/// shaders one by one, whatever primitives they belong to; those of other stages primitive by primitive.
pub fn capture(
    hand: &mut Hand<'_>,
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
    let buffer = hand.generate(id::glGenBuffers);
    hand.delete_later(id::glDeleteBuffers, buffer);
    // The first time only primitives are counted, unless somebody counts them already.
    let counted =
        here.view.context.active_queries.active.iter().any(|(target, ..)| *target == c::GL_PRIMITIVES_GENERATED);
    let each = u64::from(words) * 4;
    let vertices = u64::from(match mode {
        c::GL_POINTS => 1u32,
        c::GL_LINES => 2,
        _ => 3,
    });
    let run = |hand: &mut Hand<'_>, room: u64, cost: &mut Cost| {
        hand.call(id::glBindBuffer, &[target, u64::from(buffer)]);
        hand.call(id::glBufferData, &[target, room.max(4), 0, u64::from(c::GL_DYNAMIC_READ)]);
        hand.call(id::glBindBufferBase, &[target, 0, u64::from(buffer)]);
        while hand.player.take_error() != 0 {}
        hand.call(id::glBeginTransformFeedback, &[u64::from(mode)]);
        let error = hand.player.take_error();
        if error != 0 {
            return Err(failed(&format!("the driver captures nothing (error {error:#06x})")));
        }
        let drew = draw(hand, here, drawn, cost);
        hand.call(id::glEndTransformFeedback, &[]);
        drew
    };
    let query = (!counted).then(|| hand.generate(id::glGenQueries));
    let count = match query {
        Some(query) => {
            hand.delete_later(id::glDeleteQueries, query);
            hand.call(id::glBeginQuery, &[u64::from(c::GL_PRIMITIVES_GENERATED), u64::from(query)]);
            let drew = run(hand, 4, cost);
            hand.call(id::glEndQuery, &[u64::from(c::GL_PRIMITIVES_GENERATED)]);
            drew?;
            let mut result = [0u32; 4];
            let asked = [u64::from(query), u64::from(c::GL_QUERY_RESULT), result.as_mut_ptr() as u64];
            hand.call(id::glGetQueryObjectuiv, &asked);
            u64::from(result[0]) * vertices
        }
        None => ROOM / each,
    };
    if count * each > 1 << 30 {
        return Err(failed(&format!("{count} vertices are too many to be captured")));
    }
    run(hand, count * each, cost)?;
    let start = Instant::now();
    hand.call(id::glBindBuffer, &[target, u64::from(buffer)]);
    let captured = read_buffer(hand, c::GL_TRANSFORM_FEEDBACK_BUFFER, count * u64::from(words));
    cost.read = start.elapsed();
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
