//! The recorded program's life: signals to pass on, and how it ended.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

/// Between two looks at how far the recording is.
const LOOK_MS: u16 = 200;

/// Signals that come to this process, to be passed on.
pub struct Signals {
    descriptor: SignalFd,
    /// What the thread blocks while it receives them, and what it blocked before.
    set: SigSet,
    before: SigSet,
    asked_to_end: bool,
}

impl Signals {
    /// From now on signals that ask to end, and the end of the program, are received here.
    pub fn take() -> nix::Result<Self> {
        let set: SigSet =
            [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGCHLD, Signal::SIGXFSZ]
                .into_iter()
                .collect();
        let before = SigSet::thread_get_mask()?;
        set.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self { descriptor: SignalFd::with_flags(&set, flags)?, set, before, asked_to_end: false })
    }

    /// Starts a program, which is to inherit nothing of this: a process begins with the signals blocked that are
    /// blocked in the thread that starts it.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        self.before.thread_set_mask()?;
        let child = command.spawn();
        self.set.thread_block()?;
        child
    }

    /// Returns whether a signal asked this to end.
    pub fn asked_to_end(&self) -> bool {
        self.asked_to_end
    }

    /// Waits a moment for signals.
    pub fn wait(&mut self) -> nix::Result<()> {
        self.receive(|_, _| {})
    }

    /// Waits a moment for signals and sends them on to the program. A terminal sends its own to the program as well, so
    /// that those are not sent twice.
    pub fn pass_on(&mut self, child: &Child, runs: bool) -> nix::Result<()> {
        self.receive(|signal, from_terminal| {
            if runs && !from_terminal {
                // The program may have ended this very moment.
                let _ = kill(Pid::from_raw(child.id() as i32), signal);
            }
        })
    }

    fn receive(&mut self, mut each: impl FnMut(Signal, bool)) -> nix::Result<()> {
        let mut waited = [PollFd::new(self.descriptor.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waited, PollTimeout::from(LOOK_MS)) {
            Ok(0) | Err(nix::Error::EINTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        while let Some(received) = self.descriptor.read_signal()? {
            let Ok(signal) = Signal::try_from(received.ssi_signo as i32) else { continue };
            // A file that grows beyond a limit is an error of a write, to be reported; the default would be to die.
            if matches!(signal, Signal::SIGCHLD | Signal::SIGXFSZ) {
                continue;
            }
            self.asked_to_end = true;
            each(signal, received.ssi_pid == 0);
        }
        Ok(())
    }
}

impl Drop for Signals {
    /// From now on signals that ask to end do what they did before.
    fn drop(&mut self) {
        let mut mask = self.before;
        // One may be pending, and the write that caused it has failed.
        mask.add(Signal::SIGXFSZ);
        // If the mask cannot be set, it stays: the process then ends by itself, later.
        let _ = mask.thread_set_mask();
    }
}

/// Makes a file that grows beyond a limit an error of a write, in threads that are started from now on.
pub fn survive_size_limit() -> nix::Result<()> {
    SigSet::from_iter([Signal::SIGXFSZ]).thread_block()
}

/// The status to leave with when the program left so.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    code as u8
}
