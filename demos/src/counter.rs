//! Counts completed calls in a file that outlives the program: a test that kills it can see how far it got.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, ensure};

/// Maximum number of counters, one for each thread.
pub const COUNTERS: usize = 8;

/// Counters in a file, or only in memory.
pub struct Counters {
    cells: &'static [Cell; COUNTERS],
}

/// A counter that shares no cache line with another, nor the pair of lines that processors prefetch: otherwise counting
/// threads would slow each other down more than the calls that they count.
#[derive(Default)]
#[repr(align(128))]
struct Cell(AtomicU64);

impl Counters {
    /// Creates counters in a file, one every 128 bytes, replacing an existing file; numbers are in native byte order.
    pub fn in_file(path: &Path) -> anyhow::Result<Counters> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        let size = size_of::<[Cell; COUNTERS]>();
        file.set_len(size as u64)?;
        // SAFETY: a new shared mapping of an open file of that size, at an address chosen by the kernel.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        ensure!(memory != libc::MAP_FAILED, "cannot map {}", path.display());
        // SAFETY: the mapping is page-aligned, has the size of the array, starts as zeros and is never unmapped.
        Ok(Counters { cells: unsafe { &*memory.cast() } })
    }

    /// Creates counters that no other process sees.
    pub fn in_memory() -> Counters {
        Counters { cells: Box::leak(Box::default()) }
    }

    /// Returns one thread's counter.
    pub fn cell(&self, thread: usize) -> &'static AtomicU64 {
        &self.cells[thread].0
    }
}

/// Adds one; only one thread writes to each cell, so no locked instruction is needed.
pub fn count(cell: &AtomicU64) {
    cell.store(cell.load(Ordering::Relaxed) + 1, Ordering::Release);
}

/// Returns the CPU time that the calling thread has used, in nanoseconds.
pub fn thread_cpu() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
