//! Where traces go. The first trace is created before any program runs, so that a user learns of a wrong path, a missing
//! permission or a full disk while it is easy to mend.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use trace::{Origin, WriteError, Writer};

use crate::lock;

/// How long a write may wait for the reader of a pipe once the recorder is asked to hurry.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two looks at whether the recorder is asked to hurry.
const LOOK_MS: u16 = 100;

/// The files of a recorder: one for each process that makes calls.
#[derive(Debug)]
pub struct Destination {
    output: PathBuf,
    replace: bool,
    hurry: Arc<AtomicBool>,
    files: Mutex<Files>,
}

#[derive(Debug)]
struct Files {
    /// The first file, until a process makes calls.
    first: Option<TraceFile>,
    /// The number of the next file.
    next: u32,
}

/// A trace cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened.
    #[error("cannot create the trace {}: {source}; choose another file", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file can be opened, and not written.
    #[error("{source} ({}); choose another file", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What failed.
        #[source]
        source: WriteError,
    },
    /// Another recorder has the file.
    #[error("another recorder is writing the trace {}; choose another file", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is a pipe, and the caller did not want to wait for its reader any longer.
    #[error("no program reads the pipe {}, to which the trace should go", path.display())]
    NoReader {
        /// The pipe.
        path: PathBuf,
    },
}

impl Destination {
    /// Creates the trace of the first process that makes calls. Later ones are numbered (`name.2.aftr` and so on) and
    /// created when they are needed. If `replace` is not set, names of existing files are left out; if it is, the
    /// contents of an existing file are lost when a process makes calls. If the file is a pipe without a reader, waits for
    /// one as long as `keep_waiting` returns true; that function is expected to take a moment.
    ///
    /// # Errors
    /// When the trace cannot be created or written.
    pub fn open(output: &Path, replace: bool, keep_waiting: &mut dyn FnMut() -> bool) -> Result<Self, OpenError> {
        let files = Mutex::new(Files { first: None, next: 1 });
        let destination = Self { output: output.to_owned(), replace, hurry: Arc::default(), files };
        let mut first = loop {
            match destination.create(&mut lock(&destination.files).next) {
                Err(OpenError::Create { path, source }) if source.raw_os_error() == Some(libc::ENXIO) => {
                    if !is_pipe(&path) {
                        return Err(OpenError::Create { path, source });
                    }
                    if !keep_waiting() {
                        return Err(OpenError::NoReader { path });
                    }
                }
                other => break other?,
            }
        };
        // Whether there is room on the disk shows when something is written. A file that is to be replaced keeps its
        // contents for now.
        let started = if first.is_old { Ok(()) } else { first.start() };
        lock(&destination.files).first = Some(first);
        started?;
        Ok(destination)
    }

    /// Returns the next trace: the first one, or a new one.
    pub(crate) fn next(&self) -> Result<(Writer<Sink>, PathBuf), OpenError> {
        let mut files = lock(&self.files);
        let mut file = match files.first.take() {
            Some(first) => first,
            None => self.create(&mut files.next)?,
        };
        file.start()?;
        let path = file.path.clone();
        match file.writer.take() {
            Some(writer) => Ok((writer, path)),
            None => unreachable!("the trace has just been started"),
        }
    }

    /// From now on, writes do not wait long for the reader of a pipe.
    pub(crate) fn hurry(&self) {
        self.hurry.store(true, Relaxed);
    }

    /// Opens the next file, skipping names that are taken.
    fn create(&self, next: &mut u32) -> Result<TraceFile, OpenError> {
        loop {
            let path = path_of(&self.output, *next);
            let kind = fs::metadata(&path).ok().map(|metadata| metadata.file_type());
            let is_file = kind.is_none_or(|kind| kind.is_file());
            let pipe = is_pipe(&path);
            let mut options = OpenOptions::new();
            // Recordings hold what a program shows and loads: other users of the machine cannot read them.
            options.write(true).mode(0o600).custom_flags(if pipe { libc::O_NONBLOCK } else { 0 });
            // A device or a pipe is opened as it is.
            let options = if !is_file {
                &mut options
            } else if self.replace {
                options.create(true)
            } else {
                options.create_new(true)
            };
            let is_old = is_file && kind.is_some();
            match options.open(&path) {
                Ok(file) => {
                    if is_file && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                        return Err(OpenError::Busy { path });
                    }
                    *next += 1;
                    let sink = Sink { file, pipe, hurry: Arc::clone(&self.hurry) };
                    return Ok(TraceFile { path, is_file, is_old, sink: Some(sink), writer: None });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && *next < u32::MAX => *next += 1,
                Err(source) => return Err(OpenError::Create { path, source }),
            }
        }
    }
}

impl Drop for Destination {
    /// Removes the first file if no process made calls.
    fn drop(&mut self) {
        if let Some(first) = lock(&self.files).first.take()
            && first.is_file
            && !first.is_old
        {
            // If it cannot be removed, an empty trace is left.
            let _ = fs::remove_file(&first.path);
        }
    }
}

/// A file that is to become a trace.
struct TraceFile {
    path: PathBuf,
    is_file: bool,
    /// Whether it existed before.
    is_old: bool,
    sink: Option<Sink>,
    writer: Option<Writer<Sink>>,
}

impl TraceFile {
    /// Writes the start of a trace, unless that has been done.
    fn start(&mut self) -> Result<(), OpenError> {
        let Some(sink) = self.sink.take() else { return Ok(()) };
        if self.is_old {
            sink.file.set_len(0).map_err(|source| OpenError::Create { path: self.path.clone(), source })?;
        }
        let writer = Writer::new(sink, api::COMMANDS, &Origin::here())
            .map_err(|source| OpenError::Write { path: self.path.clone(), source })?;
        self.writer = Some(writer);
        Ok(())
    }
}

impl std::fmt::Debug for TraceFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TraceFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What a trace is written to. Writing to a pipe can be given up, because its reader may never read again.
#[derive(Debug)]
pub struct Sink {
    file: File,
    /// Whether it is a pipe, opened so that writes return instead of waiting.
    pipe: bool,
    hurry: Arc<AtomicBool>,
}

impl Sink {
    /// Waits for room in the pipe.
    fn wait(&self, hurried: &mut Option<Instant>) -> io::Result<()> {
        if self.hurry.load(Relaxed) && hurried.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the reader of the pipe does not read"));
        }
        match poll(&mut [PollFd::new(self.file.as_fd(), PollFlags::POLLOUT)], PollTimeout::from(LOOK_MS)) {
            Ok(_) | Err(nix::Error::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut hurried = None;
        loop {
            match self.file.write(bytes) {
                Err(error) if self.pipe && error.kind() == io::ErrorKind::WouldBlock => self.wait(&mut hurried)?,
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Returns the name of the trace of the n-th process that makes calls, counted from 1.
pub fn path_of(output: &Path, number: u32) -> PathBuf {
    if number <= 1 {
        return output.to_owned();
    }
    let extension =
        output.extension().map_or_else(|| "aftr".into(), |extension| extension.to_string_lossy().into_owned());
    output.with_extension(format!("{number}.{extension}"))
}

fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}
