//! What `afterimage replay` says.

use std::io::Write;
use std::path::Path;

use device::report::{Count, Tally, Unsettled};
use device::{DeviceError, Report};
use trace::{Damage, Reader};

use super::Args;
use super::against::Comparison;
use crate::amount::count;
use crate::cli::{Outcome, complain};
use crate::dump::line::{self, Style};
use crate::json;
use crate::json::replay::{Crash, Device, Devices, Document, Replayed};
use crate::out;

/// Lists devices.
pub fn devices(as_json: bool) -> anyhow::Result<Outcome> {
    let devices = driver::devices()?;
    if as_json {
        let devices = devices.iter();
        let devices = devices.map(|one| Device { index: one.index, name: &one.name, software: one.software });
        let document = Devices { devices: devices.collect() };
        json::print(&document)?;
        return Ok(Outcome::Done);
    }
    let mut out = out::text();
    for device in &devices {
        let kind = if device.software && device.name != "software" { " (software)" } else { "" };
        writeln!(out, "{}  {}{kind}", device.index, device.name)?;
    }
    if devices.is_empty() {
        complain("EGL lists no devices; without --device the surfaceless platform is tried");
    }
    Ok(Outcome::Done)
}

/// Says what came of a run.
pub fn give(
    args: &Args,
    trace: &Path,
    reader: &Reader,
    ended: &Result<Report, DeviceError>,
) -> anyhow::Result<Outcome> {
    let text = |command: u64| call_text(reader, command);
    let comparison = match (ended, &args.images, &args.against) {
        (Ok(_), Some(written), Some(other)) => Some(Comparison::of(written, other)?),
        _ => None,
    };
    let (outcome, sentence) = match ended {
        Ok(report) => judge(args, trace, reader, report, comparison.as_ref()),
        Err(DeviceError::Crashed { command, how }) => {
            let place = place(*command, &text);
            let sentence = format!("the driver crashed with {how} {place}; --to and --device may help to avoid it");
            (Outcome::Unserved, Some(sentence))
        }
        Err(DeviceError::Hung { command, seconds }) => {
            let place = place(*command, &text);
            let sentence = format!("the driver made no progress for {seconds} s {place}; --timeout allows it more");
            (Outcome::Unserved, Some(sentence))
        }
        Err(DeviceError::OutOfMemory { command, megabytes }) => {
            let place = place(*command, &text);
            let sentence =
                format!("the driver took all of the {megabytes} MB that it may {place}; --worker-memory allows more");
            (Outcome::Unserved, Some(sentence))
        }
        Err(error) => (Outcome::Unserved, Some(error.to_string())),
    };
    if args.json {
        let crash = |command: &Option<u64>, how| Crash { command: *command, call: command.map(text), how };
        let document = Document {
            result: match outcome {
                Outcome::Done => "done",
                Outcome::No => "different",
                Outcome::Unserved | Outcome::Program(_) => "unserved",
            },
            reason: sentence.as_deref(),
            replayed: ended.as_ref().ok().map(|report| Replayed::new(report, &text)),
            against: comparison.as_ref().map(Comparison::document),
            crash: match ended {
                Err(DeviceError::Crashed { command, how }) => Some(crash(command, how)),
                Err(DeviceError::Hung { command, .. }) => Some(crash(command, "hung")),
                Err(DeviceError::OutOfMemory { command, .. }) => Some(crash(command, "out of memory")),
                _ => None,
            },
        };
        json::print(&document)?;
    } else if let Ok(report) = ended {
        let whole = reader.is_complete() || !reader.presents().is_empty();
        print(args, report, whole, &text)?;
        if let Some(comparison) = &comparison {
            out::print(&comparison.text())?;
        }
    }
    if let Some(sentence) = sentence {
        complain(&sentence);
    }
    Ok(outcome)
}

fn place(command: Option<u64>, text: &dyn Fn(u64) -> String) -> String {
    command.map_or("before its first command".to_owned(), |command| at(command, &text(command)))
}

fn at(command: u64, text: &str) -> String {
    format!("at command {command}: {text}")
}

fn judge(
    args: &Args,
    trace: &Path,
    reader: &Reader,
    report: &Report,
    comparison: Option<&Comparison>,
) -> (Outcome, Option<String>) {
    if report.lost > 0 {
        let (lost, are) = (count(report.lost, "command"), if report.lost == 1 { "is" } else { "are" });
        let sentence = format!(
            "{lost} of {} {are} lost, so this is not what was recorded; the problems name them",
            trace.display()
        );
        return (Outcome::Unserved, Some(sentence));
    }
    if comparison.is_some_and(|comparison| !comparison.within(args.tolerance)) {
        return (Outcome::No, Some("the pictures differ from those to compare with".to_owned()));
    }
    // One that ends early was replayed as far as it goes, but what is missing cannot be compared.
    let truncated =
        (!reader.is_complete()).then(|| format!("{}, and that much was replayed", truncated(trace, reader)));
    let Some(tally) = report.tally.as_ref().filter(|_| args.verify) else { return (Outcome::Done, truncated) };
    if !tally.equal() {
        let sentence = "replay differs from the recording".to_owned();
        return (Outcome::No, Some(sentence));
    }
    if truncated.is_some() {
        return (Outcome::Unserved, truncated);
    }
    if tally.compared() == 0 {
        let sentence =
            "the trace has no hashes of frames and no readbacks to compare; record it with --hash-frames".to_owned();
        return (Outcome::Unserved, Some(sentence));
    }
    (Outcome::Done, None)
}

