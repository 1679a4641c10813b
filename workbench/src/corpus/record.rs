//! `cargo xtask corpus record`: records and replays real programs. Recording must not change what a program does, and a
//! replay must show every frame that the program showed.

pub mod child;
mod display;
mod judge;
pub mod output;
mod piglit;
mod programs;
mod report;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, bail};

pub use self::display::Display;
use self::judge::{Judged, Outcome, Plain, Tools};
use self::programs::Group;
pub use self::programs::Program;
use self::report::PlainCache;
use super::pool;
use super::ratchet::Ratchet;
use crate::{process, setup};

/// Packages with programs to record, and their dependencies.
const PACKAGES: &[&str] = &[
    "libgl1-mesa-dri",
    "libegl1",
    "libegl-mesa0",
    "libgles2",
    "libgl1",
    "libglx-mesa0",
    "xvfb",
    "mesa-utils",
    "glmark2-x11",
    "glmark2-es2-x11",
    "libwaffle-1-0",
    "libxkbcommon0",
];

/// Number of piglit's programs to record.
const SAMPLE: usize = 320;
/// Seed of their choice.
const SEED: u64 = 1;
/// Number of piglit's programs that `cargo xtask test` records.
const CI_SAMPLE: usize = 10;
/// Other programs that `cargo xtask test` records.
const CI_NAMES: &[&str] = &[
    "gears/glxgears",
    "gears/es2gears_x11",
    "demos/deferred",
    "demos/particles --compute",
    "demos/gles2 --window",
    "demos/legacy",
    "demos/uploader",
    "demos/streamer",
];

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Record only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Record only these groups of programs.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "GROUP")]
    programs: Vec<Group>,
    /// Number of piglit's programs, among those that pass.
    #[arg(long, value_name = "N", default_value_t = SAMPLE)]
    sample: usize,
    /// Seed of the choice of piglit's programs.
    #[arg(long, value_name = "S", default_value_t = SEED)]
    seed: u64,
    /// Run the sample of `cargo xtask test`.
    #[arg(long, conflicts_with_all = ["filter", "programs", "sample", "seed"])]
    ci: bool,
    /// Print each program with this outcome, with the reason.
    #[arg(long, value_enum, value_name = "OUTCOME")]
    list: Vec<Outcome>,
    /// Run the programs without recording them, and print what they do.
    #[arg(long)]
    plain: bool,
    /// Use another `afterimage` than the one built from this repository.
    #[arg(long, value_name = "FILE")]
    afterimage: Option<PathBuf>,
    /// Number of programs to run in parallel.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Run programs unrecorded again instead of using cached results.
    #[arg(long)]
    again: bool,
    /// Keep all traces in target/corpus/record, not only those of failures.
    #[arg(long)]
    keep: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Records and replays, or does what the options request.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(PACKAGES)?;
    let display = Display::start()?;
    let tools = Tools {
        afterimage: afterimage(args)?,
        display: display.name.clone(),
        work: process::corpus_dir().join("record"),
        keep: args.keep,
    };
    let threads = args.threads.max(1);
    let plain = Mutex::new(PlainCache::read(args.again)?);
    let programs = choose(args, &tools, &plain, threads)?;
    if programs.is_empty() {
        bail!("no program's name contains {:?}", args.filter.as_deref().unwrap_or_default());
    }
    println!("{} programs", programs.len());
    let begin = Instant::now();
    let judged = for_each(&programs, threads, |program| {
        let before = plain_run(program, &tools, &plain)?;
        if args.plain {
            return Ok(plain_result(program, &before));
        }
        judge::judge(program, &before, &tools)
    })?;
    save(&plain)?;
    println!("in {:.0?} on {threads} threads", begin.elapsed());
    let judged: Vec<(&Program, Judged)> = programs.iter().zip(judged).collect();
    report::table(&judged);
    report::reasons(&judged);
    args.list.iter().for_each(|&outcome| report::list(&judged, outcome));
    if args.plain {
        return Ok(());
    }
    report::write(&judged)?;
    let whole = args.filter.is_none() && args.programs.is_empty() && (args.sample, args.seed) == (SAMPLE, SEED);
    if args.ci || whole {
        let section = if args.ci { "record-sample" } else { "record" };
        Ratchet::read()?.settle(section, &report::numbers(&judged), args.update_ratchet)?;
    }
    Ok(())
}

