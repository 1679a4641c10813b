//! The functions of `include/afterimage_tracer.h`, which tracers call.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use api::{COMMANDS, CommandId};

use super::{provider_of_callback, registry};
use crate::{guard, loader, real};

/// The version of the interface, passed to a tracer when it is loaded.
pub(super) const VERSION: u32 = 1;

/// Creates a tracer.
///
/// # Safety
/// The functions must be null or have the types given in the header, and must stay valid until the tracer is destroyed.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_tracer_create(
    prologue: *mut c_void,
    epilogue: *mut c_void,
    data: *mut c_void,
) -> u64 {
    guard::run(|| registry::create(prologue, epilogue, data)).flatten().unwrap_or(0)
}

/// Enables a tracer.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn afterimage_tracer_enable(tracer: u64) -> c_int {
    number(|| registry::set_enabled(tracer, true))
}

/// Disables a tracer.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn afterimage_tracer_disable(tracer: u64) -> c_int {
    number(|| registry::set_enabled(tracer, false))
}

/// Disables a tracer and waits for the calls that it takes part in.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn afterimage_tracer_destroy(tracer: u64) -> c_int {
    number(|| registry::destroy(tracer))
}

/// Returns the driver's function of that name.
///
/// # Safety
/// `name` must be null or a NUL-terminated string.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_real(name: *const c_char) -> *mut c_void {
    guard::run(|| {
        // SAFETY: guaranteed by the caller.
        let command = unsafe { named(name) }?;
        real::function(provider_of_callback(), command)
    })
    .flatten()
    .map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// Returns this library's function of that name.
///
/// # Safety
/// `name` must be null or a NUL-terminated string.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_recorded(name: *const c_char) -> *mut c_void {
    guard::run(|| {
        // SAFETY: guaranteed by the caller.
        let command = unsafe { named(name) }?;
        loader::hook_of(provider_of_callback(), command)
    })
    .flatten()
    .map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// Returns the number of a command, or -1.
///
/// # Safety
/// `name` must be null or a NUL-terminated string.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_command(name: *const c_char) -> i32 {
    guard::run(|| {
        // SAFETY: guaranteed by the caller.
        unsafe { named(name) }
    })
    .flatten()
    .map_or(-1, |command| i32::from(command.0))
}

/// Returns the name of a command as a NUL-terminated string, which is created at the first request and kept.
pub(super) fn c_name(command: CommandId) -> *const u8 {
    static NAMES: [AtomicPtr<c_char>; COMMANDS.len()] = [const { AtomicPtr::new(ptr::null_mut()) }; COMMANDS.len()];
    let index = usize::from(command.0);
    let (Some(place), Some(known)) = (NAMES.get(index), COMMANDS.get(index)) else { return c"".as_ptr().cast() };
    let mut name = place.load(Acquire);
    if name.is_null() {
        let Ok(text) = CString::new(known.name) else { return c"".as_ptr().cast() };
        let new = text.into_raw();
        name = match place.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(theirs) => {
                // SAFETY: it was made above and has no other user.
                drop(unsafe { CString::from_raw(new) });
                theirs
            }
        };
    }
    name.cast_const().cast()
}

/// # Safety
/// `name` must be null or a NUL-terminated string.
unsafe fn named(name: *const c_char) -> Option<CommandId> {
    if name.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller.
    loader::hooked(unsafe { CStr::from_ptr(name) })
}

fn number(part: impl FnOnce() -> Result<(), i32>) -> c_int {
    match guard::run(part) {
        Some(Ok(())) => 0,
        Some(Err(number)) => number,
        None => libc::EINVAL,
    }
}
