//! `cargo xtask corpus mutants`: gives every command of the product traces that were changed at random.
//!
//! The product must answer or refuse: it must not crash, use more than ten seconds of CPU time or a gigabyte in the main
//! process, and a driver that crashes must be reported with the call that it crashed of. With `AFTERIMAGE_GUARD=1`, workers
//! put an inaccessible page behind everything that they hand to the driver; what crashes only then reads or writes too much.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use testing::mutate::{self, OwnedCall};
use testing::random::Random;
use trace::Reader;

use super::{pool, record};
use crate::process;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of mutants.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    count: u64,
    /// Seed of the first mutant.
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Give mutants only to this command, such as `replay`.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Number of parallel processes.
    #[arg(long, default_value_t = 2, value_name = "N")]
    threads: usize,
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Put an inaccessible page behind everything that workers hand to the driver.
    #[arg(long)]
    guard: bool,
    /// Change these traces instead of those of the usual programs; may be given several times.
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    /// Run this `afterimage` instead of building one.
    #[arg(long, value_name = "FILE", requires = "trace")]
    product: Option<PathBuf>,
}

/// The programs whose traces are changed: demos, gears, and scenes of glmark2.
const PROGRAMS: &[&str] = &[
    "demos/deferred",
    "demos/particles",
    "demos/particles --compute",
    "demos/gles2",
    "demos/legacy",
    "demos/uploader",
    "demos/streamer",
    "gears/glxgears",
    "glmark2/terrain",
    "glmark2/buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "glmark2-es2/shadow",
];

/// The programs of the sample of `cargo xtask test`: demos only, which need no display.
const CI_FILTER: &str = "demos/";
/// Mutants of the sample.
const CI_COUNT: u64 = 80;

/// Calls of a mutant at most.
const LONGEST: usize = 4000;

/// CPU time of the main process.
const SECONDS: f64 = 10.0;
/// Memory of the main process in kilobytes.
const MEMORY: u64 = 1 << 20;
/// Time for one mutant; drivers are slow, and are given up after [`SILENCE`] seconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// Seconds without progress after which a driver is given up.
const SILENCE: &str = "10";

/// Runs the sample of `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    let filter = Some(CI_FILTER.to_owned());
    let (trace, product) = (Vec::new(), None);
    run(&Args { count: CI_COUNT, seed: 1, command: None, threads: 2, filter, guard: false, trace, product })
}

/// Makes mutants and runs the product on them. Any failure is one of the product.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let begin = Instant::now();
    let (afterimage, traces) = subjects(args)?;
    let subjects = traces.iter().map(|trace| read(trace)).collect::<anyhow::Result<Vec<_>>>()?;
    let folder = process::corpus_dir().join("mutants");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let seeds: Vec<u64> = (args.seed..args.seed + args.count).collect();
    let setting = Setting { afterimage, folder, guard: args.guard, command: args.command.clone() };
    let outcomes = pool::each(
        &seeds,
        args.threads.max(1),
        || (),
        |(), seed| {
            if seed % 500 == 0 {
                println!("  {seed}: {:.0?}", begin.elapsed());
            }
            setting.judge(&subjects, *seed)
        },
    )?;
    report(&outcomes, begin)
}

/// Returns the product and the traces to change.
fn subjects(args: &Args) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
    if !args.trace.is_empty() {
        let built = || process::build_product(false).map(|folder| folder.join("afterimage"));
        let product = args.product.clone().map_or_else(built, Ok)?;
        return Ok((product, args.trace.clone()));
    }
    let fits = |name: &&str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    let wanted: Vec<&str> = PROGRAMS.iter().copied().filter(fits).collect();
    let (product, traces) = record::traces(&wanted, &|_| false, false)?;
    Ok((product, traces.into_iter().map(|kept| kept.trace).collect()))
}

fn report(outcomes: &[Outcome], begin: Instant) -> anyhow::Result<()> {
    let count = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let exit = |code: i32| count(&|outcome| outcome.code == Some(code));
    println!(
        "{} mutants in {:.0?}: {} answered, {} answered \"no\", {} refused; {} crashes of the driver, reported with their call",
        outcomes.len(),
        begin.elapsed(),
        exit(0),
        exit(1),
        exit(2),
        count(&|outcome| outcome.crash.is_some())
    );
    for (call, times) in crashes(outcomes) {
        println!("  {times:4} x {call}");
    }
    let slowest = outcomes.iter().map(|outcome| outcome.seconds).fold(0.0, f64::max);
    let largest = outcomes.iter().map(|outcome| outcome.kilobytes).max().unwrap_or(0);
    println!("main process: at most {slowest:.1} s of CPU time and {} MB", largest / 1024);
    let failures: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.failure.is_some()).collect();
    for outcome in &failures {
        println!("  {}: {}", outcome.line, outcome.failure.as_deref().unwrap_or_default());
    }
    if !failures.is_empty() {
        bail!("the product fails on {} of {} mutants, which are kept", failures.len(), outcomes.len());
    }
    Ok(())
}

