//! Values in shaders while they ran. These types are also what `afterimage inspect --json` prints (`docs/json.md`).

use std::sync::Arc;

use moment::Moment;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use shader::version::Stage;

use super::choice::Choice;
use super::field::{ComponentSummary, Field, PixelComparison, PixelCounts};
use super::measure::{Comparison, Counted, MeasureOptions, Measurement, TypedValue};
use super::place::Source;

/// Which values of one invocation are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct InspectRequest {
    /// The invocation.
    pub choice: Choice,
    /// Only this line of the shader, from 1.
    pub line: Option<u32>,
    /// Only the expression at this column of the line, from 1.
    pub column: Option<u32>,
    /// Only this time that it is reached.
    pub moment: Option<Moment>,
    /// Whether to run the invocation on the emulator too, and compare.
    pub verify: bool,
    /// How the device is asked.
    pub options: MeasureOptions,
}

/// An expression of the user's in one invocation.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpressionRequest {
    /// The invocation.
    pub choice: Choice,
    /// The expression, evaluated before a statement.
    pub expression: String,
    /// The statement.
    pub at: ExpressionPlace,
    /// Whether to evaluate it on the emulator too, and compare.
    pub verify: bool,
    /// How the device is asked.
    pub options: MeasureOptions,
}

/// Where an expression is evaluated.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionPlace {
    /// Each time that a line is reached.
    Line(u32),
    /// At one moment.
    Moment(Moment),
}

/// A value that all invocations of a draw have at one place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ValuePlace {
    /// The line of the shader, from 1; that of `moment` without one.
    pub line: Option<u32>,
    /// The column of an expression in it, from 1.
    pub column: Option<u32>,
    /// An expression to evaluate before the line.
    pub expression: Option<String>,
    /// The time that it is reached.
    pub moment: Option<Moment>,
    /// Without a moment: the iteration of the innermost loop.
    pub iteration: u32,
}

/// One value of all fragments of a draw.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldRequest {
    /// The draw.
    pub command: u64,
    /// The value.
    pub value: ValuePlace,
    /// Whether the result is the emulator's and not the device's.
    pub emulated: bool,
    /// Whether to compare both.
    pub verify: bool,
    /// How many fragments that diverge are examined operation by operation.
    pub settle: usize,
    /// How the device is asked.
    pub options: MeasureOptions,
}

/// A row for each invocation of a stage.
#[derive(Clone, PartialEq, Debug)]
pub struct TableRequest {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: Stage,
    /// A value; the inputs of the stage without one, or its outputs where the stage or a comparison calls for them.
    pub value: Option<ValuePlace>,
    /// Whether to run the invocations on the emulator too, and compare.
    pub verify: bool,
    /// How the device is asked.
    pub options: MeasureOptions,
}

/// Values of one invocation, in the order of execution.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Inspection {
    /// The invocation.
    pub invocation: InspectedInvocation,
    /// The values.
    pub moments: Vec<RecordedValue>,
    /// The first value of the run that diverges from the emulator's.
    pub first_divergence: Option<RecordedValue>,
    /// The line that the values are of, if one was asked for: the next one where no statement begins in that. Not part of
    /// JSON, where each value has its line.
    #[serde(skip)]
    pub line: Option<u32>,
    /// How many invocations are at the place; the last that began is shown.
    pub of: usize,
    /// How many words the recording has.
    pub words: usize,
    /// How many of them did not fit.
    pub lost: u32,
    /// What the emulator had no contents for; it reads zeros there.
    pub missing: Vec<String>,
    /// What the emulator does as the device does it, as a sentence, if it was asked.
    pub manner: Option<String>,
    /// How the device answered.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// How the values of the whole run compare, if that was asked for. Not part of JSON.
    #[serde(skip)]
    pub agreement: Option<RunAgreement>,
    /// The text of the shader. Not part of JSON.
    #[serde(skip)]
    pub source: Source,
}

