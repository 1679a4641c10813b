//! Reads traces, complete or damaged. Nothing in a file is trusted.

mod ahead;
mod cache;
mod calls;
mod damage;
mod open;
mod plausible;
mod scan;
mod source;
mod unpack;

use std::fmt;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::Command;

use crate::batch::decode::Decoder;
use crate::batch::{Batch, ResolvedSignature};
use crate::blob;
use crate::bytes::{ByteReader, Malformed};
use crate::call::{Call, Data};
use crate::error::{ChunkError, ReadError};
use crate::index::ChunkLocation;
use crate::outcome::Outcomes;
use crate::signature::Signature;
use cache::Cache;
pub use calls::Calls;
pub use damage::{Damage, Starved};
pub use plausible::{are_traces_trusted, trust_traces};
pub use source::Source;
use unpack::Unpacker;

/// Size limit in bytes of the cache of decoded calls for [`Reader::call_at`].
const CALL_CACHE_BYTES: usize = 32 << 20;
/// Size limit in bytes of the blob cache.
const BLOB_CACHE_BYTES: usize = 64 << 20;

/// An open trace.
pub struct Reader {
    source: Box<dyn Source>,
    bytes: u64,
    identity: u32,
    facts: Vec<(Box<str>, Box<str>)>,
    signatures: Vec<ResolvedSignature>,
    /// Total size of the signature chunks read so far.
    signature_bytes: usize,
    /// Chunks of calls, ordered by number.
    calls: Vec<ChunkLocation>,
    /// Chunks of blobs, ordered by number.
    blobs: Vec<ChunkLocation>,
    late: Outcomes,
    end: u64,
    /// How many calls are before the first frame.
    setup: u64,
    frames: Vec<u64>,
    problems: Vec<u64>,
    complete: bool,
    losses: Vec<Loss>,
    call_cache: Cache<usize, Batch>,
    blob_cache: Cache<u32, [u8]>,
    /// Bytes of chunks of blobs that were unpacked so far.
    unpacked: AtomicU64,
}

/// Something missing from the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Bytes of the file that belong to no chunk.
    Bytes {
        /// The first byte.
        from: u64,
        /// One past the last byte.
        to: u64,
    },
    /// Missing chunks, found by a gap in the sequence numbers.
    Chunks {
        /// The offset of the chunk after the gap.
        at: u64,
    },
    /// Calls that are in no chunk.
    Calls {
        /// The first call.
        from: u64,
        /// One past the last call.
        to: u64,
    },
    /// A chunk that cannot be read.
    Chunk {
        /// Its offset.
        at: u64,
        /// What it contained.
        what: &'static str,
        /// Why it cannot be read.
        reason: String,
    },
}

/// A call looked up by number, with the batch that keeps it in memory.
pub struct CachedCall<'r> {
    reader: &'r Reader,
    batch: Arc<Batch>,
    at: usize,
}

/// The bytes behind a parameter: inline in a call, or a blob.
#[derive(Clone, Debug)]
pub enum Bytes<'a> {
    /// Inline in a call.
    Inline(&'a [u8]),
    /// A blob.
    Blob(Arc<[u8]>),
}

/// Says that a trace of some frames lacks a frame.
#[must_use]
pub fn no_such_frame(frame: u64, count: u64) -> String {
    match count.checked_sub(1) {
        Some(last) => format!("the trace has no frame {frame}: they are numbered from 0 to {last}"),
        None => format!("the trace has no frames, so there is no frame {frame}"),
    }
}

/// Returns what people call the frame that [`Reader::frame_of`] gives: `frame 3`, or `outside of all frames`.
pub fn frame_name(frame: Option<usize>) -> String {
    frame.map_or_else(|| "outside of all frames".to_owned(), |frame| format!("frame {frame}"))
}

impl Reader {
    /// Opens a file. A file without an index, because it was never finished or is damaged, is scanned for chunks.
    pub fn open(path: &Path, commands: &'static [Command]) -> Result<Self, ReadError> {
        let name = path.display().to_string();
        match source::open(path) {
            Ok(source) => Reader::named(source, &name, commands),
            Err(cause) => Err(ReadError::Open { path: name, cause }),
        }
    }

    /// Opens a trace from any source of bytes; `commands` are the commands of this build.
    pub fn new(source: Box<dyn Source>, commands: &'static [Command]) -> Result<Self, ReadError> {
        Reader::named(source, "the trace", commands)
    }

    /// Opens a trace from any source of bytes, which errors call by a name.
    pub fn named(source: Box<dyn Source>, name: &str, commands: &'static [Command]) -> Result<Self, ReadError> {
        open::open(source, name, commands)
    }

    /// Returns one more than the number of the last call. Some calls may be missing; see [`Reader::losses`].
    pub fn len(&self) -> u64 {
        self.end
    }

