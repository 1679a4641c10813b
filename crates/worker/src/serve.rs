//! The worker's own side: its main loop.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use device::{Ask, Reply};
use driver::{DeviceChoice, Page};
use open_trace::OpenTrace;
use replay::{Answerer, ProgressSink};

use crate::egl::open_egl;
use crate::files::Files;
use crate::page::Reported;
use crate::process::Open;
use crate::wire::{Wire, WireError};

/// The hidden command by which a program starts itself as a worker.
pub const WORKER_COMMAND: &str = "replay-worker";

/// Runs this process as a worker if it was started as one, and does not return then. Programs that use a pool with
/// themselves as the worker's program call this first in `main`.
pub fn be_a_worker_if_asked() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == WORKER_COMMAND) {
        let outcome = run(words);
        if let Err(error) = &outcome {
            use io::Write as _;
            // Without a standard error the message is lost.
            let _ = writeln!(io::stderr(), "{error}");
        }
        std::process::exit(if outcome.is_ok() { 0 } else { 2 });
    }
}

/// Answers questions until the supervisor closes the socket, which is standard input. `arguments` follow the command
/// [`WORKER_COMMAND`].
///
/// # Errors
/// When the process was not started by a supervisor, or it receives something that is no question.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let not_for_people = || io::Error::other("this command is for afterimage itself; use `afterimage replay`");
    let descriptor = arguments.next().and_then(|word| word.to_str()?.parse().ok()).ok_or_else(not_for_people)?;
    let page = Page::inherited(descriptor)?;
    driver::be_a_worker();
    let mut wire = Wire::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let Some(open) = receive::<Open>(&mut wire)? else { return Ok(()) };
    let progress = Reported(&page);
    let device = open.device.as_deref().map_or(DeviceChoice::First, DeviceChoice::parse);
    let path = Path::new(OsStr::from_bytes(&open.trace));
    let mut answerer = None;
    while let Some(ask) = receive::<Ask>(&mut wire)? {
        progress.beat();
        let answer = open_once(&mut answerer, path, &device)
            .and_then(|answerer| answerer.answer(ask, &progress, &mut Files::default()));
        if !send(&mut wire, answer)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Opens the trace for the first question. A trace that cannot be opened is refused like any other question.
fn open_once<'a>(
    answerer: &'a mut Option<Answerer>,
    path: &Path,
    device: &DeviceChoice,
) -> Result<&'a mut Answerer, String> {
    match answerer {
        Some(answerer) => Ok(answerer),
        None => {
            let trace = OpenTrace::open(path).map_err(|error| error.to_string())?;
            Ok(answerer.insert(Answerer::new(trace, open_egl(device))))
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
fn send(wire: &mut Wire, answer: Result<Reply, String>) -> io::Result<bool> {
    let (answer, bytes) = match answer {
        Ok(Reply { answer, bytes }) => (Ok(answer), bytes),
        Err(why) => (Err(why), Vec::new()),
    };
    match wire.send(&answer, &bytes) {
        Ok(()) => Ok(true),
        Err(WireError::Gone) => Ok(false),
        Err(WireError::Garbled(why)) => Err(io::Error::other(why)),
    }
}
