//! A cursor over calls.

use std::ops::Range;
use std::sync::Arc;

use super::ahead::{self, Ahead};
use super::{Reader, unpack::Unpacker};
use crate::batch::Batch;
use crate::batch::decode::Decoder;
use crate::call::Call;
use crate::error::ReadError;

/// A cursor over the calls of a trace. It decodes one chunk at a time into its own memory, which it reuses. A caller
/// that starts in the middle of a chunk reads only a few calls and will probably come back: that chunk goes to the
/// reader's cache instead.
pub struct Calls<'r> {
    reader: &'r Reader,
    /// The current chunk; it does not start before `next` unless its earlier calls have been read.
    own: Batch,
    /// The current chunk, in place of `own`, when it is in the reader's cache.
    kept: Option<Arc<Batch>>,
    /// The number of the next call.
    next: u64,
    unpacker: Unpacker,
    decoder: Decoder,
    /// Chunks that another thread decodes ahead.
    ahead: Option<Ahead>,
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
            ahead: None,
        }
    }

    /// Hands the next calls to `work`, up to and without `end`, and for calls that are missing the [`ReadError::Lost`] that
    /// says so. If there are many, another thread decodes them ahead, where there are threads.
    ///
    /// # Errors
    /// When the trace cannot be read on, or `work` fails.
    pub fn each<E: From<ReadError>>(
        &mut self,
        end: u64,
        mut work: impl FnMut(Result<&Call<'_>, &ReadError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (reader, chunks) = (self.reader, self.whole_chunks(end));
        ahead::decoding(
            self,
            reader,
            chunks,
            |calls, ahead| calls.ahead = ahead,
            |calls| {
                while calls.next < end {
                    match calls.next() {
                        Ok(Some(call)) => work(Ok(&call))?,
                        Ok(None) => break,
                        Err(error @ ReadError::Lost { .. }) => work(Err(&error))?,
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(())
            },
        )
    }

    /// Returns the chunks of calls that begin at or after the next call and before `end`.
    fn whole_chunks(&self, end: u64) -> Range<usize> {
        let at = |number: u64| self.reader.calls.partition_point(|location| location.first < number);
        at(self.next)..at(end)
    }

    /// Returns the next call, or `None` at the end. [`ReadError::Lost`] gives the calls that are missing here; the next
    /// call of this method continues after them.
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

    /// Returns the number of the next call, unless that one is lost.
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Moves to the call with this number, which is returned next.
    pub fn seek(&mut self, number: u64) {
        self.next = number;
    }

    fn batch(&self) -> &Batch {
        self.kept.as_deref().unwrap_or(&self.own)
    }

    /// Loads the batch that contains the next call; returns false at the end of the trace.
    fn load(&mut self) -> Result<bool, ReadError> {
        let Some(at) = self.reader.chunk_of_call(self.next) else { return self.missing(self.reader.len()) };
        let location = self.reader.calls[at];
        if location.first > self.next {
            return self.missing(location.first);
        }
        let read = if self.next > location.first {
            self.reader.cached(at).map(|batch| self.kept = Some(batch))
        } else {
            self.kept = None;
            match self.ahead.as_mut().and_then(|ahead| ahead.take(at, &mut self.own)) {
                Some(decoded) => decoded,
                None => self.reader.decode(&location, &mut self.unpacker, &mut self.decoder, &mut self.own),
            }
        };
        if let Err(error) = read {
            self.kept = None;
            self.own.clear(0);
            let first = std::mem::replace(&mut self.next, location.last());
            return Err(ReadError::Lost { first, last: location.last() - 1, reason: error.to_string() });
        }
        Ok(true)
    }

    /// Skips the calls up to `end`, which no chunk contains.
    fn missing(&mut self, end: u64) -> Result<bool, ReadError> {
        if self.next >= end {
            return Ok(false);
        }
        let first = std::mem::replace(&mut self.next, end);
        Err(ReadError::Lost {
            first,
            last: end - 1,
            reason: "the part of the file that contained them is damaged".to_owned(),
        })
    }
}
