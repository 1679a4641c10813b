//! The worker's own side: its main loop.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use device::{Ask, Reply};
use driver::{DeviceChoice, Page, Sandbox};
use open_trace::OpenTrace;
use replay::{Answerer, ProgressSink};

use crate::egl::open_egl;
use crate::files::Outbox;
use crate::message::{Message, Open};
use crate::page::{self, Reported};
use crate::wire::{Wire, WireError};

/// The hidden command by which a program starts itself as a worker.
pub const WORKER_COMMAND: &str = "replay-worker";

/// An answer, or why there is none.
pub type Said = Result<Reply, String>;

/// Whether this process has come past [`be_a_worker_if_asked`].
static ASKED: AtomicBool = AtomicBool::new(false);

/// What this process is to workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessKind {
    /// Its program becomes a worker when it is started as one.
    Prepared,
    /// Its program did not call [`be_a_worker_if_asked`] so far.
    Unprepared,
    /// It was started as a worker and did not become one, because its program does not call [`be_a_worker_if_asked`].
    Strayed,
}

/// Returns what this process is to workers. One that strayed must start no workers of its own: they would stray too,
/// without end.
#[must_use]
pub fn process_kind() -> ProcessKind {
    match ASKED.load(Ordering::Relaxed) {
        true => ProcessKind::Prepared,
        false if is_asked() => ProcessKind::Strayed,
        false => ProcessKind::Unprepared,
    }
}

/// Returns whether this process was started as a worker.
fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORKER_COMMAND)
}

/// Runs this process as a worker if it was started as one, and does not return then. Programs that use a pool with
/// themselves as the worker's program call this first in `main`.
pub fn be_a_worker_if_asked() {
    be_taken_over_if_asked(|_| None);
}

/// Like [`be_a_worker_if_asked`], for tests of the sandbox: `intruder` sees each question first, in the confined process,
/// and may answer in the worker's place.
pub fn be_taken_over_if_asked(intruder: impl FnMut(&Ask) -> Option<Said>) {
    ASKED.store(true, Ordering::Relaxed);
    if is_asked() {
        let outcome = run(intruder);
        if let Err(error) = &outcome {
            use io::Write as _;
            // Without a standard error the message is lost.
            let _ = writeln!(io::stderr(), "{error}");
        }
        std::process::exit(if outcome.is_ok() { 0 } else { 2 });
    }
}

/// Answers questions until the supervisor closes the socket, which is standard input.
fn run(mut intruder: impl FnMut(&Ask) -> Option<Said>) -> io::Result<()> {
    driver::close_inherited()?;
    let not_for_people = |_| io::Error::other("this command is for afterimage itself; use `afterimage replay`");
    let descriptors = driver::receive_descriptors(io::stdin().as_fd()).map_err(not_for_people)?;
    let [page, trace] = descriptors.map(File::from);
    // The handler of its signals may use the page as long as the process lives.
    let page: &'static Page = Box::leak(Box::new(Page::open(page)?));
    Reported(page).begin();
    let progress: Rc<dyn ProgressSink> = Rc::new(Reported(page));
    let mut wire = Wire::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let Some(open) = receive::<Open>(&mut wire)? else { return Ok(()) };
    driver::be_a_worker();
    // A process that is not confined as it should be answers nothing.
    let mut state = match confine(&open, page) {
        Ok(()) => State::Closed(trace),
        Err(why) => State::Unable(why),
    };
    let device = open.device.as_deref().map_or(DeviceChoice::First, DeviceChoice::parse);
    while let Some(ask) = receive::<Ask>(&mut wire)? {
        progress.beat();
        let said = match intruder(&ask) {
            Some(said) => said,
            None => state.open(&device).and_then(|answerer| answerer.answer(ask, &progress, &mut Outbox(&mut wire))),
        };
        if !send(&mut wire, said)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Confines this process as its supervisor says, before it reads the trace or loads a driver.
fn confine(open: &Open, page: &'static Page) -> Result<(), String> {
    if let Some(bytes) = open.memory {
        driver::limit_memory(bytes, page, page::OUT_OF_MEMORY)
            .map_err(|error| format!("cannot bound the memory of the worker: {error}"))?;
    }
    let Some(confinement) = &open.confinement else { return Ok(()) };
    let cache = confinement.cache.as_ref().map(|path| OsStr::from_bytes(path).into());
    driver::confine(&Sandbox { cache, log: confinement.log })
        .map_err(|error| format!("the worker is not confined: {error}; --no-sandbox does without"))
}

/// The trace that this worker answers questions about.
enum State {
    /// It has not been read yet.
    Closed(File),
    /// It is open on a device.
    Open(Box<Answerer>),
    /// It cannot be opened, or must not be.
    Unable(String),
}

impl State {
    /// Opens the trace for the first question. A trace that cannot be opened is refused like any other question.
    fn open(&mut self, device: &DeviceChoice) -> Result<&mut Answerer, String> {
        if let State::Closed(file) = self {
            // The file of a trace that cannot be read serves the next question in the same way.
            let file = file.try_clone().map_err(|error| error.to_string())?;
            let trace = OpenTrace::from_source(Box::new(file)).map_err(|error| error.to_string())?;
            *self = State::Open(Box::new(Answerer::new(trace, open_egl(device))));
        }
        match self {
            State::Open(answerer) => Ok(answerer),
            State::Unable(why) => Err(why.clone()),
            State::Closed(_) => Err("the trace is not open".to_owned()),
        }
    }
}

/// Receives the next message; `None` when the supervisor is gone.
fn receive<T: serde::de::DeserializeOwned>(wire: &mut Wire) -> io::Result<Option<T>> {
    loop {
        match wire.receive::<T>() {
            Ok(Some((message, _))) => return Ok(Some(message)),
            Ok(None) => {}
            Err(WireError::Gone) => return Ok(None),
            Err(WireError::Garbled(why)) => return Err(io::Error::other(why)),
        }
    }
}

/// Sends an answer. Returns false when the supervisor is gone.
fn send(wire: &mut Wire, said: Said) -> io::Result<bool> {
    let (answer, bytes) = match said {
        Ok(Reply { answer, bytes }) => (Ok(answer), bytes),
        Err(why) => (Err(why), Vec::new()),
    };
    match wire.send(&Message::Answer(answer), &bytes) {
        Ok(()) => Ok(true),
        Err(WireError::Gone) => Ok(false),
        Err(WireError::Garbled(why)) => Err(io::Error::other(why)),
    }
}
