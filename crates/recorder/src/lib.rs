//! The recorder: gives programs the memory they record to, drains it, puts the calls of all threads in order and
//! writes them to traces, one for each process that makes calls.
//!
//! This crate does *not* start programs and prints nothing: whoever uses it hears of everything through [`Event`]s and
//! [`Progress`].

mod merge;
mod output;
mod session;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use ring::handshake::Listener;
use ring::{Mapping, Settings};

use output::Paths;
pub use output::path_of;
use session::Session;

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The trace of the first process that makes calls. The second's is numbered (`name.2.aftr`), and so on.
    pub output: PathBuf,
    /// Whether files that are there may be replaced.
    pub replace: bool,
    /// Whether frames are to be read back and hashed.
    pub hash_frames: bool,
}

/// How far it is, of all processes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Processes that have attached, or tried to.
    pub attached: usize,
    /// Of those, processes that run and have made calls.
    pub active: usize,
    /// Calls.
    pub calls: u64,
    /// Frames.
    pub frames: u64,
    /// Bytes of traces.
    pub bytes: u64,
}

/// Something that a user should hear at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A trace has been begun.
    Began {
        /// Its file.
        path: PathBuf,
        /// Of this process.
        pid: u32,
    },
    /// Something went wrong: a sentence without its full stop.
    Trouble(String),
}

/// What came of one process that made calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// The trace.
    pub path: PathBuf,
    /// The process.
    pub pid: u32,
    /// Calls in it.
    pub calls: u64,
    /// Frames in it.
    pub frames: u64,
    /// Bytes of it.
    pub bytes: u64,
    /// Why it ended before the program did.
    pub cut_short: Option<String>,
}

/// A recorder at work.
pub struct Recorder {
    shared: Arc<Shared>,
    listening: thread::JoinHandle<Vec<thread::JoinHandle<()>>>,
}

/// What the threads of a recorder share.
struct Shared {
    paths: Paths,
    settings: Settings,
    ending: AtomicBool,
    /// Processes that wanted to be recorded and could not.
    refused: AtomicUsize,
    events: Mutex<mpsc::Sender<Event>>,
    sessions: Mutex<Vec<Arc<session::State>>>,
    finished: Mutex<Vec<Recording>>,
}

impl Recorder {
    /// Begins to record whoever comes to the listener.
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn start(listener: Listener, options: &Options, events: mpsc::Sender<Event>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            paths: Paths::new(options.output.clone(), options.replace),
            settings: Settings { hash_frames: options.hash_frames },
            ending: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
            events: Mutex::new(events),
            sessions: Mutex::default(),
            finished: Mutex::default(),
        });
        let for_thread = Arc::clone(&shared);
        let listening = thread::Builder::new().name("listen".into()).spawn(move || listen(&listener, &for_thread))?;
        Ok(Self { shared, listening })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let mut progress = Progress { attached: self.shared.refused.load(Relaxed), ..Progress::default() };
        for state in lock(&self.shared.sessions).iter() {
            progress.attached += 1;
            progress.active += usize::from(state.active());
            progress.calls += state.calls.load(Relaxed);
            progress.frames += state.frames.load(Relaxed);
            progress.bytes += state.bytes.load(Relaxed);
        }
        progress
    }

    /// Whether any process that attached still runs.
    pub fn busy(&self) -> bool {
        lock(&self.shared.sessions).iter().any(|state| state.running.load(Relaxed))
    }

    /// Ends recording, of processes that still run too, and finishes all traces.
    pub fn finish(self) -> Vec<Recording> {
        self.shared.ending.store(true, Relaxed);
        for session in self.listening.join().unwrap_or_default() {
            // A thread that panicked has said so; its trace is readable up to its last flush.
            let _ = session.join();
        }
        let mut finished = std::mem::take(&mut *lock(&self.shared.finished));
        finished.sort_by_key(|recording| (recording.path.as_os_str().len(), recording.path.clone()));
        finished
    }
}

/// Takes guests until it is told to end; returns the threads that serve them.
fn listen(listener: &Listener, shared: &Arc<Shared>) -> Vec<thread::JoinHandle<()>> {
    let mut threads = Vec::new();
    let mut beaten: Vec<Weak<Mapping>> = Vec::new();
    let beat = Duration::from_millis(100);
    let mut last_beat = Instant::now();
    while !shared.ending.load(Relaxed) {
        match listener.accept(api::FINGERPRINT, beat) {
            Ok(None) => {}
            Ok(Some(guest)) => match Session::begin(guest, shared) {
                Ok((mapping, thread)) => {
                    beaten.push(mapping);
                    threads.push(thread);
                }
                Err(error) => shared.refuse(&error),
            },
            Err(error) => shared.refuse(&error),
        }
        if last_beat.elapsed() >= beat {
            last_beat = Instant::now();
            beaten.retain(|mapping| mapping.upgrade().inspect(|mapping| mapping.beat()).is_some());
        }
    }
    threads
}

impl Shared {
    fn refuse(&self, error: &io::Error) {
        self.refused.fetch_add(1, Relaxed);
        self.tell(Event::Trouble(format!("a process could not be recorded: {error}")));
    }

    fn tell(&self, event: Event) {
        // Nobody may listen any more, which is theirs to decide.
        let _ = lock(&self.events).send(event);
    }
}

/// What is behind a lock, whether or not somebody panicked while holding it: all of it is counters and lists.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
