//! A trace without a device: its frames, its calls, its state.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use open_trace::OpenTrace;
use session::{FrameInfo, Session};

use crate::call::{Call, Calls};
use crate::error::TraceError;
use crate::state::StateTree;
use crate::survey::{self, Draws, Survey};

/// An open trace. Clones share it; what takes time to work out is kept.
///
/// It needs neither a driver nor a worker. What does - pictures, contents, histories, the debugger - is asked of a
/// [`Session`], whose trace is this one too ([`Trace::of`]).
#[derive(Clone)]
pub struct Trace {
    pub(crate) open: Arc<OpenTrace>,
}

impl Trace {
    /// Opens a file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a trace.
    pub fn open(path: impl AsRef<Path>) -> Result<Trace, TraceError> {
        Ok(Trace { open: OpenTrace::open(path.as_ref())? })
    }

    /// Returns the trace of a session.
    #[must_use]
    pub fn of(session: &Session) -> Trace {
        Trace { open: Arc::clone(session.trace()) }
    }

    /// Returns how many commands it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.open.reader().len()
    }

    /// Returns whether it has no commands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the recording ended as it should: a program that was killed leaves a trace without an end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.open.reader().is_complete()
    }

    /// Returns its frames. Commands after the last one are in none.
    #[must_use]
    pub fn frames(&self) -> Vec<FrameInfo> {
        let reader = self.open.reader();
        let frame = |index: usize| {
            let range = reader.frame(index)?;
            Some(FrameInfo { index, first_command: range.start, last_command: range.end.saturating_sub(1) })
        };
        (0..reader.frame_count()).filter_map(frame).collect()
    }

    /// Returns the commands of a frame.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn frame(&self, frame: usize) -> Result<Range<u64>, TraceError> {
        let reader = self.open.reader();
        reader.frame(frame).ok_or(TraceError::NoSuchFrame { frame, count: reader.frame_count() })
    }

    /// Returns one call.
    ///
    /// # Errors
    /// When there is none of this number, or it is lost.
    pub fn call(&self, command: u64) -> Result<Call, TraceError> {
        self.expect(command)?;
        self.calls(command..command + 1).next().unwrap_or(Err(self.missing(command)))
    }

    /// Returns calls in their order; commands that the trace does not have are left out of the range.
    #[must_use]
    pub fn calls(&self, range: Range<u64>) -> Calls {
        Calls::new(self.clone(), range)
    }

    /// Reads all calls once and returns what is in the trace: draws, contexts, programs with their shaders, what it lacks.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn survey(&self) -> Result<Survey, TraceError> {
        survey::survey(self.open.reader(), Draws::Listed, &mut |_| ())
    }

    /// Returns the bytes of a blob: [`crate::Memory::blob`].
    ///
    /// # Errors
    /// When the trace has no such blob, or it is damaged.
    pub fn blob(&self, number: u32) -> Result<Arc<[u8]>, TraceError> {
        Ok(self.open.reader().blob(number)?)
    }

    /// Returns the GL state after a command.
    ///
    /// # Errors
    /// When there is no such command, or the trace cannot be read.
    pub fn state(&self, command: u64) -> Result<StateTree, TraceError> {
        self.expect(command)?;
        StateTree::after(self, command)
    }

    /// Checks that there is a command of this number.
    fn expect(&self, command: u64) -> Result<(), TraceError> {
        if command < self.len() { Ok(()) } else { Err(self.missing(command)) }
    }

    fn missing(&self, command: u64) -> TraceError {
        TraceError::NoSuchCommand { command, count: self.len() }
    }
}

impl From<Arc<OpenTrace>> for Trace {
    fn from(open: Arc<OpenTrace>) -> Trace {
        Trace { open }
    }
}
