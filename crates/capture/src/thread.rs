//! The state of each thread of the program, and how a hook finds it.
//!
//! A thread gets a [`ThreadState`] when it makes its first call. It lies in memory that the kernel wipes in a child
//! process (`MADV_WIPEONFORK`), and a state of zeros is not open: a forked child, however it is made, shares nothing, and
//! no call of its parent has to be on the lookout for a fork. What becomes of the child is decided when it makes its first
//! call ([`process::adopt`]).

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize};

use api::CommandId;
use ring::layout::BY_CAPTURE;
use ring::{Block, Payload, Producer, Stream};

use crate::binaries::Redirected;
use crate::context::Context;
use crate::memory::PerThread;
use crate::real::Provider;
use crate::{guard, process, real, window};

/// A recorded thread: writes records, and finds the real functions.
pub struct Thread {
    producer: Producer,
    block: Option<&'static Block>,
    /// The provider of the current call.
    pub(crate) provider: Provider,
    /// An EGL error that was taken before queries of our own, or 0; the program gets it next.
    pub(crate) egl_error: u32,
    /// The query about binaries that the thread is in.
    pub(crate) redirected: Redirected,
}

impl Thread {
    /// Writes a call by capture into the trace: one that the program has not made, but that makes the trace
    /// self-contained. Nothing is called.
    pub fn emit(&mut self, command: CommandId, args: &[u64], payloads: &[Payload<'_>]) {
        if self.enter(command, BY_CAPTURE, args, payloads) {
            self.leave(command, 0, &[]);
        }
    }

    /// Returns the driver's function for a command, if it has one.
    pub fn real(&self, command: CommandId) -> Option<NonNull<c_void>> {
        real::function(self.provider, command)
    }

    /// Reports in the trace that something is missing from it.
    pub fn problem(&mut self, text: &str) {
        self.emit(api::id::afiProblem, &[text.as_ptr() as u64], &[Payload { param: 0, bytes: text.as_bytes() }]);
    }

    /// Returns the memory shared with the recorder.
    pub fn block(&self) -> Option<&'static Block> {
        self.block
    }

    /// Starts a payload of `size` bytes that are not contiguous in memory. It belongs to the next record: to the call
    /// itself in `memory::before`, to its result in `memory::after`, else to the next [`Thread::emit`].
    pub fn stream(&mut self, param: u8, size: usize) -> Stream<'_> {
        self.producer.stream(param, size)
    }

    /// Notes a call before memory behind its arguments is read: reading may end the program.
    #[inline]
    pub(crate) fn announce(&self, command: CommandId, args: &[u64]) {
        self.producer.announce(command.0, args);
    }

    /// Notes that everything has been read.
    #[inline]
    pub(crate) fn withdraw(&self) {
        self.producer.withdraw();
    }

    /// Writes that a call begins. Returns false when recording is off.
    #[inline]
    pub(crate) fn enter(&mut self, command: CommandId, flags: u8, args: &[u64], payloads: &[Payload<'_>]) -> bool {
        if payloads.is_empty() {
            return self.producer.enter(command.0, flags, args);
        }
        self.producer.enter_with(command.0, flags, args, payloads)
    }

    /// Writes that a call has returned.
    #[inline]
    pub(crate) fn leave(&mut self, command: CommandId, result: u64, payloads: &[Payload<'_>]) {
        if payloads.is_empty() {
            self.producer.leave(command.0, result);
        } else {
            self.producer.leave_with(command.0, result, payloads);
        }
    }
}

/// The state of a thread. All zeros is the state of a thread that was copied by a fork.
#[repr(C)]
pub struct ThreadState {
    /// [`ThreadState::OPEN`] while the thread is recorded.
    status: AtomicU32,
    /// The stack pointer of the current call, or 0. Any GL call made while it is set is inside that call: by a driver
    /// that uses its own interface, or by a signal handler.
    pub(crate) inside: AtomicUsize,
    thread: UnsafeCell<Thread>,
    /// The current context.
    pub(crate) context: Cell<*mut Context>,
    memory: Cell<*mut PerThread>,
}

impl ThreadState {
    const WIPED: u32 = 0;
    const OPEN: u32 = 1;
    const CLOSED: u32 = 2;

    /// Returns whether the thread is recorded.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.status.load(Relaxed) == Self::OPEN
    }

    /// Stops recording this thread.
    pub(crate) fn close(&self) {
        self.status.store(Self::CLOSED, Relaxed);
    }

    /// Deals with a call that is not recorded because the state is not open.
    #[cold]
    pub(crate) fn pass(&self) {
        if self.status.load(Relaxed) == Self::WIPED {
            // This is the thread that forked, in the child; its parent has used GL.
            slot::set(&raw const CLOSED.0);
            process::adopt();
        }
    }

    /// Closes the state when recording is off, so that calls cost nothing from then on.
    #[cold]
    pub(crate) fn close_unless_recording(&self) {
        if process::block().is_none_or(|block| !block.recording()) {
            self.close();
        }
    }

    /// Returns the thread, to write records.
    ///
    /// # Safety
    /// Must be called only by the thread itself, in the call that has set `inside`, and one reference may exist at a
    /// time.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "the state belongs to one thread, and `inside` keeps a second call out")]
    pub(crate) unsafe fn thread(&self) -> &mut Thread {
        // SAFETY: the caller guarantees that there is no other reference.
        unsafe { &mut *self.thread.get() }
    }

    /// Returns the state of `memory` for the thread.
    ///
    /// # Safety
    /// As for [`ThreadState::thread`].
    #[allow(clippy::mut_from_ref, reason = "as for `thread`")]
    pub(crate) unsafe fn memory(&self) -> Option<&mut PerThread> {
        // SAFETY: the pointer is null or comes from `Box::into_raw` in `create`, and the caller guarantees that there
        // is no other reference.
        unsafe { self.memory.get().as_mut() }
    }

    /// Returns the current context.
    ///
    /// # Safety
    /// As for [`ThreadState::thread`].
    #[allow(clippy::mut_from_ref, reason = "as for `thread`")]
    pub(crate) unsafe fn context(&self) -> Option<&mut Context> {
        // SAFETY: the pointer is null or to a context of `context`; these are never freed while they are current, and
        // are current in one thread only.
        unsafe { self.context.get().as_mut() }
    }
}

