//! One program: run alone, run while recorded, replayed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::child::{self, Finished, Stop};
use super::output;
use super::piglit;
use super::programs::{Ends, Group, Program};

/// Timeout of each run of a program.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Number of additional runs of a program before its output counts as different.
const MORE_RUNS: usize = 4;

/// What is needed to judge.
pub struct Tools {
    /// The `afterimage` program.
    pub afterimage: PathBuf,
    /// The value of DISPLAY for programs.
    pub display: String,
    /// The folder for traces and outputs, with a subfolder for each program.
    pub work: PathBuf,
    /// Whether to keep traces of programs without failures, too.
    pub keep: bool,
}

/// What a program does unrecorded.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The exit status as a shell reports it; `None` if it timed out.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Plain {
    fn stdout(&self) -> &str {
        &self.stdout
    }

    fn stderr(&self) -> &str {
        &self.stderr
    }
}

/// The outcome of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Outcome {
    /// Recorded without a difference, replayed with every frame equal.
    Same,
    /// It does not work unrecorded, either.
    Unusable,
    /// The recorder failed, or left no trace.
    RecordFailed,
    /// While recorded, the program exited with another status.
    StatusDiffers,
    /// While recorded, the program printed something else.
    OutputDiffers,
    /// The replay failed or timed out.
    ReplayFailed,
    /// The replay draws or reads something else.
    FramesDiffer,
    /// There was nothing to compare.
    NothingToCompare,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 8] = [
        Outcome::Same,
        Outcome::Unusable,
        Outcome::RecordFailed,
        Outcome::StatusDiffers,
        Outcome::OutputDiffers,
        Outcome::ReplayFailed,
        Outcome::FramesDiffer,
        Outcome::NothingToCompare,
    ];

    /// Returns the name for tables and the cache.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Same => "same",
            Outcome::Unusable => "unusable",
            Outcome::RecordFailed => "record failed",
            Outcome::StatusDiffers => "status differs",
            Outcome::OutputDiffers => "output differs",
            Outcome::ReplayFailed => "replay failed",
            Outcome::FramesDiffer => "frames differ",
            Outcome::NothingToCompare => "nothing to compare",
        }
    }
}

/// An outcome with its reason.
pub struct Judged {
    /// The outcome.
    pub outcome: Outcome,
    /// The reason; empty if there is no failure.
    pub reason: String,
    /// Number of compared frames, readbacks and images.
    pub compared: u64,
    /// Size of the trace in bytes.
    pub trace_bytes: u64,
}

impl Judged {
    fn of(outcome: Outcome, reason: impl Into<String>) -> Judged {
        Judged { outcome, reason: reason.into(), compared: 0, trace_bytes: 0 }
    }
}

/// Runs a program unrecorded.
pub fn plain(program: &Program, tools: &Tools) -> anyhow::Result<Plain> {
    let finished = finish(&program.command, program, tools, "plain")?;
    Ok(Plain { status: finished.status, stdout: finished.stdout, stderr: finished.stderr })
}

/// Returns why a program is not usable for comparisons, if so.
pub fn unusable(program: &Program, plain: &Plain) -> Option<String> {
    let expected = if program.ends == Ends::ByItself { 0 } else { 128 + 15 };
    match plain.status {
        None => Some("it did not end within 30 s".to_owned()),
        Some(status) if status != expected => Some(format!("it exits with status {status}")),
        Some(_) if program.group == Group::Piglit && !piglit::passes(&plain.stdout) => {
            Some("it does not print PASS".to_owned())
        }
        Some(_) => None,
    }
}

/// Records a program, compares its behaviour with that of an unrecorded run, and replays the trace.
pub fn judge(program: &Program, before: &Plain, tools: &Tools) -> anyhow::Result<Judged> {
    if let Some(reason) = unusable(program, before) {
        return Ok(Judged::of(Outcome::Unusable, reason));
    }
    let trace = trace(program, tools);
    let recorded = record(program, tools)?;
    let mut judged = match behaviour_difference(program, before, &recorded, &trace, tools)? {
        Some(judged) => judged,
        None => replay(program, &trace, tools)?,
    };
    judged.trace_bytes = std::fs::metadata(&trace).map_or(0, |metadata| metadata.len());
    if judged.outcome == Outcome::Same && !tools.keep {
        std::fs::remove_dir_all(folder(program, tools))?;
    }
    Ok(judged)
}

/// Returns the path of a program's trace.
pub fn trace(program: &Program, tools: &Tools) -> PathBuf {
    folder(program, tools).join("trace.aftr")
}

/// Records a program.
pub fn record(program: &Program, tools: &Tools) -> anyhow::Result<Finished> {
    let trace = trace(program, tools);
    if trace.exists() {
        std::fs::remove_file(&trace)?;
    }
    let mut command: Vec<String> =
        [&tools.afterimage.to_string_lossy(), "record", "--quiet", "--hash-frames", "--output"]
            .map(str::to_owned)
            .into();
    command.extend([trace.to_string_lossy().into_owned(), "--".to_owned()]);
    command.extend(program.command.iter().cloned());
    finish(&command, program, tools, "record")
}

