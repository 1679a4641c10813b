//! `cargo xtask fuzz`: runs a fuzz target.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use shader::version::Stage;
use testing::filetest;

use crate::corpus::{case::Case, piglit};
use crate::{files, process, setup};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Stop after N minutes.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// `bytes` (arbitrary bytes), `tokens` (valid shaders with shuffled tokens) or `trace` (hostile traces).
    #[arg(long, default_value = "tokens", value_name = "T")]
    target: String,
    /// Number of parallel processes.
    #[arg(long, default_value_t = 1, value_name = "N")]
    jobs: usize,
}

/// Number of piglit's shaders used as seeds.
const SEEDS: usize = 400;
/// Maximum size of a seed: small ones are mutated faster.
const LARGEST: usize = 1500;

/// Builds the target, seeds it, runs it and prints a summary.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if process::output("cargo", &["fuzz", "--version"]).is_err() {
        println!("installing cargo-fuzz");
        process::run("cargo", &["install", "--locked", "cargo-fuzz"])?;
    }
    if process::output("cargo", &["+nightly", "--version"]).is_err() {
        bail!("fuzzing needs a nightly compiler for its sanitizers: `rustup toolchain install nightly`");
    }
    let corpus = process::root().join("fuzz/corpus").join(&args.target);
    std::fs::create_dir_all(&corpus).with_context(|| format!("cannot create {}", corpus.display()))?;
    let of_traces = args.target == "trace";
    let seeds = if of_traces { seed_traces(&corpus)? } else { seed(&corpus)? };
    println!("{seeds} seeds; fuzzing `{}` for {} minutes", args.target, args.minutes);
    // Built separately, so that the reported time is that of fuzzing.
    process::run("cargo", &["+nightly", "fuzz", "build", &args.target])?;
    let start = Instant::now();
    let (time, jobs) = (format!("-max_total_time={}", args.minutes * 60), format!("--jobs={}", args.jobs));
    let mut command = process::command("cargo", &["+nightly", "fuzz", "run", &jobs, &args.target, "--"]);
    command.args(["-max_len=4096", "-timeout=10", "-print_final_stats=1", &time]);
    // A hostile trace must not take more memory than a few chunks of the largest size.
    command.arg(if of_traces { "-rss_limit_mb=1024" } else { "-dict=fuzz/glsl.dict" });
    let output = command.stdin(Stdio::null()).output().context("cannot start cargo")?;
    let log = String::from_utf8_lossy(&output.stderr);
    println!("{}", summary(&log, start.elapsed().as_secs()));
    if !output.status.success() {
        let tail: Vec<&str> = log.lines().rev().take(60).collect();
        tail.iter().rev().for_each(|line| println!("{line}"));
        bail!("`{}` found a failure; the input is in fuzz/artifacts/{}", args.target, args.target);
    }
    Ok(())
}

/// Returns executions and coverage from the last lines that contain them.
fn summary(log: &str, seconds: u64) -> String {
    let stat = |key: &str| -> u64 { log.lines().filter_map(|l| l.strip_prefix(key)?.trim().parse::<u64>().ok()).sum() };
    let last = log.lines().rev().find(|line| line.starts_with('#') && line.contains("cov: "));
    let field = |key: &str| {
        let mut words = last.unwrap_or_default().split_whitespace();
        words.find(|word| *word == key).and_then(|_| words.next()).unwrap_or("?").to_owned()
    };
    let executed = stat("stat::number_of_executed_units:");
    format!("{executed} executions in {seconds} s, coverage {} edges, {} features", field("cov:"), field("ft:"))
}

/// Adds filetests and small shaders of piglit to the folder of inputs, each with a header of options
/// (`fuzz/src/input.rs`). Inputs of earlier runs stay.
fn seed(corpus: &Path) -> anyhow::Result<usize> {
    setup::ensure_piglit()?;
    let small = |case: &Case| case.shaders.iter().all(|s| s.strings.iter().map(String::len).sum::<usize>() <= LARGEST);
    let mut cases: Vec<Case> = piglit::read(&setup::piglit_dir())?.cases.into_iter().filter(small).collect();
    cases.sort_by_cached_key(|case| *blake3::hash(case.name.as_bytes()).as_bytes());
    cases.truncate(SEEDS);
    let mut seeds: Vec<(Stage, String)> = Vec::new();
    for source in cases.into_iter().flat_map(|case| case.shaders) {
        seeds.push((source.stage, source.strings.join("\0")));
    }
    for path in files::below(&process::root().join("filetests"))? {
        if files::extension(&path) != "glsl" {
            continue;
        }
        let read = filetest::read(&std::fs::read_to_string(&path)?);
        for shader in read.map_err(|error| anyhow!("{}: {error}", path.display()))? {
            seeds.push((shader.options.stage, shader.text));
        }
    }
    for (at, (stage, text)) in seeds.iter().enumerate() {
        let number = Stage::ALL.iter().position(|s| s == stage).unwrap_or(0) as u8;
        let mut bytes = vec![number, 0];
        bytes.extend_from_slice(text.as_bytes());
        std::fs::write(corpus.join(format!("seed-{at}")), bytes)?;
    }
    Ok(seeds.len())
}

/// Adds golden traces to the folder of inputs.
fn seed_traces(corpus: &Path) -> anyhow::Result<usize> {
    let mut seeds = 0;
    for entry in std::fs::read_dir(process::root().join("crates/trace/tests/golden"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "aftr")
            && let Some(name) = path.file_name()
        {
            std::fs::copy(&path, corpus.join(name))?;
            seeds += 1;
        }
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn a_log_is_summed_up() {
        let log = "#12\tNEW    cov: 10 ft: 20 corp: 3\n#99\tDONE   cov: 11 ft: 22 corp: 3\nstat::number_of_executed_units: 99\n";
        assert_eq!(summary(log, 7), "99 executions in 7 s, coverage 11 edges, 22 features");
    }
}
