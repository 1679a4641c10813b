//! Commands that name vertex arrays (`ARB_direct_state_access`, `EXT_direct_state_access`).

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::super::buffer;
use super::bind::{attrib_binding, attrib_format, binding_divisor, vertex_buffer, vertex_buffers};
use super::format::{self, Format, Rule, legacy_rule};
use super::generic::{put, reservations, set_divisor, set_enabled};
use super::legacy::{active, any_unit, legacy_format, set_any_client_state};
use super::{attrib, change};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::buffer::BufferRef;
use crate::objects::vertex_array::{
    COLOR, EDGE_FLAG, FOG_COORD, INDEX, NORMAL, POSITION, SECONDARY_COLOR, Slot, TEX_COORDS,
};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glVertexArrayElementBuffer], elements);
    table.on(&[id::glEnableVertexArrayAttrib], |step| enable_attrib(step, false, true));
    table.on(&[id::glDisableVertexArrayAttrib], |step| enable_attrib(step, false, false));
    table.on(&[id::glVertexArrayVertexBuffer], |step| {
        let array = chosen(step, false)?;
        vertex_buffer(step, array, 1, true)
    });
    table.on(&[id::glVertexArrayVertexBuffers], |step| {
        let array = chosen(step, false)?;
        vertex_buffers(step, array, 1)
    });
    table.on(&[id::glVertexArrayAttribFormat], |step| formatted(step, false, format::ANY));
    table.on(&[id::glVertexArrayAttribIFormat], |step| formatted(step, false, format::INTEGERS));
    table.on(&[id::glVertexArrayAttribLFormat], |step| formatted(step, false, format::DOUBLES));
    table.on(&[id::glVertexArrayAttribBinding], |step| {
        let array = chosen(step, false)?;
        attrib_binding(step, array, 1)
    });
    table.on(&[id::glVertexArrayBindingDivisor], |step| {
        let array = chosen(step, false)?;
        binding_divisor(step, array, 1)
    });
    register_ext(table);
}

fn register_ext(table: &mut Table) {
    table.on(&[id::glEnableVertexArrayAttribEXT], |step| enable_attrib(step, true, true));
    table.on(&[id::glDisableVertexArrayAttribEXT], |step| enable_attrib(step, true, false));
    table.on(&[id::glEnableVertexArrayEXT], |step| enable_array(step, true));
    table.on(&[id::glDisableVertexArrayEXT], |step| enable_array(step, false));
    table.on(&[id::glVertexArrayBindVertexBufferEXT], |step| {
        let array = chosen(step, true)?;
        vertex_buffer(step, array, 1, false)
    });
    table.on(&[id::glVertexArrayVertexAttribFormatEXT], |step| formatted(step, true, format::ANY));
    table.on(&[id::glVertexArrayVertexAttribIFormatEXT], |step| formatted(step, true, format::INTEGERS));
    table.on(&[id::glVertexArrayVertexAttribLFormatEXT], |step| formatted(step, true, format::DOUBLES));
    table.on(&[id::glVertexArrayVertexAttribBindingEXT], |step| {
        let array = chosen(step, true)?;
        attrib_binding(step, array, 1)
    });
    table.on(&[id::glVertexArrayVertexBindingDivisorEXT], |step| {
        let array = chosen(step, true)?;
        binding_divisor(step, array, 1)
    });
    table.on(&[id::glVertexArrayVertexAttribDivisorEXT], |step| {
        let array = chosen(step, false)?;
        let slot = attrib(step.facts(), step.name(1))?;
        let divisor = step.name(2);
        set_divisor(step, array, slot, divisor);
        Ok(())
    });
    table.on(&[id::glVertexArrayVertexOffsetEXT], |step| sized(step, POSITION));
    table.on(&[id::glVertexArrayColorOffsetEXT], |step| sized(step, COLOR));
    table.on(&[id::glVertexArraySecondaryColorOffsetEXT], |step| sized(step, SECONDARY_COLOR));
    table.on(&[id::glVertexArrayTexCoordOffsetEXT], |step| {
        let slot = active(step.context);
        sized(step, slot)
    });
    table.on(&[id::glVertexArrayNormalOffsetEXT], |step| unsized_array(step, NORMAL, 3));
    table.on(&[id::glVertexArrayFogCoordOffsetEXT], |step| unsized_array(step, FOG_COORD, 1));
    table.on(&[id::glVertexArrayIndexOffsetEXT], |step| unsized_array(step, INDEX, 1));
    table.on(&[id::glVertexArrayEdgeFlagOffsetEXT], |step| {
        let (array, buffer) = pair(step, 3)?;
        let rule = legacy_rule(step.facts(), EDGE_FLAG);
        let format = Format { integer: true, ..Format::plain(1, c::GL_UNSIGNED_BYTE) };
        offset(step, array, buffer, EDGE_FLAG, &rule, format, 2)
    });
    table.on(&[id::glVertexArrayMultiTexCoordOffsetEXT], |step| {
        let (array, buffer) = pair(step, 6)?;
        let slot = any_unit(step.name(2).wrapping_sub(c::GL_TEXTURE0));
        let rule = legacy_rule(step.facts(), slot);
        offset(step, array, buffer, slot, &rule, Format::plain(step.int(3), step.name(4)), 5)
    });
    table.on(&[id::glVertexArrayVertexAttribOffsetEXT], |step| {
        let format = Format { normalized: step.truth(5), ..Format::plain(step.int(3), step.name(4)) };
        generic(step, &format::ANY, format, 6)
    });
    table.on(&[id::glVertexArrayVertexAttribIOffsetEXT], |step| {
        let format = Format { integer: true, ..Format::plain(step.int(3), step.name(4)) };
        generic(step, &format::INTEGERS, format, 5)
    });
    table.on(&[id::glVertexArrayVertexAttribLOffsetEXT], |step| {
        let format = Format { long: true, ..Format::plain(step.int(3), step.name(4)) };
        generic(step, &format::DOUBLES, format, 5)
    });
}

