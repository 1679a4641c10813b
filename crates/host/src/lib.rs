//! Traces on this machine.
//!
//! A [`Host`] opens each trace once and gives it one pool of workers, however many sessions and commands use it. It is what
//! joins the parts that know nothing of processes and files (crates `open_trace`, `session`) with those that do (crate
//! `worker`).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use inquiry::Inquiry;
use open_trace::OpenTrace;
use session::Session;
use worker::{Pool, ProcessKind, WorkerOptions};

pub use trace::PrivateFolder;
pub use worker::be_a_worker_if_asked;

/// How long a driver may make no progress before its worker is stopped, unless the user says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Why a trace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// This program's own file cannot be found.
    #[error("cannot find this program's own file, to start a worker: {0}")]
    NoProgram(#[source] io::Error),
    /// This program cannot be a worker.
    #[error(
        "this program cannot be started as a worker, because it did not call `be_a_worker_if_asked`: \
         call that first in `main`, or name another program with `Host::with_program`"
    )]
    NotPrepared,
    /// This process was to be a worker.
    #[error("this process was started as a worker and went on instead: call `be_a_worker_if_asked` first in `main`")]
    Strayed,
}

/// How a trace is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenOptions {
    /// The trace.
    pub trace: PathBuf,
    /// A device by its number or part of its name; the first that works without one.
    pub device: Option<String>,
    /// A worker that makes no progress for this long is stopped.
    pub timeout: Duration,
    /// Whether workers are confined before they read the trace, as far as the kernel can: they reach no network, no other
    /// process and none of the user's files. If not, a trace that takes over the driver can do all that this user can.
    pub sandbox: bool,
    /// The memory that a worker may take, in bytes. Without it, half of the machine's memory and at least 4 GiB for
    /// confined workers, and no bound for others.
    pub worker_memory: Option<u64>,
}

impl OpenOptions {
    /// A trace on the first device that works, in confined workers.
    #[must_use]
    pub fn new(trace: impl Into<PathBuf>) -> OpenOptions {
        OpenOptions { trace: trace.into(), device: None, timeout: TIMEOUT, sandbox: true, worker_memory: None }
    }
}

/// The traces that are open in this process.
#[derive(Default)]
pub struct Host {
    /// The program that is started as a worker; this program without one.
    program: Option<PathBuf>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    traces: HashMap<FileIdentity, Weak<OpenTrace>>,
    pools: Vec<(WorkerOptions, FileIdentity, Weak<Pool>)>,
}

/// What tells files apart: a path whose file was replaced is another trace.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FileIdentity {
    path: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
}

impl FileIdentity {
    fn of(path: &Path) -> FileIdentity {
        // A file that cannot be looked at cannot be opened either, which says more.
        let about = std::fs::metadata(path).ok();
        FileIdentity {
            path: std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
            length: about.as_ref().map_or(0, std::fs::Metadata::len),
            modified: about.and_then(|about| about.modified().ok()),
        }
    }
}

impl Host {
    /// Makes a host whose workers are this very program, which must call [`be_a_worker_if_asked`] first in `main`.
    #[must_use]
    pub fn new() -> Host {
        Host::default()
    }

    /// Makes a host that starts another program as its workers: `afterimage`, or any that calls
    /// [`be_a_worker_if_asked`].
    #[must_use]
    pub fn with_program(program: impl Into<PathBuf>) -> Host {
        Host { program: Some(program.into()), open: Mutex::default() }
    }

    /// Opens a trace, or returns the one that is open already.
    ///
    /// # Errors
    /// When the file cannot be read or is not a trace.
    pub fn trace(&self, path: &Path) -> Result<Arc<OpenTrace>, HostError> {
        let identity = FileIdentity::of(path);
        if let Some(trace) = self.lock().traces.get(&identity).and_then(Weak::upgrade) {
            return Ok(trace);
        }
        let trace = OpenTrace::open(path)?;
        let mut open = self.lock();
        open.traces.retain(|_, trace| trace.strong_count() > 0);
        // Another thread may have opened it meanwhile.
        let entry = open.traces.entry(identity).or_default();
        Ok(entry.upgrade().unwrap_or_else(|| {
            *entry = Arc::downgrade(&trace);
            trace
        }))
    }

    /// Returns the pool of workers for a trace on a device, which its users share.
    ///
    /// # Errors
    /// When this program's own file cannot be found, or it does not call [`be_a_worker_if_asked`].
    pub fn pool(&self, options: &OpenOptions) -> Result<Arc<Pool>, HostError> {
        let program = match (&self.program, worker::process_kind()) {
            (_, ProcessKind::Strayed) => return Err(HostError::Strayed),
            (None, ProcessKind::Unprepared) => return Err(HostError::NotPrepared),
            (Some(program), _) => program.clone(),
            (None, ProcessKind::Prepared) => std::env::current_exe().map_err(HostError::NoProgram)?,
        };
        let OpenOptions { trace, device, timeout, sandbox, worker_memory: memory } = options.clone();
        let identity = FileIdentity::of(&trace);
        let options = WorkerOptions { program, trace, device, timeout, sandbox, memory };
        let mut open = self.lock();
        open.pools.retain(|(_, _, pool)| pool.strong_count() > 0);
        let known = open.pools.iter().find(|(known, file, _)| *known == options && *file == identity);
        if let Some(pool) = known.and_then(|(_, _, pool)| pool.upgrade()) {
            return Ok(pool);
        }
        let pool = Pool::new(options.clone());
        open.pools.push((options, identity, Arc::downgrade(&pool)));
        Ok(pool)
    }

    /// Starts a session on a trace.
    ///
    /// # Errors
    /// When the trace cannot be opened.
    pub fn session(&self, options: &OpenOptions) -> Result<Session, HostError> {
        let trace = self.trace(&options.trace)?;
        Ok(Session::new(trace, Box::new(self.pool(options)?.device())))
    }

    /// Starts an inquiry into a trace.
    ///
    /// # Errors
    /// When the trace cannot be opened.
    pub fn inquiry(&self, options: &OpenOptions) -> Result<Inquiry, HostError> {
        let trace = self.trace(&options.trace)?;
        Ok(Inquiry::new(trace, Box::new(self.pool(options)?.device())))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // The tables are whole after every step, so a panic elsewhere does not spoil them.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
