//! Opening and closing.

use std::ffi::{CStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use afterimage::{Control, Host, OpenOptions, Session, Trace};

use crate::error::{Failure, answer};
use crate::memory::{Kept, given, optional_text, passed, passed_text, taken_back};

/// The program that is started as a worker, in the folder of this library.
const WORKER: &str = "afterimage-worker";

/// Whether `afterimage_be_a_worker_if_asked` was called.
static PREPARED: AtomicBool = AtomicBool::new(false);

/// An open trace with its debugger.
pub struct AfterimageSession {
    session: Mutex<Session>,
    pub(crate) control: Control,
    pub(crate) trace: Trace,
}

impl AfterimageSession {
    /// Returns the session, when the call that uses it now is done. After a panic it is as the panic left it, which may give
    /// wrong answers but is safe.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a trace is opened. Fields that are `NULL`, 0 or false have their usual values.
#[repr(C)]
pub struct AfterimageOptions {
    /// A device by its number or part of its name; the first that works without one.
    pub device: *const c_char,
    /// The program that is started as a worker. Without one it is this very program if that called
    /// `afterimage_be_a_worker_if_asked`, else `afterimage-worker` in the folder of the library.
    pub worker: *const c_char,
    /// A worker that makes no progress for so many seconds is stopped; 60 without it.
    pub timeout_seconds: u32,
    /// The memory that a worker may take, in bytes.
    pub worker_memory: u64,
    /// Lets workers open files, use the network and start programs: only for traces that you trust.
    pub no_sandbox: bool,
}

/// Runs this process as a worker if it was started as one, and does not return then. A program that calls this first in
/// `main` needs no other file for its workers.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_be_a_worker_if_asked() {
    answer((), || {
        PREPARED.store(true, Ordering::Relaxed);
        afterimage::be_a_worker_if_asked();
        Ok(())
    });
}

/// Opens a trace. `options` may be `NULL`. Give the session back to `afterimage_close`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_open(path: *const c_char, options: *const AfterimageOptions) -> *mut AfterimageSession {
    answer(std::ptr::null_mut(), || {
        let mut open = OpenOptions::new(passed_text(path, "the path")?);
        let mut worker = None;
        if !options.is_null() {
            let options = passed(options, "the options")?;
            open.device = optional_text(options.device, "the device")?.map(str::to_owned);
            if options.timeout_seconds > 0 {
                open.timeout = Duration::from_secs(options.timeout_seconds.into());
            }
            open.worker_memory = Some(options.worker_memory).filter(|bytes| *bytes > 0);
            open.sandbox = !options.no_sandbox;
            worker = optional_text(options.worker, "the worker")?.map(PathBuf::from);
        }
        let host = match worker {
            Some(program) => Host::with_program(program),
            None if PREPARED.load(Ordering::Relaxed) => Host::new(),
            None => Host::with_program(worker_beside()?),
        };
        let session = host.session(&open)?;
        let (control, trace) = (session.control(), Trace::of(&session));
        Ok(given(AfterimageSession { session: Mutex::new(session), control, trace }, Kept::default()))
    })
}

/// Closes a session. `NULL` is allowed. No other thread may use it any more.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_close(session: *mut AfterimageSession) {
    answer((), || {
        taken_back(session);
        Ok(())
    });
}

/// Ends what a session is doing, and refuses what it is asked after that, until `afterimage_clear_interrupt` is called.
/// Any thread may call it while another waits for the session.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_interrupt(session: *const AfterimageSession) -> bool {
    answer(false, || {
        passed(session, "the session")?.control.interrupt();
        Ok(true)
    })
}

/// Lets a session go on as usual.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_clear_interrupt(session: *const AfterimageSession) -> bool {
    answer(false, || {
        passed(session, "the session")?.control.clear();
        Ok(true)
    })
}

/// Returns the worker in the folder of this library.
fn worker_beside() -> Result<PathBuf, Failure> {
    let library = own_file().ok_or("cannot find the file of the library afterimage, to start a worker")?;
    let worker = library.with_file_name(WORKER);
    if worker.is_file() {
        return Ok(worker);
    }
    let (worker, library) = (worker.display(), library.display());
    Err(format!(
        "there is no worker: put {WORKER} beside {library} as {worker}, or name one in the options, or call \
         `afterimage_be_a_worker_if_asked` first in `main`"
    )
    .into())
}

/// Returns the file that this code was loaded from.
fn own_file() -> Option<PathBuf> {
    let address: *const c_void = afterimage_open as *const c_void;
    let mut about = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `dladdr` only compares the address, and writes to `about`, which lives during the call.
    let found = unsafe { libc::dladdr(address, &raw mut about) };
    if found == 0 || about.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's names of files end with a zero, and live as long as the file is loaded: while this code runs.
    let name = unsafe { CStr::from_ptr(about.dli_fname) };
    std::fs::canonicalize(Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_thread_may_use_a_session() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<AfterimageSession>();
    }

    #[test]
    fn a_missing_worker_is_said() {
        // This test is in a folder without one.
        let error = worker_beside().unwrap_err().to_string();
        assert!(error.starts_with("there is no worker: put afterimage-worker beside"), "{error}");
    }
}
