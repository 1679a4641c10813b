//! Tracers: third-party code that runs before and after calls.
//!
//! A call goes through the prologues of all enabled tracers, then to the recording and the driver, and back through the
//! epilogues in reverse order. The recording is innermost, so that the trace contains what the driver got. The tracers
//! whose prologue was called are kept in a [`Frame`], and only their epilogues are called: enabling and disabling in
//! the middle of a call does not affect it.

mod interface;
mod registry;

use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize};

use api::CommandId;

use crate::hook::{self, Entered};
use crate::real::Provider;
use crate::thread::{NO_KEY, at_thread_end};
use crate::{guard, loader, nesting, process, real};
use registry::{MAX_TRACERS, Pinned};

/// One call of the program, as seen by one tracer; `afterimage_call` in the header.
#[repr(C)]
pub struct TracedCall {
    command: u32,
    count: u32,
    name: *const u8,
    args: *mut u64,
    result: u64,
    user: *mut c_void,
}

/// The number of enabled tracers, and whether some have yet to be loaded.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// Flag in [`ACTIVE`]: the environment names tracers that are not loaded yet.
const TO_BE_LOADED: usize = 1 << 32;

/// Returns whether any tracer is enabled.
#[inline]
pub fn active() -> bool {
    ACTIVE.load(Relaxed) != 0
}

/// Schedules the tracers named by the environment to be loaded at the first call: at this point the program is not
/// initialised.
pub fn prepare() {
    if std::env::var_os("AFTERIMAGE_TRACER").is_some_and(|list| !list.is_empty()) {
        ACTIVE.fetch_or(TO_BE_LOADED, AcqRel);
    }
}

/// A call with tracers. On the heap, because a hook's own frame has no room for it.
struct Frame {
    /// The address of the hook's frame.
    stack: usize,
    /// The thread's frame before this one.
    previous: *mut Frame,
    /// The tracers whose prologue was called, in this order.
    tracers: [Option<Pinned>; MAX_TRACERS],
    /// What their prologues left for their epilogues.
    user: [*mut c_void; MAX_TRACERS],
    /// The token of the recording; 0 when the call is not recorded.
    token: usize,
    /// The result from a tracer that blocked the call.
    blocked: Option<u64>,
}

thread_local! {
    /// The calls that this thread is in, innermost first: more than one only if the program jumped out of one.
    static FRAMES: Cell<*mut Frame> = const { Cell::new(ptr::null_mut()) };
    /// Whether `thread_ends` is registered.
    static THREAD_IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// The provider of the current call while a tracer's code is running.
    static CALLBACK: Cell<Option<Provider>> = const { Cell::new(None) };
}

/// Starts a call while there are tracers.
///
/// # Safety
/// As for `hook::enter`; `function` is the one to call.
#[cold]
pub unsafe fn enter(
    provider: Provider,
    command: CommandId,
    function: *const c_void,
    args: *mut u64,
    count: usize,
) -> Entered {
    if ACTIVE.load(Acquire) & TO_BE_LOADED != 0 {
        load();
    }
    drop_abandoned(args as usize);
    // Calls made by a tracer are not shown to tracers, and nested calls are not made by the program.
    if CALLBACK.get().is_some() || !FRAMES.get().is_null() {
        // SAFETY: guaranteed by the caller.
        return Entered { function, token: unsafe { hook::begin(provider, command, args, count) } };
    }
    let mut frame = Box::new(Frame {
        stack: args as usize,
        previous: FRAMES.get(),
        tracers: [const { None }; MAX_TRACERS],
        user: [ptr::null_mut(); MAX_TRACERS],
        token: 0,
        blocked: None,
    });
    let mut call = traced(command, args, count);
    for (index, pinned) in registry::enabled().enumerate() {
        call.user = ptr::null_mut();
        call.result = 0;
        let blocks = in_callback(provider, || pinned.prologue(&mut call));
        frame.user[index] = call.user;
        frame.tracers[index] = Some(pinned);
        if blocks {
            frame.blocked = Some(call.result);
            break;
        }
    }
    if frame.blocked.is_none() {
        // SAFETY: guaranteed by the caller; tracers may change words, not their number.
        frame.token = unsafe { hook::begin(provider, command, args, count) };
    }
    let function = if frame.blocked.is_some() { real::nothing() } else { function };
    if !THREAD_IS_WATCHED.replace(true) {
        static KEY: AtomicI64 = AtomicI64::new(NO_KEY);
        at_thread_end(&KEY, thread_ends, ptr::from_ref(&KEY).cast());
    }
    let frame = Box::into_raw(frame);
    FRAMES.set(frame);
    Entered { function, token: frame as usize }
}

