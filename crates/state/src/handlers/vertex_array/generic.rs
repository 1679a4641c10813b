//! Generic attributes: pointers, enables and divisors.

use api::id;

use super::super::Table;
use super::super::buffer;
use super::format::{self, Format, Rule};
use super::{attrib, change, most_stride};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::buffer::{BufferRef, Point};
use crate::objects::vertex_array::Slot;
use crate::observer::{ContentsRef, Source};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glVertexAttribPointer, id::glVertexAttribPointerARB], |step| {
        let format = Format { normalized: step.truth(3), ..Format::plain(step.int(1), step.name(2)) };
        generic(step, &format::ANY, format, 4, 5)
    });
    table.on(&[id::glVertexAttribIPointer, id::glVertexAttribIPointerEXT], |step| {
        let format = Format { integer: true, ..Format::plain(step.int(1), step.name(2)) };
        generic(step, &format::INTEGERS, format, 3, 4)
    });
    table.on(&[id::glVertexAttribLPointer, id::glVertexAttribLPointerEXT], |step| {
        let format = Format { long: true, ..Format::plain(step.int(1), step.name(2)) };
        generic(step, &format::DOUBLES, format, 3, 4)
    });
    table.on(&[id::glEnableVertexAttribArray, id::glEnableVertexAttribArrayARB], |step| enable(step, true));
    table.on(&[id::glDisableVertexAttribArray, id::glDisableVertexAttribArrayARB], |step| enable(step, false));
    let divisor = [
        id::glVertexAttribDivisor,
        id::glVertexAttribDivisorARB,
        id::glVertexAttribDivisorEXT,
        id::glVertexAttribDivisorANGLE,
    ];
    table.on(&divisor, |step| {
        let slot = attrib(step.facts(), step.name(0))?;
        let (array, value) = (step.context.vertex_array, step.name(1));
        set_divisor(step, array, slot, value);
        Ok(())
    });
}

fn generic(step: &mut Step<'_>, rule: &Rule, format: Format, stride: usize, pointer: usize) -> Done {
    let slot = attrib(step.facts(), step.name(0))?;
    specify(step, slot, rule, format, stride, pointer)
}

/// Specifies an array of the bound vertex array: `stride` and `pointer` are the indices of these arguments.
pub fn specify(step: &mut Step<'_>, slot: Slot, rule: &Rule, format: Format, stride: usize, pointer: usize) -> Done {
    let array = step.context.vertex_array;
    let buffer = step.context.buffers.get(Point::Array);
    let (distance, address) = (step.int(stride), step.word(pointer));
    let fault = reservations(step, array, buffer, distance, address);
    format::check(step.facts(), rule, &format).map_err(|found| fault.unwrap_or(found))?;
    put(step, array, slot, format, distance, buffer, address);
    if let Some(fault) = fault {
        return Err(fault);
    }
    // Right before a draw call, capture specifies client arrays again, with the bytes that the call fetches.
    if step.call.by_capture
        && step.call.memory.input(pointer as u8).is_some()
        && let Some(object) = step.context.vertex_arrays.get(&array).map(|array| array.object)
    {
        let thing = ContentsRef::ClientArray { object, slot: slot as u8 };
        step.writes(thing, Source::Memory { param: pointer as u8, whole: true });
    }
    Ok(())
}

/// Returns errors that Mesa reports for an array without rejecting it.
pub fn reservations(step: &Step<'_>, array: u32, buffer: BufferRef, stride: i32, pointer: u64) -> Option<Fault> {
    if step.facts().client == Client::Core && array == 0 {
        return Some(super::NO_ARRAY);
    }
    if stride < 0 || step.facts().desktop(4, 4) && stride > most_stride(step.facts()) {
        return Some(Fault::invalid_value("invalid stride"));
    }
    if pointer != 0 && array != 0 && buffer.is_none() {
        return Some(Fault::invalid_operation("a vertex array object requires a buffer bound to GL_ARRAY_BUFFER"));
    }
    None
}

/// Makes an array one that is specified by a single command: it has its own buffer binding (GL 4.6, 10.3.2).
pub fn put(step: &mut Step<'_>, array: u32, slot: Slot, format: Format, stride: i32, buffer: BufferRef, pointer: u64) {
    buffer::attach(step, buffer);
    let Some(array) = change(step, array) else { return };
    let attrib = &mut array.attribs[slot];
    format.put(attrib);
    attrib.relative = 0;
    attrib.binding = slot as u8;
    attrib.stride = stride;
    attrib.pointer = pointer;
    let effective = if stride == 0 { attrib.bytes() as i32 } else { stride };
    let binding = &mut array.bindings[slot];
    binding.buffer = buffer;
    binding.offset = pointer.cast_signed();
    binding.stride = effective;
}

fn enable(step: &mut Step<'_>, enabled: bool) -> Done {
    let slot = attrib(step.facts(), step.name(0))?;
    let array = step.context.vertex_array;
    set_enabled(step, array, slot, enabled);
    Ok(())
}

/// Enables or disables an array.
pub fn set_enabled(step: &mut Step<'_>, array: u32, slot: Slot, enabled: bool) {
    // Unchanged state is not copied.
    if step.context.vertex_arrays.get(&array).is_some_and(|array| array.attribs[slot].enabled != enabled)
        && let Some(array) = change(step, array)
    {
        array.attribs[slot].enabled = enabled;
    }
}

/// Sets the divisor of an attribute, which gives it its own buffer binding (GL 4.6, 10.3.4).
pub fn set_divisor(step: &mut Step<'_>, array: u32, slot: Slot, divisor: u32) {
    if let Some(array) = change(step, array) {
        array.attribs[slot].binding = slot as u8;
        array.bindings[slot].divisor = divisor;
    }
}
