//! The document of `--json`; its keys are described in docs/json.md.

use serde_json::{Value, json};
use shader::diagnostic::Severity;

use super::Report;
use super::explain::{Explanation, Place, explain};
use super::input::Unit;

/// The whole document, with a newline at its end.
pub fn document(reports: &[Report], units: &[Unit]) -> Vec<u8> {
    let files: Vec<Value> = reports.iter().map(|report| file(report, reports, units)).collect();
    let mut text = format!("{:#}", json!({ "files": files })).into_bytes();
    text.push(b'\n');
    text
}

fn file(report: &Report, reports: &[Report], units: &[Unit]) -> Value {
    let verdict = match (&report.problem, report.count(Severity::Error)) {
        (Some(_), _) => "unreadable",
        (None, 0) => "accepted",
        (None, _) => "rejected",
    };
    let mut diagnostics: Vec<Value> =
        report.findings.iter().map(|f| diagnostic(&explain(f, units), reports, units)).collect();
    if let Some(problem) = &report.problem {
        diagnostics
            .push(json!({ "severity": "error", "code": "unreadable", "message": problem, "labels": [], "notes": [] }));
    }
    json!({ "path": report.path, "verdict": verdict, "diagnostics": diagnostics })
}

fn diagnostic(explanation: &Explanation, reports: &[Report], units: &[Unit]) -> Value {
    let severity = match explanation.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let labels: Vec<Value> = explanation.places.iter().map(|place| label(place, reports, units)).collect();
    json!({
        "severity": severity,
        "code": explanation.code,
        "message": explanation.message,
        "labels": labels,
        "notes": explanation.notes,
    })
}

fn label(place: &Place, reports: &[Report], units: &[Unit]) -> Value {
    let unit = &units[place.unit];
    let at = unit.shader.sources.locate(place.span.start);
    let piece = &unit.pieces[at.string];
    // Text that is not in the file has one place there: the line that implies it.
    let (line, column, length) = if piece.implied {
        (piece.first_line, 1, 0)
    } else {
        (piece.first_line + at.line - 1, at.column, place.span.len())
    };
    json!({ "path": reports[unit.file].path, "line": line, "column": column, "length": length, "text": place.text })
}
