//! How a program finds its recorder: a Unix socket in the abstract name space, over which the memory of a new
//! [`Block`] is handed. Afterwards the program keeps no descriptor.

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

const HELLO: u64 = u64::from_le_bytes(*b"AFIHELO1");
const WELCOME: u64 = u64::from_le_bytes(*b"AFIWELC1");
const OTHER_BUILD: u64 = u64::from_le_bytes(*b"AFIBUILD");

/// Why a program is not recorded.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// Nobody listens.
    #[error("no recorder listens at {name:?} ({source}); start the program with `afterimage record`")]
    Connect {
        /// The socket's name.
        name: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Somebody listens, but does not answer.
    #[error("the recorder did not answer ({0})")]
    Silent(#[source] io::Error),
    /// Library and recorder do not belong together.
    #[error("the recorder is of another build than the capture library; use the two that were built together")]
    OtherBuild,
    /// The memory cannot be mapped.
    #[error("the memory shared with the recorder cannot be mapped ({0})")]
    Map(#[source] io::Error),
}

/// The program's side: connects to the recorder at `name`, the value of [`SOCKET`], and maps what it gives.
///
/// # Errors
/// When there is no recorder, or not the right one. Nothing is left open then.
pub fn attach(name: &str, fingerprint: u64) -> Result<&'static Block, AttachError> {
    let socket =
        socket::connect(name, TIMEOUT).map_err(|source| AttachError::Connect { name: name.to_owned(), source })?;
    let hello = [HELLO, fingerprint, u64::from(std::process::id())];
    socket::send(socket.as_fd(), &hello, None).map_err(AttachError::Silent)?;
    let mut answer = [0];
    let (_, memory) = socket::receive(socket.as_fd(), &mut answer).map_err(AttachError::Silent)?;
    match (answer[0], memory) {
        (WELCOME, Some(memory)) => {
            // SAFETY: whoever owns the socket is of the same user and knows the greeting; the size and the seals are
            // looked at before anything is mapped, and the fingerprint after.
            unsafe { Block::map(memory.as_fd(), fingerprint) }.map_err(AttachError::Map)
        }
        _ => Err(AttachError::OtherBuild),
    }
}

/// The recorder's side.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    name: String,
}

/// A program that wants to be recorded.
#[derive(Debug)]
pub struct Guest {
    socket: OwnedFd,
    /// Its process, as this process sees it.
    pub pid: u32,
    /// Its process, as it sees itself; differs when it lives in a name space of its own.
    pub own_pid: u32,
    /// Becomes readable when the process is gone.
    pub process: OwnedFd,
}

impl Listener {
    /// Listens at a name that nobody else has.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open() -> io::Result<Self> {
        let (socket, name) = socket::listen()?;
        Ok(Self { socket, name })
    }

    /// Goes on listening at a socket that was inherited, as this descriptor, from the process that opened it. To be
    /// called once, by a program that got the number on its command line.
    ///
    /// # Errors
    /// When the descriptor is no such socket.
    pub fn inherit(descriptor: i32) -> io::Result<Self> {
        Ok(Self { socket: socket::inherit(descriptor)?, name: String::new() })
    }

    /// What [`SOCKET`] must be for programs to find this listener; empty for one that was inherited.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The descriptor, to wait for guests.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Takes the next guest, waiting for one at most `timeout`. Strangers are turned away: what comes back is of the
    /// same user and the same build.
    ///
    /// # Errors
    /// When there is no guest, or a stranger came.
    pub fn accept(&self, fingerprint: u64, timeout: Duration) -> io::Result<Option<Guest>> {
        if !socket::readable(self.socket.as_fd(), timeout)? {
            return Ok(None);
        }
        let socket = socket::accept(self.socket.as_fd(), TIMEOUT)?;
        let peer = socket::peer(socket.as_fd())?;
        // SAFETY: this call has no conditions.
        let user = unsafe { libc::geteuid() };
        if peer.uid != user && user != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "a program of another user wants to be recorded",
            ));
        }
        let process = socket::peer_process(socket.as_fd(), peer.pid)?;
        let mut hello = [0; 3];
        let (words, _) = socket::receive(socket.as_fd(), &mut hello)?;
        if words != hello.len() || hello[0] != HELLO || hello[1] != fingerprint {
            // The answer is a courtesy; a guest that does not wait for it is not ours to mourn.
            let _ = socket::send(socket.as_fd(), &[OTHER_BUILD], None);
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a capture library of another build was turned away",
            ));
        }
        Ok(Some(Guest { socket, pid: peer.pid as u32, own_pid: hello[2] as u32, process }))
    }
}

impl Guest {
    /// Hands over a block.
    ///
    /// # Errors
    /// When the guest is gone.
    pub fn welcome(self, mapping: &Mapping) -> io::Result<OwnedFd> {
        socket::send(self.socket.as_fd(), &[WELCOME], Some(mapping.memory()))?;
        Ok(self.process)
    }
}

/// Whether the process behind a descriptor is gone.
pub fn gone(process: BorrowedFd<'_>) -> bool {
    socket::readable(process, Duration::ZERO).unwrap_or(true)
}

/// Whether a thread of a process still runs.
pub fn thread_runs(pid: u32, thread: u32) -> bool {
    // SAFETY: signal 0 is never delivered, it only asks.
    let result = unsafe { libc::syscall(libc::SYS_tgkill, pid as libc::pid_t, thread as libc::pid_t, 0) };
    result == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// What a memory must be to be mapped without fear: as large as a block and unable to shrink.
pub(crate) fn is_sealed_block(memory: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: plain system call on a descriptor that is open.
    let seals = unsafe { libc::fcntl(memory.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(seals & libc::F_SEAL_SHRINK != 0 && socket::size_of_file(memory)? == size_of::<Block>() as u64)
}
