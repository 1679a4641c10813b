//! Histories of demos, for several test files.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::built::built;

/// Records two frames of a demo and returns the path of the trace; `name` is for the file.
pub fn recorded(name: &str, words: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history_{name}.aftr"));
    let _ = std::fs::remove_file(&file);
    let mut record = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    record.args(["record", "-q", "-o"]).arg(&file).arg("--").arg(built().join(words[0]));
    let recorded = record.args(["--frames", "2"]).args(&words[1..]).output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    file
}

/// Returns the document that `afterimage history` prints, and its exit status.
pub fn history(trace: &Path, words: &[&str]) -> (Value, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let said = command.arg("history").arg(trace).arg("--json").args(words).output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    let document = serde_json::from_str(&text);
    let document = document.unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&said.stderr)));
    (document, said.status.code())
}

/// Returns a list in such a document.
pub fn list<'v>(document: &'v Value, key: &str) -> &'v [Value] {
    document[key].as_array().map_or(&[], Vec::as_slice)
}
