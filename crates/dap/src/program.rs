//! A program that is being recorded, by `afterimage record` in a process of its own.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::protocol::Incoming;
use crate::refusal::Refusal;

/// What a program lets hear of itself.
#[derive(Debug)]
pub enum ProgramEvent {
    /// It printed something.
    Printed {
        /// `stdout` or `stderr`.
        category: &'static str,
        /// What.
        text: String,
    },
    /// It is over: the one with this number.
    Ended(u32, Option<ExitStatus>),
}

/// What a program prints to: the protocol's name for it, and its other end.
type Stream = (&'static str, Option<Box<dyn Read + Send>>);

/// What to run, and where to record to.
pub struct Start<'a> {
    pub afterimage: &'a Path,
    pub trace: &'a Path,
    pub program: &'a Path,
    pub args: &'a [String],
    pub cwd: Option<&'a Path>,
    /// Variables to set, or to take away.
    pub env: &'a BTreeMap<String, Option<String>>,
}

/// A program that runs.
#[derive(Debug)]
pub struct Program {
    /// The number of the recorder's process.
    pub process: u32,
    /// Where it is recorded to.
    pub trace: PathBuf,
}

impl Program {
    /// Starts it. What it prints, and its end, go to `sender`.
    pub fn start(start: &Start<'_>, sender: &Sender<Incoming>) -> Result<Program, Refusal> {
        let mut command = Command::new(start.afterimage);
        command.args(["record", "--force", "--quiet", "-o"]).arg(start.trace).arg("--").arg(start.program);
        command.args(start.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = start.cwd {
            command.current_dir(cwd);
        }
        for (name, value) in start.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let refuse = |source| Refusal::Start { program: start.afterimage.display().to_string(), source };
        let mut child = command.spawn().map_err(refuse)?;
        let process = child.id();
        let streams: [Stream; 2] = [
            ("stdout", child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>)),
            ("stderr", child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>)),
        ];
        let sender = sender.clone();
        std::thread::spawn(move || watch(child, streams, &sender));
        Ok(Program { process, trace: start.trace.to_owned() })
    }

    /// Asks it to end; the recorder hands the signal on, and finishes the trace.
    pub fn end(&self) {
        // A program that has ended cannot be signalled, and need not be.
        let _ = kill(Pid::from_raw(self.process.cast_signed()), Signal::SIGTERM);
    }
}

/// Hands on what a program prints until it ends, then that it did.
fn watch(mut child: Child, streams: [Stream; 2], sender: &Sender<Incoming>) {
    let readers = streams.map(|(category, stream)| {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let Some(stream) = stream else { return };
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                if sender.send(Incoming::Program(ProgramEvent::Printed { category, text })).is_err() {
                    return;
                }
                line.clear();
            }
        })
    });
    let process = child.id();
    let status = child.wait().ok();
    for reader in readers {
        // A reader that failed has nothing more to say.
        let _ = reader.join();
    }
    // The adapter may be gone.
    let _ = sender.send(Incoming::Program(ProgramEvent::Ended(process, status)));
}
