//! One program: recorded and replayed, and both histories of its pixel in the middle.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{Args, Subject};
use crate::bench::record::measure::Tools;
use crate::process;

/// What was measured of a program, in seconds.
pub struct Measured {
    pub subject: &'static Subject,
    /// How many nodes our answer has.
    pub nodes: usize,
    /// To answer the question for the first time.
    pub cold: f64,
    /// To list who wrote to the pixel, when it was asked before.
    pub rows: f64,
    /// To answer the whole question, when it was asked before.
    pub history: f64,
    /// What one more frame adds to a replay.
    pub frame: f64,
    /// What RenderDoc takes, where it is asked.
    pub peer: Option<Peer>,
}

/// What was measured of RenderDoc.
pub struct Peer {
    pub version: String,
    /// The call itself, of an open capture.
    pub history: f64,
    /// CPU time of it, all threads.
    pub cpu: f64,
    pub rows: u64,
}

/// Frames of the trace that is asked about.
const FRAMES: u32 = 3;

/// How often the question is asked again of an open trace; once where it takes seconds.
const AGAIN: [&str; 2] = ["3", "1"];

/// So many draws take minutes, and are measured in one round.
const MANY: u32 = 10_000;

/// How often RenderDoc is asked about each of its captures; the first time it makes what it keeps.
const CALLS: &str = "2";

/// How often RenderDoc is tried before its failure counts.
const TRIES: usize = 3;

/// The Python of the system, for which Debian builds RenderDoc's module; another may come first on the path.
const PYTHON: &str = "/usr/bin/python3";

/// Measures one program, everything by turns.
pub fn all(subject: &'static Subject, args: &Args, tools: &Tools) -> anyhow::Result<Measured> {
    let (short, long) = (tools.folder.join("short.aftr"), tools.folder.join("long.aftr"));
    record(subject, tools, FRAMES, &short)?;
    record(subject, tools, FRAMES + subject.frames, &long)?;
    let least = f64::INFINITY;
    let mut found = Measured { subject, nodes: 0, cold: least, rows: least, history: least, frame: 0.0, peer: None };
    let mut replays = [least; 2];
    let rounds = if subject.draws < MANY { args.rounds.max(1) } else { 1 };
    for _ in 0..rounds {
        if subject.peer && !args.alone {
            let peer = peer(subject, tools)?;
            found.peer = Some(match found.peer.take() {
                Some(before) => {
                    Peer { history: before.history.min(peer.history), cpu: before.cpu.min(peer.cpu), ..peer }
                }
                None => peer,
            });
        }
        let pixel = subject.size.map(|side| (side / 2).to_string()).join(",");
        let asked = ["history", "--pixel", &pixel, "--bench", AGAIN[usize::from(subject.draws >= 1000)]];
        let answer = ask(tools, &asked, &short)?;
        let seconds = &answer["seconds"];
        found.cold = found.cold.min(number(seconds, "open")? + number(seconds, "history")?);
        found.history = found.history.min(again(&answer)?);
        if subject.rows > 0 {
            let rows = ask(tools, &[&asked[..], &["--rows"]].concat(), &short)?;
            found.rows = found.rows.min(again(&rows)?);
            let count = rows["rows"].as_array().map_or(0, Vec::len);
            ensure!(count == subject.rows as usize, "there are {count} rows, and not {}", subject.rows);
        }
        found.nodes = answer["nodes"].as_array().context("afterimage history lists no nodes")?.len();
        for (least, trace) in replays.iter_mut().zip([&short, &long]) {
            *least = least.min(number(&ask(tools, &["replay", "--bench"], trace)?, "seconds")?);
        }
    }
    found.frame = (replays[1] - replays[0]) / f64::from(subject.frames);
    for trace in [short, long] {
        std::fs::remove_file(&trace).with_context(|| format!("{} cannot be removed", trace.display()))?;
    }
    Ok(found)
}

fn record(subject: &Subject, tools: &Tools, frames: u32, trace: &Path) -> anyhow::Result<()> {
    if trace.exists() {
        std::fs::remove_file(trace)?;
    }
    let mut command = Command::new(tools.built.join("afterimage"));
    command.args(["record", "--quiet", "--output"]).arg(trace).arg("--").args(program(subject, tools, frames));
    tools.run(&mut command).map(|_| ())
}

/// The demo, in a window: RenderDoc captures nothing else.
fn program(subject: &Subject, tools: &Tools, frames: u32) -> Vec<PathBuf> {
    let own = subject.command.iter().take(1).map(|name| tools.built.join(name));
    let rest = subject.command.iter().skip(1).map(PathBuf::from);
    let [width, height] = subject.size;
    let (size, frames) = (format!("{width}x{height}"), frames.to_string());
    own.chain(rest).chain(["--window", "--size", &size, "--frames", &frames].map(PathBuf::from)).collect()
}

fn ask(tools: &Tools, words: &[&str], trace: &Path) -> anyhow::Result<Value> {
    let mut command = Command::new(tools.built.join("afterimage"));
    command.args(words).arg(trace).arg("--json");
    serde_json::from_str(&tools.run(&mut command)?.0).context("afterimage printed no JSON")
}

/// What RenderDoc says of itself. Now and then it dies without a word while it captures; then it is asked again.
fn peer(subject: &Subject, tools: &Tools) -> anyhow::Result<Peer> {
    let mut tries = (1..TRIES).filter_map(|_| ask_peer(subject, tools).inspect_err(|why| println!("  {why}")).ok());
    tries.next().map_or_else(|| ask_peer(subject, tools), Ok)
}

/// A capture of RenderDoc's, and the least time of its history. The program ends when it is captured.
fn ask_peer(subject: &Subject, tools: &Tools) -> anyhow::Result<Peer> {
    let mut command = Command::new(PYTHON);
    command.arg(process::root().join("xtask/src/bench/history/peer.py")).arg(tools.folder.join("renderdoc"));
    command.args(subject.size.map(|side| (side / 2).to_string())).arg(CALLS).args(program(subject, tools, u32::MAX));
    let answer: Value =
        serde_json::from_str(&tools.run(&mut command)?.0).context("RenderDoc's script printed no JSON")?;
    let least = |key: &str| -> anyhow::Result<f64> {
        let times = answer[key].as_array().into_iter().flatten().filter_map(Value::as_f64);
        times.reduce(f64::min).with_context(|| format!("RenderDoc's script says nothing of {key}"))
    };
    Ok(Peer {
        version: answer["version"].as_str().unwrap_or_default().to_owned(),
        history: least("history")?,
        cpu: least("cpu")?,
        rows: answer["rows"].as_u64().context("RenderDoc's script says no rows")?,
    })
}

/// The least that an answer took when it had been given before.
fn again(answer: &Value) -> anyhow::Result<f64> {
    let times = answer["seconds"]["again"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    times.reduce(f64::min).context("afterimage was not asked again")
}

fn number(value: &Value, key: &str) -> anyhow::Result<f64> {
    value[key].as_f64().with_context(|| format!("afterimage says nothing of {key}"))
}
