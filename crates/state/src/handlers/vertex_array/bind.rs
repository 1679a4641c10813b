//! Formats and buffer bindings as separate things (`ARB_vertex_attrib_binding`).

use api::id;

use super::super::Table;
use super::super::buffer;
use super::format::{self, Format, Rule};
use super::{attrib, binding, bindings, change, is_changeable, most_stride};
use crate::fault::Fault;
use crate::objects::buffer::BufferRef;
use crate::objects::vertex_array::{Binding, GENERIC, Slot};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glBindVertexBuffer], |step| {
        is_changeable(step)?;
        let array = step.context.vertex_array;
        vertex_buffer(step, array, 0, true)
    });
    table.on(&[id::glBindVertexBuffers], |step| {
        is_changeable(step)?;
        let array = step.context.vertex_array;
        vertex_buffers(step, array, 0)
    });
    table.on(&[id::glVertexAttribFormat], |step| {
        let rule = format::separate(step.facts());
        formatted(step, 0, rule)
    });
    table.on(&[id::glVertexAttribIFormat], |step| formatted(step, 0, format::INTEGERS));
    table.on(&[id::glVertexAttribLFormat], |step| formatted(step, 0, format::DOUBLES));
    table.on(&[id::glVertexAttribBinding], |step| {
        is_changeable(step)?;
        let array = step.context.vertex_array;
        attrib_binding(step, array, 0)
    });
    table.on(&[id::glVertexBindingDivisor], |step| {
        is_changeable(step)?;
        let array = step.context.vertex_array;
        binding_divisor(step, array, 0)
    });
}

fn formatted(step: &mut Step<'_>, first: usize, rule: Rule) -> Done {
    is_changeable(step)?;
    let array = step.context.vertex_array;
    attrib_format(step, array, first, rule)
}

/// `gl…Format`; `first` is the place of the argument that is the index.
pub fn attrib_format(step: &mut Step<'_>, array: u32, first: usize, rule: Rule) -> Done {
    let slot = attrib(step.facts(), step.name(first))?;
    let mut format = Format::plain(step.int(first + 1), step.name(first + 2));
    let relative = if rule.bgra {
        format.normalized = step.truth(first + 3);
        first + 4
    } else {
        format.integer = rule.types & format::BYTE != 0;
        format.long = !format.integer;
        first + 3
    };
    format.relative = step.name(relative);
    format::check(step.facts(), &rule, &format)?;
    if let Some(array) = change(step, array) {
        format.put(&mut array.attribs[slot]);
    }
    Ok(())
}

/// `gl…AttribBinding`; `first` is the place of the argument that is the attribute's index.
pub fn attrib_binding(step: &mut Step<'_>, array: u32, first: usize) -> Done {
    let slot = attrib(step.facts(), step.name(first))?;
    let place = binding(step.facts(), step.name(first + 1))?;
    if let Some(array) = change(step, array) {
        array.attribs[slot].binding = place as u8;
    }
    Ok(())
}

/// `gl…BindingDivisor`; `first` is the place of the argument that is the binding's index.
pub fn binding_divisor(step: &mut Step<'_>, array: u32, first: usize) -> Done {
    let place = binding(step.facts(), step.name(first))?;
    let divisor = step.name(first + 1);
    if let Some(array) = change(step, array) {
        array.bindings[place].divisor = divisor;
    }
    Ok(())
}

/// `gl…BindVertexBuffer`; `first` is the place of the argument that is the binding's index. `strict` commands of OpenGL ES
/// take only names that come from `glGenBuffers`.
pub fn vertex_buffer(step: &mut Step<'_>, array: u32, first: usize, strict: bool) -> Done {
    let place = binding(step.facts(), step.name(first))?;
    let (name, offset, stride) = (step.name(first + 1), step.word(first + 2).cast_signed(), step.int(first + 3));
    if offset < 0 {
        return Err(Fault::invalid_value("there is no negative offset"));
    }
    if stride < 0 || stride > most_stride(step.facts()) {
        return Err(Fault::invalid_value("there is no such stride"));
    }
    let current = step.context.vertex_arrays.get(&array).map(|array| array.bindings[place].buffer);
    let buffer = match current.filter(|current| current.name == name) {
        Some(current) => current,
        None => {
            if name != 0 && strict && step.facts().es(3, 1) && !step.group.buffers.contains_key(&name) {
                return Err(Fault::invalid_operation("that name does not come from glGenBuffers"));
            }
            buffer::made(step, name)?
        }
    };
    put(step, array, place, buffer, offset, stride);
    Ok(())
}

fn put(step: &mut Step<'_>, array: u32, place: Slot, buffer: BufferRef, offset: i64, stride: i32) {
    buffer::attach(step, buffer);
    if let Some(array) = change(step, array) {
        let divisor = array.bindings[place].divisor;
        array.bindings[place] = Binding { buffer, offset, stride, divisor };
    }
}

/// `gl…VertexBuffers`: those that can be bound are, whatever is wrong with others (GL 4.6, 10.3.2).
pub fn vertex_buffers(step: &mut Step<'_>, array: u32, shift: usize) -> Done {
    let (first, count) = (step.name(shift), step.int(shift + 1));
    let count = u32::try_from(count).map_err(|_| Fault::invalid_value("there is no negative number of buffers"))?;
    if first.checked_add(count).is_none_or(|end| end > bindings(step.facts())) {
        return Err(Fault::invalid_operation("there are not so many vertex buffer bindings"));
    }
    if step.word(shift + 2) == 0 {
        for at in 0..count {
            put(step, array, GENERIC + (first + at) as usize, BufferRef::NONE, 0, 16);
        }
        return Ok(());
    }
    let names = step.input_names(shift as u8 + 2);
    let offsets = step.input(shift as u8 + 3).unwrap_or_default().into_owned();
    let strides = step.input_names(shift as u8 + 4);
    let mut fault = None;
    for at in 0..count {
        let (index, place) = (at as usize, GENERIC + (first + at) as usize);
        let name = names.get(index).copied().unwrap_or(0);
        let bytes = offsets.get(index * 8..).and_then(<[u8]>::first_chunk::<8>);
        let offset = bytes.map_or(0, |bytes| i64::from_le_bytes(*bytes));
        let stride = strides.get(index).copied().unwrap_or(0).cast_signed();
        let current = step.context.vertex_arrays.get(&array).map(|array| array.bindings[place].buffer);
        let known = current.filter(|current| current.name == name);
        let buffer = known.or_else(|| existing_or_none(step, name));
        if offset < 0 || stride < 0 || stride > most_stride(step.facts()) {
            fault.get_or_insert(Fault::invalid_value("there is no such offset or stride"));
        } else if let Some(buffer) = buffer {
            put(step, array, place, buffer, offset, stride);
        } else {
            fault.get_or_insert(Fault::invalid_operation("there is no buffer of that name"));
        }
    }
    fault.map_or(Ok(()), Err)
}

fn existing_or_none(step: &Step<'_>, name: u32) -> Option<BufferRef> {
    if name == 0 { Some(BufferRef::NONE) } else { buffer::existing(step.group, name) }
}
