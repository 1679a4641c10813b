//! The `afterimage` command line. Each command appears here when it becomes real.

mod check;
mod cli;
mod replay;
mod record;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::serve()
}