/// Runs the fixed sample with the ratchet, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { ci: true, threads: 2, sample: SAMPLE, seed: SEED, ..Args::default() })
}

/// The demos whose traces other tests use.
pub const DEMOS: &[&str] = &[
    "demos/deferred",
    "demos/pingpong",
    "demos/particles",
    "demos/particles --compute",
    "demos/gles2",
    "demos/legacy",
    "demos/uploader",
    "demos/streamer",
];

/// A program's name, and its trace.
pub struct RecordedTrace {
    pub name: String,
    pub trace: PathBuf,
}

/// Returns traces of programs for other tests. They are recorded once, and again with `again`.
pub fn traces(
    wanted: &[&str],
    piglit: &dyn Fn(&Program) -> bool,
    again: bool,
) -> anyhow::Result<(PathBuf, Vec<RecordedTrace>)> {
    traces_of(wanted, piglit, again, None)
}

/// Returns `afterimage` and traces of programs by their names, for benchmarks.
pub fn traces_for_bench(wanted: &[&str]) -> anyhow::Result<(PathBuf, Vec<(String, PathBuf)>)> {
    let (afterimage, traces) = traces(wanted, &|_| false, false)?;
    Ok((afterimage, traces.into_iter().map(|kept| (kept.name, kept.trace)).collect()))
}

/// Returns traces of programs; scenes of glmark2 have `frames` frames, if given.
pub fn traces_of(
    wanted: &[&str],
    piglit: &dyn Fn(&Program) -> bool,
    again: bool,
    frames: Option<u32>,
) -> anyhow::Result<(PathBuf, Vec<RecordedTrace>)> {
    setup::ensure(PACKAGES)?;
    let afterimage = afterimage(&Args::default())?;
    let mut programs = programs::gears();
    programs.extend(programs::glmark2(Group::Glmark2)?);
    programs.extend(programs::glmark2(Group::Glmark2Es2)?);
    programs.extend(programs::demos()?);
    programs.retain(|program| wanted.contains(&program.name.as_str()));
    setup::ensure_piglit()?;
    programs.extend(
        piglit::programs(SEED)?
            .into_iter()
            .filter(|program| wanted.contains(&program.name.as_str()) || piglit(program)),
    );
    let missing: Vec<&&str> =
        wanted.iter().filter(|name| !programs.iter().any(|program| program.name == **name)).collect();
    if !missing.is_empty() {
        bail!("unknown programs: {missing:?}");
    }
    if let Some(frames) = frames {
        for program in programs.iter_mut().filter(|program| program.name.starts_with("glmark2")) {
            for argument in &mut program.command {
                *argument = argument.replace("nframes=6", &format!("nframes={frames}"));
            }
            program.name += &format!(":nframes={frames}");
        }
    }
    let display = Display::start()?;
    let work = process::corpus_dir().join("traces");
    let tools = Tools { afterimage: afterimage.clone(), display: display.name.clone(), work, keep: true };
    let kept = super::pool::each(
        &programs,
        2,
        || (),
        |(), program| {
            let trace = judge::trace(program, &tools);
            if again || !trace.exists() {
                judge::record(program, &tools)?;
            }
            Ok(trace.exists().then(|| RecordedTrace { name: program.name.clone(), trace }))
        },
    )?;
    Ok((afterimage, kept.into_iter().flatten().collect()))
}

/// Returns the `afterimage` to record with; builds it if none was given.
fn afterimage(args: &Args) -> anyhow::Result<PathBuf> {
    if let Some(path) = &args.afterimage {
        return std::path::absolute(path).context("cannot make the path of afterimage absolute");
    }
    if !args.plain {
        process::build_product(false)?;
    }
    Ok(process::target_dir().join("debug/afterimage"))
}

