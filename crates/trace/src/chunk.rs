//! Chunks, the units of a trace file.
//!
//! A chunk is a head of [`HEAD`] bytes followed by its contents. Numbers are little-endian.
//!
//! ```text
//!  0  8  89 41 46 54 52 0D 0A 1A
//!  8  1  kind
//!  9  1  compression of the contents: 0 none, 1 zstd
//! 10  2  version of the kind
//! 12  4  identity: the same in all chunks of a file
//! 16  4  sequence: the chunk's number in its file
//! 20  4  count: number of items
//! 24  8  first: the number of the first item
//! 32  4  bytes of contents as stored
//! 36  4  bytes of contents when decompressed
//! 40  8  XXH3 of the contents as stored
//! 48  8  XXH3 of the 48 bytes before
//! ```

use std::io::Write;

use xxhash_rust::xxh3::xxh3_64;

/// The name of the fact that says how many calls are before the first frame.
pub const SETUP: &str = "setup";

/// The first bytes of every chunk.
pub const MAGIC: [u8; 8] = *b"\x89AFTR\r\n\x1a";
/// Size in bytes of a chunk's head.
pub const HEAD: usize = 56;
/// Maximum size of contents, compressed or not.
pub const MAX_CONTENTS: usize = 16 << 20;

/// What a chunk contains. Readers skip unknown kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkKind(pub u8);

impl ChunkKind {
    /// Metadata of the trace; the first chunk.
    pub const FACTS: ChunkKind = ChunkKind(1);
    /// Signatures of commands.
    pub const SIGNATURES: ChunkKind = ChunkKind(2);
    /// Blobs, or a piece of one.
    pub const BLOBS: ChunkKind = ChunkKind(3);
    /// Calls.
    pub const CALLS: ChunkKind = ChunkKind(4);
    /// Outcomes of calls that returned after their chunk was written.
    pub const OUTCOMES: ChunkKind = ChunkKind(5);
    /// Offsets of all chunks, frames and problems.
    pub const INDEX: ChunkKind = ChunkKind(6);
    /// Offset of the index; the last chunk, without contents.
    pub const TAIL: ChunkKind = ChunkKind(7);

    /// Every kind that this build knows, with what its chunks contain.
    pub const KNOWN: [(ChunkKind, &str); 7] = [
        (ChunkKind::FACTS, "metadata"),
        (ChunkKind::SIGNATURES, "command signatures"),
        (ChunkKind::BLOBS, "blobs"),
        (ChunkKind::CALLS, "calls"),
        (ChunkKind::OUTCOMES, "outcomes of calls"),
        (ChunkKind::INDEX, "index"),
        (ChunkKind::TAIL, "tail"),
    ];

    /// Returns the version of this kind that this build writes, which is also the highest that it reads.
    pub fn version(self) -> u16 {
        if self == ChunkKind::BLOBS { 2 } else { 1 }
    }
}

/// Compression of contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// None.
    Plain,
    /// As one zstd frame.
    Zstd,
    /// In a way that this build does not know.
    Other(u8),
}

/// The head of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    pub kind: ChunkKind,
    pub packing: Packing,
    pub version: u16,
    pub identity: u32,
    pub sequence: u32,
    pub count: u32,
    pub first: u64,
    pub stored: u32,
    pub unpacked: u32,
    pub contents: u64,
}

impl Head {
    pub fn write(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        let mut out = &mut bytes[..];
        let packing = match self.packing {
            Packing::Plain => 0,
            Packing::Zstd => 1,
            Packing::Other(number) => number,
        };
        let fields: [&[u8]; 10] = [
            &MAGIC,
            &[self.kind.0, packing],
            &self.version.to_le_bytes(),
            &self.identity.to_le_bytes(),
            &self.sequence.to_le_bytes(),
            &self.count.to_le_bytes(),
            &self.first.to_le_bytes(),
            &self.stored.to_le_bytes(),
            &self.unpacked.to_le_bytes(),
            &self.contents.to_le_bytes(),
        ];
        for field in fields {
            // The fields total 48 bytes, so they all fit.
            let _ = out.write_all(field);
        }
        let check = xxh3_64(&bytes[..HEAD - 8]);
        bytes[HEAD - 8..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Parses a head; `None` if these bytes are not one.
    pub fn read(bytes: &[u8; HEAD]) -> Option<Head> {
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if bytes[..8] != MAGIC || long(48) != xxh3_64(&bytes[..HEAD - 8]) {
            return None;
        }
        let packing = match bytes[9] {
            0 => Packing::Plain,
            1 => Packing::Zstd,
            other => Packing::Other(other),
        };
        let head = Head {
            kind: ChunkKind(bytes[8]),
            packing,
            version: short(10),
            identity: word(12),
            sequence: word(16),
            count: word(20),
            first: long(24),
            stored: word(32),
            unpacked: word(36),
            contents: long(40),
        };
        let bounded = head.stored as usize <= MAX_CONTENTS && head.unpacked as usize <= MAX_CONTENTS;
        let plain = head.packing != Packing::Plain || head.stored == head.unpacked;
        (bounded && plain).then_some(head)
    }

    /// Returns whether these are the chunk's contents.
    pub fn matches(&self, contents: &[u8]) -> bool {
        contents.len() == self.stored as usize && xxh3_64(contents) == self.contents
    }
}

/// Returns the checksum of contents.
pub fn checksum(contents: &[u8]) -> u64 {
    xxh3_64(contents)
}
