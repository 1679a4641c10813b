//! Handles the commands that map, flush and unmap buffers.

use api::{CommandId, constant as c, id};

use super::action::{self, Action};
use super::maps::{self, Request};
use super::{PerShare, client, driver};
use crate::call::Call;
use crate::context::Context;
use crate::thread::Thread;

/// Runs before a command that ends or flushes maps.
pub fn before(call: &mut Call<'_>) {
    let args = &*call.args;
    let word = |index: usize| args.get(index).copied().unwrap_or(0);
    let Some(context) = call.context.as_mut() else { return };
    if action::of(call.command) == Action::Delete {
        for name in client::names(word(0), word(1)) {
            context.memory.bindings.delete(name);
        }
    }
    let thread = &mut *call.thread;
    match action::of(call.command) {
        Action::Replace => {
            let has_contents = word(2) != 0;
            if has_contents && !maps::tracks_storage() {
                return;
            }
            let Some(buffer) = buffer(thread, call.command, word(0) as u32) else { return };
            with(context, |share| share.maps.replace(buffer, has_contents));
        }
        Action::Delete if maps::tracks_storage() => {
            let list: Vec<u32> = client::names(word(0), word(1)).collect();
            with(context, |share| {
                for name in list {
                    share.maps.end(thread, name);
                    share.maps.replace(name, true);
                }
            });
        }
        _ if !maps::any() => {}
        Action::Unmap => {
            let Some(buffer) = buffer(thread, call.command, word(0) as u32) else { return };
            with(context, |share| share.maps.end(thread, buffer));
        }
        Action::Flush => {
            let Some(buffer) = buffer(thread, call.command, word(0) as u32) else { return };
            let (Ok(offset), Ok(size)) = (usize::try_from(word(1)), usize::try_from(word(2))) else { return };
            with(context, |share| share.maps.flush(thread, buffer, offset, size));
        }
        _ => {}
    }
}

/// Runs before a command that lets GL write to a buffer.
pub fn note_writer(call: &mut Call<'_>) {
    let target = call.args.first().map_or(0, |word| *word as u32);
    let may_write = match call.command {
        // Indexed bindings; uniform buffers alone are only read.
        id::glBindBufferBase
        | id::glBindBufferBaseEXT
        | id::glBindBufferBaseNV
        | id::glBindBufferRange
        | id::glBindBufferRangeEXT
        | id::glBindBufferRangeNV
        | id::glBindBuffersBase
        | id::glBindBuffersRange => target != c::GL_UNIFORM_BUFFER,
        id::glBindBufferOffsetEXT
        | id::glBindBufferOffsetNV
        | id::glTransformFeedbackBufferBase
        | id::glTransformFeedbackBufferRange
        | id::glBindImageTexture
        | id::glBindImageTextureEXT
        | id::glBindImageTextures => true,
        // Copies and clears matter while a persistent map exists.
        _ => maps::any_persistent(),
    };
    if may_write {
        maps::note_writer();
    }
}

/// Runs after a buffer has been mapped.
pub fn mapped(call: &mut Call<'_>) {
    if call.result == 0 {
        return;
    }
    let real = call.result as usize;
    let args = &*call.args;
    let word = |index: usize| args.get(index).copied().unwrap_or(0);
    let Some(context) = call.context.as_mut() else { return };
    let thread = &*call.thread;
    let first = word(0) as u32;
    let Some(buffer) = buffer(thread, call.command, first) else { return };
    let by_name = is_named(call.command);
    // The query of the same extension as the command, which is therefore available.
    let query = match call.command {
        id::glMapNamedBuffer | id::glMapNamedBufferRange => id::glGetNamedBufferParameteriv,
        id::glMapNamedBufferEXT | id::glMapNamedBufferRangeEXT => id::glGetNamedBufferParameterivEXT,
        id::glMapBufferARB => id::glGetBufferParameterivARB,
        _ => id::glGetBufferParameteriv,
    };
    let whole = usize::try_from(driver::by_name(thread, query, first, c::GL_BUFFER_SIZE)).unwrap_or(0);
    let request = match call.command {
        id::glMapBufferRange | id::glMapBufferRangeEXT | id::glMapNamedBufferRange | id::glMapNamedBufferRangeEXT => {
            let (Ok(offset), Ok(size)) = (usize::try_from(word(1)), usize::try_from(word(2))) else { return };
            Request { buffer, offset, size, access: word(3) as u32, whole: offset == 0 && size >= whole }
        }
        _ => {
            let access = match word(1) as u32 {
                c::GL_READ_ONLY => c::GL_MAP_READ_BIT,
                c::GL_WRITE_ONLY => c::GL_MAP_WRITE_BIT,
                _ => c::GL_MAP_READ_BIT | c::GL_MAP_WRITE_BIT,
            };
            Request { buffer, offset: 0, size: whole, access, whole: true }
        }
    };
    let can_ask = !context.memory.facts.es && !by_name;
    let old = |copy: &mut [u8]| {
        // SAFETY: the copy is as long as the range, which the driver has just mapped.
        can_ask && unsafe { driver::read_bound_buffer(thread, first, request.offset, copy.len(), copy.as_mut_ptr()) }
    };
    // SAFETY: the driver has mapped this many bytes at this address.
    let address = with(context, |share| unsafe { share.maps.begin(request, real, old) });
    call.result = address.unwrap_or(real) as u64;
}

