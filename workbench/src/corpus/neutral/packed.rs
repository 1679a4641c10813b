//! Packs traces for another machine: a folder for each, with the tests that it is a recording of.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::recorded::Trace;
use crate::files;

/// The file names of a trace in its folder, and of the list of its tests.
const TRACE: &str = "trace.aftr";
const TESTS: &str = "tests.json";

/// Copies traces.
pub fn write(traces: &[Trace], folder: &Path) -> anyhow::Result<()> {
    for (number, trace) in traces.iter().enumerate() {
        let to = folder.join(format!("{number:04}"));
        std::fs::create_dir_all(&to).with_context(|| format!("cannot create {}", to.display()))?;
        std::fs::copy(&trace.path, to.join(TRACE)).with_context(|| format!("cannot copy {}", trace.path.display()))?;
        std::fs::write(to.join(TESTS), json!({ "names": trace.tests, "texts": trace.texts }).to_string())?;
    }
    println!("{} traces in {}", traces.len(), folder.display());
    Ok(())
}

/// Returns the traces of a folder.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Trace>> {
    let mut traces = Vec::new();
    let mut paths = files::below(folder)?;
    paths.sort();
    for path in paths.into_iter().filter(|path| path.ends_with(TRACE)) {
        let list = path.with_file_name(TESTS);
        let text = std::fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
        let list: Value = serde_json::from_slice(&text)?;
        let strings = |value: &Value| -> Vec<String> {
            let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        traces.push(Trace { tests: strings(&list["names"]), texts: strings(&list["texts"]), path });
    }
    Ok(traces)
}
