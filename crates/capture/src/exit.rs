//! Detects the end of the program before any exit handler runs.
//!
//! Drivers clean up in exit handlers that they register whenever something is first needed, so a handler of ours might
//! run after theirs. Instead, `exit` is hooked, and the return from `main` is seen because `main` is called through
//! this library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicPtr, AtomicU8};

use crate::{guard, loader, window};

type Exit = unsafe extern "C-unwind" fn(c_int) -> !;
type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type Start = unsafe extern "C-unwind" fn(
    Main,
    c_int,
    *mut *mut c_char,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// Returns whether the program is exiting: from then on the driver may be partly shut down and must not be called.
pub fn has_begun() -> bool {
    BEGUN.load(Acquire) != 0
}

/// Registers an exit handler that notices, though late, the exit of a program that ends in another way, such as with
/// its last thread.
pub fn watch() {
    static WATCHED: AtomicU8 = AtomicU8::new(0);
    extern "C" fn handler() {
        BEGUN.store(1, Release);
    }
    if WATCHED.swap(1, AcqRel) == 0 {
        // SAFETY: the function is in this library, which is never unloaded.
        unsafe { libc::atexit(handler) };
    }
}

static BEGUN: AtomicU8 = AtomicU8::new(0);

/// The program's `main`.
static MAIN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Marks the program as exiting.
fn begin() {
    if BEGUN.load(Acquire) == 0 {
        guard::run(window::before_exit);
        BEGUN.store(1, Release);
    }
}

/// The hook of `exit`.
///
/// # Safety
/// As for the C library's `exit`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C-unwind" fn exit(status: c_int) -> ! {
    begin();
    match real(c"exit") {
        Some(function) => {
            // SAFETY: this is the address of the C library's `exit`, which has this signature.
            let exit = unsafe { std::mem::transmute::<*const c_void, Exit>(function) };
            // SAFETY: guaranteed by the caller.
            unsafe { exit(status) }
        }
        // SAFETY: ends the process; there are no preconditions.
        None => unsafe { libc::_exit(status) },
    }
}

/// The hook of the C library function that calls `main`.
///
/// # Safety
/// As for the C library's own: called once, by the program's entry point.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C-unwind" fn __libc_start_main(
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    loader_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    let Some(function) = real(c"__libc_start_main") else {
        // SAFETY: ends the process; there are no preconditions. There is no C library to run the program with.
        unsafe { libc::_exit(127) }
    };
    MAIN.store(main as *mut c_void, Release);
    // SAFETY: this is the address of the C library's function of this name, which has this signature.
    let start = unsafe { std::mem::transmute::<*const c_void, Start>(function) };
    // SAFETY: all arguments are passed on unchanged, except for a `main` that calls the program's.
    unsafe { start(run_main, count, arguments, init, fini, loader_fini, stack_end) }
}

unsafe extern "C-unwind" fn run_main(
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    // SAFETY: stored by `__libc_start_main`, which alone arranges for this function to be called.
    let main = unsafe { std::mem::transmute::<*mut c_void, Main>(MAIN.load(Acquire)) };
    // SAFETY: as the C library would have called it.
    let status = unsafe { main(count, arguments, environment) };
    begin();
    status
}

/// Returns the address of a C library function.
fn real(name: &CStr) -> Option<*const c_void> {
    guard::run(|| loader::of_system(name)).flatten()
}
