//! The document of `--json`.

use shader::diagnostic::Severity;

use super::Report;
use super::explain::{Annotation, Explanation, explain};
use super::input::Unit;
use crate::json::check::{Diagnostic, Document, File, Label};

/// Returns the whole document.
pub fn document<'a>(reports: &'a [Report], units: &[Unit]) -> Document<'a> {
    Document { files: reports.iter().map(|report| file(report, reports, units)).collect() }
}

fn file<'a>(report: &'a Report, reports: &[Report], units: &[Unit]) -> File<'a> {
    let verdict = match (&report.problem, report.count(Severity::Error)) {
        (Some(_), _) => "unreadable",
        (None, 0) => "accepted",
        (None, _) => "rejected",
    };
    let mut diagnostics: Vec<Diagnostic> =
        report.findings.iter().map(|finding| diagnostic(explain(finding, units), reports, units)).collect();
    diagnostics.extend(report.problem.as_ref().map(|problem| Diagnostic {
        severity: "error",
        code: "unreadable",
        message: problem.clone(),
        labels: Vec::new(),
        notes: Vec::new(),
    }));
    File { path: &report.path, verdict, diagnostics }
}

fn diagnostic(explanation: Explanation<'_>, reports: &[Report], units: &[Unit]) -> Diagnostic {
    let severity = match explanation.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    Diagnostic {
        severity,
        code: explanation.code,
        message: explanation.message.to_owned(),
        labels: explanation.places.iter().map(|place| label(place, reports, units)).collect(),
        notes: explanation.notes,
    }
}

fn label(place: &Annotation, reports: &[Report], units: &[Unit]) -> Label {
    let unit = &units[place.unit];
    let at = unit.shader.sources.locate(place.span.start);
    let piece = &unit.pieces[at.string];
    // Text that is not in the file has one place there: the line that implies it.
    let (line, column, length) = if piece.implied {
        (piece.first_line, 1, 0)
    } else {
        (piece.first_line + at.line - 1, at.column, place.span.len())
    };
    Label { path: reports[unit.file].path.clone(), line, column, length, text: place.text.clone() }
}
