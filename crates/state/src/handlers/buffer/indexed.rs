//! Indexed buffer bindings: uniform and storage blocks, atomic counters and transform feedback.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::bind::attach;
use super::{existing, made, target};
use crate::context::Facts;
use crate::fault::Fault;
use crate::objects::buffer::{BufferRange, BufferRef, Point};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glBindBufferBase, id::glBindBufferBaseEXT], |step| one(step, false));
    table.on(&[id::glBindBufferRange, id::glBindBufferRangeEXT], |step| one(step, true));
    table.on(&[id::glBindBufferOffsetEXT], offset_only);
    table.on(&[id::glBindBuffersBase], |step| many(step, false));
    table.on(&[id::glBindBuffersRange], |step| many(step, true));
    table.on(&[id::glTransformFeedbackBufferBase], |step| of_feedback(step, false));
    table.on(&[id::glTransformFeedbackBufferRange], |step| of_feedback(step, true));
}

const NO_TARGET: Fault = Fault::invalid_enum("the target has no indexed buffer bindings");
const NO_INDEX: Fault = Fault::invalid_value("the index is too large for the target");
const MISALIGNED: Fault = Fault::invalid_value("the offset is not a multiple of the target's required alignment");
const NO_SIZE: Fault = Fault::invalid_value("the size of the range is 0");

/// Returns the required alignment of offsets of a target.
fn alignment(facts: &Facts, point: Point) -> i64 {
    let limit = |name| facts.limits.integer(name, 1).max(1);
    match point {
        Point::Uniform => limit(c::GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT),
        Point::ShaderStorage => limit(c::GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT),
        _ => 4,
    }
}

/// `glBindBufferBase` and `glBindBufferRange`.
fn one(step: &mut Step<'_>, ranged: bool) -> Done {
    let buffer = made(step, step.name(2))?;
    let (offset, size) = if ranged { (step.word(3).cast_signed(), step.word(4).cast_signed()) } else { (0, 0) };
    let found = target::indexed(step.facts(), step.name(0));
    let is_feedback = matches!(found, Some((Point::TransformFeedback, _)));
    if ranged && !buffer.is_none() && size <= 0 {
        return Err(NO_SIZE);
    }
    let (point, count) = found.ok_or(NO_TARGET)?;
    let index = step.name(1);
    if is_feedback {
        feedback_is_idle(step, step.context.transform_feedback)?;
    }
    if index >= count {
        return Err(NO_INDEX);
    }
    if ranged {
        check_range(step.facts(), point, offset, size)?;
    }
    let range = BufferRange { buffer, offset, size };
    let unbound = buffer.is_none() && !is_feedback;
    let range = if unbound { BufferRange::default() } else { range };
    step.context.buffers.set(point, buffer);
    if is_feedback {
        let feedback = step.context.transform_feedback;
        put_feedback(step, feedback, index, range);
    } else {
        put(step, point, index, range);
    }
    Ok(())
}

fn check_range(facts: &Facts, point: Point, offset: i64, size: i64) -> Done {
    // Mesa accepts negative offsets that are aligned, but not for transform feedback.
    if offset < 0 && point == Point::TransformFeedback {
        return Err(Fault::invalid_value("the offset is negative"));
    }
    if offset % alignment(facts, point) != 0 {
        return Err(MISALIGNED);
    }
    if point == Point::TransformFeedback && size % 4 != 0 {
        return Err(Fault::invalid_value("offset and size for transform feedback must be multiples of 4"));
    }
    Ok(())
}

/// `glBindBufferOffsetEXT`: transform feedback from an offset to the end.
fn offset_only(step: &mut Step<'_>) -> Done {
    let Some((Point::TransformFeedback, count)) = target::indexed(step.facts(), step.name(0)) else {
        return Err(NO_TARGET);
    };
    feedback_is_idle(step, step.context.transform_feedback)?;
    let (index, offset) = (step.name(1), step.word(3).cast_signed());
    if index >= count {
        return Err(NO_INDEX);
    }
    if offset % 4 != 0 {
        return Err(MISALIGNED);
    }
    let buffer = match step.name(2) {
        0 => BufferRef::NONE,
        name => existing(step.group, name).ok_or(Fault::invalid_operation("no buffer has this name"))?,
    };
    step.context.buffers.set(Point::TransformFeedback, buffer);
    let feedback = step.context.transform_feedback;
    put_feedback(step, feedback, index, BufferRange { buffer, offset, size: 0 });
    Ok(())
}

