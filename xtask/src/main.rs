//! Everything a developer or CI runs: `cargo xtask COMMAND`.
#![allow(clippy::print_stdout, reason = "a task's report is its output")]

mod bench;
mod codegen;
mod corpus;
mod dap;
mod demo;
mod files;
mod fuzz;
mod npm;
mod process;
mod screenshots;
mod setup;
mod test;
mod tidy;
mod vscode;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing of the Debian packages and test corpora that other tasks need.
    Setup(setup::Args),
    /// Show the best thing there is: a broken shader explained, and one pixel stepped through on the CPU.
    Demo,
    /// Make the pictures of the debugger in docs/images, from real runs on a terminal.
    Screenshots(screenshots::Args),
    /// Run everything CI runs and print a summary with times.
    Test,
    /// Check what compilers do not: the dependency table, paths named in documents, file lengths, leftovers.
    Tidy,
    /// Have Microsoft's client for tests of debug adapters go through sessions with `afterimage dap` (needs Node).
    Dap(dap::Args),
    /// Build the extension for VS Code and pack it (needs Node).
    Vscode(vscode::Args),
    /// Generate tables of commands, hooks and thunks from the Khronos registry and `crates/api/overlay.toml`.
    Codegen(codegen::Args),
    /// Run the front end over other people's shaders and compare verdicts.
    Corpus {
        #[command(subcommand)]
        corpus: corpus::Corpus,
    },
    /// Measure how fast the front end and the emulator are.
    Bench {
        #[command(subcommand)]
        bench: bench::Bench,
    },
    /// Feed the front end inputs no person would write (needs a nightly compiler; installs cargo-fuzz).
    Fuzz(fuzz::Args),
    /// Answer compile and link jobs on stdin with the driver's verdicts on stdout; started by `corpus`.
    #[command(hide = true)]
    MesaWorker,
    /// Replay a trace as it is and with variants of its shaders; started by `corpus neutral`.
    #[command(hide = true)]
    NeutralWorker {
        /// The trace.
        trace: std::path::PathBuf,
        /// Which questions the variants ask.
        seed: u64,
        /// Give variants to these shaders only, `FROM..TO`.
        #[arg(long, value_name = "RANGE", value_parser = corpus::neutral::worker::range)]
        shaders: Option<std::ops::Range<usize>>,
        /// Write the texts of shaders and variants to this folder; variants that are there already are taken.
        #[arg(long, value_name = "DIR")]
        texts: Option<std::path::PathBuf>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Setup(args) => setup::run(&args),
        Command::Demo => demo::run(),
        Command::Screenshots(args) => screenshots::run(&args),
        Command::Test => test::run(),
        Command::Tidy => tidy::run(),
        Command::Dap(args) => dap::run(&args).map(|_| ()),
        Command::Vscode(args) => vscode::run(&args).map(|_| ()),
        Command::Codegen(args) => codegen::run(&args),
        Command::Corpus { corpus } => corpus::run(&corpus),
        Command::Bench { bench } => bench::run(&bench),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::MesaWorker => corpus::worker::serve(),
        Command::NeutralWorker { trace, seed, shaders, texts } => {
            corpus::neutral::worker::serve(&trace, seed, shaders.as_ref(), texts.as_deref())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
