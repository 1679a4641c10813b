//! Fixed-function arrays.

use api::{constant as c, id};

use super::super::Table;
use super::format::{Format, legacy_rule};
use super::generic::{put, reservations, set_enabled, specify};
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::objects::buffer::Point;
use crate::objects::vertex_array::{
    COLOR, EDGE_FLAG, FOG_COORD, INDEX, NORMAL, POINT_SIZE, POSITION, SECONDARY_COLOR, Slot, TEX_COORD, TEX_COORDS,
};
use crate::step::{Done, Step};
use crate::variable as var;

pub fn register(table: &mut Table) {
    table.on(&[id::glVertexPointer], |step| sized(step, POSITION));
    table.on(&[id::glColorPointer], |step| sized(step, COLOR));
    table.on(&[id::glSecondaryColorPointer, id::glSecondaryColorPointerEXT], |step| sized(step, SECONDARY_COLOR));
    table.on(&[id::glTexCoordPointer], |step| {
        let slot = active(step.context);
        sized(step, slot)
    });
    table.on(&[id::glMultiTexCoordPointerEXT], |step| {
        let slot = any_unit(step.name(0).wrapping_sub(c::GL_TEXTURE0));
        let rule = legacy_rule(step.facts(), slot);
        specify(step, slot, &rule, Format::plain(step.int(1), step.name(2)), 3, 4)
    });
    table.on(&[id::glNormalPointer], |step| unsized_array(step, NORMAL, 3));
    table.on(&[id::glFogCoordPointer, id::glFogCoordPointerEXT], |step| unsized_array(step, FOG_COORD, 1));
    table.on(&[id::glIndexPointer], |step| unsized_array(step, INDEX, 1));
    table.on(&[id::glPointSizePointerOES], |step| unsized_array(step, POINT_SIZE, 1));
    table.on(&[id::glEdgeFlagPointer], |step| {
        let rule = legacy_rule(step.facts(), EDGE_FLAG);
        let format = Format { integer: true, ..Format::plain(1, c::GL_UNSIGNED_BYTE) };
        specify(step, EDGE_FLAG, &rule, format, 0, 1)
    });
    // The commands of `EXT_vertex_array` also give the number of elements, which GL does not use.
    table.on(&[id::glVertexPointerEXT], |step| sized_ext(step, POSITION));
    table.on(&[id::glColorPointerEXT], |step| sized_ext(step, COLOR));
    table.on(&[id::glTexCoordPointerEXT], |step| {
        let slot = active(step.context);
        sized_ext(step, slot)
    });
    table.on(&[id::glNormalPointerEXT], |step| unsized_ext(step, NORMAL, 3));
    table.on(&[id::glIndexPointerEXT], |step| unsized_ext(step, INDEX, 1));
    table.on(&[id::glEdgeFlagPointerEXT], |step| {
        let rule = legacy_rule(step.facts(), EDGE_FLAG);
        let format = Format { integer: true, ..Format::plain(1, c::GL_UNSIGNED_BYTE) };
        specify(step, EDGE_FLAG, &rule, format, 0, 2)
    });
    table.on(&[id::glEnableClientState], |step| state(step, true));
    table.on(&[id::glDisableClientState], |step| state(step, false));
    table.on(&[id::glEnableClientStateiEXT, id::glEnableClientStateIndexedEXT], |step| indexed_state(step, true));
    table.on(&[id::glDisableClientStateiEXT, id::glDisableClientStateIndexedEXT], |step| indexed_state(step, false));
    table.on(&[id::glInterleavedArrays], interleaved);
    table.enabler(enable);
    table.on(&[id::glLockArraysEXT], |step| {
        let (first, count) = (step.int(0), step.int(1));
        if first < 0 || count <= 0 {
            return Err(Fault::invalid_value("invalid range of vertices"));
        }
        if step.context.vars.get(var::ARRAY_ELEMENT_LOCK_COUNT_EXT) != 0.0 {
            return Err(Fault::invalid_operation("the arrays are already locked"));
        }
        step.context.vars.set(var::ARRAY_ELEMENT_LOCK_FIRST_EXT, f64::from(first));
        step.context.vars.set(var::ARRAY_ELEMENT_LOCK_COUNT_EXT, f64::from(count));
        Ok(())
    });
    table.on(&[id::glUnlockArraysEXT], |step| {
        if step.context.vars.get(var::ARRAY_ELEMENT_LOCK_COUNT_EXT) == 0.0 {
            return Err(Fault::invalid_operation("the arrays are not locked"));
        }
        step.context.vars.set(var::ARRAY_ELEMENT_LOCK_FIRST_EXT, 0.0);
        step.context.vars.set(var::ARRAY_ELEMENT_LOCK_COUNT_EXT, 0.0);
        Ok(())
    });
}