/// Returns how the recorded run differs from the plain one, if it does.
fn behaviour_difference(
    program: &Program,
    before: &Plain,
    recorded: &Finished,
    trace: &Path,
    tools: &Tools,
) -> anyhow::Result<Option<Judged>> {
    let complaint = last_line(&recorded.stderr);
    let Some(status) = recorded.status else {
        return Ok(Some(Judged::of(
            Outcome::RecordFailed,
            format!("recorded, it did not end within 30 s: {complaint}"),
        )));
    };
    if Some(status) != before.status {
        let reason = format!("status {status} instead of {}: {complaint}", before.status.unwrap_or(-1));
        return Ok(Some(Judged::of(Outcome::StatusDiffers, reason)));
    }
    for (texts, printed) in [(Plain::stdout as fn(&Plain) -> &str, &recorded.stdout), (Plain::stderr, &recorded.stderr)]
    {
        if let Some(first) = output_difference(program, before, texts, printed, tools)? {
            return Ok(Some(Judged::of(Outcome::OutputDiffers, first)));
        }
    }
    if !trace.is_file() {
        return Ok(Some(Judged::of(Outcome::RecordFailed, format!("no trace was written: {complaint}"))));
    }
    Ok(None)
}

/// Returns the first line that the program prints only while recorded, or only unrecorded.
fn output_difference(
    program: &Program,
    before: &Plain,
    text: fn(&Plain) -> &str,
    printed: &str,
    tools: &Tools,
) -> anyhow::Result<Option<String>> {
    let Some(first) = output::difference(text(before), printed) else { return Ok(None) };
    // Some programs print something else each time; a few more runs show what.
    let mut runs = vec![text(before).to_owned()];
    for _ in 0..MORE_RUNS {
        runs.push(text(&plain(program, tools)?).to_owned());
        let again = runs.iter().any(|run| output::difference(run, printed).is_none());
        if again || output::difference(&output::mask(&runs[0], &runs), &output::mask(printed, &runs)).is_none() {
            return Ok(None);
        }
    }
    Ok(Some(first))
}

fn replay(program: &Program, trace: &Path, tools: &Tools) -> anyhow::Result<Judged> {
    let mut command: Vec<String> =
        [&tools.afterimage.to_string_lossy(), "replay", "--verify", "--json"].map(str::to_owned).into();
    command.push(trace.to_string_lossy().into_owned());
    let finished = finish(&command, program, tools, "replay")?;
    let complaint = last_line(&finished.stderr);
    let report: Value = serde_json::from_str(&finished.stdout).unwrap_or(Value::Null);
    let verify = &report["verify"];
    let sum = |key: &str| -> u64 {
        ["frames", "last", "readbacks"].iter().map(|kind| verify[kind][key].as_u64().unwrap_or(0)).sum()
    };
    let compared = sum("compared");
    let mut judged = match finished.status {
        None => Judged::of(Outcome::ReplayFailed, format!("it did not end within 30 s: {complaint}")),
        Some(0) if compared > 0 => Judged::of(Outcome::Same, ""),
        Some(0 | 2) if report["crash"].is_null() && verify.is_object() => {
            Judged::of(Outcome::NothingToCompare, problem(&report).unwrap_or(complaint))
        }
        Some(1) if verify.is_object() => {
            let reason = format!("{} of {compared} equal; {}", sum("equal"), difference(&report));
            Judged::of(Outcome::FramesDiffer, reason)
        }
        Some(status) => Judged::of(Outcome::ReplayFailed, format!("status {status}: {complaint}")),
    };
    judged.compared = compared;
    Ok(judged)
}

/// Describes the first difference of the replay, and the first problem before it.
fn difference(report: &Value) -> String {
    let first = &report["verify"]["differences"][0];
    let text = |key: &str| first[key].as_str().unwrap_or_default();
    let mut words = format!("{} at {} {}: {}", text("kind"), first["command"], text("call"), text("text"));
    if let Some(problem) = problem(report) {
        words = format!("{problem}; {words}");
    }
    words
}

fn problem(report: &Value) -> Option<String> {
    let first = &report["problems"][0];
    first["text"].as_str().map(|text| format!("problem at {}: {text}", first["command"]))
}

/// Returns the folder of one program.
pub fn folder(program: &Program, tools: &Tools) -> PathBuf {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = program.name.chars().map(safe).take(100).collect();
    let hash = blake3::hash(program.name.as_bytes()).to_hex();
    tools.work.join(format!("{name}-{}", &hash[..8]))
}

fn finish(words: &[String], program: &Program, tools: &Tools, what: &str) -> anyhow::Result<Finished> {
    let folder = folder(program, tools).join(what);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env("DISPLAY", &tools.display);
    command.envs(program.variables.iter().map(|(name, value)| (*name, value.as_str())));
    let name = program.file_name();
    let stop = match program.ends {
        Ends::AfterSigterm(after) if what != "replay" => Some(Stop { after, name: &name, signal: "TERM" }),
        Ends::ByItself | Ends::AfterSigterm(_) => None,
    };
    child::finish(&mut command, &folder, TIMEOUT, stop.as_ref())
}

fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // A progress line overwrites itself with carriage returns; the text after the last one stays.
    line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default().trim().to_owned()
}
