//! Encoding of blobs in a chunk.
//!
//! ```text
//! the filtered bytes of all blobs
//! for each blob: hash (16 bytes), size of the blob, offset of this piece in it, size of this piece, filter (3 bytes:
//!     stride, size of its numbers, rows per primitive), and if rows is not 0, the size of the filtered bytes
//! size of this directory (4 bytes)
//! ```
//!
//! In version 1 the directory came first, hashes had 32 bytes, and filters had no rows field.

use crate::bytes::{ByteReader, Malformed, put_number};
use crate::chunk::MAX_CONTENTS;
use crate::filter::Filter;

/// A blob larger than this is split into pieces of this size, each in a chunk of its own.
pub const PIECE: usize = 4 << 20;
/// Maximum size of a blob.
pub const MAX_SIZE: u64 = 1 << 32;

/// The hash that identifies a blob.
pub type Hash = [u8; 16];

/// A directory entry: a blob, or a piece of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Size of the whole blob.
    pub size: u64,
    /// Offset of this piece in the blob.
    pub offset: u64,
}

/// A piece found in a chunk, still filtered.
#[derive(Clone, Copy, Debug)]
pub struct FoundPiece<'a> {
    pub piece: Piece,
    /// Size of this piece.
    pub length: usize,
    filter: Filter,
    filtered: &'a [u8],
}

impl FoundPiece<'_> {
    /// Appends the bytes of the piece to `out`.
    pub fn unfilter(&self, out: &mut Vec<u8>) -> Result<(), Malformed> {
        self.filter.undo(self.filtered, self.length, out)
    }
}

/// Returns the hash that identifies a blob.
pub fn hash(bytes: &[u8]) -> Hash {
    xxhash_rust::xxh3::xxh3_128(bytes).to_le_bytes()
}

/// Blobs that are written together.
#[derive(Default)]
pub struct Group {
    directory: Vec<u8>,
    /// Filtered bytes; after `finish`, also the directory.
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

    /// Returns the total size of the blobs before filtering.
    pub fn bytes(&self) -> usize {
        self.unfiltered
    }

    /// Returns the total size of the blobs after filtering.
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

    /// Returns the contents of the chunk. Nothing more can be pushed until the group is cleared.
    pub fn finish(&mut self) -> &[u8] {
        self.contents.extend_from_slice(&self.directory);
        self.contents.extend_from_slice(&(self.directory.len() as u32).to_le_bytes());
        &self.contents
    }
}

/// Reads a group of `count` blobs and calls `found` for each.
pub fn read<'a>(
    contents: &'a [u8],
    version: u16,
    count: u32,
    mut found: impl FnMut(FoundPiece<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let (mut input, mut bytes) =
        if version == 1 { (ByteReader::new(contents), ByteReader::new(contents)) } else { split(contents)? };
    let mut pieces = Vec::new();
    let mut unfiltered = 0usize;
    for _ in 0..count {
        input.take(if version == 1 { 32 } else { size_of::<Hash>() })?;
        let piece = Piece { size: input.number()?, offset: input.number()? };
        let length = input.small::<usize>()?;
        // Omitted zeros take no space, so this check is what bounds the memory that a chunk can ask for.
        unfiltered = unfiltered.saturating_add(length);
        if unfiltered > MAX_CONTENTS {
            return Err(Malformed("the blobs are too large"));
        }
        let [stride, number] = input.array()?;
        let rows = if version == 1 { 0 } else { input.byte()? };
        let filter = Filter { stride, number, rows }.check()?;
        let stored = if rows > 0 { input.small::<usize>()? } else { length };
        pieces.push((piece, length, filter, stored));
    }
    if version == 1 {
        bytes.take(contents.len() - input.left())?;
    }
    for (piece, length, filter, stored) in pieces {
        found(FoundPiece { piece, length, filter, filtered: bytes.take(stored)? })?;
    }
    Ok(())
}

/// Splits the contents of a chunk into directory and filtered bytes.
fn split(contents: &[u8]) -> Result<(ByteReader<'_>, ByteReader<'_>), Malformed> {
    let short = Malformed("the data ends too early");
    let (rest, length) = contents.split_last_chunk().ok_or(short)?;
    let begin = rest.len().checked_sub(u32::from_le_bytes(*length) as usize).ok_or(short)?;
    let (bytes, directory) = rest.split_at(begin);
    Ok((ByteReader::new(directory), ByteReader::new(bytes)))
}
