//! Calls in memory: collected by a writer before it writes a chunk, or decoded from one by a reader.

pub mod column;
pub mod decode;
pub mod encode;
mod method;

use crate::call::{Call, Data, Outcome, Payload, Payloads};
use crate::signature::Signature;

/// Maximum number of calls in a chunk.
pub const MAX_CALLS: usize = 1 << 15;
/// Maximum number of argument words of a chunk's calls.
pub const MAX_WORDS: usize = 1 << 19;
/// Maximum number of payloads of a chunk's calls.
pub const MAX_PAYLOADS: usize = 1 << 16;
/// Maximum total size in bytes of the inline payloads of a chunk.
pub const MAX_INLINE: usize = 1 << 21;

/// Thread numbers are below this.
pub const MAX_THREADS: u32 = 1 << 16;

/// Calls with consecutive numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// The number of the first call.
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
    /// Index of its first argument.
    pub words: u32,
    /// Index of its first input.
    pub inputs: u32,
    /// Index of its first output.
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
    pub location: PayloadLocation,
}

/// Where the bytes of a payload are stored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PayloadLocation {
    Inline { at: u32, size: u32 },
    Blob { number: u32, size: u64 },
    Digest { at: u32, size: u64 },
}

/// A payload to add to a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NewPayload<'a> {
    Inline(&'a [u8]),
    Blob { number: u32, size: u64 },
    Digest { hash: [u8; 32], size: u64 },
}

/// A call to add to a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entered<'a> {
    pub thread: u32,
    pub signature: u16,
    pub by_capture: bool,
    pub args: &'a [u64],
    pub input_count: u8,
}

impl Batch {
    /// Removes all calls and sets the number of the next one.
    pub fn clear(&mut self, first: u64) {
        self.first = first;
        self.entries.clear();
        self.words.clear();
        self.payloads.clear();
        self.bytes.clear();
        self.digests.clear();
    }

    /// Returns the approximate memory use in bytes.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.entries)
            + size_of_val(&*self.words)
            + size_of_val(&*self.payloads)
            + size_of_val(&*self.digests)
            + self.bytes.len()
    }

    /// Returns one more than the number of the last call.
    pub fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Returns whether this many more words, payloads and inline bytes fit: chunks are limited so that readers can be.
    pub fn has_room(&self, words: usize, payloads: usize, bytes: usize) -> bool {
        self.words.len() + words <= MAX_WORDS
            && self.payloads.len() + payloads <= MAX_PAYLOADS
            && self.bytes.len() + bytes <= MAX_INLINE
    }

    /// Adds a call. Its inputs have just been added with [`Batch::add`].
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

    /// Sets the outcome of a call. Its outputs have just been added with [`Batch::add`].
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
    pub fn add(&mut self, param: u8, new: NewPayload<'_>) {
        let location = match new {
            NewPayload::Inline(bytes) => {
                let at = self.bytes.len() as u32;
                self.bytes.extend_from_slice(bytes);
                PayloadLocation::Inline { at, size: bytes.len() as u32 }
            }
            NewPayload::Blob { number, size } => PayloadLocation::Blob { number, size },
            NewPayload::Digest { hash, size } => {
                self.digests.push(hash);
                PayloadLocation::Digest { at: self.digests.len() as u32 - 1, size }
            }
        };
        self.payloads.push(Stored { param, location });
    }

    /// Returns the call at index `at`. `signatures` are all signatures of the trace; a batch that was decoded or
    /// written refers to no others.
    pub fn call<'a>(&'a self, at: usize, signatures: &'a [ResolvedSignature]) -> Call<'a> {
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
        let data = match stored.location {
            PayloadLocation::Inline { at, size } => Data::Inline(&self.bytes[at as usize..][..size as usize]),
            PayloadLocation::Blob { number, size } => Data::Blob { number, size },
            PayloadLocation::Digest { at, size } => Data::Digest { hash: &self.digests[at as usize], size },
        };
        Payload { param: stored.param, data }
    }
}

/// A signature of a trace, and this build's command that matches it.
#[derive(Clone, PartialEq, Debug)]
pub struct ResolvedSignature {
    pub signature: Signature,
    pub command: Option<api::CommandId>,
}
