//! Draw calls whose counts are arguments.

use api::{CommandId, constant as c, id};

use super::super::Table;
use super::check::{index_bytes, mode};
use super::touch::{Fetch, draw};
use crate::fault::Fault;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glDrawArrays, id::glDrawArraysEXT], |step| arrays(step, None, None));
    table.on(&ARRAYS_INSTANCED, |step| arrays(step, Some(3), None));
    table.on(&[id::glDrawArraysInstancedBaseInstance, id::glDrawArraysInstancedBaseInstanceEXT], |step| {
        arrays(step, Some(3), Some(4))
    });
    table.on(&[id::glDrawElements], |step| elements(step, 1, None));
    table.on(&BASE_VERTEX, |step| elements(step, 1, None));
    table.on(&ELEMENTS_INSTANCED, |step| elements(step, 1, Some(4)));
    table.on(&RANGES, |step| {
        if step.name(2) < step.name(1) {
            return Err(Fault::invalid_value("the end of the index range is less than its start"));
        }
        elements(step, 3, None)
    });
    table.on(&[id::glMultiDrawArrays, id::glMultiDrawArraysEXT], many_arrays);
    let many = [
        id::glMultiDrawElements,
        id::glMultiDrawElementsEXT,
        id::glMultiDrawElementsBaseVertex,
        id::glMultiDrawElementsBaseVertexEXT,
    ];
    table.on(&many, many_elements);
    table.on(&[id::glDrawTransformFeedback, id::glDrawTransformFeedbackNV], |step| fed_back(step, None, None));
    table.on(&[id::glDrawTransformFeedbackStream], |step| fed_back(step, Some(2), None));
    table.on(&[id::glDrawTransformFeedbackInstanced], |step| fed_back(step, None, Some(2)));
    table.on(&[id::glDrawTransformFeedbackStreamInstanced], |step| fed_back(step, Some(2), Some(3)));
}

const ARRAYS_INSTANCED: [CommandId; 5] = [
    id::glDrawArraysInstanced,
    id::glDrawArraysInstancedARB,
    id::glDrawArraysInstancedEXT,
    id::glDrawArraysInstancedANGLE,
    id::glDrawArraysInstancedNV,
];

const BASE_VERTEX: [CommandId; 3] =
    [id::glDrawElementsBaseVertex, id::glDrawElementsBaseVertexEXT, id::glDrawElementsBaseVertexOES];

const ELEMENTS_INSTANCED: [CommandId; 12] = [
    id::glDrawElementsInstanced,
    id::glDrawElementsInstancedARB,
    id::glDrawElementsInstancedEXT,
    id::glDrawElementsInstancedANGLE,
    id::glDrawElementsInstancedNV,
    id::glDrawElementsInstancedBaseVertex,
    id::glDrawElementsInstancedBaseVertexEXT,
    id::glDrawElementsInstancedBaseVertexOES,
    id::glDrawElementsInstancedBaseInstance,
    id::glDrawElementsInstancedBaseInstanceEXT,
    id::glDrawElementsInstancedBaseVertexBaseInstance,
    id::glDrawElementsInstancedBaseVertexBaseInstanceEXT,
];

const RANGES: [CommandId; 5] = [
    id::glDrawRangeElements,
    id::glDrawRangeElementsEXT,
    id::glDrawRangeElementsBaseVertex,
    id::glDrawRangeElementsBaseVertexEXT,
    id::glDrawRangeElementsBaseVertexOES,
];

const NEGATIVE: Fault = Fault::invalid_value("the number of vertices, instances or draws is negative");

