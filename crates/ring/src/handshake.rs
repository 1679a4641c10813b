//! How a program finds its recorder: a Unix socket in the abstract namespace, over which the recorder sends the memory
//! of a new [`Block`]. Afterwards the program keeps no descriptor.

mod launch;
mod socket;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use crate::block::{Block, Mapping};

pub use launch::{Launch, launch};

/// The environment variable that names the recorder's socket.
pub const SOCKET: &CStr = c"AFTERIMAGE_SOCKET";

/// How long each side waits for the other's next message.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long the recorder waits for the first message of a process. Programs that wait for a recorder which makes no progress
/// give up after five seconds, and it makes none meanwhile.
const HELLO_TIMEOUT: Duration = Duration::from_secs(3);

const HELLO: u64 = u64::from_le_bytes(*b"AFIHELO1");
const FORKED: u64 = u64::from_le_bytes(*b"AFIFORK1");
const WELCOME: u64 = u64::from_le_bytes(*b"AFIWELC1");
const OTHER_BUILD: u64 = u64::from_le_bytes(*b"AFIBUILD");

/// Why a program could not be attached to a recorder.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// No recorder listens at the socket.
    #[error("no recorder listens at {name:?} ({source}); start the program with `afterimage record`")]
    Connect {
        /// The socket's name.
        name: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A recorder listens, but does not answer.
    #[error("the recorder did not answer ({0})")]
    Silent(#[source] io::Error),
    /// Library and recorder come from different builds.
    #[error("the recorder and the capture library are from different builds; use the two that were built together")]
    OtherBuild,
    /// The memory cannot be mapped.
    #[error("the memory shared with the recorder cannot be mapped ({0})")]
    Map(#[source] io::Error),
}

/// Connects the program to the recorder at `name`, the value of [`SOCKET`], and maps the block that it
/// sends.
///
/// # Errors
/// When there is no recorder, or it is from a different build. No descriptor is left open.
pub fn attach(name: &str, fingerprint: u64) -> Result<&'static Block, AttachError> {
    let socket =
        socket::connect(name, TIMEOUT).map_err(|source| AttachError::Connect { name: name.to_owned(), source })?;
    let hello = [HELLO, fingerprint, u64::from(std::process::id())];
    socket::send(socket.as_fd(), &hello, None).map_err(AttachError::Silent)?;
    let mut answer = [0];
    let (_, memory) = socket::receive(socket.as_fd(), &mut answer).map_err(AttachError::Silent)?;
    match (answer[0], memory) {
        (WELCOME, Some(memory)) => {
            // SAFETY: the socket's owner runs as the same user and knows the greeting; size and seals are checked
            // before anything is mapped, and the fingerprint afterwards.
            unsafe { Block::map(memory.as_fd(), fingerprint) }.map_err(AttachError::Map)
        }
        _ => Err(AttachError::OtherBuild),
    }
}

/// Tells the recorder at `name` that the calling process makes calls and is not recorded, because it was forked by one that
/// had made calls before. No answer is waited for.
///
/// # Errors
/// When there is no recorder.
pub fn report_unrecorded(name: &str, fingerprint: u64) -> io::Result<()> {
    let socket = socket::connect(name, TIMEOUT)?;
    socket::send(socket.as_fd(), &[FORKED, fingerprint, u64::from(std::process::id())], None)
}

/// The recorder's side.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    name: String,
}

/// A process that connects to the recorder.
#[derive(Debug)]
pub enum Visitor {
    /// It asks to be recorded.
    Client(Client),
    /// It reports that it is not recorded: it was forked by a process that had made calls before.
    Unrecorded {
        /// Its process id, as seen by this process.
        pid: u32,
    },
}

/// A program that asks to be recorded.
#[derive(Debug)]
pub struct Client {
    socket: OwnedFd,
    /// Its process id, as seen by this process.
    pub pid: u32,
    /// Its process id, as seen by itself; differs when it runs in a PID namespace of its own.
    pub own_pid: u32,
    /// Becomes readable when the process ends.
    pub process: OwnedFd,
}

impl Listener {
    /// Listens at a unique name.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open() -> io::Result<Self> {
        let (socket, name) = socket::listen()?;
        Ok(Self { socket, name })
    }

    /// Continues to listen at a socket that was inherited, as this descriptor, from the process that opened it. Must be
    /// called once, by a program that got the number on its command line.
    ///
    /// # Errors
    /// When the descriptor is not a listening socket.
    pub fn inherit(descriptor: i32) -> io::Result<Self> {
        Ok(Self { socket: socket::inherit(descriptor)?, name: String::new() })
    }

    /// Returns the value of [`SOCKET`] with which programs find this listener; empty for an inherited one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the descriptor, to poll for clients.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Accepts the next process, waiting at most `timeout`. Processes of other users or other builds are rejected.
    ///
    /// # Errors
    /// When a process was rejected, or the connection failed.
    pub fn accept(&self, fingerprint: u64, timeout: Duration) -> io::Result<Option<Visitor>> {
        if !socket::readable(self.socket.as_fd(), timeout)? {
            return Ok(None);
        }
        let socket = socket::accept(self.socket.as_fd(), HELLO_TIMEOUT)?;
        let peer = socket::peer(socket.as_fd())?;
        // SAFETY: this call has no conditions.
        let user = unsafe { libc::geteuid() };
        if peer.uid != user && user != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "a program of another user asked to be recorded",
            ));
        }
        let mut hello = [0; 3];
        let (words, _) = socket::receive(socket.as_fd(), &mut hello)?;
        let pid = peer.pid as u32;
        if words == hello.len() && hello[..2] == [FORKED, fingerprint] {
            return Ok(Some(Visitor::Unrecorded { pid }));
        }
        if words != hello.len() || hello[0] != HELLO || hello[1] != fingerprint {
            // The client exits or goes on in any case; if it has already gone, the reply is lost.
            let _ = socket::send(socket.as_fd(), &[OTHER_BUILD], None);
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a capture library from a different build was rejected",
            ));
        }
        let process = socket::peer_process(socket.as_fd(), peer.pid)?;
        Ok(Some(Visitor::Client(Client { socket, pid, own_pid: hello[2] as u32, process })))
    }
}

impl Client {
    /// Sends a block to the client.
    ///
    /// # Errors
    /// When the client has gone.
    pub fn welcome(self, mapping: &Mapping) -> io::Result<OwnedFd> {
        socket::send(self.socket.as_fd(), &[WELCOME], Some(mapping.memory()))?;
        Ok(self.process)
    }
}

/// Returns whether the process behind a descriptor has ended.
pub fn gone(process: BorrowedFd<'_>) -> bool {
    socket::readable(process, Duration::ZERO).unwrap_or(true)
}

/// Returns whether a thread of a process is still running.
pub fn thread_runs(pid: u32, thread: u32) -> bool {
    // SAFETY: signal 0 is never delivered; the call only checks that the thread exists.
    let result = unsafe { libc::syscall(libc::SYS_tgkill, pid as libc::pid_t, thread as libc::pid_t, 0) };
    result == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// Returns whether memory is safe to map as a block: of a block's size and sealed against shrinking.
pub(crate) fn is_sealed_block(memory: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: plain system call on an open descriptor.
    let seals = unsafe { libc::fcntl(memory.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(seals & libc::F_SEAL_SHRINK != 0 && socket::size_of_file(memory)? == size_of::<Block>() as u64)
}
