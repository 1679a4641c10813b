//! Runs other programs, from the repository's root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Context, Error, Result};

/// The packages of the product: the program, the library that it preloads, and the programs that it is shown with.
pub const PRODUCT: [&str; 6] = ["--package", "afterimage-cli", "--package", "capture", "--package", "demos"];

/// What cargo builds of them for the demo and for packages.
pub const PARTS: [&str; 5] = ["--lib", "--bin", "afterimage", "--bin", "deferred"];

/// Returns the repository's root: that of the crate that cargo runs, so that a build folder may be moved with its checkout.
#[must_use]
pub fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// Returns cargo's build folder.
#[must_use]
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Returns a path as seen from the root, where commands run.
#[must_use]
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns a command that runs in the root.
#[must_use]
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Runs to completion with its output shown.
///
/// # Errors
/// When it cannot be started or fails; the error names the command.
pub fn run(program: &str, args: &[&str]) -> Result<()> {
    run_command(&mut command(program, args))
}

/// Like [`run`], for a command with more to it than words.
///
/// # Errors
/// When it cannot be started or fails; the error names the command.
pub fn run_command(command: &mut Command) -> Result<()> {
    let status = command.status().context(format!("cannot start {}", command.get_program().display()))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}` failed ({status})", words(command))))
}

/// Runs to completion and returns its standard output.
///
/// # Errors
/// When it cannot be started or fails; the error includes its standard error.
pub fn output(program: &str, args: &[&str]) -> Result<String> {
    let mut command = command(program, args);
    let output = command.stdin(Stdio::null()).output().context(format!("cannot start {program}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::new(format!("`{}` failed: {}", words(&command), said.trim())))
}

/// Returns whether a program of that name is in PATH.
#[must_use]
pub fn exists(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
