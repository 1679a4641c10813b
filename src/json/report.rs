//! `afterimage report --json`.

use serde::Serialize;

use super::findings::Findings;

/// Errors of a trace, and disagreements about it.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The calls that raise a GL error, by the model.
    pub refused: Vec<Refused>,
    /// What `glGetError` returned to the program, compared with the model.
    pub errors: Errors,
    /// Other queries of the program whose answers were recorded and are known to the model.
    pub queries: Queries,
    /// How many more findings there are: each list above has at most 262144.
    pub left_out: u64,
    /// Commands that the model does not know.
    pub unmodelled: Vec<Unmodelled>,
    /// With `--driver`: the state compared with a driver; null without.
    pub driver: Option<Findings<'a>>,
}

/// A call that GL refuses.
#[derive(Serialize)]
pub struct Refused {
    /// The call.
    pub command: u64,
    /// The function.
    pub name: &'static str,
    /// The error.
    pub error: String,
    /// The reason.
    pub why: &'static str,
}

/// What `glGetError` returned to the program, and what the model expects.
#[derive(Serialize)]
pub struct Errors {
    /// How often neither has an error.
    pub none: u64,
    /// How often both have the same error.
    pub same: u64,
    /// Errors that the program got and the model does not expect, or expects to be others.
    pub missed: Vec<ErrorDifference>,
    /// Errors that the model expects and the program did not get.
    pub invented: Vec<ErrorDifference>,
}

/// An error that the program and the model do not agree about.
#[derive(Serialize)]
pub struct ErrorDifference {
    /// The call of `glGetError`.
    pub command: u64,
    /// What the model expects.
    pub model: String,
    /// What the program got.
    pub recorded: String,
    /// The call before it.
    pub before: Option<Call>,
    /// The call that caused the error by the model.
    pub blamed: Option<Blamed>,
}

/// A call.
#[derive(Serialize)]
pub struct Call {
    /// The call.
    pub command: u64,
    /// The function.
    pub name: &'static str,
}

/// The call that the model holds responsible.
#[derive(Serialize)]
pub struct Blamed {
    /// The call.
    pub command: u64,
    /// The reason.
    pub why: &'static str,
}

/// Queries of the program whose answers were recorded.
#[derive(Serialize)]
pub struct Queries {
    /// How many there are.
    pub asked: u64,
    /// Those that the model answers differently.
    pub contradicted: Vec<Contradicted>,
}

/// A query that the model answers differently.
#[derive(Serialize)]
pub struct Contradicted {
    /// The query.
    pub command: u64,
    /// The function.
    pub query: &'static str,
    /// The model's answer.
    pub model: String,
}

/// A command that the model does not know.
#[derive(Serialize)]
pub struct Unmodelled {
    /// The function.
    pub name: &'static str,
    /// How often it is called.
    pub calls: u64,
    /// The first call.
    pub first: u64,
}
