//! `cargo xtask bench record`: the cost of recording, the size of traces and the cost of replay, compared with
//! apitrace, alternately in one run.

pub mod measure;
mod table;

use self::measure::{Cost, Tools};
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of runs of each program in each mode.
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Measure only programs whose name contains STR; does not write docs/benchmarks.md.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

/// A program to record.
pub struct Subject {
    /// Its name in the table.
    pub name: &'static str,
    /// The program and its arguments; programs of this repository have no path.
    pub command: &'static [&'static str],
    /// apitrace's name of its API.
    pub api: &'static str,
    /// Number of calls that it makes and times itself, printing nanoseconds per call; `None` for whole programs.
    pub calls: Option<u64>,
    /// The minimum ratio of apitrace's added cost to ours: in the calling thread, or for whole programs in the program,
    /// and in program and recorder together.
    pub less: Option<f64>,
    /// The same for a call in program and recorder together.
    pub less_together: Option<f64>,
    /// The minimum ratio of trace sizes.
    pub smaller: Option<f64>,
    /// Whether to measure its replay: apitrace's and ours then do the same.
    pub replay: bool,
}

/// Returns a loop of one call, without targets.
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

/// Returns a scene of glmark2. Its window is small, so that llvmpipe's fill rate is not what is measured. It must not
/// end after glmark2's default ten seconds: on a busy machine that would be after fewer frames.
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

/// The results of one program.
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

/// Returns the cost of each mode of running a program, alternating between modes.
fn measure(subject: &'static Subject, rounds: usize, tools: &Tools) -> anyhow::Result<Measured> {
    let (mut plain, mut apitrace, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        plain.push(tools.plain(subject)?);
        apitrace.push(tools.apitrace(subject)?);
        ours.push(tools.ours(subject)?);
    }
    let mut replay: Option<(f64, f64)> = None;
    if subject.replay {
        for _ in 0..rounds {
            let (theirs, ours) = (tools.replay_apitrace()?, tools.replay_ours()?);
            replay = Some(replay.map_or((theirs, ours), |least| (least.0.min(theirs), least.1.min(ours))));
        }
    }
    Ok(Measured {
        subject,
        plain: Cost::of_runs(&plain)?,
        apitrace: Cost::of_runs(&apitrace)?,
        ours: Cost::of_runs(&ours)?,
        replay,
    })
}
