//! What tracers call: the functions of `include/afterimage_tracer.h`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use api::{COMMANDS, CommandId};

use super::{provider_of_callback, registry};
use crate::{guard, loader, real};

/// The version of the interface; a tracer is told when it is loaded.
pub(super) const VERSION: u32 = 1;

/// Makes a tracer.
///
/// # Safety
/// The functions must be null or of the types that the header gives them, and must be there until the tracer is destroyed.
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

/// Disables a tracer and waits for the calls it takes part in.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn afterimage_tracer_destroy(tracer: u64) -> c_int {
    number(|| registry::destroy(tracer))
}

/// The driver's function of that name.
///
/// # Safety
/// `name` must be null or a text that ends with zero.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_real(name: *const c_char) -> *mut c_void {
    guard::run(|| {
        // SAFETY: as the caller promises.
        let command = unsafe { named(name) }?;
        real::function(provider_of_callback(), command)
    })
    .flatten()
    .map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// The library's function of that name.
///
/// # Safety
/// `name` must be null or a text that ends with zero.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_recorded(name: *const c_char) -> *mut c_void {
    guard::run(|| {
        // SAFETY: as the caller promises.
        let command = unsafe { named(name) }?;
        loader::hook_of(provider_of_callback(), command)
    })
    .flatten()
    .map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// The number of a command, or -1.
///
/// # Safety
/// `name` must be null or a text that ends with zero.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn afterimage_command(name: *const c_char) -> i32 {
    guard::run(|| {
        // SAFETY: as the caller promises.
        unsafe { named(name) }
    })
    .flatten()
    .map_or(-1, |command| i32::from(command.0))
}

/// The name of a command as a text that ends with zero. Made once, when somebody asks, and kept.
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
                // SAFETY: it was made above and nobody else has it.
                drop(unsafe { CString::from_raw(new) });
                theirs
            }
        };
    }
    name.cast_const().cast()
}

/// # Safety
/// `name` must be null or a text that ends with zero.
unsafe fn named(name: *const c_char) -> Option<CommandId> {
    if name.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    loader::hooked(unsafe { CStr::from_ptr(name) })
}

fn number(part: impl FnOnce() -> Result<(), i32>) -> c_int {
    match guard::run(part) {
        Some(Ok(())) => 0,
        Some(Err(number)) => number,
        None => libc::EINVAL,
    }
}
