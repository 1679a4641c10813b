//! Tracers: others who take part in calls, before and after the recording.
//!
//! A call goes through the prologues of all enabled tracers, then into the recording and to the driver, and back through
//! the epilogues in opposite order. The recording is the innermost of them, so that the trace holds what the driver got.
//! Which tracers saw the beginning of a call is kept in a [`Frame`], and they alone see its end: enabling and disabling
//! in the middle of it changes nothing.

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
use registry::{MOST, Pinned};

/// One call of the program, as one tracer sees it; `afterimage_call` in the header.
#[repr(C)]
pub struct TracedCall {
    command: u32,
    count: u32,
    name: *const u8,
    args: *mut u64,
    result: u64,
    user: *mut c_void,
}

/// How many tracers are enabled, and whether some have yet to be loaded.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// In [`ACTIVE`]: the environment names tracers that are not loaded.
const TO_BE_LOADED: usize = 1 << 32;

/// Whether any tracer is enabled.
#[inline]
pub fn active() -> bool {
    ACTIVE.load(Relaxed) != 0
}

/// Has tracers loaded that the environment names, at the first call: not here, where the program is not even initialised.
pub fn prepare() {
    if std::env::var_os("AFTERIMAGE_TRACER").is_some_and(|list| !list.is_empty()) {
        ACTIVE.fetch_or(TO_BE_LOADED, AcqRel);
    }
}

/// A call in which tracers take part. It is on the heap, because a hook's own frame has no room for it.
struct Frame {
    /// Where the hook's frame is.
    stack: usize,
    /// The thread's frame before this one.
    previous: *mut Frame,
    /// Those whose prologue was called, in this order.
    tracers: [Option<Pinned>; MOST],
    /// What their prologues left for their epilogues.
    user: [*mut c_void; MOST],
    /// Of the recording; 0 when the call is not recorded.
    token: usize,
    /// The result that the program gets from whoever has blocked the call.
    blocked: Option<u64>,
}

thread_local! {
    /// The calls that this thread is in, the innermost first: more than one only if the program jumped out of one.
    static FRAMES: Cell<*mut Frame> = const { Cell::new(ptr::null_mut()) };
    /// Whether `thread_ends` will be called.
    static THREAD_IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Whether a tracer's code is running, and for whose function the call was meant that it was called in.
    static CALLBACK: Cell<Option<Provider>> = const { Cell::new(None) };
}

/// A call begins, while there are tracers.
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
    // Calls that a tracer makes are not shown to tracers, and those inside a call are not the program's.
    if CALLBACK.get().is_some() || !FRAMES.get().is_null() {
        // SAFETY: as the caller promises.
        return Entered { function, token: unsafe { hook::begin(provider, command, args, count) } };
    }
    let mut frame = Box::new(Frame {
        stack: args as usize,
        previous: FRAMES.get(),
        tracers: [const { None }; MOST],
        user: [ptr::null_mut(); MOST],
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
        // SAFETY: as the caller promises; tracers have changed words, not how many there are.
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

/// A call that `enter` has given a frame has returned. Returns what the program gets.
///
/// # Safety
/// As for `hook::leave`; `token` must come from `enter` and be the address of a frame.
#[cold]
pub unsafe fn leave(command: CommandId, args: *mut u64, count: usize, token: usize, result: u64) -> u64 {
    let frame = token as *mut Frame;
    // Frames further in were left by a jump out of calls inside this one.
    while FRAMES.get() != frame && !FRAMES.get().is_null() {
        drop_innermost();
    }
    if FRAMES.get() != frame {
        return result;
    }
    // SAFETY: the frame is the thread's innermost, which `enter` has made and nobody has freed.
    let frame = unsafe { Box::from_raw(frame) };
    FRAMES.set(frame.previous);
    let mut call = traced(command, args, count);
    call.result = match frame.blocked {
        Some(result) => result,
        None if frame.token == 0 => result,
        // SAFETY: as the caller promises; the token is that of the recording.
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

/// Forgets calls that the program has left by a jump, `stack` being an address in the frame of a new one. Stacks grow
/// downwards: whoever is further down than the new call is gone.
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

/// Frees the thread's innermost frame; its tracers are told nothing.
fn drop_innermost() {
    let frame = FRAMES.get();
    // SAFETY: callers have seen that it is not null; it comes from `Box::into_raw` and is freed once, here.
    let frame = unsafe { Box::from_raw(frame) };
    FRAMES.set(frame.previous);
}

/// Runs when a thread ends, perhaps in the middle of a call.
extern "C" fn thread_ends(_: *mut c_void) {
    while !FRAMES.get().is_null() {
        drop_innermost();
    }
}

/// Loads what the environment names. Calls of other threads go on meanwhile, untraced.
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
            process::say(&format!("the tracer {path} is left out: {why}"));
        }
    }
    ACTIVE.fetch_and(!TO_BE_LOADED, AcqRel);
}

fn load_one(path: &str) -> Result<(), &'static str> {
    let path = CString::new(path).map_err(|_| "its name has a zero in it")?;
    let object = loader::open(&path).ok_or("it cannot be loaded; see what `ldd` says of it")?;
    let init = loader::symbol(object, c"afterimage_tracer_init").ok_or("it has no function afterimage_tracer_init")?;
    // SAFETY: the signature is that of the header.
    let init = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u32) -> i32>(init.as_ptr()) };
    // SAFETY: the function is the tracer's own, called as the header says.
    match unsafe { init(interface::VERSION) } {
        0 => Ok(()),
        _ => Err("its afterimage_tracer_init says so"),
    }
}

/// The provider of the call in which a tracer's function runs.
fn provider_of_callback() -> Provider {
    CALLBACK.get().unwrap_or_default()
}
