//! `cargo xtask corpus wasm`: the emulator as WebAssembly under Node must give the same verdicts as natively.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, bail};

use super::ratchet::{Ratchet, Share};
use super::report::percent;
use super::run::verdicts;
use crate::{process, setup};

const TARGET: &str = "wasm32-wasip1";

/// Number of tests that `cargo xtask test` runs.
const CI_SAMPLE: usize = 200;

/// Runs a WASI program with standard input and output, and one folder as its root.
const NODE: &str = "
const { WASI } = require('node:wasi');
const [program, folder] = process.argv.slice(1);
const wasi = new WASI({ version: 'preview1', args: ['verdicts'], preopens: { '/': folder }, returnOnExit: true });
WebAssembly.instantiate(require('node:fs').readFileSync(program), wasi.getImportObject())
    .then(({ instance }) => process.exit(wasi.start(instance)));
";

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
    let program = build()?;
    let paths: String = here.iter().map(|(name, _)| format!("/{name}\n")).collect();
    let there = node(&program, &paths)?;
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

fn build() -> anyhow::Result<std::path::PathBuf> {
    process::add_target(TARGET)?;
    process::run("cargo", &["build", "--quiet", "--package", "runner", "--example", "verdicts", "--target", TARGET])?;
    Ok(process::target_dir().join(TARGET).join("debug/examples/verdicts.wasm"))
}

fn node(program: &Path, input: &str) -> anyhow::Result<String> {
    let folder = setup::piglit_dir();
    let mut child = process::command("node", &["--no-warnings", "-e", NODE])
        .arg(program)
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start Node; install Debian's package nodejs")?;
    let mut pipe = child.stdin.take().context("Node has no stdin")?;
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    feeder.join().ok().context("the list of tests was not read")??;
    if !output.status.success() {
        bail!("Node exited with {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
