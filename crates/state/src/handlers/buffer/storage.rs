//! Storage of buffers, and calls that write to it.

use api::{constant as c, id};

use super::super::Table;
use super::{BufferSelector, chosen, existing, is_desktop_or_es3, map, read, unsigned, write};
use crate::context::Client;
use crate::fault::Fault;
use crate::objects::buffer::{Buffer, BufferRef};
use crate::records::Origin;
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glBufferData, id::glBufferDataARB], |step| data(step, BufferSelector::Target));
    table.on(&[id::glNamedBufferData], |step| data(step, BufferSelector::Name));
    table.on(&[id::glNamedBufferDataEXT], |step| data(step, BufferSelector::NewName));
    table.on(&[id::glBufferStorage, id::glBufferStorageEXT], |step| storage(step, BufferSelector::Target));
    table.on(&[id::glNamedBufferStorage], |step| storage(step, BufferSelector::Name));
    table.on(&[id::glNamedBufferStorageEXT], |step| storage(step, BufferSelector::NewName));
    table.on(&[id::glBufferSubData, id::glBufferSubDataARB], |step| sub_data(step, BufferSelector::Target));
    table.on(&[id::glNamedBufferSubData], |step| sub_data(step, BufferSelector::Name));
    table.on(&[id::glNamedBufferSubDataEXT], |step| sub_data(step, BufferSelector::NewName));
    table.on(&[id::glGetBufferSubData, id::glGetBufferSubDataARB], |step| get_sub_data(step, BufferSelector::Target));
    table.on(&[id::glGetNamedBufferSubData], |step| get_sub_data(step, BufferSelector::Name));
    table.on(&[id::glGetNamedBufferSubDataEXT], |step| get_sub_data(step, BufferSelector::NewName));
    table.on(&[id::glCopyBufferSubData, id::glCopyBufferSubDataNV], copy);
    table.on(&[id::glCopyNamedBufferSubData], copy_named);
    table.on(&[id::glNamedCopyBufferSubDataEXT], copy_new_named);
    table.on(&[id::glInvalidateBufferData], invalidate);
    table.on(&[id::glInvalidateBufferSubData], invalidate_part);
}

const NEGATIVE: &str = "the size or the offset is negative";
const OUT_OF_RANGE: Fault = Fault::invalid_value("the range extends past the end of the buffer");
const MAPPED: Fault = Fault::invalid_operation("the buffer is mapped");

fn data(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    let size = unsigned(step.word(1), NEGATIVE)?;
    let usage = step.name(3);
    let known = match usage {
        c::GL_STREAM_DRAW => step.facts().client != Client::Es1,
        c::GL_STATIC_DRAW | c::GL_DYNAMIC_DRAW => true,
        c::GL_STREAM_READ
        | c::GL_STREAM_COPY
        | c::GL_STATIC_READ
        | c::GL_STATIC_COPY
        | c::GL_DYNAMIC_READ
        | c::GL_DYNAMIC_COPY => is_desktop_or_es3(step),
        _ => false,
    };
    if !known {
        return Err(Fault::invalid_enum("invalid buffer usage"));
    }
    if step.group.buffer(buffer).is_some_and(|found| found.immutable) {
        return Err(Fault::invalid_operation("the buffer's storage is immutable"));
    }
    replace(step, buffer, |buffer| {
        buffer.size = size;
        buffer.usage = usage;
        buffer.flags = c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT | c::GL_DYNAMIC_STORAGE_BIT;
    });
    Ok(())
}

fn storage(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    let size = step.word(1);
    if size.cast_signed() <= 0 {
        return Err(Fault::invalid_value("the size of immutable storage is 0"));
    }
    let flags = step.name(3);
    let sparse = if step.facts().has("GL_ARB_sparse_buffer") { c::GL_SPARSE_STORAGE_BIT_ARB } else { 0 };
    let known = c::GL_MAP_READ_BIT
        | c::GL_MAP_WRITE_BIT
        | c::GL_MAP_PERSISTENT_BIT
        | c::GL_MAP_COHERENT_BIT
        | c::GL_DYNAMIC_STORAGE_BIT
        | c::GL_CLIENT_STORAGE_BIT
        | sparse;
    let persistent = flags & c::GL_MAP_PERSISTENT_BIT != 0;
    if flags & !known != 0
        || flags & sparse != 0 && flags & (c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT) != 0
        || persistent && flags & (c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT) == 0
        || flags & c::GL_MAP_COHERENT_BIT != 0 && !persistent
    {
        return Err(Fault::invalid_value("the storage flags contradict each other"));
    }
    if step.group.buffer(buffer).is_some_and(|found| found.immutable) {
        return Err(Fault::invalid_operation("the buffer's storage is immutable"));
    }
    replace(step, buffer, |buffer| {
        buffer.size = size;
        buffer.usage = c::GL_DYNAMIC_DRAW;
        buffer.flags = flags;
        buffer.immutable = true;
    });
    Ok(())
}

