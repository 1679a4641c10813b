//! `afterimage info`: what is in a trace.

mod json;
pub mod programs;
pub mod survey;
mod text;

use std::io::Write;
use std::path::PathBuf;

use survey::Draws;
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
    let survey = survey::survey(&reader, if args.draws || args.json { Draws::Listed } else { Draws::Counted })?;
    if args.json {
        crate::json::print(&json::document(&survey))?;
    } else {
        let mut out = crate::out::text();
        text::write_page(&mut out, &args.file, &survey, args.frames, args.draws)?;
        out.flush()?;
    }
    Ok(Outcome::Done)
}
