//! Calls, one after the other.

use std::sync::Arc;

use super::{Reader, unpack::Unpacker};
use crate::batch::Batch;
use crate::batch::decode::Decoder;
use crate::call::Call;
use crate::error::ReadError;

/// Walks through the calls of a trace. It decodes chunk by chunk into memory of its own, which it uses again and again.
/// Whoever begins in the middle of a chunk looks at a few calls only, and probably not for the last time: that chunk is
/// kept by the reader.
pub struct Calls<'r> {
    reader: &'r Reader,
    /// Its first call is not before `next` unless it was read already.
    own: Batch,
    /// In the place of it, a chunk that is kept.
    kept: Option<Arc<Batch>>,
    /// The number of the next call.
    next: u64,
    unpacker: Unpacker,
    decoder: Decoder,
}

impl<'r> Calls<'r> {
    pub(super) fn new(reader: &'r Reader, next: u64) -> Self {
        Calls {
            reader,
            own: Batch::default(),
            kept: None,
            next,
            unpacker: Unpacker::default(),
            decoder: Decoder::default(),
        }
    }

    /// The next call; nothing at the end. An error of kind [`ReadError::Lost`] says which calls are missing here, and
    /// the one after it goes on behind them.
    #[allow(clippy::should_implement_trait, reason = "a call borrows from the cursor, which no Iterator can express")]
    pub fn next(&mut self) -> Result<Option<Call<'_>>, ReadError> {
        let batch = self.batch();
        let within = batch.first <= self.next && self.next < batch.end();
        if !within && !self.load()? {
            return Ok(None);
        }
        let number = self.next;
        self.next += 1;
        let batch = self.batch();
        Ok(Some(batch.call((number - batch.first) as usize, &self.reader.signatures)))
    }

    /// The number of the call that comes next, unless it is lost.
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Goes to the call with this number, so that it comes next.
    pub fn seek(&mut self, number: u64) {
        self.next = number;
    }

    fn batch(&self) -> &Batch {
        self.kept.as_deref().unwrap_or(&self.own)
    }

    /// Loads the batch with the next call; says whether there is one.
    fn load(&mut self) -> Result<bool, ReadError> {
        let Some(at) = self.reader.chunk_of_call(self.next) else { return self.missing(self.reader.len()) };
        let spot = self.reader.calls[at];
        if spot.first > self.next {
            return self.missing(spot.first);
        }
        let read = if self.next > spot.first {
            self.reader.kept(at).map(|batch| self.kept = Some(batch))
        } else {
            self.kept = None;
            self.reader.decode(&spot, &mut self.unpacker, &mut self.decoder, &mut self.own)
        };
        if let Err(error) = read {
            self.kept = None;
            self.own.clear(0);
            let first = std::mem::replace(&mut self.next, spot.last());
            return Err(ReadError::Lost { first, last: spot.last() - 1, reason: error.to_string() });
        }
        Ok(true)
    }

    /// No chunk has the calls up to `end`.
    fn missing(&mut self, end: u64) -> Result<bool, ReadError> {
        if self.next >= end {
            return Ok(false);
        }
        let first = std::mem::replace(&mut self.next, end);
        Err(ReadError::Lost {
            first,
            last: end - 1,
            reason: "the part of the file that had them is damaged".to_owned(),
        })
    }
}
