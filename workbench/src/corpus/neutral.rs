//! `cargo xtask corpus neutral`: shaders with disabled probes must draw what they drew before.
//!
//! Every test of piglit's `shader_runner` that draws is recorded, many in a process, and so are the scenes of glmark2
//! and the demos. Each trace is replayed unchanged and with its shaders replaced by variants for a random query; the
//! uniform that enables the probes is never set. Images after each draw and everything that the program read back must
//! be bitwise equal. Where they are not, `exact` tells whether the driver is to blame.

mod exact;
mod judge;
mod packed;
mod recorded;
mod weaving;
pub mod worker;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::pool;
use super::ratchet::{Ratchet, Share};
use super::record::Display;
use judge::{Limits, Outcome};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run only tests whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Run at most N tests, chosen by the hash of their names.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of the random choice of queries.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Run the sample of `cargo xtask test`.
    #[arg(long, conflicts_with_all = ["filter", "sample"])]
    ci: bool,
    /// Leave out glmark2 and the demos.
    #[arg(long)]
    tests_only: bool,
    /// Print each test that differs, and each shader that is not instrumented.
    #[arg(long)]
    list: bool,
    /// Number of parallel processes.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Timeout in seconds for the replays of one trace, after which it is split.
    #[arg(long, value_name = "S", default_value_t = TIMEOUT)]
    timeout: u64,
    /// Record again what was recorded before.
    #[arg(long)]
    again: bool,
    /// Copy the traces with their tests to this folder, to be judged on another machine.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// Judge the packed traces of this folder on this machine's driver.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["filter", "sample", "ci", "pack", "update_ratchet"])]
    packed: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Timeout in seconds for the replays of one trace.
const TIMEOUT: u64 = 150;
/// Maximum number of attempts for a trace, and the same when its tests can be recorded again, one by one.
const MAX_TRIES: usize = 14;
const TRIES_BEFORE_ALONE: usize = 6;
/// Number of tests that `cargo xtask test` runs, and additional ones: programs that enumerate their blocks, core
/// contexts that lack an extension which others have, blocks indexed in a divergent loop, loops that compilers unroll.
const CI_SAMPLE: usize = 60;
const CI_ALSO: &[&str] = &[
    "ubo_array_indexing/fs-two-arrays.",
    "uniform_buffer/fs-two-members.",
    "ubo_array_indexing/fs-nonuniform-control-flow.",
    "arb_tessellation_shader/execution/vs-tes-max-in-out-components.",
];

/// Runs a sample with the ratchet, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, tests_only: true, threads: 2, seed: 1, timeout: TIMEOUT, ..Args::default() })
}

/// Records, replays and compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let begin = Instant::now();
    let (traces, recorder) = match &args.packed {
        Some(folder) => (packed::read(folder)?, None),
        None => {
            let recorder = Recorder::start(args)?;
            (recorder.traces(args)?, Some(recorder))
        }
    };
    println!("{} traces in {:.0?}", traces.len(), begin.elapsed());
    if let Some(folder) = &args.pack {
        return packed::write(&traces, folder);
    }
    let tries = if recorder.is_some() { TRIES_BEFORE_ALONE } else { MAX_TRIES };
    let limits = Limits { replay: Duration::from_secs(args.timeout), tries };
    let numbered: Vec<(usize, recorded::Trace)> = traces.into_iter().enumerate().collect();
    let outcomes = pool::each(
        &numbered,
        args.threads.max(1),
        || (),
        |(), (number, trace)| {
            if number % 20 == 0 {
                println!("  {number} of {}: {:.0?}", numbered.len(), begin.elapsed());
            }
            judge::judge(trace, args.seed, limits)
        },
    )?;
    let mut all = Outcome::default();
    outcomes.into_iter().for_each(|outcome| all.add(outcome));
    if let Some(recorder) = &recorder {
        let unjudged = recorder.tests_named(&all.unjudged());
        if !unjudged.is_empty() {
            println!("{} tests take too long or crash together with others; they are judged alone", unjudged.len());
        }
        let judge = |test: &recorded::Test| recorder.judge_alone(test, args.seed, limits);
        let outcomes = pool::each(&unjudged, args.threads.max(1), || (), |(), test| judge(test))?;
        unjudged.iter().zip(outcomes).for_each(|(test, outcome)| all.add_alone(&test.name, outcome));
    }
    report(&all, args.list);
    println!("in {:.0?}", begin.elapsed());
    let whole =
        args.packed.is_none() && args.filter.is_none() && args.sample.is_none() && args.seed == 1 && !args.tests_only;
    if args.ci || whole {
        let section = if args.ci { "neutral-sample" } else { "neutral" };
        // Differences caused by the driver are not ours to fix.
        let numbers = [
            ("same", Share { right: all.same() + all.inexact.len(), total: all.drew.len() }),
            ("woven", Share { right: all.woven as usize, total: all.shaders as usize }),
        ];
        Ratchet::read()?.settle(section, &numbers, args.update_ratchet)?;
    }
    Ok(())
}