/// Draws vertices; `instances` and `base` are the indices of these arguments.
fn arrays(step: &mut Step<'_>, instances: Option<usize>, base: Option<usize>) -> Done {
    let (first, count) = (step.int(1), step.int(2));
    let copies = instances.map_or(1, |at| step.int(at));
    if instances.is_some() && first < 0 {
        return Err(Fault::invalid_value("the first vertex is negative"));
    }
    if count < 0 || copies < 0 {
        return Err(NEGATIVE);
    }
    mode(step, step.name(0))?;
    if count == 0 || copies == 0 {
        return Ok(());
    }
    let base = base.map_or(0, |at| step.name(at));
    let vertices = u64::try_from(first).ok().map(|first| (first, first + u64::from(count.cast_unsigned())));
    let instances = (u64::from(base), u64::from(base) + u64::from(copies.cast_unsigned()));
    draw(step, &Fetch { vertices, instances: Some(instances), ..Fetch::default() });
    Ok(())
}

/// Draws indexed vertices; `count` is the index of that argument, followed by the type and the address of the indices.
fn elements(step: &mut Step<'_>, count: usize, instances: Option<usize>) -> Done {
    let (indices, copies) = (step.int(count), instances.map_or(1, |at| step.int(at)));
    if indices < 0 || copies < 0 {
        return Err(NEGATIVE);
    }
    mode(step, step.name(0))?;
    let bytes = index_bytes(step.name(count + 1))?;
    if indices == 0 || copies == 0 {
        return Ok(());
    }
    let from = step.word(count + 2);
    let range = (from, from.saturating_add(bytes * u64::from(indices.cast_unsigned())));
    draw(step, &Fetch { indices: Some(range), ..Fetch::default() });
    Ok(())
}

fn integers(step: &Step<'_>, param: u8) -> Vec<i32> {
    step.input_names(param).into_iter().map(u32::cast_signed).collect()
}

fn many_arrays(step: &mut Step<'_>) -> Done {
    let draws = step.int(3);
    if draws < 0 {
        return Err(NEGATIVE);
    }
    mode(step, step.name(0))?;
    let (firsts, counts) = (integers(step, 1), integers(step, 2));
    if counts.iter().any(|count| *count < 0) {
        return Err(NEGATIVE);
    }
    let drawn = firsts.iter().zip(&counts).filter(|(_, count)| **count > 0);
    let spans = drawn.map(|(first, count)| (i64::from(*first), i64::from(*first) + i64::from(*count)));
    let all = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let Some((least, end)) = all else { return Ok(()) };
    let vertices = u64::try_from(least).ok().zip(u64::try_from(end).ok());
    draw(step, &Fetch { vertices, ..Fetch::default() });
    Ok(())
}

fn many_elements(step: &mut Step<'_>) -> Done {
    let draws = step.int(4);
    if draws < 0 {
        return Err(NEGATIVE);
    }
    mode(step, step.name(0))?;
    index_bytes(step.name(2))?;
    let counts = integers(step, 1);
    if counts.iter().any(|count| *count < 0) {
        return Err(NEGATIVE);
    }
    if counts.iter().any(|count| *count > 0) {
        // Each list of indices is somewhere in the buffer.
        draw(step, &Fetch { indices: Some((0, u64::MAX)), ..Fetch::default() });
    }
    Ok(())
}

/// Draws the vertices that transform feedback has written; their number is known only to GL.
fn fed_back(step: &mut Step<'_>, stream: Option<usize>, instances: Option<usize>) -> Done {
    let name = step.name(1);
    let found = step.context.transform_feedbacks.get(&name);
    let ended = found.map(|feedback| feedback.ended);
    let ended = ended.ok_or(Fault::invalid_value("no transform feedback object has this name"))?;
    mode(step, step.name(0))?;
    let streams = step.facts().limits.integer(c::GL_MAX_VERTEX_STREAMS, 4) as u32;
    if stream.is_some_and(|at| step.name(at) >= streams) {
        return Err(Fault::invalid_value("the vertex stream is too large"));
    }
    if !ended {
        return Err(Fault::invalid_operation("the transform feedback object has never been ended"));
    }
    let copies = instances.map_or(1, |at| step.int(at));
    if copies < 0 {
        return Err(NEGATIVE);
    }
    if copies > 0 {
        let feedback = step.context.transform_feedbacks.get(&name).map(|feedback| feedback.object);
        draw(step, &Fetch { feedback, ..Fetch::default() });
    }
    Ok(())
}
