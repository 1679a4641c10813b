//! Blobs: each distinct one once.

use std::collections::HashMap;
use std::io::Write;

use super::choose::{self, Chooser};
use super::{ChunkWriter, Content, LEVEL, is_inline};
use crate::batch::New;
use crate::blob::{self, Piece};
use crate::chunk::Kind;
use crate::error::WriteError;

/// Blobs are collected up to so many bytes and written together, so that a compressor sees what they have in common.
const TOGETHER: usize = 1 << 20;
/// The same for bytes before they are filtered. Whoever reads one blob has to unpack those beside it.
const TOGETHER_UNFILTERED: usize = 4 << 20;
/// Hashes that are remembered in a generation; there are two. A blob forgotten may be written again.
const GENERATION: usize = 1 << 19;

/// Blobs that have been seen, and those that wait to be written.
pub struct Blobs {
    /// The number of the next blob.
    next: u32,
    young: HashMap<blob::Hash, u32>,
    old: HashMap<blob::Hash, u32>,
    /// Directory and bytes of blobs that wait.
    waiting: blob::Group,
    chooser: Chooser,
}

impl Blobs {
    pub fn new() -> std::io::Result<Self> {
        Ok(Blobs {
            next: 0,
            young: HashMap::new(),
            old: HashMap::new(),
            waiting: blob::Group::default(),
            chooser: Chooser::new(LEVEL)?,
        })
    }

    /// How many blobs there are.
    pub fn count(&self) -> u32 {
        self.next
    }

    /// Finds a place for bytes that come with a command.
    pub fn place<'a, W: Write>(
        &mut self,
        signature: u16,
        content: &Content<'a>,
        file: &mut ChunkWriter<W>,
    ) -> Result<New<'a>, WriteError> {
        if is_inline(content) {
            return Ok(New::Inline(content.bytes));
        }
        let size = content.bytes.len();
        if content.digest_only {
            let hash = *blake3::hash(content.bytes).as_bytes();
            return Ok(New::Digest { hash, size: size as u64 });
        }
        if size > blob::MAX_SIZE {
            return Err(WriteError::TooLarge(size));
        }
        let hash = blob::hash(content.bytes);
        if let Some(&number) = self.young.get(&hash) {
            return Ok(New::Blob { number, size: size as u64 });
        }
        let number = match self.old.get(&hash) {
            Some(&number) => number,
            None => self.write(choose::Kind { signature, param: content.param, size }, content.bytes, hash, file)?,
        };
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, number);
        Ok(New::Blob { number, size: size as u64 })
    }

    /// Writes blobs that wait.
    pub fn flush<W: Write>(&mut self, file: &mut ChunkWriter<W>) -> Result<(), WriteError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let count = self.waiting.len();
        file.write(Kind::BLOBS, u64::from(self.next) - count as u64, count, self.waiting.finish(), true)?;
        self.waiting.clear();
        Ok(())
    }

    fn write<W: Write>(
        &mut self,
        kind: choose::Kind,
        bytes: &[u8],
        hash: blob::Hash,
        file: &mut ChunkWriter<W>,
    ) -> Result<u32, WriteError> {
        let number = self.next;
        let next = number.checked_add(1).ok_or(WriteError::Blobs)?;
        // The filter adds a bit for eight bytes at most.
        if self.waiting.filtered() + bytes.len() > TOGETHER || self.waiting.bytes() + bytes.len() > TOGETHER_UNFILTERED
        {
            self.flush(file)?;
        }
        let size = bytes.len() as u64;
        let filter = self.chooser.choose(kind, bytes);
        if bytes.len() <= TOGETHER {
            self.waiting.push(hash, Piece { size, offset: 0 }, bytes, filter);
            self.next = next;
            return Ok(number);
        }
        for (at, piece) in bytes.chunks(blob::PIECE).enumerate() {
            let offset = (at * blob::PIECE) as u64;
            self.waiting.push(hash, Piece { size, offset }, piece, filter);
            self.next = next;
            self.flush(file)?;
        }
        Ok(number)
    }
}
