//! The block: the shared memory that both processes map.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

use crate::clock::Clock;
use crate::futex;
use crate::handshake::is_sealed_block;

/// Maximum number of threads of a process that are recorded at the same time.
pub const SLOTS: usize = 1024;

/// Size in bytes of a ring. Only pages that have been touched take memory.
pub const RING_SIZE: usize = 4 << 20;

/// Number of slots with a ring of [`RING_SIZE`]. The others have smaller ones, so that the block takes 0.5 GB of a
/// program's address space instead of 4 GB: programs limit that, and lock all of it in memory. A program with so many
/// threads seldom has many calls in each.
const LARGE_RINGS: usize = 64;

/// Size in bytes of the other rings.
pub const SMALL_RING_SIZE: usize = 256 << 10;

const MAGIC: u64 = u64::from_le_bytes(*b"AFIRING1");

/// The shared memory of one recorded process: as large as all its rings, and sparse.
#[repr(C, align(4096))]
pub struct Block {
    control: Control,
    slots: [Slot; SLOTS],
    large: [Ring<RING_SIZE>; LARGE_RINGS],
    small: [Ring<SMALL_RING_SIZE>; SLOTS - LARGE_RINGS],
}

/// A value with a cache line of its own, so that threads that write it do not slow down readers of another.
#[repr(C, align(64))]
pub(crate) struct Line<T>(pub(crate) T);

#[repr(C, align(4096))]
struct Control {
    facts: Line<Facts>,
    state: Line<AtomicU32>,
    recorder: Line<Recorder>,
    lost: Line<Lost>,
    owner: Line<Owner>,
    claims: Line<Claims>,
}

/// Written once, before another process sees the block.
#[repr(C)]
struct Facts {
    magic: AtomicU64,
    fingerprint: AtomicU64,
    settings: AtomicU32,
    /// A [`Clock`].
    clock: AtomicU32,
}

#[repr(C)]
struct Recorder {
    /// Incremented regularly while the recorder is alive.
    heartbeat: AtomicU32,
    /// The futex on which the recorder sleeps.
    wake: AtomicU32,
    /// 1 while the recorder sleeps.
    sleeping: AtomicU32,
}

#[repr(C)]
struct Lost {
    calls: AtomicU64,
    threads: AtomicU64,
}

/// All threads read this all the time.
#[repr(C)]
struct Claims {
    /// Number of slot claims so far.
    count: AtomicU64,
    /// Slots from this one on have never been claimed.
    slots: AtomicU32,
}

/// A robust mutex that the recorder holds all its life. However the recorder dies, the kernel marks the mutex's first
/// word.
#[repr(C)]
struct Owner(UnsafeCell<libc::pthread_mutex_t>);

#[repr(C, align(256))]
pub(crate) struct Slot {
    owner: Line<SlotOwner>,
    /// Where the producer will write next.
    pub(crate) head: Line<AtomicU64>,
    pub(crate) tail: Line<Tail>,
    announced: Line<Announced>,
}

/// A call whose memory the thread is about to copy. If the memory is invalid, the program ends there, and the call is not
/// in the ring yet.
#[repr(C)]
struct Announced {
    /// The command's number plus one, or 0.
    command: AtomicU32,
    /// How many arguments there are.
    count: AtomicU32,
    args: [AtomicU64; MAX_ANNOUNCED],
}

/// Calls with more arguments are not announced; no command that reads memory has as many.
const MAX_ANNOUNCED: usize = 16;

#[repr(C)]
struct SlotOwner {
    state: AtomicU32,
    thread: AtomicU32,
    /// Number of claims in the block before this one.
    claim: AtomicU64,
}

#[repr(C)]
pub(crate) struct Tail {
    /// Where the consumer will read next.
    pub(crate) position: AtomicU64,
    /// Changes whenever the position does; a futex.
    pub(crate) turn: AtomicU32,
    /// 1 while the producer waits for `turn`.
    pub(crate) awaited: AtomicU32,
}

#[repr(C, align(4096))]
struct Ring<const SIZE: usize>(UnsafeCell<[u8; SIZE]>);

/// The memory of one ring.
#[derive(Clone, Copy)]
pub(crate) struct RingMemory {
    pub(crate) bytes: NonNull<u8>,
    pub(crate) size: usize,
}

/// No thread has the slot. Its ring may have unread records of threads that had it.
const FREE: u32 = 0;
/// A thread has the slot; who it is has been written.
const CLAIMED: u32 = 1;
/// A thread is about to have the slot.
const RESERVED: u32 = 2;

// SAFETY: every word is an atomic, except the bytes of rings, which one producer and one consumer access by turns as
// head and tail say, and the mutex, which only the recorder uses as a mutex.
unsafe impl Sync for Block {}

