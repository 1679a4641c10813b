//! Making contexts current, and destroying them.

use std::ptr;

use api::{CommandId, id};

use super::create::{ContextRequest, add_context};
use super::glx::word;
use super::{ContextPtr, REGISTRY, Registry, System, describe, image, surface};
use crate::call::Call;
use crate::context::Context;
use crate::thread::ThreadState;
use crate::{exit, facts};

const SWITCHES: [CommandId; 11] = [
    id::eglDestroyContext,
    id::eglDestroySurface,
    id::eglMakeCurrent,
    id::eglReleaseThread,
    id::glXDestroyContext,
    id::glXDestroyPbuffer,
    id::glXDestroyPixmap,
    id::glXDestroyWindow,
    id::glXMakeContextCurrent,
    id::glXMakeCurrent,
    id::glXMakeCurrentReadSGI,
];

/// The arguments of a command that makes a context current.
#[derive(Clone, Copy, Debug)]
struct Switch {
    system: System,
    display: u64,
    draw: u64,
    read: u64,
    context: u64,
}

/// Returns whether a command changes what is current, or destroys something that may be.
pub(super) fn is_switch(id: CommandId) -> bool {
    SWITCHES.contains(&id)
}

fn switch(command: CommandId, args: &[u64]) -> Option<Switch> {
    let display = word(args, 0);
    let glx = |draw, read, context| {
        Some(Switch {
            system: System::Glx,
            display,
            draw: word(args, draw),
            read: word(args, read),
            context: word(args, context),
        })
    };
    match command {
        id::glXMakeCurrent => glx(1, 1, 2),
        id::glXMakeContextCurrent | id::glXMakeCurrentReadSGI => glx(1, 2, 3),
        id::eglMakeCurrent => Some(Switch {
            system: System::Egl,
            display,
            draw: word(args, 1),
            read: word(args, 2),
            context: word(args, 3),
        }),
        id::eglReleaseThread => Some(Switch { system: System::Egl, display: 0, draw: 0, read: 0, context: 0 }),
        _ => None,
    }
}

/// Records the current context if the call may release it: the last opportunity to read what it has drawn.
pub(super) fn before(call: &mut Call<'_>) {
    let Some(context) = call.context.as_deref() else { return };
    let leaves = match switch(call.command, call.args) {
        Some(switch) => switch.context != context.handle,
        None => {
            let destroys = call.command == id::eglDestroyContext || call.command == id::glXDestroyContext;
            destroys && word(call.args, 1) == context.handle
        }
    };
    if leaves {
        image::before_release(call);
    }
}

/// Runs after a command that changes what is current.
pub(super) fn after(state: &ThreadState, command: CommandId, args: &[u64], result: u64) {
    match command {
        id::eglDestroyContext if result as u32 != 0 => forget_context(System::Egl, word(args, 1)),
        id::glXDestroyContext => forget_context(System::Glx, word(args, 1)),
        id::eglDestroySurface if result as u32 != 0 => surface::forget(System::Egl, word(args, 1)),
        id::glXDestroyPbuffer | id::glXDestroyPixmap | id::glXDestroyWindow => {
            surface::forget(System::Glx, word(args, 1))
        }
        _ => {
            if let Some(switch) = switch(command, args)
                && result as u32 != 0
            {
                make_current(state, switch);
            }
        }
    }
}

/// Runs when a thread ends, possibly with a current context.
pub(super) fn thread_ends(state: &ThreadState) {
    if !state.context.get().is_null() {
        replace_current(state, ptr::null_mut());
        // SAFETY: the state's own thread, which is in no call; the reference is dropped at the end of this statement.
        unsafe { state.thread() }.emit(id::afiCurrent, &[0, 0, 0], &[]);
    }
}

fn make_current(state: &ThreadState, switch: Switch) {
    // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this function.
    let thread = unsafe { state.thread() };
    let context = if switch.context == 0 {
        ptr::null_mut()
    } else {
        let known = known_context(switch.system, switch.context);
        if known.is_null() {
            add_context(thread, switch.system, switch.context, ContextRequest::default())
        } else {
            known
        }
    };
    let draw = surface::number(thread, switch.system, switch.display, switch.draw);
    let read = if switch.read == switch.draw {
        draw
    } else {
        surface::number(thread, switch.system, switch.display, switch.read)
    };
    replace_current(state, context);
    // SAFETY: null, or a context that is now current in this thread only.
    let number = match unsafe { context.as_mut() } {
        Some(context) => {
            context.surfaces = (draw, read);
            if !context.described {
                context.described = true;
                describe::describe(thread, context);
                facts::tell_limits(thread, context);
            }
            let format = Some(context.format);
            surface::update_size(thread, draw, Some(&mut *context), format);
            if read != draw {
                surface::update_size(thread, read, Some(&mut *context), format);
            }
            context.number
        }
        None => 0,
    };
    thread.emit(id::afiCurrent, &[u64::from(number), u64::from(draw), u64::from(read)], &[]);
    exit::watch();
}

fn known_context(system: System, handle: u64) -> *mut Context {
    let Ok(world) = REGISTRY.lock() else { return ptr::null_mut() };
    let known = world.contexts.iter().find(|known| known.system == system && known.handle == handle);
    known.map_or(ptr::null_mut(), |known| known.context.0)
}

/// Sets the current context of this thread. The previous one is freed if it has been destroyed.
fn replace_current(state: &ThreadState, context: *mut Context) {
    let Ok(mut world) = REGISTRY.lock() else { return };
    let before = state.context.replace(context);
    if before == context {
        return;
    }
    if !context.is_null() {
        world.current.push(ContextPtr(context));
    }
    if let Some(index) = world.current.iter().position(|current| *current == ContextPtr(before)) {
        world.current.swap_remove(index);
    }
    free_unless_used(&world, before);
}

/// Removes a context that the program has destroyed. A current one exists until it is released (GLX 1.4, 3.3.7; EGL
/// 1.5, 3.7.2).
fn forget_context(system: System, handle: u64) {
    let Ok(mut world) = REGISTRY.lock() else { return };
    let Some(index) = world.contexts.iter().position(|known| known.system == system && known.handle == handle) else {
        return;
    };
    let known = world.contexts.swap_remove(index);
    free_unless_used(&world, known.context.0);
}

/// Frees a context that has no handle and is not current in any thread.
fn free_unless_used(world: &Registry, context: *mut Context) {
    let used = world.contexts.iter().any(|known| known.context == ContextPtr(context))
        || world.current.contains(&ContextPtr(context));
    if !context.is_null() && !used {
        // SAFETY: it comes from `Box::into_raw` in `add_context`; no list contains it any more, and no thread uses it.
        drop(unsafe { Box::from_raw(context) });
    }
}
