//! Runs other programs, from the repository's root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;
pub use xtask::process::{root, target_dir};

/// Returns the folder of downloaded corpora and cached verdicts: `target/corpus`, never committed.
pub fn corpus_dir() -> PathBuf {
    root().join("target/corpus")
}

/// Installs the standard library of a target if needed.
pub fn add_target(target: &str) -> anyhow::Result<()> {
    let sysroot = output("rustc", &["--print", "sysroot"])?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(target).is_dir() {
        return Ok(());
    }
    run("rustup", &["target", "add", target])
        .with_context(|| format!("the Rust target {target} is missing and could not be added"))
}

/// Returns a command that runs in the root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Runs to completion with its output shown; an error names the command.
pub fn run(program: &str, args: &[&str]) -> anyhow::Result<()> {
    let status = command(program, args).status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("`{program} {}` failed ({status})", args.join(" "));
    }
    Ok(())
}

/// Returns a path to this very program, to start it again as a worker: the file may have been replaced by a build since
/// it was started.
pub fn this_program() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

/// Builds the product, its preloaded library and the demos; returns their folder.
pub fn build_product(release: bool) -> anyhow::Result<PathBuf> {
    if release {
        run("cargo", &["build", "--release", "-p", "afterimage-cli", "-p", "capture", "-p", "demos"])?;
    } else {
        run("cargo", &["product"])?;
    }
    Ok(target_dir().join(if release { "release" } else { "debug" }))
}

/// Runs to completion and returns its standard output; an error includes its standard error.
pub fn output(program: &str, args: &[&str]) -> anyhow::Result<String> {
    let output =
        command(program, args).stdin(Stdio::null()).output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("`{program} {}` failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns what cargo knows of each package of the workspace.
pub fn packages() -> anyhow::Result<Vec<Value>> {
    let text = output("cargo", &["metadata", "--no-deps", "--format-version", "1"])?;
    let mut metadata: Value =
        serde_json::from_str(&text).context("cargo metadata printed something other than JSON")?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("cargo metadata lists no packages"),
    }
}

/// Returns whether a program of that name is in PATH.
pub fn exists(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
