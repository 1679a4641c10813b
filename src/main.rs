//! The `afterimage` command line. Each command appears here when it becomes real.
#![forbid(unsafe_code)]

mod amount;
mod breakpoint;
mod check;
mod cli;
mod dap;
mod debug;
mod demo;
mod dump;
mod embedded;
mod graph;
mod history;
mod info;
mod inspect;
mod json;
mod out;
mod overwrite;
mod profile;
mod progress;
mod record;
mod replay;
mod report;
mod run;
mod shell;
mod sources;
mod state;
mod trim;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Workers read the trace too, and inherit the variable.
    if std::env::var_os("AFTERIMAGE_TRUST").is_some_and(|value| value == "1") {
        trace::trust_traces();
        ::state::lift_limits();
    }
    // This program starts itself as the workers that have drivers in them.
    host::be_a_worker_if_asked();
    cli::serve()
}
