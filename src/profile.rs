//! `afterimage profile`: how often a loop goes round, or which way a branch goes, in every invocation of a draw.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{Iteration, Profile, ProfileKind, ProfileRequest, Stage};

use crate::cli::Outcome;
use crate::inspect::asking::{self, Asking, Which};
use crate::inspect::field::{self, Files};
use crate::inspect::{counted, export};
use crate::json;
use crate::progress::asked;
use crate::replay::on_what_is_left;

const HELP: &str = "\
Examples:
  afterimage profile game.aftr --at 1200 --line 20                    the loop or branch that begins in line 20
  afterimage profile game.aftr --at 1200 --line 20 --image loop.png   how often each fragment goes round
  afterimage profile game.aftr --at 1200 --line 9 --column 18 --csv branch.csv   the ?: at that column
  afterimage profile game.aftr --at 1200 --line 4 --stage vertex      of vertices

Of a loop the table says for each iteration how many invocations are active in it, for how many it is the last (done)
and how many go on (left). The picture of a loop is how often all fragments of a pixel went round, that of a branch the
share of times that its condition held.

Exit status: 0 done, 1 no invocation came to the place, 2 the request could not be served.";

/// Iterations that are printed; files and JSON have all.
const SHOWN: usize = 40;

/// Count the loop iterations and taken branches of all invocations of a draw.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Choose the line in which the loop or branch begins.
    #[arg(long, value_name = "LINE")]
    line: u32,
    /// Choose a ?: in the line by its column.
    #[arg(long, value_name = "COLUMN")]
    column: Option<u32>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    asking: Asking,
}

/// Asks, and prints the answer.
///
/// # Errors
/// When no loop or branch is there, or the device gives no answer.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut session = args.asking.open()?;
    let request = ProfileRequest {
        command: args.which.at.draw(session.trace().reader())?,
        stage: args.which.stage.unwrap_or(Stage::Fragment),
        line: args.line,
        column: args.column,
        options: args.asking.options()?,
    };
    let profile = asked(&mut session, |session| session.profile(&request))?;
    write_files(&profile, &args.files)?;
    let document = if args.asking.json { json::pretty(&profile)? } else { text(&profile, args.line) };
    crate::out::document(&document, args.asking.json)?;
    Ok(on_what_is_left(session.trace().damage(), if profile.came > 0 { Outcome::Done } else { Outcome::No }))
}

fn text(profile: &Profile, line: u32) -> String {
    let Profile { command, call, stage, kind, invocations, came, .. } = profile;
    let mut text = format!("command {command}, {call}: line {line}: {}\n", profile.line_text);
    // Writing to memory does not fail.
    let _ = writeln!(text, "{came} of {invocations} {stage} invocations came there");
    let all: u64 = profile.totals.iter().map(|count| count.total).sum();
    for count in &profile.totals {
        let share = match all {
            0 => String::new(),
            _ if *kind == ProfileKind::Loop => String::new(),
            all => format!(", {:.2} %", 100.0 * count.total as f64 / all as f64),
        };
        let _ = writeln!(text, "  {:<24} {} times{share}", count.name, count.total);
    }
    text += &profile.pixels.as_ref().map_or(String::new(), field::counts);
    text += &profile.components.as_deref().map_or(String::new(), field::histograms);
    text += &iterations(&profile.iterations);
    text += counted::text(profile.counted);
    text += &counted::missed(u64::from(profile.missed));
    text + &asking::remarks(&profile.measurement)
}

fn iterations(all: &[Iteration]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = "iteration    active      done      left\n".to_owned();
    for (number, Iteration { active, done, left }) in all.iter().enumerate().take(SHOWN) {
        let _ = writeln!(text, "{number:>9} {active:>9} {done:>9} {left:>9}");
    }
    if all.len() > SHOWN {
        let _ = writeln!(text, "{} more iterations; --json has all", all.len() - SHOWN);
    }
    text
}

fn write_files(profile: &Profile, files: &Files) -> anyhow::Result<()> {
    if let Some(field) = &profile.field {
        files.write(field)?;
        return Ok(());
    }
    if files.image.is_some() || files.npy.is_some() {
        bail!("--image and --npy are for fragments; for a {} shader use --csv", profile.stage);
    }
    let Some(path) = &files.csv else { return Ok(()) };
    let stage = profile.stage;
    let names: Vec<String> = profile.totals.iter().map(|count| export::text_cell(&count.name)).collect();
    let mut text = format!("{},{}\n", export::identity_heading(stage), names.join(","));
    for (id, counts) in &profile.counts {
        let numbers: Vec<String> = counts.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "{},{}", export::identity_cells(stage, *id), numbers.join(","));
    }
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
