//! `cargo xtask corpus skip`: pictures after random commands of real traces, made by executing only what they depend on
//! and by executing everything, must be the same.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::random::Random;
use super::{pool, record, state};
use crate::process;

/// What to compare.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Only programs whose name contains this.
    #[arg(long, value_name = "STR")]
    pub filter: Option<String>,
    /// At how many commands of each trace.
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
struct Compared {
    pictures: usize,
    equal: usize,
    executed: u64,
    passed_over: u64,
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
    let (mut pictures, mut equal) = (0, 0);
    println!("{:60} pictures  equal  passed over  seconds  without skipping", "");
    for (kept, result) in traces.iter().zip(&compared) {
        let share = result.passed_over * 100 / (result.passed_over + result.executed).max(1);
        println!(
            "{:60} {:8} {:6} {:9} {share} % {:7.2} {:7.2}",
            kept.name.chars().take(60).collect::<String>(),
            result.pictures,
            result.equal,
            result.passed_over,
            result.seconds[0],
            result.seconds[1],
        );
        pictures += result.pictures;
        equal += result.equal;
    }
    println!("{equal} of {pictures} pictures are the same");
    if pictures == 0 {
        bail!("there was nothing to compare");
    }
    if equal != pictures {
        bail!("{} pictures differ", pictures - equal);
    }
    Ok(())
}

fn compare(afterimage: &Path, trace: &Path, args: &Args) -> anyhow::Result<Compared> {
    let info = process::output(&afterimage.to_string_lossy(), &["info", "--json", &trace.to_string_lossy()])?;
    let info: Value = serde_json::from_str(&info).context("afterimage info printed no JSON")?;
    let length = info["calls"].as_u64().context("afterimage info has no number of calls")?;
    let mut random = Random::new(args.seed);
    let places: Vec<String> = (0..args.samples).map(|_| random.below(length).to_string()).collect();
    let folder = trace.with_file_name("skip");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut result = Compared { pictures: 0, equal: 0, executed: 0, passed_over: 0, seconds: [0.0; 2] };
    for (at, (name, options)) in [("with", &[][..]), ("without", &["--no-skip"][..])].into_iter().enumerate() {
        let mut command = Command::new(afterimage);
        command.arg("replay").arg(trace).arg("--json").arg("--images").arg(folder.join(name)).args(options);
        command.args(places.iter().flat_map(|place| ["--at", place]));
        let output = command.output().context("afterimage cannot be started")?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        result.seconds[at] = report["seconds"].as_f64().unwrap_or(0.0);
        if at == 0 {
            result.passed_over = report["passed_over"].as_u64().unwrap_or(0);
            result.executed = places.len() as u64 * length / 2;
        }
    }
    let (with, without) = (folder.join("with"), folder.join("without"));
    for place in &places {
        let file = format!("command-{:0>8}.png", place);
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
