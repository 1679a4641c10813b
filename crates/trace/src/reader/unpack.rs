//! Reads and decompresses chunks.

use super::source::Source;
use crate::chunk::{HEAD, Head, Packing};
use crate::error::ChunkError;
use crate::index::ChunkLocation;

/// Reads chunks and reuses its memory between them.
#[derive(Default)]
pub struct Unpacker {
    stored: Vec<u8>,
    unpacked: Vec<u8>,
    frames: Option<zstd::bulk::Decompressor<'static>>,
}

impl Unpacker {
    /// Returns the contents of a chunk. The location may come from a damaged index, so it is checked against the head.
    pub fn contents(
        &mut self,
        source: &dyn Source,
        identity: u32,
        location: &ChunkLocation,
    ) -> Result<&[u8], ChunkError> {
        self.versioned(source, identity, location).map(|(_, contents)| contents)
    }

    /// Returns the contents of a chunk, and the version in its head.
    pub fn versioned(
        &mut self,
        source: &dyn Source,
        identity: u32,
        location: &ChunkLocation,
    ) -> Result<(u16, &[u8]), ChunkError> {
        let head = self.read(source, identity, location)?;
        match head.packing {
            Packing::Plain => Ok((head.version, &self.stored)),
            Packing::Other(_) => Err(ChunkError::Packing),
            Packing::Zstd => {
                let frames = match &mut self.frames {
                    Some(frames) => frames,
                    None => self.frames.insert(zstd::bulk::Decompressor::new()?),
                };
                self.unpacked.resize(head.unpacked as usize, 0);
                let size = frames.decompress_to_buffer(&self.stored, &mut self.unpacked[..]);
                match size {
                    Ok(size) if size == head.unpacked as usize => Ok((head.version, &self.unpacked)),
                    _ => Err(ChunkError::Unpack),
                }
            }
        }
    }

    /// Compares a chunk with its checksum, without unpacking it.
    pub fn check(&mut self, source: &dyn Source, identity: u32, location: &ChunkLocation) -> Result<(), ChunkError> {
        self.read(source, identity, location).map(|_| ())
    }

    /// Reads a chunk as it is stored, and returns its head.
    fn read(&mut self, source: &dyn Source, identity: u32, location: &ChunkLocation) -> Result<Head, ChunkError> {
        let mut head = [0; HEAD];
        source.read_at(&mut head, location.offset)?;
        let head = Head::read(&head)
            .filter(|head| head.identity == identity && ChunkLocation::of(head, location.offset) == *location);
        let head = head.ok_or(ChunkError::Damaged)?;
        if head.version > head.kind.version() {
            return Err(ChunkError::Newer(head.version));
        }
        self.stored.resize(head.stored as usize, 0);
        source.read_at(&mut self.stored, location.offset + HEAD as u64)?;
        if head.matches(&self.stored) { Ok(head) } else { Err(ChunkError::Damaged) }
    }
}
