//! The output of a process: its trace, and which memory is stored in full.

use std::path::{Path, PathBuf};

use api::{CommandId, Meaning, id};
use trace::{Content, Stored, WriteError, Writer};

use crate::destination::{self, Destination, OpenError};
use crate::merge::{Entered, Left, Memory, Sink};
use crate::redact;

/// Longer outputs are never shown, only compared by replay, for which a hash is enough.
const MAX_SHOWN: usize = 256;

/// A trace that is started at the first call.
pub struct Output<'a> {
    destination: &'a Destination,
    /// Whether to leave out what [`redact`] describes.
    redact: bool,
    trace: Option<Trace>,
    /// What a trace that is closed has.
    closed: Option<Stored>,
}

type Trace = (Writer<destination::Sink>, PathBuf);

/// Why a call could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{} ({})", .1, .0.display())]
    Write(PathBuf, #[source] WriteError),
}

impl<'a> Output<'a> {
    pub fn new(destination: &'a Destination, redact: bool) -> Self {
        Self { destination, redact, trace: None, closed: None }
    }

    /// Returns the path of the file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.trace.as_ref().map(|(_, path)| path.as_path())
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> u64 {
        self.trace.as_ref().map_or(0, |(writer, _)| writer.calls())
    }

    /// Returns what can be read from the file.
    pub fn stored(&self) -> Stored {
        self.trace.as_ref().map(|(writer, _)| writer.stored()).or(self.closed).unwrap_or_default()
    }

    /// Writes everything to the file.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        match &mut self.trace {
            Some((writer, path)) => writer.flush().map_err(|error| OutputError::Write(path.clone(), error)),
            None => Ok(()),
        }
    }

    /// Finishes the trace.
    pub fn finish(&mut self) -> Result<(), OutputError> {
        self.flush()?;
        let Some((writer, path)) = self.trace.take() else { return Ok(()) };
        let closed = self.closed.insert(writer.stored());
        match writer.finish() {
            Ok((summary, _)) => {
                closed.bytes = summary.bytes;
                Ok(())
            }
            Err(error) => Err(OutputError::Write(path, error)),
        }
    }

    fn writer(&mut self) -> Result<&mut Trace, OutputError> {
        if self.trace.is_none() {
            self.trace = Some(self.destination.next()?);
        }
        match &mut self.trace {
            Some(trace) => Ok(trace),
            None => unreachable!("the trace has just been started"),
        }
    }
}

impl Sink for Output<'_> {
    type Error = OutputError;

    fn parameters(&self, command: u16) -> Option<usize> {
        Some(api::COMMANDS.get(usize::from(command))?.params.len())
    }

    fn max_threads(&self) -> u32 {
        trace::MAX_THREADS
    }

    fn enter(&mut self, call: Entered<'_>) -> Result<u64, OutputError> {
        let command = CommandId(call.command);
        let only_hashed = matches!(command, id::afiImage | id::afiMapped);
        let redact = self.redact;
        let (writer, path) = self.writer()?;
        let entered = if call.inputs.is_empty() {
            writer.enter(call.thread, command, call.by_capture, call.args, &[])
        } else if redact {
            let part = |memory: &Memory<'_>| redact::input(command, memory.param, memory.bytes).into_owned();
            let parts: Vec<Vec<u8>> = call.inputs.iter().map(part).collect();
            let inputs = call.inputs.iter().zip(&parts);
            let inputs: Vec<_> =
                inputs.map(|(memory, bytes)| content(&Memory { bytes, ..*memory }, only_hashed)).collect();
            writer.enter(call.thread, command, call.by_capture, call.args, &inputs)
        } else {
            let inputs: Vec<_> = call.inputs.iter().map(|memory| content(memory, only_hashed)).collect();
            writer.enter(call.thread, command, call.by_capture, call.args, &inputs)
        };
        entered.map_err(|error| OutputError::Write(path.clone(), error))
    }

    fn leave(&mut self, call: Left<'_>) -> Result<(), OutputError> {
        let redact = self.redact;
        let (writer, path) = self.writer()?;
        for _ in 0..call.abandoned {
            writer.abandon(call.thread);
        }
        let left = if call.outputs.is_empty() {
            writer.leave(call.thread, call.result, &[], call.before)
        } else {
            let shown = |memory: &Memory<'_>| memory.bytes.len() <= MAX_SHOWN || is_text(call.command, memory.param);
            let kept = |memory: &&Memory<'_>| !redact || redact::keeps_output(CommandId(call.command), memory.param);
            let outputs = call.outputs.iter().filter(kept);
            let outputs: Vec<_> = outputs.map(|memory| content(memory, !shown(memory))).collect();
            writer.leave(call.thread, call.result, &outputs, call.before)
        };
        left.map_err(|error| OutputError::Write(path.clone(), error))
    }
}

fn content<'a>(memory: &Memory<'a>, digest_only: bool) -> Content<'a> {
    Content { param: memory.param, bytes: memory.bytes, digest_only }
}

/// Returns whether a parameter points to text, which people want to read.
fn is_text(command: u16, param: u8) -> bool {
    let param = api::COMMANDS.get(usize::from(command)).and_then(|command| command.params.get(usize::from(param)));
    let memory = param.and_then(|param| param.memory);
    memory.is_some_and(|memory| memory.element.meaning == Meaning::Character)
}
