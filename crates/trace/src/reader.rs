//! Reads traces, whole or damaged, and trusts nothing in them.

mod cache;
mod calls;
mod open;
mod scan;
mod source;
mod unpack;

use std::fmt;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use api::Command;

use crate::batch::decode::Decoder;
use crate::batch::{Batch, Known};
use crate::blob;
use crate::bytes::Cut;
use crate::call::{Call, Data};
use crate::error::{ChunkError, ReadError};
use crate::index::Spot;
use crate::outcome::Outcomes;
use crate::signature::Signature;
use cache::Cache;
pub use calls::Calls;
pub use source::Source;
use unpack::Unpacker;

/// Bytes of decoded calls that are kept for [`Reader::call_at`].
const KEPT_CALLS: usize = 32 << 20;
/// Bytes of blobs that are kept.
const KEPT_BLOBS: usize = 64 << 20;

/// A trace that can be read.
pub struct Reader {
    source: Box<dyn Source>,
    bytes: u64,
    identity: u32,
    facts: Vec<(Box<str>, Box<str>)>,
    signatures: Vec<Known>,
    /// Bytes of the chunks that had them.
    signature_bytes: usize,
    /// Chunks of calls, by number.
    calls: Vec<Spot>,
    /// Chunks of blobs, by number.
    blobs: Vec<Spot>,
    late: Outcomes,
    end: u64,
    frames: Vec<u64>,
    problems: Vec<u64>,
    complete: bool,
    losses: Vec<Loss>,
    kept_calls: Cache<usize, Batch>,
    kept_blobs: Cache<u32, [u8]>,
}

/// Something that is not in the file any more, or never came there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Bytes of the file that mean nothing.
    Bytes {
        /// The first.
        from: u64,
        /// Behind the last.
        to: u64,
    },
    /// Chunks between two others that follow each other.
    Chunks {
        /// Where they were.
        at: u64,
    },
    /// Calls that are in no chunk.
    Calls {
        /// The first.
        from: u64,
        /// Behind the last.
        to: u64,
    },
    /// A chunk that cannot be read.
    Chunk {
        /// Where it begins.
        at: u64,
        /// What was in it.
        what: &'static str,
        /// Why it cannot be read.
        reason: String,
    },
}

/// A call that was asked for by number, and what keeps it in memory.
pub struct Held<'r> {
    reader: &'r Reader,
    batch: Arc<Batch>,
    at: usize,
}

/// Bytes behind a parameter: part of a call, or of a blob.
#[derive(Clone, Debug)]
pub enum Bytes<'a> {
    /// Part of a call.
    Inline(&'a [u8]),
    /// A blob.
    Blob(Arc<[u8]>),
}

impl Reader {
    /// Opens a file. A file that was never finished, or is damaged, is searched for what there is.
    pub fn open(path: &Path, commands: &'static [Command]) -> Result<Self, ReadError> {
        let open = |cause| ReadError::Open { path: path.display().to_string(), cause };
        Reader::new(source::open(path).map_err(open)?, commands)
    }

    /// Opens something with bytes, to be read by a build with these commands.
    pub fn new(source: Box<dyn Source>, commands: &'static [Command]) -> Result<Self, ReadError> {
        open::open(source, commands)
    }

    /// The number behind the last call's. Calls are lost where [`Reader::losses`] says so.
    pub fn len(&self) -> u64 {
        self.end
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// How large the file is.
    pub fn bytes_on_disk(&self) -> u64 {
        self.bytes
    }

    /// Whether the recorder finished the file.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What the trace says of itself, by name: `product`, `pointer-bytes`, `byte-order`.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(key, _)| &**key == name).map(|(_, value)| &**value)
    }

    /// Commands that occur in the trace.
    pub fn signatures(&self) -> impl ExactSizeIterator<Item = &Signature> {
        self.signatures.iter().map(|known| &known.signature)
    }

    /// What opening the file found missing. More may come to light when calls and blobs are read.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Calls that state problems of the recording (`afiProblem`).
    pub fn problems(&self) -> &[u64] {
        &self.problems
    }

    /// Calls that end frames (`afiPresent`).
    pub fn presents(&self) -> &[u64] {
        &self.frames
    }

    /// How many frames there are; calls behind the last present are one more, which has no end.
    pub fn frame_count(&self) -> usize {
        let rest = self.frames.last().map_or(0, |last| last + 1);
        self.frames.len() + usize::from(rest < self.end)
    }

    /// The calls of a frame. Frames are numbered from 0, and end with `afiPresent`.
    pub fn frame(&self, index: usize) -> Option<Range<u64>> {
        let first = match index.checked_sub(1) {
            None => 0,
            Some(before) => self.frames.get(before)? + 1,
        };
        let end = self.frames.get(index).map_or(self.end, |last| last + 1);
        (first < end).then_some(first..end)
    }

    /// The frame that a call is part of.
    pub fn frame_of(&self, call: u64) -> usize {
        self.frames.partition_point(|last| *last < call)
    }

