//! `afterimage run --json`.

use serde::Serialize;

/// What came of a run.
#[derive(Serialize)]
pub struct Document<'a> {
    /// Whether the shader ended by itself; false if it was stopped because it seemed endless.
    pub ended: bool,
    /// Whether the fragment was discarded; its outputs hold what was written before.
    pub discarded: bool,
    /// The outputs that the shader mentions, including built-in ones; empty with `--image`, `--vertex-data` and for
    /// compute shaders.
    pub outputs: Vec<NamedValue<'a>>,
    /// The outputs of each vertex of `--vertex-data`, or of each vertex that a geometry shader emits.
    pub vertices: Vec<Vec<NamedValue<'a>>>,
    /// The storage blocks after the run.
    pub buffers: Vec<Buffer<'a>>,
    /// With `--trace`: the steps in the order of execution; empty without.
    pub trace: Vec<Step<'a>>,
    /// With `--watch`: the values of the variable.
    pub watched: Vec<LineValue>,
    /// With `--texels`: texture look-ups in the order of execution.
    pub texels: Vec<Lookup<'a>>,
    /// With `--counters`: how often things were done; null without.
    pub counters: Option<Counters<'a>>,
    /// Undefined behaviour, one entry for each kind and place, in the order of the first occurrences.
    pub findings: Vec<Finding>,
}

/// A value.
#[derive(Serialize)]
pub struct Value {
    /// Its type.
    pub r#type: String,
    /// Its components as texts, because JSON has no NaN and no infinity: matrices by column, structures by member.
    pub value: Vec<String>,
}

/// A value of a variable.
#[derive(Serialize)]
pub struct NamedValue<'a> {
    /// The variable.
    pub name: &'a str,
    #[serde(flatten)]
    pub value: Value,
}

/// A value that a line made.
#[derive(Serialize)]
pub struct LineValue {
    /// The line that made it.
    pub line: u32,
    #[serde(flatten)]
    pub value: Value,
}

/// A storage block after the run.
#[derive(Serialize)]
pub struct Buffer<'a> {
    /// The block.
    pub block: &'a str,
    /// Its members.
    pub members: Vec<Member<'a>>,
}

/// A member of a block.
#[derive(Serialize)]
pub struct Member<'a> {
    /// The member.
    pub name: &'a str,
    /// Its value; of an array, one for each element.
    pub values: Vec<Value>,
}

/// A step of the trace.
#[derive(Serialize)]
pub struct Step<'a> {
    /// The line.
    pub line: u32,
    /// Its text.
    pub text: &'a str,
    /// The number of calls around it.
    pub depth: usize,
    /// The variables that the step changed.
    pub changes: Vec<NamedValue<'a>>,
}

/// A texture look-up.
#[derive(Serialize)]
pub struct Lookup<'a> {
    /// The line.
    pub line: u32,
    /// The sampler.
    pub sampler: &'a str,
    /// The texels that were read.
    pub texels: Vec<Texel>,
}

/// A texel that was read.
#[derive(Serialize)]
pub struct Texel {
    /// The level.
    pub level: u32,
    /// The layer or face.
    pub layer: u32,
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
    /// The slice.
    pub z: u32,
    /// The sample.
    pub sample: u32,
    /// Its weight in the result.
    pub weight: f64,
}

/// How often things were done.
#[derive(Serialize)]
pub struct Counters<'a> {
    /// How many invocations ran.
    pub invocations: u64,
    /// Counts of all invocations together.
    pub total: Counts,
    /// Counts of the invocation with the most instructions.
    pub most: Counts,
    /// Counts by line.
    pub lines: Vec<LineCounts>,
    /// Look-ups by sampler.
    pub samplers: Vec<SamplerCount<'a>>,
}

/// Counts of an invocation, or of all.
#[derive(Serialize)]
pub struct Counts {
    /// Instructions.
    pub instructions: u64,
    /// Texture look-ups.
    pub lookups: u64,
    /// Branches.
    pub branches: u64,
    /// Branches whose condition was true.
    pub taken: u64,
    /// Branches that divided the quad or wave.
    pub divergent: u64,
    /// Iterations of loops.
    pub iterations: u64,
    /// Calls of functions.
    pub calls: u64,
}

/// Counts of a line.
#[derive(Serialize)]
pub struct LineCounts {
    /// The line.
    pub line: u32,
    #[serde(flatten)]
    pub counts: Counts,
}

/// How often a sampler was read.
#[derive(Serialize)]
pub struct SamplerCount<'a> {
    /// The sampler.
    pub sampler: &'a str,
    /// How often it was read.
    pub lookups: u64,
}

/// Undefined behaviour.
#[derive(Serialize)]
pub struct Finding {
    /// `uninitialized`, `out-of-bounds`, `not-finite`, `division-by-zero`, `domain`, `shift`, `bitfield`,
    /// `divergent-derivative`, `divergent-barrier`, `index-overflow`, `conversion`, `missing-return`,
    /// `unwritten-output`, `race` or `unbound`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The length in bytes.
    pub length: u32,
    /// Where and when it happened first: the expression, and the calls and iterations around it.
    pub moment: Option<String>,
    /// The invocation in which it happened first; null if there is only one.
    pub invocation: Option<String>,
    /// The operands of the first time.
    pub operands: Vec<Value>,
    /// The result of the first time, if that is what is wrong.
    pub result: Option<Value>,
    /// How many times it happened.
    pub count: u64,
    /// Further sentences.
    pub notes: Vec<String>,
}

/// What came of a `.shader_test`.
#[derive(Serialize)]
pub struct TestDocument<'a> {
    /// `pass`, `fail` or `unsupported` (something in it cannot be executed, or it is not GLSL).
    pub result: &'static str,
    /// What cannot be executed; null otherwise.
    pub reason: Option<&'a str>,
    /// How many checks of pixels, buffers and the program were made.
    pub probes: u32,
    /// Those that failed, in the order of the file.
    pub failures: Vec<Failure<'a>>,
}

/// A probe that failed.
#[derive(Serialize)]
pub struct Failure<'a> {
    /// The line of the file; 0 if no line is to blame.
    pub line: u32,
    /// What was checked.
    pub what: &'a str,
    /// What was expected.
    pub expected: &'a str,
    /// What was found.
    pub found: &'a str,
}
