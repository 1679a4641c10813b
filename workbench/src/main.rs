//! Everything a developer or CI runs that needs the product's crates. `cargo xtask` builds and starts this program.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a task prints its report")]

mod bench;
mod codegen;
mod corpus;
mod dap;
mod files;
mod fuzz;
mod npm;
mod playback;
mod process;
mod screenshots;
mod setup;
mod soak;
mod test;
mod tidy;
mod vscode;
mod wasm;
mod wheel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development tasks of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Update the pictures of the debugger in docs/images from real terminal sessions.
    Screenshots(screenshots::Args),
    /// Run everything that CI runs and print a summary with times.
    Test(test::Args),
    /// Check what compilers do not: the dependency table, paths in documents, file lengths, leftovers.
    Tidy,
    /// Run sessions of `afterimage dap` with Microsoft's test client for debug adapters (needs Node).
    Dap(dap::Args),
    /// Build and package the extension for VS Code (needs Node).
    Vscode(vscode::Args),
    /// Build the Python package, and print the path of its wheel (needs Python).
    Wheel(wheel::Args),
    /// Build for WebAssembly, and compare a session under Node with a native one (needs Node).
    Wasm,
    /// Generate tables of commands, hooks and thunks from the Khronos registry and `crates/api/overlay.toml`.
    Codegen(codegen::Args),
    /// Compare our results with third-party tests and with drivers.
    Corpus {
        #[command(subcommand)]
        corpus: corpus::Corpus,
    },
    /// Run benchmarks.
    Bench {
        #[command(subcommand)]
        bench: bench::Bench,
    },
    /// Debug traces for a long time, and check that the memory of workers does not grow.
    Soak(soak::Args),
    /// Fuzz the front end or the trace reader (needs a nightly compiler; installs cargo-fuzz).
    Fuzz(fuzz::Args),
    /// Answer compile and link jobs on stdin with the driver's verdicts on stdout; started by `corpus`.
    #[command(hide = true)]
    MesaWorker,
    /// Replay a trace unchanged and with variants of its shaders; started by `corpus neutral`.
    #[command(hide = true)]
    NeutralWorker {
        /// The trace.
        trace: std::path::PathBuf,
        /// Seed of the variants' queries.
        seed: u64,
        /// Use variants only of these shaders, `FROM..TO`.
        #[arg(long, value_name = "RANGE", value_parser = corpus::neutral::worker::range)]
        shaders: Option<std::ops::Range<usize>>,
        /// Write the sources of shaders and variants to this folder; variants that exist already are used.
        #[arg(long, value_name = "DIR")]
        texts: Option<std::path::PathBuf>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Screenshots(args) => screenshots::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Tidy => tidy::run(),
        Command::Dap(args) => dap::run(&args).map(|_| ()),
        Command::Vscode(args) => vscode::run(&args).map(|_| ()),
        Command::Wheel(args) => wheel::run(&args),
        Command::Wasm => wasm::run_all(),
        Command::Codegen(args) => codegen::run(&args),
        Command::Corpus { corpus } => corpus::run(&corpus),
        Command::Bench { bench } => bench::run(&bench),
        Command::Soak(args) => soak::run(&args),
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use xtask::tasks::{Place, TASKS};

    use super::Cli;

    #[test]
    fn the_list_of_tasks_is_complete() {
        let command = Cli::command();
        let tasks = command.get_subcommands().filter(|task| !task.is_hide_set()).map(|task| task.get_name());
        let mut tasks: Vec<&str> = tasks.collect();
        let mut listed: Vec<&str> = TASKS.iter().filter(|t| t.place == Place::Workbench).map(|t| t.name).collect();
        tasks.sort_unstable();
        listed.sort_unstable();
        assert_eq!(tasks, listed);
        for task in TASKS.iter().filter(|task| !task.parts.is_empty()) {
            let command = command.find_subcommand(task.name).expect("a task");
            let parts: Vec<&str> = command.get_subcommands().map(|part| part.get_name()).collect();
            assert_eq!(parts, task.parts, "{}", task.name);
        }
    }
}
