//! Records piglit's tests, many at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;

use super::super::glmark2;
use super::super::record::{self, child};
use crate::{files, process, setup};

/// Maximum number of tests per process.
const BATCH: usize = 40;
/// Stored instead of a number of tests if one of them crashed in the driver.
const CRASHED: &str = "crashed";
/// Timeout of a process.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A test file.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub path: PathBuf,
    /// Tests with the same requirement can be run in one process.
    pub requirement: String,
    /// The program that runs it.
    pub runner: &'static str,
}

/// A trace and its tests.
#[derive(Clone, Debug)]
pub struct Trace {
    pub path: PathBuf,
    /// Names of tests, or of the program.
    pub tests: Vec<String>,
    /// Contents of the test files.
    pub texts: Vec<String>,
}

impl Trace {
    /// Returns the test of each shader; shaders are in the order in which they were compiled, and tests may share
    /// sources.
    pub fn owners(&self, sources: &[String]) -> Vec<String> {
        let (mut at, mut seen) = (0, Vec::new());
        let mut owner = |source: &String| {
            let has = |text: &String| has(text, source);
            let here = !seen.contains(source) && self.texts.get(at).is_some_and(has);
            let next = || self.texts.iter().skip(at + 1).position(has).map(|further| at + 1 + further);
            if let Some(next) = (!here).then(next).flatten() {
                at = next;
                seen.clear();
            }
            seen.push(source.clone());
            self.tests.get(at).cloned().unwrap_or_else(|| self.path.display().to_string())
        };
        sources.iter().map(&mut owner).collect()
    }
}

/// Returns whether a test contains a shader's source. `shader_runner` adds a `#version` line to sources without one.
fn has(test: &str, source: &str) -> bool {
    let body = source.trim();
    test.contains(body) || test.contains(body.split_once('\n').map_or(body, |(_, tail)| tail).trim())
}

/// What recording needs.
pub struct Tools {
    afterimage: PathBuf,
    display: String,
    again: bool,
    programs: PathBuf,
}

impl Tools {
    pub fn new(display: String, again: bool) -> anyhow::Result<Tools> {
        let afterimage = process::build_product(false)?.join("afterimage");
        Ok(Tools { afterimage, display, again, programs: setup::piglit_programs()? })
    }
}