    /// All calls in order.
    pub fn calls(&self) -> Calls<'_> {
        Calls::new(self, 0)
    }

    /// One call.
    pub fn call_at(&self, number: u64) -> Result<Held<'_>, ReadError> {
        let at = self.chunk_of_call(number).ok_or(ReadError::NoSuchCall(number))?;
        let spot = self.calls[at];
        if spot.first > number {
            let reason = "the part of the file that had it is damaged".to_owned();
            return Err(ReadError::Lost { first: number, last: number, reason });
        }
        let batch = self.kept(at).map_err(|error| ReadError::Lost {
            first: spot.first,
            last: spot.last() - 1,
            reason: error.to_string(),
        })?;
        Ok(Held { reader: self, batch, at: (number - spot.first) as usize })
    }

    /// The bytes of a blob.
    pub fn blob(&self, number: u32) -> Result<Arc<[u8]>, ReadError> {
        if let Some(blob) = self.kept_blobs.get(number) {
            return Ok(blob);
        }
        let begin = self.blobs.partition_point(|spot| spot.last() <= u64::from(number));
        let spots = self.blobs[begin..].iter().take_while(|spot| spot.first <= u64::from(number));
        let lost = |reason: String| ReadError::LostBlob { number, reason };
        let mut unpacker = Unpacker::default();
        // The size of the whole blob, and what there is of it so far.
        let mut pieces: Option<(u64, Vec<u8>)> = None;
        for spot in spots {
            let read = self.read_blobs(spot, &mut unpacker, number, &mut pieces);
            read.map_err(|error| lost(error.to_string()))?;
            if let Some((size, bytes)) = pieces.take_if(|(size, bytes)| bytes.len() as u64 >= *size) {
                if bytes.len() as u64 != size {
                    return Err(lost("its pieces do not fit together".to_owned()));
                }
                let blob: Arc<[u8]> = bytes.into();
                self.kept_blobs.put(number, Arc::clone(&blob), blob.len());
                return Ok(blob);
            }
        }
        match pieces {
            Some(_) => Err(lost("a piece of it is missing".to_owned())),
            None if self.losses.is_empty() => Err(ReadError::NoSuchBlob(number)),
            None => Err(lost("the part of the file that had it is damaged".to_owned())),
        }
    }

    /// The bytes of a payload; nothing when only their digest was kept.
    pub fn bytes<'a>(&self, data: Data<'a>) -> Result<Option<Bytes<'a>>, ReadError> {
        match data {
            Data::Inline(bytes) => Ok(Some(Bytes::Inline(bytes))),
            Data::Blob { number, .. } => self.blob(number).map(|blob| Some(Bytes::Blob(blob))),
            Data::Digest { .. } => Ok(None),
        }
    }

    /// Looks for `number` in a chunk of blobs. Others that are whole are kept for later.
    fn read_blobs(
        &self,
        spot: &Spot,
        unpacker: &mut Unpacker,
        number: u32,
        pieces: &mut Option<(u64, Vec<u8>)>,
    ) -> Result<(), ChunkError> {
        let (version, contents) = unpacker.versioned(&*self.source, self.identity, spot)?;
        let mut next = spot.first;
        blob::read(contents, version, spot.count, |found| {
            let this = next;
            next += 1;
            let piece = found.piece;
            if this == u64::from(number) {
                let (size, whole) = pieces.get_or_insert_with(|| (piece.size, Vec::new()));
                // A piece that does not fit leaves a hole, which the caller finds.
                if *size == piece.size && whole.len() as u64 == piece.offset {
                    found.unfilter(whole)?;
                }
            } else if piece.offset == 0
                && piece.size == found.length as u64
                && let Ok(this) = u32::try_from(this)
            {
                let mut whole = Vec::new();
                found.unfilter(&mut whole)?;
                self.kept_blobs.put(this, whole.into(), found.length);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The place in `calls` of the chunk that has a call, or of the next one.
    fn chunk_of_call(&self, number: u64) -> Option<usize> {
        let at = self.calls.partition_point(|spot| spot.last() <= number);
        (at < self.calls.len()).then_some(at)
    }

    /// The calls of a chunk, which are kept for a while.
    fn kept(&self, at: usize) -> Result<Arc<Batch>, ChunkError> {
        if let Some(batch) = self.kept_calls.get(at) {
            return Ok(batch);
        }
        let mut batch = Batch::default();
        self.decode(&self.calls[at], &mut Unpacker::default(), &mut Decoder::default(), &mut batch)?;
        let size = batch.memory();
        let batch = Arc::new(batch);
        self.kept_calls.put(at, Arc::clone(&batch), size);
        Ok(batch)
    }

    fn decode(
        &self,
        spot: &Spot,
        unpacker: &mut Unpacker,
        decoder: &mut Decoder,
        batch: &mut Batch,
    ) -> Result<(), ChunkError> {
        let contents = unpacker.contents(&*self.source, self.identity, spot)?;
        decoder.decode(&mut Cut::new(contents), (spot.first, spot.count as usize), &self.signatures, batch)?;
        self.late.attach(batch);
        Ok(())
    }
}

impl Held<'_> {
    /// The call.
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

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Bytes { from, to } => write!(out, "{} bytes at {from} are damaged", to - from),
            Loss::Chunks { at } => write!(out, "something that was at byte {at} is not there any more"),
            Loss::Calls { from, to } if to - from == 1 => write!(out, "call {from} is lost"),
            Loss::Calls { from, to } => write!(out, "calls {from} to {} are lost", to - 1),
            Loss::Chunk { at, what, reason } => write!(out, "{what} at byte {at} cannot be read: {reason}"),
        }
    }
}
