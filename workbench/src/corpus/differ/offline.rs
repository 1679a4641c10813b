//! Comparison on another machine: the shaders in a folder, with the hash of the emulator's image of each.

use std::path::Path;

use anyhow::{Context, bail};
use driver::Api;
use serde_json::{Value, json};

use super::report::{Judged, Outcome};
use super::subject::Subject;

const FILE: &str = "shaders.json";

/// Writes all compared shaders.
pub fn write(folder: &Path, subjects: &[Subject], judged: &[Judged]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut rows = Vec::new();
    for (subject, judged) in subjects.iter().zip(judged) {
        if let Outcome::Compared(comparison) = &judged.outcome {
            rows.push(json!({
                "name": subject.name,
                "group": subject.group,
                "api": subject.api.name(),
                "strings": subject.strings,
                "picture": comparison.picture,
            }));
        }
    }
    let path = folder.join(FILE);
    std::fs::write(&path, serde_json::to_vec(&rows)?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {} shaders to {}", rows.len(), path.display());
    Ok(())
}

/// Reads them back, each with the hash of the emulator's image.
pub fn read(folder: &Path) -> anyhow::Result<Vec<(Subject, String)>> {
    let path = folder.join(FILE);
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows: Vec<Value> = serde_json::from_slice(&text)?;
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut subjects = Vec::with_capacity(rows.len());
    for row in &rows {
        let strings = row["strings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let subject = Subject {
            name: text(&row["name"]),
            group: text(&row["group"]),
            api: Api::from_name(&text(&row["api"])).context("a shader has an unknown API")?,
            strings: strings.iter().map(text).collect(),
        };
        subjects.push((subject, text(&row["picture"])));
    }
    Ok(subjects)
}

/// Checks that the emulator gives the same bits as on the other machine.
pub fn same_pictures(expected: &[(Subject, String)], judged: &[Judged]) -> anyhow::Result<()> {
    let mut others = Vec::new();
    let mut same = 0;
    for ((subject, picture), judged) in expected.iter().zip(judged) {
        match &judged.outcome {
            Outcome::Compared(comparison) if comparison.picture == *picture => same += 1,
            Outcome::Compared(_) => others.push(subject.name.as_str()),
            Outcome::NotRun(_) | Outcome::Constant => {}
        }
    }
    println!("the emulator's images are the same as on the machine that wrote them: {same} of {}", same + others.len());
    if !others.is_empty() {
        bail!("the emulator's images differ on this machine: {}", others.join(", "));
    }
    Ok(())
}
