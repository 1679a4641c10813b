//! Running other programs, from the repository's root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where downloaded corpora and cached verdicts live: `target/corpus`, never committed.
pub fn corpus_dir() -> PathBuf {
    root().join("target/corpus")
}

/// A command that runs in the root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Runs to the end with its output shown; an error says which command failed.
pub fn run(program: &str, args: &[&str]) -> anyhow::Result<()> {
    let status = command(program, args).status().with_context(|| format!("{program} cannot be started"))?;
    if !status.success() {
        bail!("`{program} {}` failed ({status})", args.join(" "));
    }
    Ok(())
}

/// Runs to the end and gives back what it printed on stdout; an error carries its stderr.
pub fn output(program: &str, args: &[&str]) -> anyhow::Result<String> {
    let output =
        command(program, args).stdin(Stdio::null()).output().with_context(|| format!("{program} cannot be started"))?;
    if !output.status.success() {
        bail!("`{program} {}` failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True when a program of that name is on the path.
pub fn exists(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
