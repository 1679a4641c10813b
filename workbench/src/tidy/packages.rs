//! Checks the dependency table of ARCHITECTURE.md, the lints of every package, and the purity of crates.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::Value;

use crate::{files, process};

/// Crates without I/O, clocks, threads and third-party dependencies.
const PURE: &[&str] = &[
    "shader",
    "shader_test",
    "lanes",
    "moment",
    "texture",
    "raster",
    "emulator",
    "pipeline",
    "runner",
    "instrument",
    "reenact",
    "state",
    "verdict",
    "api",
];

/// Third-party packages that are also pure, and the crates that may use them.
const PURE_FOREIGN: &[(&str, &str)] = &[
    ("emulator", "thiserror"),
    ("instrument", "serde"),
    ("instrument", "thiserror"),
    ("lanes", "libm"),
    ("pipeline", "thiserror"),
    ("reenact", "thiserror"),
    ("state", "imbl"),
    ("state", "libm"),
    ("texture", "bcdec_rs"),
    ("texture", "texture2ddecoder"),
];

/// Packages for tests and developers. No shipped package may depend on them: not `afterimage`, not the capture library,
/// and nothing that those are built with.
pub const DEVELOPMENT: &[&str] = &["demos", "lab", "playback", "testing", "workbench", "xtask"];

/// The start of the duty of such a package in the table.
const MARK: &str = "Development only: ";

/// Parts of the standard library that pure crates must not name.
const IMPURE: &[&str] = &["std::fs", "std::net", "std::thread", "std::time", "std::process", "std::env", "std::io"];

/// Checks all packages of the workspace.
pub fn check(findings: &mut Vec<String>) -> anyhow::Result<()> {
    let packages = &process::packages()?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let architecture =
        std::fs::read_to_string(process::root().join("ARCHITECTURE.md")).context("cannot read ARCHITECTURE.md")?;
    let table = table(&architecture);
    for name in table.keys().filter(|name| !names.contains(name.as_str())) {
        findings.push(format!("ARCHITECTURE.md: the table lists {name}, which is not a package"));
    }
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let dependencies = dependencies(package);
        let Some(Row { duty, uses: allowed }) = table.get(name) else {
            findings.push(format!("ARCHITECTURE.md: the table does not list {name}"));
            continue;
        };
        development(name, duty, &dependencies, findings);
        for dependency in dependencies.iter().filter(|d| names.contains(d.as_str())) {
            if !allowed.contains(dependency) {
                findings.push(format!("{name} uses {dependency}, which ARCHITECTURE.md does not allow"));
            }
        }
        for unused in allowed.iter().filter(|a| !dependencies.contains(*a)) {
            findings.push(format!("ARCHITECTURE.md: {name} may use {unused}, but does not"));
        }
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let text = std::fs::read_to_string(manifest).with_context(|| format!("cannot read {manifest}"))?;
        let toml: toml::Table = text.parse().with_context(|| format!("{manifest} is not valid TOML"))?;
        let lints = toml.get("lints").and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool);
        if lints != Some(true) {
            findings.push(format!("{name}: its manifest does not inherit the workspace's lints"));
        }
        if PURE.contains(&name) {
            let pure = |d: &str| PURE.contains(&d) || PURE_FOREIGN.contains(&(name, d));
            for foreign in dependencies.iter().filter(|d| !pure(d)) {
                findings.push(format!("{name} is pure and may not depend on {foreign}"));
            }
            purity(name, std::path::Path::new(manifest).with_file_name("src").as_path(), findings)?;
        }
    }
    Ok(())
}

/// Checks that a shipped package depends on no development package, and that the table marks the latter.
fn development(name: &str, duty: &str, dependencies: &BTreeSet<String>, findings: &mut Vec<String>) {
    let own = DEVELOPMENT.contains(&name);
    if duty.starts_with(MARK) != own {
        let wrong = if own { "does not begin" } else { "begins" };
        findings.push(format!("ARCHITECTURE.md: the duty of {name} {wrong} with `{}`", MARK.trim_end()));
    }
    for dependency in dependencies.iter().filter(|d| !own && DEVELOPMENT.contains(&d.as_str())) {
        findings
            .push(format!("{name} uses {dependency}, which is for development only; name it in [dev-dependencies]"));
    }
}

/// Returns the names of all packages that it is built with, except those of its tests.
fn dependencies(package: &Value) -> BTreeSet<String> {
    let list = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    let built = list.iter().filter(|d| d["kind"].as_str() != Some("dev"));
    built.filter_map(|d| d["name"].as_str().map(str::to_owned)).collect()
}

/// A row of the table.
struct Row {
    duty: String,
    uses: BTreeSet<String>,
}

/// Returns the rows `| crate | duty | may use |` of the table under the heading about dependencies.
fn table(text: &str) -> BTreeMap<String, Row> {
    let start = text.find("| Crate |").unwrap_or(text.len());
    let rows = text[start..].lines().take_while(|line| line.starts_with('|')).skip(2);
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, duty, uses] = cells[..] else { return None };
        let words = uses.split(',').map(|w| w.trim().trim_matches('`').to_owned());
        let uses = words.filter(|w| !w.is_empty() && w != "-").collect();
        Some((name.trim_matches('`').to_owned(), Row { duty: duty.to_owned(), uses }))
    })
    .collect()
}

fn purity(name: &str, folder: &std::path::Path, findings: &mut Vec<String>) -> anyhow::Result<()> {
    for path in files::below(folder)? {
        let text = std::fs::read_to_string(&path)?;
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in IMPURE.iter().filter(|word| code.contains(**word)) {
            findings.push(format!("{}: {name} is pure and may not name {word}", path.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_parsed() {
        let text = "# x\n\n| Crate | Duty | May use |\n|---|---|---|\n| `a` | does | - |\n| `b` | more | `a`, `c` |\n\nafter\n";
        let table = table(text);
        assert_eq!(table.len(), 2);
        assert!(table["a"].uses.is_empty());
        assert_eq!(table["b"].uses, BTreeSet::from(["a".to_owned(), "c".to_owned()]));
        assert_eq!(table["b"].duty, "more");
    }

    #[test]
    fn what_is_shipped_uses_nothing_for_development() {
        let found = |name: &str, duty: &str, dependency: &str| {
            let mut findings = Vec::new();
            development(name, duty, &BTreeSet::from([dependency.to_owned()]), &mut findings);
            findings
        };
        assert_eq!(found("replay", "Run a trace", "state"), [""; 0]);
        assert_eq!(found("workbench", "Development only: everything", "lab"), [""; 0]);
        let wrong = ["replay uses testing, which is for development only; name it in [dev-dependencies]"];
        assert_eq!(found("replay", "Run a trace", "testing"), wrong);
        let wrong = ["ARCHITECTURE.md: the duty of lab does not begin with `Development only:`"];
        assert_eq!(found("lab", "Ask a driver", "driver"), wrong);
    }
}