/// Options that the recorder passes to capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Read back and record every presented frame.
    pub hash_frames: bool,
    /// Let the program have binaries of its shaders, as the driver offers them.
    pub keep_binaries: bool,
}

/// Bits of the word in which settings are stored.
const HASH_FRAMES: u32 = 1;
const KEEP_BINARIES: u32 = 2;

impl Settings {
    fn bits(self) -> u32 {
        (u32::from(self.hash_frames) * HASH_FRAMES) | (u32::from(self.keep_binaries) * KEEP_BINARIES)
    }
}

/// Why recording stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum StopReason {
    /// The recorder died, or made no progress for seconds.
    RecorderDied = 1,
    /// The trace could not be written.
    WriteFailed = 2,
    /// A fault inside capture was caught.
    CaptureFault = 3,
    /// The recorder was stopped.
    Ended = 4,
    /// The block contains what no producer writes: the program overwrote it.
    Corrupted = 5,
}

impl StopReason {
    /// Returns the reason as a clause without a full stop.
    pub fn text(self) -> &'static str {
        match self {
            Self::RecorderDied => "the recorder died",
            Self::WriteFailed => "the trace could not be written",
            Self::CaptureFault => "a fault inside the capture library was caught",
            Self::Ended => "the recorder was stopped",
            Self::Corrupted => "the program overwrote the memory that it shares with the recorder",
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        [Self::RecorderDied, Self::WriteFailed, Self::CaptureFault, Self::Ended, Self::Corrupted]
            .into_iter()
            .find(|reason| *reason as u32 == code)
    }
}

/// The values of [`Control::state`]: 0 before recording starts, [`ON`] while recording, [`OFF`] plus the code of a
/// [`StopReason`] afterwards.
const ON: u32 = 1;
const OFF: u32 = 2;

