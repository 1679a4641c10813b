//! `cargo xtask corpus equal`: compares values of shaders on the driver with those of the emulator, moment by moment.
//!
//! For each shader of the corpora one invocation is recorded with the value of every expression, on the driver and on
//! the emulator, with the same variant. Random records are the triples of shader, invocation and moment that are
//! compared. A difference beyond the budget of floats is settled by a third run ([`rerun`]): the emulator again, with
//! the driver's measured value for each expression, so that every operation up to the value is computed from measured
//! operands; and by the bounds that the specification sets for that one operation and those operands
//! ([`verdict::settle`]). A result of the driver outside of them is the driver's fault; if all are inside, the
//! difference is permitted; anything else is our fault, and fails the run.

mod bench;
pub mod measure;
mod offline;
mod rerun;
mod subject;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use self::subject::Subject;
use super::differ;
use super::mesa::{self, Worker};
use super::pool;
use super::ratchet::{Ratchet, Share};
use crate::{process, setup};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// A folder with dEQP's `.test` files; without it, dEQP's shaders are left out.
    #[arg(long, value_name = "DIR")]
    deqp: Option<PathBuf>,
    /// Compare N generated shaders.
    #[arg(long, value_name = "N", default_value_t = 400)]
    generated: u64,
    /// Number of shaders of other stages for each fragment shader of the sample.
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    others: f64,
    /// Compare only shaders whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Compare at most N shaders, chosen by the hash of their names.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Compare the fixed sample of `cargo xtask test`.
    #[arg(long)]
    ci: bool,
    /// Seed of the random choice of pixels and moments.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of triples of each shader.
    #[arg(long, value_name = "N", default_value_t = 4)]
    triples: u64,
    /// Number of parallel workers.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Print each shader that is not compared, and each triple that is not equal.
    #[arg(long)]
    list: bool,
    /// Do not compare; write the jobs to a file, for `--check` on another machine.
    #[arg(long, value_name = "FILE")]
    offline: Option<PathBuf>,
    /// Compare the jobs of such a file: needs only this program and a driver.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["offline", "deqp", "sample", "ci"])]
    check: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Timeout for one shader.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Numbers of fragment shaders, and of generated ones, that `cargo xtask test` compares; as many of other stages.
const CI_SAMPLE: (usize, u64) = (60, 4);

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, others: 1.0, seed: 1, triples: 4, threads: 2, ..Args::default() })
}

/// Compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let start = Instant::now();
    let jobs = match &args.check {
        Some(file) => offline::read(file)?,
        None => jobs(args)?,
    };
    let name = |job: &Value| job["equal"]["name"].as_str().unwrap_or_default().to_owned();
    let jobs: Vec<Value> =
        jobs.into_iter().filter(|job| args.filter.as_ref().is_none_or(|filter| name(job).contains(filter))).collect();
    if let Some(file) = &args.offline {
        return offline::write(file, &jobs);
    }
    println!("{} shaders", jobs.len());
    let folder = process::corpus_dir().join("mesa-machine-code");
    let numbered: Vec<(usize, &Value)> = jobs.iter().enumerate().collect();
    let replies = pool::each(
        &numbered,
        args.threads.max(1),
        || None,
        |worker: &mut Option<Worker>, (number, job)| {
            if number % 100 == 0 {
                println!("  {number}: {:.0?}", start.elapsed());
            }
            let reply = mesa::ask_frame(worker, job, Some(&folder), TIMEOUT).with_context(|| name(job))?;
            Ok(reply.unwrap_or_else(|why| json!({ "refused": format!("driver: {why}") })))
        },
    )?;
    let sums = Sums::of(&jobs, &replies);
    sums.print(args.list);
    println!("in {:.0?}", start.elapsed());
    let whole = args.filter.is_none() && args.sample.is_none() && args.seed == 1 && args.check.is_none();
    if args.ci || whole {
        let section = if args.ci { "equal-sample" } else { "equal" };
        Ratchet::read()?.settle(section, &sums.numbers(), args.update_ratchet)?;
    }
    sums.judge()
}

/// Returns the jobs for workers.
fn jobs(args: &Args) -> anyhow::Result<Vec<Value>> {
    setup::ensure_piglit()?;
    let generated = if args.ci { CI_SAMPLE.1 } else { args.generated };
    let sample = if args.ci { Some(CI_SAMPLE.0) } else { args.sample };
    let fragments = differ::subjects(args.deqp.as_deref(), generated, None, sample)?;
    let mut subjects: Vec<Subject> = fragments.into_iter().map(Subject::fragment).collect();
    let mut others = subject::other_stages()?;
    others.sort_by_cached_key(|s| *blake3::hash(s.name.as_bytes()).as_bytes());
    others.truncate((sample.unwrap_or(subjects.len()) as f64 * args.others) as usize);
    subjects.extend(others);
    let job = |subject: &Subject| {
        let mut job = bench::to_json(subject);
        job["seed"] = json!(args.seed);
        job["triples"] = json!(args.triples);
        json!({ "api": subject.api.name(), "equal": job })
    };
    Ok(subjects.iter().map(job).collect())
}

