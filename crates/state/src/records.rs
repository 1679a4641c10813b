//! Write records: which call wrote which part of a buffer or image, from what.
//!
//! The model keeps no contents. For each buffer and image it keeps which calls wrote the current contents; a reader
//! that needs the bytes follows the records. They are persistent data structures: a copy shares what did not change.

mod image;

use imbl::OrdMap;

pub use image::{Aspect, ClearValue, ImageRecords, ImageWrite, Job, Pixels, RecordedWrite, Region, Texels};

/// The origin of bytes of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The memory that a parameter of the call points to, from this byte on.
    Memory {
        /// The parameter.
        param: u8,
        /// The offset of the first written byte in that memory.
        skip: u64,
    },
    /// A buffer as it was before the call, from this byte on.
    Buffer {
        /// The buffer; see [`crate::ShareGroup::next_object`].
        object: u64,
        /// The first copied byte.
        from: u64,
    },
    /// A repeated pattern.
    Fill(Pattern),
    /// The output of shaders and fixed functions, which only a driver can repeat; earlier contents may stay visible.
    Gpu,
    /// Undefined: new storage, or invalidated.
    Undefined,
}

/// A short repeated pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    bytes: [u8; 16],
    length: u8,
}

impl Pattern {
    /// Zeros.
    pub const ZERO: Pattern = Pattern { bytes: [0; 16], length: 1 };

    /// Creates a pattern of 1 to 16 bytes; `None` for any other length.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Pattern> {
        let length = u8::try_from(bytes.len()).ok().filter(|length| (1..=16).contains(length))?;
        let mut pattern = Pattern { bytes: [0; 16], length };
        pattern.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(pattern)
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The write of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// The number of the call.
    pub call: u64,
    /// The first byte that it wrote, including bytes that later calls overwrote: the origin starts there.
    pub began: u64,
    /// One past the last byte of this piece.
    pub to: u64,
    /// What it wrote.
    pub origin: Origin,
}

/// Which calls wrote which bytes of a buffer. A write takes logarithmic time in the number of pieces, and splits or
/// removes those it covers.
#[derive(Clone, Debug, Default)]
pub struct WriteRecords {
    /// Pieces by their first byte; they never overlap.
    pieces: OrdMap<u64, Write>,
}

impl WriteRecords {
    /// Records that a call wrote a range.
    pub fn write(&mut self, call: u64, from: u64, to: u64, origin: Origin) {
        if from >= to {
            return;
        }
        self.cut(from, to);
        self.pieces.insert(from, Write { call, began: from, to, origin });
    }

    /// Records that a call replaced everything: there are `size` bytes now, all from one origin.
    pub fn replace(&mut self, call: u64, size: u64, origin: Origin) {
        self.pieces = OrdMap::new();
        self.write(call, 0, size, origin);
    }

    /// Iterates over the writes of the bytes from `from` to `to` (exclusive): first byte, end, and the write. Bytes
    /// that were never written are left out.
    pub fn within(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64, &Write)> {
        let first = self.pieces.get_prev(&from).filter(|(_, write)| write.to > from).map_or(from, |(start, _)| *start);
        self.pieces.range(first..to.max(first)).map(move |(start, write)| ((*start).max(from), write.to.min(to), write))
    }

    /// Returns the number of pieces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Removes what a write covers.
    fn cut(&mut self, from: u64, to: u64) {
        if let Some((start, write)) = self.pieces.get_prev(&from)
            && *start < from
            && write.to > from
        {
            let (start, write) = (*start, *write);
            self.pieces.insert(start, Write { to: from, ..write });
            if write.to > to {
                self.pieces.insert(to, write);
            }
        }
        while let Some((start, write)) = self.pieces.get_next(&from).filter(|(start, _)| **start < to) {
            let (start, write) = (*start, *write);
            self.pieces.remove(&start);
            if write.to > to {
                self.pieces.insert(to, write);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Origin = Origin::Gpu;

    fn pieces(records: &WriteRecords) -> Vec<(u64, u64, u64)> {
        records.within(0, u64::MAX).map(|(from, to, write)| (from, to, write.call)).collect()
    }

    #[test]
    fn later_writes_cut_earlier_ones() {
        let mut records = WriteRecords::default();
        records.replace(1, 100, Origin::Memory { param: 2, skip: 0 });
        records.write(2, 10, 20, GPU);
        records.write(3, 15, 30, GPU);
        assert_eq!(pieces(&records), [(0, 10, 1), (10, 15, 2), (15, 30, 3), (30, 100, 1)]);
        let before = records.clone();
        records.write(4, 5, 40, GPU);
        assert_eq!(pieces(&records), [(0, 5, 1), (5, 40, 4), (40, 100, 1)]);
        records.write(5, 0, 100, GPU);
        assert_eq!(pieces(&records), [(0, 100, 5)]);
        assert_eq!(before.len(), 4, "a copy keeps what it had");
    }

    #[test]
    fn pieces_keep_the_start_of_their_origin() {
        let mut records = WriteRecords::default();
        records.write(1, 10, 50, GPU);
        records.write(2, 20, 30, GPU);
        let after: Vec<_> =
            records.within(25, 40).map(|(from, to, write)| (from, to, write.call, write.began)).collect();
        assert_eq!(after, [(25, 30, 2, 20), (30, 40, 1, 10)]);
        assert!(records.within(0, 10).next().is_none());
        assert!(records.within(50, 60).next().is_none());
    }

    #[test]
    fn every_byte_has_the_last_writer() {
        // A small pseudo-random generator tries many overlaps against a simple implementation.
        let (mut records, mut bytes, mut seed) = (WriteRecords::default(), [0u64; 64], 7u64);
        for call in 1..2000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (from, length) = (seed >> 58, seed >> 40 & 15);
            let to = (from + length).min(64);
            records.write(call, from, to, GPU);
            bytes[from as usize..to as usize].fill(call);
            let mut found = [0; 64];
            for (from, to, write) in records.within(0, 64) {
                found[from as usize..to as usize].fill(write.call);
            }
            assert_eq!(found, bytes);
        }
    }
}
