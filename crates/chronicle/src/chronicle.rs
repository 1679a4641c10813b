//! A trace with snapshots.

use std::path::Path;
use std::sync::Arc;

use state::{Model, Notes};
use trace::{ReadError, Reader};

use crate::call::with_call;

/// So many calls lie between two snapshots.
const INTERVAL: u64 = 10_000;

/// A trace and the state at many of its commands.
pub struct Chronicle {
    reader: Arc<Reader>,
    /// The state before the calls numbered 0, [`INTERVAL`], and so on, as far as anybody has looked.
    snapshots: Vec<Model>,
}

/// Why the state at a command is not known.
#[derive(Debug, thiserror::Error)]
pub enum ChronicleError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// A command beyond the end was asked for.
    #[error("the trace has {length} commands, so there is no command {number}")]
    NoSuchCommand {
        /// What was asked for.
        number: u64,
        /// How many there are.
        length: u64,
    },
}

impl Chronicle {
    /// Opens a trace.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> Result<Chronicle, ChronicleError> {
        Ok(Chronicle::new(Arc::new(Reader::open(path, api::COMMANDS)?)))
    }

    /// A chronicle of a trace that is open.
    #[must_use]
    pub fn new(reader: Arc<Reader>) -> Chronicle {
        Chronicle { reader, snapshots: vec![Model::default()] }
    }

    /// The trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The state after a call.
    ///
    /// # Errors
    /// When there is no such call, or the trace cannot be read.
    pub fn after(&mut self, number: u64) -> Result<Model, ChronicleError> {
        let length = self.reader.len();
        if number >= length {
            return Err(ChronicleError::NoSuchCommand { number, length });
        }
        self.before(number + 1)
    }

    /// The state before a call; that before the first one behind the end is the last there is.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn before(&mut self, number: u64) -> Result<Model, ChronicleError> {
        let place = (number / INTERVAL) as usize;
        while self.snapshots.len() <= place {
            let first = (self.snapshots.len() as u64 - 1) * INTERVAL;
            let Some(mut model) = self.snapshots.last().cloned() else { break };
            self.walk(&mut model, first, first + INTERVAL, None)?;
            self.snapshots.push(model);
        }
        let place = place.min(self.snapshots.len() - 1);
        let mut model = self.snapshots[place].clone();
        self.walk(&mut model, place as u64 * INTERVAL, number, None)?;
        Ok(model)
    }

    /// Applies calls from `first` up to and without `end`. Calls that are lost are passed over.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn walk(
        &self,
        model: &mut Model,
        first: u64,
        end: u64,
        mut notes: Option<&mut dyn Notes>,
    ) -> Result<(), ChronicleError> {
        let mut calls = self.reader.calls();
        calls.seek(first);
        loop {
            let call = match calls.next() {
                Ok(Some(call)) if call.number < end => call,
                Ok(_) => return Ok(()),
                Err(ReadError::Lost { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            with_call(&self.reader, &call, |call| {
                model.apply(
                    call,
                    match &mut notes {
                        Some(notes) => Some(&mut **notes),
                        None => None,
                    },
                );
            });
        }
    }
}
