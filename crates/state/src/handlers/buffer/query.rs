//! Queries about buffers and their bindings.

use api::{Namespace, constant as c, id};

use super::super::Table;
use super::target;
use crate::answer::{Answer, Values, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::buffer::{Buffer, BufferRange, BufferRef};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.ask(&[id::glIsBuffer, id::glIsBufferARB], |view, args| {
        let exists = view.group.buffers.get(&(word(args, 0) as u32)).is_some_and(|found| found.exists);
        Ok(Answer::truth(exists))
    });
    let by_target = [id::glGetBufferParameteriv, id::glGetBufferParameterivARB, id::glGetBufferParameteri64v];
    table.ask(&by_target, |view, args| parameter(view, at_target(view, args)?, word(args, 1) as u32));
    let by_name =
        [id::glGetNamedBufferParameteriv, id::glGetNamedBufferParameteri64v, id::glGetNamedBufferParameterivEXT];
    table.ask(&by_name, |view, args| parameter(view, of_name(view, args)?, word(args, 1) as u32));
    let pointers = [id::glGetBufferPointerv, id::glGetBufferPointervARB, id::glGetBufferPointervOES];
    table.ask(&pointers, |view, args| {
        is_pointer(args)?;
        Ok(pointer(at_target(view, args)?))
    });
    table.ask(&[id::glGetNamedBufferPointerv, id::glGetNamedBufferPointervEXT], |view, args| {
        is_pointer(args)?;
        Ok(pointer(of_name(view, args)?))
    });
    table.plain_getter(|view, name| binding(view, name).map(Ok));
    table.indexed_getter(indexed);
}

fn word(args: &[u64], index: usize) -> u64 {
    args.get(index).copied().unwrap_or(0)
}

fn at_target<'a>(view: &View<'a>, args: &[u64]) -> Result<&'a Buffer, Fault> {
    let bound =
        target::bound(view.context, word(args, 0) as u32).ok_or(Fault::invalid_enum("invalid buffer target"))?;
    view.group.buffer(bound).ok_or(Fault::invalid_operation("no buffer is bound to the target"))
}

fn of_name<'a>(view: &View<'a>, args: &[u64]) -> Result<&'a Buffer, Fault> {
    let found = view.group.buffers.get(&(word(args, 0) as u32)).filter(|found| found.exists);
    found.map(AsRef::as_ref).ok_or(Fault::invalid_operation("no buffer has this name"))
}

fn parameter(view: &View<'_>, buffer: &Buffer, name: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let es = matches!(facts.client, Client::Es1 | Client::Es2);
    let ranged = !es || facts.es(3, 0) || facts.has("GL_EXT_map_buffer_range");
    let stored = facts.desktop(4, 4) || facts.has("GL_ARB_buffer_storage") || facts.has("GL_EXT_buffer_storage");
    let integer =
        |number: u64| Ok(Answer { kind: NumberType::Integer, values: Values::Long(vec![number.cast_signed()]) });
    let truth = |truth: bool| Ok(Answer::truth(truth));
    match name {
        c::GL_BUFFER_SIZE => integer(buffer.size),
        c::GL_BUFFER_USAGE => Ok(Answer::one(NumberType::Enum, f64::from(buffer.usage))),
        c::GL_BUFFER_ACCESS => {
            let access = buffer.map.map_or(0, |map| map.access);
            let access = match (access & c::GL_MAP_READ_BIT != 0, access & c::GL_MAP_WRITE_BIT != 0) {
                (true, true) => c::GL_READ_WRITE,
                (true, false) => c::GL_READ_ONLY,
                (false, true) => c::GL_WRITE_ONLY,
                // The initial value differs in OpenGL ES (OES_mapbuffer).
                (false, false) if es => c::GL_WRITE_ONLY,
                (false, false) => c::GL_READ_WRITE,
            };
            Ok(Answer::one(NumberType::Enum, f64::from(access)))
        }
        c::GL_BUFFER_MAPPED => truth(buffer.map.is_some()),
        c::GL_BUFFER_ACCESS_FLAGS if ranged => integer(buffer.map.map_or(0, |map| map.access.into())),
        c::GL_BUFFER_MAP_OFFSET if ranged => integer(buffer.map.map_or(0, |map| map.offset)),
        c::GL_BUFFER_MAP_LENGTH if ranged => integer(buffer.map.map_or(0, |map| map.length)),
        c::GL_BUFFER_IMMUTABLE_STORAGE if stored => truth(buffer.immutable),
        c::GL_BUFFER_STORAGE_FLAGS if stored => integer(buffer.flags.into()),
        _ => Err(Fault::invalid_enum("invalid buffer query")),
    }
}

fn is_pointer(args: &[u64]) -> Result<(), Fault> {
    match word(args, 1) as u32 {
        c::GL_BUFFER_MAP_POINTER => Ok(()),
        _ => Err(Fault::invalid_enum("invalid buffer pointer query")),
    }
}

