//! Queries about vertex arrays.

use api::{Namespace, constant as c, id};

use super::super::Table;
use super::super::buffer::name_of;
use super::legacy::{active, any_unit, client_state};
use super::{NO_ATTRIB, attrib, binding, bound};
use crate::answer::{Answer, Values, View, word};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::vertex_array::{
    COLOR, EDGE_FLAG, FOG_COORD, GENERIC, INDEX, NORMAL, POINT_SIZE, POSITION, SECONDARY_COLOR, SLOTS, Slot,
    VertexArray,
};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.ask(&[id::glIsVertexArray, id::glIsVertexArrayOES, id::glIsVertexArrayAPPLE], |view, args| {
        let name = word(args, 0);
        let exists = name != 0 && view.context.vertex_arrays.get(&name).is_some_and(|found| found.exists);
        Ok(Answer::truth(exists))
    });
    let floats =
        [id::glGetVertexAttribfv, id::glGetVertexAttribfvARB, id::glGetVertexAttribdv, id::glGetVertexAttribdvARB];
    table.ask(&floats, |view, args| about(view, args, |word| f64::from(f32::from_bits(word[0]))));
    // Mesa truncates.
    let cut = [id::glGetVertexAttribiv, id::glGetVertexAttribivARB];
    table.ask(&cut, |view, args| about(view, args, |word| f64::from(f32::from_bits(word[0]) as i32)));
    let signed = [id::glGetVertexAttribIiv, id::glGetVertexAttribIivEXT];
    table.ask(&signed, |view, args| about(view, args, |word| f64::from(word[0].cast_signed())));
    let unsigned = [id::glGetVertexAttribIuiv, id::glGetVertexAttribIuivEXT];
    table.ask(&unsigned, |view, args| about(view, args, |word| f64::from(word[0])));
    let doubles = [id::glGetVertexAttribLdv, id::glGetVertexAttribLdvEXT];
    table.ask(&doubles, |view, args| {
        about(view, args, |word| f64::from_bits(u64::from(word[1]) << 32 | u64::from(word[0])))
    });
    table.ask(&[id::glGetVertexAttribPointerv, id::glGetVertexAttribPointervARB], |view, args| {
        let slot = attrib(&view.context.facts, word(args, 0))?;
        if word(args, 1) != c::GL_VERTEX_ATTRIB_ARRAY_POINTER {
            return Err(Fault::invalid_enum("invalid vertex attribute pointer query"));
        }
        Ok(pointer(bound(view.context).map_or(0, |array| array.attribs[slot].pointer)))
    });
    table.ask(&[id::glGetPointerIndexedvEXT, id::glGetPointeri_vEXT], |view, args| {
        if word(args, 0) != c::GL_TEXTURE_COORD_ARRAY_POINTER {
            return Err(Fault::invalid_enum("invalid pointer query of a texture unit"));
        }
        let slot = any_unit(word(args, 1));
        Ok(pointer(bound(view.context).map_or(0, |array| array.attribs[slot].pointer)))
    });
    table.ask(&[id::glGetVertexArrayiv], |view, args| {
        let array = named(view, word(args, 0))?;
        match word(args, 1) {
            c::GL_ELEMENT_ARRAY_BUFFER_BINDING => Ok(name_of(array.elements)),
            _ => Err(Fault::invalid_enum("invalid vertex array query")),
        }
    });
    table.ask(&[id::glGetVertexArrayIndexediv], |view, args| {
        let array = named(view, word(args, 0))?;
        // Mesa also answers for buffer bindings here, which GL 4.6, 10.5 does not mention.
        if let Some(answer) = binding_value(view, array, word(args, 2), word(args, 1)) {
            return answer;
        }
        parameter(view, array, word(args, 1), word(args, 2))
    });
    table.ask(&[id::glGetVertexArrayIndexed64iv], |view, args| {
        let array = named(view, word(args, 0))?;
        if word(args, 2) != c::GL_VERTEX_BINDING_OFFSET {
            return Err(Fault::invalid_enum("invalid vertex buffer binding query"));
        }
        let slot = attrib(&view.context.facts, word(args, 1))?;
        Ok(long(array.bindings[slot].offset))
    });
    table.plain_getter(plain);
    table.getter(legacy_address);
    table.indexed_getter(indexed);
}

fn integer(number: u32) -> Answer {
    Answer::one(NumberType::Integer, f64::from(number))
}

fn long(number: i64) -> Answer {
    Answer { kind: NumberType::Integer, values: Values::Long(vec![number]) }
}

fn pointer(address: u64) -> Answer {
    Answer { kind: NumberType::Integer, values: Values::Pointer(address) }
}

