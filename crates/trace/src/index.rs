//! The index: where everything is, so that nobody has to look for it.
//!
//! ```text
//! number of calls
//! number of chunks; for each: kind, bytes between the last chunk's end and this one, stored bytes, unpacked bytes,
//!     count, first
//! number of frames; for each the difference of the call that ended it to the one before
//! number of problems; for each the difference of the call that states it to the one before
//! ```

use crate::bytes::{Cut, Malformed, put_number};
use crate::chunk::{HEAD, Head, Kind};

/// Where a chunk is, and what is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub kind: Kind,
    pub offset: u64,
    pub stored: u32,
    pub unpacked: u32,
    pub count: u32,
    pub first: u64,
}

impl Spot {
    pub fn of(head: &Head, offset: u64) -> Self {
        let Head { kind, stored, unpacked, count, first, .. } = *head;
        Spot { kind, offset, stored, unpacked, count, first }
    }

    /// Where the chunk ends.
    pub fn end(&self) -> u64 {
        self.offset + HEAD as u64 + u64::from(self.stored)
    }

    /// The number behind the last of what is in it.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(u64::from(self.count))
    }
}

/// All that an index says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// How many calls there are.
    pub calls: u64,
    /// Chunks in the order of the file.
    pub chunks: Vec<Spot>,
    /// Calls that end frames.
    pub frames: Vec<u64>,
    /// Calls that state problems.
    pub problems: Vec<u64>,
}

impl Index {
    pub fn write(&self, out: &mut Vec<u8>) {
        put_number(out, self.calls);
        put_number(out, self.chunks.len() as u64);
        let mut end = 0;
        for spot in &self.chunks {
            out.push(spot.kind.0);
            put_number(out, spot.offset - end);
            end = spot.end();
            for number in [spot.stored, spot.unpacked, spot.count] {
                put_number(out, u64::from(number));
            }
            put_number(out, spot.first);
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

    pub fn read(cut: &mut Cut<'_>) -> Result<Self, Malformed> {
        let calls = cut.number()?;
        let count = cut.count()?;
        let mut chunks = Vec::new();
        let mut end = 0u64;
        for _ in 0..count {
            let kind = Kind(cut.byte()?);
            let offset = end.checked_add(cut.number()?).filter(|offset| *offset < 1 << 62);
            let offset = offset.ok_or(Malformed("a chunk lies behind everything"))?;
            let [stored, unpacked, count] = [cut.small()?, cut.small()?, cut.small()?];
            let spot = Spot { kind, offset, stored, unpacked, count, first: cut.number()? };
            end = spot.end();
            chunks.push(spot);
        }
        let mut lists: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
        for list in &mut lists {
            for _ in 0..cut.count()? {
                let difference = cut.number()?;
                let call = match list.last() {
                    None => Some(difference),
                    Some(last) if difference > 0 => difference.checked_add(*last),
                    Some(_) => None,
                };
                list.push(call.ok_or(Malformed("calls are not in order"))?);
            }
        }
        let [frames, problems] = lists;
        Ok(Index { calls, chunks, frames, problems })
    }
}
