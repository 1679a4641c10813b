//! Prints the report about a trace with the answers of a tape: `playback TRACE TAPE X Y`.
//!
//! `cargo xtask test` runs it as WebAssembly under Node.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the report is its output")]

use anyhow::{Context as _, ensure};
use open_trace::OpenTrace;
use playback::{PlaybackDevice, Tape, report};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [trace, tape, x, y] = &arguments[..] else { anyhow::bail!("usage: playback TRACE TAPE X Y") };
    let trace = std::fs::read(trace).with_context(|| format!("cannot read {trace}"))?;
    let tape = std::fs::read(tape).with_context(|| format!("cannot read {tape}"))?;
    let tape = Tape::from_bytes(&tape).context("the tape cannot be read")?;
    let device = PlaybackDevice::new(tape.clone());
    let text = report(&OpenTrace::from_bytes(trace)?, Box::new(device), (x.parse()?, y.parse()?))?;
    ensure!(tape.is_empty(), "{} questions of the tape were not asked", tape.len());
    print!("{text}");
    Ok(())
}
