//! The values of one invocation, for people.

use std::fmt::Write as _;

use session::{ExpressionInspection, Inspection, PathStep, RecordedValue, TypedValue, ValueVerdict};

use super::asking::remarks;
use crate::cli::Outcome;

/// Returns whether everything asked for is there, and nothing diverges. `is_line` if one line was asked for.
pub fn outcome(inspection: &Inspection, is_line: bool) -> Outcome {
    let diverges = inspection.agreement.is_some_and(|agreement| agreement.diverges);
    match diverges {
        true => differing(&inspection.missing),
        false if is_line && inspection.moments.is_empty() => Outcome::No,
        false => Outcome::Done,
    }
}

/// Returns the outcome of a comparison that found differences: where the emulator lacks contents, it computed with zeros, and
/// whether the device is right cannot be said.
pub fn differing(missing: &[String]) -> Outcome {
    if missing.is_empty() { Outcome::No } else { Outcome::Unserved }
}

/// Writes a recording: each line that was reached, and its values.
pub fn text(inspection: &Inspection, is_line: bool) -> String {
    let Inspection { invocation, moments, measurement, .. } = inspection;
    let fate = match (invocation.discarded, invocation.helper) {
        (true, _) => "discarded",
        (false, true) => "a helper",
        (false, false) => "ran to its end",
    };
    let (command, call, runs) = (invocation.command, invocation.call, measurement.runs);
    let mut text = format!("command {command}, {call}: {}, {fate}; measured in {runs} run", invocation.name);
    text += if runs == 1 { "\n" } else { "s\n" };
    if inspection.of > 1 {
        // Writing to memory does not fail.
        let _ = writeln!(text, "{} are there, of which this began last; --primitive picks another", inspection.of);
    }
    if moments.is_empty() && is_line {
        text += "that place was not reached\n";
    }
    let mut last = None;
    for value in moments {
        let way = way(&value.path);
        if last != Some((value.line, way.clone())) {
            let line = inspection.source.text.lines().nth(value.line as usize - 1).unwrap_or_default().trim();
            let _ = writeln!(text, "{:>5}  {line}{way}", value.line);
            last = Some((value.line, way));
        }
        let measured = value.measured.as_ref().map_or(String::new(), |value| value.text());
        let place = format!("{}:{}", value.line, value.column);
        let _ = write!(text, "       {place:<6} {} = {measured}", value.text);
        if inspection.agreement.is_some() {
            text += &beside(value);
        }
        text.push('\n');
    }
    text += &summary(inspection);
    if inspection.lost > 0 {
        let _ = writeln!(text, "{} more words did not fit", inspection.lost);
    }
    if let Some(note) = &inspection.manner {
        let _ = writeln!(text, "{note}");
    }
    text += &missing(&inspection.missing);
    text + &remarks(measurement)
}

/// Writes what an expression came to, each time.
pub fn expression_text(text: &str, inspection: &ExpressionInspection) -> String {
    let ExpressionInspection { moments, times_reached, measurement, line, line_text, .. } = inspection;
    let mut out = format!("{text} in line {line}: {line_text}\n");
    for value in moments {
        let measured = value.measured.as_ref().map_or("not reached".to_owned(), |value| value.text());
        let beside = if value.comparison.0.is_none() { String::new() } else { beside(value) };
        let when = match (PathStep::text(&value.path), value.moment.as_deref()) {
            (way, Some(moment)) if !way.is_empty() => format!("{way} (moment {moment}): "),
            _ => String::new(),
        };
        let _ = writeln!(out, "  {when}{measured}{beside}");
    }
    if moments.is_empty() {
        out += "that line was not reached\n";
    }
    if *times_reached > moments.len() {
        let _ = writeln!(out, "{} more times; --moment picks one", times_reached - moments.len());
    }
    out + &measurement.as_ref().map_or(String::new(), remarks)
}

