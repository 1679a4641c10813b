//! Arrays of fixed functions.

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
    // The commands of `EXT_vertex_array` say also how many elements there are; GL needs no such promise.
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
            return Err(Fault::invalid_value("there is no such range of vertices"));
        }
        if step.context.vars.get(var::ARRAY_ELEMENT_LOCK_COUNT_EXT) != 0.0 {
            return Err(Fault::invalid_operation("the arrays are locked already"));
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

/// How components of an array are converted: colours are normalized, and so are normals.
pub fn legacy_format(slot: Slot, size: i32, kind: u32) -> Format {
    Format { normalized: matches!(slot, COLOR | SECONDARY_COLOR | NORMAL), ..Format::plain(size, kind) }
}

/// The texture coordinates of the unit that `glClientActiveTexture` chose.
pub fn active(context: &Context) -> Slot {
    let unit = context.vars.name(var::CLIENT_ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0) as usize;
    TEX_COORD + unit.min(TEX_COORDS - 1)
}

/// The texture coordinates of a unit, by commands that do not ask whether there is one: Mesa takes what comes next.
pub fn any_unit(unit: u32) -> Slot {
    TEX_COORD + (unit as usize).min(TEX_COORDS)
}

/// The texture coordinates of a unit.
pub fn unit(facts: &Facts, unit: u32) -> Result<Slot, Fault> {
    let name = if facts.client == Client::Es1 { c::GL_MAX_TEXTURE_UNITS } else { c::GL_MAX_TEXTURE_COORDS };
    let units = facts.limits.integer(name, TEX_COORDS as i64).min(TEX_COORDS as i64) as u32;
    if unit < units {
        Ok(TEX_COORD + unit as usize)
    } else {
        Err(Fault::invalid_enum("there is no such unit of texture coordinates"))
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

/// The array that `glEnableClientState` and others call so.
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

/// Says whether an array of fixed functions is used; false when there is none of that name.
fn set_client_state(step: &mut Step<'_>, array: u32, name: u32, enabled: bool) -> bool {
    let Some(slot) = client_state(step.context, name) else { return false };
    set_enabled(step, array, slot, enabled);
    true
}

/// The same, and primitive restart, which is client state in `NV_primitive_restart`.
pub fn set_any_client_state(step: &mut Step<'_>, array: u32, name: u32, enabled: bool) -> bool {
    if name == c::GL_PRIMITIVE_RESTART_NV && step.facts().has("GL_NV_primitive_restart") {
        step.context.vars.set(var::PRIMITIVE_RESTART, f64::from(u8::from(enabled)));
        return true;
    }
    set_client_state(step, array, name, enabled)
}

/// The same for `glEnable` and `glDisable`, of the vertex array that is bound; nothing when it is none of these.
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
        Err(Fault::invalid_enum("there is no such array"))
    }
}

fn indexed_state(step: &mut Step<'_>, enabled: bool) -> Done {
    if step.name(0) != c::GL_TEXTURE_COORD_ARRAY {
        return Err(Fault::invalid_enum("there is no such array for each unit"));
    }
    let slot = unit(step.facts(), step.name(1)).map_err(|fault| Fault::invalid_value(fault.why))?;
    let array = step.context.vertex_array;
    set_enabled(step, array, slot, enabled);
    Ok(())
}

/// One array of `glInterleavedArrays`: how many components, of which type, and where in an element.
type Part = Option<(i32, u32, u32)>;

/// Texture coordinates, colour, normal, position and size of an element (GL 4.6 compatibility, table 10.4).
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
        return Err(Fault::invalid_value("there is no negative stride"));
    }
    let (texture, colour, normal, position, size) =
        layout(step.name(0)).ok_or(Fault::invalid_enum("there is no such layout of elements"))?;
    let stride = if stride == 0 { size as i32 } else { stride };
    let (array, buffer) = (step.context.vertex_array, step.context.buffers.get(Point::Array));
    let coordinates = active(step.context);
    for slot in [EDGE_FLAG, INDEX] {
        set_enabled(step, array, slot, false);
    }
    // This is as if the commands for each array were called (GL 4.6 compatibility, 10.3.6).
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
