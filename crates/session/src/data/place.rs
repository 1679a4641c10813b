//! Places in texts and runs.

use serde::{Deserialize, Serialize};

/// A text of a shader, as the program passed it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// What to ask for it by: stable in a trace.
    pub id: String,
    /// A name for people: `program 3 fragment`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// What it stands in for, if it is not a text of the recorded program: fixed functions, or an assembly program, whose
    /// lines follow those of the text.
    pub stand_in: Option<String>,
}

/// A place in a shader's text. Lines and columns are counted from 1, in the text as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Location {
    /// The text: [`Source::id`].
    pub source: String,
    /// Where it begins.
    pub line: u32,
    /// Where it begins.
    pub column: u32,
    /// Where it ends.
    pub end_line: u32,
    /// Just behind its end.
    pub end_column: u32,
    /// The statement or expression itself, on one line.
    pub text: String,
}

/// An invocation: who it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Invocation {
    /// The command of its draw or dispatch.
    pub command: u64,
    /// What that calls.
    pub call: String,
    /// The frame, from 0; nothing where it is in none.
    pub frame: Option<usize>,
    /// `vertex`, `tessellation control`, `tessellation evaluation`, `geometry`, `fragment` or `compute`.
    pub stage: String,
    /// The program, as the recorded program named it.
    pub program: u32,
    /// For fragments x, y, primitive and sample; for vertices number and instance; for primitives number and
    /// invocation; of dispatches the global number.
    pub id: [i32; 4],
    /// As text: `fragment 320,200 of glDrawArrays (command 1200)`; where groups are open, `(command 1200, in "shadows")`.
    pub name: String,
    /// The debug groups that are open there, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// How many other fragments of the draw are known to have run at the pixel. Those that are culled did not.
    #[serde(default, skip_serializing_if = "super::history::is_zero")]
    pub others: u32,
    /// Whether it is known to have left in the pixel what was there before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed_nothing: bool,
}

impl Invocation {
    /// `frame 3`, or `after the last frame`.
    #[must_use]
    pub fn frame_name(&self) -> String {
        trace::frame_name(self.frame)
    }
}

/// One level of the stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// The function: `main`, or one that was called.
    pub function: String,
    /// Where it is: the statement about to run, or the call that was made.
    pub location: Location,
    /// Which invocation it belongs to: a place in [`crate::Session::passes`]; the last is the one that runs.
    pub pass: usize,
    /// The way there, as text: which calls and which iterations.
    pub moment: String,
}

/// An invocation of the chain that was walked into.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PassInfo {
    /// The invocation.
    pub invocation: Invocation,
    /// The texture read of the calling pass that led to it; `None` for the first.
    pub entered_by: Option<String>,
    /// What differs from the recording in it.
    pub changes: Vec<String>,
    /// What the emulator has no contents for; reads of it return zeros.
    pub missing: Vec<String>,
    /// Why the device has no recording of it, where that was asked for and there is none.
    pub unmeasured: Option<String>,
}

/// An invocation beside the one that is walked through: of its quad or workgroup.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lane {
    /// What to follow it by.
    pub number: usize,
    /// Who it is: its pixel or number.
    pub name: String,
    /// It is the one that is looked at.
    pub followed: bool,
    /// It is run beside the followed fragment for derivatives only, and what it writes is left out. Whether the draw has a
    /// fragment at this pixel is not asked of the device.
    pub helper: bool,
    /// It was thrown away.
    pub discarded: bool,
    /// It is where the followed one is.
    pub together: bool,
    /// Where it is; nothing before it begins.
    pub location: Option<Location>,
}
