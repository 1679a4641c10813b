//! `cargo xtask test`: everything that CI runs.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::{codegen, corpus, dap, files, playback, process, setup, tidy, vscode, wasm, wheel};

type Step = (&'static str, fn() -> anyhow::Result<String>);

const STEPS: &[Step] = &[
    ("setup", || setup::for_tests().map(|()| String::new())),
    ("format", || process::run("cargo", &["fmt", "--all", "--check"]).map(|()| String::new())),
    ("codegen", || codegen::run(&codegen::Args { check: true, unknown: false }).map(|()| String::new())),
    ("clippy", || {
        process::run(
            "cargo",
            &["clippy", "--workspace", "--exclude", wheel::PACKAGE, "--all-targets", "--", "--deny", "warnings"],
        )
        .map(|()| String::new())
    }),
    ("cargo test", cargo_test),
    ("wasm32 build", wasm::build_crates),
    ("session in Node", playback::run),
    ("tidy", || tidy::run().map(|()| String::new())),
    ("corpus sample", || corpus::run_sample().map(|()| String::new())),
    ("run sample", || corpus::run_tests_sample().map(|()| String::new())),
    ("wasm sample", || corpus::run_wasm_sample().map(|()| String::new())),
    ("travel sample", || corpus::run_travel_sample().map(|()| String::new())),
    ("watch sample", || corpus::run_watch_sample().map(|()| String::new())),
    ("weave sample", || corpus::run_weave_sample().map(|()| String::new())),
    ("differ sample", || corpus::run_differ_sample().map(|()| String::new())),
    ("equal sample", || corpus::run_equal_sample().map(|()| String::new())),
    ("record sample", || corpus::run_record_sample().map(|()| String::new())),
    ("webgl variants", || corpus::run_webgl_variants().map(|()| String::new())),
    ("neutral sample", || corpus::run_neutral_sample().map(|()| String::new())),
    ("state sample", || corpus::run_state_sample().map(|()| String::new())),
    ("history sample", || corpus::run_history_sample().map(|()| String::new())),
    ("mutants sample", || corpus::run_mutants_sample().map(|()| String::new())),
    ("dap sessions", || dap::run(&dap::Args::default())),
    ("vscode", || vscode::run(&vscode::Args::default())),
    ("package", || Ok(xtask::package::check(&process::build_product(false)?)?)),
    ("wheel", wheel::test),
    ("spans sample", || corpus::run_spans_sample().map(|()| String::new())),
];

/// Options of the test run.
#[derive(clap::Args)]
pub struct Args {
    /// Run only this step, such as `tidy` or `"state sample"`; may be repeated.
    #[arg(long, value_name = "STEP", value_parser = step_name)]
    only: Vec<&'static str>,
}

/// Returns the step of this name, or an error that lists all steps.
fn step_name(name: &str) -> Result<&'static str, String> {
    let names = || STEPS.iter().map(|(name, _)| *name);
    names()
        .find(|step| *step == name)
        .ok_or_else(|| format!("the steps are {}", names().collect::<Vec<_>>().join(", ")))
}

/// Runs all steps even if one fails, and prints a summary.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    let mut failed = 0;
    let start = Instant::now();
    let steps: Vec<&Step> = STEPS.iter().filter(|(name, _)| args.only.is_empty() || args.only.contains(name)).collect();
    for (name, step) in &steps {
        println!("\n== {name}");
        let begin = Instant::now();
        let outcome = step();
        let (word, detail) = match outcome {
            Ok(detail) => ("ok", detail),
            Err(error) => {
                failed += 1;
                ("FAILED", format!("{error:#}"))
            }
        };
        lines.push(format!("{word:7} {name:15} {:>7} {detail}", seconds(begin.elapsed())));
    }
    println!("\n== summary");
    lines.iter().for_each(|line| println!("{line}"));
    println!("{} steps, {failed} failed, {}", steps.len(), seconds(start.elapsed()));
    if failed > 0 {
        bail!("{failed} of {} steps failed", steps.len());
    }
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// The numbers of the closing lines of test programs.
type Sums = [(&'static str, usize); 3];

/// Runs the tests of all packages, then the examples in their documentation: by packages that have some, because cargo
/// starts rustdoc for each package, which takes a second even if it finds nothing.
fn cargo_test() -> anyhow::Result<String> {
    let mut sums: Sums = [("passed", 0), ("failed", 0), ("ignored", 0)];
    let passed = run_tests(&["--workspace", "--exclude", wheel::PACKAGE, "--lib", "--bins", "--tests"], &mut sums)?;
    let packages = packages_with_examples()?;
    let examples: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).chain(["--doc"]).collect();
    let documented = run_tests(&examples, &mut sums)?;
    let summary = sums.map(|(word, sum)| format!("{sum} {word}")).join("; ");
    if !passed || !documented {
        bail!("cargo test: {summary}");
    }
    Ok(summary)
}

/// Shows the output of `cargo test` and adds up the closing lines of all test programs. Returns whether all passed.
fn run_tests(args: &[&str], sums: &mut Sums) -> anyhow::Result<bool> {
    let mut child = process::command("cargo", &["test", "--no-fail-fast"])
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no stdout")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        if let Some(result) = line.strip_prefix("test result: ") {
            for (word, sum) in &mut *sums {
                *sum += count(result, word);
            }
        }
        println!("{line}");
    }
    Ok(child.wait()?.success())
}

/// Returns the packages whose library has a block of code in its documentation.
fn packages_with_examples() -> anyhow::Result<Vec<String>> {
    let mut packages = BTreeSet::new();
    for (name, folder) in libraries()? {
        for file in files::below(&folder)? {
            let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            if text.lines().any(has_fence) {
                packages.insert(name.clone());
            }
        }
    }
    Ok(packages.into_iter().collect())
}

/// Returns whether a line of documentation begins or ends a block of code.
fn has_fence(line: &str) -> bool {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
    text.is_some_and(|text| text.trim_start().starts_with("```"))
}

/// Returns the names of all packages with a library that `cargo test` documents, and the folders of their sources.
fn libraries() -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut libraries = Vec::new();
    for package in process::packages()? {
        let target = package["targets"].as_array().into_iter().flatten().find(|target| target["doctest"] == true);
        let source = target.and_then(|target| Path::new(target["src_path"].as_str()?).parent());
        if let (Some(name), Some(source)) = (package["name"].as_str(), source) {
            libraries.push((name.to_owned(), source.to_owned()));
        }
    }
    Ok(libraries)
}

/// Returns the number before a word of `ok. 3 passed; 0 failed; …`.
fn count(result: &str, word: &str) -> usize {
    let before = result.split(word).next().unwrap_or_default().trim_end();
    before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_with_examples_are_found() {
        let packages = packages_with_examples().unwrap();
        for name in ["afterimage", "lanes", "session"] {
            assert!(packages.iter().any(|package| package == name), "{name}: {packages:?}");
        }
        assert!(has_fence("    /// ```no_run") && has_fence("//! ```") && !has_fence("// ```") && !has_fence("/// a"));
    }

    #[test]
    fn closing_lines_are_summed_up() {
        let line = "ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!((count(line, "passed"), count(line, "failed"), count(line, "ignored")), (12, 0, 3));
    }
}
