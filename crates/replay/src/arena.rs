//! Memory for the length of one call: what pointers point to that the trace says nothing of, or that has to be made
//! anew because names in it are others here.

use std::ffi::c_void;

/// Bytes of an ordinary chunk. Longer pieces get a chunk of their own, which is given back after the call.
const CHUNK: usize = 256 << 10;

/// Pieces begin at multiples of so many words, enough for any vector instruction.
const ALIGN: usize = 8;

/// Memory that is handed out piece by piece and taken back all at once. Pieces do not move.
#[derive(Default)]
pub struct Arena {
    chunks: Vec<Vec<u64>>,
    /// Words used of the last chunk.
    used: usize,
}

/// A piece of an [`Arena`], good until it is cleared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    chunk: usize,
    /// In words.
    start: usize,
    /// In bytes.
    size: usize,
}

impl Arena {
    /// Takes back all pieces.
    #[inline]
    pub fn clear(&mut self) {
        self.used = 0;
        if self.chunks.len() > 1 {
            self.chunks.truncate(1);
        }
    }

    /// A piece of memory with anything in it.
    pub fn take(&mut self, size: usize) -> Piece {
        let words = size.div_ceil(8).next_multiple_of(ALIGN).max(ALIGN);
        let room = self.chunks.last().map_or(0, |chunk| chunk.len() - self.used);
        if room < words {
            self.chunks.push(vec![0; words.max(CHUNK / 8)]);
            self.used = 0;
        }
        let piece = Piece { chunk: self.chunks.len() - 1, start: self.used, size };
        self.used += words;
        piece
    }

    /// A piece with these bytes in it.
    pub fn copy(&mut self, bytes: &[u8]) -> Piece {
        let piece = self.take(bytes.len());
        self.write(piece, 0, bytes);
        piece
    }

    /// Writes into a piece; what does not fit is left out.
    pub fn write(&mut self, piece: Piece, offset: usize, bytes: &[u8]) {
        let words = &mut self.chunks[piece.chunk][piece.start..];
        let (first, rest) = (offset / 8, offset % 8);
        if rest == 0 {
            let whole = bytes.chunks_exact(8);
            let tail = whole.remainder();
            let count = whole.len().min(words.len().saturating_sub(first));
            for (word, bytes) in words[first..first + count].iter_mut().zip(whole) {
                *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            }
            if let Some(word) = words.get_mut(first + count).filter(|_| !tail.is_empty()) {
                let mut last = word.to_le_bytes();
                last[..tail.len()].copy_from_slice(tail);
                *word = u64::from_le_bytes(last);
            }
            return;
        }
        for (at, &byte) in (offset..).zip(bytes) {
            let Some(word) = words.get_mut(at / 8) else { return };
            let shift = 8 * (at % 8);
            *word = *word & !(0xFF << shift) | u64::from(byte) << shift;
        }
    }

    /// What is in a piece now.
    pub fn read(&self, piece: Piece) -> Vec<u8> {
        let words = &self.chunks[piece.chunk][piece.start..];
        let mut bytes: Vec<u8> = words[..piece.size.div_ceil(8)].iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(piece.size);
        bytes
    }

    /// Where a piece is.
    pub fn pointer(&mut self, piece: Piece) -> *mut c_void {
        self.chunks[piece.chunk][piece.start..].as_mut_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_what_is_written() {
        let mut arena = Arena::default();
        let first = arena.copy(b"0123456789");
        let second = arena.copy(b"abc");
        arena.write(first, 3, b"xy");
        arena.write(first, 8, b"zz");
        assert_eq!(arena.read(first), b"012xy567zz");
        assert_eq!(arena.read(second), b"abc");
        assert_eq!(arena.pointer(second) as usize % 64, arena.pointer(first) as usize % 64);
    }

    #[test]
    fn long_pieces_do_not_move_short_ones() {
        let mut arena = Arena::default();
        let short = arena.copy(b"short");
        let before = arena.pointer(short);
        let long = arena.take(CHUNK * 3);
        assert_eq!(arena.pointer(short), before);
        arena.write(long, CHUNK * 3 - 1, b"!");
        assert_eq!(arena.read(long).last(), Some(&b'!'));
        arena.clear();
        assert_eq!(arena.chunks.len(), 1);
    }
}
