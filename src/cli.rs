//! Commands, options that all of them share, and exit status.

use std::error::Error as _;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use session::parse::ParseError;

use crate::{
    breakpoint, check, dap, debug, demo, dump, graph, history, info, inspect, out, profile, record, replay, report,
    run, shell, sources, state, trim,
};

/// How a request ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Done; where there was a question, the answer is "yes".
    Done,
    /// The answer is "no".
    No,
    /// The request, or part of it, could not be served; the reason is on stderr.
    Unserved,
    /// A program was run, and left with this status.
    Program(u8),
}

/// Whether to colour text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether to colour what goes to stdout.
    pub fn on_stdout(self) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            // An empty NO_COLOR counts as unset: https://no-color.org.
            Color::Auto => {
                std::io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// See what your GPU did.
#[derive(Parser)]
#[command(name = "afterimage", version, about, arg_required_else_help = true, after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record the bundled scene, find its broken pixel and open the debugger there.
    Demo(demo::Args),
    /// Record an OpenGL program.
    Record(record::Args),
    /// Replay a trace, and compare it with the recording.
    Replay(replay::Args),
    /// Step through the shaders behind a pixel, forwards and backwards, in a terminal.
    Debug(Box<debug::Args>),
    /// Debug shaders in an editor, by the Debug Adapter Protocol.
    Dap(dap::Args),
    /// Show what made a pixel, through every pass.
    History(history::Args),
    /// Show the values of a shader as it ran, measured on the device.
    Inspect(Box<inspect::Args>),
    /// Find where in a shader a condition holds, over draws, frames or a whole trace.
    Break(Box<breakpoint::Args>),
    /// Count the loop iterations and taken branches of all invocations of a draw.
    Profile(Box<profile::Args>),
    /// Show what is in a trace: frames, draws, contexts, programs, problems.
    Info(info::Args),
    /// Print the commands of a trace.
    Dump(dump::Args),
    /// Print the texts of all shaders, or write them to files.
    Sources(sources::Args),
    /// Show render passes and the resources that flow between them.
    Graph(graph::Args),
    /// Show the GL state after a command: contexts, objects, bindings.
    State(state::Args),
    /// Show errors and misuse of GL in a trace, and where model, recording and driver disagree.
    Report(report::Args),
    /// Cut some frames out of a trace into a trace of their own.
    Trim(trim::Args),
    /// Check GLSL files and print their errors.
    Check(check::Args),
    /// Run a shader on the emulator and print its outputs.
    Run(Box<run::Args>),
    /// Print completions of this program's commands and options for a shell.
    Completions(shell::Completions),
    /// Write a page of the manual for each command; used for packages.
    #[command(hide = true)]
    ManPages(shell::ManPages),
}

/// The last lines of every command's help.
pub const EXIT_STATUS: &str = "Exit status: 0 done, 1 the answer is \"no\", 2 the request could not be served.";

/// Reads the command line and does what it says.
pub fn serve() -> ExitCode {
    // clap itself leaves with status 2 when the request cannot be understood.
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A pixel that cannot be there is no mistake in the command line.
            let parsed = error.source().and_then(|source| source.downcast_ref::<ParseError>());
            match parsed {
                Some(outside @ ParseError::Negative { .. }) => {
                    complain(&outside.to_string());
                    return ExitCode::from(2);
                }
                _ => error.exit(),
            }
        }
    };
    let answer = match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Record(args) => record::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Break(args) => breakpoint::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::History(args) => history::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Sources(args) => sources::run(&args),
        Command::Report(args) => report::run(&args),
        Command::State(args) => state::run(&args),
        Command::Trim(args) => trim::run(&args),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::ManPages(args) => shell::man_pages(&args, Cli::command()),
    };
    match answer {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Program(status)) => ExitCode::from(status),
        Ok(Outcome::Unserved) => ExitCode::from(2),
        // The reader of the output may stop early.
        Err(error) if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&sentence(&error));
            ExitCode::from(2)
        }
    }
}

/// An error and its causes in one sentence: those that an error has put into its own words are not repeated.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut out = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !out.contains(&cause) {
            out.push_str(": ");
            out.push_str(&cause);
        }
    }
    out
}

/// Says on stderr, in one sentence, why something could not be served.
pub fn complain(sentence: &str) {
    // stderr may be closed.
    let _ = writeln!(std::io::stderr().lock(), "afterimage: {}", out::visible(sentence));
}
