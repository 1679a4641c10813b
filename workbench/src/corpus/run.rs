//! `cargo xtask corpus run`: runs piglit's `.shader_test` files on the emulator.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use runner::{Options, Outcome, Report};

use super::piglit;
use super::pool::{self, Watch};
use super::ratchet::{Ratchet, Share};
use super::report::percent;
use crate::{files, setup};

/// Number of tests that `cargo xtask test` runs.
const CI_SAMPLE: usize = 600;
/// Timeout of a test.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run only tests whose path contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Run only N tests, always the same ones for the same N.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Run the sample of `cargo xtask test`.
    #[arg(long, conflicts_with_all = ["filter", "limit", "folder"])]
    ci: bool,
    /// Print each test with this outcome, with its first cause.
    #[arg(long, value_enum, value_name = "KIND")]
    list: Vec<List>,
    /// Run the tests of another folder than piglit's.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Number of threads; default: one per core.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// The kinds of tests that `--list` prints.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum List {
    /// A probe or the verdict disagrees.
    Fail,
    /// Something in it is not supported.
    Unsupported,
    /// Everything agrees.
    Pass,
    /// Tests that do not apply.
    Skip,
    /// The thirty slowest tests.
    Slow,
}

/// A test with its outcome.
struct Judged {
    name: String,
    outcome: Outcome,
    /// The first failure, and its class.
    cause: String,
    class: String,
    probed: bool,
    time: Duration,
}

/// Runs the tests, or the selected part of them.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.folder.is_none() {
        setup::ensure_piglit()?;
    }
    let folder = args.folder.clone().unwrap_or_else(setup::piglit_dir);
    let mut tests = tests_of(&folder)?;
    let total = tests.len();
    if let Some(filter) = &args.filter {
        tests.retain(|(name, _)| name.contains(filter.as_str()));
    }
    if let Some(count) = args.limit.or(args.ci.then_some(CI_SAMPLE)) {
        choose(&mut tests, count);
    }
    if tests.is_empty() {
        bail!("no test's path contains {:?}", args.filter.as_deref().unwrap_or_default());
    }
    println!("{} of {total} tests", tests.len());
    let judged = judge_all(&tests, args.threads)?;
    print_groups(&judged);
    print_causes(&judged);
    args.list.iter().for_each(|&list| print_list(&judged, list));
    let numbers = numbers(&judged);
    println!();
    for (name, share) in &numbers {
        println!("{name:10} {}", percent(*share));
    }
    if args.filter.is_none() && args.limit.is_none() && args.folder.is_none() {
        let section = if args.ci { "run-sample" } else { "run" };
        Ratchet::read()?.settle(section, &numbers, args.update_ratchet)?;
    }
    Ok(())
}

/// Returns this many of piglit's tests, always the same, with their outcomes.
pub fn verdicts(count: usize) -> anyhow::Result<Vec<(String, &'static str)>> {
    let mut tests = tests_of(&setup::piglit_dir())?;
    choose(&mut tests, count);
    let judged = judge_all(&tests, None)?;
    Ok(judged.into_iter().map(|test| (test.name, test.outcome.word())).collect())
}

/// Returns every test in a folder, with its relative path.
fn tests_of(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut files = files::below(folder)?;
    files.retain(|path| files::extension(path) == "shader_test");
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let mut tests: Vec<(String, PathBuf)> = files.into_iter().map(|path| (name(&path), path)).collect();
    tests.sort();
    Ok(tests)
}

/// Keeps those with the smallest hash of their path: the same on every machine.
fn choose(tests: &mut Vec<(String, PathBuf)>, count: usize) {
    tests.sort_by_cached_key(|(name, _)| *blake3::hash(name.as_bytes()).as_bytes());
    tests.truncate(count);
    tests.sort();
}

/// Runs the fixed sample with the ratchet, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, ..Args::default() })
}

