//! Comparison on another machine: jobs in a file, which need only this program and a driver.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// Writes jobs.
pub fn write(file: &Path, jobs: &[Value]) -> anyhow::Result<()> {
    std::fs::write(file, serde_json::to_vec(jobs)?).with_context(|| format!("cannot write {}", file.display()))?;
    println!("wrote {} shaders to {}", jobs.len(), file.display());
    Ok(())
}

/// Reads them back.
pub fn read(file: &Path) -> anyhow::Result<Vec<Value>> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} contains no jobs", file.display()))
}
