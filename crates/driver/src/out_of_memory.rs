//! A bound for the memory of a worker, and a mark that says that it was the bound that ended it.
//!
//! The bound is RLIMIT_DATA: private memory that can be written. RLIMIT_AS would count what drivers only reserve.

use std::io::{self, Write as _};
use std::mem::MaybeUninit;
use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use libc::c_int;

use crate::Page;

/// Signals that a process dies of when it does not get the memory it needs: it aborts itself, or uses a null pointer.
const SIGNALS: [c_int; 3] = [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS];

/// Less than this part of the bound was left: a process that dies then died for lack of memory.
const LEFT: u64 = 8;

/// How many bytes the handler tries to get.
static TRIAL: AtomicUsize = AtomicUsize::new(0);
/// Where the handler leaves its mark.
static MARK: OnceLock<&'static AtomicU64> = OnceLock::new();
/// What handled the signals before, in the order of [`SIGNALS`].
static BEFORE: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

/// Returns the memory of this machine in bytes.
#[must_use]
pub fn machine_memory() -> u64 {
    // SAFETY: sysconf takes a number.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    // SAFETY: as above.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0))
}

/// Returns the bound that the user has set for this process and its children, in bytes (`ulimit -d`).
#[must_use]
pub fn memory_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is live.
    let got = unsafe { libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) };
    (got == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Bounds the memory that this process can take, in bytes. If the process dies with less than an eighth of it left, word
/// `word` of the page is set to 1.
///
/// # Errors
/// When the system refuses, because the bound is above that of [`memory_limit`].
pub fn limit_memory(bytes: u64, page: &'static Page, word: usize) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: the limit is live.
    if unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mark = page.words().get(word).ok_or(io::ErrorKind::InvalidInput)?;
    if MARK.set(mark).is_err() {
        return Ok(());
    }
    TRIAL.store(usize::try_from(bytes / LEFT).unwrap_or(usize::MAX), Ordering::Relaxed);
    let mut before = [nothing(); 3];
    for (signal, before) in SIGNALS.into_iter().zip(&mut before) {
        // SAFETY: the place is live, and no action is set.
        unsafe { libc::sigaction(signal, std::ptr::null(), before) };
    }
    if BEFORE.set(before).is_err() {
        return Ok(());
    }
    let handler: extern "C" fn(c_int) = mark_and_hand_on;
    let action = libc::sigaction { sa_sigaction: handler as usize, sa_flags: libc::SA_ONSTACK, ..nothing() };
    for signal in SIGNALS {
        // SAFETY: the action is live, and its handler has the signature that its flags ask for.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if mark_if_short() {
            // A backtrace needs memory, and waits for itself forever if it does not get it. Without a standard error the
            // message is lost.
            let _ = writeln!(io::stderr(), "{panic}");
        } else {
            usual(panic);
        }
    }));
    Ok(())
}

/// Returns an action without handler, flags and mask.
fn nothing() -> libc::sigaction {
    // SAFETY: all zeros is a valid action.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Sets the mark if memory is short, and returns whether it is. May be called in the handler of a signal.
fn mark_if_short() -> bool {
    let size = TRIAL.load(Ordering::Relaxed);
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let flags = flags | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
    if mapped != libc::MAP_FAILED {
        // SAFETY: this is the mapping above, which nothing else knows.
        unsafe { libc::munmap(mapped, size) };
        return false;
    }
    if let Some(mark) = MARK.get() {
        mark.store(1, Ordering::Relaxed);
    }
    true
}

/// Sets the mark if memory is short, and puts the earlier handler back: it gets the signal when the instruction that
/// failed is executed again, or `abort` goes on.
extern "C" fn mark_and_hand_on(signal: c_int) {
    mark_if_short();
    let place = SIGNALS.iter().position(|known| *known == signal);
    if let (Some(place), Some(before)) = (place, BEFORE.get()) {
        // SAFETY: the action is one that the system returned for this signal.
        unsafe { libc::sigaction(signal, &raw const before[place], std::ptr::null_mut()) };
    }
}
