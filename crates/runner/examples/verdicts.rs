//! Runs the tests whose paths are given on standard input and prints one line for each: the verdict and the path.
//!
//! Built for `wasm32-wasip1`, it shows that the emulator gives the same verdicts in a browser's engine as natively
//! (`cargo xtask corpus wasm`).

use std::io::{BufRead as _, Write as _};

use runner::Options;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        let report = runner::run(&text, &Options::default());
        writeln!(out, "{} {path}", report.outcome.word())?;
    }
    Ok(())
}
