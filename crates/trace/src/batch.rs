//! Calls in memory: what a writer collects before it writes a chunk, and what a reader makes of one.

pub mod column;
pub mod decode;
pub mod encode;
mod method;

use crate::call::{Call, Data, Outcome, Payload, Payloads};
use crate::signature::Signature;

/// A chunk has at most so many calls.
pub const MAX_CALLS: usize = 1 << 15;
/// The arguments of a chunk's calls are at most so many words.
pub const MAX_WORDS: usize = 1 << 19;
/// A chunk's calls have at most so many payloads.
pub const MAX_PAYLOADS: usize = 1 << 16;
/// Payloads that lie in a chunk of calls have at most so many bytes together.
pub const MAX_INLINE: usize = 1 << 21;

/// Threads are numbered below this.
pub const MAX_THREADS: u32 = 1 << 16;

/// Calls with numbers in a row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// The number of the first.
    pub first: u64,
    pub entries: Vec<Entry>,
    pub words: Vec<u64>,
    pub payloads: Vec<Stored>,
    pub bytes: Vec<u8>,
    pub digests: Vec<[u8; 32]>,
}

/// One call of a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    pub result: u64,
    pub before: u64,
    pub thread: u32,
    /// Where its arguments begin.
    pub words: u32,
    /// Where its inputs begin.
    pub inputs: u32,
    /// Where its outputs begin.
    pub outputs: u32,
    pub signature: u16,
    pub input_count: u8,
    pub output_count: u8,
    pub by_capture: bool,
    pub returned: bool,
}

/// A payload of a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stored {
    pub param: u8,
    pub place: Place,
}

/// Where the bytes of a payload are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Place {
    Inline { at: u32, size: u32 },
    Blob { number: u32, size: u64 },
    Digest { at: u32, size: u64 },
}

/// Memory behind a parameter as a batch takes it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum New<'a> {
    Inline(&'a [u8]),
    Blob { number: u32, size: u64 },
    Digest { hash: [u8; 32], size: u64 },
}

/// A call as a batch takes it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entered<'a> {
    pub thread: u32,
    pub signature: u16,
    pub by_capture: bool,
    pub args: &'a [u64],
    pub input_count: u8,
}

impl Batch {
    /// Forgets all calls; the next one has this number.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.entries.clear();
        self.words.clear();
        self.payloads.clear();
        self.bytes.clear();
        self.digests.clear();
    }

    /// Roughly how much memory it takes.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.entries)
            + size_of_val(&*self.words)
            + size_of_val(&*self.payloads)
            + size_of_val(&*self.digests)
            + self.bytes.len()
    }

    /// The number after the last call's.
    pub fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Whether there is room for so many more words, payloads and inline bytes: chunks have limits, so that readers can.
    pub fn has_room(&self, words: usize, payloads: usize, bytes: usize) -> bool {
        self.words.len() + words <= MAX_WORDS
            && self.payloads.len() + payloads <= MAX_PAYLOADS
            && self.bytes.len() + bytes <= MAX_INLINE
    }

    /// Adds a call whose inputs have been added with [`Batch::add`] just before.
    pub fn enter(&mut self, call: Entered<'_>) {
        let words = self.words.len() as u32;
        self.words.extend_from_slice(call.args);
        let payloads = self.payloads.len() as u32;
        self.entries.push(Entry {
            result: 0,
            before: 0,
            thread: call.thread,
            words,
            inputs: payloads - u32::from(call.input_count),
            outputs: payloads,
            signature: call.signature,
            input_count: call.input_count,
            output_count: 0,
            by_capture: call.by_capture,
            returned: false,
        });
    }

    /// Says what came of a call; its outputs have been added with [`Batch::add`] just before.
    pub fn leave(&mut self, at: usize, result: u64, before: u64, output_count: u8) {
        let outputs = self.payloads.len() as u32 - u32::from(output_count);
        let entry = &mut self.entries[at];
        entry.result = result;
        entry.before = before;
        entry.outputs = outputs;
        entry.output_count = output_count;
        entry.returned = true;
    }

    /// Adds a payload.
    pub fn add(&mut self, param: u8, new: New<'_>) {
        let place = match new {
            New::Inline(bytes) => {
                let at = self.bytes.len() as u32;
                self.bytes.extend_from_slice(bytes);
                Place::Inline { at, size: bytes.len() as u32 }
            }
            New::Blob { number, size } => Place::Blob { number, size },
            New::Digest { hash, size } => {
                self.digests.push(hash);
                Place::Digest { at: self.digests.len() as u32 - 1, size }
            }
        };
        self.payloads.push(Stored { param, place });
    }

    /// The call at a place of the batch. `signatures` are all of the trace's; a batch that was decoded or written names
    /// none that is not there.
    pub fn call<'a>(&'a self, at: usize, signatures: &'a [Known]) -> Call<'a> {
        let entry = &self.entries[at];
        let known = &signatures[usize::from(entry.signature)];
        let words = entry.words as usize;
        let payloads = |first, count| Payloads { batch: self, first, count: u32::from(count) };
        Call {
            number: self.first + at as u64,
            command: known.command,
            signature: &known.signature,
            thread: entry.thread,
            by_capture: entry.by_capture,
            args: &self.words[words..words + known.signature.params.len()],
            inputs: payloads(entry.inputs, entry.input_count),
            outcome: entry.returned.then(|| Outcome {
                result: entry.result,
                outputs: payloads(entry.outputs, entry.output_count),
                before: entry.before,
            }),
        }
    }

    pub fn payload(&self, at: u32) -> Payload<'_> {
        let stored = self.payloads[at as usize];
        let data = match stored.place {
            Place::Inline { at, size } => Data::Inline(&self.bytes[at as usize..][..size as usize]),
            Place::Blob { number, size } => Data::Blob { number, size },
            Place::Digest { at, size } => Data::Digest { hash: &self.digests[at as usize], size },
        };
        Payload { param: stored.param, data }
    }
}

/// A signature of a trace, and the command of this build that it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    pub signature: Signature,
    pub command: Option<api::CommandId>,
}