/// Returns whether an expression has a value, and none diverges.
pub fn expression_outcome(inspection: &ExpressionInspection) -> Outcome {
    let reached = inspection.moments.iter().any(|value| value.measured.is_some());
    if reached && inspection.first_divergence.is_none() { Outcome::Done } else { Outcome::No }
}

/// Writes what the emulator lacks.
pub fn missing(all: &[String]) -> String {
    let mut text: String = all.iter().map(|missing| format!("what the emulator lacks: {missing}\n")).collect();
    if !all.is_empty() {
        text += "it computes with zeros instead, so that values which depend on them cannot be judged\n";
    }
    text
}

/// The calls and iterations around a value.
fn way(path: &[PathStep]) -> String {
    let way = PathStep::text(path);
    if way.is_empty() { way } else { format!("    // {way}") }
}

/// What the emulator says of a value.
fn beside(value: &RecordedValue) -> String {
    let apart = || distance(value);
    let mut text = match (value.comparison.0, &value.emulated) {
        (Some(ValueVerdict::Equal), _) => "  ✓".to_owned(),
        (Some(ValueVerdict::Within { .. }), _) => format!("  ✓ within {}", apart()),
        (Some(ValueVerdict::Allowed { .. }), Some(_)) => format!("  ✓ allowed, {} apart", apart()),
        (Some(ValueVerdict::Allowed { .. }), None) => {
            "  ✓ allowed: by rounding the emulator went another way".to_owned()
        }
        (Some(ValueVerdict::Carried { line, .. }), Some(other)) => {
            format!("  ✗ carried over from line {line}, emulated {} ({})", other.text(), apart())
        }
        (Some(ValueVerdict::Carried { line, .. }), None) => {
            format!("  ✗ carried over from line {line}: the emulator did not come here")
        }
        (Some(ValueVerdict::Divergent { .. }), Some(other)) => format!("  ✗ emulated {} ({})", other.text(), apart()),
        _ => "  ✗ the emulator did not come here".to_owned(),
    };
    if let Some(why) = &value.why {
        // Writing to memory does not fail.
        let _ = write!(text, "\n            {why}");
    }
    text
}

/// How far a value is from the emulator's.
fn distance(value: &RecordedValue) -> String {
    let ulps = value.comparison.0.and_then(ValueVerdict::ulps).unwrap_or_default();
    let numbers = |value: &Option<TypedValue>| value.as_ref().map_or(Vec::new(), TypedValue::numbers);
    let pairs = numbers(&value.measured).into_iter().zip(numbers(&value.emulated));
    let most = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
    session::apart(ulps, Some(most))
}

fn summary(inspection: &Inspection) -> String {
    let Some(agreement) = inspection.agreement else { return String::new() };
    let equal = crate::amount::plural(agreement.equal as u64, "value");
    let mut text = format!("{equal} equal, {} within rounding", agreement.within);
    if agreement.allowed > 0 {
        // Writing to memory does not fail.
        let _ = write!(text, ", {} within the bounds of each operation", agreement.allowed);
    }
    let _ = write!(text, ", {} divergent", agreement.divergent);
    if agreement.carried > 0 {
        let _ = write!(text, ", {} carried over from those", agreement.carried);
    }
    text.push('\n');
    if agreement.diverges {
        text += &match &inspection.first_divergence {
            Some(RecordedValue { line, column, text, .. }) => {
                format!("the first divergence is at line {line}, column {column}: {text}\n")
            }
            None => "the emulator went on where the device ended\n".to_owned(),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_emulator_lacks_is_no_verdict_on_the_device() {
        assert_eq!(differing(&[]), Outcome::No);
        let lacks = ["texture 3: OpenGL ES does not read depth and stencil back".to_owned()];
        assert_eq!(differing(&lacks), Outcome::Unserved);
        assert!(missing(&lacks).ends_with("cannot be judged\n"));
        assert_eq!(missing(&[]), "");
    }
}
