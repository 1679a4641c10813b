//! `afterimage replay --json`.

use device::Report;
use device::report::{ComparedKind, Count, Difference, Problem, Returns, Tally};
use serde::Serialize;

use super::findings::Findings;

/// What came of a replay.
#[derive(Serialize)]
pub struct Document<'a> {
    pub result: &'static str,
    pub reason: Option<&'a str>,
    /// If the trace was replayed.
    #[serde(flatten)]
    pub replayed: Option<Replayed<'a>>,
    /// If the pictures were compared with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// If the driver crashed or hung.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash<'a>>,
}

/// A replay that came to its end.
#[derive(Serialize)]
pub struct Replayed<'a> {
    pub commands: u64,
    pub lost: u64,
    pub passed_over: u64,
    pub back: &'a Returns,
    pub looks: &'a [f64],
    pub frames: u64,
    pub images: u64,
    pub renderer: &'a str,
    pub verify: Option<Verify<'a>>,
    pub model: Option<Findings<'a>>,
    pub problems: &'a [Problem],
    pub seconds: f64,
    pub cpu_seconds: f64,
}

/// What was compared with the recording.
#[derive(Serialize)]
pub struct Verify<'a> {
    pub frames: Count,
    pub last: Count,
    pub readbacks: Count,
    pub errors: Count,
    pub incomparable: u64,
    pub differences: Vec<Differing<'a>>,
}

/// Something that differs from the recording.
#[derive(Serialize)]
pub struct Differing<'a> {
    pub command: u64,
    pub kind: ComparedKind,
    pub call: String,
    pub text: &'a str,
}

/// How the pictures compare with those of another folder.
#[derive(Serialize)]
pub struct Against {
    pub pictures: u64,
    pub equal: u64,
    pub worst: Option<Worst>,
    pub histogram: Vec<Bin>,
}

/// The largest difference.
#[derive(Serialize)]
pub struct Worst {
    pub difference: u8,
    pub picture: String,
}

/// How many values differ by how much.
#[derive(Serialize)]
pub struct Bin {
    pub from: u8,
    pub to: u8,
    pub values: u64,
}

/// Where the driver crashed or hung.
#[derive(Serialize)]
pub struct Crash<'a> {
    pub command: Option<u64>,
    pub call: Option<String>,
    pub how: &'a str,
}

/// The devices to choose from.
#[derive(Serialize)]
pub struct Devices<'a> {
    pub devices: Vec<Device<'a>>,
}

/// A device.
#[derive(Serialize)]
pub struct Device<'a> {
    pub index: usize,
    pub name: &'a str,
    pub software: bool,
}

impl<'a> Replayed<'a> {
    /// Describes a replay; `call` returns the text of a command.
    pub fn new(report: &'a Report, call: &dyn Fn(u64) -> String) -> Replayed<'a> {
        Replayed {
            commands: report.commands,
            lost: report.lost,
            passed_over: report.skipped,
            back: &report.returns,
            looks: &report.looks,
            frames: report.frames,
            images: report.images,
            renderer: &report.renderer,
            verify: report.tally.as_ref().map(|tally| Verify::new(tally, call)),
            model: report.findings.as_ref().map(Findings::new),
            problems: &report.problems,
            seconds: report.seconds,
            cpu_seconds: report.cpu_seconds,
        }
    }
}

impl<'a> Verify<'a> {
    fn new(tally: &'a Tally, call: &dyn Fn(u64) -> String) -> Verify<'a> {
        let differing = |difference: &'a Difference| Differing {
            command: difference.command,
            kind: difference.kind,
            call: call(difference.command),
            text: &difference.text,
        };
        Verify {
            frames: tally.frames,
            last: tally.last,
            readbacks: tally.readbacks,
            errors: tally.errors,
            incomparable: tally.incomparable,
            differences: tally.differences.iter().map(differing).collect(),
        }
    }
}