impl Block {
    /// Maps the block behind a descriptor for the rest of the process's life. The descriptor may be closed afterwards.
    ///
    /// # Errors
    /// When it is not a block of this build, or the address space has no room for it.
    ///
    /// # Safety
    /// The descriptor must come from [`Mapping::create`] of the same build, so that it is sealed and other processes
    /// follow the same rules.
    pub unsafe fn map(memory: BorrowedFd<'_>, fingerprint: u64) -> io::Result<&'static Block> {
        if !is_sealed_block(memory)? {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the recorder did not send a block of shared memory",
            ));
        }
        let address = map_shared(memory)?;
        // SAFETY: the mapping has the size and the alignment of a block, is never unmapped, and any bytes are valid.
        let block: &'static Block = unsafe { address.as_ref() };
        if block.control.facts.0.magic.load(Acquire) != MAGIC
            || block.control.facts.0.fingerprint.load(Relaxed) != fingerprint
        {
            // SAFETY: this is the mapping made above, and the reference to it ends here.
            unsafe { libc::munmap(address.as_ptr().cast::<c_void>(), mem::size_of::<Block>()) };
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the recorder is from a different build"));
        }
        Ok(block)
    }

    /// Returns whether recording is on.
    #[inline]
    pub fn recording(&self) -> bool {
        self.control.state.0.load(Relaxed) == ON
    }

    /// Stops recording for good. Only the first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        // A block that is already off keeps its first reason, so a failed exchange is fine.
        let _ = self.control.state.0.compare_exchange(ON, OFF + reason as u32, AcqRel, Relaxed);
    }

    /// Returns why recording stopped, if it did.
    pub fn stopped(&self) -> Option<StopReason> {
        StopReason::from_code(self.control.state.0.load(Acquire).checked_sub(OFF)?)
    }

    /// Returns the options that the recorder set.
    pub fn settings(&self) -> Settings {
        let bits = self.control.facts.0.settings.load(Relaxed);
        Settings { hash_frames: bits & HASH_FRAMES != 0, keep_binaries: bits & KEEP_BINARIES != 0 }
    }

    /// Returns the number of slot claims so far.
    #[inline]
    pub fn claims(&self) -> u64 {
        self.control.claims.0.count.load(Relaxed)
    }

    /// Returns how many slots have ever been claimed; slots with higher numbers are unused.
    pub fn slots(&self) -> usize {
        (self.control.claims.0.slots.load(Acquire) as usize).min(SLOTS)
    }

    /// Returns the clock that the recorder chose for stamps.
    pub fn clock(&self) -> Clock {
        Clock::from_code(self.control.facts.0.clock.load(Relaxed))
    }

    /// Counts a call that could not be recorded, such as one made by a signal handler in the middle of another.
    pub fn count_lost_call(&self) {
        self.control.lost.0.calls.fetch_add(1, Relaxed);
    }

    /// Returns the number of calls that could not be recorded.
    pub fn lost_calls(&self) -> u64 {
        self.control.lost.0.calls.load(Relaxed)
    }

    /// Returns how often a thread found all slots taken.
    pub fn lost_threads(&self) -> u64 {
        self.control.lost.0.threads.load(Relaxed)
    }

    /// Returns whether the recorder's process is known to have died.
    pub(crate) fn recorder_died(&self) -> bool {
        const FUTEX_OWNER_DIED: u32 = 0x4000_0000;
        // SAFETY: glibc and musl keep the futex in the first word of a mutex, and it is only accessed atomically.
        let word = unsafe { AtomicU32::from_ptr(self.control.owner.0.0.get().cast::<u32>()) };
        word.load(Relaxed) & FUTEX_OWNER_DIED != 0
    }

    pub(crate) fn heartbeat(&self) -> u32 {
        self.control.recorder.0.heartbeat.load(Relaxed)
    }

    /// Wakes the recorder if it is asleep.
    pub(crate) fn wake_recorder(&self) {
        let recorder = &self.control.recorder.0;
        if recorder.sleeping.load(Relaxed) != 0 && recorder.sleeping.swap(0, AcqRel) != 0 {
            recorder.wake.fetch_add(1, Release);
            futex::wake(&recorder.wake);
        }
    }

    /// Claims the first free slot for a thread. Its ring goes on where the last owner stopped.
    pub(crate) fn claim(&'static self, thread: u32) -> Option<(&'static Slot, RingMemory)> {
        for (index, slot) in self.slots.iter().enumerate() {
            let owner = &slot.owner.0;
            if owner.state.load(Relaxed) == FREE
                && owner.state.compare_exchange(FREE, RESERVED, AcqRel, Relaxed).is_ok()
            {
                owner.thread.store(thread, Relaxed);
                self.control.claims.0.slots.fetch_max(index as u32 + 1, AcqRel);
                owner.claim.store(self.control.claims.0.count.fetch_add(1, AcqRel), Relaxed);
                owner.state.store(CLAIMED, Release);
                return Some((slot, self.ring(index)?));
            }
        }
        self.control.lost.0.threads.fetch_add(1, Relaxed);
        None
    }

    pub(crate) fn slot(&self, index: usize) -> Option<(&Slot, RingMemory)> {
        Some((self.slots.get(index)?, self.ring(index)?))
    }

    fn ring(&self, index: usize) -> Option<RingMemory> {
        match self.large.get(index) {
            Some(ring) => Some(RingMemory { bytes: NonNull::new(ring.0.get())?.cast(), size: RING_SIZE }),
            None => {
                let ring = self.small.get(index - LARGE_RINGS)?;
                Some(RingMemory { bytes: NonNull::new(ring.0.get())?.cast(), size: SMALL_RING_SIZE })
            }
        }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Block").field("clock", &self.clock()).field("stopped", &self.stopped()).finish()
    }
}

impl Slot {
    /// Notes that memory of a call is about to be copied.
    #[inline]
    pub(crate) fn announce(&self, command: u16, args: &[u64]) {
        let announced = &self.announced.0;
        if args.len() > MAX_ANNOUNCED {
            return;
        }
        for (place, arg) in announced.args.iter().zip(args) {
            place.store(*arg, Relaxed);
        }
        announced.count.store(args.len() as u32, Relaxed);
        announced.command.store(u32::from(command) + 1, Release);
    }

    /// Notes that the call is in the ring.
    #[inline]
    pub(crate) fn withdraw(&self) {
        self.announced.0.command.store(0, Release);
    }

    /// Returns the command and the arguments of a call that was announced and not withdrawn.
    pub(crate) fn announced(&self) -> Option<(u16, Vec<u64>)> {
        let announced = &self.announced.0;
        let command = u16::try_from(announced.command.load(Acquire).checked_sub(1)?).ok()?;
        let count = announced.count.load(Relaxed) as usize;
        Some((command, announced.args.get(..count)?.iter().map(|arg| arg.load(Relaxed)).collect()))
    }

    /// Makes the slot available to the next thread, which continues its ring.
    pub(crate) fn release(&self) {
        self.owner.0.state.store(FREE, Release);
    }

    /// Returns whether a thread has the slot.
    pub(crate) fn is_claimed(&self) -> bool {
        self.owner.0.state.load(Acquire) == CLAIMED
    }

    pub(crate) fn thread(&self) -> u32 {
        self.owner.0.thread.load(Relaxed)
    }

    pub(crate) fn claim(&self) -> u64 {
        self.owner.0.claim.load(Acquire)
    }
}

