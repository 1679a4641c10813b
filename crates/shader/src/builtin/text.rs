//! Reading the data files: lines, comments, condition lines.

use super::Condition;
use super::condition::Conditions;
use super::extension::Extensions;

/// Calls `row` for each row with its condition. Lines that start with `#` are comments; those with `@` give the
/// condition of the following rows; those with `define` name a condition. Problems are appended to `errors`.
pub(super) fn rows(
    text: &'static str,
    conditions: &mut Conditions,
    extensions: &Extensions,
    errors: &mut Vec<String>,
    mut row: impl FnMut(&'static str, Condition) -> Result<(), String>,
) {
    let mut when = None;
    for line in text.lines() {
        let line = line.trim();
        let result = if line.is_empty() || line.starts_with('#') {
            Ok(())
        } else if let Some(condition) = line.strip_prefix('@') {
            conditions.parse(condition, extensions).map(|condition| when = Some(condition))
        } else if let Some(definition) = line.strip_prefix("define ") {
            conditions.define(definition, extensions)
        } else if let Some(when) = when {
            row(line, when).map_err(|e| format!("{e} in row: {line}"))
        } else {
            Err(format!("row without a condition: {line}"))
        };
        errors.extend(result.err());
    }
}