fn named<'a>(view: &View<'a>, name: u32) -> Result<&'a VertexArray, Fault> {
    if name == 0 && view.context.facts.client == Client::Core {
        return Err(Fault::invalid_operation("0 is not a vertex array object"));
    }
    let found = view.context.vertex_arrays.get(&name).filter(|found| found.exists);
    found.map(AsRef::as_ref).ok_or(Fault::invalid_operation("no vertex array object has this name"))
}

fn parameter(view: &View<'_>, array: &VertexArray, index: u32, name: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let slot = attrib(facts, index)?;
    let found = &array.attribs[slot];
    let source = &array.bindings[usize::from(found.binding) % SLOTS];
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let grown = desktop || facts.es(3, 0);
    let apart = desktop || facts.es(3, 1);
    Ok(match name {
        c::GL_VERTEX_ATTRIB_ARRAY_ENABLED => Answer::truth(found.enabled),
        c::GL_VERTEX_ATTRIB_ARRAY_SIZE if found.bgra => Answer::one(NumberType::Enum, f64::from(c::GL_BGRA)),
        c::GL_VERTEX_ATTRIB_ARRAY_SIZE => integer(found.size.into()),
        c::GL_VERTEX_ATTRIB_ARRAY_STRIDE => Answer::one(NumberType::Integer, f64::from(found.stride)),
        c::GL_VERTEX_ATTRIB_ARRAY_TYPE => Answer::one(NumberType::Enum, f64::from(found.kind)),
        c::GL_VERTEX_ATTRIB_ARRAY_NORMALIZED => Answer::truth(found.normalized),
        c::GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING => name_of(source.buffer),
        c::GL_VERTEX_ATTRIB_ARRAY_INTEGER if grown => Answer::truth(found.integer),
        c::GL_VERTEX_ATTRIB_ARRAY_LONG if desktop => Answer::truth(found.long),
        c::GL_VERTEX_ATTRIB_ARRAY_DIVISOR if grown => integer(source.divisor),
        c::GL_VERTEX_ATTRIB_BINDING if apart => integer(u32::from(found.binding).wrapping_sub(GENERIC as u32)),
        c::GL_VERTEX_ATTRIB_RELATIVE_OFFSET if apart => integer(found.relative),
        _ => return Err(Fault::invalid_enum("invalid vertex attribute query")),
    })
}

/// Answers a query about an attribute: `number` converts a word of its current value.
fn about(view: &View<'_>, args: &[u64], number: fn(&[u32]) -> f64) -> Result<Answer, Fault> {
    let (index, name) = (word(args, 0), word(args, 1));
    if name != c::GL_CURRENT_VERTEX_ATTRIB {
        let array = bound(view.context).ok_or(super::NO_ARRAY)?;
        return parameter(view, array, index, name);
    }
    let facts = &view.context.facts;
    // Attribute 0 is the position there, which is not kept (GL 4.6 compatibility, 10.2.1).
    if index == 0 && matches!(facts.client, Client::Compatibility | Client::Es1) {
        return Err(Fault::invalid_operation("attribute 0 has no current value"));
    }
    if index >= super::attribs(facts) {
        return Err(NO_ATTRIB);
    }
    let words = view.context.current.generic.get(index as usize).ok_or(NO_ATTRIB)?;
    let long = number(&[0, 0x3ff0_0000]) == 1.0;
    let numbers: Vec<f64> =
        (0..4).map(|at| if long { number(&words[at * 2..]) } else { number(&words[at..]) }).collect();
    Ok(Answer::numbers(NumberType::Float, &numbers))
}

fn legacy_pointer(view: &View<'_>, name: u32) -> Option<Slot> {
    let old_es = view.context.facts.client == Client::Es1;
    let compatible = view.context.facts.client == Client::Compatibility;
    match name {
        c::GL_VERTEX_ARRAY_POINTER => Some(POSITION),
        c::GL_NORMAL_ARRAY_POINTER => Some(NORMAL),
        c::GL_COLOR_ARRAY_POINTER => Some(COLOR),
        c::GL_TEXTURE_COORD_ARRAY_POINTER => Some(active(view.context)),
        c::GL_SECONDARY_COLOR_ARRAY_POINTER if compatible => Some(SECONDARY_COLOR),
        c::GL_FOG_COORD_ARRAY_POINTER if compatible => Some(FOG_COORD),
        c::GL_INDEX_ARRAY_POINTER if compatible => Some(INDEX),
        c::GL_EDGE_FLAG_ARRAY_POINTER if compatible => Some(EDGE_FLAG),
        c::GL_POINT_SIZE_ARRAY_POINTER_OES if old_es => Some(POINT_SIZE),
        _ => None,
    }
    .filter(|_| old_es || compatible)
}