/// The recorder's mapping of a block that it created; unmapped on drop.
pub struct Mapping {
    block: NonNull<Block>,
    memory: OwnedFd,
}

// SAFETY: the mapping is valid in every thread, and the block in it is `Sync`.
unsafe impl Send for Mapping {}
// SAFETY: as above; nothing changes the pointer.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Creates a new block whose calls are stamped by this clock.
    ///
    /// # Errors
    /// When the system has no memory for it.
    pub fn create(fingerprint: u64, settings: Settings, clock: Clock) -> io::Result<Self> {
        // SAFETY: the name is a NUL-terminated string.
        let memory = unsafe { libc::memfd_create(c"afterimage".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if memory < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, so it has no other owner.
        let memory = unsafe { OwnedFd::from_raw_fd(memory) };
        // SAFETY: plain system call on an open descriptor.
        check(unsafe { libc::ftruncate(memory.as_raw_fd(), mem::size_of::<Block>() as libc::off_t) })?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: plain system call on an open descriptor.
        check(unsafe { libc::fcntl(memory.as_raw_fd(), libc::F_ADD_SEALS, seals) })?;
        // SAFETY: an `OwnedFd` is open as long as it lives.
        let block = map_shared(unsafe { BorrowedFd::borrow_raw(memory.as_raw_fd()) })?;
        let mapping = Self { block, memory };
        let control = &mapping.control;
        control.facts.0.fingerprint.store(fingerprint, Relaxed);
        control.facts.0.settings.store(settings.bits(), Relaxed);
        control.facts.0.clock.store(clock as u32, Relaxed);
        control.state.0.store(ON, Relaxed);
        control.facts.0.magic.store(MAGIC, Release);
        Ok(mapping)
    }

    /// Returns the descriptor for the program to map.
    pub fn memory(&self) -> BorrowedFd<'_> {
        // SAFETY: the descriptor is open as long as `self` lives, which outlives the borrow.
        unsafe { BorrowedFd::borrow_raw(self.memory.as_raw_fd()) }
    }

    /// Marks the recorder as alive, until [`release_ownership`](Self::release_ownership) or the end of the calling
    /// thread. Must be called once.
    ///
    /// # Errors
    /// When the system has no robust mutexes.
    pub fn take_ownership(&self) -> io::Result<()> {
        let mut attributes = mem::MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
        // SAFETY: the call initialises the attributes.
        check_code(unsafe { libc::pthread_mutexattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: the attributes have been initialised above.
        check_code(unsafe {
            libc::pthread_mutexattr_setpshared(attributes.as_mut_ptr(), libc::PTHREAD_PROCESS_SHARED)
        })?;
        // SAFETY: as above.
        check_code(unsafe { libc::pthread_mutexattr_setrobust(attributes.as_mut_ptr(), libc::PTHREAD_MUTEX_ROBUST) })?;
        let mutex = self.control.owner.0.0.get();
        // SAFETY: only this function uses the memory as a mutex, and it is called once.
        check_code(unsafe { libc::pthread_mutex_init(mutex, attributes.as_ptr()) })?;
        // SAFETY: the mutex has been initialised above.
        check_code(unsafe { libc::pthread_mutex_lock(mutex) })
    }

    /// Reverts [`take_ownership`](Self::take_ownership), in the same thread.
    pub fn release_ownership(&self) {
        // SAFETY: the caller's thread has locked the mutex in `take_ownership`; unlocking it from another thread fails
        // without harm.
        unsafe { libc::pthread_mutex_unlock(self.control.owner.0.0.get()) };
    }

    /// Signals that the recorder makes progress; must be called several times a second.
    pub fn beat(&self) {
        self.control.recorder.0.heartbeat.fetch_add(1, Relaxed);
    }

    /// Sleeps until a producer wakes the recorder because its ring is half full, or until `timeout`.
    pub fn sleep(&self, timeout: Duration) {
        let recorder = &self.control.recorder.0;
        let turn = recorder.wake.load(Acquire);
        recorder.sleeping.store(1, Release);
        futex::wait(&recorder.wake, turn, timeout);
        recorder.sleeping.store(0, Release);
    }
}

impl std::ops::Deref for Mapping {
    type Target = Block;

    fn deref(&self) -> &Block {
        // SAFETY: the mapping lives as long as `self`, and any bytes are a valid block.
        unsafe { self.block.as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `create`, and no reference into it can exist any more.
        unsafe { libc::munmap(self.block.as_ptr().cast::<c_void>(), mem::size_of::<Block>()) };
    }
}

fn map_shared(memory: BorrowedFd<'_>) -> io::Result<NonNull<Block>> {
    let size = mem::size_of::<Block>();
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
    let address = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, memory.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(address.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn check_code(code: i32) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}