/// An invocation that was measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InspectedInvocation {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: &'static str,
    /// Of a fragment x, y, primitive (-1 where its shader cannot name it), and sample plus 64 for each layer below; of a
    /// vertex number and instance; of a primitive number and invocation; of a compute invocation x, y, z.
    pub id: [i32; 4],
    /// Whether it was discarded.
    pub discarded: bool,
    /// Whether it is a helper invocation.
    pub helper: bool,
    /// The function that the command calls. Not part of JSON.
    #[serde(skip)]
    pub call: &'static str,
    /// Its name: `fragment 3,5 of primitive 7`. Not part of JSON.
    #[serde(skip)]
    pub name: String,
}

/// A value at one moment of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RecordedValue {
    /// Where its expression begins, from 1.
    pub line: u32,
    /// Where its expression begins, from 1.
    pub column: u32,
    /// The expression, or the variable that was written.
    pub text: String,
    /// The moment.
    #[serde(rename = "path")]
    pub moment: Option<String>,
    /// What the device has.
    pub measured: Option<TypedValue>,
    /// What the emulator has, if it was asked and reaches the moment.
    pub emulated: Option<TypedValue>,
    /// How the two compare.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Why it diverges, if that was found out, or why that could not be found out.
    pub why: Option<String>,
    /// The calls and iterations around it, the outermost first. Not part of JSON.
    #[serde(skip)]
    pub path: Vec<PathStep>,
}

/// A call or an iteration around a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// A call.
    Call {
        /// The line of the call.
        line: u32,
    },
    /// An iteration of a loop.
    Iteration {
        /// Its number, from 0.
        number: u32,
    },
}

impl PathStep {
    /// Returns calls and iterations for people: `called in line 12, iteration 3`; empty without any.
    #[must_use]
    pub fn text(path: &[PathStep]) -> String {
        let step = |step: &PathStep| match step {
            PathStep::Call { line } => format!("called in line {line}"),
            PathStep::Iteration { number } => format!("iteration {number}"),
        };
        path.iter().map(step).collect::<Vec<_>>().join(", ")
    }
}

/// How the values of a whole run compare with the emulator's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunAgreement {
    /// How many are equal.
    pub equal: usize,
    /// How many are within rounding.
    pub within: usize,
    /// How many are farther apart, but every operation up to them gives what the specification allows from what was
    /// measured of its operands.
    pub allowed: usize,
    /// How many differ because of an earlier divergence.
    pub carried: usize,
    /// How many are not the same.
    pub divergent: usize,
    /// Whether the runs diverge by more than they may: by a value, by a branch, or because one goes on where the other ends.
    pub diverges: bool,
}

/// What an expression comes to in one invocation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExpressionInspection {
    /// The invocation.
    pub invocation: AskedInvocation,
    /// The values, each time that the place is reached.
    pub moments: Vec<RecordedValue>,
    /// The first that diverges from the emulator's.
    pub first_divergence: Option<RecordedValue>,
    /// How often the place is reached; not all of these times are asked about.
    pub times_reached: usize,
    /// How the device answered last; `None` if the place is never reached.
    #[serde(flatten)]
    pub measurement: Option<Measurement>,
    /// The line of the statement. Not part of JSON.
    #[serde(skip)]
    pub line: u32,
    /// The text of that line. Not part of JSON.
    #[serde(skip)]
    pub line_text: String,
}

/// An invocation that was asked for; -1 stands for what was left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct AskedInvocation {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: &'static str,
    /// The numbers of the invocation, like those of one that was measured; -1 stands for what was left open.
    pub id: [i32; 4],
}

/// One value of all fragments of a draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FieldInspection {
    /// The draw.
    pub command: u64,
    /// `fragment`.
    pub stage: &'static str,
    /// Where the expression begins, from 1.
    pub line: u32,
    /// Where the expression begins, from 1.
    pub column: u32,
    /// The expression.
    pub text: String,
    /// The moment.
    pub moment: String,
    /// The calls and iterations around it, the outermost first. Not part of JSON.
    #[serde(skip)]
    pub path: Vec<PathStep>,
    /// `measured` or `emulated`.
    pub source: &'static str,
    /// Width and height of the framebuffer.
    pub size: [u32; 2],
    /// What became of its pixels.
    pub pixels: PixelCounts,
    /// What the numbers of each component are like.
    pub components: Vec<ComponentSummary>,
    /// How the device and the emulator compare, if that was asked for.
    pub verify: Option<FieldComparison>,
    /// What the emulator had no contents for; it reads zeros there.
    pub missing: Vec<String>,
    /// Which fragments are left out; null if none are.
    pub left_out: Option<&'static str>,
    /// What the emulator does as the device does it, as a sentence, if both were compared.
    pub manner: Option<String>,
    /// How the device answered.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The function that the command calls. Not part of JSON.
    #[serde(skip)]
    pub call: &'static str,
    /// The values. Not part of JSON.
    #[serde(skip)]
    pub field: Field,
}

