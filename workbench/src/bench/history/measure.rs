//! One program: recorded and replayed, and both histories of its middle pixel.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{Args, Subject};
use crate::bench::record::measure::Tools;
use crate::process;

/// The results of a program, in seconds.
pub struct Measured {
    pub subject: &'static Subject,
    /// Number of nodes of our history.
    pub nodes: usize,
    /// The first history.
    pub cold: f64,
    /// The list of writes to the pixel, repeated.
    pub rows: f64,
    /// The whole history, repeated.
    pub history: f64,
    /// The additional time of one more frame in a replay.
    pub frame: f64,
    /// RenderDoc's results, if it was run.
    pub peer: Option<Peer>,
}

/// The results of RenderDoc.
pub struct Peer {
    pub version: String,
    /// The call itself, for an open capture.
    pub history: f64,
    /// Its CPU time, all threads.
    pub cpu: f64,
    pub rows: u64,
}

/// Number of frames of the trace.
const FRAMES: u32 = 3;

/// How often the query is repeated for an open trace; once if it takes seconds.
const AGAIN: [&str; 2] = ["3", "1"];

/// This many draws take minutes, and are measured in one round.
const MANY: u32 = 10_000;

/// Number of calls for each RenderDoc capture; the first one fills its caches.
const CALLS: &str = "2";

/// Number of attempts before a failure of RenderDoc counts.
const TRIES: usize = 3;

/// The system's Python, for which Debian builds RenderDoc's module; another may come first in PATH.
const PYTHON: &str = "/usr/bin/python3";

/// Measures one program, alternately.
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
            ensure!(count == subject.rows as usize, "there are {count} rows instead of {}", subject.rows);
        }
        found.nodes = answer["nodes"].as_array().context("afterimage history printed no nodes")?.len();
        for (least, trace) in replays.iter_mut().zip([&short, &long]) {
            *least = least.min(number(&ask(tools, &["replay", "--bench"], trace)?, "seconds")?);
        }
    }
    found.frame = (replays[1] - replays[0]) / f64::from(subject.frames);
    for trace in [short, long] {
        std::fs::remove_file(&trace).with_context(|| format!("cannot remove {}", trace.display()))?;
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

/// Returns the demo, in a window, because RenderDoc captures nothing else.
fn program(subject: &Subject, tools: &Tools, frames: u32) -> Vec<PathBuf> {
    let own = subject.command.iter().take(1).map(|name| tools.built.join(name));
    let rest = subject.command.iter().skip(1).map(PathBuf::from);
    let [width, height] = subject.size;
    let (size, frames) = (format!("{width}x{height}"), frames.to_string());
    own.chain(rest).chain(["--window", "--size", &size, "--frames", &frames].map(PathBuf::from)).collect()
}

fn ask(tools: &Tools, words: &[&str], trace: &Path) -> anyhow::Result<Value> {
    let mut command = Command::new(tools.built.join("afterimage"));
    // The limits for hostile traces would end a history of 64 passes in the middle.
    command.env("AFTERIMAGE_TRUST", "1");
    command.args(words).arg(trace).arg("--json");
    serde_json::from_str(&tools.run(&mut command)?.0).context("afterimage did not print JSON")
}

/// Measures RenderDoc. It sometimes crashes while it captures; it is then run again.
fn peer(subject: &Subject, tools: &Tools) -> anyhow::Result<Peer> {
    let mut tries = (1..TRIES).filter_map(|_| ask_peer(subject, tools).inspect_err(|why| println!("  {why}")).ok());
    tries.next().map_or_else(|| ask_peer(subject, tools), Ok)
}

/// Makes a capture with RenderDoc, and returns the shortest time of its history. The program ends after the capture.
fn ask_peer(subject: &Subject, tools: &Tools) -> anyhow::Result<Peer> {
    let mut command = Command::new(PYTHON);
    command.arg(process::root().join("workbench/src/bench/history/peer.py")).arg(tools.folder.join("renderdoc"));
    command.args(subject.size.map(|side| (side / 2).to_string())).arg(CALLS).args(program(subject, tools, u32::MAX));
    let answer: Value =
        serde_json::from_str(&tools.run(&mut command)?.0).context("RenderDoc's script did not print JSON")?;
    let least = |key: &str| -> anyhow::Result<f64> {
        let times = answer[key].as_array().into_iter().flatten().filter_map(Value::as_f64);
        times.reduce(f64::min).with_context(|| format!("RenderDoc's script did not print {key}"))
    };
    Ok(Peer {
        version: answer["version"].as_str().unwrap_or_default().to_owned(),
        history: least("history")?,
        cpu: least("cpu")?,
        rows: answer["rows"].as_u64().context("RenderDoc's script did not print rows")?,
    })
}

/// Returns the shortest time of a repeated query.
fn again(answer: &Value) -> anyhow::Result<f64> {
    let times = answer["seconds"]["again"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    times.reduce(f64::min).context("afterimage did not repeat the query")
}

fn number(value: &Value, key: &str) -> anyhow::Result<f64> {
    value[key].as_f64().with_context(|| format!("afterimage did not print {key}"))
}