/// Returns the tests that draw: those of a sample, and those whose names contain one of `also`.
pub fn tests(filter: Option<&str>, sample: Option<usize>, also: &[&str]) -> anyhow::Result<Vec<Test>> {
    setup::ensure_piglit()?;
    let folder = setup::piglit_dir();
    let mut found = Vec::new();
    for part in ["tests", "generated_tests"] {
        for path in files::below(&folder.join(part))? {
            if path.extension().is_none_or(|extension| extension != "shader_test") {
                continue;
            }
            let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
            if filter.is_some_and(|filter| !name.contains(filter)) {
                continue;
            }
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
            let commands = text.split("[test]").nth(1).unwrap_or_default();
            let draws = commands.lines().any(|line| line.trim_start().starts_with("draw "));
            // A test without a shader of its own has nothing to instrument.
            let shaders = ["vertex", "geometry", "fragment", "tessellation control", "tessellation evaluation"];
            let woven = shaders.iter().any(|stage| text.contains(&format!("[{stage} shader]")));
            if draws && woven {
                let requirement = requirement(&text);
                let runner = runner(&requirement);
                found.push(Test { name, path, requirement, runner });
            }
        }
    }
    found.sort_by_cached_key(|test| *blake3::hash(test.name.as_bytes()).as_bytes());
    let mut others = found.split_off(sample.unwrap_or(usize::MAX).min(found.len()));
    others.retain(|test| also.iter().any(|name| test.name.contains(name)));
    found.extend(others);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Returns the lines of `[require]` that determine the context.
fn requirement(text: &str) -> String {
    let section = text.split("[require]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let deciding = |line: &&str| line.starts_with("GL ") || line.starts_with("GLSL ") || line.starts_with("SIZE ");
    section.lines().map(str::trim).filter(deciding).collect::<Vec<_>>().join("; ")
}

fn runner(requirement: &str) -> &'static str {
    if requirement.contains("GL ES >= 2") || requirement.contains("GLSL ES >= 1") {
        "shader_runner_gles2"
    } else if requirement.contains("GL ES") || requirement.contains("GLSL ES") {
        "shader_runner_gles3"
    } else {
        "shader_runner"
    }
}

/// Groups tests that can be run together.
pub fn batches(tests: &[Test]) -> Vec<Vec<Test>> {
    let mut groups: BTreeMap<&str, Vec<Test>> = BTreeMap::new();
    for test in tests {
        groups.entry(&test.requirement).or_default().push(test.clone());
    }
    groups.into_values().flat_map(|group| group.chunks(BATCH).map(<[Test]>::to_vec).collect::<Vec<_>>()).collect()
}

/// Records tests; more than one process is needed when one ends early.
pub fn record(tests: &[Test], tools: &Tools) -> anyhow::Result<Vec<Trace>> {
    let names: String = tests.iter().map(|test| test.name.as_str()).collect();
    let folder = process::corpus_dir().join("neutral/traces").join(&blake3::hash(names.as_bytes()).to_hex()[..16]);
    let (path, count) = (folder.join("trace.aftr"), folder.join("count"));
    if tools.again || !count.exists() {
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let mut command = Command::new(&tools.afterimage);
        command.args(["record", "--quiet", "--output"]).arg(&path).arg("--");
        let begun = run(tests, &mut command, &folder, tools)?;
        std::fs::write(&count, begun.map_or(CRASHED.to_owned(), |begun| begun.to_string()))?;
    }
    let count = std::fs::read_to_string(&count)?;
    if count == CRASHED {
        // A replay would crash as well, and the results of the other tests would be lost.
        let (first, second) = tests.split_at(tests.len() / 2);
        if !first.is_empty() {
            return Ok([record(first, tools)?, record(second, tools)?].concat());
        }
        let alone = folder.join("alone");
        if run(tests, &mut Command::new("env"), &alone, tools)?.is_none() {
            println!("  left out, because it crashes in the driver, recorded or not: {names}");
            return Ok(Vec::new());
        }
        println!("  crashes only when recorded: {names}");
    }
    let (these, others) = tests.split_at(count.trim().parse().unwrap_or(1).clamp(1, tests.len()));
    let mut traces = Vec::new();
    if path.exists() {
        let text = |test: &Test| Ok(String::from_utf8_lossy(&std::fs::read(&test.path)?).into_owned());
        traces.push(Trace {
            path,
            tests: these.iter().map(|test| test.name.clone()).collect(),
            texts: these.iter().map(text).collect::<anyhow::Result<_>>()?,
        });
    }
    if !others.is_empty() {
        traces.extend(record(others, tools)?);
    }
    Ok(traces)
}

/// Runs tests with a command; returns how many were begun, unless it crashes.
fn run(tests: &[Test], command: &mut Command, folder: &Path, tools: &Tools) -> anyhow::Result<Option<usize>> {
    command.arg(tools.programs.join("bin").join(tests[0].runner));
    command.args(tests.iter().map(|test| &test.path)).args(["-auto", "-fbo", "-report-subtests"]);
    command.env("DISPLAY", &tools.display).env("LD_LIBRARY_PATH", tools.programs.join("lib"));
    command.env("PIGLIT_SOURCE_DIR", setup::piglit_dir());
    let finished = child::finish(command, folder, TIMEOUT, None)?;
    let number = |line: &str| line.strip_prefix("PIGLIT TEST: ")?.split(' ').next()?.parse::<usize>().ok();
    let begun = finished.stdout.lines().filter_map(number).max().unwrap_or(1);
    Ok(finished.status.is_none_or(|status| status < 128).then_some(begun))
}

/// Returns traces of other programs: the demos, and every scene of glmark2.
pub fn programs() -> anyhow::Result<Vec<Trace>> {
    let scenes: Vec<String> = glmark2::SCENES.iter().map(|scene| format!("glmark2/{scene}")).collect();
    let wanted: Vec<&str> = record::DEMOS.iter().copied().chain(scenes.iter().map(String::as_str)).collect();
    let (_, kept) = record::traces(&wanted, &|_| false, false)?;
    Ok(kept.into_iter().map(|kept| Trace { path: kept.trace, tests: vec![kept.name], texts: Vec::new() }).collect())
}
