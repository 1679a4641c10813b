//! The `afterimage` command line. Each command appears here when it becomes real.

mod check;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// See what your GPU did.
#[derive(Parser)]
#[command(name = "afterimage", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check GLSL files and print what is wrong with them.
    Check(check::Args),
}

/// Exit status: 0 done, 1 the answer is "no", 2 the request could not be served.
fn main() -> ExitCode {
    // clap itself leaves with status 2 when the request cannot be understood.
    let cli = Cli::parse();
    let answer = match cli.command {
        Command::Check(args) => check::run(&args),
    };
    match answer {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("afterimage: {error:#}");
            ExitCode::from(2)
        }
    }
}