/// Returns the calls in which drivers crashed or hung, and how often, most frequent first.
fn crashes(outcomes: &[Outcome]) -> Vec<(&str, usize)> {
    let mut calls = BTreeMap::new();
    for crash in outcomes.iter().filter_map(|outcome| outcome.crash.as_deref()) {
        // "the driver crashed with SIGSEGV at command 12: glCall(...)".
        let call = crash.split_once(": gl").and_then(|(_, call)| call.split('(').next());
        *calls.entry(call.unwrap_or("(no call)")).or_default() += 1;
    }
    let mut calls: Vec<(&str, usize)> = calls.into_iter().collect();
    calls.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    calls
}

/// A program's calls.
struct Subject {
    calls: Vec<OwnedCall>,
}

fn read(path: &Path) -> anyhow::Result<Subject> {
    let reader = Reader::open(path, api::COMMANDS)?;
    Ok(Subject { calls: mutate::calls(&reader, LONGEST)? })
}

struct Setting {
    afterimage: PathBuf,
    folder: PathBuf,
    guard: bool,
    command: Option<String>,
}

/// How the product dealt with a mutant.
struct Outcome {
    /// The command line.
    line: String,
    code: Option<i32>,
    /// What was reported of a driver that crashed or hung.
    crash: Option<String>,
    /// CPU time of the main process.
    seconds: f64,
    /// The most memory of the main process.
    kilobytes: u64,
    failure: Option<String>,
}

impl Setting {
    fn judge(&self, subjects: &[Subject], seed: u64) -> anyhow::Result<Outcome> {
        let mut random = Random::new(seed);
        let mut calls = subjects[random.index(subjects.len())].calls.clone();
        // A part of the program, so that mutants are small and calls lack what they rely on.
        if random.one_in(3) {
            calls.truncate(random.index(calls.len()) + 1);
        }
        mutate::mutate(&mut calls, &mut random);
        let mut bytes = mutate::write(&calls);
        // Some files are damaged as well, or end early.
        match random.index(12) {
            0 => bytes.truncate(random.index(bytes.len())),
            1 => {
                let at = random.index(bytes.len());
                bytes[at] ^= 1 << random.index(8);
            }
            _ => {}
        }
        let path = self.folder.join(format!("{seed}.aftr"));
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        let words = self.words(&path, calls.len() as u64, &mut random);
        let mut outcome = self.run(&path, &words, self.guard)?;
        // A crash that needs the guard pages is an access beyond what the driver was given.
        if self.guard
            && let Some(crash) = &outcome.crash
            && outcome.failure.is_none()
            && self.run(&path, &words, false)?.crash.is_none()
        {
            outcome.failure = Some(format!("only with guard pages: {crash}"));
        }
        if outcome.failure.is_none() {
            fs::remove_file(&path)?;
        }
        Ok(outcome)
    }

    /// Returns a command line.
    fn words(&self, path: &Path, calls: u64, random: &mut Random) -> Vec<String> {
        const COMMANDS: &[(&str, &str)] = &[
            ("replay", ""),
            ("replay", ""),
            ("replay", "--verify"),
            ("replay", "--verify --at {call}"),
            ("replay", "--force --images {out}"),
            ("info", ""),
            ("dump", ""),
            ("state", "--at {call} --all"),
            ("state", "--at {call} --diff {call}"),
            ("report", ""),
            ("graph", ""),
            ("trim", "--frames 0 --force --output {out}.trim"),
            ("history", "--pixel {x},{y}"),
            ("history", "--nan"),
            ("inspect", "--at {call} --pixel {x},{y} --verify"),
            ("break", "--site {small}:{small} --if true"),
            ("profile", "--at {call} --line {small}"),
            ("debug", "--pixel {x},{y} --batch {batch}"),
        ];
        let fits: Vec<&(&str, &str)> =
            COMMANDS.iter().filter(|(name, _)| self.command.as_deref().is_none_or(|wanted| wanted == *name)).collect();
        let (name, options) = fits[random.index(fits.len().max(1)) % fits.len().max(1)];
        let mut words = vec![(*name).to_owned(), path.display().to_string()];
        for word in options.split_whitespace() {
            let out = path.with_extension("out").display().to_string();
            let batch = self.folder.join("steps").display().to_string();
            words.push(
                word.replace("{call}", &random.below(calls + 2).to_string())
                    .replace("{x}", &random.below(200).to_string())
                    .replace("{y}", &random.below(200).to_string())
                    .replace("{small}", &(1 + random.below(12)).to_string())
                    .replace("{out}", &out)
                    .replace("{batch}", &batch),
            );
        }
        if !matches!(*name, "debug" | "dump" | "trim") && random.one_in(3) {
            words.push("--json".to_owned());
        }
        if !matches!(*name, "info" | "dump" | "state" | "report" | "graph") {
            words.extend(["--timeout", SILENCE].map(str::to_owned));
        }
        words
    }

