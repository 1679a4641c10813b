//! The open trace itself.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use api::Role;
use chronicle::{Annotations, Chronicle, ChronicleError, Ledger};
use state::reach::WorkKind;
use state::{Model, View};
use trace::{Damage, ReadError, Reader, Source};

use crate::DrawError;
use crate::draw::{self, DrawCalls, StageShader};
use crate::stage_cache::StageCache;

/// A trace that is open, and everything that can be said about it without a device. Its users share it behind an `Arc`
/// and cannot change it; what takes time to work out is kept.
pub struct OpenTrace {
    path: Option<PathBuf>,
    reader: Arc<Reader>,
    chronicle: Chronicle,
    ledger: OnceLock<Arc<Ledger>>,
    /// Held while the ledger is built, so that concurrent callers wait instead of building their own.
    ledger_building: Mutex<()>,
    stages: StageCache,
    annotations: OnceLock<Annotations>,
    damage: OnceLock<Damage>,
    shared: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// Why there is no ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ChronicleError),
    /// The caller did not want to wait any longer.
    #[error("the question was interrupted")]
    Interrupted,
}

impl OpenTrace {
    /// Opens a file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a trace.
    pub fn open(path: &Path) -> Result<Arc<OpenTrace>, ReadError> {
        let reader = Arc::new(Reader::open(path, api::COMMANDS)?);
        Ok(OpenTrace::new(Some(path.to_owned()), reader))
    }

    /// Opens a trace that is in memory. No worker process can replay it, because it has no path.
    ///
    /// # Errors
    /// When the bytes are not a trace.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Arc<OpenTrace>, ReadError> {
        OpenTrace::from_source(Box::new(bytes))
    }

    /// Opens a trace from any source of bytes, such as an open file. It has no path.
    ///
    /// # Errors
    /// When the bytes cannot be read or are not a trace.
    pub fn from_source(source: Box<dyn Source>) -> Result<Arc<OpenTrace>, ReadError> {
        Ok(OpenTrace::new(None, Arc::new(Reader::new(source, api::COMMANDS)?)))
    }

    fn new(path: Option<PathBuf>, reader: Arc<Reader>) -> Arc<OpenTrace> {
        Arc::new(OpenTrace {
            path,
            chronicle: Chronicle::new(Arc::clone(&reader)),
            reader,
            ledger: OnceLock::new(),
            ledger_building: Mutex::new(()),
            stages: StageCache::default(),
            annotations: OnceLock::new(),
            damage: OnceLock::new(),
            shared: Mutex::default(),
        })
    }

    /// Returns the file that the trace was opened from.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the reader of its calls.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns its state at any command.
    #[must_use]
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    /// Returns what the file has lost. The first call reads all of it, to compare it with its checksums.
    #[must_use]
    pub fn damage(&self) -> &Damage {
        self.damage.get_or_init(|| self.reader.damage())
    }

    /// Returns the state after a command.
    ///
    /// # Errors
    /// When there is no such command, or the trace cannot be read.
    pub fn state_after(&self, command: u64) -> Result<Model, ChronicleError> {
        self.chronicle.after(command)
    }

    /// Returns every write of the trace. The first call walks through the whole trace: it calls `proceed` now and then
    /// with the number of a command, and stops when that returns false.
    ///
    /// # Errors
    /// When the trace cannot be read, or `proceed` returned false.
    pub fn ledger(&self, proceed: &mut dyn FnMut(u64) -> bool) -> Result<Arc<Ledger>, LedgerError> {
        if let Some(ledger) = self.ledger.get() {
            return Ok(Arc::clone(ledger));
        }
        let _building = self.ledger_building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ledger) = self.ledger.get() {
            return Ok(Arc::clone(ledger));
        }
        let built = Ledger::build(&self.reader, self.reader.len(), proceed)?.ok_or(LedgerError::Interrupted)?;
        Ok(Arc::clone(self.ledger.get_or_init(|| Arc::new(built))))
    }

    /// Returns the calls of the draw or dispatch that a command belongs to; any call between `glBegin` and `glEnd` stands
    /// for that draw.
    ///
    /// # Errors
    /// When the command neither draws nor dispatches, or the trace cannot be read.
    pub fn draw_calls(&self, command: u64) -> Result<DrawCalls, DrawError> {
        let length = self.reader.len();
        if command >= length {
            return Err(DrawError::NoSuchCommand { command, length });
        }
        draw::draw_calls(&self.reader, command)
    }

    /// Returns the shaders that a draw or dispatch runs, in pipeline order, from a cache if they were analysed before.
    ///
    /// # Errors
    /// When no shader runs and none can be generated, or the trace lacks the text of one.
    pub fn stages(&self, view: &View<'_>, work: WorkKind) -> Result<Arc<Vec<StageShader>>, DrawError> {
        self.stages.get(view, work)
    }

    /// Returns the labels and groups of the trace, which are read on first use. Where they cannot be read, there are none:
    /// the trace itself says what is wrong with it.
    pub fn annotations(&self) -> &Annotations {
        self.annotations.get_or_init(|| Annotations::read(&self.reader).unwrap_or_default())
    }

    /// Returns the command before which the picture of a frame is complete; without a frame, that of the last frame.
    ///
    /// A frame is complete before its present, which takes the picture away from the back buffer. Without a present it is
    /// complete after its last draw: programs that show nothing have given up their contexts at the end.
    ///
    /// # Errors
    /// When there is no such frame, or the trace cannot be read.
    pub fn shown_before(&self, frame: Option<usize>) -> Result<u64, DrawError> {
        let count = self.reader.frame_count();
        let frame = frame.unwrap_or(count.saturating_sub(1));
        let calls = self.reader.frame(frame).ok_or(DrawError::NoSuchFrame { frame, count })?;
        match self.reader.presents().get(frame) {
            Some(present) => Ok(*present),
            None => Ok(self.last_draw(&calls)?.map_or(calls.end, |draw| draw + 1)),
        }
    }

    /// Returns the last call of the last draw in a range.
    fn last_draw(&self, range: &Range<u64>) -> Result<Option<u64>, DrawError> {
        let mut calls = self.reader.calls();
        calls.seek(range.start);
        let mut last = None;
        loop {
            match calls.next() {
                Ok(Some(call)) if call.number < range.end => {
                    if call.command.is_some_and(|id| api::command(id).role == Role::Draw) {
                        last = Some(call.number);
                    }
                }
                Ok(_) => break,
                Err(ReadError::Lost { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(last.map(|draw| self.draw_calls(draw).map_or(draw, |calls| *calls.range.end())))
    }

    /// Returns the one `T` that belongs to this trace, made on first use. Crates above this one keep their own caches
    /// here, so that all users of the trace share them.
    #[must_use]
    pub fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Arc::clone(shared.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())));
        entry.downcast().unwrap_or_default()
    }
}
