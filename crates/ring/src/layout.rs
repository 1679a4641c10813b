//! What lies where in a ring: records, one after the other.
//!
//! A record is a header of two words and a body; its size is a multiple of [`ALIGN`]. A record never wraps around the
//! end of its ring: what is left there is filled by a [`Kind::Pad`] record, of which only word 0 may have room.
//!
//! ```text
//! word 0   size in bytes, header included (bits 0..32) | kind (32..40) | flags (40..48) | command (48..64)
//! word 1   order
//! ```
//!
//! - `Enter`: one word for each argument, then payloads.
//! - `Leave`: one word for the result, then payloads. Leaves are matched with enters as brackets, within one thread.
//! - `Piece`: part of a payload too long for one record. It belongs to the next enter or leave of the same thread.
//!   Body: parameter (`u64`), size of the whole payload (`u64`), offset of this piece (`u64`), bytes.
//!
//! A payload is a header of one word and its bytes, filled up to [`ALIGN`]:
//!
//! ```text
//! parameter (bits 0..8) | 0 (8..32) | size in bytes (32..64)
//! ```
//!
//! Orders come from one counter of the whole block. Entering takes the next number. A leave says that calls with lower
//! orders had begun before it ended: those are all that had when it has payloads, and for the others at least those up to
//! the last that its own thread began.
//!
//! Arguments are words: signed integers are sign-extended to 64 bits, unsigned ones and pointers zero-extended, floats
//! are their bits, zero-extended.

/// Records and payloads begin at multiples of this.
pub const ALIGN: usize = 8;

/// Bytes of a record's header.
pub const HEADER: usize = 16;

/// Bytes of a payload's header.
pub const PAYLOAD_HEADER: usize = 8;

/// Bytes in the body of a piece before the payload's own.
pub const PIECE_HEADER: usize = 24;

/// Payloads longer than this travel in pieces.
pub const PIECE: usize = 512 << 10;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Fills the end of the ring.
    Pad = 0,
    /// A call begins.
    Enter = 1,
    /// A call has returned.
    Leave = 2,
    /// Part of a long payload.
    Piece = 3,
}

/// Flag of an enter: the call is not the program's but put in by capture, so that the trace stands on its own.
pub const BY_CAPTURE: u8 = 1;

/// Word 0 of a record.
#[inline]
pub const fn header(size: usize, kind: Kind, flags: u8, command: u16) -> u64 {
    (size as u64) | (kind as u64) << 32 | (flags as u64) << 40 | (command as u64) << 48
}

/// The header of a payload.
#[inline]
pub const fn payload_header(param: u8, size: usize) -> u64 {
    (param as u64) | (size as u64) << 32
}
