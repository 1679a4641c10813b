//! `cargo xtask bench seek`: how long it takes to get to the last frame of a game, with and without leaving out what earlier
//! frames drew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::document;
use crate::corpus::Display;
use crate::{process, setup};

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions; the shortest time counts.
    #[arg(long, default_value_t = 2, value_name = "N")]
    rounds: usize,
    /// Seconds that the game is recorded for; with any other than the default, docs/benchmarks.md is not written.
    #[arg(long, default_value_t = SECONDS, value_name = "SECONDS")]
    seconds: u64,
    /// Record the game again.
    #[arg(long)]
    again: bool,
}

const SECONDS: u64 = 25;

/// Most seconds from the start of a command to its picture, per 769,057 calls.
const MOST_SECONDS: f64 = 2.0;
const CALLS: f64 = 769_057.0;

/// The game's renderers, and what to say of them.
const RENDERERS: [(&str, &str); 2] =
    [("OpenGL 1 renderer", "opengl1"), ("OpenGL 2 renderer, whose exposure depends on all earlier frames", "opengl2")];

/// The time and processor time of one command, and its report.
struct Measured {
    seconds: f64,
    cpu: f64,
    report: Value,
}

/// Measures everything and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["openarena", "xvfb", "libgl1-mesa-dri"])?;
    let afterimage = process::build_product(true)?.join("afterimage");
    let display = Display::start()?;
    let mut text = format!(
        "# The last frame of a game\n\n\
         Made by `cargo xtask bench seek`: OpenArena recorded for {} seconds with Mesa's llvmpipe, in a map with one opponent, and\n\
         the picture after a draw of its last frame. Seconds of the whole process on a shared machine, the shortest of {} runs:\n\
         as usual, and with `--no-skip`, which executes every call. The target is {MOST_SECONDS} s for 769,057 calls.\n\n\
         | Recording | calls | frames | seconds | CPU seconds | every call, seconds | CPU seconds | calls left out | target |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|---|\n",
        args.seconds, args.rounds,
    );
    for (name, renderer) in RENDERERS {
        println!("{name}");
        let trace = record(&afterimage, &display, renderer, args)?;
        let info = json(Command::new(&afterimage).arg("info").arg(&trace))?;
        let draws = info["draws"].as_array().context("info lists no draws")?;
        let command = draws.last().context("nothing was drawn")?["command"].to_string();
        let calls = info["calls"].as_f64().context("info does not count calls")?;
        let frames = info["frames"].as_array().map_or(0, Vec::len);
        let usual = measure(&afterimage, &trace, (&command, &[]), args.rounds)?;
        let whole = measure(&afterimage, &trace, (&command, &["--no-skip"]), args.rounds)?;
        let met = if usual.seconds <= MOST_SECONDS * (calls / CALLS).max(1.0) { "met" } else { "**not met**" };
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {name} | {calls} | {frames} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {met} |",
            usual.seconds, usual.cpu, whole.seconds, whole.cpu, usual.report["passed_over"],
        );
    }
    print!("{text}");
    if args.seconds == SECONDS {
        document::write(&text)?;
    }
    Ok(())
}

/// Records the game, once.
fn record(afterimage: &Path, display: &Display, renderer: &str, args: &Args) -> anyhow::Result<PathBuf> {
    let folder = process::target_dir().join("bench-seek");
    std::fs::create_dir_all(&folder)?;
    let trace = folder.join(format!("{renderer}.aftr"));
    if trace.exists() && !args.again {
        return Ok(trace);
    }
    let mut command = Command::new(afterimage);
    command.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--");
    command.args(["/usr/games/openarena", "+set", "cl_renderer", renderer, "+set", "r_fullscreen", "0"]);
    command.args(["+set", "r_mode", "3", "+set", "s_initsound", "0", "+map", "oa_dm1", "+addbot", "sarge"]);
    command.env("DISPLAY", &display.name).env("HOME", &folder).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start afterimage")?;
    std::thread::sleep(Duration::from_secs(args.seconds));
    process::run("kill", &["-TERM", &child.id().to_string()])?;
    child.wait()?;
    ensure!(trace.exists(), "openarena was not recorded");
    Ok(trace)
}

fn json(command: &mut Command) -> anyhow::Result<Value> {
    let output = command.arg("--json").output().context("cannot start afterimage")?;
    serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Takes a picture after a command some times; the shortest time counts.
fn measure(afterimage: &Path, trace: &Path, (at, more): (&str, &[&str]), rounds: usize) -> anyhow::Result<Measured> {
    let mut least: Option<Measured> = None;
    for _ in 0..rounds.max(1) {
        let images = trace.with_extension("images");
        let mut command = Command::new(afterimage);
        command.arg("replay").arg(trace).args(["--at", at, "--force", "--timeout", "600", "--images"]).arg(&images);
        let start = Instant::now();
        let report = json(command.args(more))?;
        let seconds = start.elapsed().as_secs_f64();
        let cpu = report["cpu_seconds"].as_f64().with_context(|| format!("replay: {}", report["reason"]))?;
        if least.as_ref().is_none_or(|least| seconds < least.seconds) {
            least = Some(Measured { seconds, cpu, report });
        }
    }
    least.context("nothing was measured")
}
