//! `cargo xtask bench state`: how long it takes to know the state at a command, against apitrace's state dump in one run,
//! by turns.

mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::document;
use super::record::measure::Tools;
use super::record::{Subject, micro, scene};
use crate::setup;

/// How to measure.
#[derive(clap::Args)]
pub struct Args {
    /// How often each state is asked for; the least of the costs counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// How many random commands of each trace.
    #[arg(long, default_value_t = 200, value_name = "N")]
    samples: usize,
    /// Only programs whose name contains this; nothing is written to docs/benchmarks.md then.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

const SUBJECTS: &[Subject] = &[
    micro("a million binds, enables, uniforms and draws", &["overhead", "mixed", "1000000"], 1_000_000),
    micro("a million glUniform4f", &["overhead", "uniform", "1000000"], 1_000_000),
    scene("glmark2 desktop", &["glmark2", "-s", "64x64", "-b", "desktop:effect=shadow:windows=4:nframes=1000"], None),
];

/// Parts of a trace after which the state is asked for, in percent.
const PLACES: [u64; 3] = [10, 50, 100];

/// Snapshots so many calls apart are tried, besides the usual number.
const INTERVALS: [&str; 4] = ["256", "1024", "16384", "65536"];

/// What was measured of one program's trace.
pub struct Measured {
    /// What it is called.
    pub name: &'static str,
    /// What `afterimage state --bench` says.
    pub usual: Value,
    /// The same with other numbers of calls between snapshots.
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
        serde_json::from_str(&said).context("afterimage printed no JSON")
    };
    let usual = bench(&[])?;
    let intervals = INTERVALS.iter().map(|calls| bench(&["--interval", calls])).collect::<anyhow::Result<Vec<_>>>()?;
    let our_calls = usual["calls"].as_u64().context("afterimage does not say how many calls there are")?;
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

/// apitrace's replay looks for libraries by the names that only development packages have: a folder with links of those
/// names to what is installed.
fn links(tools: &Tools) -> anyhow::Result<PathBuf> {
    const FOLDERS: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let folder = tools.folder.join("lib");
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, installed) in
        [("libEGL.so", "libEGL.so.1"), ("libGL.so", "libGL.so.1"), ("libGLESv2.so", "libGLESv2.so.2")]
    {
        let library = FOLDERS.iter().map(|folder| Path::new(folder).join(installed)).find(|path| path.exists());
        let library = library.with_context(|| format!("{installed} is in none of {}", FOLDERS.join(", ")))?;
        let link = folder.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(&library, &link)
                .with_context(|| format!("{} cannot be made", link.display()))?;
        }
    }
    Ok(folder)
}

/// How many calls apitrace has recorded: its numbers are not ours, because it keeps other calls.
fn calls(tools: &Tools) -> anyhow::Result<u64> {
    let (said, _) = tools.run(Command::new("apitrace").args(["info", "--dump-frames"]).arg(tools.apitrace_file()))?;
    let said: Value = serde_json::from_str(&said).context("apitrace info printed no JSON")?;
    let last =
        said["Frames"].as_array().and_then(|frames| frames.last()).and_then(|frame| frame["LastCallId"].as_u64());
    Ok(last.context("apitrace does not say how many calls there are")? + 1)
}