/// Returns the vertex array that the first argument names. Commands of `EXT_direct_state_access` create the object of a
/// generated name, and do not accept the default one.
fn chosen(step: &mut Step<'_>, ext: bool) -> Result<u32, Fault> {
    let name = step.name(0);
    if name == 0 {
        let refused = ext || step.facts().client == Client::Core;
        return if refused { Err(Fault::invalid_operation("0 is not a vertex array object")) } else { Ok(0) };
    }
    match step.context.vertex_arrays.get_mut(&name) {
        Some(array) if array.exists => Ok(name),
        Some(array) if ext => {
            Arc::make_mut(array).exists = true;
            Ok(name)
        }
        _ => Err(Fault::invalid_operation("no vertex array object has this name")),
    }
}

fn elements(step: &mut Step<'_>) -> Done {
    let array = chosen(step, false)?;
    let buffer = match step.name(1) {
        0 => BufferRef::NONE,
        name => buffer::existing(step.group, name).ok_or(Fault::invalid_operation("no buffer has this name"))?,
    };
    buffer::attach(step, buffer);
    if let Some(array) = change(step, array) {
        array.elements = buffer;
    }
    Ok(())
}

fn enable_attrib(step: &mut Step<'_>, ext: bool, enabled: bool) -> Done {
    let array = chosen(step, ext)?;
    let slot = attrib(step.facts(), step.name(1))?;
    set_enabled(step, array, slot, enabled);
    Ok(())
}

/// Enables or disables an array; texture coordinates are given by the names of units.
fn enable_array(step: &mut Step<'_>, enabled: bool) -> Done {
    let (array, name) = (chosen(step, true)?, step.name(1));
    let unit = name.wrapping_sub(c::GL_TEXTURE0);
    if unit < TEX_COORDS as u32 {
        set_enabled(step, array, any_unit(unit), enabled);
        return Ok(());
    }
    if set_any_client_state(step, array, name, enabled) {
        Ok(())
    } else {
        Err(Fault::invalid_enum("invalid vertex array"))
    }
}

fn formatted(step: &mut Step<'_>, ext: bool, rule: Rule) -> Done {
    let array = chosen(step, ext)?;
    attrib_format(step, array, 1, rule)
}

/// Returns the vertex array and the buffer that the first two arguments name; `offset` is the index of the offset
/// argument.
fn pair(step: &mut Step<'_>, offset: usize) -> Result<(u32, BufferRef), Fault> {
    let array = chosen(step, true)?;
    if step.name(1) == 0 {
        return Ok((array, BufferRef::NONE));
    }
    let buffer = buffer::made(step, step.name(1))?;
    if step.word(offset).cast_signed() < 0 {
        return Err(Fault::invalid_value("the offset into the buffer is negative"));
    }
    Ok((array, buffer))
}

fn sized(step: &mut Step<'_>, slot: Slot) -> Done {
    let (array, buffer) = pair(step, 5)?;
    let rule = legacy_rule(step.facts(), slot);
    offset(step, array, buffer, slot, &rule, legacy_format(slot, step.int(2), step.name(3)), 4)
}

fn unsized_array(step: &mut Step<'_>, slot: Slot, size: i32) -> Done {
    let (array, buffer) = pair(step, 4)?;
    let rule = legacy_rule(step.facts(), slot);
    offset(step, array, buffer, slot, &rule, legacy_format(slot, size, step.name(2)), 3)
}

fn generic(step: &mut Step<'_>, rule: &Rule, format: Format, stride: usize) -> Done {
    let (array, buffer) = pair(step, stride + 1)?;
    let slot = attrib(step.facts(), step.name(2))?;
    offset(step, array, buffer, slot, rule, format, stride)
}

/// Specifies an array; `stride` is the index of that argument, which is followed by the offset.
fn offset(
    step: &mut Step<'_>,
    array: u32,
    buffer: BufferRef,
    slot: Slot,
    rule: &Rule,
    format: Format,
    stride: usize,
) -> Done {
    let (distance, pointer) = (step.int(stride), step.word(stride + 1));
    let fault = reservations(step, array, buffer, distance, pointer);
    format::check(step.facts(), rule, &format).map_err(|found| fault.unwrap_or(found))?;
    put(step, array, slot, format, distance, buffer, pointer);
    fault.map_or(Ok(()), Err)
}
