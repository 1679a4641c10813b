//! The recorder: gives programs the memory that they record to, drains it, orders the calls of all threads and writes
//! them to traces, one for each process that makes calls.
//!
//! This crate does *not* start programs and prints nothing: it reports through [`Event`]s and [`Progress`].
#![forbid(unsafe_code)]

mod destination;
mod merge;
mod output;
pub mod redact;
mod session;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use ring::handshake::{Listener, Visitor};
use ring::{Block, Clock, Mapping, Settings};

pub use destination::{Destination, OpenError, path_of};
use session::Session;

/// What to record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether to read back and hash frames.
    pub hash_frames: bool,
    /// Whether to leave out the contents of buffers and textures, labels and the command line.
    pub redact: bool,
    /// Whether programs may load and get binaries of their shaders.
    pub keep_binaries: bool,
}

/// How many processes there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Processes that have attached, or tried to.
    pub attached: usize,
    /// Of those, processes that run and have made calls.
    pub active: usize,
    /// The frames of the one that has most of them.
    pub frames: u64,
}

/// Something to report to the user at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A trace has been started.
    Started {
        /// Its file.
        path: PathBuf,
        /// Its process.
        pid: u32,
    },
    /// Something went wrong: a sentence without its full stop.
    Problem(String),
}

/// What a recorder has done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finished {
    /// The traces.
    pub recordings: Vec<Recording>,
    /// Whether calls of a process that should have been recorded are missing; an [`Event::Problem`] said why.
    pub incomplete: bool,
}

/// The trace of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// The trace.
    pub path: PathBuf,
    /// The process.
    pub pid: u32,
    /// Number of calls in it, which can be read also if it was cut short.
    pub calls: u64,
    /// Number of frames in it.
    pub frames: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Why it ends before the program did, if so.
    pub cut_short: Option<String>,
}

/// A recorder cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no memory to share with programs.
    #[error("memory to share with the program cannot be created ({0}); `ulimit -f` must allow files of {size} MiB", size = size_of::<Block>() >> 20)]
    Memory(#[source] io::Error),
    /// There is no thread.
    #[error("the recorder cannot start a thread ({0})")]
    Thread(#[source] io::Error),
}

/// A running recorder.
pub struct Recorder {
    shared: Arc<Shared>,
    listening: thread::JoinHandle<Vec<thread::JoinHandle<()>>>,
}

/// What the threads of a recorder share.
struct Shared {
    destination: Destination,
    settings: Settings,
    redact: bool,
    ending: AtomicBool,
    /// Processes that asked to be recorded and could not be.
    refused: AtomicUsize,
    /// Whether a trace is not complete, or missing.
    failed: AtomicBool,
    events: Mutex<mpsc::Sender<Event>>,
    sessions: Mutex<Vec<Arc<session::State>>>,
    finished: Mutex<Vec<Recording>>,
}

impl Recorder {
    /// Starts recording the programs that connect to the listener.
    ///
    /// # Errors
    /// When the system cannot start a thread, or has no memory to share with programs.
    pub fn start(
        listener: Listener,
        destination: Destination,
        options: Options,
        events: mpsc::Sender<Event>,
    ) -> Result<Self, StartError> {
        let settings = Settings { hash_frames: options.hash_frames, keep_binaries: options.keep_binaries };
        // A limit on the size of files counts for shared memory too. Better now than when the program runs.
        Mapping::create(api::FINGERPRINT, settings, Clock::choose()).map_err(StartError::Memory)?;
        let shared = Arc::new(Shared {
            destination,
            settings,
            redact: options.redact,
            ending: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            events: Mutex::new(events),
            sessions: Mutex::default(),
            finished: Mutex::default(),
        });
        let for_thread = Arc::clone(&shared);
        let listening = thread::Builder::new().name("listen".into()).spawn(move || listen(&listener, &for_thread));
        Ok(Self { shared, listening: listening.map_err(StartError::Thread)? })
    }

    /// Returns how many processes there are.
    pub fn progress(&self) -> Progress {
        let mut progress = Progress { attached: self.shared.refused.load(Relaxed), ..Progress::default() };
        for state in lock(&self.shared.sessions).iter() {
            progress.attached += 1;
            progress.active += usize::from(state.active());
            progress.frames = progress.frames.max(state.frames.load(Relaxed));
        }
        progress
    }

    /// Returns whether any attached process is still running.
    pub fn busy(&self) -> bool {
        lock(&self.shared.sessions).iter().any(|state| state.running.load(Relaxed))
    }

    /// From now on, does not wait long for the reader of a pipe to which a trace goes. What it has not read by then is
    /// missing.
    pub fn hurry(&self) {
        self.shared.destination.hurry();
    }

    /// Stops recording, also of processes that still run, and finishes all traces.
    pub fn finish(self) -> Finished {
        self.shared.ending.store(true, Relaxed);
        for session in self.listening.join().unwrap_or_default() {
            // A thread that panicked has printed its message; its trace is readable up to the last flush.
            let _ = session.join();
        }
        let mut recordings = std::mem::take(&mut *lock(&self.shared.finished));
        recordings.sort_by_key(|recording| (recording.path.as_os_str().len(), recording.path.clone()));
        Finished { recordings, incomplete: self.shared.failed.load(Relaxed) }
    }
}

/// Accepts clients until the recorder is stopped; returns the threads that serve them.
fn listen(listener: &Listener, shared: &Arc<Shared>) -> Vec<thread::JoinHandle<()>> {
    let mut threads = Vec::new();
    let mut beaten: Vec<Weak<Mapping>> = Vec::new();
    let beat = Duration::from_millis(100);
    let mut last_beat = Instant::now();
    while !shared.ending.load(Relaxed) {
        match listener.accept(api::FINGERPRINT, beat) {
            Ok(None) => {}
            Ok(Some(Visitor::Client(client))) => match Session::begin(client, shared) {
                Ok((mapping, thread)) => {
                    beaten.push(mapping);
                    threads.push(thread);
                }
                Err(error) => shared.refuse(&error),
            },
            Ok(Some(Visitor::Unrecorded { pid })) => shared.note_unrecorded(pid),
            Err(error) => shared.refuse(&error),
        }
        if last_beat.elapsed() >= beat {
            last_beat = Instant::now();
            beaten.retain(|mapping| mapping.upgrade().inspect(|mapping| mapping.beat()).is_some());
        }
    }
    // Children that ended just before the program did.
    while let Ok(Some(visitor)) = listener.accept(api::FINGERPRINT, Duration::ZERO) {
        if let Visitor::Unrecorded { pid } = visitor {
            shared.note_unrecorded(pid);
        }
    }
    threads
}

impl Shared {
    fn note_unrecorded(&self, pid: u32) {
        self.refused.fetch_add(1, Relaxed);
        self.send(Event::Problem(format!(
            "process {pid} uses OpenGL and is not recorded, because its parent had used OpenGL before it forked; only \
             children that are forked earlier, or start another program, are recorded"
        )));
    }

    fn refuse(&self, error: &io::Error) {
        self.refused.fetch_add(1, Relaxed);
        self.send(Event::Problem(format!("a process could not be recorded: {error}")));
    }

    fn send(&self, event: Event) {
        // The receiver may have been dropped; events are then not wanted.
        let _ = lock(&self.events).send(event);
    }
}

/// Locks a mutex even if a thread panicked while holding it: the data is only counters and lists.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
