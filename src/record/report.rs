//! What a user is told while recording and afterwards.

use std::ffi::OsStr;
use std::io::{Write, stderr, stdout};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use recorder::{Event, Progress, Recording};

use crate::amount::{count, size};
use crate::cli::complain;
use crate::json::record::{Document, Trace};
use crate::out;
use crate::progress::Line;

/// Prints to stderr.
pub struct Reporter {
    quiet: bool,
    told: mpsc::Receiver<Event>,
    line: Line,
    shown: Option<Progress>,
}

impl Reporter {
    pub fn new(quiet: bool, told: mpsc::Receiver<Event>) -> Self {
        Self { quiet, told, line: Line::after(Duration::ZERO), shown: None }
    }

    /// Prints what happened and, on a terminal, a line that shows how far it is.
    pub fn show(&mut self, progress: Progress) {
        self.tell();
        if !self.quiet && progress.calls > 0 && self.shown != Some(progress) {
            self.line.show(|| {
                self.shown = Some(progress);
                amount(progress.frames, progress.calls, progress.bytes)
            });
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.line.clear();
        self.tell();
    }

    /// Says what was recorded and what to do with it.
    pub fn conclude(&mut self, recordings: &[Recording], attached: bool, program: &OsStr) {
        self.line.clear();
        self.tell();
        let program = program.display();
        if recordings.is_empty() && !attached {
            complain(&format!(
                "nothing was recorded, because {program} never loaded the capture library: it is linked statically, \
                 runs with another user's rights or is of another architecture"
            ));
        } else if recordings.is_empty() {
            complain(&format!("nothing was recorded, because {program} made no OpenGL call"));
        }
        for recording in recordings {
            if let Some(reason) = &recording.cut_short {
                complain(&format!("{} is not complete: {reason}", recording.path.display()));
            }
        }
        if self.quiet {
            return;
        }
        for recording in recordings {
            let amount = amount(recording.frames, recording.calls, recording.bytes);
            // stderr may be closed; the same below.
            let _ = writeln!(stderr(), "afterimage: {} has {amount}", out::visible(&recording.path.to_string_lossy()));
        }
        if let Some(first) = recordings.first() {
            let path = out::shell_quoted(&first.path);
            let _ = writeln!(stderr(), "  afterimage info {path}      what is in it");
            let _ = writeln!(stderr(), "  afterimage replay {path}    run it again");
        }
    }

    fn tell(&mut self) {
        while let Ok(event) = self.told.try_recv() {
            match event {
                Event::Problem(sentence) => {
                    self.line.clear();
                    complain(&sentence);
                }
                Event::Started { .. } => {}
            }
        }
    }
}

/// Prints one line of JSON.
pub fn json(recordings: &[Recording], status: ExitStatus) -> anyhow::Result<()> {
    let trace = |recording: &Recording| Trace {
        path: recording.path.to_string_lossy().into_owned(),
        process: recording.pid,
        calls: recording.calls,
        frames: recording.frames,
        bytes: recording.bytes,
        cut_short: recording.cut_short.clone(),
    };
    let document = Document {
        traces: recordings.iter().map(trace).collect(),
        exit_status: status.code(),
        signal: status.signal(),
        program_cpu: cpu(UsageWho::RUSAGE_CHILDREN),
        recorder_cpu: cpu(UsageWho::RUSAGE_SELF),
    };
    Ok(writeln!(stdout().lock(), "{}", crate::json::line(&document)?)?)
}

/// Seconds of processor time.
fn cpu(whose: UsageWho) -> Option<f64> {
    let usage = getrusage(whose).ok()?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Some(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn amount(frames: u64, calls: u64, bytes: u64) -> String {
    format!("{}, {}, {}", count(frames, "frame"), count(calls, "call"), size(bytes))
}