    fn run(&self, path: &Path, words: &[String], guard: bool) -> anyhow::Result<Outcome> {
        let steps = self.folder.join("steps");
        fs::write(&steps, "step\nnext\nback\nlocals\nhistory\nfinish\nreverse-continue\n")?;
        let errors = path.with_extension("err");
        let mut command = Command::new(&self.afterimage);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&errors)?);
        if self.guard {
            command.env("MALLOC_PERTURB_", "165");
        }
        if guard {
            command.env("AFTERIMAGE_GUARD", "1");
        }
        let mut child = command.spawn().context("cannot start afterimage")?;
        let (code, signal, seconds, kilobytes) = watch(&mut child)?;
        let text = fs::read_to_string(&errors).unwrap_or_default();
        for rest in [errors, path.with_extension("out"), path.with_extension("out.trim")] {
            // Most commands make none of them.
            let _ = if rest.is_dir() { fs::remove_dir_all(&rest) } else { fs::remove_file(&rest) };
        }
        let is_crash =
            |line: &&str| line.contains("the driver crashed") || line.contains("the driver made no progress");
        let crash = text.lines().find(is_crash).map(str::to_owned);
        let line = format!("afterimage {}", words.join(" "));
        let failure = failure(code, &signal, &text, (seconds, kilobytes));
        Ok(Outcome { line, code, crash, seconds, kilobytes, failure })
    }
}

/// Waits for the main process. Returns its exit status, how it ended otherwise, its CPU time and its most memory.
fn watch(child: &mut Child) -> anyhow::Result<(Option<i32>, String, f64, u64)> {
    let begin = Instant::now();
    let (mut seconds, mut kilobytes) = (0.0, 0);
    loop {
        if let Some((time, memory)) = usage(child.id()) {
            (seconds, kilobytes) = (time, memory.max(kilobytes));
        }
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), status.to_string(), seconds, kilobytes));
        }
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok((None, format!("nothing for {} s", PATIENCE.as_secs()), seconds, kilobytes));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the CPU time in seconds and the most memory in kilobytes of a process.
fn usage(process: u32) -> Option<(f64, u64)> {
    /// Parts of a second in which the kernel counts.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some((ticks as f64 / TICKS, most.split_whitespace().next()?.parse().ok()?))
}

/// Returns what the product did wrong, if anything.
fn failure(code: Option<i32>, ended: &str, text: &str, (seconds, kilobytes): (f64, u64)) -> Option<String> {
    let last = || text.lines().last().unwrap_or_default().to_owned();
    if text.contains("panicked at") {
        let place = text.lines().find(|line| line.contains("panicked at")).unwrap_or_default();
        return Some(format!("panic: {place} {}", last()));
    }
    match code {
        Some(0 | 1) => {}
        Some(2) if text.trim().is_empty() => return Some("refused without a reason".to_owned()),
        Some(2) => {}
        _ => return Some(format!("{ended}: {}", last())),
    }
    if text.contains("the driver crashed") && !text.contains("command") {
        return Some(format!("a crash without its command: {}", last()));
    }
    if seconds > SECONDS {
        return Some(format!("{seconds:.1} s of CPU time"));
    }
    (kilobytes > MEMORY).then(|| format!("{} MB", kilobytes / 1024))
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn failures_are_told_from_refusals() {
        let of = |code, text| failure(code, "signal", text, (1.0, 1));
        assert_eq!(of(Some(2), "afterimage: the trace is truncated"), None);
        assert_eq!(of(Some(2), "the driver crashed with SIGSEGV at command 7: glFlush()"), None);
        assert!(of(Some(2), "").is_some() && of(Some(101), "x").is_some() && of(None, "x").is_some());
        assert!(of(Some(2), "thread 'main' panicked at src/x.rs").is_some());
        assert!(of(Some(2), "the driver crashed with SIGSEGV").is_some());
        assert!(failure(Some(0), "", "", (11.0, 1)).is_some() && failure(Some(0), "", "", (1.0, 2 << 20)).is_some());
    }
}
