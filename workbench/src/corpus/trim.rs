//! `cargo xtask corpus trim`: frames cut out of real traces must look as in the whole traces.

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
    filter: Option<String>,
    /// Number of frame ranges of each trace.
    #[arg(long, value_name = "N", default_value_t = 3)]
    ranges: usize,
    /// Seed of the choice of ranges.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of frames of each of glmark2's scenes to record.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frames: u32,
    /// Record all programs again.
    #[arg(long)]
    again: bool,
}

/// The result of one range of frames.
#[derive(Default)]
struct Tried {
    frames: String,
    /// Numbers of frames that it contains, that were compared, and that were equal.
    counts: [u64; 3],
    /// Calls before the frames, and how many of them were kept.
    before: u64,
    setup: u64,
    /// Size of the trace, of the contents in it, and of the whole trace.
    bytes: [u64; 3],
    problems: Vec<String>,
}

/// The results of one trace.
struct Trimmed {
    tried: Vec<Tried>,
    /// CPU seconds for the last frame, from the start and trimmed.
    last: [f64; 2],
}

/// Cuts and compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    // Piglit's programs read back what they draw, and do not present it: they have no frames to cut out.
    let mut wanted = state::programs(args.filter.as_deref());
    wanted.retain(|name| !name.starts_with("piglit/"));
    let (afterimage, traces) = record::traces_of(&wanted, &|_| false, args.again, Some(args.frames))?;
    let results = pool::each(
        &traces,
        2,
        || (),
        |(), kept| {
            let trimmed = trim(&afterimage, &kept.trace, args);
            Ok(trimmed.map_err(|error| format!("{error:#}")))
        },
    )?;
    let (mut right, mut total) = (0, 0);
    println!(
        "frames: cut, compared, equal; kB: trimmed, contents of that, whole; processor seconds: last frame from the start, trimmed"
    );
    for (kept, result) in traces.iter().zip(&results) {
        let name: String = kept.name.chars().take(44).collect();
        total += args.ranges;
        let trimmed = match result {
            Ok(trimmed) => trimmed,
            Err(reason) => {
                println!("{name:44} {reason}");
                continue;
            }
        };
        for tried in &trimmed.tried {
            let good = tried.is_right();
            right += usize::from(good);
            let [cut, compared, equal] = tried.counts;
            let [bytes, contents, whole] = tried.bytes.map(|bytes| bytes as f64 / 1e3);
            println!(
                "{name:44} {:10} {cut:3} {compared:3} {equal:3} calls {:6} of {:7} kB {bytes:8.1} {contents:8.1} {whole:8.1} {}",
                tried.frames,
                tried.setup,
                tried.before,
                if good { "" } else { "WRONG" },
            );
            for problem in &tried.problems {
                println!("    {problem}");
            }
        }
        let [start, alone] = trimmed.last;
        println!("{name:44} last frame {start:.3} s {alone:.3} s, {:.1} times", start / alone.max(1e-6));
    }
    println!("{right} of {total} ranges of frames are the same and no larger than the whole trace and contents");
    if right != total {
        bail!("{} ranges are wrong", total - right);
    }
    Ok(())
}

impl Tried {
    /// Returns whether all frames were compared and are equal, and only contents make the trace larger.
    fn is_right(&self) -> bool {
        let [cut, compared, equal] = self.counts;
        let [bytes, contents, whole] = self.bytes;
        cut == compared && cut == equal && self.problems.is_empty() && bytes.saturating_sub(contents) <= whole
    }
}

fn trim(afterimage: &Path, trace: &Path, args: &Args) -> anyhow::Result<Trimmed> {
    let info = process::output(&afterimage.to_string_lossy(), &["info", "--json", &trace.to_string_lossy()])?;
    let info: Value = serde_json::from_str(&info).context("afterimage info did not print JSON")?;
    let frames = info["frames"].as_array().context("afterimage info did not print frames")?.len() as u64;
    // The last frame of a program that was terminated has no image.
    let frames = if frames > 10 { frames - 1 } else { frames };
    if frames == 0 {
        bail!("the program presents no frames");
    }
    // Different frames for each program.
    let name = trace.to_string_lossy();
    let program = name.bytes().fold(args.seed, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = Random::xorshift(program);
    let folder = trace.with_file_name("trim");
    std::fs::create_dir_all(&folder)?;
    let mut tried = Vec::new();
    for at in 0..args.ranges {
        let first = random.number() % frames.max(1);
        let last = (first + random.number() % 5).min(frames - 1);
        tried.push(one(afterimage, trace, &folder.join(format!("{at}.aftr")), first, last)?);
    }
    let alone = folder.join("last.aftr");
    let end = frames - 1;
    one(afterimage, trace, &alone, end, end)?;
    let last =
        [seconds(afterimage, trace, &["--frame", &end.to_string()])?, seconds(afterimage, &alone, &["--frame", "0"])?];
    std::fs::remove_dir_all(&folder)?;
    Ok(Trimmed { tried, last })
}

/// Cuts frames out and compares them with the recording.
fn one(afterimage: &Path, trace: &Path, output: &Path, first: u64, last: u64) -> anyhow::Result<Tried> {
    let frames = format!("{first}..={last}");
    let mut command = Command::new(afterimage);
    command.arg("trim").arg(trace).args(["--json", "--force", "--frames", &frames]).arg("-o").arg(output);
    let cut = json(&mut command).with_context(|| format!("frames {frames}"))?;
    let compared = json(Command::new(afterimage).arg("replay").arg(output).args(["--json", "--verify"]))
        .with_context(|| format!("frames {frames}"))?;
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let texts = |list: &Value, key: Option<&str>| -> Vec<String> {
        let text = |item: &Value| key.map_or(item, |key| &item[key]).as_str().unwrap_or_default().to_owned();
        list.as_array().into_iter().flatten().map(text).collect()
    };
    let mut problems = texts(&cut["problems"], None);
    problems.extend(texts(&compared["problems"], Some("text")));
    problems.extend(texts(&compared["verify"]["differences"], Some("text")));
    let counted = &compared["verify"]["frames"];
    Ok(Tried {
        frames,
        counts: [last + 1 - first, number(&counted["compared"]), number(&counted["equal"])],
        before: number(&cut["calls"]["before"]),
        setup: number(&cut["calls"]["setup"]),
        bytes: [&cut["bytes"]["trace"], &cut["bytes"]["contents"], &cut["bytes"]["whole"]].map(number),
        problems,
    })
}

fn seconds(afterimage: &Path, trace: &Path, options: &[&str]) -> anyhow::Result<f64> {
    let report = json(Command::new(afterimage).arg("replay").arg(trace).arg("--json").args(options))?;
    report["cpu_seconds"].as_f64().context("afterimage replay did not print the time")
}

fn json(command: &mut Command) -> anyhow::Result<Value> {
    let output = command.output().context("cannot start afterimage")?;
    serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
