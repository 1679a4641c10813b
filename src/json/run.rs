//! `afterimage run --json`.

use serde::Serialize;

/// What came of a run.
#[derive(Serialize)]
pub struct Document<'a> {
    pub ended: bool,
    pub discarded: bool,
    pub outputs: Vec<NamedValue<'a>>,
    pub vertices: Vec<Vec<NamedValue<'a>>>,
    pub buffers: Vec<Buffer<'a>>,
    pub trace: Vec<Step<'a>>,
    pub watched: Vec<LineValue>,
    pub texels: Vec<Lookup<'a>>,
    pub counters: Option<Counters<'a>>,
    pub findings: Vec<Finding>,
}

/// A value.
#[derive(Serialize)]
pub struct Value {
    pub r#type: String,
    pub value: Vec<String>,
}

/// A value of a variable.
#[derive(Serialize)]
pub struct NamedValue<'a> {
    pub name: &'a str,
    #[serde(flatten)]
    pub value: Value,
}

/// A value that a line made.
#[derive(Serialize)]
pub struct LineValue {
    pub line: u32,
    #[serde(flatten)]
    pub value: Value,
}

/// A storage block after the run.
#[derive(Serialize)]
pub struct Buffer<'a> {
    pub block: &'a str,
    pub members: Vec<Member<'a>>,
}

/// A member of a block.
#[derive(Serialize)]
pub struct Member<'a> {
    pub name: &'a str,
    pub values: Vec<Value>,
}

/// A step of the trace.
#[derive(Serialize)]
pub struct Step<'a> {
    pub line: u32,
    pub text: &'a str,
    pub depth: usize,
    pub changes: Vec<NamedValue<'a>>,
}

/// A texture look-up.
#[derive(Serialize)]
pub struct Lookup<'a> {
    pub line: u32,
    pub sampler: &'a str,
    pub texels: Vec<Texel>,
}

/// A texel that was read.
#[derive(Serialize)]
pub struct Texel {
    pub level: u32,
    pub layer: u32,
    pub x: u32,
    pub y: u32,
    pub z: u32,
    pub sample: u32,
    pub weight: f64,
}

/// How often things were done.
#[derive(Serialize)]
pub struct Counters<'a> {
    pub invocations: u64,
    pub total: Counts,
    pub most: Counts,
    pub lines: Vec<LineCounts>,
    pub samplers: Vec<SamplerCount<'a>>,
}

/// Counts of an invocation, or of all.
#[derive(Serialize)]
pub struct Counts {
    pub instructions: u64,
    pub lookups: u64,
    pub branches: u64,
    pub taken: u64,
    pub divergent: u64,
    pub iterations: u64,
    pub calls: u64,
}

/// Counts of a line.
#[derive(Serialize)]
pub struct LineCounts {
    pub line: u32,
    #[serde(flatten)]
    pub counts: Counts,
}

/// How often a sampler was read.
#[derive(Serialize)]
pub struct SamplerCount<'a> {
    pub sampler: &'a str,
    pub lookups: u64,
}

/// Undefined behaviour.
#[derive(Serialize)]
pub struct Finding {
    pub code: &'static str,
    pub message: String,
    pub line: u32,
    pub column: u32,
    pub length: u32,
    pub moment: Option<String>,
    pub invocation: Option<String>,
    pub operands: Vec<Value>,
    pub result: Option<Value>,
    pub count: u64,
    pub notes: Vec<String>,
}

/// What came of a `.shader_test`.
#[derive(Serialize)]
pub struct TestDocument<'a> {
    pub result: &'static str,
    pub reason: Option<&'a str>,
    pub probes: u32,
    pub failures: Vec<Failure<'a>>,
}

/// A probe that failed.
#[derive(Serialize)]
pub struct Failure<'a> {
    pub line: u32,
    pub what: &'a str,
    pub expected: &'a str,
    pub found: &'a str,
}
