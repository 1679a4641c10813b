//! `cargo xtask demo`: the best thing there is to show today.

use anyhow::Context;

use crate::process;

const SHADER: &str = "demos/broken.frag";

/// Runs `afterimage check` on a lighting shader with the mistakes people make.
pub fn run() -> anyhow::Result<()> {
    println!("$ afterimage check {SHADER}\n");
    let status = process::command("cargo", &["run", "--quiet", "--package", "afterimage", "--", "check", SHADER])
        .status()
        .context("cargo cannot be started")?;
    // Status 1 is the answer "no": the shader is broken, which is what the demo shows.
    anyhow::ensure!(
        status.code() == Some(1),
        "`afterimage check {SHADER}` should find its mistakes, but left with {status}"
    );
    Ok(())
}