/// Returns the format of an array's components: colours and normals are normalized.
pub fn legacy_format(slot: Slot, size: i32, kind: u32) -> Format {
    Format { normalized: matches!(slot, COLOR | SECONDARY_COLOR | NORMAL), ..Format::plain(size, kind) }
}

/// Returns the texture coordinates of the unit selected by `glClientActiveTexture`.
pub fn active(context: &Context) -> Slot {
    let unit = context.vars.name(var::CLIENT_ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0) as usize;
    TEX_COORD + unit.min(TEX_COORDS - 1)
}

/// Returns the texture coordinates of a unit, for commands that do not check it: Mesa uses the array at that index.
pub fn any_unit(unit: u32) -> Slot {
    TEX_COORD + (unit as usize).min(TEX_COORDS)
}

/// Returns the texture coordinates of a unit.
pub fn unit(facts: &Facts, unit: u32) -> Result<Slot, Fault> {
    let name = if facts.client == Client::Es1 { c::GL_MAX_TEXTURE_UNITS } else { c::GL_MAX_TEXTURE_COORDS };
    let units = facts.limits.integer(name, TEX_COORDS as i64).min(TEX_COORDS as i64) as u32;
    if unit < units {
        Ok(TEX_COORD + unit as usize)
    } else {
        Err(Fault::invalid_enum("the texture coordinate unit is too large"))
    }
}

fn sized(step: &mut Step<'_>, slot: Slot) -> Done {
    let rule = legacy_rule(step.facts(), slot);
    specify(step, slot, &rule, legacy_format(slot, step.int(0), step.name(1)), 2, 3)
}

fn sized_ext(step: &mut Step<'_>, slot: Slot) -> Done {
    let rule = legacy_rule(step.facts(), slot);
    specify(step, slot, &rule, legacy_format(slot, step.int(0), step.name(1)), 2, 4)
}

fn unsized_array(step: &mut Step<'_>, slot: Slot, size: i32) -> Done {
    let rule = legacy_rule(step.facts(), slot);
    specify(step, slot, &rule, legacy_format(slot, size, step.name(0)), 1, 2)
}

fn unsized_ext(step: &mut Step<'_>, slot: Slot, size: i32) -> Done {
    let rule = legacy_rule(step.facts(), slot);
    specify(step, slot, &rule, legacy_format(slot, size, step.name(0)), 1, 3)
}

/// Returns the array that `glEnableClientState` and similar commands mean.
pub fn client_state(context: &Context, name: u32) -> Option<Slot> {
    let old_es = context.facts.client == Client::Es1;
    let compatible = context.facts.client == Client::Compatibility;
    match name {
        c::GL_VERTEX_ARRAY => Some(POSITION),
        c::GL_NORMAL_ARRAY => Some(NORMAL),
        c::GL_COLOR_ARRAY => Some(COLOR),
        c::GL_TEXTURE_COORD_ARRAY => Some(active(context)),
        c::GL_INDEX_ARRAY if compatible => Some(INDEX),
        c::GL_EDGE_FLAG_ARRAY if compatible => Some(EDGE_FLAG),
        c::GL_FOG_COORD_ARRAY if compatible => Some(FOG_COORD),
        c::GL_SECONDARY_COLOR_ARRAY if compatible => Some(SECONDARY_COLOR),
        c::GL_POINT_SIZE_ARRAY_OES => Some(POINT_SIZE),
        _ => None,
    }
    .filter(|_| old_es || compatible)
}

/// Enables or disables a fixed-function array; returns false when there is none of that name.
fn set_client_state(step: &mut Step<'_>, array: u32, name: u32, enabled: bool) -> bool {
    let Some(slot) = client_state(step.context, name) else { return false };
    set_enabled(step, array, slot, enabled);
    true
}

/// Does the same, and for primitive restart, which is client state in `NV_primitive_restart`.
pub fn set_any_client_state(step: &mut Step<'_>, array: u32, name: u32, enabled: bool) -> bool {
    if name == c::GL_PRIMITIVE_RESTART_NV && step.facts().has("GL_NV_primitive_restart") {
        step.context.vars.set(var::PRIMITIVE_RESTART, f64::from(u8::from(enabled)));
        return true;
    }
    set_client_state(step, array, name, enabled)
}