/// Returns the selected programs.
fn choose(args: &Args, tools: &Tools, plain: &Mutex<PlainCache>, threads: usize) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for group in Group::ALL.into_iter().filter(|group| args.programs.is_empty() || args.programs.contains(group)) {
        match group {
            Group::Gears => programs.extend(programs::gears()),
            Group::Glmark2 | Group::Glmark2Es2 if args.ci => {}
            Group::Glmark2 | Group::Glmark2Es2 => programs.extend(programs::glmark2(group)?),
            Group::Demos => programs.extend(programs::demos()?),
            Group::Piglit => {}
        }
    }
    if args.ci {
        programs.retain(|program| CI_NAMES.contains(&program.name.as_str()));
    }
    if args.programs.is_empty() || args.programs.contains(&Group::Piglit) {
        let count = if args.ci { CI_SAMPLE } else { args.sample };
        programs.extend(passing(count, args.seed, tools, plain, threads)?);
    }
    if let Some(filter) = &args.filter {
        programs.retain(|program| program.name.contains(filter.as_str()));
    }
    Ok(programs)
}

/// Returns this many of piglit's programs that pass unrecorded, in the seed's order.
fn passing(
    count: usize,
    seed: u64,
    tools: &Tools,
    plain: &Mutex<PlainCache>,
    threads: usize,
) -> anyhow::Result<Vec<Program>> {
    setup::ensure_piglit()?;
    piglit::check_list()?;
    let candidates = piglit::programs(seed)?;
    let mut found = Vec::new();
    let mut tried = 0;
    // In batches, so that the choice depends neither on the number of threads nor on their speed.
    for batch in candidates.chunks(20) {
        let passes = for_each(batch, threads, |program| {
            Ok(judge::unusable(program, &plain_run(program, tools, plain)?).is_none())
        })?;
        tried += batch.len();
        found.extend(batch.iter().zip(passes).filter(|(_, passes)| *passes).map(|(program, _)| program.clone()));
        save(plain)?;
        if found.len() >= count {
            break;
        }
    }
    found.truncate(count);
    println!("{} of piglit's {} programs, chosen among {tried}", found.len(), candidates.len());
    Ok(found)
}

/// Returns what a program does unrecorded, from the cache if possible.
fn plain_run(program: &Program, tools: &Tools, cache: &Mutex<PlainCache>) -> anyhow::Result<Plain> {
    let locked = || cache.lock().ok().context("a thread panicked with the cache");
    if let Some(plain) = locked()?.get(program) {
        return Ok(plain);
    }
    let plain = judge::plain(program, tools)?;
    locked()?.put(program, &plain);
    Ok(plain)
}

fn save(cache: &Mutex<PlainCache>) -> anyhow::Result<()> {
    cache.lock().ok().context("a thread panicked with the cache")?.write()
}

/// Returns the result of `--plain` for a program.
fn plain_result(program: &Program, plain: &Plain) -> Judged {
    let reason = judge::unusable(program, plain);
    let outcome = if reason.is_some() { Outcome::Unusable } else { Outcome::Same };
    Judged { outcome, reason: reason.unwrap_or_default(), compared: 0, trace_bytes: 0 }
}

/// Runs a function for each program on several threads, and prints progress; results are in the order of the programs.
fn for_each<T: Send>(
    programs: &[Program],
    threads: usize,
    work: impl Fn(&Program) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let numbered: Vec<(usize, &Program)> = (1..).zip(programs).collect();
    let told = Mutex::new(Instant::now());
    pool::each(
        &numbered,
        threads,
        || (),
        |(), &(number, program)| {
            let result = work(program);
            if let Ok(mut told) = told.lock()
                && told.elapsed().as_secs() >= 10
            {
                *told = Instant::now();
                println!("  {number} of {}: {}", programs.len(), program.name);
            }
            result
        },
    )
}