/// Says so on stderr if a trace has no end, before an answer that may be about too little.
pub fn mention_truncation(trace: &Path, reader: &Reader) {
    if let Some(sentence) = truncation(trace, reader) {
        complain(&sentence);
    }
}

/// The same, and whether it has lost something else.
pub fn mention_damage(trace: &Path, reader: &Reader, damage: &Damage) {
    mention_truncation(trace, reader);
    if let Some(lost) = damage.text() {
        let name = trace.display();
        complain(&format!("{name} is damaged: {lost}; a replay leaves that out, so this is not what was recorded"));
    }
}

/// Returns the outcome of a question that was answered by replaying a trace: if the trace lost what commands read, the
/// answer is about something else.
pub fn on_what_is_left(damage: &Damage, outcome: Outcome) -> Outcome {
    if damage.is_empty() { outcome } else { Outcome::Unserved }
}

/// Says how much there is of a trace that has no end; `None` if it has one.
pub fn truncation(trace: &Path, reader: &Reader) -> Option<String> {
    (!reader.is_complete()).then(|| truncated(trace, reader))
}

/// Says how much of a trace without an end there is.
fn truncated(trace: &Path, reader: &Reader) -> String {
    let calls = count(reader.calls_stored(), "call");
    let frames = match reader.presents().len() {
        0 => "no whole frame".to_owned(),
        frames => count(frames as u64, "whole frame"),
    };
    format!("{} is truncated: {calls} and {frames} could be read", trace.display())
}

/// Prints a report; `whole` says that the trace has whole frames, and not only the beginning of one.
fn print(args: &Args, report: &Report, whole: bool, text: &dyn Fn(u64) -> String) -> anyhow::Result<()> {
    let mut out = out::text();
    let commands = count(report.commands, "command");
    let frames = match whole {
        true => count(report.frames, "frame"),
        false => "no whole frame".to_owned(),
    };
    match report.renderer.as_str() {
        "" => writeln!(out, "{commands}, {frames}; nothing was drawn")?,
        renderer => writeln!(out, "{commands}, {frames} on {renderer}")?,
    }
    if report.images > 0 {
        let folder = args.images.as_ref().map_or(String::new(), |folder| format!(" to {}", folder.display()));
        let last = report.frames.saturating_sub(1);
        let name = match (report.images, report.pictures.as_slice()) {
            (1, [name]) => format!(": {name}"),
            (1, []) if !args.per_draw => format!(": frame-{last:04}.png"),
            _ => String::new(),
        };
        writeln!(out, "{} written{folder}{name}", count(report.images, "picture"))?;
    }
    if args.bench {
        let rate = report.frames as f64 / report.seconds.max(1e-9);
        writeln!(out, "{:.3} s, {:.3} s of processor time, {rate:.1} frames/s", report.seconds, report.cpu_seconds)?;
    }
    if let Some(tally) = &report.tally {
        write!(out, "{}", counts(tally))?;
        for difference in &tally.differences {
            let kind = difference.kind.name();
            writeln!(out, "{kind} differs {}: {}", at(difference.command, &text(difference.command)), difference.text)?;
        }
    }
    for problem in &report.problems {
        let times = if problem.times > 1 { format!(" ({} times)", problem.times) } else { String::new() };
        writeln!(out, "command {}: {}{times}", problem.command, problem.text)?;
    }
    Ok(())
}

fn counts(tally: &Tally) -> String {
    let mut lines = String::new();
    let rows: [(&str, Count); 4] = [
        ("frames", tally.frames),
        ("pictures left when a context ended", tally.last),
        ("readbacks", tally.readbacks),
        ("results of glGetError", tally.errors),
    ];
    for (name, count) in rows {
        if count.compared > 0 {
            lines += &format!("{name}: {} of {} equal\n", count.equal, count.compared);
        }
    }
    if tally.incomparable > 0 {
        let results = crate::amount::plural(tally.incomparable, "more result");
        lines += &format!("{results} of calls could not be compared:\n");
        for Unsettled { name, command, times, reason } in &tally.unsettled {
            let place = match times {
                1 => format!("command {command}"),
                _ => format!("{times} times, first command {command}"),
            };
            lines += &format!("  {name} ({place}): {}\n", reason.text());
        }
    }
    lines
}

/// A call as text.
fn call_text(reader: &Reader, command: u64) -> String {
    let style = Style::default();
    match reader.call_at(command) {
        Ok(held) => line::text(reader, &held.call(), &style),
        Err(_) => "a call that cannot be read".to_owned(),
    }
}