/// Gives a buffer new storage, with the contents that the third argument points to.
fn replace(step: &mut Step<'_>, buffer: BufferRef, change: impl FnOnce(&mut Buffer)) {
    map::unmap_now(step.group, buffer);
    let Some(found) = step.group.buffer_mut(buffer) else { return };
    change(found);
    let size = found.size;
    found.records.replace(step.call.number, 0, Origin::Undefined);
    let origin = if step.word(2) == 0 { Origin::Undefined } else { Origin::Memory { param: 2, skip: 0 } };
    write(step, buffer, 0, size, origin);
}

/// Rejects ranges that are not within the buffer.
fn check(step: &Step<'_>, buffer: BufferRef, offset: u64, size: u64) -> Done {
    unsigned(size, NEGATIVE)?;
    unsigned(offset, NEGATIVE)?;
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    if offset + size > found.size { Err(OUT_OF_RANGE) } else { Ok(()) }
}

fn sub_data(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    let (offset, size) = (step.word(1), step.word(2));
    check(step, buffer, offset, size)?;
    if step.group.buffer(buffer).is_some_and(|found| map::touches(found, offset, size)) {
        return Err(MAPPED);
    }
    let fixed = |found: &Buffer| found.immutable && found.flags & c::GL_DYNAMIC_STORAGE_BIT == 0;
    if step.group.buffer(buffer).is_some_and(fixed) {
        return Err(Fault::invalid_operation("the buffer's storage lacks GL_DYNAMIC_STORAGE_BIT"));
    }
    if step.word(3) != 0 {
        write(step, buffer, offset, offset + size, Origin::Memory { param: 3, skip: 0 });
    }
    Ok(())
}

fn get_sub_data(step: &mut Step<'_>, selector: BufferSelector) -> Done {
    let buffer = chosen(step, selector)?;
    let (offset, size) = (step.word(1), step.word(2));
    check(step, buffer, offset, size)?;
    if step.group.buffer(buffer).is_some_and(Buffer::blocked) {
        return Err(MAPPED);
    }
    read(step, buffer, offset, offset + size);
    Ok(())
}

fn copy(step: &mut Step<'_>) -> Done {
    let from = chosen(step, BufferSelector::Target)?;
    let to = super::bound(step.context, step.name(1)).ok_or(Fault::invalid_enum("invalid buffer target"))?;
    if to.is_none() {
        return Err(Fault::invalid_operation("no buffer is bound to the target"));
    }
    copy_between(step, from, to)
}

fn copy_named(step: &mut Step<'_>) -> Done {
    let from = chosen(step, BufferSelector::Name)?;
    let to = existing(step.group, step.name(1)).ok_or(Fault::invalid_operation("no buffer has this name"))?;
    copy_between(step, from, to)
}

fn copy_new_named(step: &mut Step<'_>) -> Done {
    let from = super::made(step, step.name(0))?;
    let to = super::made(step, step.name(1))?;
    if from.is_none() || to.is_none() {
        return Err(Fault::invalid_value("0 is not a buffer"));
    }
    copy_between(step, from, to)
}

fn copy_between(step: &mut Step<'_>, from: BufferRef, to: BufferRef) -> Done {
    let (Some(source), Some(target)) = (step.group.buffer(from), step.group.buffer(to)) else { return Ok(()) };
    if source.blocked() || target.blocked() {
        return Err(MAPPED);
    }
    let first = unsigned(step.word(2), NEGATIVE)?;
    let place = unsigned(step.word(3), NEGATIVE)?;
    let size = unsigned(step.word(4), NEGATIVE)?;
    if first + size > source.size || place + size > target.size {
        return Err(OUT_OF_RANGE);
    }
    if from == to && first < place + size && place < first + size {
        return Err(Fault::invalid_value("the source and destination ranges of the copy overlap"));
    }
    read(step, from, first, first + size);
    write(step, to, place, place + size, Origin::Buffer { object: from.object, from: first });
    Ok(())
}

fn invalidate(step: &mut Step<'_>) -> Done {
    let buffer = existing(step.group, step.name(0)).ok_or(Fault::invalid_value("no buffer has this name"))?;
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    if found.blocked() {
        return Err(MAPPED);
    }
    let size = found.size;
    write(step, buffer, 0, size, Origin::Undefined);
    Ok(())
}

fn invalidate_part(step: &mut Step<'_>) -> Done {
    let buffer = existing(step.group, step.name(0)).ok_or(Fault::invalid_value("no buffer has this name"))?;
    let Some(found) = step.group.buffer(buffer) else { return Ok(()) };
    let (offset, size) = (unsigned(step.word(1), NEGATIVE)?, unsigned(step.word(2), NEGATIVE)?);
    if offset + size > found.size {
        return Err(OUT_OF_RANGE);
    }
    if map::touches(found, offset, size) {
        return Err(MAPPED);
    }
    write(step, buffer, offset, offset + size, Origin::Undefined);
    Ok(())
}
