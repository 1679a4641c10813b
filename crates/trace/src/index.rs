//! The index: the offsets of everything, so that readers need not scan the file.
//!
//! ```text
//! number of calls
//! number of chunks; for each: kind, bytes between the previous chunk's end and this one, stored bytes, decompressed
//!     bytes, count, first
//! number of frames; for each the call that ended it, as a difference from the previous one
//! number of problems; for each the call that reports it, as a difference from the previous one
//! ```

use crate::bytes::{ByteReader, Malformed, put_number};
use crate::chunk::{ChunkKind, HEAD, Head};

/// The offset and size of a chunk, and which items it contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkLocation {
    pub kind: ChunkKind,
    pub offset: u64,
    pub stored: u32,
    pub unpacked: u32,
    pub count: u32,
    pub first: u64,
}

impl ChunkLocation {
    pub fn of(head: &Head, offset: u64) -> Self {
        let Head { kind, stored, unpacked, count, first, .. } = *head;
        ChunkLocation { kind, offset, stored, unpacked, count, first }
    }

    /// Returns the offset of the chunk's end.
    pub fn end(&self) -> u64 {
        self.offset + HEAD as u64 + u64::from(self.stored)
    }

    /// Returns one more than the number of its last item.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.count))
    }
}

/// The contents of an index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// Number of calls.
    pub calls: u64,
    /// Chunks in file order.
    pub chunks: Vec<ChunkLocation>,
    /// Calls that end frames.
    pub frames: Vec<u64>,
    /// Calls that report problems.
    pub problems: Vec<u64>,
}

impl Index {
    pub fn write(&self, out: &mut Vec<u8>) {
        put_number(out, self.calls);
        put_number(out, self.chunks.len() as u64);
        let mut end = 0;
        for location in &self.chunks {
            out.push(location.kind.0);
            put_number(out, location.offset - end);
            end = location.end();
            for number in [location.stored, location.unpacked, location.count] {
                put_number(out, u64::from(number));
            }
            put_number(out, location.first);
        }
        for list in [&self.frames, &self.problems] {
            put_number(out, list.len() as u64);
            let mut last = 0;
            for &call in list {
                put_number(out, call - last);
                last = call;
            }
        }
    }

    pub fn read(input: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        let calls = input.number()?;
        let count = input.count()?;
        let mut chunks = Vec::new();
        let mut end = 0u64;
        for _ in 0..count {
            let kind = ChunkKind(input.byte()?);
            let offset = end.checked_add(input.number()?).filter(|offset| *offset < 1 << 62);
            let offset = offset.ok_or(Malformed("the offset of a chunk is too large"))?;
            let [stored, unpacked, count] = [input.small()?, input.small()?, input.small()?];
            let location = ChunkLocation { kind, offset, stored, unpacked, count, first: input.number()? };
            end = location.end();
            chunks.push(location);
        }
        let mut lists: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
        for list in &mut lists {
            for _ in 0..input.count()? {
                let difference = input.number()?;
                let call = match list.last() {
                    None => Some(difference),
                    Some(last) if difference > 0 => difference.checked_add(*last),
                    Some(_) => None,
                };
                list.push(call.ok_or(Malformed("the call numbers are too large"))?);
            }
        }
        let [frames, problems] = lists;
        Ok(Index { calls, chunks, frames, problems })
    }
}