/// The combined replies.
#[derive(Default)]
struct Sums {
    shaders: usize,
    compared: usize,
    records: u64,
    /// By verdict.
    verdicts: BTreeMap<String, u64>,
    /// Number of triples by stage.
    stages: BTreeMap<String, u64>,
    /// Number of shaders by transport.
    transports: BTreeMap<String, u64>,
    /// Operations of the driver that are outside their bounds.
    operations: BTreeMap<String, u64>,
    refused: BTreeMap<String, Vec<String>>,
    lines: Vec<String>,
}

impl Sums {
    fn of(jobs: &[Value], replies: &[Value]) -> Sums {
        let mut sums = Sums { shaders: replies.len(), ..Sums::default() };
        for (job, reply) in jobs.iter().zip(replies) {
            let name = job["equal"]["name"].as_str().unwrap_or_default();
            let stage = subject::stage_of(&job["equal"]["asked"]).map_or(String::new(), |stage| format!("{stage:?}"));
            if let Some(why) = reply["refused"].as_str() {
                let short = why.lines().next().unwrap_or_default().to_owned();
                sums.refused.entry(short).or_default().push(format!("{name}: {why}"));
                continue;
            }
            sums.compared += 1;
            sums.records += reply["records"].as_u64().unwrap_or(0);
            *sums.transports.entry(reply["transport"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
            for triple in reply["triples"].as_array().into_iter().flatten() {
                let verdict = triple["verdict"].as_str().unwrap_or_default().to_owned();
                let what = triple["what"].as_str().unwrap_or_default();
                if verdict == "driver" {
                    let operation = triple["operation"].as_str().unwrap_or_default();
                    *sums.operations.entry(operation.to_owned()).or_default() += 1;
                }
                if !matches!(verdict.as_str(), "exact" | "within") {
                    sums.lines.push(format!("{verdict:8} {name}: {what}"));
                }
                *sums.stages.entry(stage.clone()).or_default() += 1;
                *sums.verdicts.entry(verdict).or_default() += 1;
            }
        }
        sums
    }

    /// Fails if a difference is our fault, or too few values are within the budget.
    fn judge(&self) -> anyhow::Result<()> {
        let total: u64 = self.verdicts.values().sum();
        let within = self.count("exact") + self.count("within");
        if self.count("ours") > 0 {
            anyhow::bail!("{} triples differ by our fault", self.count("ours"));
        }
        // In thousandths, so that rounding does not decide.
        if within * 1000 < total * 995 {
            anyhow::bail!("{within} of {total} triples are within the budget; 99.5 % must be");
        }
        Ok(())
    }

    fn count(&self, verdict: &str) -> u64 {
        self.verdicts.get(verdict).copied().unwrap_or(0)
    }

    fn numbers(&self) -> Vec<(&'static str, Share)> {
        let total: u64 = self.verdicts.values().sum();
        let within = self.count("exact") + self.count("within");
        let share = |right: u64, total: u64| Share { right: right as usize, total: total as usize };
        vec![
            ("within", share(within, total)),
            ("not ours", share(total - self.count("ours"), total)),
            ("compared", share(self.compared as u64, self.shaders as u64)),
        ]
    }

    fn print(&self, list: bool) {
        let total: u64 = self.verdicts.values().sum();
        println!("{} of {} shaders compared, {} values recorded", self.compared, self.shaders, self.records);
        self.transports.iter().for_each(|(name, count)| println!("  {count:6} by {name}"));
        println!("{total} triples:");
        self.stages.iter().for_each(|(stage, count)| println!("  {count:6} of stage {stage}"));
        for (verdict, count) in &self.verdicts {
            println!("  {count:6} {:7.3} % {verdict}", *count as f64 * 100.0 / total.max(1) as f64);
        }
        self.operations.iter().for_each(|(name, count)| println!("  {count:6} outside its bounds: {name}"));
        let mut refused: Vec<(&String, &Vec<String>)> = self.refused.iter().collect();
        refused.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        for (why, names) in refused.iter().take(if list { usize::MAX } else { 20 }) {
            println!("  {:6} not compared: {why}", names.len());
        }
        let always = |line: &&String| list || line.starts_with("ours");
        self.lines.iter().filter(always).for_each(|line| println!("{line}"));
        if list {
            self.refused.values().flatten().for_each(|line| println!("not compared: {line}"));
        }
    }
}
