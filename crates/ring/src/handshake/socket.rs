//! The socket system calls that the handshake needs and the standard library lacks.

use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

/// Opens a socket that listens at a random, unique name.
pub fn listen() -> io::Result<(OwnedFd, String)> {
    let mut random = [0_u8; 8];
    // SAFETY: the kernel writes at most the length of the buffer.
    check(unsafe { libc::getrandom(random.as_mut_ptr().cast(), random.len(), 0) } as i32)?;
    let name = format!("afterimage-{}-{:016x}", std::process::id(), u64::from_le_bytes(random));
    let socket = open()?;
    let (address, size) = abstract_address(&name)?;
    // SAFETY: the address has the size given and outlives the call.
    check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size) })?;
    // SAFETY: plain system call on an open descriptor.
    check(unsafe { libc::listen(socket.as_raw_fd(), 128) })?;
    Ok((socket, name))
}

/// Takes ownership of a listening socket.
pub fn inherit(descriptor: i32) -> io::Result<OwnedFd> {
    let mut listens: i32 = 0;
    let mut size = mem::size_of::<i32>() as libc::socklen_t;
    let value = (&raw mut listens).cast();
    // SAFETY: the kernel writes at most `size` bytes; a closed descriptor is an ordinary error.
    check(unsafe { libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_ACCEPTCONN, value, &raw mut size) })?;
    if listens == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the inherited descriptor is not a listening socket"));
    }
    // SAFETY: plain system call on an open descriptor.
    check(unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    own(descriptor)
}

/// Connects to a listener.
pub fn connect(name: &str, timeout: Duration) -> io::Result<OwnedFd> {
    let socket = open()?;
    set_timeouts(&socket, timeout)?;
    let (address, size) = abstract_address(name)?;
    // SAFETY: the address has the size given and outlives the call.
    check(unsafe { libc::connect(socket.as_raw_fd(), (&raw const address).cast(), size) })?;
    Ok(socket)
}

/// Accepts the next connection.
pub fn accept(listener: BorrowedFd<'_>, timeout: Duration) -> io::Result<OwnedFd> {
    // SAFETY: the peer's address is not requested.
    let socket = unsafe { libc::accept4(listener.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), libc::SOCK_CLOEXEC) };
    let socket = own(socket)?;
    set_timeouts(&socket, timeout)?;
    Ok(socket)
}

/// Returns the credentials of the peer.
pub fn peer(socket: BorrowedFd<'_>) -> io::Result<libc::ucred> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = mem::size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes.
    check(unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut peer).cast(), &raw mut size)
    })?;
    Ok(peer)
}

/// Returns a pidfd of the peer's process.
pub fn peer_process(socket: BorrowedFd<'_>, pid: libc::pid_t) -> io::Result<OwnedFd> {
    // Linux 6.5; not every target of `libc` defines it.
    const SO_PEERPIDFD: i32 = 77;
    let mut process: i32 = -1;
    let mut size = mem::size_of::<i32>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `size` bytes.
    let result = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, SO_PEERPIDFD, (&raw mut process).cast(), &raw mut size)
    };
    if result == 0 {
        return own(process);
    }
    // SAFETY: plain system call.
    own(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) } as i32)
}

/// Sends words and optionally a descriptor.
pub fn send(socket: BorrowedFd<'_>, words: &[u64], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut part = libc::iovec { iov_base: words.as_ptr().cast_mut().cast(), iov_len: mem::size_of_val(words) };
    let mut control = Control::default();
    let mut message = empty_message(&mut part);
    if let Some(descriptor) = descriptor {
        control.header.cmsg_len = mem::size_of::<libc::cmsghdr>() + mem::size_of::<i32>();
        control.header.cmsg_level = libc::SOL_SOCKET;
        control.header.cmsg_type = libc::SCM_RIGHTS;
        control.descriptor = descriptor.as_raw_fd();
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = mem::size_of::<Control>();
    }
    // SAFETY: the message points to memory that outlives the call, and the kernel only reads it.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Receives words and optionally a descriptor; returns the number of words received.
pub fn receive(socket: BorrowedFd<'_>, words: &mut [u64]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: mem::size_of_val(words) };
    let mut control = Control::default();
    let mut message = empty_message(&mut part);
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = mem::size_of::<Control>();
    // SAFETY: the message points to memory of the sizes given that outlives the call.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    if received < 0 {
        return Err(io::Error::last_os_error());
    }
    if received == 0 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    let is_descriptor = message.msg_controllen >= mem::size_of::<libc::cmsghdr>() + mem::size_of::<i32>()
        && control.header.cmsg_level == libc::SOL_SOCKET
        && control.header.cmsg_type == libc::SCM_RIGHTS;
    let descriptor = if is_descriptor { Some(own(control.descriptor)?) } else { None };
    Ok((received as usize / mem::size_of::<u64>(), descriptor))
}

/// Waits at most `timeout` until the descriptor is readable or its peer has gone; returns whether it is.
pub fn readable(descriptor: BorrowedFd<'_>, timeout: Duration) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let timeout = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: there is one entry, which outlives the call.
    let count = unsafe { libc::poll(&raw mut poll, 1, timeout) };
    if count < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(false) } else { Err(error) };
    }
    Ok(count > 0)
}

/// Returns the size of a file.
pub fn size_of_file(file: BorrowedFd<'_>) -> io::Result<u64> {
    Ok(File::from(file.try_clone_to_owned()?).metadata()?.len())
}

/// Ancillary data with room for one descriptor.
#[repr(C)]
struct Control {
    header: libc::cmsghdr,
    descriptor: i32,
    /// Padding to the kernel's alignment.
    filler: i32,
}

impl Default for Control {
    fn default() -> Self {
        Self { header: libc::cmsghdr { cmsg_len: 0, cmsg_level: 0, cmsg_type: 0 }, descriptor: -1, filler: 0 }
    }
}

fn empty_message(part: &mut libc::iovec) -> libc::msghdr {
    // SAFETY: all zero bytes are a valid message without parts.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message
}

fn open() -> io::Result<OwnedFd> {
    // SAFETY: plain system call.
    own(unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) })
}

fn set_timeouts(socket: &OwnedFd, timeout: Duration) -> io::Result<()> {
    let timeout = libc::timeval { tv_sec: timeout.as_secs() as libc::time_t, tv_usec: 0 };
    for option in [libc::SO_RCVTIMEO, libc::SO_SNDTIMEO] {
        let size = mem::size_of::<libc::timeval>() as libc::socklen_t;
        // SAFETY: the option's value has the size given and outlives the call.
        check(unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, (&raw const timeout).cast(), size)
        })?;
    }
    Ok(())
}

/// Returns the address of a name in the abstract namespace, which starts with a NUL byte and needs no file.
fn abstract_address(name: &str) -> io::Result<(libc::sockaddr_un, libc::socklen_t)> {
    let mut address = libc::sockaddr_un { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; 108] };
    let Some(path) = address.sun_path.get_mut(1..=name.len()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the socket's name is too long"));
    };
    for (target, byte) in path.iter_mut().zip(name.bytes()) {
        *target = byte as libc::c_char;
    }
    let size = mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len();
    Ok((address, size as libc::socklen_t))
}

fn own(descriptor: i32) -> io::Result<OwnedFd> {
    check(descriptor)?;
    // SAFETY: the kernel or the parent process has just passed this descriptor, so it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
