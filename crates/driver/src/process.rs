//! What a worker process needs from its operating system.

use std::time::Duration;

/// Returns the CPU time that this process has used, in all threads.
#[must_use]
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Ends this process when its parent ends, however that happens, and disables core dumps for driver crashes, which the
/// parent reports.
pub fn be_a_worker() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is live; setting it only affects crashes.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    keep_memory();
    clear_memory();
    // SAFETY: PR_SET_PDEATHSIG takes a signal number and no pointer.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Makes the allocator keep freed memory. Replay and drivers allocate and free the same large blocks again and again,
/// and getting them from the kernel each time, zeroed page by page, costs more than anything else that is done with
/// them.
fn keep_memory() {
    // SAFETY: mallopt takes two numbers; the process is still single-threaded.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 30) };
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX) };
}

/// Makes the allocator fill memory with zeros before it is used, and with other bytes after that. A texture without
/// contents then shows zeros, in every run, instead of what was in the memory before: parts of other traces, or of this
/// process.
fn clear_memory() {
    // SAFETY: mallopt takes two numbers; the process is still single-threaded. Allocated memory is filled with the
    // complement of the byte.
    unsafe { libc::mallopt(libc::M_PERTURB, 0xFF) };
}
