//! Copies calls from one trace to another.

use std::io::Write;

use super::{CALLS_PER_CHUNK, Content, Writer, inline_bytes};
use crate::batch::{Entered, MAX_THREADS, NewPayload};
use crate::call::{Call, Data, Payloads};
use crate::error::WriteError;
use crate::reader::{Bytes, Reader};

/// A payload of the source trace.
enum Copied<'a> {
    Bytes(Bytes<'a>),
    Digest { hash: [u8; 32], size: u64 },
}

impl<W: Write> Writer<W> {
    /// Writes a call of another trace, with its memory and outcome. Returns false, and writes nothing, when this build
    /// has no such command.
    ///
    /// # Errors
    /// When the file cannot be written, or a payload of the call is lost.
    pub fn copy(&mut self, call: &Call<'_>, reader: &Reader) -> Result<bool, WriteError> {
        let Some(command) = call.command else { return Ok(false) };
        if call.thread >= MAX_THREADS {
            return Err(WriteError::Threads(call.thread));
        }
        let signature = self.signature(command, call.args.len())?;
        let inputs = read(call.inputs, reader)?;
        let outputs = call.outcome.map(|outcome| read(outcome.outputs, reader)).transpose()?;
        let payloads = inputs.len() + outputs.as_ref().map_or(0, Vec::len);
        let contents = inputs.iter().chain(outputs.iter().flatten()).filter_map(content);
        let bytes = inline_bytes(&contents.collect::<Vec<_>>());
        if self.batch.entries.len() >= CALLS_PER_CHUNK || !self.batch.has_room(call.args.len(), payloads, bytes) {
            self.flush()?;
        }
        self.place_all(signature, &inputs)?;
        let number = self.batch.end();
        let (thread, by_capture, args) = (call.thread, call.by_capture, call.args);
        let input_count = count(inputs.len())?;
        self.batch.enter(Entered { thread, signature, by_capture, args, input_count });
        if Some(command) == self.present {
            self.frames.push(number);
        } else if Some(command) == self.problem {
            self.problems.push(number);
        }
        if let (Some(outcome), Some(outputs)) = (call.outcome, outputs) {
            self.place_all(signature, &outputs)?;
            let at = (number - self.batch.first) as usize;
            self.batch.leave(at, outcome.result, number + 1, count(outputs.len())?);
        }
        Ok(true)
    }

    fn place_all(&mut self, signature: u16, payloads: &[(u8, Copied<'_>)]) -> Result<(), WriteError> {
        for payload in payloads {
            let new = match &payload.1 {
                Copied::Digest { hash, size } => NewPayload::Digest { hash: *hash, size: *size },
                Copied::Bytes(bytes) => {
                    let content = Content { param: payload.0, bytes, digest_only: false };
                    self.blobs.place(signature, &content, &mut self.file)?
                }
            };
            self.batch.add(payload.0, new);
        }
        Ok(())
    }
}

fn count(payloads: usize) -> Result<u8, WriteError> {
    u8::try_from(payloads).map_err(|_| WriteError::Payloads(payloads))
}

fn content<'a>((param, copied): &'a (u8, Copied<'a>)) -> Option<Content<'a>> {
    match copied {
        Copied::Bytes(bytes) => Some(Content { param: *param, bytes, digest_only: false }),
        Copied::Digest { .. } => None,
    }
}

fn read<'a>(payloads: Payloads<'a>, reader: &Reader) -> Result<Vec<(u8, Copied<'a>)>, WriteError> {
    payloads
        .iter()
        .map(|payload| {
            let copied = match (reader.bytes(payload.data)?, payload.data) {
                (Some(bytes), _) => Copied::Bytes(bytes),
                (None, Data::Digest { hash, size }) => Copied::Digest { hash: *hash, size },
                (None, _) => Copied::Bytes(Bytes::Inline(&[])),
            };
            Ok((payload.param, copied))
        })
        .collect()
}
