//! Maps of buffers into the program's memory.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::{BufferSelector, chosen, read, unsigned, write};
use crate::call::Call;
use crate::context::Client;
use crate::fault::Fault;
use crate::model::Model;
use crate::objects::buffer::{Buffer, BufferRef, Map};
use crate::observer::{CallObserver, ContentsRef, Source};
use crate::records::Origin;
use crate::share::ShareGroup;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glMapBuffer, id::glMapBufferARB, id::glMapBufferOES], |step| whole(step, BufferSelector::Target));
    table.on(&[id::glMapNamedBuffer], |step| whole(step, BufferSelector::Name));
    table.on(&[id::glMapNamedBufferEXT], |step| whole(step, BufferSelector::NewName));
    table.on(&[id::glMapBufferRange, id::glMapBufferRangeEXT], |step| range(step, BufferSelector::Target));
    table.on(&[id::glMapNamedBufferRange], |step| range(step, BufferSelector::Name));
    table.on(&[id::glMapNamedBufferRangeEXT], |step| range(step, BufferSelector::NewName));
    table.on(&[id::glUnmapBuffer, id::glUnmapBufferARB, id::glUnmapBufferOES], |step| {
        unmap(step, BufferSelector::Target)
    });
    table.on(&[id::glUnmapNamedBuffer, id::glUnmapNamedBufferEXT], |step| unmap(step, BufferSelector::Name));
    table.on(&[id::glFlushMappedBufferRange, id::glFlushMappedBufferRangeEXT], |step| {
        flush(step, BufferSelector::Target)
    });
    table.on(&[id::glFlushMappedNamedBufferRange], |step| flush(step, BufferSelector::Name));
    table.on(&[id::glFlushMappedNamedBufferRangeEXT], |step| flush(step, BufferSelector::NewName));
}

const NEGATIVE: &str = "the size or the offset is negative";

fn whole(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    if selector == BufferSelector::NewName && step.name(0) == 0 {
        return Err(Fault::invalid_operation("0 is not a buffer"));
    }
    let desktop = matches!(step.facts().client, Client::Compatibility | Client::Core);
    let access = match step.name(1) {
        c::GL_WRITE_ONLY => c::GL_MAP_WRITE_BIT,
        c::GL_READ_ONLY if desktop => c::GL_MAP_READ_BIT,
        c::GL_READ_WRITE if desktop => c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT,
        _ => return Err(Fault::invalid_enum("invalid buffer access")),
    };
    let buffer = chosen(step, selector)?;
    let size = step.group.buffer(buffer).map_or(0, |found| found.size);
    map(step, buffer, 0, size, access)
}

fn range(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    map(step, buffer, step.word(1), step.word(2), step.name(3))
}

fn map(step: &mut Step<'_>, buffer: BufferRef, offset: u64, length: u64, access: u32) -> Done {
    const INVALIDATING: u32 = c::GL_MAP_INVALIDATE_RANGE_BIT | c::GL_MAP_INVALIDATE_BUFFER_BIT;
    unsigned(offset, NEGATIVE)?;
    unsigned(length, NEGATIVE)?;
    if length == 0 {
        return Err(Fault::invalid_operation("the length of the map is 0"));
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
        return Err(Fault::invalid_value("the bit mask has invalid bits"));
    }
    let (reading, writing) = (access & c::GL_MAP_READ_BIT != 0, access & c::GL_MAP_WRITE_BIT != 0);
    if !reading && !writing {
        return Err(Fault::invalid_operation("the map has neither GL_MAP_READ_BIT nor GL_MAP_WRITE_BIT"));
    }
    if reading && access & (INVALIDATING | c::GL_MAP_UNSYNCHRONIZED_BIT) != 0 {
        return Err(Fault::invalid_operation(
            "GL_MAP_READ_BIT cannot be combined with invalidate or unsynchronized bits",
        ));
    }
    if access & c::GL_MAP_FLUSH_EXPLICIT_BIT != 0 && !writing {
        return Err(Fault::invalid_operation("GL_MAP_FLUSH_EXPLICIT_BIT requires GL_MAP_WRITE_BIT"));
    }
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    let wanted = access & (c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT | lasting);
    if wanted & !found.flags != 0 {
        return Err(Fault::invalid_operation("the buffer's storage flags do not allow this map"));
    }
    if offset + length > found.size {
        return Err(Fault::invalid_value("the range extends past the end of the buffer"));
    }
    if found.map.is_some() {
        return Err(Fault::invalid_operation("the buffer is already mapped"));
    }
    let address = step.call.result.unwrap_or(0);
    if address == 0 {
        return Err(Fault { error: c::GL_OUT_OF_MEMORY, why: "the driver ran out of memory" });
    }
    let size = found.size;
    if let Some(found) = step.group.buffer_mut(buffer) {
        found.map = Some(Map { address, offset, length, access });
    }
    step.group.maps.insert(address, buffer);
    if access & c::GL_MAP_INVALIDATE_BUFFER_BIT != 0 {
        write(step, buffer, 0, size, Origin::Undefined);
    } else if access & c::GL_MAP_INVALIDATE_RANGE_BIT != 0 {
        write(step, buffer, offset, offset + length, Origin::Undefined);
    }
    if reading {
        read(step, buffer, offset, offset + length);
    }
    Ok(())
}

fn unmap(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
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

fn flush(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    let (offset, length) = (unsigned(step.word(1), NEGATIVE)?, unsigned(step.word(2), NEGATIVE)?);
    let map = step.group.buffer(buffer).and_then(|found| found.map);
    let map = map.ok_or(Fault::invalid_operation("the buffer is not mapped"))?;
    if map.access & c::GL_MAP_FLUSH_EXPLICIT_BIT == 0 {
        return Err(Fault::invalid_operation("the map lacks GL_MAP_FLUSH_EXPLICIT_BIT"));
    }
    if offset + length > map.length {
        return Err(Fault::invalid_value("the range extends past the end of the map"));
    }
    Ok(())
}

/// Returns whether a range of a buffer overlaps a map that GL must not access.
pub fn touches(buffer: &Buffer, offset: u64, size: u64) -> bool {
    buffer.blocked() && buffer.map.is_some_and(|map| offset < map.offset + map.length && map.offset < offset + size)
}

/// Applies the program's writes through a map (`afiMemory`).
pub fn memory(model: &mut Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
    let word = |index: usize| call.args.get(index).copied().unwrap_or(0);
    let (address, offset, size) = (word(0), word(1), word(2));
    // Addresses are those of the process, so they are unique across groups.
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
    if let Some(observer) = observer {
        let whole = from == 0 && to == found.size;
        observer.writes(ContentsRef::Buffer { object: buffer.object, from, to }, Source::Memory { param: 3, whole });
    }
}
