//! The model's state at any command of a trace, from snapshots under a budget.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use state::observer::reborrow;
use state::{CallObserver, Excess, Model};
use trace::{Calls, ReadError, Reader};

use crate::call::{each_call, with_call};
use crate::images::{ImageEvents, Images};

/// Calls between two snapshots, unless the budget makes them sparser. Reading one call decodes its chunk, which may hold
/// 32768 of them; snapshots that lie closer than this save little time for the memory they take (docs/benchmarks.md).
pub const INTERVAL: u64 = 4096;

/// Snapshots that are made of a trace at most: in one of a hundred million calls, they lie 32,768 calls apart.
const MOST_SNAPSHOTS: u64 = 1 << 12;

/// Bytes of memory that snapshots may take, as [`Model::added_bytes`] estimates them.
pub const BUDGET: u64 = 256 << 20;

/// Images that may exist at one time.
const MAX_IMAGES: usize = 1 << 20;

/// What following the writes to images may cost.
const MAX_IMAGE_WORK: usize = 1 << 30;

/// States that were asked for last. Each session walks through a trace from one call to the next, and several may share
/// a chronicle.
const RECENT: usize = 8;

/// The state at any command of a trace. Any number of threads may ask.
pub struct Chronicle {
    reader: Arc<Reader>,
    budget: u64,
    kept: Mutex<Snapshots>,
}

struct Snapshots {
    /// Calls between two snapshots; doubles whenever the budget is exceeded.
    interval: u64,
    /// Snapshots of the state before a call, at multiples of the interval.
    snapshots: BTreeMap<u64, Snapshot>,
    /// Bytes of all snapshots.
    bytes: u64,
    /// The states asked for last, the newest at the back.
    recent: VecDeque<(u64, Model)>,
}

struct Snapshot {
    model: Model,
    /// Who wrote what is in images, where a caller asked for it.
    images: Option<Images>,
    /// What it adds to the snapshot before it.
    bytes: u64,
}

/// Why the state at a command is not known.
#[derive(Debug, thiserror::Error)]
pub enum ChronicleError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// The trace has no such command.
    #[error("the trace has {length} commands, so there is no command {number}")]
    NoSuchCommand {
        /// The number asked for.
        number: u64,
        /// How many commands the trace has.
        length: u64,
    },
    /// A command asks for more work or memory than a trace may.
    #[error(transparent)]
    Excess(#[from] Excess),
    /// There is more of something than a trace may have.
    #[error(
        "the trace has more than {limit} {what} up to command {command}; no real program does that, but if you trust it, \
         set AFTERIMAGE_TRUST=1"
    )]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
        /// The command where the limit is reached.
        command: u64,
    },
}

impl ChronicleError {
    /// Fails when the model took no more calls.
    pub(crate) fn check(model: &Model) -> Result<(), ChronicleError> {
        model.excess().map_or(Ok(()), |excess| Err(excess.into()))
    }

    /// Fails when there are more of something than there may be.
    pub(crate) fn limit(what: &'static str, count: usize, limit: usize, command: u64) -> Result<(), ChronicleError> {
        if count > limit && !trace::are_traces_trusted() {
            Err(ChronicleError::TooMany { what, limit, command })
        } else {
            Ok(())
        }
    }
}

