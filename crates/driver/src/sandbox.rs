//! Confines a worker process, so that a trace that takes it over gains nothing: it can compute, draw and answer its
//! supervisor, and that is all. `docs/decisions/20-confined-workers.md` has the reasons.
//!
//! [`confine`] comes before the driver's libraries are loaded and before the trace is read. It cannot be undone.

mod files;
#[cfg(target_arch = "x86_64")]
mod filter;
mod landlock;
#[cfg(target_arch = "x86_64")]
mod log;
mod privileges;

use std::io;
use std::path::PathBuf;

pub use privileges::close_inherited;

/// How a worker is confined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sandbox {
    /// The only folder that the worker can write to, for the driver's shader cache and temporary files. Without one it
    /// can write to devices only.
    pub cache: Option<PathBuf>,
    /// Report each denied system call on stderr, and deny it all the same.
    pub log: bool,
}

/// Why a worker is not confined.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A thread that runs already would not be confined.
    #[error("the process has {0} threads; a worker must be confined while it has one")]
    Threads(usize),
    /// The kernel refused a step.
    #[error("cannot {step}: {cause}")]
    Step {
        /// What was to be done.
        step: &'static str,
        /// What the kernel said.
        #[source]
        cause: io::Error,
    },
}

/// A part of the sandbox that needs something of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Landlock: which files can be opened.
    Files,
    /// seccomp: which system calls can be made.
    SystemCalls,
}

impl Part {
    /// Returns what the lack of this part means, as the end of a sentence.
    #[must_use]
    pub fn consequence(self) -> &'static str {
        match self {
            Part::Files => {
                "this kernel has no Landlock (Linux 5.13 and later have it, where it is enabled), so a trace that takes \
                 over the driver can read and write this user's files"
            }
            Part::SystemCalls => {
                "this kernel has no seccomp filters for this processor, so a trace that takes over the driver can start \
                 programs and use the network"
            }
        }
    }
}

/// Returns what this kernel does not offer; [`confine`] does without it.
#[must_use]
pub fn missing() -> Vec<Part> {
    let parts = [(Part::Files, landlock::abi().is_some()), (Part::SystemCalls, has_filters())];
    parts.into_iter().filter(|(_, is_there)| !is_there).map(|(part, _)| part).collect()
}

/// Confines this process: from here on it can read the driver's files, use its devices and write to the cache; it cannot
/// reach the network, other processes or other files. Parts that the kernel does not have ([`missing`]) are left out.
///
/// # Errors
/// When the process has other threads already, or the kernel has a part and refuses to use it. The process may be partly
/// confined then.
pub fn confine(sandbox: &Sandbox) -> Result<(), SandboxError> {
    let threads = std::fs::read_dir("/proc/self/task").map(Iterator::count).unwrap_or(1);
    if threads != 1 {
        return Err(SandboxError::Threads(threads));
    }
    let step = |step| move |cause| SandboxError::Step { step, cause };
    privileges::be_killed_first();
    privileges::gain_none().map_err(step("forbid new privileges"))?;
    privileges::drop_capabilities().map_err(step("drop capabilities"))?;
    if let Some(abi) = landlock::abi() {
        landlock::restrict(abi, &files::rules(sandbox.cache.as_deref()))
            .map_err(step("restrict files with Landlock"))?;
    }
    if has_filters() {
        restrict_calls(sandbox.log).map_err(step("filter system calls with seccomp"))?;
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
fn restrict_calls(log: bool) -> io::Result<()> {
    if log {
        log::install()?;
    }
    filter::install(log)
}

#[cfg(target_arch = "x86_64")]
fn has_filters() -> bool {
    filter::is_available()
}

/// The list of system calls is x86-64's.
#[cfg(not(target_arch = "x86_64"))]
fn has_filters() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn restrict_calls(_log: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
