//! `cargo xtask corpus programs`: programs of Debian's archive, recorded as a user would, and asked everything.
//!
//! Each is installed, run, recorded and replayed; its frames are trimmed, ten pixels are asked for their history, three
//! draws are inspected, and the report's findings are counted. The table goes into docs/programs.md.

mod list;
mod questions;
mod row;
mod stage;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;
use xtask::setup::privilege;

use self::list::{Entry, PROGRAMS};
use self::row::{Part, Row};
use self::stage::Stages;
use super::ratchet::{Ratchet, Share};
use super::record::child::{self, Finished, Stop};
use super::record::output;
use crate::process;

/// Seed of the choice of pixels.
const SEED: u64 = 1;
/// Time from the start of a program to the signal that ends it.
const RUN: Duration = Duration::from_secs(6);
/// Additional runs of a program before its output counts as different.
const MORE_RUNS: usize = 2;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Run only the program NAME, or those whose names contain it; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// List the programs and their packages, and run none.
    #[arg(long)]
    list: bool,
    /// Print one JSON document instead of the table.
    #[arg(long)]
    json: bool,
    /// Use another `afterimage` than the one built from this repository.
    #[arg(long, value_name = "FILE")]
    afterimage: Option<PathBuf>,
    /// Skip programs whose packages are not installed yet.
    #[arg(long)]
    installed: bool,
    /// Keep all traces in target/corpus/programs, not only those of failures.
    #[arg(long)]
    keep: bool,
    /// Give up a command after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
    /// Print the table of the results of earlier runs, with those of this one.
    #[arg(long)]
    all: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// What is needed to run programs and to ask about their traces.
pub struct Tools {
    afterimage: PathBuf,
    stages: Stages,
    work: PathBuf,
    limit: Duration,
}

/// Runs the programs, or does what the options request.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let named = |name: &String| PROGRAMS.iter().any(|entry| entry.name == name);
    let is = |entry: &Entry, name: &String| if named(name) { entry.name == name } else { entry.name.contains(&**name) };
    let chosen = |entry: &&Entry| args.only.is_empty() || args.only.iter().any(|name| is(entry, name));
    let entries: Vec<&Entry> = PROGRAMS.iter().filter(chosen).collect();
    if entries.is_empty() {
        bail!("no program's name contains {:?}", args.only);
    }
    if args.list {
        for entry in entries {
            println!("{:24} {:9} {}", entry.name, entry.kind.word(), entry.packages.join(" "));
        }
        return Ok(());
    }
    let afterimage = match &args.afterimage {
        Some(path) => std::path::absolute(path).context("cannot make the path of afterimage absolute")?,
        None => {
            process::build_product(false)?;
            process::target_dir().join("debug/afterimage")
        }
    };
    let work = process::corpus_dir().join("programs");
    let mut tools =
        Tools { afterimage, stages: Stages::default(), work, limit: Duration::from_secs(args.limit.max(1)) };
    let mut rows = if args.all { row::read(&tools.work)? } else { Vec::new() };
    for (number, entry) in (1..).zip(&entries) {
        let row = match install(entry, args.installed) {
            Ok(true) => match judge(entry, &mut tools, args.keep) {
                Ok(row) => row,
                Err(why) => Row::failed(entry, Part::Run, format!("{why:#}")),
            },
            Ok(false) => continue,
            Err(why) => Row::failed(entry, Part::Install, format!("{why:#}")),
        };
        if !args.json {
            println!("{number} of {}: {}", entries.len(), row.line());
        }
        rows.retain(|old| old.name != row.name);
        rows.push(row);
        row::write(&tools.work, &rows)?;
    }
    let place = |row: &Row| PROGRAMS.iter().position(|entry| entry.name == row.name);
    rows.sort_by_key(place);
    if args.json {
        println!("{:#}", Value::Array(rows.iter().map(Row::json).collect()));
    } else {
        println!("\n{}", row::table(&rows));
    }
    let whole = PROGRAMS.iter().all(|entry| rows.iter().any(|row| row.name == entry.name));
    if whole {
        Ratchet::read()?.settle("programs", &row::numbers(&rows), args.update_ratchet)?;
    } else if args.update_ratchet {
        bail!("the ratchet holds numbers of all programs; run them all, or add --all");
    }
    Ok(())
}

