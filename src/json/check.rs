//! `afterimage check --json`.

use serde::Serialize;

/// What was found in all files.
#[derive(Serialize)]
pub struct Document<'a> {
    pub files: Vec<File<'a>>,
}

/// One file.
#[derive(Serialize)]
pub struct File<'a> {
    pub path: &'a str,
    pub verdict: &'static str,
    pub diagnostics: Vec<Diagnostic>,
}

/// A finding.
#[derive(Serialize)]
pub struct Diagnostic {
    pub severity: &'static str,
    pub code: &'static str,
    pub message: String,
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
}

/// A place that a finding is about.
#[derive(Serialize)]
pub struct Label {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub length: u32,
    pub text: String,
}
