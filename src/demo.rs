//! `afterimage demo`: a scene with a broken pixel, from recording it to the line that broke it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use host::Host;
use recall::{Birth, Origin, Poison, Recall, Wrong};
use session::Choice;

use crate::cli::{Color, Outcome};
use crate::debug::{self, Guide};
use crate::history::poison;
use crate::progress::{Line, PATIENCE};
use crate::replay::On;

/// The program that is recorded. It is built with the others of this repository.
const SCENE: &str = "deferred";
const FRAMES: &str = "8";

const HELP: &str = "\
A small deferred renderer is recorded as it is; its pictures have a hole in the middle. The first NaN of the last frame is
found, and the debugger opens at the line that made it, with the history of the pixel beside it. Without a terminal, or with
--text, the same story is printed.

The scene is a program of its own: `cargo build --workspace` builds it, and the capture library, beside this program.

Exit status: 0 done, 2 the request could not be served.";

/// Record the bundled scene, find its broken pixel and open the debugger there.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Where to keep the trace; otherwise in the folder for temporary files.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tell the story as text, on a terminal too.
    #[arg(long)]
    text: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
    #[command(flatten)]
    on: On,
}

/// Shows it.
///
/// # Errors
/// When something is missing, in one sentence that says what.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let screen = !args.text && std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let program = std::env::current_exe().context("this program cannot be found")?;
    let trace = match &args.output {
        Some(path) => path.clone(),
        None => std::env::temp_dir().join(format!("afterimage-demo-{}.aftr", std::process::id())),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "Recording {FRAMES} frames of a small deferred renderer, as it is …")?;
    out.flush()?;
    record(&program, &trace)?;
    writeln!(out, "Looking for the first NaN of the last frame …")?;
    out.flush()?;
    let (frame, found, story) = look(args, &trace)?;
    let Some(birth) = &found.first else { bail!("the scene drew no NaN on this device, so there is nothing to show") };
    let guide = guide(frame, birth);
    if !screen {
        writeln!(out, "\n{story}\nThe line that made it, in the debugger:\n")?;
        drop(out);
        debug::tell(&trace, &args.on, &guide)?;
        let mut out = std::io::stdout().lock();
        let [x, y] = birth.at;
        writeln!(out, "\nGo on from here: afterimage debug {} --pixel {x},{y} --at {}", trace.display(), birth.call)?;
        return Ok(Outcome::Done);
    }
    drop(out);
    debug::show(&trace, &args.on, &guide, &headline(birth), args.color)?;
    if args.output.is_none() {
        // Whoever wants to keep it says so.
        std::fs::remove_file(&trace).ok();
    }
    Ok(Outcome::Done)
}

/// Records the scene with this very program.
fn record(program: &Path, trace: &Path) -> anyhow::Result<()> {
    let folder = program.parent().context("this program has no folder")?;
    let places = [folder.join(SCENE), folder.join("../lib/afterimage").join(SCENE)];
    let Some(scene) = places.iter().find(|place| place.is_file()) else {
        bail!("the demo's program `{SCENE}` is not in {}; build it with `cargo build --workspace`", folder.display());
    };
    let mut command = Command::new(program);
    command.args(["record", "--quiet", "--force", "--output"]).arg(trace).arg("--").arg(scene);
    let recorded =
        command.args(["--frames", FRAMES]).stdin(Stdio::null()).output().context("the recorder cannot be started")?;
    let said = String::from_utf8_lossy(&recorded.stderr);
    ensure!(recorded.status.success(), "the scene could not be recorded: {}", said.trim());
    Ok(())
}

fn look(args: &Args, trace: &Path) -> anyhow::Result<(usize, Poison, String)> {
    let mut inquiry = Host::new().inquiry(&args.on.options(trace))?;
    let reader = inquiry.reader();
    let frame = reader.frame_of(reader.presents().last().copied().context("the scene showed no frame")?);
    let calls = reader.frame(frame).context("the scene showed no frame")?;
    let mut line = Line::after(PATIENCE);
    let mut recall = Recall::new(&mut inquiry, &mut |_| {})?;
    let found = recall.poison(calls, Wrong::NotANumber, &mut |done, all| {
        line.show(|| format!("{done} of {all} draws looked at"));
    });
    line.clear();
    let found = found?;
    let reader = recall.inquiry().reader();
    let names = |call| reader.call_at(call).map_or(String::new(), |held| held.call().name().to_owned());
    let story = poison::text(&found, frame, Wrong::NotANumber, &names);
    Ok((frame, found, story))
}

/// Where the debugger is to stand: in the invocation and the line that made the number.
fn guide(frame: usize, birth: &Birth) -> Guide {
    let [x, y] = birth.at;
    let fragment =
        Choice::Fragment { command: birth.call, x, y, primitive: birth.primitive, sample: None, layer: None };
    let (choice, line) = match &birth.origin {
        Origin::Computed { line, .. } => (fragment, Some(*line)),
        Origin::Texel { line, .. } => (fragment, *line),
        Origin::Vertex { vertex: [vertex, instance], from, .. } => {
            let line = if let Origin::Computed { line, .. } = &**from { Some(*line) } else { None };
            (Choice::Vertex { command: birth.call, vertex: *vertex, instance: Some(*instance) }, line)
        }
        Origin::Input { .. } | Origin::Unknown(_) => (fragment, None),
    };
    Guide { choice, line, history: Choice::Pixel { frame: Some(frame), x, y } }
}

/// In one line what happened.
fn headline(birth: &Birth) -> String {
    let [x, y] = birth.at;
    let made = match &birth.origin {
        Origin::Vertex { vertex: [vertex, _], output, from, .. } => {
            let why =
                if let Origin::Computed { message, .. } = &**from { format!(": {message}") } else { String::new() };
            format!("vertex {vertex} gives it out in {output}{why}")
        }
        Origin::Computed { text, message, .. } => format!("`{text}`: {message}"),
        Origin::Input { name, .. } => format!("it comes in as {name}"),
        Origin::Texel { image, .. } => format!("it was read from {image}"),
        Origin::Unknown(why) => why.clone(),
    };
    format!("The first NaN of the frame is born at pixel {x},{y}, in command {}.\n{made}.\n", birth.call)
}
