//! Things that programs do and that a recorder inside of them must survive.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use anyhow::ensure;

const PAGE: usize = 4096;

static MEMORY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static FAULTS: AtomicU64 = AtomicU64::new(0);

/// Closes every file descriptor from 3 on, whatever it belongs to.
pub fn close_descriptors() {
    // SAFETY: this program uses only the standard descriptors afterwards; that libraries lose theirs is the point.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) };
}

/// Runs `in_child` in a forked child that does not exec, and waits for it.
pub fn fork(in_child: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    // SAFETY: no other thread of this program holds a lock that the child needs: only drivers have started any.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let status = i32::from(in_child().is_err());
        // SAFETY: ends the process. Exit handlers of libraries belong to the parent.
        unsafe { libc::_exit(status) };
    }
    let mut status = 0;
    // SAFETY: the status outlives the call.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    ensure!(child > 0 && waited == child && status == 0, "the forked child failed (status {status})");
    Ok(())
}

/// Returns memory of which the page with the last byte cannot be read.
pub fn unreadable(size: usize) -> anyhow::Result<*const c_void> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let whole = size.next_multiple_of(PAGE);
    // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_READ, flags, -1, 0) };
    ensure!(memory != libc::MAP_FAILED, "cannot allocate memory");
    // SAFETY: the last page is inside the mapping.
    let last = unsafe { memory.byte_add(whole - PAGE) };
    // SAFETY: the page belongs to the mapping made above.
    unsafe { libc::mprotect(last, PAGE, libc::PROT_NONE) };
    Ok(memory)
}

/// A read-only page of memory, and a SIGSEGV handler that makes it writable at the first write.
pub struct Faults(());

impl Faults {
    /// Installs the handler.
    pub fn install() -> anyhow::Result<Faults> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), PAGE, libc::PROT_READ, flags, -1, 0) };
        ensure!(memory != libc::MAP_FAILED, "cannot allocate a page of memory");
        MEMORY.store(memory, Ordering::Release);
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) = handle;
        // SAFETY: all zero bytes are a valid description without flags.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        // SAFETY: the description is complete, and the handler only makes system calls.
        let result = unsafe { libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut()) };
        ensure!(result == 0, "cannot install the SIGSEGV handler");
        Ok(Faults(()))
    }

    /// Writes to the page, which faults, and makes it read-only again.
    pub fn fault(&self) {
        let memory = MEMORY.load(Ordering::Acquire);
        // SAFETY: the page is mapped, and the handler makes it writable when this faults.
        unsafe { memory.cast::<u64>().write_volatile(1) };
        // SAFETY: the page belongs to this module.
        unsafe { libc::mprotect(memory, PAGE, libc::PROT_READ) };
    }

    /// Returns the number of faults so far.
    pub fn count(&self) -> u64 {
        FAULTS.load(Ordering::Relaxed)
    }
}

extern "C" fn handle(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    FAULTS.fetch_add(1, Ordering::Relaxed);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the page belongs to this module; `mprotect` may be called from handlers.
    unsafe { libc::mprotect(MEMORY.load(Ordering::Acquire), PAGE, protection) };
}
