//! Threads of the program: what is kept for each, and how a hook finds it.
//!
//! A thread is given a [`Seat`] when it makes its first call. Seats lie in memory that the kernel wipes in a child
//! process (`MADV_WIPEONFORK`), and a seat of zeros is a closed one: a fork, however it is made, records nothing and
//! shares nothing, without anybody having noticed that it happened.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize};

use api::CommandId;
use ring::layout::BY_CAPTURE;
use ring::{Block, Payload, Producer, Stream};

use crate::context::Context;
use crate::memory::PerThread;
use crate::real::Provider;
use crate::{guard, process, real, window};

/// A thread that is recorded: writes records, and knows the real functions.
pub struct Thread {
    producer: Producer,
    block: Option<&'static Block>,
    /// Whose function the call in hand is meant for.
    pub(crate) provider: Provider,
    /// An error that was taken from EGL before it was asked something for ourselves, or 0; the program gets it next.
    pub(crate) egl_error: u32,
}

impl Thread {
    /// Writes a call by capture into the trace: one that the program has not made, but that a trace needs to stand on
    /// its own. Nothing is called.
    pub fn emit(&mut self, command: CommandId, args: &[u64], payloads: &[Payload<'_>]) {
        if self.enter(command, BY_CAPTURE, args, payloads) {
            self.leave(command, 0, &[]);
        }
    }

    /// The function that the driver has for a command, if it has one.
    pub fn real(&self, command: CommandId) -> Option<NonNull<c_void>> {
        real::function(self.provider, command)
    }

    /// Says in the trace what it lacks.
    pub fn problem(&mut self, text: &str) {
        self.emit(api::id::afiProblem, &[text.as_ptr() as u64], &[Payload { param: 0, bytes: text.as_bytes() }]);
    }

    /// The memory shared with the recorder.
    pub fn block(&self) -> Option<&'static Block> {
        self.block
    }

    /// Begins a payload of so many bytes that are not in one place. It belongs to the next record: to the call itself
    /// in `memory::before`, to its result in `memory::after`, else to the next [`Thread::emit`].
    pub fn stream(&mut self, param: u8, size: usize) -> Stream<'_> {
        self.producer.stream(param, size)
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

/// What is kept for a thread. All zeros is a closed seat.
#[repr(C)]
pub struct Seat {
    /// [`Seat::OPEN`] while the thread is recorded.
    state: AtomicU32,
    /// The stack pointer of the call that is being made, or 0. Anything that calls GL while one is set does so inside
    /// that call: a driver that uses its own interface, or a signal handler.
    pub(crate) inside: AtomicUsize,
    thread: UnsafeCell<Thread>,
    /// The current context.
    pub(crate) context: Cell<*mut Context>,
    memory: Cell<*mut PerThread>,
}

impl Seat {
    const OPEN: u32 = 1;

    /// Whether the thread is recorded.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Relaxed) == Self::OPEN
    }

    /// Records no more of this thread.
    pub(crate) fn close(&self) {
        self.state.store(0, Relaxed);
    }

    /// Closes the seat when nobody wants records any more, so that calls cost nothing from here on.
    #[cold]
    pub(crate) fn close_unless_recording(&self) {
        if process::block().is_none_or(|block| !block.recording()) {
            self.close();
        }
    }

    /// The thread, to write records.
    ///
    /// # Safety
    /// Only the thread itself may ask, in the call that has set `inside`, and hold one at a time.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "the seat belongs to one thread, and `inside` keeps a second call out")]
    pub(crate) unsafe fn thread(&self) -> &mut Thread {
        // SAFETY: as the caller promises, nobody else has a reference.
        unsafe { &mut *self.thread.get() }
    }

    /// What `memory` keeps for the thread.
    ///
    /// # Safety
    /// As for [`Seat::thread`].
    #[allow(clippy::mut_from_ref, reason = "as for `thread`")]
    pub(crate) unsafe fn memory(&self) -> Option<&mut PerThread> {
        // SAFETY: the pointer is null or comes from `Box::into_raw` in `take`, and as the caller promises there is no
        // other reference.
        unsafe { self.memory.get().as_mut() }
    }