    /// Returns how many calls are in chunks that were found: at most as many as can be read.
    pub fn calls_stored(&self) -> u64 {
        self.calls.iter().map(|location| u64::from(location.count)).sum()
    }

    /// Returns whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Returns the size of the file in bytes.
    pub fn bytes_on_disk(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the recorder finished the file.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns a metadata value by name: `product`, `pointer-bytes`, `byte-order`.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(key, _)| &**key == name).map(|(_, value)| &**value)
    }

    /// Returns the signatures of the commands that occur in the trace.
    pub fn signatures(&self) -> impl ExactSizeIterator<Item = &Signature> {
        self.signatures.iter().map(|known| &known.signature)
    }

    /// Returns what was found missing when the file was opened. Reading calls and blobs may find more.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns the numbers of the calls that report problems of the recording (`afiProblem`).
    pub fn problems(&self) -> &[u64] {
        &self.problems
    }

    /// Returns the numbers of the calls that end frames (`afiPresent`).
    pub fn presents(&self) -> &[u64] {
        &self.frames
    }

    /// Returns the number of frames.
    ///
    /// A frame is the calls up to a present, and the present. A trace in which nothing is presented is one frame. Calls
    /// after the last present belong to no frame: they are [after the last frame](Reader::after_last_frame). Nor do the calls
    /// with which a trimmed trace begins: they are [before the first frame](Reader::before_first_frame).
    pub fn frame_count(&self) -> usize {
        match self.frames.len() {
            0 => usize::from(self.end > 0),
            presents => presents,
        }
    }

    /// Returns the range of calls of a frame. Frames are numbered from 0.
    pub fn frame(&self, index: usize) -> Option<Range<u64>> {
        if self.frames.is_empty() {
            return (index == 0 && self.end > 0).then_some(self.setup..self.end);
        }
        let end = self.frames.get(index)? + 1;
        let first = index.checked_sub(1).map_or(self.setup, |before| self.frames[before] + 1);
        Some(first..end)
    }

    /// Returns the frame that a call belongs to; nothing for calls before the first frame and after the last.
    pub fn frame_of(&self, call: u64) -> Option<usize> {
        let index = self.frames.partition_point(|last| *last < call);
        (index < self.frame_count() && (self.setup..self.end).contains(&call)).then_some(index)
    }

    /// Returns the range of calls after the last present, which may be empty. Programs give their contexts back there.
    pub fn after_last_frame(&self) -> Range<u64> {
        self.frames.last().map_or(self.end, |last| last + 1)..self.end
    }

    /// Returns the range of calls that a trimmed trace has from before its frames, because they need them; empty in others.
    pub fn before_first_frame(&self) -> Range<u64> {
        0..self.setup
    }

    /// Returns a cursor over all calls, in order.
    pub fn calls(&self) -> Calls<'_> {
        Calls::new(self, 0)
    }

    /// Returns one call.
    pub fn call_at(&self, number: u64) -> Result<CachedCall<'_>, ReadError> {
        let at = self.chunk_of_call(number).ok_or(ReadError::NoSuchCall(number))?;
        let location = self.calls[at];
        if location.first > number {
            let reason = "the part of the file that contained it is damaged".to_owned();
            return Err(ReadError::Lost { first: number, last: number, reason });
        }
        let batch = self.cached(at).map_err(|error| ReadError::Lost {
            first: location.first,
            last: location.last() - 1,
            reason: error.to_string(),
        })?;
        Ok(CachedCall { reader: self, batch, at: (number - location.first) as usize })
    }

    /// Returns the bytes of a blob.
    pub fn blob(&self, number: u32) -> Result<Arc<[u8]>, ReadError> {
        if let Some(blob) = self.blob_cache.get(number) {
            return Ok(blob);
        }
        let begin = self.blobs.partition_point(|location| location.last() <= u64::from(number));
        let locations = self.blobs[begin..].iter().take_while(|location| location.first <= u64::from(number));
        let lost = |reason: String| ReadError::LostBlob { number, reason };
        let mut unpacker = Unpacker::default();
        // The size of the whole blob, and the bytes assembled so far.
        let mut pieces: Option<(u64, Vec<u8>)> = None;
        for location in locations {
            let read = self.read_blobs(location, &mut unpacker, number, &mut pieces);
            read.map_err(|error| lost(error.to_string()))?;
            if let Some((size, bytes)) = pieces.take_if(|(size, bytes)| bytes.len() as u64 >= *size) {
                if bytes.len() as u64 != size {
                    return Err(lost("its pieces do not fit together".to_owned()));
                }
                let blob: Arc<[u8]> = bytes.into();
                self.blob_cache.put(number, Arc::clone(&blob), blob.len());
                return Ok(blob);
            }
        }
        match pieces {
            Some(_) => Err(lost("a piece of it is missing".to_owned())),
            None if self.losses.is_empty() => Err(ReadError::NoSuchBlob(number)),
            None => Err(lost("the part of the file that contained it is damaged".to_owned())),
        }
    }

    /// Returns how many bytes were unpacked so far to read blobs. Reading one byte of a blob may unpack megabytes, so a
    /// caller that limits its work has to count this.
    pub fn unpacked_bytes(&self) -> u64 {
        self.unpacked.load(Ordering::Relaxed)
    }

    /// Returns the bytes of a payload, or `None` when only a digest was recorded.
    pub fn bytes<'a>(&self, data: Data<'a>) -> Result<Option<Bytes<'a>>, ReadError> {
        match data {
            Data::Inline(bytes) => Ok(Some(Bytes::Inline(bytes))),
            Data::Blob { number, .. } => self.blob(number).map(|blob| Some(Bytes::Blob(blob))),
            Data::Digest { .. } => Ok(None),
        }
    }

    /// Reads the pieces of blob `number` in a chunk. Other complete blobs of the chunk go to the cache.
    fn read_blobs(
        &self,
        location: &ChunkLocation,
        unpacker: &mut Unpacker,
        number: u32,
        pieces: &mut Option<(u64, Vec<u8>)>,
    ) -> Result<(), ChunkError> {
        self.unpacked.fetch_add(u64::from(location.unpacked), Ordering::Relaxed);
        let (version, contents) = unpacker.versioned(&*self.source, self.identity, location)?;
        let mut next = location.first;
        blob::read(contents, version, location.count, |found| {
            let this = next;
            next += 1;
            let piece = found.piece;
            if this == u64::from(number) {
                if !plausible::may_have_blob(self.bytes, piece.size) {
                    return Err(Malformed("its size is not plausible for a file of this size"));
                }
                let (size, whole) = pieces.get_or_insert_with(|| (piece.size, Vec::new()));
                // A piece that does not fit leaves a gap, which the caller detects.
                if *size == piece.size && whole.len() as u64 == piece.offset {
                    found.unfilter(whole)?;
                }
            } else if piece.offset == 0
                && piece.size == found.length as u64
                && let Ok(this) = u32::try_from(this)
            {
                let mut whole = Vec::new();
                found.unfilter(&mut whole)?;
                self.blob_cache.put(this, whole.into(), found.length);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Returns the index in `calls` of the chunk that contains a call, or of the next chunk.
    fn chunk_of_call(&self, number: u64) -> Option<usize> {
        let at = self.calls.partition_point(|location| location.last() <= number);
        (at < self.calls.len()).then_some(at)
    }

    /// Returns the decoded calls of a chunk, from the cache when possible.
    fn cached(&self, at: usize) -> Result<Arc<Batch>, ChunkError> {
        if let Some(batch) = self.call_cache.get(at) {
            return Ok(batch);
        }
        let mut batch = Batch::default();
        self.decode(&self.calls[at], &mut Unpacker::default(), &mut Decoder::default(), &mut batch)?;
        let size = batch.memory();
        let batch = Arc::new(batch);
        self.call_cache.put(at, Arc::clone(&batch), size);
        Ok(batch)
    }

    fn decode(
        &self,
        location: &ChunkLocation,
        unpacker: &mut Unpacker,
        decoder: &mut Decoder,
        batch: &mut Batch,
    ) -> Result<(), ChunkError> {
        let contents = unpacker.contents(&*self.source, self.identity, location)?;
        decoder.decode(
            &mut ByteReader::new(contents),
            (location.first, location.count as usize),
            &self.signatures,
            batch,
        )?;
        self.late.attach(batch);
        Ok(())
    }
}

impl CachedCall<'_> {
    /// Returns the call.
    pub fn call(&self) -> Call<'_> {
        self.batch.call(self.at, &self.reader.signatures)
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Inline(bytes) => bytes,
            Bytes::Blob(blob) => blob,
        }
    }
}

impl Loss {
    /// Returns the first lost call and one past the last, if calls are lost.
    pub fn calls(&self) -> Option<(u64, u64)> {
        match self {
            Loss::Calls { from, to } => Some((*from, *to)),
            Loss::Bytes { .. } | Loss::Chunks { .. } | Loss::Chunk { .. } => None,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Bytes { from, to } => write!(out, "{} bytes at {from} are damaged", to - from),
            Loss::Chunks { at } => write!(out, "chunks before byte {at} are missing"),
            Loss::Calls { from, to } if to - from == 1 => write!(out, "call {from} is lost"),
            Loss::Calls { from, to } => write!(out, "calls {from} to {} are lost", to - 1),
            Loss::Chunk { at, what, reason } => write!(out, "{what} at byte {at} cannot be read: {reason}"),
        }
    }
}
