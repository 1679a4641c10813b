//! `afterimage replay --json`.

use device::Report;
use device::report::{ComparedKind, Count, Difference, Incomparable, Problem, Returns, Tally};
use serde::Serialize;

use super::findings::Findings;

/// What came of a replay.
#[derive(Serialize)]
pub struct Document<'a> {
    /// `done`, `different` (something differs from the recording or from `--against`) or `unserved`.
    pub result: &'static str,
    /// One sentence if the result is not `done`; null otherwise.
    pub reason: Option<&'a str>,
    /// Absent if the trace was not replayed to its end.
    #[serde(flatten)]
    pub replayed: Option<Replayed<'a>>,
    /// With `--against`: how the pictures compare with those of another folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// Where the driver crashed, hung or ran out of memory, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash<'a>>,
}

/// A replay that came to its end.
#[derive(Serialize)]
pub struct Replayed<'a> {
    /// How many commands were executed.
    pub commands: u64,
    /// How many of them could not be read, because the file is damaged.
    pub lost: u64,
    /// With `--at`: how many commands were skipped, because the pictures do not depend on them.
    pub passed_over: u64,
    /// With `--at`: how the run got back to earlier commands.
    pub back: &'a Returns,
    /// With `--at`: the seconds until each picture was there.
    pub looks: &'a [f64],
    /// How many frames were presented.
    pub frames: u64,
    /// How many pictures were written.
    pub images: u64,
    /// With `--at`: the names of the pictures; those of further colour buffers have the buffer's number in them.
    pub pictures: &'a [String],
    /// The driver's `GL_RENDERER`.
    pub renderer: &'a str,
    /// With `--verify`: what was compared with the recording; null without.
    pub verify: Option<Verify<'a>>,
    /// With `--compare-state`: where the model and the driver differ; null without.
    pub model: Option<Findings<'a>>,
    /// What could not be done as recorded.
    pub problems: &'a [Problem],
    /// Seconds from the first command to the end of the last.
    pub seconds: f64,
    /// Seconds of processor time during that.
    pub cpu_seconds: f64,
}

/// What was compared with the recording.
#[derive(Serialize)]
pub struct Verify<'a> {
    /// Pictures about to be presented.
    pub frames: Count,
    /// Pictures of what was bound at the end, in contexts that presented nothing.
    pub last: Count,
    /// Results of calls and contents of maps.
    pub readbacks: Count,
    /// Answers of `glGetError`.
    pub errors: Count,
    /// How many results could not be compared: nothing was written, or the trace has only a hash and not every byte
    /// was written.
    pub incomparable: u64,
    /// The commands with those results, by name and reason.
    pub unsettled: Vec<Unsettled<'a>>,
    /// The first differences, in order.
    pub differences: Vec<Differing<'a>>,
}

/// Results of a command that could not be compared, for one reason.
#[derive(Serialize)]
pub struct Unsettled<'a> {
    /// The command's name.
    pub name: &'a str,
    /// The first of them.
    pub command: u64,
    /// How many results.
    pub times: u64,
    /// Why they could not be compared.
    pub reason: Incomparable,
}

/// Something that differs from the recording.
#[derive(Serialize)]
pub struct Differing<'a> {
    /// The command at which it was found.
    pub command: u64,
    /// What was compared.
    pub kind: ComparedKind,
    /// The command as `dump` prints it.
    pub call: String,
    /// How it differs.
    pub text: &'a str,
}

/// How the pictures compare with those of another folder.
#[derive(Serialize)]
pub struct Against {
    /// How many pictures were compared.
    pub pictures: u64,
    /// How many of them are equal.
    pub equal: u64,
    /// The largest difference; null if there is none.
    pub worst: Option<Worst>,
    /// How many values of colours differ by how much.
    pub histogram: Vec<Bin>,
}

/// The largest difference.
#[derive(Serialize)]
pub struct Worst {
    /// By how much, of 255.
    pub difference: u8,
    /// The picture.
    pub picture: String,
}

/// How many values differ by how much.
#[derive(Serialize)]
pub struct Bin {
    /// The smallest difference of this row.
    pub from: u8,
    /// The largest difference of this row.
    pub to: u8,
    /// How many values differ so.
    pub values: u64,
}

/// Where the driver crashed, hung or ran out of memory.
#[derive(Serialize)]
pub struct Crash<'a> {
    /// The command that was being executed; null if none had begun.
    pub command: Option<u64>,
    /// That command as `dump` prints it.
    pub call: Option<String>,
    /// The signal or status that ended the driver, `hung` or `out of memory`.
    pub how: &'a str,
}

/// The devices to choose from.
#[derive(Serialize)]
pub struct Devices<'a> {
    /// The devices.
    pub devices: Vec<Device<'a>>,
}

/// A device.
#[derive(Serialize)]
pub struct Device<'a> {
    /// The number for `--device`.
    pub index: usize,
    /// Its name.
    pub name: &'a str,
    /// Whether it renders in software.
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
            pictures: &report.pictures,
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
            unsettled: tally
                .unsettled
                .iter()
                .map(|one| Unsettled { name: &one.name, command: one.command, times: one.times, reason: one.reason })
                .collect(),
            differences: tally.differences.iter().map(differing).collect(),
        }
    }
}