    /// The current context.
    ///
    /// # Safety
    /// As for [`Seat::thread`].
    #[allow(clippy::mut_from_ref, reason = "as for `thread`")]
    pub(crate) unsafe fn context(&self) -> Option<&mut Context> {
        // SAFETY: the pointer is null or to a context of `context`, which are never freed while they are current, and
        // are current in one thread only.
        unsafe { self.context.get().as_mut() }
    }
}

/// The seat of threads that are not recorded.
struct Closed(Seat);

// SAFETY: nobody changes anything of it: its state is closed, and `current` gives it to nobody who would.
unsafe impl Sync for Closed {}

static CLOSED: Closed = Closed(Seat {
    state: AtomicU32::new(0),
    inside: AtomicUsize::new(0),
    thread: UnsafeCell::new(Thread { producer: Producer::NONE, block: None, provider: Provider(0), egl_error: 0 }),
    context: Cell::new(ptr::null_mut()),
    memory: Cell::new(ptr::null_mut()),
});

/// The calling thread's seat.
#[inline]
pub(crate) fn seat() -> &'static Seat {
    let seat = slot::get();
    if seat.is_null() {
        return take();
    }
    // SAFETY: the slot holds null, or what `take` has put there: seats are unmapped only after the slot has been set to
    // the closed seat.
    unsafe { &*seat }
}

/// Whether the calling thread is recorded, without making it so: one that has called nothing has no seat.
pub(crate) fn is_seated() -> bool {
    !slot::get().is_null() && seat().is_open()
}

/// Lets something be written outside of any call, if the calling thread is recorded.
pub(crate) fn with(part: impl FnOnce(&mut Thread)) {
    let seat = seat();
    if !seat.is_open() || seat.inside.load(Relaxed) != 0 {
        return;
    }
    let here = 0_u8;
    seat.inside.store(&raw const here as usize, Relaxed);
    // SAFETY: this is the seat's own thread, and `inside` has just been set.
    part(unsafe { seat.thread() });
    seat.inside.store(0, Relaxed);
}

/// Like [`with`], if the thread has a current context.
pub(crate) fn with_context(part: impl FnOnce(&mut Thread, &mut Context)) {
    with(|thread| {
        // SAFETY: `with` has made this the only call in this thread, whose context is nobody else's.
        if let Some(context) = unsafe { seat().context() } {
            part(thread, context);
        }
    });
}

/// Gives the calling thread a seat: an open one if the process is recorded and a ring is free.
#[cold]
fn take() -> &'static Seat {
    if !process::is_ready() {
        return &CLOSED.0;
    }
    // A signal handler that calls GL from here on finds a closed seat, and is passed through.
    slot::set(&raw const CLOSED.0);
    let Some(block) = process::block() else { return &CLOSED.0 };
    let Some(place) = wiped_on_fork(size_of::<Seat>()) else { return &CLOSED.0 };
    let place = place.cast::<Seat>();
    let Some(producer) = Producer::claim(block) else { return &CLOSED.0 };
    let seat = Seat {
        state: AtomicU32::new(Seat::OPEN),
        inside: AtomicUsize::new(0),
        thread: UnsafeCell::new(Thread { producer, block: Some(block), provider: Provider(0), egl_error: 0 }),
        context: Cell::new(ptr::null_mut()),
        memory: Cell::new(Box::into_raw(Box::default())),
    };
    // SAFETY: the memory was mapped above, is large enough and page-aligned.
    unsafe { place.write(seat) };
    // SAFETY: it has been written and stays until the thread ends.
    let seat: &'static Seat = unsafe { place.as_ref() };
    static KEY: AtomicI64 = AtomicI64::new(NO_KEY);
    at_thread_end(&KEY, leave, place.as_ptr().cast());
    // SAFETY: nobody else knows the seat yet.
    process::introduce(unsafe { seat.thread() });
    slot::set(seat);
    seat
}