/// Does the same for `glEnable` and `glDisable`, for the bound vertex array; `None` when it is not one of these.
fn enable(step: &mut Step<'_>, name: u32, index: Option<u32>, enabled: bool) -> Option<Done> {
    let array = step.context.vertex_array;
    let only_there = name == c::GL_POINT_SIZE_ARRAY_OES && step.facts().client != Client::Es1;
    if index.is_some() || only_there {
        return None;
    }
    set_client_state(step, array, name, enabled).then_some(Ok(()))
}

fn state(step: &mut Step<'_>, enabled: bool) -> Done {
    let (array, name) = (step.context.vertex_array, step.name(0));
    if set_any_client_state(step, array, name, enabled) {
        Ok(())
    } else {
        Err(Fault::invalid_enum("invalid vertex array"))
    }
}

fn indexed_state(step: &mut Step<'_>, enabled: bool) -> Done {
    if step.name(0) != c::GL_TEXTURE_COORD_ARRAY {
        return Err(Fault::invalid_enum("invalid vertex array of a texture unit"));
    }
    let slot = unit(step.facts(), step.name(1)).map_err(|fault| Fault::invalid_value(fault.why))?;
    let array = step.context.vertex_array;
    set_enabled(step, array, slot, enabled);
    Ok(())
}

/// One array of `glInterleavedArrays`: number of components, type, and offset in an element.
type Part = Option<(i32, u32, u32)>;

/// Returns texture coordinates, colour, normal, position and size of an element (GL 4.6 compatibility, table 10.9).
fn layout(name: u32) -> Option<(Part, Part, Part, Part, u32)> {
    const F: u32 = c::GL_FLOAT;
    const B: u32 = c::GL_UNSIGNED_BYTE;
    let float = |size: i32, at: u32| Some((size, F, at));
    Some(match name {
        c::GL_V2F => (None, None, None, float(2, 0), 8),
        c::GL_V3F => (None, None, None, float(3, 0), 12),
        c::GL_C4UB_V2F => (None, Some((4, B, 0)), None, float(2, 4), 12),
        c::GL_C4UB_V3F => (None, Some((4, B, 0)), None, float(3, 4), 16),
        c::GL_C3F_V3F => (None, float(3, 0), None, float(3, 12), 24),
        c::GL_N3F_V3F => (None, None, float(3, 0), float(3, 12), 24),
        c::GL_C4F_N3F_V3F => (None, float(4, 0), float(3, 16), float(3, 28), 40),
        c::GL_T2F_V3F => (float(2, 0), None, None, float(3, 8), 20),
        c::GL_T4F_V4F => (float(4, 0), None, None, float(4, 16), 32),
        c::GL_T2F_C4UB_V3F => (float(2, 0), Some((4, B, 8)), None, float(3, 12), 24),
        c::GL_T2F_C3F_V3F => (float(2, 0), float(3, 8), None, float(3, 20), 32),
        c::GL_T2F_N3F_V3F => (float(2, 0), None, float(3, 8), float(3, 20), 32),
        c::GL_T2F_C4F_N3F_V3F => (float(2, 0), float(4, 8), float(3, 24), float(3, 36), 48),
        c::GL_T4F_C4F_N3F_V4F => (float(4, 0), float(4, 16), float(3, 32), float(4, 44), 60),
        _ => return None,
    })
}

fn interleaved(step: &mut Step<'_>) -> Done {
    let (stride, pointer) = (step.int(1), step.word(2));
    if stride < 0 {
        return Err(Fault::invalid_value("the stride is negative"));
    }
    let (texture, colour, normal, position, size) =
        layout(step.name(0)).ok_or(Fault::invalid_enum("invalid interleaved array format"))?;
    let stride = if stride == 0 { size as i32 } else { stride };
    let (array, buffer) = (step.context.vertex_array, step.context.buffers.get(Point::Array));
    let coordinates = active(step.context);
    for slot in [EDGE_FLAG, INDEX] {
        set_enabled(step, array, slot, false);
    }
    // Equivalent to calling the commands for each array (GL 4.6 compatibility, 10.4.1).
    let mut fault = None;
    for (slot, part) in [(coordinates, texture), (COLOR, colour), (NORMAL, normal), (POSITION, position)] {
        set_enabled(step, array, slot, part.is_some());
        if let Some((size, kind, at)) = part {
            let place = pointer.wrapping_add(at.into());
            fault = fault.or(reservations(step, array, buffer, stride, place));
            put(step, array, slot, legacy_format(slot, size, kind), stride, buffer, place);
        }
    }
    fault.map_or(Ok(()), Err)
}
