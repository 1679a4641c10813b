//! What a user is told while recording and afterwards.

use std::ffi::OsStr;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc;
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use recorder::{Event, Progress, Recording};
use serde_json::json;

use crate::cli::complain;

/// Prints to stderr.
pub struct Reporter {
    quiet: bool,
    live: bool,
    told: mpsc::Receiver<Event>,
    shown: Option<(Instant, Progress)>,
}

impl Reporter {
    pub fn new(quiet: bool, told: mpsc::Receiver<Event>) -> Self {
        Self { quiet, live: !quiet && stderr().is_terminal(), told, shown: None }
    }

    /// Prints what happened and, on a terminal, a line that shows how far it is.
    pub fn show(&mut self, progress: Progress) {
        self.tell();
        let moved = self.shown.is_none_or(|(at, shown)| shown != progress && at.elapsed().as_millis() >= 200);
        if self.live && moved && progress.calls > 0 {
            self.shown = Some((Instant::now(), progress));
            let line = format!("\r{} \x1b[K", amount(progress.frames, progress.calls, progress.bytes));
            // Whoever closed stderr does not want to know; the same below.
            let _ = stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Says what was recorded and what to do with it.
    pub fn conclude(&mut self, recordings: &[Recording], attached: bool, program: &OsStr) {
        self.clear();
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
            let _ = writeln!(stderr(), "afterimage: {} has {amount}", recording.path.display());
        }
        if let Some(first) = recordings.first() {
            let path = first.path.display();
            let _ = writeln!(stderr(), "  afterimage info {path}      what is in it");
            let _ = writeln!(stderr(), "  afterimage replay {path}    run it again");
        }
    }

    fn tell(&mut self) {
        while let Ok(event) = self.told.try_recv() {
            match event {
                Event::Trouble(sentence) => {
                    self.clear();
                    complain(&sentence);
                }
                Event::Began { .. } => {}
            }
        }
    }

    /// Takes the live line away.
    fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

/// Prints one line of JSON.
pub fn json(recordings: &[Recording], status: ExitStatus) -> anyhow::Result<()> {
    let traces: Vec<_> = recordings
        .iter()
        .map(|recording| {
            json!({
                "path": recording.path.to_string_lossy(),
                "process": recording.pid,
                "calls": recording.calls,
                "frames": recording.frames,
                "bytes": recording.bytes,
                "cut_short": recording.cut_short,
            })
        })
        .collect();
    let document = json!({
        "traces": traces,
        "exit_status": status.code(),
        "signal": status.signal(),
        "program_cpu": cpu(UsageWho::RUSAGE_CHILDREN),
        "recorder_cpu": cpu(UsageWho::RUSAGE_SELF),
    });
    Ok(writeln!(stdout().lock(), "{document}")?)
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

fn count(number: u64, what: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {what}{}", if number == 1 { "" } else { "s" })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