/// How all fragments of a draw compare with the emulator's.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FieldComparison {
    /// How many fragments there are.
    pub all: usize,
    /// How many are equal.
    pub equal: usize,
    /// How many are within rounding.
    pub within: usize,
    /// How many are farther apart, but every operation up to the value gives what the specification allows from what was
    /// measured of its operands.
    pub allowed: usize,
    /// How many are not.
    pub divergent: usize,
    /// The share that is not divergent.
    pub share: f64,
    /// The pixel that is farthest apart.
    pub worst: Option<[usize; 2]>,
    /// Why fragments diverge.
    pub reasons: Vec<DivergenceReason>,
    /// Pixel by pixel, row by row from below. Not part of JSON.
    #[serde(skip)]
    pub pixels: Vec<PixelComparison>,
}

/// The share of invocations that is enough to agree with the emulator: where a texture is read or a branch is taken at its
/// very edge, a last bit decides.
const ENOUGH: f64 = 0.999;

impl FieldComparison {
    /// Returns whether enough fragments agree that the rest may be rounding.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.share >= ENOUGH
    }
}

impl TableComparison {
    /// Returns whether enough invocations agree that the rest may be rounding.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.share >= ENOUGH
    }
}

/// Why fragments diverge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DivergenceReason {
    /// The reason.
    pub why: String,
    /// How many diverge for it.
    pub count: usize,
    /// The first of their pixels.
    pub first: [usize; 2],
    /// What was computed there.
    pub what: Option<String>,
}

/// A row for each invocation of a stage.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableInspection {
    /// The draw or dispatch.
    pub command: u64,
    /// The stage.
    pub stage: &'static str,
    /// How many invocations there are.
    pub invocations: usize,
    /// Names of the columns.
    pub columns: Vec<Arc<str>>,
    /// Which fragments have rows; `None` for other stages.
    pub counted: Option<Counted>,
    /// How many invocations ran without room for their answer.
    pub missed: u32,
    /// What the emulator had no contents for; it reads zeros there.
    pub missing: Vec<String>,
    /// How the invocations compare with the emulator's, if that was asked for.
    pub verify: Option<TableComparison>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// How the device answered.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The function that the command calls. Not part of JSON.
    #[serde(skip)]
    pub call: &'static str,
}

/// How all invocations compare with the emulator's.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TableComparison {
    /// How many are within rounding.
    pub within: usize,
    /// How many there are.
    pub all: usize,
    /// The share that is within rounding.
    pub share: f64,
    /// The first that is not.
    pub first: Option<[i32; 4]>,
}

/// What one invocation answered, or one vertex that it emitted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableRow {
    /// The numbers of the invocation, like those of one that is inspected by itself.
    pub id: [i32; 4],
    /// What the row is: `reached`, `not reached`, `inputs`, `outputs`, `discarded`, `emits 0 of 1`, `emits none` or
    /// `not emitted`.
    pub state: String,
    /// The values, by column.
    #[serde(serialize_with = "by_column")]
    pub values: Vec<ColumnValue>,
    /// How they compare with the emulator's, if that was asked for: the worst of them.
    pub verdict: Option<&'static str>,
}

/// A value of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnValue {
    /// The place of its column in [`TableInspection::columns`].
    pub column: usize,
    /// The name of its column.
    pub name: Arc<str>,
    /// The value.
    pub value: TypedValue,
}

fn by_column<S: Serializer>(values: &[ColumnValue], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(values.len()))?;
    for ColumnValue { name, value, .. } in values {
        map.serialize_entry(name, value)?;
    }
    map.end()
}
