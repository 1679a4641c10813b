//! Finds chunks without an index.

use std::io;

use super::Loss;
use super::source::Source;
use crate::chunk::{HEAD, Head, MAGIC};
use crate::index::ChunkLocation;

/// Bytes searched at a time.
const WINDOW: u64 = 64 << 10;

/// The chunks and gaps of a file.
#[derive(Default)]
pub struct ScanResult {
    /// Chunks in file order.
    pub chunks: Vec<ChunkLocation>,
    /// The identity that they share.
    pub identity: Option<u32>,
    /// Byte ranges that belong to no chunk.
    pub losses: Vec<Loss>,
}

/// Finds all chunks of a file.
pub fn scan(source: &dyn Source, size: u64) -> io::Result<ScanResult> {
    let mut found = ScanResult::default();
    let mut at = 0;
    // The start of the current damaged range.
    let mut damaged_from = None;
    let mut next = 0;
    let mut window = Window::default();
    while at < size {
        let head = read_head(source, size, at)?;
        let same_trace = |head: &Head| found.identity.is_none_or(|identity| identity == head.identity);
        let head = head.filter(|head| ChunkLocation::of(head, at).end() <= size && same_trace(head));
        match head {
            Some(head) => {
                match damaged_from.take() {
                    Some(from) => found.losses.push(Loss::Bytes { from, to: at }),
                    // Chunks that were removed cleanly show as a gap in the sequence numbers.
                    None if head.sequence != next => found.losses.push(Loss::Chunks { at }),
                    None => {}
                }
                next = head.sequence.wrapping_add(1);
                let location = ChunkLocation::of(&head, at);
                at = location.end();
                found.identity = Some(head.identity);
                found.chunks.push(location);
            }
            None => {
                damaged_from.get_or_insert(at);
                at = window.find(source, size, at + 1)?;
            }
        }
    }
    if let Some(from) = damaged_from {
        found.losses.push(Loss::Bytes { from, to: size });
    }
    Ok(found)
}

/// Reads the head at an offset, if there is one.
pub fn read_head(source: &dyn Source, size: u64, at: u64) -> io::Result<Option<Head>> {
    let mut bytes = [0; HEAD];
    if size - at < HEAD as u64 {
        return Ok(None);
    }
    source.read_at(&mut bytes, at)?;
    Ok(Head::read(&bytes))
}

/// The part of a file that is being searched.
#[derive(Default)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Returns the next offset from `at` on where a chunk may start, or the end. No byte is read twice, so a file full
    /// of false starts takes no longer than others.
    fn find(&mut self, source: &dyn Source, size: u64, mut at: u64) -> io::Result<u64> {
        while size.saturating_sub(at) >= HEAD as u64 {
            let end = self.start + self.bytes.len() as u64;
            if at < self.start || at + MAGIC.len() as u64 > end {
                self.start = at;
                self.bytes.resize((size - at).min(WINDOW) as usize, 0);
                source.read_at(&mut self.bytes, at)?;
            }
            let rest = &self.bytes[(at - self.start) as usize..];
            if let Some(found) = rest.windows(MAGIC.len()).position(|bytes| bytes == MAGIC) {
                return Ok(at + found as u64);
            }
            // The magic may straddle the edge of the window.
            at += (rest.len() - (MAGIC.len() - 1)) as u64;
        }
        Ok(size)
    }
}
