//! Findings as text for people.

use std::io::Write;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::term::termcolor::{Buffer, Color, ColorSpec, WriteColor};
use codespan_reporting::term::{self, Config, Styles, StylesWriter};
use shader::diagnostic::Severity;

use super::excerpt::{Excerpts, visible};
use super::explain::{Explanation, explain};
use super::input::Unit;
use super::{Report, shown, summary};

/// How many findings of a file are shown; the summary counts all.
const MAX_SHOWN: usize = 100;

/// All findings and the line that sums up.
pub fn document(reports: &[Report], units: &[Unit], color: bool) -> Vec<u8> {
    let mut out = if color { Buffer::ansi() } else { Buffer::no_color() };
    list(&mut out, reports, units);
    for (file, report) in reports.iter().enumerate().filter(|(_, r)| r.count(Severity::Error) > 0) {
        if let Some(hint) = version_hint(file, report, units) {
            put(&mut out, &ColorSpec::new(), &format!("{hint}\n"));
        }
    }
    let errors: usize = reports.iter().map(|r| r.count(Severity::Error)).sum();
    let found = reports.iter().any(|r| !r.findings.is_empty());
    let mut spec = ColorSpec::new();
    spec.set_bold(true).set_fg(Some(match (errors, found) {
        (0, false) => Color::Green,
        (0, true) => Color::Yellow,
        _ => Color::Red,
    }));
    put(&mut out, &spec, &visible(&summary::of_all(reports)));
    put(&mut out, &ColorSpec::new(), "\n");
    out.into_inner()
}

/// All findings, without a summary.
pub fn findings(reports: &[Report], units: &[Unit], color: bool) -> Vec<u8> {
    let mut out = if color { Buffer::ansi() } else { Buffer::no_color() };
    list(&mut out, reports, units);
    out.into_inner()
}

fn list(out: &mut Buffer, reports: &[Report], units: &[Unit]) {
    let styles = styles();
    for report in reports {
        for finding in report.findings.iter().take(MAX_SHOWN) {
            let explanation = explain(finding, units);
            if emit(out, &styles, &explanation, units).is_err() {
                // Writing to memory does not fail, so an excerpt was out of order: the message is still worth having.
                put(out, &ColorSpec::new(), &format!("{}: {}\n", shown(&report.path), visible(explanation.message)));
            }
        }
        if let hidden @ 1.. = report.findings.len().saturating_sub(MAX_SHOWN) {
            put(out, &ColorSpec::new(), &format!("… and {hidden} more in {}\n\n", visible(shown(&report.path))));
        }
    }
}

fn emit(
    out: &mut Buffer,
    styles: &Styles,
    explanation: &Explanation,
    units: &[Unit],
) -> Result<(), codespan_reporting::files::Error> {
    let (excerpts, ranges) = Excerpts::new(&explanation.places, units);
    let labels = explanation.places.iter().zip(ranges).map(|(place, (id, range))| {
        let label = if place.primary { Label::primary(id, range) } else { Label::secondary(id, range) };
        label.with_message(visible(&place.text))
    });
    let diagnostic = match explanation.severity {
        Severity::Error => Diagnostic::error(),
        Severity::Warning => Diagnostic::warning(),
    }
    .with_code(explanation.code)
    .with_message(visible(explanation.message))
    .with_labels(labels.collect())
    .with_notes(explanation.notes.iter().map(|note| visible(note)).collect());
    term::emit_to_write_style(&mut StylesWriter::new(out, styles), &Config::default(), &excerpts, &diagnostic)
}

/// A shader for WebGL or ES often has no `#version`; errors may come from reading it as desktop GLSL.
fn version_hint(file: usize, report: &Report, units: &[Unit]) -> Option<String> {
    let unit = units.iter().find(|u| u.file == file && u.broken)?;
    let input = &unit.shader.preprocessed;
    if input.version_span.is_some() || input.version.is_es() {
        return None;
    }
    let path = visible(shown(&report.path));
    Some(format!(
        "{path} has no `#version` and was read as {}; --webgl or --version-override \"100 es\" reads it as GLSL ES 1.00",
        input.version
    ))
}

fn put(out: &mut Buffer, spec: &ColorSpec, text: &str) {
    // A buffer in memory takes everything.
    let _ = out.set_color(spec).and_then(|()| out.write_all(text.as_bytes())).and_then(|()| out.reset());
}

/// codespan's colours, except that dark blue is hard to read on black.
fn styles() -> Styles {
    let mut styles = Styles::default();
    let mut frame = ColorSpec::new();
    frame.set_fg(Some(Color::Blue)).set_intense(true);
    let mut second = ColorSpec::new();
    second.set_fg(Some(Color::Cyan));
    styles.secondary_label = second;
    styles.line_number = frame.clone();
    styles.source_border = frame.clone();
    styles.note_bullet = frame;
    styles
}
