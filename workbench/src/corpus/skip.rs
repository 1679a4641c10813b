//! `cargo xtask corpus skip`: images after random commands of real traces, in any order, must be the same in one run
//! that goes back and forth and executes only what they depend on, and with full execution from the start; and the
//! driver's state must match the model after each.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;
use testing::random::Random;

use super::{pool, record, state};
use crate::process;

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    pub filter: Option<String>,
    /// Number of commands of each trace; from each the run takes a few steps back and forth.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub samples: usize,
    /// Seed of the random choice of commands.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Record all programs again.
    #[arg(long)]
    pub again: bool,
}

/// The results of one trace.
#[derive(Default)]
struct Compared {
    pictures: usize,
    equal: usize,
    passed_over: u64,
    by_checkpoint: u64,
    anew: BTreeMap<String, u64>,
    asked: u64,
    differences: Vec<String>,
    seconds: [f64; 2],
}

/// Compares all traces.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = state::programs(args.filter.as_deref());
    let (afterimage, traces) = record::traces(&wanted, &|_| false, args.again)?;
    let compared = pool::each(
        &traces,
        2,
        || (),
        |(), kept| compare(&afterimage, &kept.trace, args).with_context(|| kept.name.clone()),
    )?;
    println!("{:60}   images  equal      skipped  checkpoint restart queried differ  seconds  without", "");
    let mut all = Compared::default();
    for (kept, one) in traces.iter().zip(compared) {
        println!(
            "{:60} {:8} {:6} {:12} {:11} {:6} {:6} {:7} {:8.2} {:8.2}",
            kept.name.chars().take(60).collect::<String>(),
            one.pictures,
            one.equal,
            one.passed_over,
            one.by_checkpoint,
            one.anew.values().sum::<u64>(),
            one.asked,
            one.differences.len(),
            one.seconds[0],
            one.seconds[1],
        );
        all.pictures += one.pictures;
        all.equal += one.equal;
        all.by_checkpoint += one.by_checkpoint;
        all.asked += one.asked;
        all.differences.extend(one.differences.iter().map(|text| format!("{}: {text}", kept.name)));
        for (reason, times) in one.anew {
            *all.anew.entry(reason).or_default() += times;
        }
    }
    println!("{} of {} images are equal", all.equal, all.pictures);
    println!("{} times from a checkpoint, {} times from the start:", all.by_checkpoint, all.anew.values().sum::<u64>());
    for (reason, times) in &all.anew {
        println!("{times:6} {reason}");
    }
    println!("{} of {} answers of the driver differ from the model", all.differences.len(), all.asked);
    for text in &all.differences {
        println!("       {text}");
    }
    if all.pictures == 0 {
        bail!("there was nothing to compare");
    }
    if all.equal != all.pictures {
        bail!("{} images differ", all.pictures - all.equal);
    }
    if !all.differences.is_empty() {
        bail!("the driver's state differs from the model");
    }
    Ok(())
}

/// Returns random commands, each followed by two close to it, one after and one before.
fn places(args: &Args, length: u64) -> Vec<u64> {
    const CLOSE: u64 = 60;
    let mut random = Random::xorshift(args.seed);
    let mut next = |below: u64| random.number() % below.max(1);
    let mut places = Vec::new();
    for _ in 0..args.samples {
        let place = next(length);
        let back = place.saturating_sub(1 + next(CLOSE));
        places.extend([
            place,
            back,
            (back + 1 + next(CLOSE)).min(length.saturating_sub(1)),
            back.saturating_sub(next(CLOSE)),
        ]);
    }
    places
}

fn compare(afterimage: &Path, trace: &Path, args: &Args) -> anyhow::Result<Compared> {
    let info = process::output(&afterimage.to_string_lossy(), &["info", "--json", &trace.to_string_lossy()])?;
    let info: Value = serde_json::from_str(&info).context("afterimage info did not print JSON")?;
    let length = info["calls"].as_u64().context("afterimage info did not print the number of calls")?;
    let places: Vec<String> = places(args, length).iter().map(u64::to_string).collect();
    let folder = trace.with_file_name("skip");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut result = Compared::default();
    let ways = [("with", &["--compare-state"][..]), ("without", &["--no-skip"])];
    for (at, (name, options)) in ways.into_iter().enumerate() {
        let mut command = Command::new(afterimage);
        command
            .arg("replay")
            .arg(trace)
            .arg("--json")
            .arg("--force")
            .arg("--images")
            .arg(folder.join(name))
            .args(options);
        command.args(places.iter().flat_map(|place| ["--at", place]));
        let output = command.output().context("cannot start afterimage")?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        result.seconds[at] = report["looks"].as_array().into_iter().flatten().filter_map(Value::as_f64).sum();
        if at == 0 {
            result.read(&report);
        }
    }
    let (with, without) = (folder.join("with"), folder.join("without"));
    for place in &places {
        let file = format!("command-{place:0>8}.png");
        let pictures = (std::fs::read(with.join(&file)).ok(), std::fs::read(without.join(&file)).ok());
        match pictures {
            (None, None) => {}
            (one, other) => {
                result.pictures += 1;
                result.equal += usize::from(one == other);
            }
        }
    }
    Ok(result)
}

impl Compared {
    /// Reads the report of the run that goes back and forth.
    fn read(&mut self, report: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        self.passed_over = report["passed_over"].as_u64().unwrap_or(0);
        self.by_checkpoint = report["back"]["by_checkpoint"].as_u64().unwrap_or(0);
        for one in list(&report["back"]["anew"]) {
            self.anew.insert(text(&one["reason"]), one["times"].as_u64().unwrap_or(0));
        }
        self.asked = report["model"]["asked"].as_u64().unwrap_or(0);
        for one in list(&report["model"]["differences"]) {
            self.differences.push(format!("command {}: {}", one["command"], text(&one["text"])));
        }
    }
}
