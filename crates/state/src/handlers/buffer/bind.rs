//! Binds buffers to targets, and deletes them.

use std::sync::Arc;

use api::id;

use super::super::Table;
use super::target::{Target, target};
use super::{made, map};
use crate::fault::Fault;
use crate::objects::buffer::{BufferRange, BufferRef, POINTS, Point};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glBindBuffer, id::glBindBufferARB], bind);
    table.on(&[id::glDeleteBuffers, id::glDeleteBuffersARB], delete);
}

fn bind(step: &mut Step<'_>) -> Done {
    let place = target(step.facts(), step.name(0)).ok_or(Fault::invalid_enum("invalid buffer target"))?;
    let buffer = made(step, step.name(1))?;
    match place {
        Target::Point(point) => step.context.buffers.set(point, buffer),
        Target::Elements => {
            if let Some(array) = step.context.vertex_arrays.get_mut(&step.context.vertex_array)
                && array.elements != buffer
            {
                Arc::make_mut(array).elements = buffer;
                attach(step, buffer);
            }
        }
    }
    Ok(())
}

/// CallObserver that a buffer may be in use after its name is deleted.
pub fn attach(step: &mut Step<'_>, buffer: BufferRef) {
    if step.group.buffer(buffer).is_some_and(|found| !found.attached)
        && let Some(found) = step.group.buffer_mut(buffer)
    {
        found.attached = true;
    }
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("the number of names is negative"));
    }
    for name in step.names_to_delete(1) {
        let Some(buffer) = step.group.buffers.get(&name) else { continue };
        let buffer = BufferRef { name, object: buffer.object };
        map::unmap_now(step.group, buffer);
        unbind(step, buffer);
        let Some(gone) = step.group.buffers.remove(&name) else { continue };
        if gone.in_texture || gone.attached && is_used(step, buffer) {
            step.group.nameless_buffers.insert(buffer.object, gone);
        }
    }
    Ok(())
}

/// Removes a buffer from all bindings of the context (GL 4.6, 5.1.2).
fn unbind(step: &mut Step<'_>, buffer: BufferRef) {
    let context = &mut *step.context;
    if let Some(array) = context.vertex_arrays.get_mut(&context.vertex_array)
        && (array.elements == buffer || array.bindings.iter().any(|binding| binding.buffer == buffer))
    {
        let array = Arc::make_mut(array);
        if array.elements == buffer {
            array.elements = BufferRef::NONE;
        }
        for binding in array.bindings.iter_mut().filter(|binding| binding.buffer == buffer) {
            binding.buffer = BufferRef::NONE;
        }
    }
    if !context.buffers.has(buffer.object) && !is_fed_back(step) {
        return;
    }
    let context = &mut *step.context;
    for point in all_points() {
        if context.buffers.get(point) == buffer {
            context.buffers.set(point, BufferRef::NONE);
        }
        if let Some(ranges) = context.buffers.ranges(point)
            && ranges.iter().any(|range| range.buffer == buffer)
        {
            // Mesa also clears the target itself, whatever is bound to it.
            context.buffers.set(point, BufferRef::NONE);
            for range in context.buffers.ranges_mut(point).into_iter().flatten() {
                if range.buffer == buffer {
                    *range = BufferRange::default();
                }
            }
        }
    }
    if let Some(feedback) = context.transform_feedbacks.get_mut(&context.transform_feedback)
        && feedback.buffers.iter().any(|range| range.buffer == buffer)
    {
        context.buffers.set(Point::TransformFeedback, BufferRef::NONE);
        for range in &mut Arc::make_mut(feedback).buffers {
            if range.buffer == buffer {
                *range = BufferRange::default();
            }
        }
    }
}

/// Returns whether the bound transform feedback object has any buffer.
fn is_fed_back(step: &Step<'_>) -> bool {
    let bound = step.context.transform_feedbacks.get(&step.context.transform_feedback);
    bound.is_some_and(|feedback| feedback.buffers.iter().any(|range| !range.buffer.is_none()))
}

/// Returns whether anything may still refer to a buffer whose name is deleted. Other contexts and textures are not
/// searched: what they may have counts as used.
fn is_used(step: &Step<'_>, buffer: BufferRef) -> bool {
    let arrays = step.context.vertex_arrays.values();
    let feedbacks = step.context.transform_feedbacks.values();
    step.group.shared
        || arrays.flat_map(|array| array.bindings.iter()).any(|binding| binding.buffer == buffer)
        || step.context.vertex_arrays.values().any(|array| array.elements == buffer)
        || feedbacks.flat_map(|feedback| feedback.buffers.iter()).any(|range| range.buffer == buffer)
}

fn all_points() -> impl Iterator<Item = Point> {
    const ALL: [Point; POINTS] = [
        Point::Array,
        Point::CopyRead,
        Point::CopyWrite,
        Point::PixelPack,
        Point::PixelUnpack,
        Point::Uniform,
        Point::ShaderStorage,
        Point::AtomicCounter,
        Point::TransformFeedback,
        Point::DrawIndirect,
        Point::DispatchIndirect,
        Point::Parameter,
        Point::Query,
        Point::Texture,
    ];
    ALL.into_iter()
}
