//! `afterimage graph --json`.

use serde::Serialize;

use super::Stream;

/// Passes, and what goes between them.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The passes, in the order of the trace.
    pub passes: Stream<'a, Pass>,
    /// What flows between them.
    pub edges: Stream<'a, Edge>,
}

/// A pass.
#[derive(Serialize)]
pub struct Pass {
    /// Its number, which edges use.
    pub pass: usize,
    /// The debug groups that are open at its first call, the outermost first.
    pub groups: Vec<String>,
    /// `render`, `compute`, `transfer` or `present`.
    pub kind: &'static str,
    /// Its first call.
    pub first: u64,
    /// Its last call.
    pub last: u64,
    /// How many of its calls read or write contents.
    pub calls: u64,
    /// The resources that its shaders, copies and queries read.
    pub reads: Vec<String>,
    /// The resources that its depth and stencil tests compare with, as earlier passes left them.
    pub tests: Vec<String>,
    /// The resources that it writes.
    pub writes: Vec<String>,
}

/// A resource that one pass writes, and that another reads or tests against.
#[derive(Serialize)]
pub struct Edge {
    /// The pass that wrote the resource last.
    pub from: usize,
    /// A later pass that reads it, or tests against it.
    pub to: usize,
    /// The resource.
    pub resource: String,
}
