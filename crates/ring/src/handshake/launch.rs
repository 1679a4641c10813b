//! Starts a recorder from the program itself, for launchers that cannot be wrapped.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use super::{SOCKET, socket};

/// The recorder to start.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The `afterimage` executable.
    pub binary: &'a Path,
    /// The trace to write.
    pub output: &'a Path,
}

/// The descriptor at which the recorder inherits its socket.
const INHERITED: i32 = 3;

/// Starts a recorder that outlives the program, is not its child and shares none of its descriptors except standard
/// error, and sets [`SOCKET`] for this process and its future children. Returns that value. Whether the recorder really
/// runs shows only when a program attaches.
///
/// # Errors
/// When the system refuses.
pub fn launch(launch: Launch<'_>) -> io::Result<String> {
    let (socket, name) = socket::listen()?;
    let binary = text(launch.binary.as_os_str().as_bytes())?;
    let arguments = [
        binary.clone(),
        c"record".into(),
        c"--serve".into(),
        c"3".into(),
        c"--output".into(),
        text(launch.output.as_os_str().as_bytes())?,
    ];
    // The recorder must not be recorded itself.
    let environment: Vec<CString> = std::env::vars_os()
        .filter(|(name, _)| name != "LD_PRELOAD" && name != "AFTERIMAGE_OUT")
        .map(|(name, value)| text(&[name.as_bytes(), b"=", value.as_bytes()].concat()))
        .collect::<io::Result<_>>()?;
    let arguments = pointers(&arguments);
    let environment = pointers(&environment);

    // SAFETY: between fork and exec the child makes only system calls.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        become_recorder(&binary, &arguments, &environment, socket.as_raw_fd());
    }
    let mut status = 0;
    // SAFETY: the status outlives the call. The child exits at once. If it cannot be waited for, because the program
    // inherited an ignored SIGCHLD, it leaves no zombie either.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    let value = CString::new(name.clone())?;
    // SAFETY: both are NUL-terminated strings. The caller is a constructor: no other thread reads the environment.
    unsafe { libc::setenv(SOCKET.as_ptr(), value.as_ptr(), 1) };
    Ok(name)
}

/// Runs in the child of a fork and never returns: forks again, so that the recorder is not a child of the program.
fn become_recorder(
    binary: &CStr,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    socket: i32,
) -> ! {
    // SAFETY: plain system call. In its own session, the recorder gets no signals from a terminal.
    unsafe { libc::setsid() };
    // SAFETY: as for the first fork.
    if unsafe { libc::fork() } == 0 {
        // SAFETY: plain system call on a NUL-terminated string.
        let null = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        // SAFETY: plain system call.
        unsafe { libc::dup2(null, 0) };
        // SAFETY: plain system call.
        unsafe { libc::dup2(null, 1) };
        if socket == INHERITED {
            // SAFETY: plain system call. Otherwise exec would close the socket.
            unsafe { libc::fcntl(socket, libc::F_SETFD, 0) };
        } else {
            // SAFETY: plain system call.
            unsafe { libc::dup2(socket, INHERITED) };
        }
        // SAFETY: plain system call. All other open descriptors belong to the program.
        unsafe { libc::syscall(libc::SYS_close_range, INHERITED + 1, u32::MAX, 0) };
        // SAFETY: the lists end with null and hold NUL-terminated strings.
        unsafe { libc::execve(binary.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    }
    // SAFETY: ends the process without running any of the program's exit handlers.
    unsafe { libc::_exit(0) }
}

fn text(bytes: &[u8]) -> io::Result<CString> {
    Ok(CString::new(bytes)?)
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
