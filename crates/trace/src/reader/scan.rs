//! Finds chunks without an index.

use std::io;

use super::Loss;
use super::source::Source;
use crate::chunk::{HEAD, Head, MAGIC};
use crate::index::Spot;

/// Bytes looked through at once.
const WINDOW: u64 = 64 << 10;

/// What is in a file.
#[derive(Default)]
pub struct Found {
    /// Chunks in the order of the file.
    pub chunks: Vec<Spot>,
    /// The identity that all of them have.
    pub identity: Option<u32>,
    /// Ranges of bytes that are part of no chunk.
    pub losses: Vec<Loss>,
}

/// Finds all chunks of a file.
pub fn scan(source: &dyn Source, size: u64) -> io::Result<Found> {
    let mut found = Found::default();
    let mut at = 0;
    // Where the damage that is being walked through begins.
    let mut damaged_from = None;
    let mut next = 0;
    let mut window = Window::default();
    while at < size {
        let head = read_head(source, size, at)?;
        let same_trace = |head: &Head| found.identity.is_none_or(|identity| identity == head.identity);
        let head = head.filter(|head| Spot::of(head, at).end() <= size && same_trace(head));
        match head {
            Some(head) => {
                match damaged_from.take() {
                    Some(from) => found.losses.push(Loss::Bytes { from, to: at }),
                    // Chunks that are gone without a trace are missed by their numbers.
                    None if head.sequence != next => found.losses.push(Loss::Chunks { at }),
                    None => {}
                }
                next = head.sequence.wrapping_add(1);
                let spot = Spot::of(&head, at);
                at = spot.end();
                found.identity = Some(head.identity);
                found.chunks.push(spot);
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

/// The head at a place, if there is one.
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
    /// The next place from `at` on where a chunk may begin, or the end. What has been read is not read again, so that a
    /// file full of false beginnings takes no longer than others.
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
            // The magic may lie across the edge of the window.
            at += (rest.len() - (MAGIC.len() - 1)) as u64;
        }
        Ok(size)
    }
}
