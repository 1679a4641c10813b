//! `cargo xtask corpus neutral`: shaders with probes that are switched off draw what they drew.
//!
//! Every test of piglit's `shader_runner` that draws is recorded, many in a process, and so are the scenes of glmark2
//! and the demos. Each trace is replayed as it was recorded and with the shaders' texts replaced by variants that ask a
//! random question; the uniform that switches the probes on is never set. Pictures after each draw and everything the
//! program read back must be the same in every bit.

mod packed;
mod recorded;
pub mod worker;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::ratchet::{Ratchet, Share};
use super::record::{Display, child};
use super::{differ::Random, pool};

/// What to run and show.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Only tests whose name contains this.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// At most so many tests, chosen by the hash of their names.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Another number, other questions.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The sample that `cargo xtask test` runs.
    #[arg(long, conflicts_with_all = ["filter", "sample"])]
    ci: bool,
    /// Leave out glmark2 and the demos.
    #[arg(long)]
    tests_only: bool,
    /// Print each test that differs, and each shader that is not woven.
    #[arg(long)]
    list: bool,
    /// How many processes at a time.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Record again what was recorded before.
    #[arg(long)]
    again: bool,
    /// Copy the traces to this folder, with the tests in them, to be judged on another machine.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// Judge what was packed, on whatever driver is here.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["filter", "sample", "ci", "pack", "update_ratchet"])]
    packed: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// How many tests `cargo xtask test` runs.
const CI_SAMPLE: usize = 60;
/// How long the replays of one trace may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What became of a trace.
#[derive(Default)]
struct Outcome {
    /// Programs or tests that drew.
    drew: usize,
    /// Those with a difference.
    different: Vec<String>,
    /// Those that differ from themselves, too.
    unsteady: Vec<String>,
    /// Draws compared, and those with a program one of whose shaders is a variant.
    draws: u64,
    /// Things read back that were compared.
    readbacks: u64,
    shaders: u64,
    woven: u64,
    /// Why shaders are left as they are.
    left: BTreeMap<String, u64>,
    /// What the driver says to variants.
    rejected: Vec<String>,
    /// What ended the replay.
    failed: Option<String>,
}

/// A sample with the ratchet, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, tests_only: true, threads: 2, seed: 1, ..Args::default() })
}

/// Records, replays and compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let begin = Instant::now();
    let traces = match &args.packed {
        Some(folder) => packed::read(folder)?,
        None => record_all(args)?,
    };
    println!("{} traces in {:.0?}", traces.len(), begin.elapsed());
    if let Some(folder) = &args.pack {
        return packed::write(&traces, folder);
    }
    let numbered: Vec<(usize, recorded::Trace)> = traces.into_iter().enumerate().collect();
    let outcomes = pool::each(
        &numbered,
        args.threads.max(1),
        || (),
        |(), (number, trace)| {
            if number % 20 == 0 {
                println!("  {number} of {}: {:.0?}", numbered.len(), begin.elapsed());
            }
            judge(trace, args.seed)
        },
    )?;
    let all = sum(outcomes);
    report(&all, args.list);
    println!("in {:.0?}", begin.elapsed());
    let whole =
        args.packed.is_none() && args.filter.is_none() && args.sample.is_none() && args.seed == 1 && !args.tests_only;
    if args.ci || whole {
        let section = if args.ci { "neutral-sample" } else { "neutral" };
        let same = all.drew - all.different.len();
        let numbers = [
            ("same", Share { right: same, total: all.drew }),
            ("woven", Share { right: all.woven as usize, total: all.shaders as usize }),
        ];
        Ratchet::read()?.settle(section, &numbers, args.update_ratchet)?;
    }
    Ok(())
}

/// Records what was not recorded before.
fn record_all(args: &Args) -> anyhow::Result<Vec<recorded::Trace>> {
    let sample = if args.ci { Some(CI_SAMPLE) } else { args.sample };
    let tests = recorded::tests(args.filter.as_deref(), sample)?;
    println!("{} tests that draw", tests.len());
    let display = Display::start()?;
    let tools = recorded::Tools::new(display.name.clone(), args.again)?;
    let batches = recorded::batches(&tests);
    let recorded = pool::each(&batches, args.threads.max(1), || (), |(), batch| recorded::record(batch, &tools))?;
    let mut traces: Vec<recorded::Trace> = recorded.into_iter().flatten().collect();
    if !args.tests_only && args.filter.is_none() {
        traces.extend(recorded::programs()?);
    }
    Ok(traces)
}