fn legacy_address(view: &View<'_>, name: u32, _index: u32) -> Option<Result<Answer, Fault>> {
    let slot = legacy_pointer(view, name)?;
    Some(Ok(pointer(bound(view.context)?.attribs[slot].pointer)))
}

/// Which property of a fixed-function array a parameter means.
enum Part {
    Size,
    Type,
    Stride,
    Buffer,
}

fn legacy_part(name: u32) -> Option<(u32, Part)> {
    use Part::{Buffer, Size, Stride, Type};
    Some(match name {
        c::GL_VERTEX_ARRAY_SIZE => (c::GL_VERTEX_ARRAY, Size),
        c::GL_VERTEX_ARRAY_TYPE => (c::GL_VERTEX_ARRAY, Type),
        c::GL_VERTEX_ARRAY_STRIDE => (c::GL_VERTEX_ARRAY, Stride),
        c::GL_VERTEX_ARRAY_BUFFER_BINDING => (c::GL_VERTEX_ARRAY, Buffer),
        c::GL_NORMAL_ARRAY_TYPE => (c::GL_NORMAL_ARRAY, Type),
        c::GL_NORMAL_ARRAY_STRIDE => (c::GL_NORMAL_ARRAY, Stride),
        c::GL_NORMAL_ARRAY_BUFFER_BINDING => (c::GL_NORMAL_ARRAY, Buffer),
        c::GL_COLOR_ARRAY_SIZE => (c::GL_COLOR_ARRAY, Size),
        c::GL_COLOR_ARRAY_TYPE => (c::GL_COLOR_ARRAY, Type),
        c::GL_COLOR_ARRAY_STRIDE => (c::GL_COLOR_ARRAY, Stride),
        c::GL_COLOR_ARRAY_BUFFER_BINDING => (c::GL_COLOR_ARRAY, Buffer),
        c::GL_TEXTURE_COORD_ARRAY_SIZE => (c::GL_TEXTURE_COORD_ARRAY, Size),
        c::GL_TEXTURE_COORD_ARRAY_TYPE => (c::GL_TEXTURE_COORD_ARRAY, Type),
        c::GL_TEXTURE_COORD_ARRAY_STRIDE => (c::GL_TEXTURE_COORD_ARRAY, Stride),
        c::GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING => (c::GL_TEXTURE_COORD_ARRAY, Buffer),
        c::GL_SECONDARY_COLOR_ARRAY_SIZE => (c::GL_SECONDARY_COLOR_ARRAY, Size),
        c::GL_SECONDARY_COLOR_ARRAY_TYPE => (c::GL_SECONDARY_COLOR_ARRAY, Type),
        c::GL_SECONDARY_COLOR_ARRAY_STRIDE => (c::GL_SECONDARY_COLOR_ARRAY, Stride),
        c::GL_SECONDARY_COLOR_ARRAY_BUFFER_BINDING => (c::GL_SECONDARY_COLOR_ARRAY, Buffer),
        c::GL_FOG_COORD_ARRAY_TYPE => (c::GL_FOG_COORD_ARRAY, Type),
        c::GL_FOG_COORD_ARRAY_STRIDE => (c::GL_FOG_COORD_ARRAY, Stride),
        c::GL_FOG_COORD_ARRAY_BUFFER_BINDING => (c::GL_FOG_COORD_ARRAY, Buffer),
        c::GL_INDEX_ARRAY_TYPE => (c::GL_INDEX_ARRAY, Type),
        c::GL_INDEX_ARRAY_STRIDE => (c::GL_INDEX_ARRAY, Stride),
        c::GL_INDEX_ARRAY_BUFFER_BINDING => (c::GL_INDEX_ARRAY, Buffer),
        c::GL_EDGE_FLAG_ARRAY_STRIDE => (c::GL_EDGE_FLAG_ARRAY, Stride),
        c::GL_EDGE_FLAG_ARRAY_BUFFER_BINDING => (c::GL_EDGE_FLAG_ARRAY, Buffer),
        c::GL_POINT_SIZE_ARRAY_TYPE_OES => (c::GL_POINT_SIZE_ARRAY_OES, Type),
        c::GL_POINT_SIZE_ARRAY_STRIDE_OES => (c::GL_POINT_SIZE_ARRAY_OES, Stride),
        c::GL_POINT_SIZE_ARRAY_BUFFER_BINDING_OES => (c::GL_POINT_SIZE_ARRAY_OES, Buffer),
        _ => return None,
    })
}