impl Chronicle {
    /// Opens a trace.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> Result<Chronicle, ChronicleError> {
        Ok(Chronicle::new(Arc::new(Reader::open(path, api::COMMANDS)?)))
    }

    /// Makes a chronicle of a trace that is already open.
    #[must_use]
    pub fn new(reader: Arc<Reader>) -> Chronicle {
        let interval = INTERVAL.max((reader.len() / MOST_SNAPSHOTS).next_power_of_two());
        Chronicle::with_limits(reader, interval, BUDGET)
    }

    /// Makes a chronicle with `interval` calls between snapshots as long as these fit into `budget` bytes.
    #[must_use]
    pub fn with_limits(reader: Arc<Reader>, interval: u64, budget: u64) -> Chronicle {
        let start = Snapshot { model: Model::default(), images: Some(Images::default()), bytes: 0 };
        let kept = Snapshots {
            interval: interval.max(1),
            snapshots: BTreeMap::from([(0, start)]),
            bytes: 0,
            recent: VecDeque::new(),
        };
        Chronicle { reader, budget, kept: Mutex::new(kept) }
    }

    /// Returns how many snapshots there are and about how many bytes they take.
    #[must_use]
    pub fn snapshots(&self) -> (usize, u64) {
        let kept = self.lock();
        (kept.snapshots.len(), kept.bytes)
    }

    /// Returns the trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the state after a call.
    ///
    /// # Errors
    /// When there is no such call, or the trace cannot be read.
    pub fn after(&self, number: u64) -> Result<Model, ChronicleError> {
        let length = self.reader.len();
        if number >= length {
            return Err(ChronicleError::NoSuchCommand { number, length });
        }
        self.before(number + 1)
    }

    /// Returns the state before a call; past the end, the state after the last call.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn before(&self, number: u64) -> Result<Model, ChronicleError> {
        let (next, mut model) = self.lock().nearest(number);
        if next == number {
            return Ok(model);
        }
        let mut calls = self.reader.calls();
        calls.seek(next);
        let mut boundary = next_boundary(next, self.lock().interval);
        each_call(&mut calls, number, |call| {
            // Snapshots that are missing are made on the way.
            if call.number >= boundary {
                boundary = self.keep(boundary, call.number, &model, None);
            }
            with_call(&self.reader, call, |call| model.apply(call, None));
            ChronicleError::check(&model)
        })?;
        if boundary <= number {
            self.keep(boundary, number, &model, None);
        }
        self.lock().keep_recent(number, &model);
        Ok(model)
    }

    /// Keeps a snapshot of the state before a call, and returns where the next one after `number` lies.
    fn keep(&self, boundary: u64, number: u64, model: &Model, images: Option<&Images>) -> u64 {
        let mut kept = self.lock();
        kept.keep(boundary, model, images, self.budget);
        next_boundary(number, kept.interval)
    }

    /// Returns the state before a call, and who wrote what is in images then. The first question of this kind walks
    /// through all calls before; later ones start at a snapshot.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn moment(&self, number: u64) -> Result<(Model, Images), ChronicleError> {
        let (next, mut model, mut images) = self.lock().nearest_with_images(number);
        let mut told = ImageEvents::default();
        let mut calls = self.reader.calls();
        calls.seek(next);
        let mut boundary = next_boundary(next, self.lock().interval);
        each_call(&mut calls, number, |call| {
            if call.number >= boundary {
                images.settle();
                images.forget_dead(&model);
                boundary = self.keep(boundary, call.number, &model, Some(&images));
            }
            with_call(&self.reader, call, |call| {
                model.apply(call, Some(&mut told));
                images.follow(&model, call, &mut told);
            });
            ChronicleError::check(&model)?;
            ChronicleError::limit("images", images.len(), MAX_IMAGES, call.number)?;
            let work = usize::try_from(images.work()).unwrap_or(usize::MAX);
            ChronicleError::limit("units of work for writes to images", work, MAX_IMAGE_WORK, call.number)
        })?;
        images.settle();
        if boundary <= number {
            images.forget_dead(&model);
            self.keep(boundary, number, &model, Some(&images));
        }
        Ok((model, images))
    }

    /// Applies the calls from `first` up to but not including `end`. Lost calls are skipped.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn walk(
        &self,
        model: &mut Model,
        first: u64,
        end: u64,
        notes: Option<&mut dyn CallObserver>,
    ) -> Result<(), ChronicleError> {
        let mut calls = self.reader.calls();
        calls.seek(first);
        apply_until(&self.reader, &mut calls, model, end, notes)
    }

    fn lock(&self) -> MutexGuard<'_, Snapshots> {
        // Every change is complete before it is visible, so a panic elsewhere does not spoil it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Snapshots {
    /// Returns the last known state at or before a call, and the call it is before.
    fn nearest(&self, number: u64) -> (u64, Model) {
        let snapshot = self.snapshots.range(..=number).next_back();
        let recent = self.recent.iter().filter(|(at, _)| *at <= number).max_by_key(|(at, _)| *at);
        match (snapshot, recent) {
            (Some((at, _)), Some((newer, model))) if newer >= at => (*newer, model.clone()),
            (Some((at, snapshot)), _) => (*at, snapshot.model.clone()),
            (None, Some((at, model))) => (*at, model.clone()),
            (None, None) => (0, Model::default()),
        }
    }

    fn nearest_with_images(&self, number: u64) -> (u64, Model, Images) {
        let mut snapshots = self.snapshots.range(..=number).rev();
        let found = snapshots.find_map(|(at, snapshot)| Some((*at, snapshot.model.clone(), snapshot.images.clone()?)));
        found.unwrap_or_default()
    }

    fn keep_recent(&mut self, number: u64, model: &Model) {
        self.recent.retain(|(at, _)| *at != number);
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((number, model.clone()));
    }

    /// Keeps a snapshot of the state before a call, and thins snapshots out when they exceed the budget.
    fn keep(&mut self, number: u64, model: &Model, images: Option<&Images>, budget: u64) {
        // Another thread may have doubled the interval, or been here before.
        if !number.is_multiple_of(self.interval) {
            return;
        }
        if let Some(snapshot) = self.snapshots.get_mut(&number) {
            if let (None, Some(images)) = (&snapshot.images, images) {
                snapshot.images = Some(images.clone());
                self.weigh(number);
            }
        } else {
            self.snapshots.insert(number, Snapshot { model: model.clone(), images: images.cloned(), bytes: 0 });
            self.weigh(number);
        }
        while self.bytes > budget && self.snapshots.len() > 2 {
            self.interval *= 2;
            let interval = self.interval;
            self.snapshots.retain(|at, _| at.is_multiple_of(interval));
            self.bytes = 0;
            let all: Vec<u64> = self.snapshots.keys().copied().collect();
            for at in all {
                if let Some(snapshot) = self.snapshots.get_mut(&at) {
                    snapshot.bytes = 0;
                }
                self.weigh(at);
            }
        }
    }

    /// Estimates what a snapshot adds to the one before it, and counts that.
    fn weigh(&mut self, number: u64) {
        let mut last_two = self.snapshots.range(..=number).rev();
        let (Some((_, snapshot)), before) = (last_two.next(), last_two.next()) else { return };
        let empty = Snapshot { model: Model::default(), images: None, bytes: 0 };
        let before = before.map_or(&empty, |(_, before)| before);
        let images = snapshot.images.as_ref().map_or(0, |images| images.added_bytes(before.images.as_ref()));
        let bytes = snapshot.model.added_bytes(&before.model) + images;
        if let Some(snapshot) = self.snapshots.get_mut(&number) {
            self.bytes = self.bytes - snapshot.bytes + bytes;
            snapshot.bytes = bytes;
        }
    }
}

/// Applies the next calls, up to but not including `end`.
fn apply_until(
    reader: &Reader,
    calls: &mut Calls<'_>,
    model: &mut Model,
    end: u64,
    mut notes: Option<&mut dyn CallObserver>,
) -> Result<(), ChronicleError> {
    each_call(calls, end, |call| {
        with_call(reader, call, |call| {
            model.apply(call, reborrow(&mut notes));
        });
        ChronicleError::check(model)
    })
}

/// Returns where the next snapshot after a call lies. Calls that are lost have none: a damaged trace may have very many.
fn next_boundary(call: u64, interval: u64) -> u64 {
    (call / interval + 1).saturating_mul(interval)
}
