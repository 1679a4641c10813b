//! The output of a process: trace files, their names, and which memory is stored in full.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use api::{CommandId, Meaning, id};
use trace::{Content, Origin, WriteError, Writer};

use crate::lock;
use crate::merge::{Entered, Left, Memory, Sink};

/// Longer outputs are never shown, only compared by replay, for which a hash is enough.
const MAX_SHOWN: usize = 256;

/// Assigns the names of traces.
pub struct Paths {
    output: PathBuf,
    replace: bool,
    next: Mutex<u32>,
}

impl Paths {
    pub fn new(output: PathBuf, replace: bool) -> Self {
        Self { output, replace, next: Mutex::new(1) }
    }

    /// Creates the next file, skipping names that are taken.
    fn create(&self) -> Result<(File, PathBuf), OpenError> {
        let mut next = lock(&self.next);
        loop {
            let path = path_of(&self.output, *next);
            match trace::file::create(&path, self.replace) {
                Ok(file) => {
                    *next += 1;
                    return Ok((file, path));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && *next < u32::MAX => *next += 1,
                Err(source) => return Err(OpenError { path, source }),
            }
        }
    }
}

/// A trace could not be created.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the trace {}: {source}", path.display())]
pub struct OpenError {
    path: PathBuf,
    source: io::Error,
}

/// Returns the name of the trace of the n-th process that makes calls, counted from 1.
pub fn path_of(output: &Path, number: u32) -> PathBuf {
    if number <= 1 {
        return output.to_owned();
    }
    let extension =
        output.extension().map_or_else(|| "aftr".into(), |extension| extension.to_string_lossy().into_owned());
    output.with_extension(format!("{number}.{extension}"))
}

/// A trace that is started at the first call.
pub struct Output<'a> {
    paths: &'a Paths,
    trace: Option<(Writer<File>, PathBuf)>,
}

/// Why a call could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{} ({})", .1, .0.display())]
    Write(PathBuf, #[source] WriteError),
}

impl<'a> Output<'a> {
    pub fn new(paths: &'a Paths) -> Self {
        Self { paths, trace: None }
    }

    /// Returns the path of the file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.trace.as_ref().map(|(_, path)| path.as_path())
    }

    /// Returns the numbers of calls, frames and bytes written.
    pub fn written(&self) -> (u64, u64, u64) {
        self.trace.as_ref().map_or((0, 0, 0), |(writer, _)| (writer.calls(), writer.frames(), writer.bytes()))
    }

    /// Writes everything to the file.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        match &mut self.trace {
            Some((writer, path)) => writer.flush().map_err(|error| OutputError::Write(path.clone(), error)),
            None => Ok(()),
        }
    }

    /// Finishes the trace and returns its size.
    pub fn finish(&mut self) -> Result<Option<u64>, OutputError> {
        let Some((writer, path)) = self.trace.take() else { return Ok(None) };
        match writer.finish() {
            Ok((summary, _)) => Ok(Some(summary.bytes)),
            Err(error) => Err(OutputError::Write(path, error)),
        }
    }

    fn writer(&mut self) -> Result<&mut (Writer<File>, PathBuf), OutputError> {
        if self.trace.is_none() {
            let (file, path) = self.paths.create()?;
            let writer = Writer::new(file, api::COMMANDS, &Origin::here())
                .map_err(|error| OutputError::Write(path.clone(), error))?;
            self.trace = Some((writer, path));
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

    fn enter(&mut self, call: Entered<'_>) -> Result<u64, OutputError> {
        let command = CommandId(call.command);
        let only_hashed = matches!(command, id::afiImage | id::afiMapped);
        let (writer, path) = self.writer()?;
        let entered = if call.inputs.is_empty() {
            writer.enter(call.thread, command, call.by_capture, call.args, &[])
        } else {
            let inputs: Vec<_> = call.inputs.iter().map(|memory| content(memory, only_hashed)).collect();
            writer.enter(call.thread, command, call.by_capture, call.args, &inputs)
        };
        entered.map_err(|error| OutputError::Write(path.clone(), error))
    }

    fn leave(&mut self, call: Left<'_>) -> Result<(), OutputError> {
        let (writer, path) = self.writer()?;
        for _ in 0..call.abandoned {
            writer.abandon(call.thread);
        }
        let left = if call.outputs.is_empty() {
            writer.leave(call.thread, call.result, &[], call.before)
        } else {
            let shown = |memory: &Memory<'_>| memory.bytes.len() <= MAX_SHOWN || is_text(call.command, memory.param);
            let outputs: Vec<_> = call.outputs.iter().map(|memory| content(memory, !shown(memory))).collect();
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