/// Ends a call that has a frame. Returns the result for the program.
///
/// # Safety
/// As for `hook::leave`; `token` must come from `enter` and be the address of a frame.
#[cold]
pub unsafe fn leave(command: CommandId, args: *mut u64, count: usize, token: usize, result: u64) -> u64 {
    let frame = token as *mut Frame;
    // Frames further in were left by a jump out of nested calls.
    while FRAMES.get() != frame && !FRAMES.get().is_null() {
        drop_innermost();
    }
    if FRAMES.get() != frame {
        return result;
    }
    // SAFETY: the frame is the thread's innermost, made by `enter` and not freed yet.
    let frame = unsafe { Box::from_raw(frame) };
    FRAMES.set(frame.previous);
    let mut call = traced(command, args, count);
    call.result = match frame.blocked {
        Some(result) => result,
        None if frame.token == 0 => result,
        // SAFETY: guaranteed by the caller; the token is that of the recording.
        None => unsafe { hook::end(command, args, count, frame.token, result) },
    };
    for (pinned, user) in frame.tracers.iter().zip(frame.user).rev() {
        let Some(pinned) = pinned else { continue };
        call.user = user;
        in_callback(Provider(0), || pinned.epilogue(&mut call));
    }
    call.result
}

fn traced(command: CommandId, args: *mut u64, count: usize) -> TracedCall {
    TracedCall {
        command: u32::from(command.0),
        count: count as u32,
        name: interface::c_name(command),
        args,
        result: 0,
        user: ptr::null_mut(),
    }
}

/// Runs a tracer's function.
fn in_callback<R>(provider: Provider, part: impl FnOnce() -> R) -> R {
    let before = CALLBACK.replace(Some(provider));
    let result = part();
    CALLBACK.set(before);
    result
}

/// Frees the frames of calls that the program has left by a jump, `stack` being an address in the frame of a new call.
/// Stacks grow downwards: a call whose frame is below the new one has been left.
fn drop_abandoned(stack: usize) {
    loop {
        // SAFETY: null, or a frame of this thread that is not freed.
        let Some(frame) = (unsafe { FRAMES.get().as_ref() }) else { return };
        if frame.stack > stack || nesting::on_alternate_stack() {
            return;
        }
        drop_innermost();
    }
}

/// Frees the thread's innermost frame without calling its tracers.
fn drop_innermost() {
    let frame = FRAMES.get();
    // SAFETY: callers have checked that it is not null; it comes from `Box::into_raw` and is freed once, here.
    let frame = unsafe { Box::from_raw(frame) };
    FRAMES.set(frame.previous);
}

/// Runs when a thread ends, possibly in the middle of a call.
extern "C" fn thread_ends(_: *mut c_void) {
    while !FRAMES.get().is_null() {
        drop_innermost();
    }
}

/// Loads the tracers named by the environment. Meanwhile calls of other threads proceed untraced.
#[cold]
fn load() {
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    if BEGUN.swap(1, AcqRel) != 0 {
        return;
    }
    let list = std::env::var("AFTERIMAGE_TRACER").unwrap_or_default();
    for path in list.split(':').filter(|path| !path.is_empty()) {
        let done = guard::run(|| in_callback(Provider(0), || load_one(path)));
        if let Some(Err(why)) = done {
            process::warn(&format!("the tracer {path} is not loaded: {why}"));
        }
    }
    ACTIVE.fetch_and(!TO_BE_LOADED, AcqRel);
}

fn load_one(path: &str) -> Result<(), &'static str> {
    let path = CString::new(path).map_err(|_| "its path contains a NUL byte")?;
    let object = loader::open(&path).ok_or("the dynamic loader cannot load it; check it with `ldd`")?;
    let init = loader::symbol(object, c"afterimage_tracer_init").ok_or("it does not define afterimage_tracer_init")?;
    // SAFETY: the signature is that in the header.
    let init = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u32) -> i32>(init.as_ptr()) };
    // SAFETY: the function belongs to the tracer and is called as the header specifies.
    match unsafe { init(interface::VERSION) } {
        0 => Ok(()),
        _ => Err("its afterimage_tracer_init returned an error"),
    }
}

/// Returns the provider of the call in which a tracer's code runs.
fn provider_of_callback() -> Provider {
    CALLBACK.get().unwrap_or_default()
}
