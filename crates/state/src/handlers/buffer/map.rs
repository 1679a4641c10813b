//! Maps of buffers into the program's memory.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::{Way, chosen, read, unsigned, write};
use crate::call::Call;
use crate::context::Client;
use crate::fault::Fault;
use crate::model::Model;
use crate::notes::{Notes, Source, Thing};
use crate::objects::buffer::{Buffer, BufferRef, Map};
use crate::records::Origin;
use crate::share::ShareGroup;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glMapBuffer, id::glMapBufferARB, id::glMapBufferOES], |step| whole(step, Way::Target));
    table.on(&[id::glMapNamedBuffer], |step| whole(step, Way::Name));
    table.on(&[id::glMapNamedBufferEXT], |step| whole(step, Way::NewName));
    table.on(&[id::glMapBufferRange, id::glMapBufferRangeEXT], |step| range(step, Way::Target));
    table.on(&[id::glMapNamedBufferRange], |step| range(step, Way::Name));
    table.on(&[id::glMapNamedBufferRangeEXT], |step| range(step, Way::NewName));
    table.on(&[id::glUnmapBuffer, id::glUnmapBufferARB, id::glUnmapBufferOES], |step| unmap(step, Way::Target));
    table.on(&[id::glUnmapNamedBuffer, id::glUnmapNamedBufferEXT], |step| unmap(step, Way::Name));
    table.on(&[id::glFlushMappedBufferRange, id::glFlushMappedBufferRangeEXT], |step| flush(step, Way::Target));
    table.on(&[id::glFlushMappedNamedBufferRange], |step| flush(step, Way::Name));
    table.on(&[id::glFlushMappedNamedBufferRangeEXT], |step| flush(step, Way::NewName));
}

const NEGATIVE: &str = "there is no negative size or offset";

fn whole(step: &mut Step<'_>, way: Way) -> Done {
    if way == Way::NewName && step.name(0) == 0 {
        return Err(Fault::invalid_operation("0 is no buffer"));
    }
    let desktop = matches!(step.facts().client, Client::Compatibility | Client::Core);
    let access = match step.name(1) {
        c::GL_WRITE_ONLY => c::GL_MAP_WRITE_BIT,
        c::GL_READ_ONLY if desktop => c::GL_MAP_READ_BIT,
        c::GL_READ_WRITE if desktop => c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT,
        _ => return Err(Fault::invalid_enum("there is no such access to buffers")),
    };
    let buffer = chosen(step, way)?;
    let size = step.group.buffer(buffer).map_or(0, |found| found.size);
    map(step, buffer, 0, size, access)
}

fn range(step: &mut Step<'_>, way: Way) -> Done {
    let buffer = chosen(step, way)?;
    map(step, buffer, step.word(1), step.word(2), step.name(3))
}

fn map(step: &mut Step<'_>, buffer: BufferRef, offset: u64, length: u64, access: u32) -> Done {
    const INVALIDATING: u32 = c::GL_MAP_INVALIDATE_RANGE_BIT | c::GL_MAP_INVALIDATE_BUFFER_BIT;
    unsigned(offset, NEGATIVE)?;
    unsigned(length, NEGATIVE)?;
    if length == 0 {
        return Err(Fault::invalid_operation("a map has at least one byte"));
    }
    let facts = step.facts();
    let lasting = if facts.desktop(4, 4) || facts.has("GL_ARB_buffer_storage") || facts.has("GL_EXT_buffer_storage") {
        c::GL_MAP_PERSISTENT_BIT | c::GL_MAP_COHERENT_BIT
    } else {
        0
    };
    let known = c::GL_MAP_READ_BIT
        | c::GL_MAP_WRITE_BIT
        | INVALIDATING
        | c::GL_MAP_FLUSH_EXPLICIT_BIT
        | c::GL_MAP_UNSYNCHRONIZED_BIT
        | lasting;
    if access & !known != 0 {
        return Err(Fault::invalid_value("there are bits that mean nothing"));
    }
    let (reading, writing) = (access & c::GL_MAP_READ_BIT != 0, access & c::GL_MAP_WRITE_BIT != 0);
    if !reading && !writing {
        return Err(Fault::invalid_operation("a map is for reading or for writing"));
    }
    if reading && access & (INVALIDATING | c::GL_MAP_UNSYNCHRONIZED_BIT) != 0 {
        return Err(Fault::invalid_operation("what is read cannot be invalidated or written at the same time"));
    }
    if access & c::GL_MAP_FLUSH_EXPLICIT_BIT != 0 && !writing {
        return Err(Fault::invalid_operation("only what is written can be flushed"));
    }
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    let wanted = access & (c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT | lasting);
    if wanted & !found.flags != 0 {
        return Err(Fault::invalid_operation("the buffer's storage was not made for such a map"));
    }
    if offset + length > found.size {
        return Err(Fault::invalid_value("the range ends behind the buffer"));
    }
    if found.map.is_some() {
        return Err(Fault::invalid_operation("the buffer is mapped already"));
    }
    let address = step.call.result.unwrap_or(0);
    if address == 0 {
        return Err(Fault { error: c::GL_OUT_OF_MEMORY, why: "the driver had no memory for the map" });
    }
    let size = found.size;
    if let Some(found) = step.group.buffer_mut(buffer) {
        found.map = Some(Map { address, offset, length, access });
    }
    step.group.maps.insert(address, buffer);
    if access & c::GL_MAP_INVALIDATE_BUFFER_BIT != 0 {
        write(step, buffer, 0, size, Origin::Nobody);
    } else if access & c::GL_MAP_INVALIDATE_RANGE_BIT != 0 {
        write(step, buffer, offset, offset + length, Origin::Nobody);
    }
    if reading {
        read(step, buffer, offset, offset + length);
    }
    Ok(())
}

