//! `cargo xtask bench`: how fast the front end, the emulator, the recorder, the model, answers about shaders,
//! histories of pixels and the debugger are.

mod back;
mod debug;
mod document;
mod emulator;
mod history;
mod inspect;
mod record;
mod state;

use std::io::Write as _;

use anyhow::Context;
use driver::{Api, Stage};

use crate::corpus::piglit;
use crate::{process, setup};

/// What to measure.
#[derive(clap::Subcommand)]
pub enum Bench {
    /// Our front end and glslang in one process, in turns, on piglit's shaders.
    Peer {
        /// How often to go through all shaders.
        #[arg(long, default_value_t = 3, value_name = "N")]
        rounds: usize,
    },
    /// Lane-operations per second of the emulator, and what watching costs.
    Emulator,
    /// What recording costs and how large traces are, against apitrace; writes docs/benchmarks.md.
    Record(record::Args),
    /// How long it takes to step backwards through draws, with and without checkpoints; writes docs/benchmarks.md.
    Back(back::Args),
    /// How long it takes to know the state at a command, against apitrace's state dump; writes docs/benchmarks.md.
    State(state::Args),
    /// How long answers about shaders take, against the draw by itself; writes docs/benchmarks.md.
    Inspect(inspect::Args),
    /// How long the debugger lets people wait: to the first stop, for a step, for a value; writes docs/benchmarks.md.
    Debug(debug::Args),
    /// How long the history of a pixel takes, against RenderDoc and against replaying a frame; writes docs/benchmarks.md.
    History(history::Args),
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
    let out = std::fs::File::create(file).with_context(|| format!("{} cannot be written", file.display()))?;
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
