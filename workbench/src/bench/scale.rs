//! `cargo xtask bench scale`: how long it takes to open long traces, and how much memory that takes.

mod long;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::document;
use super::record::measure::Tools;
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions; the shortest time counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Number of calls of the longest trace; with any other than the default, docs/benchmarks.md is not written.
    #[arg(long, default_value_t = LONGEST, value_name = "N")]
    calls: u64,
}

/// Calls of the longest trace, and of one as long as those of games.
const LONGEST: u64 = 100_000_000;
const USUAL: u64 = 1_800_000;

/// Most seconds and bytes for the longest trace, and most seconds for the usual one.
const MOST_SECONDS: f64 = 10.0;
const MOST_BYTES: u64 = 1_000_000_000;
const MOST_SECONDS_USUAL: f64 = 1.0;

/// The time between two looks at how much memory a process takes.
const LOOK: Duration = Duration::from_millis(5);

/// A command and what it is called.
type Asked = (&'static str, &'static [&'static str]);

const OF_LONGEST: &[Asked] = &[("info", &["info"]), ("state at the last command", &["state", "--at", "-1"])];

const OF_USUAL: &[Asked] = &[
    ("info", &["info"]),
    ("info --draws", &["info", "--draws"]),
    ("state at the last command", &["state", "--at", "-1"]),
    ("report", &["report"]),
    ("graph of the last frame", &["graph"]),
    ("sources", &["sources"]),
    ("index of writes, for histories", &["history", "--pixel", "32,32", "--rows", "--json"]),
];

/// What one command took.
struct Measured {
    seconds: f64,
    cpu: f64,
    /// The most memory of its process at any time.
    bytes: u64,
}

/// Measures everything and writes the tables.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("bench-scale")?;
    let base = tools.folder.join("base.aftr");
    record(&tools, &base)?;
    let mut text = "# Long traces in numbers\n\n\
                    Made by `cargo xtask bench scale`: frames of a demo, repeated with other uniforms, with Mesa's llvmpipe on a shared\n\
                    machine. Seconds of the whole process; memory is the most that it took at any time.\n\n\
                    | Calls | size of the file, MB | command | seconds | CPU seconds | target, s | memory, MB | target, MB |\n\
                    |--:|--:|---|--:|--:|---|--:|---|\n"
        .to_owned();
    for (calls, asked, most) in [(USUAL, OF_USUAL, MOST_SECONDS_USUAL), (args.calls, OF_LONGEST, MOST_SECONDS)] {
        let file = tools.folder.join(format!("{calls}.aftr"));
        println!("{calls} calls");
        let bytes = long::write(&base, calls, &file)?;
        for (name, words) in asked {
            let one = measure(&tools, words, &file, args.rounds.max(1))?;
            let met = |is_met: bool| if is_met { "met" } else { "**not met**" };
            // Writing to memory does not fail.
            let _ = writeln!(
                text,
                "| {calls} | {:.1} | {name} | {:.2} | {:.2} | {most}: {} | {} | {} |",
                bytes as f64 / 1e6,
                one.seconds,
                one.cpu,
                met(one.seconds <= most),
                if one.bytes > 0 { format!("{:.0}", one.bytes as f64 / 1e6) } else { "-".to_owned() },
                if calls == args.calls { format!("1000: {}", met(one.bytes < MOST_BYTES)) } else { "-".to_owned() },
            );
        }
        std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    print!("{text}");
    if args.calls == LONGEST {
        document::write(&text)?;
    }
    Ok(())
}

/// Records some frames of many draws.
fn record(tools: &Tools, trace: &Path) -> anyhow::Result<()> {
    if trace.exists() {
        std::fs::remove_file(trace)?;
    }
    let mut command = tools.afterimage();
    command.args(["record", "--quiet", "--output"]).arg(trace).arg("--").arg(tools.built.join("overlap"));
    tools.run(command.args(["--plain", "--draws", "40", "--frames", "12", "--size", "64x64"]))?;
    Ok(())
}

/// Runs a command some times; the lowest values count.
fn measure(tools: &Tools, words: &[&str], trace: &Path, rounds: usize) -> anyhow::Result<Measured> {
    let mut least = Measured { seconds: f64::INFINITY, cpu: f64::INFINITY, bytes: u64::MAX };
    for _ in 0..rounds {
        let mut command = tools.afterimage();
        command.arg(words[0]).arg(trace).args(&words[1..]).env("AFTERIMAGE_TRUST", "1").current_dir(&tools.folder);
        let one = if words[0] == "history" { index_of_writes(tools, &mut command)? } else { watched(&mut command)? };
        least = Measured {
            seconds: least.seconds.min(one.seconds),
            cpu: least.cpu.min(one.cpu),
            bytes: least.bytes.min(one.bytes),
        };
    }
    Ok(least)
}

/// The part of a history that opens the trace and indexes its writes.
fn index_of_writes(tools: &Tools, command: &mut Command) -> anyhow::Result<Measured> {
    let (said, _) = tools.run(command)?;
    let document: Value = serde_json::from_str(&said).context("afterimage did not print JSON")?;
    let seconds = document["seconds"]["open"].as_f64().context("afterimage did not say how long it took")?;
    Ok(Measured { seconds, cpu: seconds, bytes: 0 })
}

/// Runs a command, and looks now and then at the most memory that it has taken.
fn watched(command: &mut Command) -> anyhow::Result<Measured> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context("cannot start afterimage")?;
    let (mut bytes, mut cpu) = (0, 0.0);
    let status = loop {
        let (memory, seconds) = taken(&child);
        (bytes, cpu) = (memory.max(bytes), seconds.max(cpu));
        match child.try_wait()? {
            Some(status) => break status,
            None => std::thread::sleep(LOOK),
        }
    };
    ensure!(status.success(), "{command:?} failed");
    Ok(Measured { seconds: start.elapsed().as_secs_f64(), cpu, bytes })
}

/// The most memory that a process has taken so far, and its CPU seconds; zeros when it has ended.
fn taken(child: &Child) -> (u64, f64) {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default();
    let status = read("status");
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    // proc(5): user and system time are the 12th and 13th number behind the name, in ticks of 10 ms.
    let stat = read("stat");
    let ticks = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|word| word.parse::<u64>().ok()).sum();
    (most.unwrap_or(0u64) * 1024, ticks as f64 / 100.0)
}