fn unmap(step: &mut Step<'_>, way: Way) -> Done {
    let buffer = chosen(step, way)?;
    if step.group.buffer(buffer).is_some_and(|found| found.map.is_none()) {
        return Err(Fault::invalid_operation("the buffer is not mapped"));
    }
    unmap_now(step.group, buffer);
    Ok(())
}

/// Ends the map of a buffer, if there is one.
pub fn unmap_now(group: &mut ShareGroup, buffer: BufferRef) {
    let Some(map) = group.buffer(buffer).and_then(|found| found.map) else { return };
    if group.maps.get(&map.address) == Some(&buffer) {
        group.maps.remove(&map.address);
    }
    if let Some(found) = group.buffer_mut(buffer) {
        found.map = None;
    }
}

fn flush(step: &mut Step<'_>, way: Way) -> Done {
    let buffer = chosen(step, way)?;
    let (offset, length) = (unsigned(step.word(1), NEGATIVE)?, unsigned(step.word(2), NEGATIVE)?);
    let map = step.group.buffer(buffer).and_then(|found| found.map);
    let map = map.ok_or(Fault::invalid_operation("the buffer is not mapped"))?;
    if map.access & c::GL_MAP_FLUSH_EXPLICIT_BIT == 0 {
        return Err(Fault::invalid_operation("the map is not one that is flushed"));
    }
    if offset + length > map.length {
        return Err(Fault::invalid_value("the range ends behind the map"));
    }
    Ok(())
}

/// Whether a range of a buffer is mapped so that GL may not touch it.
pub fn touches(buffer: &Buffer, offset: u64, size: u64) -> bool {
    buffer.blocked() && buffer.map.is_some_and(|map| offset < map.offset + map.length && map.offset < offset + size)
}

/// The program wrote bytes through a map (`afiMemory`).
pub fn memory(model: &mut Model, call: &Call<'_>, notes: Option<&mut dyn Notes>) {
    let word = |index: usize| call.args.get(index).copied().unwrap_or(0);
    let (address, offset, size) = (word(0), word(1), word(2));
    // Addresses are those of the process, so no two groups have the same.
    let Some(group) = model.groups.iter_mut().find(|group| group.maps.contains_key(&address)) else { return };
    let group = Arc::make_mut(group);
    let Some(buffer) = group.maps.get(&address).copied() else { return };
    let Some(found) = group.buffer_mut(buffer) else { return };
    let Some(map) = found.map else { return };
    let from = map.offset.saturating_add(offset);
    let to = from.saturating_add(size).min(found.size);
    if from >= to {
        return;
    }
    found.records.write(call.number, from, to, Origin::Memory { param: 3, skip: 0 });
    if let Some(notes) = notes {
        let whole = from == 0 && to == found.size;
        notes.writes(Thing::Buffer { object: buffer.object, from, to }, Source::Memory { param: 3, whole });
    }
}
