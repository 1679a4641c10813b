//! Parses records from bytes that were copied out of a ring. Any bytes are safe to parse.

use crate::layout::{ALIGN, HEADER, PAYLOAD_HEADER, PIECE_HEADER, RecordKind, SHORT_LEAVE, UNSTAMPED};

/// One record, other than padding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Record<'a> {
    /// A call begins.
    Enter {
        /// When it was entered.
        stamp: u64,
        /// The command's number in the tables of this build.
        command: u16,
        /// See [`crate::layout::BY_CAPTURE`].
        flags: u8,
        /// The arguments, as many as the command has, then payloads.
        body: &'a [u8],
    },
    /// A call has returned.
    Leave {
        /// Calls with lower stamps had begun; [`crate::layout::UNSTAMPED`] says nothing about other threads.
        stamp: u64,
        /// The command's number.
        command: u16,
        /// The result.
        result: u64,
        /// Payloads.
        body: &'a [u8],
    },
    /// The records that follow are another thread's.
    Thread,
    /// Part of a payload of the next enter or leave.
    Piece {
        /// The parameter.
        param: u8,
        /// Size in bytes of the whole payload.
        size: u64,
        /// Offset of this piece in the payload.
        offset: u64,
        /// The piece, padded to the alignment.
        bytes: &'a [u8],
    },
}

/// Iterates over the records in some bytes.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
}

/// The bytes are not a valid record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidRecord;

impl<'a> Records<'a> {
    /// Iterates over the records in `bytes`, which start with one.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns the number of bytes not parsed yet.
    pub fn rest(&self) -> usize {
        self.bytes.len()
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, InvalidRecord>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.bytes.is_empty() {
                return None;
            }
            let Some((record, rest)) = split(self.bytes) else {
                self.bytes = &[];
                return Some(Err(InvalidRecord));
            };
            self.bytes = rest;
            if let Some(record) = record {
                return Some(Ok(record));
            }
        }
    }
}

/// Iterates over the payloads in the body of an enter or leave, as parameter and bytes. Stops at the first invalid one.
pub fn payloads(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let header = word(bytes, 0)?;
        let size = (header >> 32) as usize;
        let payload = bytes.get(PAYLOAD_HEADER..)?.get(..size)?;
        bytes = bytes.get(PAYLOAD_HEADER + size.next_multiple_of(ALIGN)..)?;
        Some((header as u8, payload))
    })
}

/// Returns the word with this index.
#[inline]
pub fn word(bytes: &[u8], index: usize) -> Option<u64> {
    let bytes = bytes.get(8 * index..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Splits off the first record; `None` in its place for padding.
#[inline]
fn split(bytes: &[u8]) -> Option<(Option<Record<'_>>, &[u8])> {
    let header = word(bytes, 0)?;
    let size = header as u32 as usize;
    if !size.is_multiple_of(ALIGN) || size == 0 {
        return None;
    }
    let (record, rest) = bytes.split_at_checked(size)?;
    let kind = (header >> 32) as u8;
    if kind == RecordKind::Pad as u8 {
        return Some((None, rest));
    }
    if kind == RecordKind::Leave as u8 && size == SHORT_LEAVE {
        let command = (header >> 48) as u16;
        return Some((Some(Record::Leave { stamp: UNSTAMPED, command, result: 0, body: &[] }), rest));
    }
    let stamp = word(record, 1)?;
    let body = record.get(HEADER..)?;
    let command = (header >> 48) as u16;
    let record = if kind == RecordKind::Enter as u8 {
        Record::Enter { stamp, command, flags: (header >> 40) as u8, body }
    } else if kind == RecordKind::Leave as u8 {
        Record::Leave { stamp, command, result: word(body, 0)?, body: body.get(8..)? }
    } else if kind == RecordKind::Piece as u8 {
        let (param, size, offset) = (word(body, 0)?, word(body, 1)?, word(body, 2)?);
        Record::Piece { param: u8::try_from(param).ok()?, size, offset, bytes: body.get(PIECE_HEADER..)? }
    } else if kind == RecordKind::Thread as u8 {
        Record::Thread
    } else {
        return None;
    };
    Some((Some(record), rest))
}
