//! Calls of a trace as the model sees them.

use std::borrow::Cow;
use std::cell::Cell;

use state::{Data, Memory};
use trace::{Bytes, Calls, ReadError, Reader};

/// Bytes behind a parameter that the model can look at: shaders, names, numbers. Texels and vertices it does not look at.
const MAX_BYTES: u64 = 16 << 20;

/// Hands the next calls to `work`, up to and without `end`. What is lost is passed over: the trace says by itself what it
/// lost.
///
/// # Errors
/// When the trace cannot be read, or `work` fails.
pub fn each_call<E: From<ReadError>>(
    calls: &mut Calls<'_>,
    end: u64,
    mut work: impl FnMut(&trace::Call<'_>) -> Result<(), E>,
) -> Result<(), E> {
    calls.each(end, |read| read.map_or(Ok(()), &mut work))
}

/// Hands a call of a trace to `work` in the form in which the model sees it. Nothing when this build has no such command.
pub fn with_call<R>(reader: &Reader, call: &trace::Call<'_>, work: impl FnOnce(&state::Call<'_>) -> R) -> Option<R> {
    let memory = Recorded { reader, call, unpacked: Cell::new(0) };
    Some(work(&state::Call {
        number: call.number,
        command: call.command?,
        thread: call.thread,
        by_capture: call.by_capture,
        args: call.args,
        result: call.outcome.map(|outcome| outcome.result),
        memory: &memory,
    }))
}

/// The memory of a recorded call.
struct Recorded<'a> {
    reader: &'a Reader,
    call: &'a trace::Call<'a>,
    /// Bytes that were unpacked to read it.
    unpacked: Cell<u64>,
}

impl Memory for Recorded<'_> {
    fn input(&self, param: u8) -> Option<Data> {
        self.call.input(param).map(about)
    }

    fn output(&self, param: u8) -> Option<Data> {
        self.call.output(param).map(about)
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.bytes(self.call.input(param)?)
    }

    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.bytes(self.call.output(param)?)
    }

    fn unpacked(&self) -> u64 {
        self.unpacked.get()
    }
}

impl<'a> Recorded<'a> {
    /// What is lost is as if it had not been kept: the trace says by itself what it lost.
    fn bytes(&self, data: trace::Data<'a>) -> Option<Cow<'a, [u8]>> {
        // Nothing that the model looks at is that large: it is not made to copy it.
        if matches!(data, trace::Data::Blob { size, .. } if size > MAX_BYTES) {
            return None;
        }
        let before = self.reader.unpacked_bytes();
        let bytes = self.reader.bytes(data);
        let unpacked = self.reader.unpacked_bytes().saturating_sub(before);
        self.unpacked.set(self.unpacked.get().saturating_add(unpacked));
        Some(match bytes.ok()?? {
            Bytes::Inline(bytes) => Cow::Borrowed(bytes),
            Bytes::Blob(blob) if blob.len() as u64 > MAX_BYTES => return None,
            Bytes::Blob(blob) => Cow::Owned(blob.to_vec()),
        })
    }
}

fn about(data: trace::Data<'_>) -> Data {
    match data {
        trace::Data::Inline(bytes) => Data { size: bytes.len() as u64, blob: None },
        trace::Data::Blob { number, size } => Data { size, blob: Some(number) },
        trace::Data::Digest { size, .. } => Data { size, blob: None },
    }
}
