//! `cargo xtask soak`: debugs traces for a long time, and watches the memory of the workers.
//!
//! A round chooses a pixel of a frame at random, asks for its history, and executes some commands of the debugger. A worker
//! must stay below a bound, must not grow after the first quarter of the rounds, and must not be replaced.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::process;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Debug these traces; without any, eight demos are recorded.
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Do N rounds with each trace.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    rounds: usize,
    /// Execute N random commands of the debugger in each round, besides `pixel` and `history`.
    #[arg(long, value_name = "N", default_value_t = 4)]
    commands: usize,
    /// Fail if a worker takes more than N megabytes.
    #[arg(long, value_name = "N", default_value_t = 800)]
    bound: u64,
    /// Fail if a worker grows by more than N megabytes after the first quarter of the rounds.
    #[arg(long, value_name = "N", default_value_t = 96)]
    growth: u64,
    /// Choose pixels below this width and height.
    #[arg(long, value_name = "W,H", value_delimiter = ',', num_args = 1, default_value = "240,160")]
    size: Vec<u64>,
    /// Choose by this seed.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Debug with this program instead of one that is built first.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Programs of the workspace that are recorded. `legacy` starts over for most questions; its rounds take seconds.
const DEMOS: [&str; 8] = ["deferred", "chain", "gles2", "particles", "pingpong", "samples", "stages", "legacy"];

/// What is executed at random.
const COMMANDS: [&str; 14] = [
    "next",
    "step",
    "finish",
    "next 3",
    "reverse-next",
    "reverse-step",
    "info locals",
    "info uniforms",
    "backtrace",
    "lanes",
    "reads",
    "into-read",
    "findings",
    "list",
];

/// The last command of a round.
const MARK: &str = "> print 1";

/// How often the memory is printed in a run.
const LINES: usize = 20;

/// Debugs, and prints the memory of the workers.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let [width, height] = args.size[..] else { bail!("--size takes a width and a height, such as 240,160") };
    ensure!(width > 0 && height > 0 && args.rounds >= 8, "too little to do: there must be pixels, and 8 rounds");
    let folder = match &args.program {
        Some(program) if args.traces.is_empty() => program.parent().context("the program has no folder")?.to_owned(),
        Some(_) => PathBuf::new(),
        None => process::build_product(false)?,
    };
    let program = args.program.clone().unwrap_or_else(|| folder.join("afterimage"));
    let traces = if args.traces.is_empty() { record(&program, &folder)? } else { args.traces.clone() };
    let mut failures = Vec::new();
    for trace in &traces {
        if let Err(error) = soak(args, [width, height], &program, trace) {
            println!("  {error:#}");
            failures.push(trace.display().to_string());
        }
    }
    println!("{} of {} traces: the worker's memory is flat", traces.len() - failures.len(), traces.len());
    ensure!(failures.is_empty(), "not with {}", failures.join(", "));
    Ok(())
}

fn record(program: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let traces = process::target_dir().join("soak");
    std::fs::create_dir_all(&traces)?;
    let record = |demo: &str| {
        let trace = traces.join(format!("{demo}.aftr"));
        let mut command = Command::new(program);
        command.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--").arg(folder.join(demo));
        ensure!(command.status()?.success(), "the demo {demo} cannot be recorded");
        Ok(trace)
    };
    DEMOS.into_iter().map(record).collect()
}

/// Debugs a trace.
fn soak(args: &Args, size: [u64; 2], program: &Path, trace: &Path) -> anyhow::Result<()> {
    println!("{}", trace.display());
    let mut command = Command::new(program);
    command.arg("debug").arg(trace).args(["--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let start = Instant::now();
    let mut debugger = command.stderr(Stdio::piped()).spawn().context("the debugger cannot be started")?;
    let mut errors = debugger.stderr.take().context("the debugger has no standard error")?;
    // A failure is explained by what the debugger said last, wherever it said it.
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).map(|_| text)
    });
    let script = script(args, size, frames(program, trace)?);
    let mut input = debugger.stdin.take().context("the debugger has no input")?;
    // All of it is read before the first command is executed.
    input.write_all(script.as_bytes())?;
    drop(input);
    let watched = watch(args, &mut debugger, start);
    // After a failure it may be in the middle of something.
    let _ = debugger.kill();
    debugger.wait()?;
    let said = errors.join().ok().context("the reader of standard error panicked")??;
    watched.inspect_err(|_| print_end(&said))
}