fn pointer(buffer: &Buffer) -> Answer {
    Answer { kind: NumberType::Integer, values: Values::Pointer(buffer.map.map_or(0, |map| map.address)) }
}

/// Returns an answer with the name of a buffer.
pub fn name_of(buffer: BufferRef) -> Answer {
    Answer::one(NumberType::Name(Namespace::Buffer), f64::from(buffer.name))
}

/// Returns the binding that a parameter name stands for.
fn binding(view: &View<'_>, name: u32) -> Option<Answer> {
    let target = match name {
        c::GL_ARRAY_BUFFER_BINDING => c::GL_ARRAY_BUFFER,
        c::GL_ELEMENT_ARRAY_BUFFER_BINDING => c::GL_ELEMENT_ARRAY_BUFFER,
        c::GL_PIXEL_PACK_BUFFER_BINDING => c::GL_PIXEL_PACK_BUFFER,
        c::GL_PIXEL_UNPACK_BUFFER_BINDING => c::GL_PIXEL_UNPACK_BUFFER,
        // For these two the target's own name is the parameter name.
        c::GL_COPY_READ_BUFFER_BINDING => c::GL_COPY_READ_BUFFER,
        c::GL_COPY_WRITE_BUFFER_BINDING => c::GL_COPY_WRITE_BUFFER,
        c::GL_UNIFORM_BUFFER_BINDING => c::GL_UNIFORM_BUFFER,
        c::GL_SHADER_STORAGE_BUFFER_BINDING => c::GL_SHADER_STORAGE_BUFFER,
        c::GL_ATOMIC_COUNTER_BUFFER_BINDING => c::GL_ATOMIC_COUNTER_BUFFER,
        c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING => c::GL_TRANSFORM_FEEDBACK_BUFFER,
        c::GL_DRAW_INDIRECT_BUFFER_BINDING => c::GL_DRAW_INDIRECT_BUFFER,
        c::GL_DISPATCH_INDIRECT_BUFFER_BINDING => c::GL_DISPATCH_INDIRECT_BUFFER,
        c::GL_PARAMETER_BUFFER_BINDING => c::GL_PARAMETER_BUFFER,
        c::GL_QUERY_BUFFER_BINDING => c::GL_QUERY_BUFFER,
        c::GL_TEXTURE_BUFFER => c::GL_TEXTURE_BUFFER,
        _ => return None,
    };
    Some(name_of(target::bound(view.context, target)?))
}

/// Returns the name, start or size of an indexed binding.
fn indexed(view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
    enum Part {
        Name,
        Start,
        Size,
    }
    let (target, part) = match name {
        c::GL_UNIFORM_BUFFER_BINDING => (c::GL_UNIFORM_BUFFER, Part::Name),
        c::GL_UNIFORM_BUFFER_START => (c::GL_UNIFORM_BUFFER, Part::Start),
        c::GL_UNIFORM_BUFFER_SIZE => (c::GL_UNIFORM_BUFFER, Part::Size),
        c::GL_SHADER_STORAGE_BUFFER_BINDING => (c::GL_SHADER_STORAGE_BUFFER, Part::Name),
        c::GL_SHADER_STORAGE_BUFFER_START => (c::GL_SHADER_STORAGE_BUFFER, Part::Start),
        c::GL_SHADER_STORAGE_BUFFER_SIZE => (c::GL_SHADER_STORAGE_BUFFER, Part::Size),
        c::GL_ATOMIC_COUNTER_BUFFER_BINDING => (c::GL_ATOMIC_COUNTER_BUFFER, Part::Name),
        c::GL_ATOMIC_COUNTER_BUFFER_START => (c::GL_ATOMIC_COUNTER_BUFFER, Part::Start),
        c::GL_ATOMIC_COUNTER_BUFFER_SIZE => (c::GL_ATOMIC_COUNTER_BUFFER, Part::Size),
        c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING => (c::GL_TRANSFORM_FEEDBACK_BUFFER, Part::Name),
        c::GL_TRANSFORM_FEEDBACK_BUFFER_START => (c::GL_TRANSFORM_FEEDBACK_BUFFER, Part::Start),
        c::GL_TRANSFORM_FEEDBACK_BUFFER_SIZE => (c::GL_TRANSFORM_FEEDBACK_BUFFER, Part::Size),
        _ => return None,
    };
    let (point, count) = target::indexed(&view.context.facts, target)?;
    if index >= count {
        return Some(Err(Fault::invalid_value("the index is too large for the target")));
    }
    let range = match view.context.buffers.ranges(point) {
        Some(ranges) => ranges.get(index as usize).copied().unwrap_or_default(),
        None => {
            let feedback = view.context.transform_feedbacks.get(&view.context.transform_feedback);
            feedback.map_or(BufferRange::default(), |found| found.buffers[index as usize])
        }
    };
    let long = |number| Answer { kind: NumberType::Integer, values: Values::Long(vec![number]) };
    Some(Ok(match part {
        Part::Name => name_of(range.buffer),
        Part::Start => long(range.offset.max(0)),
        Part::Size => long(range.size),
    }))
}
