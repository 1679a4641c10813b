//! `cargo xtask bench state`: how long the state at a command takes, compared with apitrace's state dump, alternately
//! in one run.

mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::document;
use super::record::measure::Tools;
use super::record::{Subject, micro, scene};
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions; the lowest cost counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Number of random commands of each trace.
    #[arg(long, default_value_t = 200, value_name = "N")]
    samples: usize,
    /// Measure only programs whose name contains STR; does not write docs/benchmarks.md.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

const SUBJECTS: &[Subject] = &[
    micro("a million binds, enables, uniforms and draws", &["overhead", "mixed", "1000000"], 1_000_000),
    micro("a million glUniform4f", &["overhead", "uniform", "1000000"], 1_000_000),
    scene("glmark2 desktop", &["glmark2", "-s", "64x64", "-b", "desktop:effect=shadow:windows=4:nframes=1000"], None),
];

/// Positions in a trace at which the state is requested, in percent.
const PLACES: [u64; 3] = [10, 50, 100];

/// Snapshot intervals to try, in calls, besides the default.
const INTERVALS: [&str; 4] = ["256", "1024", "16384", "65536"];

/// The results of one program's trace.
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// The output of `afterimage state --bench`.
    pub usual: Value,
    /// The same with other snapshot intervals.
    pub intervals: Vec<Value>,
    /// CPU seconds of a state dump by apitrace and of `afterimage state`, for each of [`PLACES`].
    pub dumps: Vec<(u64, f64, f64)>,
}

/// Measures everything and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["apitrace", "glmark2-x11", "xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("bench-state")?;
    let wanted = |subject: &&Subject| args.filter.as_ref().is_none_or(|filter| subject.name.contains(filter.as_str()));
    let links = links(&tools)?;
    let mut measured = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        println!("{}", subject.name);
        measured.push(measure(subject, args, &tools, &links)?);
    }
    let text = table::text(&measured, args);
    print!("{text}");
    if args.filter.is_none() {
        document::write(&text)?;
    }
    Ok(())
}

fn measure(subject: &'static Subject, args: &Args, tools: &Tools, links: &Path) -> anyhow::Result<Measured> {
    tools.ours(subject)?;
    tools.apitrace(subject)?;
    let (ours, theirs) = (tools.our_file(), tools.apitrace_file());
    let afterimage = || Command::new(tools.built.join("afterimage"));
    let bench = |more: &[&str]| -> anyhow::Result<Value> {
        let samples = args.samples.to_string();
        let (said, _) = tools.run(afterimage().arg("state").arg(&ours).args(["--bench", &samples]).args(more))?;
        serde_json::from_str(&said).context("afterimage did not print JSON")
    };
    let usual = bench(&[])?;
    let intervals = INTERVALS.iter().map(|calls| bench(&["--interval", calls])).collect::<anyhow::Result<Vec<_>>>()?;
    let our_calls = usual["calls"].as_u64().context("afterimage did not print the number of calls")?;
    let their_calls = calls(tools)?;
    let mut dumps = Vec::new();
    for place in PLACES {
        let at = |calls: u64| (calls.saturating_sub(1) * place / 100).to_string();
        let mut least = (f64::INFINITY, f64::INFINITY);
        for _ in 0..args.rounds.max(1) {
            let mut apitrace = Command::new("apitrace");
            apitrace.args(["replay", "--headless", "--dump-state", &at(their_calls)]).arg(&theirs);
            least.0 = least.0.min(tools.run(apitrace.env("LD_LIBRARY_PATH", links))?.1);
            let mut state = afterimage();
            state.arg("state").arg(&ours).args(["--json", "--at", &at(our_calls)]);
            least.1 = least.1.min(tools.run(&mut state)?.1);
        }
        dumps.push((place, least.0, least.1));
    }
    Ok(Measured { name: subject.name, usual, intervals, dumps })
}

/// Creates a folder with links for apitrace's replay, which looks for libraries by names that only development packages
/// have.
fn links(tools: &Tools) -> anyhow::Result<PathBuf> {
    const FOLDERS: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let folder = tools.folder.join("lib");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, installed) in
        [("libEGL.so", "libEGL.so.1"), ("libGL.so", "libGL.so.1"), ("libGLESv2.so", "libGLESv2.so.2")]
    {
        let library = FOLDERS.iter().map(|folder| Path::new(folder).join(installed)).find(|path| path.exists());
        let library = library.with_context(|| format!("{installed} is in none of {}", FOLDERS.join(", ")))?;
        let link = folder.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(&library, &link).with_context(|| format!("cannot create {}", link.display()))?;
        }
    }
    Ok(folder)
}

/// Returns the number of calls that apitrace has recorded: its numbers differ from ours, because it records other
/// calls.
fn calls(tools: &Tools) -> anyhow::Result<u64> {
    let (said, _) = tools.run(Command::new("apitrace").args(["info", "--dump-frames"]).arg(tools.apitrace_file()))?;
    let said: Value = serde_json::from_str(&said).context("apitrace info did not print JSON")?;
    let last =
        said["Frames"].as_array().and_then(|frames| frames.last()).and_then(|frame| frame["LastCallId"].as_u64());
    Ok(last.context("apitrace info did not print the number of calls")? + 1)
}
