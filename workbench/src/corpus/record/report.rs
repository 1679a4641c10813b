//! The results of a run, as tables and files; and a cache of what programs do unrecorded.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::judge::{Judged, Outcome, Plain};
use super::programs::{Group, Program};
use crate::corpus::ratchet::Share;
use crate::process;

/// Prints the number of outcomes in each group of programs.
pub fn table(judged: &[(&Program, Judged)]) {
    let outcomes: Vec<Outcome> =
        Outcome::ALL.into_iter().filter(|outcome| judged.iter().any(|(_, j)| j.outcome == *outcome)).collect();
    print!("\n{:12}", "");
    outcomes.iter().for_each(|outcome| print!(" {:>18}", outcome.word()));
    println!(" {:>10} {:>10}", "compared", "trace MB");
    for group in Group::ALL {
        let of_group: Vec<&Judged> = judged.iter().filter(|(p, _)| p.group == group).map(|(_, j)| j).collect();
        if of_group.is_empty() {
            continue;
        }
        print!("{:12}", group.name());
        for outcome in &outcomes {
            print!(" {:>18}", of_group.iter().filter(|j| j.outcome == *outcome).count());
        }
        let compared: u64 = of_group.iter().map(|j| j.compared).sum();
        let bytes: u64 = of_group.iter().map(|j| j.trace_bytes).sum();
        println!(" {compared:>10} {:>10.1}", bytes as f64 / 1e6);
    }
}

/// Prints reasons of failures with their counts, ignoring numbers in them.
pub fn reasons(judged: &[(&Program, Judged)]) {
    let mut reasons: BTreeMap<(Outcome, String), (usize, &str)> = BTreeMap::new();
    for (program, judged) in judged.iter().filter(|(_, judged)| judged.outcome != Outcome::Same) {
        let entry = reasons.entry((judged.outcome, class(&judged.reason))).or_insert((0, &program.name));
        entry.0 += 1;
    }
    if reasons.is_empty() {
        return;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    println!("\nReasons:");
    for ((outcome, class), (count, example)) in reasons {
        println!("{count:5} {:18} {class}\n{:24} as in {example}", outcome.word(), "");
    }
}

/// Returns the class of a reason: the text without its numbers and paths.
fn class(reason: &str) -> String {
    let mut class = String::new();
    for c in reason.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !class.ends_with('#') {
            class.push(c);
        }
    }
    class.chars().take(200).collect()
}

/// Prints each program with an outcome.
pub fn list(judged: &[(&Program, Judged)], outcome: Outcome) {
    println!();
    for (program, judged) in judged.iter().filter(|(_, judged)| judged.outcome == outcome) {
        println!("{}: {}", program.name, judged.reason);
    }
}

/// Returns the shares for the ratchet. Programs that do not work unrecorded do not count.
pub fn numbers(judged: &[(&Program, Judged)]) -> Vec<(&'static str, Share)> {
    let mut numbers = Vec::new();
    for group in Group::ALL {
        let mut share = Share::default();
        for (_, judged) in judged.iter().filter(|(p, j)| p.group == group && j.outcome != Outcome::Unusable) {
            share.add(judged.outcome == Outcome::Same);
        }
        if share.total > 0 {
            numbers.push((group.name(), share));
        }
    }
    numbers
}

/// Writes the results to `target/corpus/record/results.json`.
pub fn write(judged: &[(&Program, Judged)]) -> anyhow::Result<()> {
    let rows: Vec<Value> = judged
        .iter()
        .map(|(program, judged)| {
            json!({
                "name": program.name,
                "command": program.command,
                "outcome": judged.outcome.word(),
                "reason": judged.reason,
                "compared": judged.compared,
                "trace_bytes": judged.trace_bytes,
            })
        })
        .collect();
    store("results.json", &Value::Array(rows))
}

/// A cache of what programs do unrecorded.
pub struct PlainCache {
    table: Map<String, Value>,
    changed: bool,
}

impl PlainCache {
    /// Reads the cache of the last run; empty if `forget`.
    pub fn read(forget: bool) -> anyhow::Result<PlainCache> {
        let path = folder().join("plain.json");
        let text = if forget || !path.is_file() { String::new() } else { std::fs::read_to_string(&path)? };
        let value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let table = if let Value::Object(table) = value { table } else { Map::new() };
        Ok(PlainCache { table, changed: false })
    }

    /// Returns the cached result of a program.
    pub fn get(&self, program: &Program) -> Option<Plain> {
        let row = self.table.get(&key(program))?;
        let status = row["status"].as_i64().and_then(|status| i32::try_from(status).ok());
        let text = |key: &str| row[key].as_str().map(str::to_owned);
        Some(Plain { status, stdout: text("stdout")?, stderr: text("stderr")? })
    }

    /// Adds the result of a program.
    pub fn put(&mut self, program: &Program, plain: &Plain) {
        self.table
            .insert(key(program), json!({ "status": plain.status, "stdout": plain.stdout, "stderr": plain.stderr }));
        self.changed = true;
    }

    /// Writes new results.
    pub fn write(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.changed) {
            store("plain.json", &Value::Object(self.table.clone()))?;
        }
        Ok(())
    }
}

fn key(program: &Program) -> String {
    program.command.join(" ")
}

fn folder() -> PathBuf {
    process::corpus_dir().join("record")
}

fn store(name: &str, value: &Value) -> anyhow::Result<()> {
    let path = folder().join(name);
    std::fs::create_dir_all(folder())?;
    std::fs::write(&path, format!("{value:#}\n")).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_numbers_are_one_class() {
        assert_eq!(class("call 123 at 0x7f: status 2"), class("call 9 at 0x3f: status 1"));
    }
}