/// Prints the end of what the debugger said on standard error.
fn print_end(said: &[u8]) {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(10)..].iter().for_each(|line| println!("    {line}"));
}

/// Returns the commands of all rounds.
fn script(args: &Args, [width, height]: [u64; 2], frames: u64) -> String {
    let mut state = args.seed;
    // A linear congruential generator; its upper bits are random enough to choose pixels.
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut script = String::new();
    for _ in 0..args.rounds {
        script += &format!("pixel {},{} {}\nhistory\n", below(width), below(height), below(frames));
        for _ in 0..args.commands {
            script += COMMANDS[below(COMMANDS.len() as u64) as usize];
            script.push('\n');
        }
        script += "print 1\n";
    }
    script
}

/// Returns the number of frames of a trace.
fn frames(program: &Path, trace: &Path) -> anyhow::Result<u64> {
    let output = Command::new(program).args(["info", "--json"]).arg(trace).output()?;
    let document: Value = serde_json::from_slice(&output.stdout).context("the trace cannot be read")?;
    Ok((document["frames"].as_array().map_or(0, Vec::len) as u64).max(1))
}

/// Follows the rounds, and looks at the worker after each.
fn watch(args: &Args, debugger: &mut Child, start: Instant) -> anyhow::Result<()> {
    let output = debugger.stdout.take().context("the debugger has no output")?;
    let (mut rounds, mut first, mut settled, mut most, mut histories) = (0, None, 0, 0, 0);
    let mut round = Vec::new();
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        histories += usize::from(line.windows(12).any(|part| part == b" of surface ") && line.contains(&b'='));
        if line != MARK.as_bytes() {
            round.push(line);
            continue;
        }
        rounds += 1;
        let said = std::mem::take(&mut round);
        // The debugger may have ended after the last.
        let Some((worker, megabytes)) = worker(debugger.id()) else { continue };
        most = most.max(megabytes);
        if rounds <= args.rounds.div_ceil(4) {
            settled = most;
        }
        if rounds == 1 || rounds % args.rounds.div_ceil(LINES) == 0 {
            println!(
                "  round {rounds:5}: {megabytes:5} MB, at most {most:5} MB, {:.0} s",
                start.elapsed().as_secs_f64()
            );
        }
        if *first.get_or_insert(worker) != worker {
            said.iter().for_each(|line| println!("    {}", String::from_utf8_lossy(line)));
            bail!("the worker was replaced in round {rounds}, in which the debugger said this");
        }
        ensure!(megabytes <= args.bound, "{megabytes} MB after {rounds} rounds, more than {} MB", args.bound);
    }
    let grown = most - settled;
    println!(
        "  {rounds} rounds in {:.0} s: at most {most} MB, {grown} MB more than after a quarter of them",
        start.elapsed().as_secs_f64()
    );
    ensure!(rounds == args.rounds, "the debugger ended after {rounds} rounds");
    ensure!(histories > rounds, "only {histories} lines of histories were printed; --size may be too large");
    ensure!(grown <= args.growth, "the worker grew by {grown} MB, more than {} MB", args.growth);
    Ok(())
}

/// Returns the worker of a debugger, and its resident memory in megabytes.
fn worker(debugger: u32) -> Option<(u32, u64)> {
    let is_child = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name, in parentheses, may have spaces and parentheses; the state and the parent follow it.
        let parent = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        parent == Some(&debugger.to_string())
    };
    let mut processes =
        std::fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let worker = processes.find(is_child)?;
    let status = std::fs::read_to_string(format!("/proc/{worker}/status")).ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some((worker, size.split_whitespace().next()?.parse::<u64>().ok()? / 1024))
}
