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

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Makes sure that there is a standard library for a target.
pub fn add_target(target: &str) -> anyhow::Result<()> {
    let sysroot = output("rustc", &["--print", "sysroot"])?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(target).is_dir() {
        return Ok(());
    }
    run("rustup", &["target", "add", target])
        .with_context(|| format!("the Rust target {target} is missing and could not be added"))
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

/// Builds the product, what it preloads and the demos, without a word; says where they are.
pub fn build_product(release: bool) -> anyhow::Result<PathBuf> {
    if release {
        run("cargo", &["build", "--quiet", "--release", "-p", "afterimage", "-p", "capture", "-p", "demos"])?;
    } else {
        run("cargo", &["product"])?;
    }
    Ok(target_dir().join(if release { "release" } else { "debug" }))
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