/// Replays a trace twice in a process of its own.
fn judge(trace: &recorded::Trace, seed: u64) -> anyhow::Result<Outcome> {
    let mut random = Random::named(&trace.path.to_string_lossy());
    let folder: PathBuf = std::env::temp_dir().join(format!("afterimage-neutral-{:016x}", random.next()));
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.arg("neutral-worker").arg(&trace.path).arg(seed.to_string());
    command.env("DISPLAY", "");
    let finished = child::finish(&mut command, &folder, PATIENCE, None)?;
    let reply: Option<Value> = finished.stdout.lines().last().and_then(|line| serde_json::from_str(line).ok());
    std::fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
    let Some(reply) = reply.filter(|_| finished.status == Some(0)) else {
        let why = finished.stderr.lines().last().unwrap_or("it says nothing").to_owned();
        let status = finished.status.map_or("no end".to_owned(), |status| format!("status {status}"));
        let names = trace.tests.clone();
        return Ok(Outcome {
            drew: names.len(),
            different: names,
            failed: Some(format!("{}: {status}: {why}", trace.path.display())),
            ..Outcome::default()
        });
    };
    Ok(read(trace, &reply))
}

/// What a worker says, test by test.
fn read(trace: &recorded::Trace, reply: &Value) -> Outcome {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut outcome = Outcome {
        draws: number(&reply["draws"]),
        readbacks: number(&reply["readbacks"]),
        shaders: number(&reply["shaders"]),
        woven: number(&reply["woven"]),
        rejected: list(&reply["rejected"]).iter().map(text).collect(),
        ..Outcome::default()
    };
    for (reason, count) in reply["left"].as_object().into_iter().flatten() {
        outcome.left.insert(reason.clone(), number(count));
    }
    // Which test a draw belongs to is known by the shader's text that was handed over last before it.
    let sources: Vec<String> = list(&reply["drawn_sources"]).iter().map(text).collect();
    let of = |source: &str| trace.test_of(source);
    let mut drew: Vec<String> = sources.iter().map(|source| of(source)).collect();
    drew.sort();
    drew.dedup();
    outcome.drew = drew.len();
    for (key, to) in [("different", &mut outcome.different), ("unsteady", &mut outcome.unsteady)] {
        to.extend(list(&reply[key]).iter().map(|source| of(&text(source))));
        to.sort();
        to.dedup();
    }
    let unsteady = outcome.unsteady.clone();
    outcome.different.retain(|name| !unsteady.contains(name));
    outcome
}

fn sum(outcomes: Vec<Outcome>) -> Outcome {
    let mut all = Outcome::default();
    for outcome in outcomes {
        all.drew += outcome.drew;
        all.different.extend(outcome.different);
        all.unsteady.extend(outcome.unsteady);
        all.draws += outcome.draws;
        all.readbacks += outcome.readbacks;
        all.shaders += outcome.shaders;
        all.woven += outcome.woven;
        all.rejected.extend(outcome.rejected);
        for (reason, count) in outcome.left {
            *all.left.entry(reason).or_default() += count;
        }
        if let Some(failed) = outcome.failed {
            println!("not replayed to the end: {failed}");
        }
    }
    all.different.sort();
    all.different.dedup();
    all
}

fn report(all: &Outcome, list: bool) {
    println!("{} shaders, {} of them with probes", all.shaders, all.woven);
    let mut left: Vec<(&String, &u64)> = all.left.iter().collect();
    left.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in left.iter().take(if list { usize::MAX } else { 12 }) {
        println!("  {count:6} left as they are: {reason}");
    }
    println!("{} tests and programs drew, {} draws and {} readbacks compared", all.drew, all.draws, all.readbacks);
    println!("{} different, {} differ from themselves", all.different.len(), all.unsteady.len());
    all.different.iter().for_each(|name| println!("  different: {name}"));
    if list {
        all.unsteady.iter().for_each(|name| println!("  unsteady: {name}"));
    }
    println!("{} variants refused by the driver", all.rejected.len());
    for text in all.rejected.iter().take(if list { usize::MAX } else { 3 }) {
        println!("---\n{text}");
    }
}
