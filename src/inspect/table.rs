//! A row for each invocation of a stage, for people and as files.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{Scalar, TableComparison, TableInspection, TypedValue};

use super::asking::remarks;
use super::counted;
use super::export;
use super::field::Files;
use super::invocation::{differing, missing};
use crate::amount::plural;
use crate::cli::Outcome;

/// Rows that are printed; files have all.
const SHOWN: usize = 64;

/// Returns whether the value is reached anywhere, if one was asked for, and enough invocations agree with the emulator.
pub fn outcome(table: &TableInspection, is_value: bool) -> Outcome {
    let reached = table.rows.iter().any(|row| !row.values.is_empty());
    let diverges = table.verify.is_some_and(|verify| !verify.agrees());
    match diverges {
        true => differing(&table.missing),
        false if is_value && !reached => Outcome::No,
        false => Outcome::Done,
    }
}

/// Writes the first rows.
pub fn text(table: &TableInspection) -> String {
    let TableInspection { command, stage, call, rows, .. } = table;
    let mut text =
        format!("command {command}, {call}: {}\n", plural(table.invocations as u64, &format!("{stage} invocation")));
    for row in rows.iter().take(SHOWN) {
        // Writing to memory does not fail.
        let _ = write!(text, "{:>8} {:<10}", title(stage, row.id), row.state);
        for value in &row.values {
            let _ = write!(text, "  {} = {}", value.name, value.value.text());
        }
        text += row.verdict.map_or("", |verdict| if verdict == "divergent" { "  ✗" } else { "  ✓" });
        text.push('\n');
    }
    if rows.len() > SHOWN {
        let _ = writeln!(text, "{} more rows; --csv, --npy and --json have all", rows.len() - SHOWN);
    }
    text += &table.verify.map_or(String::new(), |verify| comparison(stage, &verify));
    text += &missing(&table.missing);
    text += counted::text(table.counted);
    text += &counted::missed(u64::from(table.missed));
    text + &remarks(&table.measurement)
}

fn comparison(stage: &str, found: &TableComparison) -> String {
    let first = found.first.map_or(String::new(), |[a, b, c, d]| format!("; the first that is not is {a},{b},{c},{d}"));
    format!("{} of {} {stage} invocations within rounding of the emulator's{first}\n", found.within, found.all)
}

/// Writes the files that are wanted. `is_value` if the rows have one value each.
///
/// # Errors
/// When a file cannot be written, or cannot have such rows.
pub fn write(table: &TableInspection, files: &Files, is_value: bool) -> anyhow::Result<()> {
    if files.image.is_some() {
        bail!("--image shows fragments; for a {} shader use --csv or --npy", table.stage);
    }
    if let Some(path) = &files.csv {
        std::fs::write(path, csv(table)).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    let Some(path) = &files.npy else { return Ok(()) };
    if !is_value {
        bail!("--npy is an array of one value: say which with --line; --csv has everything");
    }
    let values = || table.rows.iter().map(|row| row.values.first().map(|value| &value.value));
    let kinds = values().flatten().next().map_or(Vec::new(), TypedValue::kinds);
    let kind = kinds.first().copied().unwrap_or(Scalar::Uint);
    let (name, size) = export::npy_kind(kind);
    let absent = if kind == Scalar::Float { u64::from(f32::NAN.to_bits()) } else { 0 };
    let mut bytes = Vec::new();
    for value in values() {
        for place in 0..kinds.len() {
            let bits = value.and_then(|value| value.bits().get(place)).copied().unwrap_or(absent);
            bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    export::write_npy(path, name, &format!("({}, {})", table.rows.len(), kinds.len()), &bytes)
}

fn csv(table: &TableInspection) -> String {
    let mut widths = vec![None; table.columns.len()];
    for value in table.rows.iter().flat_map(|row| &row.values) {
        widths[value.column].get_or_insert(value.value.bits().len());
    }
    let widths: Vec<usize> = widths.into_iter().map(|width| width.unwrap_or(1)).collect();
    let stage = table.stage;
    let mut text = format!("{},state", export::identity_heading(stage));
    for (name, width) in table.columns.iter().zip(&widths) {
        for place in 0..*width {
            let quoted = if *width == 1 { name.to_string() } else { format!("{name}[{place}]") };
            let _ = write!(text, ",\"{}\"", quoted.replace('"', "\"\""));
        }
    }
    text.push('\n');
    for row in &table.rows {
        let _ = write!(text, "{},{}", export::identity_cells(stage, row.id), row.state);
        for (column, width) in widths.iter().enumerate() {
            let value = row.values.iter().find(|value| value.column == column).map(|value| &value.value);
            let kinds = value.map_or(Vec::new(), TypedValue::kinds);
            for place in 0..*width {
                let cell = value.and_then(|value| Some(export::cell(*kinds.get(place)?, *value.bits().get(place)?)));
                let _ = write!(text, ",{}", cell.unwrap_or_default());
            }
        }
        text.push('\n');
    }
    text
}

fn title(stage: &str, [a, b, c, _]: [i32; 4]) -> String {
    match stage {
        "vertex" if b == 0 => format!("{a}"),
        "compute" => format!("{a},{b},{c}"),
        "fragment" => format!("{a},{b} of {c}"),
        _ => format!("{a}/{b}"),
    }
}
