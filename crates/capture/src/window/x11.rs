//! Queries the X server for the size of a window.
//!
//! Nothing is linked: a program that uses GLX has Xlib loaded, and others never get here.

use std::ffi::{CStr, c_int, c_uint, c_ulong, c_void};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicPtr, AtomicU64};

use crate::loader;

type GetGeometry = unsafe extern "C" fn(
    *mut c_void,
    c_ulong,
    *mut c_ulong,
    *mut c_int,
    *mut c_int,
    *mut c_uint,
    *mut c_uint,
    *mut c_uint,
    *mut c_uint,
) -> c_int;
type ErrorHandler = unsafe extern "C" fn(*mut c_void, *mut ErrorEvent) -> c_int;
type SetErrorHandler = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Xlib's `XErrorEvent`.
#[repr(C)]
struct ErrorEvent {
    kind: c_int,
    display: *mut c_void,
    resource: c_ulong,
    serial: c_ulong,
    error: u8,
    request: u8,
    minor: u8,
}

/// The drawable that is being queried, and the handler of other errors meanwhile.
static ASKED: AtomicU64 = AtomicU64::new(0);
static HANDLER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Returns the size of a window or pixmap. `None` when it no longer exists: the server's error is hidden from the
/// program, whose handler would usually exit.
pub(super) fn size(display: u64, drawable: u64) -> Option<(i32, i32)> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if display == 0 || drawable == 0 {
        return None;
    }
    let get_geometry = function(c"XGetGeometry")?;
    // SAFETY: this is the signature in Xlib.
    let get_geometry = unsafe { std::mem::transmute::<*mut c_void, GetGeometry>(get_geometry.as_ptr()) };
    let set_handler = function(c"XSetErrorHandler")?;
    // SAFETY: this is the signature in Xlib.
    let set_handler = unsafe { std::mem::transmute::<*mut c_void, SetErrorHandler>(set_handler.as_ptr()) };

    let _turn = ONE_AT_A_TIME.lock().ok()?;
    ASKED.store(drawable, Relaxed);
    // SAFETY: the handler is a function of the type that Xlib calls.
    HANDLER.store(unsafe { set_handler(handle as *mut c_void) }, Relaxed);
    let (mut root, mut x, mut y, mut width, mut height, mut border, mut depth) = (0, 0, 0, 0, 0, 0, 0);
    // SAFETY: the program is using this display with GLX in this thread; everything is written to local variables.
    let done = unsafe {
        get_geometry(
            display as *mut c_void,
            drawable,
            &raw mut root,
            &raw mut x,
            &raw mut y,
            &raw mut width,
            &raw mut height,
            &raw mut border,
            &raw mut depth,
        )
    };
    // SAFETY: this is what the first call returned.
    unsafe { set_handler(HANDLER.load(Relaxed)) };
    ASKED.store(0, Relaxed);
    (done != 0).then_some((i32::try_from(width).ok()?, i32::try_from(height).ok()?))
}

/// Drops errors of our own request, and passes on all others: Xlib reports those of earlier requests late.
unsafe extern "C" fn handle(display: *mut c_void, event: *mut ErrorEvent) -> c_int {
    const GET_GEOMETRY: u8 = 14;
    // SAFETY: Xlib passes a valid event.
    let about = unsafe { &*event };
    if about.request == GET_GEOMETRY && about.resource == ASKED.load(Relaxed) {
        return 0;
    }
    let Some(handler) = NonNull::new(HANDLER.load(Relaxed)) else { return 0 };
    // SAFETY: Xlib's previous handler is a function of this type.
    let handler = unsafe { std::mem::transmute::<*mut c_void, ErrorHandler>(handler.as_ptr()) };
    // SAFETY: the arguments are passed on unchanged.
    unsafe { handler(display, event) }
}

/// Returns a function of Xlib.
fn function(name: &CStr) -> Option<NonNull<c_void>> {
    loader::next(name).or_else(|| loader::symbol(loader::loaded(c"libX11.so.6")?, name))
}
