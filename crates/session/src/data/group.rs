//! All fragments of a draw together, and all draws of a frame.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::place::Location;

/// A way that fragments can go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    /// The condition is true: into the first part of an `if`, or into another iteration of a loop.
    True,
    /// It is false: past the first part of an `if`, or out of a loop.
    False,
}

/// How all fragments of a draw go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupStep {
    /// To the next statement of this function; where ways part, the way that most go.
    Over,
    /// The same, into calls.
    Into,
    /// To the statement behind the call of this function.
    Out,
    /// To the statement before in this function.
    BackOver,
    /// To the statement before, into calls.
    BackInto,
    /// This way. Only where ways part.
    Choose(Branch),
    /// To behind the loop, through all iterations that are left.
    Leave,
}

/// Where all fragments of a draw stand that come there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GroupStop {
    /// The draw.
    pub command: u64,
    /// What it calls.
    pub call: String,
    /// The function.
    pub function: String,
    /// The statement about to run; at the end the one that ran last.
    pub location: Location,
    /// The way there, as text.
    pub moment: String,
    /// How many fragments come to this moment.
    pub active: u64,
    /// How many there are that stay.
    pub all: u64,
    /// Where ways part here: each, with how many go it.
    pub ways: Vec<Way>,
    /// Those that were followed are over.
    pub ended: bool,
}

/// A way, and who goes it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Way {
    /// Which.
    pub branch: Branch,
    /// For people: `true`, `false`, `next iteration`, `leave the loop`.
    pub name: String,
    /// How many fragments go it.
    pub count: u64,
    /// Their share in those that are here.
    pub share: f64,
}

/// What became of each pixel, row by row from below.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupMask {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 0: no fragment stays there; 1: one does, and does not come here; 2: it is here; 3: it is here, and the condition
    /// that ways part by is true.
    pub pixels: Vec<u8>,
}

/// The value of an expression in every fragment that is here: a variable as an image.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GroupValues {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How many numbers each value has.
    pub components: usize,
    /// The numbers of each pixel, row by row from below; NaN where there is none.
    pub numbers: Vec<f64>,
    /// Whether a pixel has a value.
    pub present: Vec<bool>,
}

/// A breakpoint for every invocation of a frame.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Everywhere {
    /// The text: [`crate::Source::id`].
    pub source: String,
    /// The line, from 1.
    pub line: u32,
    /// Only where this is true just before the line.
    pub condition: Option<String>,
    /// The frame, from 0; all without one.
    pub frame: Option<usize>,
    /// How many invocations to name.
    pub most: usize,
}

/// Where such a breakpoint is hit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Hits {
    /// How many draws were asked.
    pub asked: usize,
    /// Draws in which it is hit.
    pub draws: Vec<DrawHits>,
    /// Invocations, in order of draws.
    pub first: Vec<InvocationHit>,
    /// How many invocations found no room to answer, and are not counted.
    pub missed: u64,
    /// Whether of the fragments at a pixel only the one that stays was counted: where fragment shaders have no storage
    /// blocks.
    pub only_staying: bool,
    /// What could not be asked, in sentences.
    pub problems: Vec<String>,
}

impl Hits {
    /// What the counts leave out, in sentences.
    #[must_use]
    pub fn limits(&self) -> Vec<String> {
        let staying = "counted is the fragment that stays at each pixel, not those it replaced";
        let missed = || format!("{} more invocations ran than there is room for answers", self.missed);
        let mut all = Vec::new();
        all.extend(self.only_staying.then(|| staying.to_owned()));
        all.extend((self.missed > 0).then(missed));
        all
    }
}

/// A draw in which a breakpoint is hit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DrawHits {
    /// The draw.
    pub command: u64,
    /// What it calls.
    pub call: String,
    /// The frame, from 0.
    pub frame: usize,
    /// In how many invocations.
    pub invocations: u64,
    /// How often in all.
    pub times: u64,
}

impl fmt::Display for DrawHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DrawHits { command, call, invocations, times, .. } = self;
        write!(f, "command {command} {call}: {invocations} invocations, {times} times")
    }
}

/// An invocation in which a breakpoint is hit: [`crate::Session::enter`] goes there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InvocationHit {
    /// Who it is.
    pub choice: Choice,
    /// How often.
    pub times: u32,
    /// The first time, as text, where that is known.
    pub moment: Option<String>,
}
