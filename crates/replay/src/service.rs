//! A worker that stays: it opens a trace once and answers questions about it until nobody asks any more.
//!
//! Whoever steps through a frame asks many small questions about the same trace; starting a process, a driver and the
//! trace for each would cost more than all the answers. The worker may die of any of them like those of
//! [`supervise`](crate::supervise); then the question that killed it gets that for an answer, and the next one a new
//! worker.

mod message;
mod serve;
mod wire;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use driver::{DeviceChoice, Page};

use crate::supervise::{self, Progress};
use crate::worker::word;

pub use message::{Answer, Ask, Object, Part, Shape, VariantText};
pub use serve::serve;
use wire::{Wire, WireError};

/// How often a worker that takes its time is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// No worker can be started, or not be talked to.
    #[error("cannot start a worker for the driver: {0}")]
    Start(#[source] io::Error),
    /// The worker said why.
    #[error("{0}")]
    Unserved(String),
    /// The worker died.
    #[error("the driver crashed{}: {how}", at(*.command))]
    Crashed {
        /// The call it was executing; none when it had not begun.
        command: Option<u64>,
        /// How it died, in words.
        how: String,
    },
    /// The worker did not get any further and was ended.
    #[error("the driver did nothing for {seconds} seconds{} and was ended", at(*.command))]
    Hung {
        /// The call it was executing; none when it had not begun.
        command: Option<u64>,
        /// How long nothing had happened.
        seconds: u64,
    },
    /// Whoever waits for it does not want it any more.
    #[error("it was interrupted before there was an answer")]
    Interrupted,
    /// It said something that makes no sense.
    #[error("the worker's answer cannot be read: {0}")]
    Garbled(String),
}

fn at(command: Option<u64>) -> String {
    command.map(|number| format!(" at command {number}")).unwrap_or_default()
}

/// A trace on a device, in a worker that is started when there is something to ask.
///
/// The worker ends with the thread that asked first, so a service belongs on a thread that lives as long as it does.
pub struct Service {
    program: PathBuf,
    trace: PathBuf,
    device: DeviceChoice,
    timeout: Duration,
    worker: Option<Worker>,
    started: u32,
    watch: Option<Watch>,
}

/// Is told now and then how far a worker is that takes its time; where it says no, the worker is ended.
pub type Watch = Box<dyn FnMut(Progress) -> bool + Send>;

struct Worker {
    child: Child,
    wire: Wire,
    page: Page,
}

impl Service {
    /// For a trace on a device. `program` is this product's own executable; a worker that does nothing for as long as
    /// `timeout` is ended.
    #[must_use]
    pub fn new(program: &Path, trace: &Path, device: DeviceChoice, timeout: Duration) -> Service {
        let (program, trace) = (program.to_owned(), trace.to_owned());
        Service { program, trace, device, timeout, worker: None, started: 0, watch: None }
    }

    /// How many workers it took so far.
    #[must_use]
    pub fn workers(&self) -> u32 {
        self.started
    }

    /// Has somebody watch all questions from now on, and end those that take too long for them.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Whether whoever watches wants no answers any more.
    ///
    /// # Errors
    /// Then.
    pub fn heed(&mut self) -> Result<(), ServiceError> {
        let progress = self.worker.as_ref().map_or_else(Progress::default, Worker::progress);
        match self.watch.as_mut().is_some_and(|watch| !watch(progress)) {
            true => Err(ServiceError::Interrupted),
            false => Ok(()),
        }
    }

    /// Asks, with bytes that go with the question, and waits for the answer and the bytes that come with it.
    ///
    /// # Errors
    /// When the worker cannot be started, dies, hangs, or says that it cannot do it.
    pub fn ask(&mut self, ask: &Ask, bytes: &[u8]) -> Result<(Answer, Vec<u8>), ServiceError> {
        self.heed()?;
        if self.worker.is_none() {
            self.worker = Some(self.start().map_err(ServiceError::Start)?);
            self.started += 1;
        }
        let Some(worker) = &mut self.worker else {
            return Err(ServiceError::Start(io::ErrorKind::NotFound.into()));
        };
        let answer = worker.ask(ask, bytes, self.timeout, &mut self.watch);
        if !matches!(answer, Ok(_) | Err(ServiceError::Unserved(_))) {
            self.worker = None;
        }
        answer
    }

    fn start(&self) -> io::Result<Worker> {
        let page = Page::create()?;
        let descriptor = page.share()?;
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.arg(supervise::WORKER).arg("--page").arg(descriptor.to_string()).arg("--serve");
        command.args(supervise::place(&self.trace, &self.device));
        // What a driver prints is nobody's answer: the wire is not standard output, which goes where errors go.
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::from(io::stderr()));
        let child = command.spawn()?;
        ours.set_read_timeout(Some(INTERVAL))?;
        Ok(Worker { child, wire: Wire::new(ours), page })
    }
}

impl Worker {
    fn ask(
        &mut self,
        ask: &Ask,
        bytes: &[u8],
        timeout: Duration,
        watch: &mut Option<Watch>,
    ) -> Result<(Answer, Vec<u8>), ServiceError> {
        if let Err(error) = self.wire.send(ask, bytes) {
            return Err(self.failed(error, timeout));
        }
        let beats = |page: &Page| (page.load(word::COMMAND), page.load(word::BEAT));
        let (mut last, mut since) = (beats(&self.page), Instant::now());
        loop {
            let received = match self.wire.receive::<Result<Answer, String>>() {
                Ok(received) => received,
                Err(error) => return Err(self.failed(error, timeout)),
            };
            if let Some((answer, bytes)) = received {
                return answer.map(|answer| (answer, bytes)).map_err(ServiceError::Unserved);
            }
            // Dropping a worker ends it.
            if watch.as_mut().is_some_and(|watch| !watch(self.progress())) {
                return Err(ServiceError::Interrupted);
            }
            let now = beats(&self.page);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() >= timeout {
                // It may have died just now; then there is nothing to kill.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return Err(ServiceError::Hung { command: now.0.checked_sub(1), seconds: timeout.as_secs() });
            }
        }
    }

    fn progress(&self) -> Progress {
        let [command, total, frames] = [word::COMMAND, word::TOTAL, word::FRAMES].map(|at| self.page.load(at));
        Progress { command, total, frames }
    }

    /// What became of a worker that cannot be talked to any more.
    fn failed(&mut self, error: WireError, timeout: Duration) -> ServiceError {
        match error {
            WireError::Garbled(what) => ServiceError::Garbled(what),
            WireError::Gone => match supervise::wait(&mut self.child, timeout) {
                Ok(status) => ServiceError::Crashed {
                    command: self.page.load(word::COMMAND).checked_sub(1),
                    how: supervise::how_it_ended(status),
                },
                Err(error) => ServiceError::Start(error),
            },
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It holds nothing that is worth waiting for; if it has ended, there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
