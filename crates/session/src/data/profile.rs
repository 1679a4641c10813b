//! Loops and branches, counted. These types are also what `afterimage profile --json` prints (`docs/json.md`).

use serde::Serialize;
use shader::version::Stage;

use super::field::{ComponentSummary, Field, PixelCounts};
use super::measure::{Counted, MeasureOptions, Measurement};

/// Which loop or branch is counted.
#[derive(Clone, PartialEq, Debug)]
pub struct ProfileRequest {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: Stage,
    /// The line that the loop or branch begins in, from 1.
    pub line: u32,
    /// A column of a `?:` in it, from 1.
    pub column: Option<u32>,
    /// How the device is asked.
    pub options: MeasureOptions,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileKind {
    /// A loop: its iterations.
    Loop,
    /// An `if` or `?:`: how often its condition is true.
    Branch,
    /// A `switch`: how often each case is taken.
    Switch,
}

/// A loop or branch in every invocation of a draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Profile {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: &'static str,
    /// Where the loop or branch begins, from 1.
    pub line: u32,
    /// Where the loop or branch begins, from 1.
    pub column: u32,
    /// What is counted.
    pub kind: ProfileKind,
    /// How many invocations there are.
    pub invocations: usize,
    /// How many of them reach it.
    pub came: usize,
    /// Which fragments are counted; `None` for other stages.
    pub counted: Option<Counted>,
    /// How many invocations ran without room for their answer.
    pub missed: u32,
    /// Counts over all invocations.
    pub totals: Vec<Total>,
    /// Of a loop, each iteration.
    pub iterations: Vec<Iteration>,
    /// What became of the pixels, of fragments.
    pub pixels: Option<PixelCounts>,
    /// What the numbers of all fragments of a pixel together are like.
    pub components: Option<Vec<ComponentSummary>>,
    /// How the device answered.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The function that the command calls. Not part of JSON.
    #[serde(skip)]
    pub call: &'static str,
    /// The text of the line that was asked for. Not part of JSON.
    #[serde(skip)]
    pub line_text: String,
    /// The numbers of each pixel, of fragments. Not part of JSON.
    #[serde(skip)]
    pub field: Option<Field>,
    /// The counts of each invocation, in the order of `totals`. Not part of JSON.
    #[serde(skip)]
    pub counts: Vec<([i32; 4], Vec<u32>)>,
}

/// A count over all invocations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Total {
    /// What is counted.
    pub name: String,
    /// How often it happens.
    pub total: u64,
}

/// An iteration of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Iteration {
    /// How many invocations run it.
    pub active: usize,
    /// For how many of them it is the last.
    pub done: usize,
    /// How many go on.
    pub left: usize,
}
