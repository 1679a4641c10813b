//! Blobs as bytes.
//!
//! ```text
//! the filtered bytes of all
//! for each: hash (16 bytes), size of the blob, offset of this piece in it, bytes of this piece, filter (3 bytes: stride,
//!     bytes of its numbers, rows of a primitive), and where that has rows, filtered bytes
//! bytes of these (4 bytes)
//! ```
//!
//! In version 1 the directory came first, hashes had 32 bytes, and filters had no rows.

use crate::bytes::{Cut, Malformed, put_number};
use crate::chunk::MAX_CONTENTS;
use crate::filter::Filter;

/// A blob larger than a chunk is written in pieces of this size, each in a chunk of its own.
pub const PIECE: usize = 4 << 20;
/// No blob is larger.
pub const MAX_SIZE: usize = 1 << 32;

/// What tells blobs apart.
pub type Hash = [u8; 16];

/// What a directory says of a blob, or of a piece of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Of the whole blob.
    pub size: u64,
    /// Where in it this piece begins.
    pub offset: u64,
}

/// A piece as it was found in a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub piece: Piece,
    /// Bytes of this piece.
    pub length: usize,
    filter: Filter,
    filtered: &'a [u8],
}

impl Found<'_> {
    /// Appends the bytes of the piece to `out`.
    pub fn unfilter(&self, out: &mut Vec<u8>) -> Result<(), Malformed> {
        self.filter.undo(self.filtered, self.length, out)
    }
}

/// The name of a blob: its hash.
pub fn hash(bytes: &[u8]) -> Hash {
    xxhash_rust::xxh3::xxh3_128(bytes).to_le_bytes()
}

/// Blobs that are written together.
#[derive(Default)]
pub struct Group {
    directory: Vec<u8>,
    /// Filtered bytes; when the group is written, the directory too.
    contents: Vec<u8>,
    count: usize,
    unfiltered: usize,
}

impl Group {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Bytes of its blobs before they were filtered.
    pub fn bytes(&self) -> usize {
        self.unfiltered
    }

    /// Bytes of its blobs as they will be compressed.
    pub fn filtered(&self) -> usize {
        self.contents.len()
    }

    pub fn clear(&mut self) {
        self.directory.clear();
        self.contents.clear();
        self.count = 0;
        self.unfiltered = 0;
    }

    pub fn push(&mut self, hash: Hash, piece: Piece, bytes: &[u8], filter: Filter) {
        let begin = self.contents.len();
        filter.apply(bytes, &mut self.contents);
        self.directory.extend_from_slice(&hash);
        for number in [piece.size, piece.offset, bytes.len() as u64] {
            put_number(&mut self.directory, number);
        }
        self.directory.extend_from_slice(&[filter.stride, filter.number, filter.rows]);
        if filter.rows > 0 {
            put_number(&mut self.directory, (self.contents.len() - begin) as u64);
        }
        self.count += 1;
        self.unfiltered += bytes.len();
    }

    /// The contents of the chunk; nothing more can be pushed until the group is cleared.
    pub fn finish(&mut self) -> &[u8] {
        self.contents.extend_from_slice(&self.directory);
        self.contents.extend_from_slice(&(self.directory.len() as u32).to_le_bytes());
        &self.contents
    }
}

/// Reads a group of `count` blobs, telling `found` of each.
pub fn read<'a>(
    contents: &'a [u8],
    version: u16,
    count: u32,
    mut found: impl FnMut(Found<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let (mut cut, mut bytes) = if version == 1 { (Cut::new(contents), Cut::new(contents)) } else { split(contents)? };
    let mut pieces = Vec::new();
    let mut unfiltered = 0usize;
    for _ in 0..count {
        cut.take(if version == 1 { 32 } else { size_of::<Hash>() })?;
        let piece = Piece { size: cut.number()?, offset: cut.number()? };
        let length = cut.small::<usize>()?;
        // Zeros that were left out take no room, so this is what bounds the memory that a chunk can ask for.
        unfiltered = unfiltered.saturating_add(length);
        if unfiltered > MAX_CONTENTS {
            return Err(Malformed("its blobs are too large"));
        }
        let [stride, number] = cut.array()?;
        let rows = if version == 1 { 0 } else { cut.byte()? };
        let filter = Filter { stride, number, rows }.check()?;
        let stored = if rows > 0 { cut.small::<usize>()? } else { length };
        pieces.push((piece, length, filter, stored));
    }
    if version == 1 {
        bytes.take(contents.len() - cut.left())?;
    }
    for (piece, length, filter, stored) in pieces {
        found(Found { piece, length, filter, filtered: bytes.take(stored)? })?;
    }
    Ok(())
}

/// Directory and filtered bytes of a chunk.
fn split(contents: &[u8]) -> Result<(Cut<'_>, Cut<'_>), Malformed> {
    let short = Malformed("it ends too early");
    let (rest, length) = contents.split_last_chunk().ok_or(short)?;
    let begin = rest.len().checked_sub(u32::from_le_bytes(*length) as usize).ok_or(short)?;
    let (bytes, directory) = rest.split_at(begin);
    Ok((Cut::new(directory), Cut::new(bytes)))
}
