//! A trace with snapshots.

use std::path::Path;
use std::sync::Arc;

use state::notes::lend;
use state::{Model, Notes};
use trace::{Calls, ReadError, Reader};

use crate::call::{each_call, with_call};
use crate::images::{Images, Told};

/// So many calls lie between two snapshots, unless somebody wants it otherwise. To read one call is to decode its chunk,
/// which may have 32768 of them; snapshots that lie closer than this save little time for what they cost in memory
/// (docs/benchmarks.md).
pub const INTERVAL: u64 = 4096;

/// A trace and the state at many of its commands.
pub struct Chronicle {
    reader: Arc<Reader>,
    interval: u64,
    /// The state before the calls numbered 0, `interval`, and so on, as far as anybody has looked.
    snapshots: Vec<Model>,
    /// Who wrote what is in images then, as far as anybody has asked for it.
    images: Vec<Images>,
    /// The state before the call that was asked for last: whoever goes through a trace asks for the next soon.
    recent: Option<(u64, Model)>,
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
        Chronicle::with_interval(reader, INTERVAL)
    }

    /// The same with so many calls between two snapshots.
    #[must_use]
    pub fn with_interval(reader: Arc<Reader>, interval: u64) -> Chronicle {
        Chronicle {
            reader,
            interval: interval.max(1),
            snapshots: vec![Model::default()],
            images: vec![Images::default()],
            recent: None,
        }
    }

    /// How many snapshots there are so far.
    #[must_use]
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
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
        let place = ((number / self.interval) as usize).min(self.snapshots.len() - 1);
        let mut next = place as u64 * self.interval;
        let mut model = match &self.recent {
            Some((recent, model)) if (next..=number).contains(recent) => {
                next = *recent;
                model.clone()
            }
            _ => self.snapshots[place].clone(),
        };
        let mut calls = self.reader.calls();
        calls.seek(next);
        loop {
            // On the way, snapshots are made where there are none yet.
            let boundary = (next / self.interval + 1) * self.interval;
            apply_until(&self.reader, &mut calls, &mut model, boundary.min(number), None)?;
            if boundary > number {
                self.recent = Some((number, model.clone()));
                return Ok(model);
            }
            next = boundary;
            if (boundary / self.interval) as usize == self.snapshots.len() {
                self.snapshots.push(model.clone());
            }
        }
    }

    /// The state before a call, and who wrote what is in images then. To find that out for the first time takes going
    /// through all calls before; after that, there are snapshots.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn moment(&mut self, number: u64) -> Result<(Model, Images), ChronicleError> {
        let most = self.snapshots.len().min(self.images.len()) - 1;
        let place = ((number / self.interval) as usize).min(most);
        let (mut model, mut images) = (self.snapshots[place].clone(), self.images[place].clone());
        let mut told = Told::default();
        let mut calls = self.reader.calls();
        calls.seek(place as u64 * self.interval);
        let mut next = place + 1;
        loop {
            let boundary = next as u64 * self.interval;
            each_call(&mut calls, boundary.min(number), |call| {
                with_call(&self.reader, call, |call| {
                    model.apply(call, Some(&mut told));
                    images.follow(&model, call, &mut told);
                });
            })?;
            if boundary > number {
                return Ok((model, images));
            }
            images.forget_dead(&model);
            if next == self.snapshots.len() {
                self.snapshots.push(model.clone());
            }
            if next == self.images.len() {
                self.images.push(images.clone());
            }
            next += 1;
        }
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
        notes: Option<&mut dyn Notes>,
    ) -> Result<(), ChronicleError> {
        let mut calls = self.reader.calls();
        calls.seek(first);
        apply_until(&self.reader, &mut calls, model, end, notes)
    }
}

/// Applies the next calls, up to and without `end`.
fn apply_until(
    reader: &Reader,
    calls: &mut Calls<'_>,
    model: &mut Model,
    end: u64,
    mut notes: Option<&mut dyn Notes>,
) -> Result<(), ChronicleError> {
    each_call(calls, end, |call| {
        with_call(reader, call, |call| {
            model.apply(call, lend(&mut notes));
        });
    })?;
    Ok(())
}
