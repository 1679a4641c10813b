//! All fragments of a draw together.

use serde::{Deserialize, Serialize};

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
