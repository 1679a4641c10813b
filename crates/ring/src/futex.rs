//! Waits for a word of shared memory to change.

use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Waits until waiters of `word` are woken, unless it no longer holds `expected`; at most `timeout`. May return early
/// for no reason.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Duration) {
    let timeout = libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(timeout.subsec_nanos() as i32),
    };
    // SAFETY: the word and the timeout outlive the call, and the kernel only reads them.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            &raw const timeout,
            ptr::null::<u32>(),
            0,
        )
    };
}

/// Wakes all waiters of `word`.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the kernel only uses the address of the word, it does not read it.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            i32::MAX,
            ptr::null::<u32>(),
            ptr::null::<u32>(),
            0,
        )
    };
}
