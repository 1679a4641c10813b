//! Conditional rendering.

use api::{constant as c, id};

use super::super::Table;
use crate::fault::Fault;
use crate::observer::ContentsRef;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glBeginConditionalRender, id::glBeginConditionalRenderNV], begin);
    table.on(&[id::glEndConditionalRender, id::glEndConditionalRenderNV], |step| {
        match step.context.active_queries.condition.take() {
            Some(_) => Ok(()),
            None => Err(Fault::invalid_operation("conditional rendering is not active")),
        }
    });
}

fn begin(step: &mut Step<'_>) -> Done {
    let (name, mode) = (step.name(0), step.name(1));
    if step.context.active_queries.condition.is_some() {
        return Err(Fault::invalid_operation("conditional rendering is already active"));
    }
    let query = step.context.queries.get(&name).ok_or(Fault::invalid_value("no query has this name"))?;
    let (target, active, object) = (query.target, query.active, query.object);
    match mode {
        c::GL_QUERY_WAIT | c::GL_QUERY_NO_WAIT | c::GL_QUERY_BY_REGION_WAIT | c::GL_QUERY_BY_REGION_NO_WAIT => {}
        c::GL_QUERY_WAIT_INVERTED
        | c::GL_QUERY_NO_WAIT_INVERTED
        | c::GL_QUERY_BY_REGION_WAIT_INVERTED
        | c::GL_QUERY_BY_REGION_NO_WAIT_INVERTED
            if step.facts().desktop(4, 5) || step.facts().has("GL_ARB_conditional_render_inverted") => {}
        _ => return Err(Fault::invalid_enum("invalid conditional rendering mode")),
    }
    let deciding = matches!(
        target,
        c::GL_SAMPLES_PASSED
            | c::GL_ANY_SAMPLES_PASSED
            | c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE
            | c::GL_TRANSFORM_FEEDBACK_OVERFLOW
            | c::GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW
    );
    if !deciding || active {
        return Err(Fault::invalid_operation("conditional rendering is not possible with this query"));
    }
    step.context.active_queries.condition = Some((name, mode));
    step.reads(ContentsRef::Result { object });
    Ok(())
}

/// Records that the call depends on the query of conditional rendering, if it is active.
pub fn condition(step: &mut Step<'_>) -> bool {
    let Some((name, _)) = step.context.active_queries.condition else { return false };
    if let Some(object) = step.context.queries.get(&name).map(|query| query.object) {
        step.reads(ContentsRef::Result { object });
    }
    true
}
