//! `afterimage report --json`.

use serde::Serialize;

use super::findings::Findings;

/// Errors of a trace, and disagreements about it.
#[derive(Serialize)]
pub struct Document<'a> {
    pub refused: Vec<Refused>,
    pub errors: Errors,
    pub queries: Queries,
    pub unmodelled: Vec<Unmodelled>,
    pub driver: Option<Findings<'a>>,
}

/// A call that GL refuses.
#[derive(Serialize)]
pub struct Refused {
    pub command: u64,
    pub name: &'static str,
    pub error: String,
    pub why: &'static str,
}

/// What `glGetError` returned to the program, and what the model expects.
#[derive(Serialize)]
pub struct Errors {
    pub none: u64,
    pub same: u64,
    pub missed: Vec<ErrorDifference>,
    pub invented: Vec<ErrorDifference>,
}

/// An error that the program and the model do not agree about.
#[derive(Serialize)]
pub struct ErrorDifference {
    pub command: u64,
    pub model: String,
    pub recorded: String,
    pub before: Option<Call>,
    pub blamed: Option<Blamed>,
}

/// A call.
#[derive(Serialize)]
pub struct Call {
    pub command: u64,
    pub name: &'static str,
}

/// The call that the model holds responsible.
#[derive(Serialize)]
pub struct Blamed {
    pub command: u64,
    pub why: &'static str,
}

/// Queries of the program whose answers were recorded.
#[derive(Serialize)]
pub struct Queries {
    pub asked: u64,
    pub contradicted: Vec<Contradicted>,
}

/// A query that the model answers differently.
#[derive(Serialize)]
pub struct Contradicted {
    pub command: u64,
    pub query: &'static str,
    pub model: String,
}

/// A command that the model does not know.
#[derive(Serialize)]
pub struct Unmodelled {
    pub name: &'static str,
    pub calls: u64,
    pub first: u64,
}