/// The state of threads that are not recorded.
struct Closed(ThreadState);

// SAFETY: it is never changed: its status is closed, and callers change only open states.
unsafe impl Sync for Closed {}

static CLOSED: Closed = Closed(ThreadState {
    status: AtomicU32::new(ThreadState::CLOSED),
    inside: AtomicUsize::new(0),
    thread: UnsafeCell::new(Thread {
        producer: Producer::NONE,
        block: None,
        provider: Provider(0),
        egl_error: 0,
        redirected: Redirected::none(),
    }),
    context: Cell::new(ptr::null_mut()),
    memory: Cell::new(ptr::null_mut()),
});

/// Returns the calling thread's state.
#[inline]
pub(crate) fn current() -> &'static ThreadState {
    let state = slot::get();
    if state.is_null() {
        return create();
    }
    // SAFETY: the slot holds null, or what `create` has stored there: a state is unmapped only after the slot has been
    // set to the closed state.
    unsafe { &*state }
}

/// Returns whether the calling thread is recorded, without starting to: a thread that has made no call has no state.
pub(crate) fn has_recorded_state() -> bool {
    !slot::get().is_null() && current().is_open()
}

/// Writes records outside of any call, if the calling thread is recorded.
pub(crate) fn with(part: impl FnOnce(&mut Thread)) {
    let state = current();
    if !state.is_open() || state.inside.load(Relaxed) != 0 {
        return;
    }
    let here = 0_u8;
    state.inside.store(&raw const here as usize, Relaxed);
    // SAFETY: this is the state's own thread, and `inside` has just been set.
    part(unsafe { state.thread() });
    state.inside.store(0, Relaxed);
}

/// Like [`with`], if the thread has a current context.
pub(crate) fn with_context(part: impl FnOnce(&mut Thread, &mut Context)) {
    with(|thread| {
        // SAFETY: `with` guarantees that this is the only call in this thread, which owns its current context.
        if let Some(context) = unsafe { current().context() } {
            part(thread, context);
        }
    });
}

/// Creates the calling thread's state: an open one if the process is recorded and a ring is free.
#[cold]
fn create() -> &'static ThreadState {
    if !process::is_ready() {
        return &CLOSED.0;
    }
    // A signal handler that calls GL from here on finds a closed state, and is passed through.
    slot::set(&raw const CLOSED.0);
    let Some(block) = process::block().or_else(process::adopt) else { return &CLOSED.0 };
    process::note_use();
    let Some(place) = wiped_on_fork(size_of::<ThreadState>()) else { return &CLOSED.0 };
    let place = place.cast::<ThreadState>();
    let Some(producer) = Producer::claim(block) else { return &CLOSED.0 };
    let state = ThreadState {
        status: AtomicU32::new(ThreadState::OPEN),
        inside: AtomicUsize::new(0),
        thread: UnsafeCell::new(Thread {
            producer,
            block: Some(block),
            provider: Provider(0),
            egl_error: 0,
            redirected: Redirected::none(),
        }),
        context: Cell::new(ptr::null_mut()),
        memory: Cell::new(Box::into_raw(Box::default())),
    };
    // SAFETY: the memory was mapped above, is large enough and page-aligned.
    unsafe { place.write(state) };
    // SAFETY: it has been written and stays mapped until the thread ends.
    let state: &'static ThreadState = unsafe { place.as_ref() };
    static KEY: AtomicI64 = AtomicI64::new(NO_KEY);
    at_thread_end(&KEY, leave, place.as_ptr().cast());
    // SAFETY: no one else has the state yet.
    process::record_program(unsafe { state.thread() });
    slot::set(state);
    state
}

