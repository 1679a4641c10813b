//! `cargo xtask bench record`: what recording costs, how large traces are and what replay costs, against apitrace in one
//! run, by turns.

pub mod measure;
mod table;

use anyhow::Context;

use self::measure::{Cost, Tools};
use crate::setup;

/// How to measure.
#[derive(clap::Args)]
pub struct Args {
    /// How often each program is run in each way; the least of the costs counts.
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Only programs whose name contains this; nothing is written to docs/benchmarks.md then.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

/// A program to be recorded.
pub struct Subject {
    /// What it is called in the table.
    pub name: &'static str,
    /// The program and its arguments; programs of this repository have no path.
    pub command: &'static [&'static str],
    /// What apitrace calls its API.
    pub api: &'static str,
    /// Calls that it makes and times itself, printing the nanoseconds for each; nothing for whole programs.
    pub calls: Option<u64>,
    /// How many times less than apitrace's the added cost must be: in the calling thread, or for whole programs in
    /// the program, and in program and recorder together.
    pub less: Option<f64>,
    /// The same for a call in program and recorder together.
    pub less_together: Option<f64>,
    /// How many times smaller the trace must be.
    pub smaller: Option<f64>,
    /// Whether its replay is measured: apitrace's and ours do the same then.
    pub replay: bool,
}

/// A loop of one call, with no target.
pub const fn micro(name: &'static str, command: &'static [&'static str], calls: u64) -> Subject {
    Subject {
        name,
        command,
        api: "egl",
        calls: Some(calls),
        less: None,
        less_together: None,
        smaller: None,
        replay: false,
    }
}

/// A scene of glmark2. Its window is small, so that what is measured is not how long llvmpipe fills it. It must not end
/// after glmark2's ten seconds: on a busy machine that would be after fewer frames.
pub const fn scene(name: &'static str, command: &'static [&'static str], times: Option<f64>) -> Subject {
    Subject { name, command, api: "gl", calls: None, less: times, less_together: None, smaller: times, replay: true }
}

const SUBJECTS: &[Subject] = &[
    Subject {
        less: Some(10.0),
        less_together: Some(2.0),
        ..micro("glUniform4f", &["overhead", "uniform", "1000000"], 1_000_000)
    },
    Subject {
        less: Some(15.0),
        ..micro("glUniform4f on two threads", &["overhead", "uniform2", "1000000"], 2_000_000)
    },
    micro("glGetIntegerv", &["overhead", "getinteger", "1000000"], 1_000_000),
    Subject { smaller: Some(100.0), ..micro("600 identical 256 KiB uploads", &["overhead", "upload", "600"], 600) },
    micro("64 KiB map, 4 KiB touched", &["overhead", "map", "2000"], 2_000),
    scene(
        "glmark2 build:use-vbo=false",
        &["glmark2", "-s", "64x64", "-b", "build:use-vbo=false:nframes=1000:duration=600"],
        Some(2.0),
    ),
    scene(
        "glmark2 buffer:update-method=map",
        &["glmark2", "-s", "64x64", "-b", "buffer:update-method=map:nframes=1000:duration=600"],
        Some(2.0),
    ),
    scene(
        "glmark2 buffer:update-method=subdata",
        &["glmark2", "-s", "64x64", "-b", "buffer:update-method=subdata:nframes=1000:duration=600"],
        Some(2.0),
    ),
    scene("glmark2 shading", &["glmark2", "-s", "64x64", "-b", "shading:nframes=1000:duration=600"], None),
];

/// What was measured of one program.
pub struct Measured {
    pub subject: &'static Subject,
    pub plain: Cost,
    pub apitrace: Cost,
    pub ours: Cost,
    /// CPU seconds of a replay by apitrace and by us.
    pub replay: Option<(f64, f64)>,
}

/// Measures everything and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["apitrace", "glmark2-x11", "xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("bench-record")?;
    let wanted = |subject: &&Subject| args.filter.as_ref().is_none_or(|filter| subject.name.contains(filter.as_str()));
    let mut measured = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        println!("{}", subject.name);
        measured.push(measure(subject, args.rounds.max(1), &tools)?);
    }
    let text = table::text(&measured, args.rounds);
    print!("{text}");
    if args.filter.is_none() {
        super::document::write(&text)?;
    }
    Ok(())
}

/// The least cost of each way to run a program, the ways taking turns.
fn measure(subject: &'static Subject, rounds: usize, tools: &Tools) -> anyhow::Result<Measured> {
    let mut plain: Option<Cost> = None;
    let mut apitrace: Option<Cost> = None;
    let mut ours: Option<Cost> = None;
    for _ in 0..rounds {
        keep_least(&mut plain, tools.plain(subject)?);
        keep_least(&mut apitrace, tools.apitrace(subject)?);
        keep_least(&mut ours, tools.ours(subject)?);
    }
    let mut replay: Option<(f64, f64)> = None;
    if subject.replay {
        for _ in 0..rounds {
            let (theirs, ours) = (tools.replay_apitrace()?, tools.replay_ours()?);
            replay = Some(replay.map_or((theirs, ours), |least| (least.0.min(theirs), least.1.min(ours))));
        }
    }
    let none = "there were no rounds";
    Ok(Measured {
        subject,
        plain: plain.context(none)?,
        apitrace: apitrace.context(none)?,
        ours: ours.context(none)?,
        replay,
    })
}

fn keep_least(least: &mut Option<Cost>, cost: Cost) {
    *least = Some(match least.take() {
        Some(before) => before.least(&cost),
        None => cost,
    });
}
