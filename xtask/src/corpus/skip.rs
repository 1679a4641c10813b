//! `cargo xtask corpus skip`: pictures after random commands of real traces, in any order, made in one run that goes back
//! and forth and executes only what they depend on, and by executing everything from the start, must be the same; and the
//! driver's state must be the model's after each.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;
use testing::random::Random;

use super::{pool, record, state};
use crate::process;

/// What to compare.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Only programs whose name contains this.
    #[arg(long, value_name = "STR")]
    pub filter: Option<String>,
    /// At how many commands of each trace; from each the run takes a few steps back and forth.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub samples: usize,
    /// Which commands.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Record all programs anew.
    #[arg(long)]
    pub again: bool,
}

/// What came of one trace.
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

/// Compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = state::programs(args.filter.as_deref());
    let (afterimage, traces) = record::traces(&wanted, &|_| false, args.again)?;
    let compared = pool::each(
        &traces,
        2,
        || (),
        |(), kept| compare(&afterimage, &kept.trace, args).with_context(|| kept.name.clone()),
    )?;
    println!("{:60} pictures  equal  passed over  checkpoint   anew  asked  differ  seconds  without", "");
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
    println!("{} of {} pictures are the same", all.equal, all.pictures);
    println!("{} times from a checkpoint, {} times anew:", all.by_checkpoint, all.anew.values().sum::<u64>());
    for (reason, times) in &all.anew {
        println!("{times:6} {reason}");
    }
    println!("{} of {} answers of the driver are not the model's", all.differences.len(), all.asked);
    for text in &all.differences {
        println!("       {text}");
    }
    if all.pictures == 0 {
        bail!("there was nothing to compare");
    }
    if all.equal != all.pictures {
        bail!("{} pictures differ", all.pictures - all.equal);
    }
    if !all.differences.is_empty() {
        bail!("the driver's state is not the model's");
    }
    Ok(())
}

/// Random commands, and after each two that are close to it, behind and before.
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
    let info: Value = serde_json::from_str(&info).context("afterimage info printed no JSON")?;
    let length = info["calls"].as_u64().context("afterimage info has no number of calls")?;
    let places: Vec<String> = places(args, length).iter().map(u64::to_string).collect();
    let folder = trace.with_file_name("skip");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut result = Compared::default();
    let ways = [("with", &["--compare-state"][..]), ("without", &["--no-skip"])];
    for (at, (name, options)) in ways.into_iter().enumerate() {
        let mut command = Command::new(afterimage);
        command.arg("replay").arg(trace).arg("--json").arg("--images").arg(folder.join(name)).args(options);
        command.args(places.iter().flat_map(|place| ["--at", place]));
        let output = command.output().context("afterimage cannot be started")?;
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
    /// Takes what a report says of the run that goes back and forth.
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