/// Runs when a thread ends.
extern "C" fn leave(seat: *mut c_void) {
    slot::set(&raw const CLOSED.0);
    let seat = seat.cast::<Seat>();
    // SAFETY: the key's value is a seat of `take`, given to this destructor once.
    let open = unsafe { &*seat };
    if open.is_open() {
        // EGL and GLX take the context from a thread that ends.
        guard::run(|| window::thread_ends(open));
        open.close();
        // SAFETY: the thread ends, it is in no call, and this is the only reference.
        let thread = unsafe { open.thread() };
        thread.producer.release();
    }
    let memory = open.memory.get();
    if !memory.is_null() {
        // SAFETY: the pointer comes from `Box::into_raw` in `take`, and nobody else has the seat.
        drop(unsafe { Box::from_raw(memory) });
    }
    // SAFETY: the mapping was made by `take`, and the slot no longer leads to it.
    unsafe { libc::munmap(seat.cast(), size_of::<Seat>()) };
}

/// What a key of [`at_thread_end`] is before it is made.
pub(crate) const NO_KEY: i64 = -1;

/// Has a function called with a value when the calling thread ends. The key is made at first use.
pub(crate) fn at_thread_end(key: &AtomicI64, function: extern "C" fn(*mut c_void), value: *const c_void) {
    let mut known = key.load(Acquire);
    if known == NO_KEY {
        let mut new = 0;
        // SAFETY: the key is written to a variable of this function.
        if unsafe { libc::pthread_key_create(&raw mut new, Some(function)) } != 0 {
            return;
        }
        known = i64::from(new);
        if let Err(theirs) = key.compare_exchange(NO_KEY, known, Release, Acquire) {
            // SAFETY: the key was made above and nobody else knows it.
            unsafe { libc::pthread_key_delete(new) };
            known = theirs;
        }
    }
    // SAFETY: the key exists, and its destructor is the caller's for such values.
    unsafe { libc::pthread_setspecific(known as libc::pthread_key_t, value) };
}

/// Memory of zeros that is zeros again in a child process.
pub(crate) fn wiped_on_fork(size: usize) -> Option<NonNull<c_void>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address of the kernel's choice disturbs nothing.
    let memory = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
    if memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping is ours.
    if unsafe { libc::madvise(memory, size, libc::MADV_WIPEONFORK) } != 0 {
        // SAFETY: the mapping is ours and nobody has it.
        unsafe { libc::munmap(memory, size) };
        return None;
    }
    NonNull::new(memory)
}

/// The thread-local pointer. Written in assembly because stable Rust cannot ask for the initial-exec model, in which an
/// access is two instructions and can neither allocate nor call anything. A preloaded library may use it: its
/// thread-local memory is part of every thread's first block.
mod slot {
    use super::Seat;
    use std::arch::{asm, global_asm};

    #[cfg(not(target_arch = "x86_64"))]
    compile_error!("capture is written for x86-64");

    global_asm!(
        ".pushsection .tbss.afterimage_seat,\"awT\",@nobits",
        ".balign 8",
        ".globl afterimage_seat",
        ".hidden afterimage_seat",
        ".type afterimage_seat,@object",
        ".size afterimage_seat,8",
        "afterimage_seat: .zero 8",
        ".popsection",
    );

    #[inline(always)]
    pub fn get() -> *const Seat {
        let seat;
        // SAFETY: reads the thread's own variable; it is 8 bytes, defined above, zero at first.
        unsafe {
            asm!(
                "mov {seat}, qword ptr [rip + afterimage_seat@GOTTPOFF]",
                "mov {seat}, qword ptr fs:[{seat}]",
                seat = out(reg) seat,
                options(nostack, preserves_flags, readonly),
            );
        }
        seat
    }

    pub fn set(seat: *const Seat) {
        // SAFETY: writes the thread's own variable; it is 8 bytes, defined above.
        unsafe {
            asm!(
                "mov {at}, qword ptr [rip + afterimage_seat@GOTTPOFF]",
                "mov qword ptr fs:[{at}], {seat}",
                at = out(reg) _,
                seat = in(reg) seat,
                options(nostack, preserves_flags),
            );
        }
    }
}
