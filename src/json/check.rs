//! `afterimage check --json`.

use serde::Serialize;

/// What was found in all files.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The files, in the order of the command line.
    pub files: Vec<File<'a>>,
}

/// One file.
#[derive(Serialize)]
pub struct File<'a> {
    /// The path as it was given.
    pub path: &'a str,
    /// `accepted`, `rejected`, or `unreadable` if the file could not be read.
    pub verdict: &'static str,
    /// Findings in the order of the text, then those of the program that the file is linked into.
    pub diagnostics: Vec<Diagnostic>,
}

/// A finding.
#[derive(Serialize)]
pub struct Diagnostic {
    /// `error` or `warning`; a file with an error is rejected.
    pub severity: &'static str,
    /// A short stable name for the kind of finding, for filters.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The places that the finding is about, the main one first. The others include the macro calls that the main one
    /// comes from.
    pub labels: Vec<Label>,
    /// Further sentences, such as a suggestion, or the version that has a feature.
    pub notes: Vec<String>,
}

/// A place that a finding is about.
#[derive(Serialize)]
pub struct Label {
    /// The file.
    pub path: String,
    /// The line in the file, from 1. `#line` is not applied; a note gives the line that it claims.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The length in bytes.
    pub length: u32,
    /// What to say about the place; may be empty.
    pub text: String,
}