fn judge_all(tests: &[(String, PathBuf)], threads: Option<usize>) -> anyhow::Result<Vec<Judged>> {
    let threads = threads.unwrap_or_else(pool::cores).max(1);
    let watch = Watch { threads, timeout: TIMEOUT, worker: "the runner", progress: true };
    let start = Instant::now();
    let judged = pool::each_watched(tests, &watch, |(name, _)| name, |(name, path)| judge(name, path))?;
    println!("in {:.1?} on {threads} threads", start.elapsed());
    Ok(judged)
}

fn judge(name: &str, path: &Path) -> Judged {
    let begin = Instant::now();
    let text = std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let report = catch_unwind(AssertUnwindSafe(|| runner::run(&text, &Options::default())));
    let (outcome, probes, cause, class) = match report {
        Ok(report) => {
            let (cause, class) = cause(&report);
            (report.outcome, report.probes, cause, class)
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned())).unwrap_or_default();
            (Outcome::Fail, 0, format!("panic: {text}"), format!("panic: {text}"))
        }
    };
    let written = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
    let probed = probes > 0 || written("probe ") || written("relative probe ");
    Judged { name: name.to_owned(), outcome, cause, class, probed, time: begin.elapsed() }
}

/// Returns the first failure, and its class.
fn cause(report: &Report) -> (String, String) {
    match &report.outcome {
        Outcome::Pass => (String::new(), String::new()),
        Outcome::Unsupported(what) | Outcome::Skip(what) => (what.clone(), what.clone()),
        Outcome::Fail => {
            let Some(first) = report.failures.first() else { return Default::default() };
            let cause = format!("line {}: {} is {}, not {}", first.line, first.what, first.found, first.expected);
            let class = if first.line == 0 {
                format!("{}: {}", first.what, first.found)
            } else {
                first.what.split(|c: char| c.is_ascii_digit() || c == '`').next().unwrap_or_default().to_owned()
            };
            (cause, class)
        }
    }
}

fn numbers(judged: &[Judged]) -> [(&'static str, Share); 3] {
    let mut numbers = [("all", Share::default()), ("probed", Share::default()), ("built-in", Share::default())];
    for test in judged.iter().filter(|test| !matches!(test.outcome, Outcome::Skip(_))) {
        let right = test.outcome == Outcome::Pass;
        numbers[0].1.add(right);
        if test.probed {
            numbers[1].1.add(right);
        }
        if test.name.starts_with("generated_tests/") && test.name.contains("/built-in-functions/") {
            numbers[2].1.add(right);
        }
    }
    numbers
}

fn print_groups(judged: &[Judged]) {
    let mut groups: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for test in judged {
        let column = match test.outcome {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Unsupported(_) => 2,
            Outcome::Skip(_) => 3,
        };
        groups.entry(piglit::group(&test.name)).or_default()[column] += 1;
    }
    println!("\n{:52} {:>7} {:>7} {:>7} {:>7}", "", "pass", "fail", "unsupp.", "skip");
    for (group, [pass, fail, unsupported, skip]) in groups {
        println!("{group:52} {pass:7} {fail:7} {unsupported:7} {skip:7}");
    }
}

fn print_causes(judged: &[Judged]) {
    let mut causes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for test in judged.iter().filter(|test| test.outcome != Outcome::Pass) {
        *causes.entry((test.outcome.word(), &test.class)).or_default() += 1;
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(cause, count)| (std::cmp::Reverse(*count), *cause));
    println!("\nCauses:");
    for ((kind, class), count) in causes {
        let class: String = class.chars().take(150).collect();
        println!("{count:7} {kind:12} {class}");
    }
}

fn print_list(judged: &[Judged], list: List) {
    println!();
    if list == List::Slow {
        let mut slowest: Vec<&Judged> = judged.iter().collect();
        slowest.sort_by_key(|test| std::cmp::Reverse(test.time));
        slowest.iter().take(30).for_each(|test| println!("{:>10.1?} {}", test.time, test.name));
        return;
    }
    for test in judged {
        let chosen = match test.outcome {
            Outcome::Pass => list == List::Pass,
            Outcome::Fail => list == List::Fail,
            Outcome::Unsupported(_) => list == List::Unsupported,
            Outcome::Skip(_) => list == List::Skip,
        };
        if chosen {
            println!("{}: {}", test.name, test.cause);
        }
    }
}
