//! One worker process, as its supervisor sees it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use device::{Answer, Ask, Control, DeviceError, Reply};
use driver::Page;
use serde::{Deserialize, Serialize};

use crate::page::Watched;
use crate::serve::WORKER_COMMAND;
use crate::start;
use crate::wire::{Wire, WireError};

/// How often a busy worker is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// How workers are started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerOptions {
    /// The program to start: this product, or any that calls [`crate::be_a_worker_if_asked`] first.
    pub program: PathBuf,
    /// The trace.
    pub trace: PathBuf,
    /// A device by its number or part of its name; the first that works without one.
    pub device: Option<String>,
    /// A worker that makes no progress for this long is stopped.
    pub timeout: Duration,
}

/// The first message to a worker: what to open.
#[derive(Serialize, Deserialize)]
pub struct Open {
    /// The bytes of the path of the trace, which need not be UTF-8.
    pub trace: Vec<u8>,
    /// As [`WorkerOptions::device`].
    pub device: Option<String>,
}

/// A worker process.
pub struct Worker {
    child: Child,
    wire: Wire,
    page: Arc<Page>,
    timeout: Duration,
    /// The command that the last question was about: the worker's timeline is near it.
    pub last_command: Option<u64>,
    /// A question was abandoned, and its answer is still to come.
    pub is_owing: bool,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start(options: &WorkerOptions) -> io::Result<Worker> {
        let page = Arc::new(Page::create()?);
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&options.program);
        command.arg(WORKER_COMMAND).arg(page.descriptor().to_string());
        // Drivers print to standard output; the socket is standard input, so that no print can damage a message.
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::from(io::stderr()));
        let (shared, private) = (Arc::clone(&page), Arc::clone(&page));
        let child = start::start(
            command,
            move || shared.set_inherited(true),
            move || {
                // The next process to be started does without the page all the same.
                let _ = private.set_inherited(false);
            },
        )?;
        ours.set_read_timeout(Some(INTERVAL))?;
        let (wire, timeout) = (Wire::new(ours), options.timeout);
        let mut worker = Worker { child, wire, page, timeout, last_command: None, is_owing: false };
        let open = Open { trace: options.trace.as_os_str().as_bytes().to_vec(), device: options.device.clone() };
        match worker.wire.send(&open, &[]) {
            // A worker that died at once says more when it is asked something.
            Ok(()) | Err(WireError::Gone) => Ok(worker),
            Err(WireError::Garbled(why)) => Err(io::Error::other(why)),
        }
    }

    /// Asks, and waits for the answer. After [`DeviceError::Interrupted`] the worker goes on with the question
    /// ([`Worker::is_owing`]); after any other error but [`DeviceError::Refused`] it is of no more use.
    ///
    /// # Errors
    /// When the worker refuses, dies or hangs, or `control` interrupts.
    pub fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        self.last_command = ask.command();
        if let Err(error) = self.wire.send(ask, &[]) {
            return Err(self.failure(error));
        }
        let mut pulse = Pulse::new(&self.page);
        loop {
            if let Some(reply) = self.receive()? {
                return reply;
            }
            control.report(Watched(&self.page).progress());
            if control.is_interrupted() {
                self.is_owing = true;
                return Err(DeviceError::Interrupted);
            }
            if pulse.is_still(&self.page, self.timeout) {
                return Err(self.stop_hung());
            }
        }
    }

    /// Waits up to `patience` for the answer to a question that was abandoned. Returns whether the worker is free.
    pub fn settle(&mut self, patience: Duration) -> bool {
        let begin = Instant::now();
        while self.is_owing {
            match self.receive() {
                Ok(Some(_)) => self.is_owing = false,
                Ok(None) if begin.elapsed() < patience => {}
                _ => return false,
            }
        }
        true
    }

    /// The next answer, or the refusal of one, if it has come.
    fn receive(&mut self) -> Result<Option<Result<Reply, DeviceError>>, DeviceError> {
        match self.wire.receive::<Result<Answer, String>>() {
            Ok(Some((answer, bytes))) => {
                Ok(Some(answer.map(|answer| Reply { answer, bytes }).map_err(DeviceError::Refused)))
            }
            Ok(None) => Ok(None),
            Err(error) => Err(self.failure(error)),
        }
    }

    fn stop_hung(&mut self) -> DeviceError {
        let command = Watched(&self.page).command();
        // It may have died just now; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
        DeviceError::Hung { command, seconds: self.timeout.as_secs() }
    }

    /// Returns why a worker stopped answering.
    fn failure(&mut self, error: WireError) -> DeviceError {
        match error {
            WireError::Garbled(why) => DeviceError::Garbled(why),
            WireError::Gone => match wait(&mut self.child, self.timeout) {
                Ok(status) => {
                    DeviceError::Crashed { command: Watched(&self.page).command(), how: how_it_ended(status) }
                }
                Err(error) => DeviceError::Start(error.to_string()),
            },
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // There is nothing to wait for; a worker that has exited cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Watches whether a worker makes progress.
struct Pulse {
    last: (u64, u64),
    since: Instant,
}

impl Pulse {
    fn new(page: &Page) -> Pulse {
        Pulse { last: Watched(page).pulse(), since: Instant::now() }
    }

    /// Returns whether there was no progress for as long as `timeout`.
    fn is_still(&mut self, page: &Page, timeout: Duration) -> bool {
        let now = Watched(page).pulse();
        if now != self.last {
            (self.last, self.since) = (now, Instant::now());
        }
        self.since.elapsed() >= timeout
    }
}

/// Waits for a worker that has closed its socket, and stops it if it does not end.
fn wait(child: &mut Child, timeout: Duration) -> io::Result<ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begin.elapsed() >= timeout {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Describes how a process ended.
fn how_it_ended(status: ExitStatus) -> String {
    match status.signal() {
        None => status.to_string(),
        Some(4) => "SIGILL (illegal instruction)".to_owned(),
        Some(6) => "SIGABRT (it aborted itself)".to_owned(),
        Some(7) => "SIGBUS (bad address)".to_owned(),
        Some(8) => "SIGFPE (arithmetic error)".to_owned(),
        Some(9) => "SIGKILL (killed from outside, perhaps for lack of memory)".to_owned(),
        Some(11) => "SIGSEGV (bad address)".to_owned(),
        Some(other) => format!("signal {other}"),
    }
}
