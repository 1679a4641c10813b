//! The documents that `--json` prints. The tables of `docs/json.md` are generated from these types and those of crate
//! `session` (`tests/json_docs`).

pub mod breakpoint;
pub mod check;
pub mod dump;
pub mod findings;
pub mod graph;
pub mod history;
pub mod info;
pub mod inspect;
pub mod record;
pub mod replay;
pub mod report;
pub mod run;
pub mod sources;
pub mod state;
pub mod trim;

use serde::Serialize;

/// Returns a document as text, with a line for each key and a line break at its end.
///
/// # Errors
/// When the document cannot be serialised, which would be a fault of its type.
pub fn pretty(document: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}
