//! `afterimage trim`: some frames of a trace, as a trace of their own.

mod before;
mod cut;
mod strip;
mod verify;

use std::path::PathBuf;

use anyhow::{Context, bail};
use chronicle::trim::Left;

use crate::amount;
use crate::cli::Outcome;
use crate::json;
use crate::json::trim::Document;
use crate::overwrite;
use crate::replay::On;
pub use cut::{Cut, Frames, Manner, cut};

const HELP: &str = "\
Examples:
  afterimage trim game.aftr --frames 900..910 -o bug.aftr   frames 900 to 909, counted from 0
  afterimage trim game.aftr --frames 900                    one frame, to game.900.aftr
  afterimage trim game.aftr --strip                         all frames without contents, to game.stripped.aftr

The new trace begins with the earlier calls that the kept frames need: the last calls that set each piece of state, and the
calls that those rely on. Contents that were drawn, for example into textures, are read back from the driver once and
stored, unless the kept frames overwrite them before reading them. The command lists what it stored and what it did not.
Where those contents would take more room than the calls that make them, all earlier calls are kept instead.

Then both traces are replayed as far as the kept frames, and every frame is compared; frames that differ are named.
`afterimage replay --verify` compares the kept frames with the recording, as in the whole trace.

With --strip the new trace has zeros for the contents of buffers and textures, and no texts of labels, no command line and no
hashes of frames, as if it had been recorded with `record --redact`. docs/privacy.md says what remains.

Exit status: 0 done, 1 done, but a frame differs, or something could not be stored or is not understood (it is named),
2 not done.";

/// Cut some frames out of a trace into a trace of their own.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Keep these frames, counted from 0: A..B from A up to but not B, A..=B, or just one number. Without it, keep all.
    #[arg(long, value_name = "A..B", required_unless_present = "strip")]
    frames: Option<Frames>,
    /// Leave out the contents of buffers and textures, labels, the command line and hashes of frames (docs/privacy.md).
    #[arg(long)]
    strip: bool,
    /// Do not replay the frames to compare them with those of the whole trace.
    #[arg(long)]
    no_verify: bool,
    /// Write the new trace to this file; without it, it is named after the old one and the frames.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that is already there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    on: On,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Trims.
///
/// # Errors
/// When the trace has no such frames, or the new one cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let output = match &args.output {
        Some(output) => output.clone(),
        None => {
            let frames = args.frames.map(|frames| format!("{}.", frames.file_name_part()));
            let stripped = if args.strip { "stripped." } else { "" };
            args.trace.with_extension(format!("{}{stripped}aftr", frames.unwrap_or_default()))
        }
    };
    overwrite::refuse(&output, args.force)?;
    if same(&output, &args.trace) {
        bail!("{} cannot be trimmed in its own place; give another name", args.trace.display());
    }
    let manner = Manner { frames: args.frames, strip: args.strip, verify: !args.no_verify };
    let cut = cut(&args.trace, manner, &output, &args.on)?;
    let document = if args.json { json::pretty(&Document::new(&cut))? } else { text(&cut) };
    crate::out::document(&document, args.json).context("cannot print")?;
    Ok(if cut.problems.is_empty() { Outcome::Done } else { Outcome::No })
}

fn same(one: &std::path::Path, other: &std::path::Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns what was done, as text.
pub fn text(cut: &Cut) -> String {
    let one = cut.frames.first == cut.frames.last;
    let mut text = format!(
        "{}: {} {} of {}: {}",
        cut.output.display(),
        if one { "frame" } else { "frames" },
        cut.frames,
        cut.frames_before,
        amount::count(cut.kept, "call"),
    );
    if cut.before > 0 {
        let (needs, them) = if one { ("it needs", "it") } else { ("they need", "them") };
        let (setup, before) = (amount::digits(cut.setup), amount::digits(cut.before));
        text += &format!(", after {setup} that {needs} (the whole trace has {before} before {them})");
    }
    text.push('\n');
    if cut.stripped {
        text += &format!("  {}\n", recorder::redact::NOTICE);
    }
    let sizes = format!("{} instead of {}", amount::size(cut.bytes), amount::size(cut.whole_bytes));
    text += &match cut.all_calls {
        true => format!("{sizes}; contents that were read back would take more than the calls that make them\n"),
        false => format!("{sizes}; {} of that is contents that were read back\n", amount::size(cut.contents_bytes)),
    };
    if let Some(verified) = cut.verified {
        let (equal, compared) = (verified.equal, amount::count(verified.compared, "frame"));
        text += &format!("{equal} of {compared} equal to the whole trace's\n");
    }
    for item in &cut.items {
        text += &format!("  {:40} {}\n", item.what, amount::size(item.bytes));
    }
    for (left, why) in [
        (Left::Replaced, "not stored, because the frames write over all of it before they look"),
        (Left::Untouched, "not stored, because the frames do not look"),
    ] {
        let names: Vec<&str> =
            cut.left_out.iter().filter(|(_, of)| *of == left).map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            text += &format!("  {why}: {}\n", names.join(", "));
        }
    }
    if !cut.blind.is_empty() {
        text += &format!(
            "  all contents are stored, because it is not known what these commands look at: {}\n",
            cut.blind.join(", ")
        );
    }
    for note in &cut.notes {
        text += &format!("  {note}\n");
    }
    for (name, times) in &cut.unknown {
        text += &format!("  {name}, {times} times, is kept with all that came before it: what it does is not known\n");
    }
    for problem in &cut.problems {
        text += &format!("  problem: {problem}\n");
    }
    text
}
