//! `cargo xtask corpus engines`: the shaders of three.js, PlayCanvas, Babylon.js and libretro, drawn without the engines,
//! and every draw asked for its values.
//!
//! The engines' packages come from npm. A browser shows a page per engine that makes it compile its materials and passes,
//! and hands over the texts; the demo `gallery` draws each pair with inputs that are made up, while it is recorded. Of
//! each draw a fragment is debugged and inspected, with an empty shader cache but for the program's own shaders.

mod ask;
mod packed;
mod texts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use self::ask::{Answer, Question};
use super::ratchet::{Ratchet, Share};
use crate::bench::record::measure::Tools;
use crate::setup;

/// Targets: the first measured value, and all of an invocation.
const FIRST: Duration = Duration::from_secs(2);
const WHOLE: Duration = Duration::from_secs(60);

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Use only engines whose name contains STR.
    #[arg(long, value_name = "STR")]
    engine: Option<String>,
    /// Take libretro's shaders from this folder, a checkout of libretro/glsl-shaders.
    #[arg(long, value_name = "DIR")]
    libretro: Option<PathBuf>,
    /// Use only draws whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Use at most N pairs of each engine, always the same ones for the same N [default: 40 of libretro, all of the others].
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Use the texts that the last run got from the browser.
    #[arg(long)]
    again: bool,
    /// Write what each draw answered to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Copy the traces and the questions to a folder for another machine, and ask nothing.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["packed", "json", "update_ratchet"])]
    pack: Option<PathBuf>,
    /// Ask the questions that `--pack` copied to this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["engine", "libretro", "limit", "again", "update_ratchet"])]
    packed: Option<PathBuf>,
    /// With `--packed`: use this `afterimage`, which is not built then.
    #[arg(long, value_name = "FILE", requires = "packed")]
    afterimage: Option<PathBuf>,
    /// With `--packed`: ask N questions at a time, which makes each slower where there are fewer cores than that.
    #[arg(long, value_name = "N", requires = "packed", default_value_t = 1)]
    threads: usize,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Draws and asks everything.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.packed {
        let answers = packed::ask_all(folder, args)?;
        write_json(&answers, args)?;
        summary(&answers);
        return Ok(());
    }
    setup::ensure(&["xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("corpus/engines")?;
    let (mut questions, mut answers): (Vec<Question>, Vec<Answer>) = (Vec::new(), Vec::new());
    for engine in texts::ENGINES {
        if args.engine.as_ref().is_some_and(|part| !engine.name.contains(part.as_str())) {
            continue;
        }
        let limit = args.limit.or(engine.sample);
        let Some(folder) = engine.texts(&tools.folder, args.libretro.as_deref(), args.again, limit)? else { continue };
        let pairs = texts::names(&folder)?;
        let trace = record(&tools, &folder, engine)?;
        println!("{}: {} pairs of shaders", engine.name, pairs.len());
        for (frame, name) in pairs.into_iter().enumerate() {
            if !args.wants(&name) {
                continue;
            }
            let question = ask::question(&tools, &trace, frame, name)?;
            if args.pack.is_some() {
                questions.push(question);
                continue;
            }
            let answer = ask::ask(&tools, &question)?;
            println!("{}", answer.line());
            answers.push(answer);
        }
    }
    if let Some(folder) = &args.pack {
        return packed::write(&questions, folder);
    }
    ensure!(!answers.is_empty(), "no pair of shaders has such a name");
    write_json(&answers, args)?;
    let numbers = summary(&answers);
    let whole = args.engine.is_none() && args.filter.is_none() && args.limit.is_none() && args.libretro.is_some();
    if whole {
        Ratchet::read()?.settle("engines", &numbers, args.update_ratchet)?;
    } else if args.update_ratchet {
        bail!("the ratchet holds numbers of all engines; run them all, with --libretro");
    }
    Ok(())
}

impl Args {
    fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

fn write_json(answers: &[Answer], args: &Args) -> anyhow::Result<()> {
    let Some(file) = &args.json else { return Ok(()) };
    let text = serde_json::to_string_pretty(answers)?;
    std::fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))
}

/// Records the gallery of an engine's pairs.
fn record(tools: &Tools, folder: &Path, engine: &texts::Engine) -> anyhow::Result<PathBuf> {
    let trace = tools.folder.join(engine.name).with_extension("aftr");
    let mut command = Command::new(tools.built.join("afterimage"));
    command.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--");
    command.arg(tools.built.join("gallery")).args(["--size", "240x135"]).arg(folder);
    if engine.is_desktop {
        command.arg("--desktop");
    }
    let output = command.output().context("cannot start afterimage")?;
    // What the driver does not link is named there.
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "the gallery of {} ended with {}", engine.name, output.status);
    Ok(trace)
}

/// Prints what is to be shown, and returns the numbers of the ratchet.
fn summary(answers: &[Answer]) -> Vec<(&'static str, Share)> {
    let drawn: Vec<&Answer> = answers.iter().filter(|answer| answer.is_drawn()).collect();
    let count = |right: &dyn Fn(&Answer) -> bool| {
        let mut share = Share::default();
        drawn.iter().for_each(|answer| share.add(right(answer)));
        share
    };
    let within = |time: Option<f64>, limit: Duration| time.is_some_and(|time| time <= limit.as_secs_f64());
    let numbers = vec![
        ("debugged", count(&|answer| answer.whole.is_some())),
        ("inspected", count(&|answer| answer.verified.is_some())),
        ("quiet", count(&|answer| answer.quiet)),
        ("first", count(&|answer| within(answer.first, FIRST))),
        ("whole", count(&|answer| within(answer.whole, WHOLE))),
    ];
    println!("\n{} of {} pairs draw a fragment", drawn.len(), answers.len());
    println!("{:>9}  debugged", numbers[0].1.to_string());
    println!("{:>9}  inspected with --verify, {} of them without a difference", numbers[1].1.to_string(), numbers[2].1);
    println!("{:>9}  first measured value within {FIRST:?}", numbers[3].1.to_string());
    println!("{:>9}  whole recording within {WHOLE:?}", numbers[4].1.to_string());
    let slowest = |time: fn(&Answer) -> Option<f64>| drawn.iter().filter_map(|one| time(one)).fold(0.0, f64::max);
    let (first, whole) = (slowest(|answer| answer.first), slowest(|answer| answer.whole));
    println!("at most {first:.1} s to the first measured value, {whole:.1} s to the whole recording");
    numbers
}