/// The tests that draw, and the tools that record them.
struct Recorder {
    tests: Vec<recorded::Test>,
    tools: recorded::Tools,
    /// The X server that they draw on.
    _display: Display,
}

impl Recorder {
    /// Finds the tests.
    fn start(args: &Args) -> anyhow::Result<Recorder> {
        let sample = if args.ci { Some(CI_SAMPLE) } else { args.sample };
        let also = if args.ci { CI_ALSO } else { &[] };
        let tests = recorded::tests(args.filter.as_deref(), sample, also)?;
        println!("{} tests that draw", tests.len());
        let display = Display::start()?;
        let tools = recorded::Tools::new(display.name.clone(), args.again)?;
        Ok(Recorder { tests, tools, _display: display })
    }

    /// Records what was not recorded before.
    fn traces(&self, args: &Args) -> anyhow::Result<Vec<recorded::Trace>> {
        let batches = recorded::batches(&self.tests);
        let record = |batch: &Vec<recorded::Test>| recorded::record(batch, &self.tools);
        let recorded = pool::each(&batches, args.threads.max(1), || (), |(), batch| record(batch))?;
        let mut traces: Vec<recorded::Trace> = recorded.into_iter().flatten().collect();
        if !args.tests_only && args.filter.is_none() {
            traces.extend(recorded::programs()?);
        }
        Ok(traces)
    }

    fn tests_named(&self, names: &[&String]) -> Vec<recorded::Test> {
        self.tests.iter().filter(|test| names.contains(&&test.name)).cloned().collect()
    }

    /// Records a test alone, and judges it.
    fn judge_alone(&self, test: &recorded::Test, seed: u64, limits: Limits) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::default();
        for trace in recorded::record(std::slice::from_ref(test), &self.tools)? {
            outcome.add(judge::judge(&trace, seed, limits)?);
        }
        Ok(outcome)
    }
}

/// Why differences are known to be caused by the driver.
const INEXACT: &str = "the driver rearranges arithmetic differently where there are probes; the difference disappears \
                       when everything is `precise`, in the shaders and in their variants";

fn report(all: &Outcome, list: bool) {
    println!("{} shaders, {} of them with probes", all.shaders, all.woven);
    let mut left: Vec<(&String, &u64)> = all.left.iter().collect();
    left.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in left.iter().take(if list { usize::MAX } else { 12 }) {
        println!("  {count:6} not instrumented: {reason}");
    }
    println!(
        "{} tests and programs drew, {} draws and {} readbacks compared",
        all.drew.len(),
        all.draws,
        all.readbacks
    );
    println!("{} bitwise equal, {} different", all.same(), all.different.len());
    all.different.iter().for_each(|name| println!("  different: {name}"));
    println!("{} inexact: {INEXACT}", all.inexact.len());
    all.inexact.iter().for_each(|name| println!("  inexact: {name}"));
    println!("{} not deterministic", all.unsteady.len());
    all.unsteady.iter().for_each(|name| println!("  unsteady: {name}"));
    println!("{} too slow: replaying a variant takes minutes, mostly to compile it", all.slow.len());
    all.slow.iter().for_each(|name| println!("  slow: {name}"));
    println!("{} have a variant that crashes the driver", all.crashed.len());
    all.crashed.iter().for_each(|name| println!("  crashed: {name}"));
    if list || !all.different.is_empty() || !all.crashed.is_empty() {
        all.details.iter().for_each(|detail| println!("  {detail}"));
    }
    println!("{} variants rejected by the driver", all.rejected.len());
    for text in all.rejected.iter().take(if list { usize::MAX } else { 3 }) {
        println!("---\n{text}");
    }
}
