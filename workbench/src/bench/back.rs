//! `cargo xtask bench back`: how long it takes to step backwards through the last draws of a trace, with checkpoints
//! and by restarting, alternately in one run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;
use trace::Reader;

use super::document;
use crate::corpus::traces_for_bench;
use crate::process;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of walks; the shortest time of each step counts.
    #[arg(long, default_value_t = 2, value_name = "N")]
    rounds: usize,
    /// Number of draws to step back over.
    #[arg(long, default_value_t = 20, value_name = "N")]
    steps: usize,
    /// Measure only programs whose name contains STR; does not write docs/benchmarks.md.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

const PROGRAMS: [&str; 7] = [
    "gears/es2gears_x11",
    "gears/glxgears",
    "glmark2/desktop:effect=shadow:windows=4",
    "glmark2/shadow",
    "glmark2-es2/terrain",
    "demos/deferred",
    "demos/pingpong",
];

/// The results of one program's trace.
struct Measured {
    name: String,
    calls: u64,
    steps: usize,
    /// Milliseconds per step with checkpoints and without.
    with: f64,
    without: f64,
    by_checkpoint: u64,
    anew: u64,
    bytes: u64,
}

/// Measures everything and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = |name: &&str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    let programs: Vec<&str> = PROGRAMS.into_iter().filter(wanted).collect();
    let (afterimage, traces) = traces_for_bench(&programs)?;
    let mut measured = Vec::new();
    for (name, trace) in traces {
        println!("{name}");
        measured.push(measure(name, &afterimage, &trace, args)?);
    }
    let text = table(&measured, args);
    print!("{text}");
    if args.filter.is_none() {
        document::write(&text)?;
    }
    Ok(())
}

fn measure(name: String, afterimage: &Path, trace: &Path, args: &Args) -> anyhow::Result<Measured> {
    let (draws, calls) = last_draws(trace, args.steps + 1)?;
    let folder: PathBuf = process::target_dir().join("bench-back");
    let walk = |more: &[&str]| -> anyhow::Result<Value> {
        let mut command = Command::new(afterimage);
        command.arg("replay").arg(trace).arg("--json").arg("--force").arg("--images").arg(&folder).args(more);
        let output = command.args(draws.iter().flat_map(|draw| ["--at", draw])).output();
        let output = output.context("cannot start afterimage")?;
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let mut least = [vec![f64::INFINITY; draws.len()], vec![f64::INFINITY; draws.len()]];
    let mut back = Value::Null;
    for _ in 0..args.rounds.max(1) {
        for (least, more) in least.iter_mut().zip([&[][..], &["--no-checkpoints"]]) {
            let report = walk(more)?;
            for (least, seconds) in least.iter_mut().zip(report["looks"].as_array().into_iter().flatten()) {
                *least = least.min(seconds.as_f64().unwrap_or(f64::INFINITY));
            }
            if more.is_empty() {
                back = report["back"].clone();
            }
        }
    }
    // The first look goes forwards.
    let steps = draws.len().saturating_sub(1);
    let mean = |times: &[f64]| times.iter().skip(1).sum::<f64>() * 1000.0 / steps.max(1) as f64;
    let number = |key: &str| back[key].as_u64().unwrap_or(0);
    Ok(Measured {
        name,
        calls,
        steps,
        with: mean(&least[0]),
        without: mean(&least[1]),
        by_checkpoint: number("by_checkpoint"),
        anew: back["anew"].as_array().into_iter().flatten().filter_map(|one| one["times"].as_u64()).sum(),
        bytes: number("most_bytes"),
    })
}

/// Returns the last draws of a trace, the last one first, and its number of calls.
fn last_draws(trace: &Path, count: usize) -> anyhow::Result<(Vec<String>, u64)> {
    let reader = Reader::open(trace, api::COMMANDS)?;
    let mut draws = Vec::new();
    let mut calls = reader.calls();
    while let Some(call) = calls.next()? {
        let draw = call.command.is_some_and(|id| api::command(id).role == api::Role::Draw);
        if draw || call.name().starts_with("glCallList") {
            draws.push(call.number.to_string());
        }
    }
    let last = draws.split_off(draws.len().saturating_sub(count));
    Ok((last.into_iter().rev().collect(), reader.len()))
}

fn table(measured: &[Measured], args: &Args) -> String {
    let mut text = format!(
        "# Going back in numbers\n\n\
         Made by `cargo xtask bench back`, with Mesa's llvmpipe on a shared machine. Steps from one draw to the previous one, starting\n\
         at the end of the trace: the time until its picture is available, minimum of {} runs each. \"Restart\" begins at the start and\n\
         skips what the picture does not depend on; both alternate in one run. \"Kept\" is the peak size of the checkpoints.\n\n\
         | Trace | calls | steps | with checkpoints, ms per step | restart, ms per step | ratio | from a checkpoint | restarted | kept, MB |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        args.rounds
    );
    for one in measured {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {} | {} | {:.1} |",
            one.name,
            one.calls,
            one.steps,
            one.with,
            one.without,
            one.without / one.with.max(1e-9),
            one.by_checkpoint,
            one.anew,
            one.bytes as f64 / 1e6
        );
    }
    text
}
