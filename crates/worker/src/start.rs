//! Starts worker processes on a thread that lives as long as this process.
//!
//! A worker asks the kernel to kill it when its parent dies, and the kernel takes the parent to be the *thread* that
//! started it. So workers are not started by the thread that happens to ask first, which may end long before the pool
//! does.

use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

struct Job {
    command: Command,
    started: Sender<io::Result<Child>>,
}

/// Starts a process.
pub fn start(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (jobs, todo) = channel::<Job>();
        std::thread::spawn(move || {
            for mut job in todo {
                // The asker may have been interrupted; then the child is dropped, and ends with its socket.
                let _ = job.started.send(job.command.spawn());
            }
        });
        Mutex::new(jobs)
    });
    let (started, result) = channel();
    let gone = || io::Error::other("the thread that starts workers ended");
    starter.lock().unwrap_or_else(PoisonError::into_inner).send(Job { command, started }).map_err(|_| gone())?;
    result.recv().map_err(|_| gone())?
}
