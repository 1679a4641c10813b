//! What a user is told while recording and afterwards. While the program runs, stderr and the terminal are the program's:
//! only problems are reported then.

use std::ffi::OsStr;
use std::io::{Write, stderr, stdout};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc;

use nix::sys::resource::{UsageWho, getrusage};
use recorder::{Event, Recording};

use crate::amount::{count, size};
use crate::cli::complain;
use crate::json::record::{Document, Trace};
use crate::out;
use crate::trim::Frames;

/// Prints to stderr.
pub struct Reporter {
    quiet: bool,
    /// Whether frames were hashed.
    hashed: bool,
    told: mpsc::Receiver<Event>,
    /// The frames that are wanted, until they are recorded.
    awaited: Option<Frames>,
}

impl Reporter {
    pub fn new(quiet: bool, hashed: bool, told: mpsc::Receiver<Event>) -> Self {
        Self { quiet, hashed, told, awaited: None }
    }

    /// Prints what went wrong since the last time.
    pub fn tell(&mut self) {
        while let Ok(event) = self.told.try_recv() {
            match event {
                Event::Problem(sentence) => complain(&sentence),
                Event::Started { .. } => {}
            }
        }
    }

    /// Says so when these frames are recorded: the program runs on, and a user may wait for it in vain.
    pub fn await_frames(&mut self, frames: Option<Frames>) {
        self.awaited = frames.filter(|_| !self.quiet);
    }

    /// Takes in how many frames there are.
    pub fn tell_frames(&mut self, recorded: u64) {
        if let Some(frames) = self.awaited.take_if(|frames| recorded > frames.last) {
            let Frames { first, last } = frames;
            let which =
                if first == last { format!("frame {first} is") } else { format!("frames {first} to {last} are") };
            complain(&format!("{which} recorded; the program goes on until it ends, or Ctrl-C ends it"));
        }
    }

    /// Says what was recorded and what to do with it.
    pub fn conclude(&mut self, recordings: &[Recording], attached: bool, program: &OsStr) {
        self.tell();
        let program = program.display();
        if recordings.is_empty() && !attached {
            complain(&format!(
                "nothing was recorded, because {program} never loaded the capture library: it is linked statically, \
                 runs with another user's rights or is of another architecture"
            ));
        } else if recordings.is_empty() {
            let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
            let hint = match has_display || program.to_string().ends_with("xvfb-run") {
                true => "",
                false => "; if it needs a display, which is not set, `xvfb-run -a` gives it one",
            };
            complain(&format!("nothing was recorded, because {program} made no OpenGL call{hint}"));
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
            let _ = writeln!(stderr(), "  afterimage debug {path}     click a pixel, and step through what made it");
            let _ = writeln!(stderr(), "  afterimage info {path}      what is in it");
            let verify =
                if self.hashed { ", and compare with --verify" } else { " (--verify needs record --hash-frames)" };
            let _ = writeln!(stderr(), "  afterimage replay {path}    run it again{verify}");
        }
    }
}

/// Prints one line of JSON.
pub fn json(recordings: &[Recording], status: ExitStatus) -> anyhow::Result<()> {
    let trace = |recording: &Recording| Trace {
        path: recording.path.to_string_lossy().into_owned(),
        process: recording.pid,
        calls: recording.calls,
        frames: frames(recording.frames, recording.calls),
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

/// The number of frames, as `trace::Reader::frame_count` counts them: calls without a present are one.
fn frames(presents: u64, calls: u64) -> u64 {
    if presents == 0 { u64::from(calls > 0) } else { presents }
}

fn amount(frames: u64, calls: u64, bytes: u64) -> String {
    format!("{}, {}, {}", count(self::frames(frames, calls), "frame"), count(calls, "call"), size(bytes))
}