/// Installs a program. Returns whether it may be run.
fn install(entry: &Entry, only_installed: bool) -> anyhow::Result<bool> {
    let installed = |package: &&&str| {
        let asked = process::output("dpkg-query", &["-W", "-f", "${Status}", package]);
        asked.is_ok_and(|status| status.trim() == "install ok installed")
    };
    let missing: Vec<&str> = entry.packages.iter().filter(|package| !installed(package)).copied().collect();
    if missing.is_empty() {
        return Ok(true);
    }
    if only_installed {
        return Ok(false);
    }
    let prefix = privilege().context("installing packages needs root, or sudo without a password")?;
    let mut words: Vec<&str> = prefix.into_iter().collect();
    words.extend(["apt-get", "install", "--yes", "--no-install-recommends"]);
    words.extend(&missing);
    let mut command = std::process::Command::new(words[0]);
    command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive").stdin(std::process::Stdio::null());
    let output = command.output().context("cannot start apt-get")?;
    if !output.status.success() {
        bail!("apt-get cannot install {}: {}", missing.join(" "), last_line(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(true)
}

/// Runs a program in every way.
fn judge(entry: &Entry, tools: &mut Tools, keep: bool) -> anyhow::Result<Row> {
    let begin = Instant::now();
    let folder = tools.work.join(entry.name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let home = folder.join("home");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in list::FILES {
        std::fs::write(folder.join(name), text)?;
    }
    std::fs::write(folder.join("clip.y4m"), list::clip())?;
    let mut row = Row::of(entry);
    let plain = start(entry, tools, None, "plain")?;
    let expected = |status: Option<i32>| entry.ends.expects(status);
    if !expected(plain.status) {
        row.fail(Part::Run, format!("unrecorded, it ends with {}: {}", status(plain.status), last_line(&plain.stderr)));
        return Ok(row);
    }
    let trace = folder.join("trace.aftr");
    let recorded = start(entry, tools, Some(&trace), "record")?;
    row.behaves = behaves(entry, tools, &plain, &recorded, &mut row)?;
    // A program with several processes has several traces; the largest has what it shows.
    let Some(trace) = largest(&folder) else {
        row.fail(Part::Record, format!("no trace was written: {}", last_line(&recorded.stderr)));
        return Ok(row);
    };
    questions::ask(&trace, &folder, tools, &mut row)?;
    row.seconds = begin.elapsed().as_secs();
    if row.reasons.is_empty() && !keep {
        std::fs::remove_dir_all(&folder)?;
    } else if home.exists() {
        std::fs::remove_dir_all(&home)?;
    }
    Ok(row)
}

/// Runs a program, recorded to a file if one is given.
fn start(entry: &Entry, tools: &mut Tools, trace: Option<&PathBuf>, what: &str) -> anyhow::Result<Finished> {
    let folder = tools.work.join(entry.name);
    let home = folder.join("home");
    // Each run is the first one: settings and caches of an earlier run, such as compiled shaders, change what a program does.
    if home.exists() {
        std::fs::remove_dir_all(&home)?;
    }
    std::fs::create_dir_all(&home)?;
    let variables = tools.stages.variables(entry.stage)?;
    let mut words: Vec<String> = Vec::new();
    if let Some(trace) = trace {
        words.extend(
            [&*tools.afterimage.to_string_lossy(), "record", "--quiet", "--hash-frames", "-o"].map(str::to_owned),
        );
        words.extend([trace.to_string_lossy().into_owned(), "--".to_owned()]);
    }
    words.extend(entry.command.iter().map(|word| word.replace("{folder}", &folder.to_string_lossy())));
    let mut command = std::process::Command::new(&words[0]);
    command.args(&words[1..]).env("HOME", &home).env_remove("WAYLAND_DISPLAY").env_remove("DISPLAY");
    command
        .env("SDL_AUDIODRIVER", "dummy")
        .env("ALSOFT_DRIVERS", "null")
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env("LC_ALL", "C.UTF-8")
        .env("NO_AT_BRIDGE", "1");
    command.envs(variables).envs(entry.variables.iter().copied());
    let name = entry.process();
    let stop = entry.ends.signal().map(|(signal, after)| Stop { after, name, signal });
    child::finish(&mut command, &folder.join(what), RUN * 8, stop.as_ref())
}

/// Returns whether a program behaves as it does unrecorded, and notes how it does not.
fn behaves(
    entry: &Entry,
    tools: &mut Tools,
    plain: &Finished,
    recorded: &Finished,
    row: &mut Row,
) -> anyhow::Result<bool> {
    if !entry.ends.expects(recorded.status) {
        let text = format!("{} instead of {}", status(recorded.status), status(plain.status));
        row.fail(Part::Behaviour, format!("recorded, it ends with {text}: {}", last_line(&recorded.stderr)));
        return Ok(false);
    }
    let mut runs = vec![both(plain)];
    let printed = both(recorded);
    let Some(first) = output::difference(&runs[0], &printed) else { return Ok(true) };
    for _ in 0..MORE_RUNS {
        runs.push(both(&start(entry, tools, None, "plain")?));
        let same = runs.iter().any(|run| output::difference(run, &printed).is_none());
        if same || output::difference(&output::mask(&runs[0], &runs), &output::mask(&printed, &runs)).is_none() {
            return Ok(true);
        }
    }
    // Lines in another order, or more of them because time has passed, are no other behaviour; a new kind of line is.
    let known: Vec<String> = runs.iter().flat_map(|run| run.lines()).map(kind).collect();
    let new = printed.lines().find(|line| !line.starts_with("afterimage: ") && !known.contains(&kind(line)));
    if let Some(line) = new {
        row.fail(Part::Behaviour, format!("recorded, it prints {line:?}; the first difference is {first}"));
    }
    Ok(new.is_none())
}

fn both(finished: &Finished) -> String {
    format!("{}{}", finished.stdout, finished.stderr)
}

/// Returns a line without its numbers and what hangs together with them: times, addresses, process ids.
fn kind(line: &str) -> String {
    let word = |word: &str| if word.contains(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { word.to_owned() };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn status(status: Option<i32>) -> String {
    status.map_or_else(|| "no exit".to_owned(), |status| format!("status {status}"))
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().chars().take(200).collect()
}

/// Returns the largest trace in a folder.
fn largest(folder: &std::path::Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
    let traces = files.filter(|path| path.extension().is_some_and(|ending| ending == "aftr"));
    traces.max_by_key(|path| std::fs::metadata(path).map_or(0, |file| file.len()))
}

/// Counts one more row in a share.
fn count(rows: &[Row], right: impl Fn(&Row) -> bool) -> Share {
    let mut share = Share::default();
    rows.iter().for_each(|row| share.add(right(row)));
    share
}
