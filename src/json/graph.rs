//! `afterimage graph --json`.

use serde::Serialize;

/// Passes, and what goes between them.
#[derive(Serialize)]
pub struct Document {
    pub passes: Vec<Pass>,
    pub edges: Vec<Edge>,
}

/// A pass.
#[derive(Serialize)]
pub struct Pass {
    pub pass: usize,
    pub kind: &'static str,
    pub first: u64,
    pub last: u64,
    pub calls: u64,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
}

/// A resource that one pass writes and another reads.
#[derive(Serialize)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub resource: String,
}
