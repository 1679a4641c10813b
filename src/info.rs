//! `afterimage info`: what is in a trace.

mod json;
mod text;

use std::io::Write;
use std::path::PathBuf;

use afterimage::survey::{self, Draws, Survey};
use anyhow::bail;
use trace::Reader;

use crate::amount::count;
use crate::cli::Outcome;
use crate::out::shell_quoted;
use crate::progress::Progress;

const HELP: &str = "\
Examples:
  afterimage info gears.aftr                what was recorded, and what the recording lacks
  afterimage info gears.aftr --frames       one line for each frame
  afterimage info gears.aftr --draws        one line for each draw: how much it draws, where to, what changed before it
  afterimage info gears.aftr --draws --frame 3 --program 16   those of frame 3 that use program 16
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
    /// List only draws of this frame, counted from 0.
    #[arg(long, value_name = "N", requires = "draws")]
    frame: Option<usize>,
    /// List only draws with this program, as GL names it.
    #[arg(long, value_name = "N", requires = "draws")]
    program: Option<u32>,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Reads a trace and prints what is in it.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let reader = Reader::open(&args.file, api::COMMANDS)?;
    let draws = if args.draws || args.json { Draws::Listed } else { Draws::Counted };
    let mut survey = self::survey(&reader, draws)?;
    if let Some(frame) = args.frame.filter(|frame| *frame >= survey.frames.len()) {
        bail!("there is no frame {frame}; the trace has {}", count(survey.frames.len() as u64, "frame"));
    }
    if let Some(program) = args.program.filter(|name| survey.programs.iter().all(|known| known.name != *name)) {
        bail!("the trace has no program {program}; `afterimage info {}` lists them", shell_quoted(&args.file));
    }
    let listed: Vec<bool> = survey.draws.iter().map(|draw| args.lists(draw, &survey)).collect();
    let mut listed = listed.into_iter();
    survey.draws.iter_mut().for_each(|draw| draw.listed = listed.next().unwrap_or(true));
    if args.json {
        crate::json::print(&json::document(&survey))?;
    } else {
        let mut out = crate::out::text();
        text::write_page(&mut out, &args.file, &survey, args.frames, args.draws)?;
        out.flush()?;
    }
    Ok(Outcome::Done)
}

/// Reads all calls of a trace, and shows how far it is.
///
/// # Errors
/// When the trace cannot be read.
pub fn survey(reader: &Reader, draws: Draws) -> anyhow::Result<Survey> {
    let mut progress = Progress::new(reader.len(), "calls read");
    let survey = survey::survey(reader, draws, &mut |number| progress.step(number));
    progress.clear();
    Ok(survey?)
}

impl Args {
    /// Returns whether a draw is wanted in the list.
    fn lists(&self, draw: &survey::Draw, survey: &Survey) -> bool {
        let uses = |name: u32| draw.program.is_some_and(|at| survey.programs[at].name == name);
        self.frame.is_none_or(|frame| draw.frame == Some(frame)) && self.program.is_none_or(uses)
    }
}
