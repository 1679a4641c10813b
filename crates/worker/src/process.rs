//! One worker process, as its supervisor sees it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use device::{Ask, Control, DeviceError, Reply};
use driver::Page;

use crate::cache;
use crate::files::Files;
use crate::message::{Confinement, Message, Open};
use crate::page::Watched;
use crate::prints::Prints;
use crate::serve::WORKER_COMMAND;
use crate::start;
use crate::wire::{Wire, WireError};

/// How often a busy worker is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// The least memory that a confined worker may take, in bytes, unless the user says otherwise.
const LEAST_MEMORY: u64 = 4 << 30;

/// Makes workers report the system calls that their sandbox denies.
const LOG_VARIABLE: &str = "AFTERIMAGE_SANDBOX_LOG";

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
    /// Whether workers are confined before they read the trace. If not, a trace that takes over the driver can do all that
    /// this user can.
    pub sandbox: bool,
    /// The memory that a worker may take, in bytes. Without it, half of the machine's memory and at least 4 GiB for
    /// confined workers, and no bound for others.
    pub memory: Option<u64>,
}

impl WorkerOptions {
    /// Returns the bound for a worker's memory, which is not above the user's own.
    fn memory(&self) -> Option<u64> {
        let wanted = self.memory.or_else(|| self.sandbox.then(|| (driver::machine_memory() / 2).max(LEAST_MEMORY)));
        wanted.into_iter().chain(driver::memory_limit()).min()
    }
}

/// A worker process.
pub struct Worker {
    program: PathBuf,
    child: Child,
    wire: Wire,
    page: Page,
    prints: Prints,
    timeout: Duration,
    memory: Option<u64>,
    /// The command that the last question was about: the worker's timeline is near it.
    pub last_command: Option<u64>,
    /// A question was abandoned, and its answer is still to come.
    pub is_owing: bool,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// When the trace cannot be opened, or the system cannot start the program.
    pub fn start(options: &WorkerOptions) -> Result<Worker, DeviceError> {
        let trace = File::open(&options.trace)
            .map_err(|error| DeviceError::Refused(format!("cannot open {}: {error}", options.trace.display())))?;
        Worker::start_on(options, &trace).map_err(|error| DeviceError::Start(error.to_string()))
    }

    fn start_on(options: &WorkerOptions, trace: &File) -> io::Result<Worker> {
        let page = Page::create()?;
        let (ours, theirs) = UnixStream::pair()?;
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(&options.program);
        command.arg(WORKER_COMMAND);
        // Drivers print to standard output; the socket is standard input, so that no print can damage a message.
        command.stdin(OwnedFd::from(theirs)).stdout(writer.try_clone()?).stderr(writer);
        let confinement = options.sandbox.then(|| {
            let folder = cache::folder();
            cache::tell(&mut command, folder);
            let log = std::env::var_os(LOG_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0");
            Confinement { cache: folder.map(|folder| folder.as_os_str().as_bytes().to_vec()), log }
        });
        let child = start::start(command)?;
        let (prints, memory) = (Prints::new(reader), options.memory());
        ours.set_read_timeout(Some(INTERVAL))?;
        let open = Open { device: options.device.clone(), confinement, memory };
        // A worker that died at once says more when it is asked something.
        let _ = driver::send_descriptors(&ours, &[page.as_fd(), trace.as_fd()]);
        let (wire, timeout, program) = (Wire::new(ours), options.timeout, options.program.clone());
        let mut worker =
            Worker { program, child, wire, page, prints, timeout, memory, last_command: None, is_owing: false };
        match worker.wire.send(&open, &[]) {
            // As above.
            Ok(()) | Err(WireError::Gone) => Ok(worker),
            Err(WireError::Garbled(why)) => Err(io::Error::other(why)),
        }
    }

    /// Asks, writes the files that the worker sends, and waits for the answer. After [`DeviceError::Interrupted`] the
    /// worker goes on with the question ([`Worker::is_owing`]); after any other error but [`DeviceError::Refused`] it is
    /// of no more use.
    ///
    /// # Errors
    /// When the worker refuses, dies or hangs, a file cannot be written, or `control` interrupts.
    pub fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        self.last_command = ask.command();
        if let Err(error) = self.wire.send(ask, &[]) {
            return Err(self.failure(error));
        }
        let mut files = Files::of(ask);
        let mut pulse = Pulse::new(&self.page);
        loop {
            match self.receive()? {
                Some((Message::Answer(answer), bytes)) => {
                    return answer.map(|answer| Reply { answer, bytes }).map_err(DeviceError::Refused);
                }
                Some((Message::File(file), bytes)) => {
                    if let Err(why) = files.take(&file, &bytes) {
                        self.is_owing = true;
                        return Err(DeviceError::Refused(why));
                    }
                    continue;
                }
                None => control.report(Watched(&self.page).progress()),
            }
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
                Ok(Some((Message::Answer(_), _))) => self.is_owing = false,
                // The files of that question are no longer wanted.
                Ok(Some((Message::File(_), _)) | None) if begin.elapsed() < patience => {}
                _ => return false,
            }
        }
        true
    }

    /// The next message, if it has come.
    fn receive(&mut self) -> Result<Option<(Message, Vec<u8>)>, DeviceError> {
        self.wire.receive::<Message>().map_err(|error| self.failure(error))
    }

    fn stop_hung(&mut self) -> DeviceError {
        let command = Watched(&self.page).command();
        // It may have died just now; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !Watched(&self.page).has_begun() {
            return self.not_a_worker("it was silent until it was stopped");
        }
        DeviceError::Hung { command, seconds: self.timeout.as_secs() }
    }

    /// Returns why a worker stopped answering.
    fn failure(&mut self, error: WireError) -> DeviceError {
        match error {
            WireError::Garbled(why) => DeviceError::Garbled(why),
            WireError::Gone => match wait(&mut self.child, self.timeout) {
                Ok(status) => self.ended(status),
                Err(error) => DeviceError::Start(error.to_string()),
            },
        }
    }

    fn not_a_worker(&self, how: &str) -> DeviceError {
        let program = self.program.display();
        let needed = "its `main` has to call `be_a_worker_if_asked` first";
        DeviceError::Start(format!("{program} did not become one ({how}); {needed}"))
    }

    /// Describes the end of the process.
    fn ended(&self, status: ExitStatus) -> DeviceError {
        if !Watched(&self.page).has_begun() {
            return self.not_a_worker(&how_it_ended(status));
        }
        let command = Watched(&self.page).command();
        let is_aborted = status.signal() == Some(6);
        let is_out_of_memory = Watched(&self.page).is_out_of_memory() || is_aborted && self.prints.is_out_of_memory();
        match self.memory {
            Some(bound) if is_out_of_memory => DeviceError::OutOfMemory { command, megabytes: bound >> 20 },
            _ => DeviceError::Crashed { command, how: how_it_ended(status) },
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
