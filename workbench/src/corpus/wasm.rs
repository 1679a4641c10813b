//! `cargo xtask corpus wasm`: the emulator as WebAssembly under Node must give the same verdicts as natively.

use anyhow::bail;

use super::ratchet::{Ratchet, Share};
use super::report::percent;
use super::run::verdicts;
use crate::{setup, wasm};

/// Number of tests that `cargo xtask test` runs.
const CI_SAMPLE: usize = 200;

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run N tests, always the same ones for the same N.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    limit: usize,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Runs the tests both natively and as WebAssembly.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let here = verdicts(args.limit)?;
    wasm::build(wasm::WASI, &["--package", "runner", "--example", "verdicts"])?;
    let program = wasm::folder(wasm::WASI).join("examples/verdicts.wasm");
    let paths: String = here.iter().map(|(name, _)| format!("/{name}\n")).collect();
    let there = wasm::run(&program, &setup::piglit_dir(), &[], &paths)?;
    let (mut same, mut passes) = (Share::default(), Share::default());
    for ((name, native), line) in here.iter().zip(there.lines()) {
        let (word, path) = line.split_once(' ').unwrap_or((line, ""));
        if path.trim_start_matches('/') != name {
            bail!("Node's result is for {path}, not {name}");
        }
        same.add(word == *native);
        if word != "skip" {
            passes.add(word == "pass");
        }
        if word != *native {
            println!("{name}: {native} natively, {word} as WebAssembly");
        }
    }
    if same.total != here.len() {
        bail!("Node returned {} of {} results", same.total, here.len());
    }
    println!("same verdict {}", percent(same));
    println!("pass         {}", percent(passes));
    if same.right < same.total {
        bail!("{} tests end differently as WebAssembly", same.total - same.right);
    }
    Ratchet::read()?.settle(&format!("wasm-{}", args.limit), &[("pass", passes)], args.update_ratchet)
}

/// Runs the fixed sample, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { limit: CI_SAMPLE, ..Args::default() })
}