/// Returns the array of a name. The core profile has none of them, but Mesa answers all the same.
fn legacy_state(view: &View<'_>, name: u32) -> Option<Slot> {
    match (client_state(view.context, name), name) {
        (None, c::GL_VERTEX_ARRAY) => Some(POSITION),
        (None, c::GL_NORMAL_ARRAY) => Some(NORMAL),
        (None, c::GL_COLOR_ARRAY) => Some(COLOR),
        (None, c::GL_TEXTURE_COORD_ARRAY) => Some(active(view.context)),
        (None, c::GL_INDEX_ARRAY) => Some(INDEX),
        (None, c::GL_EDGE_FLAG_ARRAY) => Some(EDGE_FLAG),
        (None, c::GL_FOG_COORD_ARRAY) => Some(FOG_COORD),
        (None, c::GL_SECONDARY_COLOR_ARRAY) => Some(SECONDARY_COLOR),
        (found, _) => found,
    }
    .filter(|slot| view.context.facts.client != Client::Es1 || matches!(*slot, POSITION..=COLOR | 6..=POINT_SIZE))
}

fn plain(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    let facts = &view.context.facts;
    if name == c::GL_VERTEX_ARRAY_BINDING && (facts.client != Client::Es2 || facts.version >= (3, 0)) {
        let bound = f64::from(view.context.vertex_array);
        return Some(Ok(Answer::one(NumberType::Name(Namespace::VertexArray), bound)));
    }
    let array = bound(view.context)?;
    if facts.client == Client::Es2 {
        return None;
    }
    let point_size = name == c::GL_POINT_SIZE_ARRAY_OES && facts.client != Client::Es1;
    if let Some(slot) = legacy_state(view, name).filter(|_| !point_size) {
        let enabled = array.attribs[slot].enabled;
        // The core profile still has the parameter, but nothing to enable.
        return Some(Ok(if facts.client == Client::Core { integer(enabled.into()) } else { Answer::truth(enabled) }));
    }
    // Obsolete counts (`EXT_vertex_array`).
    let counts = [
        c::GL_VERTEX_ARRAY_COUNT_EXT,
        c::GL_NORMAL_ARRAY_COUNT_EXT,
        c::GL_COLOR_ARRAY_COUNT_EXT,
        c::GL_INDEX_ARRAY_COUNT_EXT,
        c::GL_TEXTURE_COORD_ARRAY_COUNT_EXT,
        c::GL_EDGE_FLAG_ARRAY_COUNT_EXT,
    ];
    if facts.client != Client::Es1 && counts.contains(&name) {
        return Some(Ok(integer(0)));
    }
    let (state, part) = legacy_part(name)?;
    let found = &array.attribs[legacy_state(view, state)?];
    Some(Ok(match part {
        Part::Size if found.bgra => Answer::one(NumberType::Enum, f64::from(c::GL_BGRA)),
        Part::Size => integer(found.size.into()),
        Part::Type => Answer::one(NumberType::Enum, f64::from(found.kind)),
        Part::Stride => Answer::one(NumberType::Integer, f64::from(found.stride)),
        Part::Buffer => name_of(array.bindings[usize::from(found.binding) % SLOTS].buffer),
    }))
}

fn indexed(view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
    if name == c::GL_TEXTURE_COORD_ARRAY && view.context.facts.client == Client::Compatibility {
        return Some(Ok(Answer::truth(bound(view.context)?.attribs[any_unit(index)].enabled)));
    }
    binding_value(view, bound(view.context)?, name, index)
}

fn binding_value(view: &View<'_>, array: &VertexArray, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
    let facts = &view.context.facts;
    let buffers = [
        c::GL_VERTEX_BINDING_OFFSET,
        c::GL_VERTEX_BINDING_STRIDE,
        c::GL_VERTEX_BINDING_DIVISOR,
        c::GL_VERTEX_BINDING_BUFFER,
    ];
    let here = matches!(facts.client, Client::Compatibility | Client::Core) || facts.es(3, 1);
    if !here || !buffers.contains(&name) {
        return None;
    }
    let slot = match binding(facts, index) {
        Ok(slot) => slot,
        Err(fault) => return Some(Err(fault)),
    };
    let found = array.bindings[slot];
    Some(Ok(match name {
        // Without a buffer the offset is an address.
        c::GL_VERTEX_BINDING_OFFSET if found.buffer.is_none() => pointer(found.offset.cast_unsigned()),
        c::GL_VERTEX_BINDING_OFFSET => long(found.offset),
        c::GL_VERTEX_BINDING_STRIDE => Answer::one(NumberType::Integer, f64::from(found.stride)),
        c::GL_VERTEX_BINDING_DIVISOR => integer(found.divisor),
        _ => name_of(found.buffer),
    }))
}
