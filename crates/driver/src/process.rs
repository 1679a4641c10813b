//! What a worker process needs of its operating system.

use std::time::Duration;

/// Processor time that this process has used, all threads together.
#[must_use]
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Ends this process when the one that started it ends, however that happens, and leaves no core file when a driver
/// crashes: whoever waits for this process reports it.
pub fn be_a_worker() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is live; setting it changes what happens at a crash only.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    keep_memory();
    // SAFETY: PR_SET_PDEATHSIG takes a signal number and no pointer.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Has the allocator keep what is freed. Replay and drivers take and free the same large pieces again and again, and
/// getting them from the kernel each time, zeroed page by page, costs more than anything else that is done with them.
fn keep_memory() {
    // SAFETY: mallopt takes two numbers; the process has one thread yet.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 30) };
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX) };
}
