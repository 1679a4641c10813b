//! `afterimage trim --json`.

use chronicle::trim::Left;
use serde::Serialize;

use crate::trim::Cut;

/// What was kept of a trace.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The new trace.
    pub trace: String,
    /// The frames that were kept.
    pub frames: Frames,
    /// Whether contents, labels and the command line were left out.
    pub stripped: bool,
    /// How many calls the new trace has.
    pub calls: Calls,
    /// Sizes of files.
    pub bytes: Bytes,
    /// What was read back from the driver and stored.
    pub contents: Vec<Contents<'a>>,
    /// Contents that were not stored.
    pub left_out: Vec<LeftOut<'a>>,
    /// Commands of the frames for which it is unknown what they read; if there are any, no contents are left out.
    pub blind: &'a [&'static str],
    /// What is worth knowing, though nothing is wrong.
    pub notes: &'a [String],
    /// Commands that were kept with everything before them, because it is unknown what they do.
    pub unknown: Vec<Unknown>,
    /// Whether all earlier calls were kept, because contents would take more room.
    pub all_calls: bool,
    /// The comparison with the frames of the whole trace; null with `--no-verify` or `--strip`.
    pub verified: Option<Verified>,
    /// What will differ from the recording.
    pub problems: &'a [String],
}

/// How the new trace's frames compare with those of the whole one.
#[derive(Serialize)]
pub struct Verified {
    /// How many frames were compared.
    pub compared: u64,
    /// How many of them are equal.
    pub equal: u64,
}

/// The frames that were kept.
#[derive(Serialize)]
pub struct Frames {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// How many frames the whole trace has.
    pub of: u64,
}

/// The calls of the new trace.
#[derive(Serialize)]
pub struct Calls {
    /// Calls of these frames.
    pub kept: u64,
    /// Calls of the new trace before these frames: earlier ones that they need, and those that restore contents.
    pub setup: u64,
    /// All earlier calls of the whole trace.
    pub before: u64,
}

/// Sizes of files.
#[derive(Serialize)]
pub struct Bytes {
    /// The new trace.
    pub trace: u64,
    /// The whole trace.
    pub whole: u64,
    /// By how much the new trace would be smaller without contents.
    pub contents: u64,
}

/// Contents that were read back.
#[derive(Serialize)]
pub struct Contents<'a> {
    /// The resource.
    pub what: &'a str,
    /// The size before compression.
    pub bytes: u64,
}

/// Contents that are not in the new trace.
#[derive(Serialize)]
pub struct LeftOut<'a> {
    /// The resource.
    pub what: &'a str,
    /// `replaced` if the frames overwrite it before they read it, `untouched` if they do not read it.
    pub because: &'static str,
}

/// A command that was kept with everything before it.
#[derive(Serialize)]
pub struct Unknown {
    /// The function.
    pub name: &'static str,
    /// How often it is called.
    pub calls: u64,
}

impl<'a> Document<'a> {
    /// Describes a trimmed trace.
    pub fn new(cut: &'a Cut) -> Document<'a> {
        let because = |left: Left| match left {
            Left::Replaced => "replaced",
            Left::Untouched => "untouched",
        };
        Document {
            trace: cut.output.display().to_string(),
            frames: Frames { first: cut.frames.first, last: cut.frames.last, of: cut.frames_before },
            stripped: cut.stripped,
            calls: Calls { kept: cut.kept, setup: cut.setup, before: cut.before },
            bytes: Bytes { trace: cut.bytes, whole: cut.whole_bytes, contents: cut.contents_bytes },
            contents: cut.items.iter().map(|item| Contents { what: &item.what, bytes: item.bytes }).collect(),
            left_out: cut.left_out.iter().map(|(what, left)| LeftOut { what, because: because(*left) }).collect(),
            blind: &cut.blind,
            notes: &cut.notes,
            unknown: cut.unknown.iter().map(|&(name, calls)| Unknown { name, calls }).collect(),
            all_calls: cut.all_calls,
            verified: cut.verified.map(|verified| Verified { compared: verified.compared, equal: verified.equal }),
            problems: &cut.problems,
        }
    }
}
