//! Copies calls from one trace to another.

use std::io::Write;

use api::CommandId;

use super::{CALLS_PER_CHUNK, Content, Writer, inline_bytes};
use crate::batch::{Entered, MAX_THREADS, NewPayload};
use crate::call::{Call, Data, Payloads};
use crate::error::WriteError;
use crate::reader::{Bytes, Reader};

/// Which of a call's lists a payload is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// What the call read.
    Input,
    /// What it wrote.
    Output,
}

/// What becomes of a payload that is copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// It stays as it is.
    Keep,
    /// These bytes take its place.
    Replace(Vec<u8>),
    /// It is left out.
    Remove,
}

/// Decides about a payload from its command, its side, its parameter, and its bytes unless only a digest was recorded.
pub type Editor<'e> = &'e dyn Fn(CommandId, Side, u8, Option<&[u8]>) -> Edit;

/// A payload of the source trace.
enum Copied<'a> {
    Bytes(Bytes<'a>),
    New(Vec<u8>),
    Digest { hash: [u8; 32], size: u64 },
}

impl<W: Write> Writer<W> {
    /// Writes a call of another trace, with its memory and outcome. Returns false, and writes nothing, when this build
    /// has no such command.
    ///
    /// # Errors
    /// When the file cannot be written, or a payload of the call is lost.
    pub fn copy(&mut self, call: &Call<'_>, reader: &Reader) -> Result<bool, WriteError> {
        self.copy_edited(call, reader, &|_, _, _, _| Edit::Keep)
    }

    /// Writes a call of another trace as [`Writer::copy`] does, with other memory.
    ///
    /// # Errors
    /// When the file cannot be written, or a payload of the call is lost.
    pub fn copy_edited(&mut self, call: &Call<'_>, reader: &Reader, edit: Editor<'_>) -> Result<bool, WriteError> {
        let Some(command) = call.command else { return Ok(false) };
        if call.thread >= MAX_THREADS {
            return Err(WriteError::Threads(call.thread));
        }
        let signature = self.signature(command, call.args.len())?;
        let read = |side, payloads| read(payloads, reader, &|param, bytes| edit(command, side, param, bytes));
        let inputs = read(Side::Input, call.inputs)?;
        let outputs = call.outcome.map(|outcome| read(Side::Output, outcome.outputs)).transpose()?;
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
                Copied::Bytes(bytes) => self.place(signature, payload.0, bytes)?,
                Copied::New(bytes) => self.place(signature, payload.0, bytes)?,
            };
            self.batch.add(payload.0, new);
        }
        Ok(())
    }

    fn place<'a>(&mut self, signature: u16, param: u8, bytes: &'a [u8]) -> Result<NewPayload<'a>, WriteError> {
        self.blobs.place(signature, &Content { param, bytes, digest_only: false }, &mut self.file)
    }
}

fn count(payloads: usize) -> Result<u8, WriteError> {
    u8::try_from(payloads).map_err(|_| WriteError::Payloads(payloads))
}

fn content<'a>((param, copied): &'a (u8, Copied<'a>)) -> Option<Content<'a>> {
    match copied {
        Copied::Bytes(bytes) => Some(Content { param: *param, bytes, digest_only: false }),
        Copied::New(bytes) => Some(Content { param: *param, bytes, digest_only: false }),
        Copied::Digest { .. } => None,
    }
}

fn read<'a>(
    payloads: Payloads<'a>,
    reader: &Reader,
    edit: &dyn Fn(u8, Option<&[u8]>) -> Edit,
) -> Result<Vec<(u8, Copied<'a>)>, WriteError> {
    let mut list = Vec::new();
    for payload in payloads.iter() {
        let bytes = reader.bytes(payload.data)?;
        let copied = match (edit(payload.param, bytes.as_deref()), bytes, payload.data) {
            (Edit::Remove, ..) => continue,
            (Edit::Replace(bytes), ..) => Copied::New(bytes),
            (Edit::Keep, Some(bytes), _) => Copied::Bytes(bytes),
            (Edit::Keep, None, Data::Digest { hash, size }) => Copied::Digest { hash: *hash, size },
            (Edit::Keep, None, _) => Copied::Bytes(Bytes::Inline(&[])),
        };
        list.push((payload.param, copied));
    }
    Ok(list)
}