/// Runs when a thread ends.
extern "C" fn leave(state: *mut c_void) {
    slot::set(&raw const CLOSED.0);
    let state = state.cast::<ThreadState>();
    // SAFETY: the key's value is a state of `create`, passed to this destructor once.
    let open = unsafe { &*state };
    if open.is_open() {
        // EGL and GLX release the context of a thread that ends.
        guard::run(|| window::thread_ends(open));
        open.close();
        // SAFETY: the thread ends, it is in no call, and this is the only reference.
        let thread = unsafe { open.thread() };
        thread.producer.release();
    }
    let memory = open.memory.get();
    if !memory.is_null() {
        // SAFETY: the pointer comes from `Box::into_raw` in `create`, and the state has no other user.
        drop(unsafe { Box::from_raw(memory) });
    }
    // SAFETY: the mapping was made by `create`, and the slot no longer points to it.
    unsafe { libc::munmap(state.cast(), size_of::<ThreadState>()) };
}

/// The value of a key for [`at_thread_end`] before it is created.
pub(crate) const NO_KEY: i64 = -1;

/// Registers a function to be called with a value when the calling thread ends. The key is created at first use.
pub(crate) fn at_thread_end(key: &AtomicI64, function: extern "C" fn(*mut c_void), value: *const c_void) {
    let mut known = key.load(Acquire);
    if known == NO_KEY {
        let mut new = 0;
        // SAFETY: the key is written to a local variable.
        if unsafe { libc::pthread_key_create(&raw mut new, Some(function)) } != 0 {
            return;
        }
        known = i64::from(new);
        if let Err(theirs) = key.compare_exchange(NO_KEY, known, Release, Acquire) {
            // SAFETY: the key was created above and has no other user.
            unsafe { libc::pthread_key_delete(new) };
            known = theirs;
        }
    }
    // SAFETY: the key exists, and its destructor is the caller's function for such values.
    unsafe { libc::pthread_setspecific(known as libc::pthread_key_t, value) };
}

/// Allocates zeroed memory that is zeroed again in a child process.
pub(crate) fn wiped_on_fork(size: usize) -> Option<NonNull<c_void>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
    let memory = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
    if memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping is ours.
    if unsafe { libc::madvise(memory, size, libc::MADV_WIPEONFORK) } != 0 {
        // SAFETY: the mapping is ours and not used yet.
        unsafe { libc::munmap(memory, size) };
        return None;
    }
    NonNull::new(memory)
}

/// The thread-local pointer. Written in assembly because stable Rust cannot request the initial-exec model, in which an
/// access is two instructions and can neither allocate nor call anything. A preloaded library may use it: its
/// thread-local memory is part of every thread's first block.
mod slot {
    use super::ThreadState;
    use std::arch::{asm, global_asm};

    #[cfg(not(target_arch = "x86_64"))]
    compile_error!("capture supports only x86-64");

    global_asm!(
        ".pushsection .tbss.afterimage_thread_state,\"awT\",@nobits",
        ".balign 8",
        ".globl afterimage_thread_state",
        ".hidden afterimage_thread_state",
        ".type afterimage_thread_state,@object",
        ".size afterimage_thread_state,8",
        "afterimage_thread_state: .zero 8",
        ".popsection",
    );

    #[inline(always)]
    pub fn get() -> *const ThreadState {
        let state;
        // SAFETY: reads the thread's own variable; it is 8 bytes, defined above, initially zero.
        unsafe {
            asm!(
                "mov {state}, qword ptr [rip + afterimage_thread_state@GOTTPOFF]",
                "mov {state}, qword ptr fs:[{state}]",
                state = out(reg) state,
                options(nostack, preserves_flags, readonly),
            );
        }
        state
    }

    pub fn set(state: *const ThreadState) {
        // SAFETY: writes the thread's own variable; it is 8 bytes, defined above.
        unsafe {
            asm!(
                "mov {at}, qword ptr [rip + afterimage_thread_state@GOTTPOFF]",
                "mov qword ptr fs:[{at}], {state}",
                at = out(reg) _,
                state = in(reg) state,
                options(nostack, preserves_flags),
            );
        }
    }
}
