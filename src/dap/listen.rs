//! Waiting for editors on a TCP port or a Unix socket.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ::dap::{Guard, Options};
use anyhow::{Context, bail};
use nix::sys::stat::{Mode, umask};

use crate::cli::{Outcome, complain};

/// Editors that are served at the same time. Each costs two threads and up to the memory of a session.
const MOST_EDITORS: usize = 32;

/// How long a client of a TCP port may take to show the token.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait after a connection that could not be accepted: for lack of descriptors, which others will close.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves editors on a TCP port of this machine that know the token.
pub fn on_port(port: u16, programs: bool, options: &Options) -> anyhow::Result<Outcome> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("port {port} cannot be used"))?;
    let token = random_token()?;
    complain(&format!(
        "waiting for editors on port {}\nlaunch configurations need \"token\": \"{token}\"",
        listener.local_addr()?.port()
    ));
    serve_all(
        || listener.accept().map(|(stream, _)| stream),
        |stream| {
            let guard = Guard::new(&token, programs);
            // Often enough to notice the deadline.
            stream.set_read_timeout(Some(PATIENCE / 10))?;
            let input =
                Impatient { stream: stream.try_clone()?, guard: guard.clone(), deadline: Instant::now() + PATIENCE };
            Ok((input, Options { guard: Some(guard), ..options.clone() }))
        },
    )
}

/// Serves editors on a Unix socket that only this user can connect to.
pub fn on_socket(path: &Path, options: &Options) -> anyhow::Result<Outcome> {
    remove_unused(path)?;
    // The socket has its permissions from the beginning.
    let before = umask(Mode::from_bits_truncate(0o177));
    let listener = UnixListener::bind(path);
    umask(before);
    let listener = listener.with_context(|| format!("{} cannot be used as a socket", path.display()))?;
    complain(&format!("waiting for editors on {}", path.display()));
    serve_all(
        || listener.accept().map(|(stream, _)| stream),
        |stream: &UnixStream| Ok((stream.try_clone()?, options.clone())),
    )
}

/// Removes a socket on which no process listens any more.
fn remove_unused(path: &Path) -> anyhow::Result<()> {
    let Ok(found) = path.symlink_metadata() else { return Ok(()) };
    if !found.file_type().is_socket() {
        bail!("{} exists and is not a socket; choose another path", path.display());
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => bail!("another process listens on {}; choose another path", path.display()),
    }
}

/// A connection.
trait Stream: Read + Write + Send + Sized + 'static {
    /// Returns another handle of it.
    fn again(&self) -> std::io::Result<Self>;

    /// Ends it for all handles.
    fn end(&self);
}

impl Stream for TcpStream {
    fn again(&self) -> std::io::Result<TcpStream> {
        self.try_clone()
    }

    fn end(&self) {
        // It may have ended already.
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Stream for UnixStream {
    fn again(&self) -> std::io::Result<UnixStream> {
        self.try_clone()
    }

    fn end(&self) {
        // As above.
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// Accepts connections for ever and serves each in a thread. A connection that fails ends no other.
fn serve_all<S: Stream, I: Read + Send + 'static>(
    accept: impl Fn() -> std::io::Result<S>,
    prepare: impl Fn(&S) -> std::io::Result<(I, Options)>,
) -> anyhow::Result<Outcome> {
    let served = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match accept() {
            Ok(stream) => stream,
            Err(error) => {
                complain(&format!("a connection could not be accepted: {error}"));
                std::thread::sleep(PAUSE);
                continue;
            }
        };
        if served.load(Ordering::Relaxed) >= MOST_EDITORS {
            complain(&format!("a connection was closed: {MOST_EDITORS} editors are connected already"));
            stream.end();
            continue;
        }
        if let Err(error) = start(stream, &prepare, &served) {
            complain(&format!("a connection could not be served: {error}"));
        }
    }
}

/// Serves a connection in a thread of its own.
fn start<S: Stream, I: Read + Send + 'static>(
    stream: S,
    prepare: impl Fn(&S) -> std::io::Result<(I, Options)>,
    served: &Arc<AtomicUsize>,
) -> std::io::Result<()> {
    let (input, options) = prepare(&stream)?;
    let output = stream.again()?;
    served.fetch_add(1, Ordering::Relaxed);
    let count = Arc::clone(served);
    let thread = std::thread::Builder::new().spawn(move || {
        if let Err(error) = ::dap::serve(input, output, &options) {
            complain(&error.to_string());
        }
        // The thread that reads requests ends with the connection.
        stream.end();
        count.fetch_sub(1, Ordering::Relaxed);
    });
    if thread.is_err() {
        served.fetch_sub(1, Ordering::Relaxed);
    }
    thread.map(drop)
}

/// A stream that ends if its client does not show the token in time.
struct Impatient {
    stream: TcpStream,
    guard: Guard,
    deadline: Instant,
}

impl Read for Impatient {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let read = self.stream.read(bytes);
            // A client that sends a byte now and then is late too.
            if !self.guard.is_open() && Instant::now() >= self.deadline {
                let text = format!("the client did not show the token within {} seconds", PATIENCE.as_secs());
                return Err(std::io::Error::new(ErrorKind::TimedOut, text));
            }
            if !read.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
                return read;
            }
        }
    }
}

/// Returns 128 random bits as text.
fn random_token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).context("no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
