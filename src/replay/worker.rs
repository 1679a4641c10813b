//! The hidden command that is the worker.

use std::ffi::OsString;
use std::io::Write;

use anyhow::bail;
use driver::{DeviceChoice, Page};
use replay::supervise::Work;
use serde_json::json;

use crate::cli::Outcome;

/// Be the process that has the driver in it. Not for people.
#[derive(clap::Args)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Does what the supervisor asks for.
///
/// # Errors
/// When the command line is not one of its.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Some((page, work)) = replay::supervise::parse(args.arguments.clone()) else {
        bail!("this command is for afterimage itself; use `afterimage replay`");
    };
    driver::be_a_worker();
    let page = Page::inherited(page)?;
    let request = match work {
        Work::Once(request) => request,
        Work::Serve(trace, device) => {
            replay::service::serve(&trace, &device, &page)?;
            return Ok(Outcome::Done);
        }
    };
    let (answer, outcome) = match replay::worker::run(&request, &page) {
        Ok(report) => (json!({ "report": report.to_json() }), Outcome::Done),
        Err(error) => (json!({ "error": error.to_string() }), Outcome::Unserved),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{answer}")?;
    out.flush()?;
    Ok(outcome)
}

/// What `--device` means.
pub fn device(text: &str) -> DeviceChoice {
    text.parse().map_or_else(|_| DeviceChoice::Named(text.to_owned()), DeviceChoice::Index)
}
