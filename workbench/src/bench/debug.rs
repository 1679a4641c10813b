//! `cargo xtask bench debug`: the latency of the debugger, and the cost of a second session.

mod sessions;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::Value;

use super::document;
use super::record::measure::Tools;
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions.
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Only print; do not write docs/benchmarks.md.
    #[arg(long)]
    print: bool,
}

/// A pixel of the lighting pass, and a line of its shader in a loop.
const PIXEL: &str = "200,60";
const LINES: u64 = 69;
const LOOP_LINE: &str = "64";
const CONDITION: &str = "i == 3 && isnan(sum.x)";

/// An operation that the user waits for.
struct Wait {
    name: &'static str,
    /// Seconds, one per repetition.
    seconds: Vec<f64>,
    /// The target in seconds.
    target: f64,
}

/// Measures and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("bench-debug")?;
    let trace = tools.folder.join("deferred.aftr");
    let mut record = Command::new(tools.built.join("afterimage"));
    record.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--").arg(tools.built.join("deferred"));
    tools.run(record.args(["--frames", "8"]))?;
    let info = json(&tools, "info", &trace, &[])?.0;
    let (command, shader) = light(&info)?;
    let mut rounds = Vec::new();
    for _ in 0..args.rounds.max(1) {
        tools.cache_only(&trace)?;
        let mut asked = tools.afterimage();
        asked.arg("debug").arg(&trace).args(["--pixel", PIXEL, "--at", &command, "--bench", "1"]);
        let answer: Value = serde_json::from_str(&tools.run(&mut asked)?.0).context("afterimage did not print JSON")?;
        rounds.extend(answer["rounds"].as_array().cloned().unwrap_or_default());
    }
    let all = |key: &str| -> Vec<f64> {
        let numbers = |round: &Value| match &round[key] {
            Value::Array(list) => list.iter().filter_map(Value::as_f64).collect(),
            one => one.as_f64().into_iter().collect::<Vec<_>>(),
        };
        rounds.iter().flat_map(numbers).collect()
    };
    let waits = [
        Wait { name: "click to the first stop, cold", seconds: all("cold"), target: 0.5 },
        Wait { name: "another pixel of the same draw", seconds: all("same_draw"), target: 0.15 },
        Wait { name: "the first step", seconds: all("first_step"), target: 0.01 },
        Wait { name: "the first value that the device recorded, meanwhile", seconds: all("first_value"), target: 2. },
        Wait { name: "all values that it recorded", seconds: all("recorded"), target: 60. },
        Wait { name: "one step, with locals and inputs", seconds: all("step"), target: 0.01 },
        Wait { name: "one step back, with locals and inputs", seconds: all("back"), target: 0.01 },
        Wait { name: "a value under the mouse", seconds: all("evaluate"), target: 0.02 },
    ];
    let (mut found, mut replayed) = (f64::INFINITY, f64::INFINITY);
    let site = format!("{shader}:{LOOP_LINE}");
    for _ in 0..args.rounds.max(1) {
        found = found.min(json(&tools, "break", &trace, &["--site", &site, "--if", CONDITION])?.1);
        replayed = replayed.min(json(&tools, "replay", &trace, &[])?.1);
    }
    let text = table(&waits, found, replayed, args.rounds) + &sessions::text(&sessions::measure(&tools)?);
    print!("{text}");
    if !args.print {
        document::write(&text)?;
    }
    Ok(())
}

/// Returns the output of a command about the trace, and its duration.
fn json(tools: &Tools, command: &str, trace: &Path, more: &[&str]) -> anyhow::Result<(Value, f64)> {
    let start = Instant::now();
    let asked = tools
        .afterimage()
        .arg(command)
        .arg(trace)
        .args(more)
        .arg("--json")
        .output()
        .context("cannot start afterimage")?;
    let seconds = start.elapsed().as_secs_f64();
    // A condition that never holds is a valid result, too.
    if !matches!(asked.status.code(), Some(0 | 1)) {
        bail!("afterimage {command} failed: {}", String::from_utf8_lossy(&asked.stderr).trim());
    }
    Ok((serde_json::from_slice(&asked.stdout).context("afterimage did not print JSON")?, seconds))
}

/// Returns the last draw of the lighting pass, and the number of its shader.
fn light(info: &Value) -> anyhow::Result<(String, String)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for (place, program) in list(&info["programs"]).iter().enumerate() {
        let shaders = list(&program["shaders"]);
        let shader = shaders.iter().find(|shader| shader["stage"] == "fragment" && shader["lines"] == LINES);
        let draws = list(&info["draws"]);
        let draw = draws.iter().rev().find(|draw| draw["program"] == place);
        if let (Some(shader), Some(draw)) = (shader, draw) {
            return Ok((draw["command"].to_string(), shader["name"].to_string()));
        }
    }
    bail!("no fragment shader of the demo has {LINES} lines; update LINES")
}

fn table(waits: &[Wait], found: f64, replayed: f64, rounds: usize) -> String {
    let mut text = format!(
        "# The debugger in numbers\n\n\
         Made by `cargo xtask bench debug`: the lighting pass of the last frame of the demo `deferred`, release build, Mesa's llvmpipe,\n\
         with only the program's shaders in its cache, on a shared machine; {rounds} repetitions. Milliseconds.\n\n\
         | Operation | times | min | median | max | target | |\n|---|--:|--:|--:|--:|--:|---|\n"
    );
    for wait in waits {
        let mut sorted = wait.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 2).copied().unwrap_or(f64::NAN);
        let met = if at(1) <= wait.target { "met" } else { "missed" };
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {} | {met} |",
            wait.name,
            sorted.len(),
            at(0) * 1e3,
            at(1) * 1e3,
            at(2) * 1e3,
            wait.target * 1e3,
        );
    }
    let ratio = found / replayed;
    let _ = writeln!(
        text,
        "\n\
         The target is for the median. A conditional breakpoint in a loop, over all draws of the trace\n\
         (`afterimage break --if '{CONDITION}'`), takes {:.0} ms from start to end of the process; replaying the trace takes\n\
         {:.0} ms, so the breakpoint takes {ratio:.1} times as long (target 3: {}).",
        found * 1e3,
        replayed * 1e3,
        if ratio <= 3.0 { "met" } else { "missed" },
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_compared_with_the_target() {
        let wait = |seconds: &[f64]| Wait { name: "x", seconds: seconds.to_vec(), target: 0.01 };
        let text = table(&[wait(&[0.001, 0.02, 0.009]), wait(&[0.02, 0.011, 0.001])], 2.0, 1.0, 1);
        assert!(text.contains("| x | 3 | 1.00 | 9.00 | 20.00 | 10 | met |"), "{text}");
        assert!(text.contains("| x | 3 | 1.00 | 11.00 | 20.00 | 10 | missed |"), "{text}");
        assert!(text.contains("2.0 times as long (target 3: met)"), "{text}");
    }
}
