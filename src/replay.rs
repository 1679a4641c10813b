//! `afterimage replay`: a trace on a driver, in a worker process.

mod against;
mod answer;
mod on;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use device::{Progress, ReplayRequest, Until};
use trace::Reader;

use crate::amount::plural;
use crate::cli::{Outcome, complain};
use crate::overwrite;
use crate::progress::{Line, PATIENCE};
use crate::state::place::CommandRef;

pub use answer::{mention_damage, mention_truncation, on_what_is_left, truncation};
pub use on::{Confinement, On};

const HELP: &str = "\
Examples:
  afterimage replay gears.aftr                       run it, and say what could not be done as recorded
  afterimage replay gears.aftr --images pictures     pictures/frame-0000.png and so on
  afterimage replay gears.aftr --frame 3 --images .  only that frame's picture
  afterimage replay gears.aftr --to 1200 --per-draw --images draws
  afterimage replay gears.aftr --at 1200 --images .  what is drawn to after command 1200: command-00001200.png, and of
                                                     further colour buffers command-00001200-1.png and so on
  afterimage replay gears.aftr --verify              compare with what record --hash-frames kept, and with readbacks
  afterimage replay gears.aftr --images there --against here   compare with the pictures of another device
  afterimage replay gears.aftr --bench               how long it takes
  afterimage replay --device list                    devices to choose from

Exit status: 0 it ran (with --verify: all that was compared is equal), 1 something differs, 2 it could not be replayed, the
driver crashed or hung, there was nothing to compare, or the trace is truncated (with --verify) or has lost commands.";

/// Run a trace again.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE", required_unless_present = "device")]
    trace: Option<PathBuf>,
    /// Stop when this frame has been presented; they are counted from 0.
    #[arg(long, value_name = "N", conflicts_with = "to")]
    frame: Option<u64>,
    /// Stop when this command has been executed.
    #[arg(long, value_name = "COMMAND")]
    to: Option<u64>,
    /// Write a picture of what is drawn to after this command; may be given several times.
    #[arg(long, value_name = "COMMAND", requires = "images", allow_hyphen_values = true, conflicts_with_all = ["frame", "to", "per_draw", "verify"])]
    at: Vec<CommandRef>,
    /// For --at, execute every command before, and not only what the picture depends on.
    #[arg(long, requires = "at")]
    no_skip: bool,
    /// For --at, go back to earlier commands from the start, and not from checkpoints.
    #[arg(long, requires = "at")]
    no_checkpoints: bool,
    /// For --at, compare everything that the driver can be asked with the model, after each command.
    #[arg(long, requires = "at")]
    compare_state: bool,
    /// Write each frame as a PNG file into this folder; with --frame, only that one.
    #[arg(long, value_name = "FOLDER")]
    images: Option<PathBuf>,
    /// Replace pictures that are there already.
    #[arg(long, requires = "images")]
    force: bool,
    /// Write a picture after each draw instead; with --frame, only of that frame.
    #[arg(long, requires = "images")]
    per_draw: bool,
    /// Compare the pictures with those of the same names in this folder, written on another device or at another time.
    #[arg(long, value_name = "FOLDER", requires = "images")]
    against: Option<PathBuf>,
    /// The largest difference of a colour value (of 255) that --against lets pass.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "against")]
    tolerance: u8,
    /// Compare frames and what calls gave back with the recording.
    #[arg(long)]
    verify: bool,
    /// Say how long it takes.
    #[arg(long, conflicts_with_all = ["verify", "images"])]
    bench: bool,
    #[command(flatten)]
    on: On,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Replays a trace.
///
/// # Errors
/// When that cannot even be tried.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.on.device.as_deref() == Some("list") {
        return answer::devices(args.json);
    }
    let Some(trace) = &args.trace else { bail!("no trace was named; try `afterimage replay --help`") };
    // The worker may be asked for a file that is not there or is no trace; saying so is cheaper than starting it.
    let reader = Reader::open(trace, api::COMMANDS)?;
    let request = ReplayRequest {
        until: match (args.frame, args.to) {
            (Some(frame), _) => Until::Frame(frame),
            (None, Some(command)) => Until::Command(command),
            (None, None) => Until::End,
        },
        images: args.images.clone(),
        per_draw: args.per_draw,
        verify: args.verify,
        looks: args.at.iter().map(|at| at.number(&reader)).collect::<anyhow::Result<_>>()?,
        everything: args.no_skip,
        from_start: args.no_checkpoints,
        compare_state: args.compare_state,
        ..ReplayRequest::default()
    };
    if let Some(folder) = &args.images {
        overwrite::refuse_in(folder, args.force, |name| is_picture(name, args, &request))?;
    }
    if args.verify {
        say_what_is_missing(trace, &reader)?;
    }
    let mut line = Line::after(PATIENCE);
    let ended = args.on.replay(trace, request, &mut |progress| {
        let Progress { command, total, frames } = progress;
        line.show(|| {
            format!("{} %: command {command} of {total}, {}", command * 100 / total.max(1), plural(frames, "frame"))
        });
    });
    line.clear();
    answer::give(args, trace, &reader, &ended)
}

/// Returns whether a picture of this name may be one that the run writes.
fn is_picture(name: &str, args: &Args, request: &ReplayRequest) -> bool {
    let Some(name) = name.strip_suffix(".png") else { return false };
    let number = |part: &str| part.parse::<u64>().ok();
    if let Some(rest) = name.strip_prefix("command-") {
        let command = rest.split('-').next().and_then(number);
        return command.is_some_and(|command| request.looks.contains(&command));
    }
    if !request.looks.is_empty() {
        return false;
    }
    match (args.per_draw, args.frame) {
        (true, _) => name.strip_prefix("draw-").and_then(number).is_some(),
        (false, only) => {
            let frame = name.strip_prefix("frame-").and_then(number);
            frame.is_some_and(|frame| only.is_none_or(|only| only == frame))
        }
    }
}

/// Says what of a trace cannot be compared, before it is replayed for that.
fn say_what_is_missing(trace: &Path, reader: &Reader) -> anyhow::Result<()> {
    let recorded: BTreeSet<&str> = reader.signatures().map(|signature| &*signature.name).collect();
    let all = (0..api::COMMANDS.len()).filter_map(|at| Some(api::CommandId(u16::try_from(at).ok()?)));
    let is_there = |id: &api::CommandId| recorded.contains(api::command(*id).name) && replay::is_compared(*id);
    let compared: Vec<api::CommandId> = all.filter(is_there).collect();
    if compared.is_empty() && reader.is_complete() {
        bail!("{} has no hashes of frames and no readbacks to compare; record it with --hash-frames", trace.display());
    }
    if !compared.contains(&api::id::afiImage) {
        let errors_only = compared.iter().all(|id| *id == api::id::glGetError);
        let what = if errors_only { "results of glGetError are" } else { "what calls returned is" };
        complain(&format!(
            "the trace has no hashes of frames, so only {what} compared; record --hash-frames keeps them"
        ));
    }
    Ok(())
}
