//! `cargo xtask tidy`: rules of this repository that no compiler checks.

mod commands;
mod documents;
mod languages;
mod library;
mod packages;
mod unsafe_code;

use std::path::Path;

use anyhow::{Context, bail};

use crate::process;

/// Maximum length of a source file, except tests and generated code.
const MAX_LINES: usize = 1000;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Runs all checks and prints every finding.
pub fn run() -> anyhow::Result<()> {
    let files = files()?;
    let mut findings = Vec::new();
    packages::check(&mut findings)?;
    library::check(&mut findings)?;
    documents::check(&files, &mut findings)?;
    commands::check(&files, &mut findings)?;
    let sources = files.iter().filter(|file| file.ends_with(".rs"));
    let sources = sources.map(|file| Ok((file.as_str(), read(file)?))).collect::<anyhow::Result<Vec<_>>>()?;
    for (file, text) in &sources {
        length(file, text, &mut findings);
        leftovers(file, text, &mut findings);
        languages::check(file, text, &mut findings);
    }
    unsafe_code::check(sources.iter().map(|(file, text)| (*file, text.as_str())), &mut findings);
    for (file, _) in LONG_FILES.iter().filter(|(file, _)| !files.iter().any(|f| f == file)) {
        findings.push(format!("{file}: listed as a long file, but does not exist"));
    }
    if findings.is_empty() {
        println!("tidy: {} files", files.len());
        return Ok(());
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    bail!("tidy found {} faults", findings.len());
}

/// Returns the paths of all files that are, or could be, committed.
fn files() -> anyhow::Result<Vec<String>> {
    let list = process::output("git", &["ls-files", "--cached", "--others", "--exclude-standard"])
        .context("cannot list files with git")?;
    let root = process::root();
    Ok(list.lines().filter(|line| root.join(line).is_file()).map(str::to_owned).collect())
}

fn read(file: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(process::root().join(file)).with_context(|| format!("cannot read {file}"))
}

fn length(file: &str, text: &str, findings: &mut Vec<String>) {
    let in_tests = Path::new(file).components().any(|c| c.as_os_str() == "tests");
    let generated = text.lines().take(3).any(|line| line.contains("@generated"));
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    let listed = LONG_FILES.iter().any(|(name, _)| *name == file);
    if lines > MAX_LINES && !in_tests && !generated && !listed {
        findings.push(format!("{file}: {lines} lines; split it, or list it in workbench/src/tidy.rs with a reason"));
    }
    if lines <= MAX_LINES && listed {
        findings.push(format!("{file}: listed as a long file, but has only {lines} lines"));
    }
}

fn leftovers(file: &str, text: &str, findings: &mut Vec<String>) {
    // Spelt in two parts, because this file is checked too.
    let (todo, banned) = (concat!("TO", "DO"), [concat!("FIX", "ME"), concat!("HA", "CK("), concat!("XX", "X:")]);
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        if let Some(at) = line.find(todo) {
            let rest = &line[at + todo.len()..];
            let issue = rest.strip_prefix("(#").and_then(|r| r.split_once(')')).map(|(n, _)| n);
            if !issue.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
                findings.push(format!("{file}:{number}: a {todo} needs an issue: {todo}(#12)"));
            }
        }
        for word in banned.iter().filter(|word| line.contains(**word)) {
            findings.push(format!("{file}:{number}: {word} is not allowed; write {todo}(#n) or a reason"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: usize) {
        let mut findings = Vec::new();
        leftovers("f.rs", text, &mut findings);
        assert_eq!(findings.len(), expected, "{findings:?}");
    }

    #[test]
    fn leftovers_need_an_issue() {
        check("let x = 1;", 0);
        check(concat!("// TO", "DO(#12): later"), 0);
        check(concat!("// TO", "DO: later"), 1);
        check(concat!("// TO", "DO(me): later"), 1);
        check(concat!("// FIX", "ME later"), 1);
    }

    #[test]
    fn long_files_are_found_but_not_for_their_tests() {
        let mut findings = Vec::new();
        length("a.rs", &"x\n".repeat(1001), &mut findings);
        assert_eq!(findings.len(), 1);
        length("b.rs", &format!("x\n#[cfg(test)]\n{}", "x\n".repeat(2000)), &mut findings);
        length("tests/c.rs", &"x\n".repeat(2000), &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