/// Records what the program finds in a map, after the call's result is in the trace.
pub fn record_begin(call: &mut Call<'_>) {
    if call.result == 0 {
        return;
    }
    let first = call.args.first().map_or(0, |word| *word as u32);
    let Some(context) = call.context.as_mut() else { return };
    let thread = &mut *call.thread;
    let Some(buffer) = buffer(thread, call.command, first) else { return };
    with(context, |share| share.maps.record_begin(thread, buffer));
}

/// Replaces the driver's address in a query for a map's address by the one that the program was given.
pub fn translate(call: &mut Call<'_>) {
    let (Some(&pname), Some(&place)) = (call.args.get(1), call.args.get(2)) else { return };
    if !maps::any_persistent() || pname as u32 != c::GL_BUFFER_MAP_POINTER || place == 0 {
        return;
    }
    let Some(context) = call.context.as_mut() else { return };
    let place = place as *mut usize;
    // SAFETY: the driver has just written a pointer there.
    let real = unsafe { place.read_unaligned() };
    if let Some(Some(address)) = with(context, |share| share.maps.translate(real)) {
        // SAFETY: as above.
        unsafe { place.write_unaligned(address) };
    }
}

/// Publishes persistent maps, which GL may read.
pub fn publish(call: &mut Call<'_>) {
    let Some(context) = call.context.as_mut() else { return };
    let thread = &mut *call.thread;
    with(context, |share| share.maps.publish(thread));
}

/// Fetches GL's writes to persistent maps, because the program has waited for GL.
pub fn receive(call: &mut Call<'_>) {
    if !maps::any_persistent() {
        return;
    }
    let Some(context) = call.context.as_mut() else { return };
    let thread = &mut *call.thread;
    with(context, |share| share.maps.receive(thread));
}

/// Accesses the state of the share group. A poisoned lock is used all the same: recording has stopped.
fn with<T>(context: &Context, act: impl FnOnce(&mut PerShare) -> T) -> Option<T> {
    context.share.memory.lock().ok().map(|mut share| act(&mut share))
}

/// Returns whether the first parameter of a command is the name of a buffer, rather than a target.
fn is_named(command: CommandId) -> bool {
    matches!(
        command,
        id::glMapNamedBuffer
            | id::glMapNamedBufferEXT
            | id::glMapNamedBufferRange
            | id::glMapNamedBufferRangeEXT
            | id::glUnmapNamedBuffer
            | id::glUnmapNamedBufferEXT
            | id::glFlushMappedNamedBufferRange
            | id::glFlushMappedNamedBufferRangeEXT
            | id::glNamedBufferData
            | id::glNamedBufferDataEXT
            | id::glNamedBufferStorage
            | id::glNamedBufferStorageEXT
    )
}

/// Returns the buffer that a command is about. The driver is queried for the binding of a target: if it rejects the
/// target, it will also reject the program's call, with the same error.
fn buffer(thread: &Thread, command: CommandId, first: u32) -> Option<u32> {
    if is_named(command) {
        return Some(first);
    }
    let binding = match first {
        c::GL_ARRAY_BUFFER => c::GL_ARRAY_BUFFER_BINDING,
        c::GL_ELEMENT_ARRAY_BUFFER => c::GL_ELEMENT_ARRAY_BUFFER_BINDING,
        c::GL_PIXEL_PACK_BUFFER => c::GL_PIXEL_PACK_BUFFER_BINDING,
        c::GL_PIXEL_UNPACK_BUFFER => c::GL_PIXEL_UNPACK_BUFFER_BINDING,
        c::GL_UNIFORM_BUFFER => c::GL_UNIFORM_BUFFER_BINDING,
        // The binding of these three is queried by the target's own name.
        c::GL_TEXTURE_BUFFER => c::GL_TEXTURE_BUFFER,
        c::GL_COPY_READ_BUFFER => c::GL_COPY_READ_BUFFER,
        c::GL_COPY_WRITE_BUFFER => c::GL_COPY_WRITE_BUFFER,
        c::GL_TRANSFORM_FEEDBACK_BUFFER => c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
        c::GL_DRAW_INDIRECT_BUFFER => c::GL_DRAW_INDIRECT_BUFFER_BINDING,
        c::GL_SHADER_STORAGE_BUFFER => c::GL_SHADER_STORAGE_BUFFER_BINDING,
        c::GL_DISPATCH_INDIRECT_BUFFER => c::GL_DISPATCH_INDIRECT_BUFFER_BINDING,
        c::GL_QUERY_BUFFER => c::GL_QUERY_BUFFER_BINDING,
        c::GL_ATOMIC_COUNTER_BUFFER => c::GL_ATOMIC_COUNTER_BUFFER_BINDING,
        c::GL_PARAMETER_BUFFER => c::GL_PARAMETER_BUFFER_BINDING,
        _ => return None,
    };
    Some(driver::integer(thread, binding).cast_unsigned())
}
