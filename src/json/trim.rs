//! `afterimage trim --json`.

use chronicle::trim::Left;
use serde::Serialize;

use crate::trim::{Cut, Item};

/// What was kept of a trace.
#[derive(Serialize)]
pub struct Document<'a> {
    pub trace: String,
    pub frames: Frames,
    pub calls: Calls,
    pub bytes: Bytes,
    pub contents: &'a [Item],
    pub left_out: Vec<LeftOut<'a>>,
    pub blind: &'a [&'static str],
    pub notes: &'a [String],
    pub unknown: Vec<Unknown>,
    pub problems: &'a [String],
}

/// The frames that were kept.
#[derive(Serialize)]
pub struct Frames {
    pub first: u64,
    pub last: u64,
    pub of: u64,
}

/// The calls of the new trace.
#[derive(Serialize)]
pub struct Calls {
    pub kept: u64,
    pub setup: u64,
    pub before: u64,
}

/// Sizes of files.
#[derive(Serialize)]
pub struct Bytes {
    pub trace: u64,
    pub whole: u64,
    pub contents: u64,
}

/// Contents that are not in the new trace.
#[derive(Serialize)]
pub struct LeftOut<'a> {
    pub what: &'a str,
    pub because: &'static str,
}

/// A command that was kept with everything before it.
#[derive(Serialize)]
pub struct Unknown {
    pub name: &'static str,
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
            calls: Calls { kept: cut.kept, setup: cut.setup, before: cut.before },
            bytes: Bytes { trace: cut.bytes, whole: cut.whole_bytes, contents: cut.contents_bytes },
            contents: &cut.items,
            left_out: cut.left_out.iter().map(|(what, left)| LeftOut { what, because: because(*left) }).collect(),
            blind: &cut.blind,
            notes: &cut.notes,
            unknown: cut.unknown.iter().map(|&(name, calls)| Unknown { name, calls }).collect(),
            problems: &cut.problems,
        }
    }
}