/// `glBindBuffersBase` and `glBindBuffersRange`: valid bindings are made even if others are errors (GL 4.6, 6.1.1).
fn many(step: &mut Step<'_>, ranged: bool) -> Done {
    let (point, limit) = target::indexed(step.facts(), step.name(0)).ok_or(NO_TARGET)?;
    let (first, count) = (step.name(1), step.int(2));
    let feedback = step.context.transform_feedback;
    if point == Point::TransformFeedback {
        feedback_is_idle(step, feedback)?;
    }
    let count = u32::try_from(count).map_err(|_| Fault::invalid_value("the number of buffers is negative"))?;
    if first.checked_add(count).is_none_or(|end| end > limit) {
        return Err(Fault::invalid_operation("the target does not have that many indices"));
    }
    let names = step.input_names(3);
    let none = step.word(3) == 0;
    let numbers = |param| -> Vec<i64> {
        let bytes = step.input(param).unwrap_or_default();
        bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap_or_default())).collect()
    };
    let (offsets, sizes) = if ranged && !none { (numbers(4), numbers(5)) } else { (Vec::new(), Vec::new()) };
    let mut fault = None;
    for at in 0..count {
        let place = at as usize;
        let mut range = BufferRange::default();
        if !none {
            if ranged {
                range.offset = offsets.get(place).copied().unwrap_or(0);
                range.size = sizes.get(place).copied().unwrap_or(0);
                let checked = if range.offset < 0 {
                    Err(Fault::invalid_value("the offset is negative"))
                } else if range.size <= 0 {
                    Err(NO_SIZE)
                } else {
                    check_range(step.facts(), point, range.offset, range.size)
                };
                if let Err(found) = checked {
                    fault.get_or_insert(found);
                    continue;
                }
            }
            let name = names.get(place).copied().unwrap_or(0);
            match existing(step.group, name) {
                Some(buffer) => range.buffer = buffer,
                None if name == 0 && point == Point::TransformFeedback => {}
                None if name == 0 => range = BufferRange::default(),
                None => {
                    fault.get_or_insert(Fault::invalid_operation("no buffer has this name"));
                    continue;
                }
            }
        }
        if point == Point::TransformFeedback {
            put_feedback(step, feedback, first + at, range);
        } else {
            put(step, point, first + at, range);
        }
    }
    fault.map_or(Ok(()), Err)
}

/// `glTransformFeedbackBufferBase` and `glTransformFeedbackBufferRange`.
fn of_feedback(step: &mut Step<'_>, ranged: bool) -> Done {
    let feedback = step.name(0);
    if !step.context.transform_feedbacks.get(&feedback).is_some_and(|found| found.exists) {
        return Err(Fault::invalid_operation("no transform feedback object has this name"));
    }
    let (index, name) = (step.name(1), step.name(2));
    let buffer = match name {
        0 => BufferRef::NONE,
        _ => existing(step.group, name).ok_or(Fault::invalid_value("no buffer has this name"))?,
    };
    feedback_is_idle(step, feedback)?;
    let limit = step.facts().limits.integer(c::GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, 4) as u32;
    if index >= limit.min(4) {
        return Err(NO_INDEX);
    }
    let (offset, size) = if ranged { (step.word(3).cast_signed(), step.word(4).cast_signed()) } else { (0, 0) };
    if ranged {
        if size <= 0 {
            return Err(NO_SIZE);
        }
        check_range(step.facts(), Point::TransformFeedback, offset, size)?;
    }
    put_feedback(step, feedback, index, BufferRange { buffer, offset, size });
    Ok(())
}

fn feedback_is_idle(step: &Step<'_>, feedback: u32) -> Done {
    match step.context.transform_feedbacks.get(&feedback) {
        Some(found) if found.mode.is_some() => Err(Fault::invalid_operation(
            "transform feedback buffers cannot be bound while transform feedback is active",
        )),
        _ => Ok(()),
    }
}

fn put(step: &mut Step<'_>, point: Point, index: u32, range: BufferRange) {
    attach(step, range.buffer);
    if let Some(ranges) = step.context.buffers.ranges_mut(point) {
        let index = index as usize;
        if ranges.len() <= index {
            ranges.resize(index + 1, BufferRange::default());
        }
        ranges[index] = range;
    }
}

fn put_feedback(step: &mut Step<'_>, feedback: u32, index: u32, range: BufferRange) {
    attach(step, range.buffer);
    if let Some(found) = step.context.transform_feedbacks.get_mut(&feedback) {
        Arc::make_mut(found).buffers[index as usize] = range;
    }
}
