//! The layout of a ring: records, one after the other.
//!
//! A record is a header of two words and a body; its size is a multiple of [`ALIGN`]. A record never wraps around the
//! end of its ring: the rest of the ring is filled by a [`RecordKind::Pad`] record, which may consist of word 0 only.
//!
//! ```text
//! word 0   size in bytes, header included (bits 0..32) | kind (32..40) | flags (40..48) | command (48..64)
//! word 1   stamp
//! ```
//!
//! - `Enter`: one word for each argument, then payloads.
//! - `Leave`: one word for the result, then payloads. A leave that returns zero and has no payloads and no stamp may be
//!   word 0 alone. Leaves match enters like brackets, within one thread.
//! - `Thread`: the records that follow are another thread's. Each thread that claims a slot begins with one, because a
//!   ring may hold unread records of the slot's last owner.
//! - `Piece`: part of a payload too long for one record. It belongs to the next enter or leave of the same thread.
//!   Body: parameter (`u64`), size of the whole payload (`u64`), offset of this piece (`u64`), bytes.
//!
//! A payload is a header of one word and its bytes, padded to [`ALIGN`]:
//!
//! ```text
//! parameter (bits 0..8) | 0 (8..32) | size in bytes (32..64)
//! ```
//!
//! Stamps are times of the block's [`Clock`](crate::Clock). A call is stamped when it enters, and when it leaves with
//! payloads: all calls with lower stamps had begun by then. While only one thread has made calls, its records are not
//! stamped ([`UNSTAMPED`]). Leaves without payloads are never stamped and say less: at least the calls that precede the
//! thread's last enter had begun.
//!
//! Arguments are words: signed integers are sign-extended to 64 bits, unsigned ones and pointers zero-extended, floats
//! are their bits, zero-extended.

/// Records and payloads start at multiples of this.
pub const ALIGN: usize = 8;

/// Size in bytes of a record's header.
pub const HEADER: usize = 16;

/// Size in bytes of a payload's header.
pub const PAYLOAD_HEADER: usize = 8;

/// Bytes in the body of a piece before the payload's bytes.
pub const PIECE_HEADER: usize = 24;

/// Returns the size in bytes from which on payloads are split into pieces, for a ring of `ring` bytes.
pub const fn piece(ring: usize) -> usize {
    ring / 8
}

/// The stamp of a record without one.
pub const UNSTAMPED: u64 = 0;

/// Size in bytes of a leave without result, payloads and stamp.
pub const SHORT_LEAVE: usize = 8;

/// The kind of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecordKind {
    /// Fills the end of the ring.
    Pad = 0,
    /// A call begins.
    Enter = 1,
    /// A call has returned.
    Leave = 2,
    /// Part of a long payload.
    Piece = 3,
    /// A thread begins to use the ring.
    Thread = 4,
}

/// Flag of an enter: the call was not made by the program but inserted by capture, so that the trace is self-contained.
pub const BY_CAPTURE: u8 = 1;

/// Returns word 0 of a record.
#[inline]
pub const fn header(size: usize, kind: RecordKind, flags: u8, command: u16) -> u64 {
    (size as u64) | (kind as u64) << 32 | (flags as u64) << 40 | (command as u64) << 48
}

/// Returns the header of a payload.
#[inline]
pub const fn payload_header(param: u8, size: usize) -> u64 {
    (param as u64) | (size as u64) << 32
}
