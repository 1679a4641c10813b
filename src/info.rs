//! `afterimage info`: what is in a trace.

mod json;
pub mod programs;
pub mod survey;
mod text;

use std::io::Write;
use std::path::PathBuf;

use trace::Reader;

use crate::cli::Outcome;

const HELP: &str = "\
Examples:
  afterimage info gears.aftr                what was recorded, and what the recording lacks
  afterimage info gears.aftr --frames       one line for each frame
  afterimage info gears.aftr --draws        one line for each draw
  afterimage info gears.aftr --json         everything

A trace that was never finished, or is damaged, is shown as far as it can be read; what is lost is listed as a problem.

Exit status: 0 done, 2 the file could not be read.";

/// Show what is in a trace: frames, draws, contexts, programs, problems.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    file: PathBuf,
    /// List frames.
    #[arg(long)]
    frames: bool,
    /// List draws and dispatches.
    #[arg(long)]
    draws: bool,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Reads a trace and prints what is in it.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let reader = Reader::open(&args.file, api::COMMANDS)?;
    let survey = survey::survey(&reader)?;
    let document = if args.json {
        crate::json::pretty(&json::document(&survey))?
    } else {
        text::page(&args.file, &survey, args.frames, args.draws)
    };
    std::io::stdout().lock().write_all(document.as_bytes())?;
    Ok(Outcome::Done)
}
