//! Histories of demos, for several test files.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testing::programs;

/// Records two frames of a demo and returns the path of the trace; `name` is for the file.
pub fn recorded(name: &str, words: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history_{name}.aftr"));
    programs::recorded(&file, &[&[words[0], "--frames", "2"], &words[1..]].concat());
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
