//! Blobs as bytes.
//!
//! ```text
//! for each: hash (32 bytes), size of the blob, offset of this piece in it, bytes of this piece, filter (2 bytes: stride,
//!     bytes of its numbers)
//! then the filtered bytes of all
//! ```

use crate::bytes::{Cut, Malformed, put_number};
use crate::filter::Filter;

/// A blob larger than a chunk is written in pieces of this size, each in a chunk of its own.
pub const PIECE: usize = 4 << 20;
/// No blob is larger.
pub const MAX_SIZE: usize = 1 << 32;

/// What a directory says of a blob, or of a piece of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub hash: [u8; 32],
    /// Of the whole blob.
    pub size: u64,
    /// Where in it this piece begins.
    pub offset: u64,
}

/// Blobs that are written together.
#[derive(Default)]
pub struct Group {
    directory: Vec<u8>,
    bytes: Vec<u8>,
    count: usize,
}

impl Group {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn clear(&mut self) {
        self.directory.clear();
        self.bytes.clear();
        self.count = 0;
    }

    pub fn push(&mut self, piece: Piece, bytes: &[u8], filter: Filter) {
        self.directory.extend_from_slice(&piece.hash);
        for number in [piece.size, piece.offset, bytes.len() as u64] {
            put_number(&mut self.directory, number);
        }
        self.directory.extend_from_slice(&[filter.stride, filter.number]);
        filter.apply(bytes, &mut self.bytes);
        self.count += 1;
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.directory);
        out.extend_from_slice(&self.bytes);
    }
}

/// Reads a group of `count` blobs, telling `found` of each and of its filtered bytes.
pub fn read<'a>(
    contents: &'a [u8],
    count: u32,
    mut found: impl FnMut(Piece, &'a [u8], Filter),
) -> Result<(), Malformed> {
    let mut directory = Cut::new(contents);
    let mut bytes = Cut::new(contents);
    let mut pieces = Vec::new();
    for _ in 0..count {
        let piece = Piece { hash: directory.array()?, size: directory.number()?, offset: directory.number()? };
        let length = directory.small::<usize>()?;
        let [stride, number] = directory.array()?;
        pieces.push((piece, length, Filter { stride, number }.check()?));
    }
    bytes.take(contents.len() - directory.left())?;
    for (piece, length, filter) in pieces {
        found(piece, bytes.take(length)?, filter);
    }
    Ok(())
}
