//! A recorder started by the program itself, for launchers that cannot be wrapped.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use super::{SOCKET, socket};

/// What to start.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The `afterimage` executable.
    pub binary: &'a Path,
    /// The trace to write.
    pub output: &'a Path,
}

/// The descriptor at which the recorder finds its socket.
const INHERITED: i32 = 3;

/// Starts a recorder that outlives the program, is no child of it and shares none of its descriptors but the standard
/// error, and sets [`SOCKET`] for this process and for those it starts. Returns the value it was set to; whether the
/// recorder really runs shows when one attaches.
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

    // SAFETY: between fork and exec the child makes system calls only.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        become_recorder(&binary, &arguments, &environment, socket.as_raw_fd());
    }
    let mut status = 0;
    // SAFETY: the status outlives the call. The child ends at once; when it cannot be waited for, because the program
    // inherited that nobody waits for its children, then it leaves no trace either.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    let value = CString::new(name.clone())?;
    // SAFETY: both are texts that end with zero. The caller is a constructor: no other thread reads the environment.
    unsafe { libc::setenv(SOCKET.as_ptr(), value.as_ptr(), 1) };
    Ok(name)
}

/// In the child of a fork: forks again, so that the recorder is nobody's child to wait for, and never returns.
fn become_recorder(
    binary: &CStr,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    socket: i32,
) -> ! {
    // SAFETY: plain system call. A session of its own, so that no terminal's signal reaches it.
    unsafe { libc::setsid() };
    // SAFETY: as for the first fork.
    if unsafe { libc::fork() } == 0 {
        // SAFETY: plain system call on a text that ends with zero.
        let null = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        // SAFETY: plain system call.
        unsafe { libc::dup2(null, 0) };
        // SAFETY: plain system call.
        unsafe { libc::dup2(null, 1) };
        if socket == INHERITED {
            // SAFETY: plain system call. The socket would be closed by exec otherwise.
            unsafe { libc::fcntl(socket, libc::F_SETFD, 0) };
        } else {
            // SAFETY: plain system call.
            unsafe { libc::dup2(socket, INHERITED) };
        }
        // SAFETY: plain system call. Everything else that is open is the program's.
        unsafe { libc::syscall(libc::SYS_close_range, INHERITED + 1, u32::MAX, 0) };
        // SAFETY: the lists end with null and hold texts that end with zero.
        unsafe { libc::execve(binary.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    }
    // SAFETY: ends the process without running anything of the program's.
    unsafe { libc::_exit(0) }
}

fn text(bytes: &[u8]) -> io::Result<CString> {
    Ok(CString::new(bytes)?)
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
