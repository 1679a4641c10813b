//! Draw calls whose counts are in memory.

use api::id;

use super::super::{Table, buffer, transform_feedback};
use super::check::{index_bytes, mode};
use super::touch::{Fetch, draw};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::buffer::Point;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glDrawArraysIndirect], |step| {
        let from = step.word(1);
        one(step, from, 16)
    });
    table.on(&[id::glDrawElementsIndirect], |step| {
        has_indices(step)?;
        let from = step.word(2);
        one(step, from, 20)
    });
    let arrays = [id::glMultiDrawArraysIndirect, id::glMultiDrawArraysIndirectAMD, id::glMultiDrawArraysIndirectEXT];
    table.on(&arrays, |step| many(step, 1, 16));
    let elements =
        [id::glMultiDrawElementsIndirect, id::glMultiDrawElementsIndirectAMD, id::glMultiDrawElementsIndirectEXT];
    table.on(&elements, |step| {
        if is_client(step) {
            has_indices(step)?;
        }
        check_many(step, 2)?;
        has_indices(step)?;
        many(step, 2, 20)
    });
    table.on(&[id::glMultiDrawArraysIndirectCount, id::glMultiDrawArraysIndirectCountARB], |step| counted(step, 1, 16));
    table.on(&[id::glMultiDrawElementsIndirectCount, id::glMultiDrawElementsIndirectCountARB], |step| {
        has_indices(step)?;
        counted(step, 2, 20)
    });
}

const MISALIGNED: Fault = Fault::invalid_value("the offset or the stride is not a multiple of 4");

/// Rejects a draw call without an element array buffer (GL 4.6, 10.4).
fn has_indices(step: &Step<'_>) -> Done {
    // For parameters in the program's memory, the index type is checked when the draws are made.
    if !is_client(step) {
        index_bytes(step.name(1))?;
    }
    let array = step.context.vertex_arrays.get(&step.context.vertex_array);
    if array.is_some_and(|array| array.elements.is_none()) {
        return Err(Fault::invalid_operation("no element array buffer is bound"));
    }
    index_bytes(step.name(1))?;
    Ok(())
}

/// Returns whether the parameters are in the program's memory, as the compatibility profile allows.
fn is_client(step: &Step<'_>) -> bool {
    step.facts().client == Client::Compatibility && step.context.buffers.get(Point::DrawIndirect).is_none()
}

fn one(step: &mut Step<'_>, from: u64, size: u64) -> Done {
    check(step, from, size)?;
    touch(step, from, size);
    Ok(())
}

/// Draws; `indirect` is the index of the argument with the address of the parameters.
fn many(step: &mut Step<'_>, indirect: usize, size: u64) -> Done {
    check_many(step, indirect)?;
    let (from, draws, stride) = (step.word(indirect), step.int(indirect + 1), step.int(indirect + 2));
    let stride = if stride == 0 { size } else { u64::from(stride.cast_unsigned()) };
    let all = if draws == 0 { 0 } else { (draws.cast_unsigned() as u64 - 1) * stride + size };
    check(step, from, all)?;
    if all > 0 {
        touch(step, from, all);
    }
    Ok(())
}

fn check_many(step: &Step<'_>, indirect: usize) -> Done {
    if step.int(indirect + 1) < 0 {
        return Err(Fault::invalid_value("the number of draws is negative"));
    }
    if step.int(indirect + 2) % 4 != 0 { Err(MISALIGNED) } else { Ok(()) }
}

/// Does the same with the number of draws in a buffer.
fn counted(step: &mut Step<'_>, indirect: usize, size: u64) -> Done {
    let (from, place) = (step.word(indirect), step.word(indirect + 1));
    let (draws, stride) = (step.int(indirect + 2), step.int(indirect + 3));
    if draws < 0 {
        return Err(Fault::invalid_value("the number of draws is negative"));
    }
    if stride % 4 != 0 {
        return Err(MISALIGNED);
    }
    let stride = if stride == 0 { size } else { u64::from(stride.cast_unsigned()) };
    let all = if draws == 0 { 0 } else { (draws.cast_unsigned() as u64 - 1) * stride + size };
    check(step, from, all)?;
    if !place.is_multiple_of(4) {
        return Err(MISALIGNED);
    }
    let counts = step.context.buffers.get(Point::Parameter);
    let found = step.group.buffer(counts).ok_or(Fault::invalid_operation("no parameter buffer is bound"))?;
    if found.blocked() {
        return Err(Fault::invalid_operation("the parameter buffer is mapped"));
    }
    if place.saturating_add(4) > found.size {
        return Err(Fault::invalid_operation("the draw count is past the end of the buffer"));
    }
    buffer::read(step, counts, place, place + 4);
    touch(step, from, all);
    Ok(())
}

fn check(step: &Step<'_>, from: u64, size: u64) -> Done {
    let facts = step.facts();
    let es = facts.es(3, 1);
    if facts.client != Client::Compatibility && step.context.vertex_array == 0 {
        return Err(Fault::invalid_operation("no vertex array object is bound"));
    }
    if es
        && let Some(array) = step.context.vertex_arrays.get(&step.context.vertex_array)
        && array
            .attribs
            .iter()
            .any(|attrib| attrib.enabled && array.bindings[usize::from(attrib.binding)].buffer.is_none())
    {
        return Err(Fault::invalid_operation("an enabled vertex array has no buffer"));
    }
    mode(step, step.name(0))?;
    let geometry = facts.es(3, 2) || facts.has("GL_OES_geometry_shader");
    if es && !geometry && transform_feedback::is_running(step.context) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    let bound = step.context.buffers.get(Point::DrawIndirect);
    if is_client(step) {
        return Ok(());
    }
    if !from.is_multiple_of(4) {
        return Err(MISALIGNED);
    }
    let found = step.group.buffer(bound).ok_or(Fault::invalid_operation("no draw indirect buffer is bound"))?;
    if found.blocked() {
        return Err(Fault::invalid_operation("the draw indirect buffer is mapped"));
    }
    if from.saturating_add(size) > found.size {
        return Err(Fault::invalid_operation("the draw parameters extend past the end of the buffer"));
    }
    Ok(())
}

fn touch(step: &mut Step<'_>, from: u64, size: u64) {
    let bound = step.context.buffers.get(Point::DrawIndirect);
    buffer::read(step, bound, from, from.saturating_add(size));
    // It is not known which indices and vertices are fetched, so all that are bound count.
    draw(step, &Fetch { indices: Some((0, u64::MAX)), ..Fetch::default() });
}
