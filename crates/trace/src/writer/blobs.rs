//! Collects blobs; each distinct one is written once.

use std::collections::HashMap;
use std::io::Write;

use super::choose::{self, Chooser};
use super::{ChunkWriter, Content, LEVEL, is_inline};
use crate::batch::NewPayload;
use crate::blob::{self, Piece};
use crate::chunk::ChunkKind;
use crate::error::WriteError;

/// Blobs are collected up to this many bytes and written together, so that the compressor sees what they have in
/// common.
const CHUNK_BYTES: usize = 1 << 20;
/// The same limit before filtering: reading one blob decompresses its whole chunk.
const CHUNK_BYTES_UNFILTERED: usize = 4 << 20;
/// Hashes remembered per generation; there are two generations. A blob whose hash was forgotten may be written again.
const GENERATION: usize = 1 << 19;

/// The hashes of earlier blobs, and the blobs waiting to be written.
pub struct Blobs {
    /// The number of the next blob.
    next: u32,
    young: HashMap<blob::Hash, u32>,
    old: HashMap<blob::Hash, u32>,
    /// Directory and bytes of the waiting blobs.
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

    /// Returns the number of blobs.
    pub fn count(&self) -> u32 {
        self.next
    }

    /// Stores the bytes of a payload, inline or as a blob.
    pub fn place<'a, W: Write>(
        &mut self,
        signature: u16,
        content: &Content<'a>,
        file: &mut ChunkWriter<W>,
    ) -> Result<NewPayload<'a>, WriteError> {
        if is_inline(content) {
            return Ok(NewPayload::Inline(content.bytes));
        }
        let size = content.bytes.len();
        if content.digest_only {
            let hash = *blake3::hash(content.bytes).as_bytes();
            return Ok(NewPayload::Digest { hash, size: size as u64 });
        }
        if size as u64 > blob::MAX_SIZE {
            return Err(WriteError::TooLarge(size));
        }
        let hash = blob::hash(content.bytes);
        if let Some(&number) = self.young.get(&hash) {
            return Ok(NewPayload::Blob { number, size: size as u64 });
        }
        let number = match self.old.get(&hash) {
            Some(&number) => number,
            None => {
                self.write(choose::BlobClass { signature, param: content.param, size }, content.bytes, hash, file)?
            }
        };
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, number);
        Ok(NewPayload::Blob { number, size: size as u64 })
    }

    /// Writes the waiting blobs.
    pub fn flush<W: Write>(&mut self, file: &mut ChunkWriter<W>) -> Result<(), WriteError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let count = self.waiting.len();
        file.write(ChunkKind::BLOBS, u64::from(self.next) - count as u64, count, self.waiting.finish(), true)?;
        self.waiting.clear();
        Ok(())
    }

    fn write<W: Write>(
        &mut self,
        class: choose::BlobClass,
        bytes: &[u8],
        hash: blob::Hash,
        file: &mut ChunkWriter<W>,
    ) -> Result<u32, WriteError> {
        let number = self.next;
        let next = number.checked_add(1).ok_or(WriteError::Blobs)?;
        // The filter adds at most one bit per eight bytes.
        if self.waiting.filtered() + bytes.len() > CHUNK_BYTES
            || self.waiting.bytes() + bytes.len() > CHUNK_BYTES_UNFILTERED
        {
            self.flush(file)?;
        }
        let size = bytes.len() as u64;
        let filter = self.chooser.choose(class, bytes);
        if bytes.len() <= CHUNK_BYTES {
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
