//! `cargo xtask bench`: measures the front end, the emulator, the recorder, the model, shader inspection, pixel
//! histories, the debugger, long traces and seeking.

mod back;
mod debug;
mod document;
mod emulator;
mod history;
mod inspect;
pub mod record;
mod scale;
mod seek;
mod state;

use std::io::Write as _;

use anyhow::Context;
use driver::Api;
use shader::version::Stage;

use crate::corpus::piglit;
use crate::{process, setup};

/// The benchmark to run.
#[derive(clap::Subcommand)]
pub enum Bench {
    /// Compare our front end with glslang in one process, alternately, on piglit's shaders.
    Peer {
        /// Number of passes over all shaders.
        #[arg(long, default_value_t = 3, value_name = "N")]
        rounds: usize,
    },
    /// Measure lane-operations per second of the emulator, and the cost of observers.
    Emulator,
    /// Measure the cost of recording and the size of traces, compared with apitrace; writes docs/benchmarks.md.
    Record(record::Args),
    /// Measure stepping backwards through draws, with and without checkpoints; writes docs/benchmarks.md.
    Back(back::Args),
    /// Measure how long the state at a command takes, compared with apitrace's state dump; writes docs/benchmarks.md.
    State(state::Args),
    /// Measure how long shader inspection takes, compared with the draw alone; writes docs/benchmarks.md.
    Inspect(inspect::Args),
    /// Measure the latency of the debugger: first stop, step, value; writes docs/benchmarks.md.
    Debug(debug::Args),
    /// Measure pixel histories, compared with RenderDoc and with replaying a frame; writes docs/benchmarks.md.
    History(history::Args),
    /// Measure opening long traces, up to a hundred million calls, and the memory it takes; writes docs/benchmarks.md.
    Scale(scale::Args),
    /// Measure how long it takes to get to the last frame of a game; writes docs/benchmarks.md.
    Seek(seek::Args),
}

/// Runs one benchmark.
pub fn run(bench: &Bench) -> anyhow::Result<()> {
    let rounds = match bench {
        Bench::Peer { rounds } => rounds,
        Bench::Emulator => return emulator::run(),
        Bench::Record(args) => return record::run(args),
        Bench::Back(args) => return back::run(args),
        Bench::State(args) => return state::run(args),
        Bench::Inspect(args) => return inspect::run(args),
        Bench::Debug(args) => return debug::run(args),
        Bench::History(args) => return history::run(args),
        Bench::Scale(args) => return scale::run(args),
        Bench::Seek(args) => return seek::run(args),
    };
    setup::ensure(&["glslang-dev"])?;
    setup::ensure_piglit()?;
    let file = process::corpus_dir().join("bench.shaders");
    write(&file)?;
    let (path, rounds) = (file.to_string_lossy(), rounds.to_string());
    let manifest = "bench-peer/Cargo.toml";
    process::run("cargo", &["run", "--release", "--quiet", "--manifest-path", manifest, "--", &path, &rounds])
}

/// Writes every shader of the corpus as a line `STAGE ES LENGTH` and its bytes.
fn write(file: &std::path::Path) -> anyhow::Result<()> {
    let out = std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = std::io::BufWriter::new(out);
    for case in piglit::read(&setup::piglit_dir())?.cases {
        for source in &case.shaders {
            let stage = Stage::ALL.iter().position(|s| *s == source.stage).unwrap_or(0);
            let text = source.strings.concat();
            writeln!(out, "{stage} {} {}", u8::from(case.api == Api::Es), text.len())?;
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(out.flush()?)
}
