//! Chunks of calls, decoded by another thread ahead of the one that reads them.

use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::{Reader, unpack::Unpacker};
use crate::batch::Batch;
use crate::batch::decode::Decoder;
use crate::error::ChunkError;

/// Decoded chunks that wait to be read, at most; a chunk takes up to some megabytes.
const WAITING: usize = 3;

/// Fewer chunks are decoded sooner than a thread is started.
const FEWEST: usize = 4;

/// Chunks that a thread decodes, one after the other.
pub struct Ahead {
    /// The chunk that comes next.
    next: usize,
    decoded: Receiver<Result<Batch, ChunkError>>,
    /// Takes batches whose memory can be used again.
    used: Sender<Batch>,
}

impl Ahead {
    /// Puts a chunk into `batch`, if it is the one that comes next; nothing if it is not.
    pub fn take(&mut self, at: usize, batch: &mut Batch) -> Option<Result<(), ChunkError>> {
        if at != self.next {
            return None;
        }
        self.next += 1;
        Some(self.decoded.recv().ok()?.map(|decoded| {
            // The thread may have ended.
            let _ = self.used.send(std::mem::replace(batch, decoded));
        }))
    }
}

/// Calls `work` while a thread decodes chunks for it. `give` hands them to the cursor and, with nothing, takes them away
/// again, also when `work` panics.
pub fn decoding<C, R>(
    cursor: &mut C,
    reader: &Reader,
    chunks: Range<usize>,
    give: fn(&mut C, Option<Ahead>),
    work: impl FnOnce(&mut C) -> R,
) -> R {
    if chunks.len() < FEWEST {
        return work(cursor);
    }
    thread::scope(|scope| {
        let (send, decoded) = mpsc::sync_channel(WAITING);
        let (used, again) = mpsc::channel::<Batch>();
        let ahead = Ahead { next: chunks.start, decoded, used };
        let decode = move || {
            let (mut unpacker, mut decoder) = (Unpacker::default(), Decoder::default());
            for location in &reader.calls[chunks] {
                let mut batch = again.try_recv().unwrap_or_default();
                let decoded = reader.decode(location, &mut unpacker, &mut decoder, &mut batch).map(|()| batch);
                if send.send(decoded).is_err() {
                    return;
                }
            }
        };
        // Where there are no threads, such as in a browser, the cursor decodes by itself.
        let started = thread::Builder::new().spawn_scoped(scope, decode).is_ok();
        let taken = Given { cursor, give };
        (taken.give)(taken.cursor, started.then_some(ahead));
        work(taken.cursor)
    })
}

/// A cursor that was given chunks: these are taken away in the end, because their thread waits until they are taken or the
/// channel is gone.
struct Given<'c, C> {
    cursor: &'c mut C,
    give: fn(&mut C, Option<Ahead>),
}

impl<C> Drop for Given<'_, C> {
    fn drop(&mut self) {
        (self.give)(self.cursor, None);
    }
}
