//! `cargo xtask corpus glsl`: piglit's shaders.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::case::{Case, Verdict};
use super::pool::{self, Watch};
use super::ratchet::Ratchet;
use super::report::{Judged, Report};
use super::{front_end, known, mesa, piglit};
use crate::setup;

/// Number of cases that `cargo xtask test` runs.
const CI_SAMPLE: usize = 8000;
/// Timeout of our front end.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run only cases whose path contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Run only N cases, always the same ones for the same N.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Run the sample of `cargo xtask test`.
    #[arg(long, conflicts_with_all = ["filter", "sample"])]
    ci: bool,
    /// Print each case of this kind, with our first error and Mesa's.
    #[arg(long, value_enum, value_name = "KIND")]
    list: Vec<List>,
    /// Write every verdict to a file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
    /// Do not use a driver.
    #[arg(long)]
    no_mesa: bool,
}

/// The kinds of cases that `--list` prints.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum List {
    /// Our verdict is not as expected.
    Wrong,
    /// Our verdict is not the driver's.
    Disagree,
    /// The driver's verdict is not as expected.
    Mesa,
    /// Files left out, with the reason.
    Skipped,
    /// The twenty slowest cases of our front end.
    Slow,
}

/// Runs the corpus, or the selected part of it.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let piglit = piglit::read(&setup::piglit_dir())?;
    let total = piglit.cases.len();
    let mut cases = choose(piglit.cases, args);
    if cases.is_empty() {
        bail!("no case's path contains {:?}", args.filter.as_deref().unwrap_or_default());
    }
    println!("{} of {total} cases", cases.len());

    let mut report = Report::default();
    let mesa = if args.no_mesa {
        None
    } else {
        let start = Instant::now();
        let mesa = mesa::judge(&cases.iter().collect::<Vec<_>>())?;
        mesa.apply_limits(&mut cases);
        let version = mesa.offers.values().next().map(|o| o.version.clone()).unwrap_or_default();
        println!("{version}: {} verdicts, {} of them new, in {:.1?}", cases.len(), mesa.asked, start.elapsed());
        Some(mesa)
    };
    let borrowed: Vec<&Case> = cases.iter().collect();
    let ours = judge_all(&borrowed)?;
    for (index, (case, (verdict, time))) in borrowed.iter().zip(ours).enumerate() {
        let reason = mesa.as_ref().and_then(|m| mesa::incomparable(case, &m.offers, &m.verdicts[index]));
        let theirs = mesa.as_ref().map(|m| m.verdicts[index].clone());
        report.judged.push(Judged { case: (*case).clone(), ours: verdict, mesa: theirs, incomparable: reason, time });
    }

    let whole = args.filter.is_none() && args.sample.is_none() && !args.ci;
    let known = known::read("glsl")?;
    report.print_groups();
    println!("\nLeft out:");
    for (reason, files) in &piglit.skipped {
        println!("  {:6} {reason}", files.len());
        if args.list.contains(&List::Skipped) {
            files.iter().for_each(|file| println!("         {file}"));
        }
    }
    report.print_incomparable();
    for &list in &args.list {
        report.print_list(list);
    }
    let stale = report.print_known(&known);
    report.print_totals();
    if let Some(path) = &args.json {
        std::fs::write(path, format!("{:#}\n", report.json()))?;
    }
    if whole && !stale.is_empty() {
        bail!("corpus/known.toml lists cases that no longer occur; remove: {}", stale.join(", "));
    }
    if args.filter.is_none() && args.sample.is_none() && !args.no_mesa {
        let section = if args.ci { "glsl-sample" } else { "glsl" };
        Ratchet::read()?.settle(section, &report.numbers(), args.update_ratchet)?;
    }
    Ok(())
}

/// Runs the fixed sample with the ratchet, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, ..Args::default() })
}

/// Returns our verdicts and how long each took, using all cores.
pub fn judge_all(cases: &[&Case]) -> anyhow::Result<Vec<(Verdict, Duration)>> {
    let watch = Watch { threads: pool::cores(), timeout: TIMEOUT, worker: "the front end", progress: false };
    let start = Instant::now();
    let results = pool::each_watched(
        cases,
        &watch,
        |case| &case.name,
        |case| {
            let begin = Instant::now();
            (front_end::judge(case), begin.elapsed())
        },
    )?;
    let bytes: usize = cases.iter().flat_map(|c| &c.shaders).flat_map(|s| &s.strings).map(String::len).sum();
    let time: Duration = results.iter().map(|(_, time)| *time).sum();
    println!(
        "front end: {} cases, {} KB in {:.1?} ({:.1} us/KB of one core)",
        cases.len(),
        bytes / 1024,
        start.elapsed(),
        time.as_secs_f64() * 1e6 / (bytes as f64 / 1024.0)
    );
    Ok(results)
}

/// Returns the selected cases. A sample is those with the smallest hash of their path: the same on every machine.
fn choose(mut cases: Vec<Case>, args: &Args) -> Vec<Case> {
    if let Some(filter) = &args.filter {
        cases.retain(|case| case.name.contains(filter.as_str()));
    }
    if let Some(count) = args.sample.or(args.ci.then_some(CI_SAMPLE)) {
        cases.sort_by_cached_key(|case| *blake3::hash(case.name.as_bytes()).as_bytes());
        cases.truncate(count);
        cases.sort_by(|a, b| a.name.cmp(&b.name));
    }
    cases
}
