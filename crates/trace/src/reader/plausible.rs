//! Whether a file may hold what it claims. Compression lets a few kilobytes stand for millions of calls or gigabytes of
//! blobs. Recordings compress well too, but not without end: a reader that believed everything could be kept busy for
//! hours by a file that fits into an e-mail.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::index::ChunkLocation;

/// Calls that any file may have, and more for each byte of it. A program that draws the same picture again and again is
/// recorded in about a byte for 100 calls: the first number is an hour of it at 30 frames a second and 40 calls a frame.
const CALLS: u64 = 1 << 22;
const CALLS_PER_BYTE: u64 = 16;

/// Bytes of unpacked calls that any file may have, and more for each byte of it.
const CALL_BYTES: u64 = 2 << 30;
const CALL_BYTES_PER_BYTE: u64 = 64;

/// Size of a blob that any file may have, and more for each byte of it.
const BLOB: u64 = 256 << 20;
const BLOB_PER_BYTE: u64 = 16;

static TRUSTED: AtomicBool = AtomicBool::new(false);

/// Lifts the limits of what traces may hold in this process, for good: files are believed whatever they claim.
pub fn trust_traces() {
    TRUSTED.store(true, Ordering::Relaxed);
}

/// Returns whether [`trust_traces`] was called.
pub fn are_traces_trusted() -> bool {
    TRUSTED.load(Ordering::Relaxed)
}

/// Returns what a file of `bytes` bytes claims to hold in its calls, if that is too much.
pub(super) fn excess(bytes: u64, chunks: &[ChunkLocation]) -> Option<String> {
    if are_traces_trusted() {
        return None;
    }
    let calls: u64 = chunks.iter().map(|chunk| u64::from(chunk.count)).sum();
    let unpacked: u64 = chunks.iter().map(|chunk| u64::from(chunk.unpacked)).sum();
    if calls > CALLS + bytes.saturating_mul(CALLS_PER_BYTE) {
        Some(format!("{calls} calls"))
    } else if unpacked > CALL_BYTES + bytes.saturating_mul(CALL_BYTES_PER_BYTE) {
        Some(format!("{} MiB of calls", unpacked >> 20))
    } else {
        None
    }
}

/// Returns whether a file of `bytes` bytes may have a blob of a size.
pub(super) fn may_have_blob(bytes: u64, size: u64) -> bool {
    are_traces_trusted() || size <= BLOB.max(bytes.saturating_mul(BLOB_PER_BYTE))
}
