//! `afterimage demo`: a scene with a broken pixel, from recording it to the line that broke it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use host::PrivateFolder;
use session::{Choice, NanBirth, NanOrigin, NanRequest, NanSearch, Nonfinite, Session};

use crate::cli::{Color, Outcome};
use crate::debug::{self, Guide};
use crate::embedded::{self, Unpacked};
use crate::history::nan;
use crate::progress::asked;
use crate::replay::On;

/// The program that is recorded. It is built with the others of this repository.
const SCENE: &str = "deferred";
const FRAMES: &str = "8";

const HELP: &str = "\
A small deferred renderer is recorded as it is; its pictures have a hole in the middle. The first NaN of the last frame is
found, and after Enter the debugger opens at the line that made it, with the history of the pixel beside it. Without a
terminal, or with --text, the same story is printed.

Exit status: 0 done, 2 the request could not be served.";

/// Record the bundled scene, find its broken pixel and open the debugger there.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Keep the trace in this file; without it, the trace is temporary.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print text, also on a terminal.
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
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let screen = !args.text && terminal && debug::can_draw();
    let program = std::env::current_exe().context("this program cannot be found")?;
    // Without --output the trace is temporary.
    let mut temporary = None;
    let trace = match &args.output {
        Some(path) => path.clone(),
        None => {
            let folder =
                PrivateFolder::new().context("a temporary folder cannot be made; choose a file with --output")?;
            temporary.insert(folder).path().join("demo.aftr")
        }
    };
    let mut out = crate::out::text();
    writeln!(out, "Recording {FRAMES} frames of a small deferred renderer, as it is …")?;
    out.flush()?;
    record(&program, &trace)?;
    writeln!(out, "Looking for the first NaN of the last frame …")?;
    out.flush()?;
    let mut session = args.on.session(&trace)?;
    let found = search(&mut session)?;
    let Some(birth) = &found.first else { bail!("the scene drew no NaN on this device, so there is nothing to show") };
    let guide = guide(found.frame, birth);
    if !screen {
        let story = nan::text(&found, Nonfinite::Nan, &|command| session.call_title(command));
        writeln!(out, "\n{story}\nThe line that made it, in the debugger:\n")?;
        drop(out);
        debug::tell(session, &trace, &guide)?;
        let mut out = crate::out::text();
        // The user may go on with the trace.
        let _kept = temporary.map(PrivateFolder::keep);
        let ([x, y], command) = (birth.pixel, birth.command);
        writeln!(
            out,
            "\nGo on from here: {} debug {} --pixel {x},{y} --at {command}",
            crate::out::own_name(),
            crate::out::shell_quoted(&trace)
        )?;
        return Ok(Outcome::Done);
    }
    let headline = headline(birth);
    writeln!(out, "\n{headline}\nPress Enter to open the debugger there; it covers this text, and q leaves it.")?;
    out.flush()?;
    drop(out);
    std::io::stdin().read_line(&mut String::new()).context("the terminal cannot be read")?;
    debug::show(session, &trace, &guide, &headline, args.color)?;
    if temporary.is_some() {
        writeln!(
            crate::out::text(),
            "`{} demo --output pearl.aftr` keeps the trace, so that you can go on with it.",
            crate::out::own_name()
        )?;
    }
    Ok(Outcome::Done)
}

/// Records the scene with this very program.
fn record(program: &Path, trace: &Path) -> anyhow::Result<()> {
    let scene = scene(program)?;
    let mut command = Command::new(program);
    command.args(["record", "--quiet", "--force", "--output"]).arg(trace).arg("--").arg(&scene.path);
    let recorded =
        command.args(["--frames", FRAMES]).stdin(Stdio::null()).output().context("the recorder cannot be started")?;
    let said = String::from_utf8_lossy(&recorded.stderr);
    ensure!(recorded.status.success(), "the scene could not be recorded: {}", said.trim());
    Ok(())
}

/// Finds the scene beside this program, where an installation puts it, or in this program.
fn scene(program: &Path) -> anyhow::Result<Unpacked> {
    let folder = program.parent().context("this program has no folder")?;
    let places = [folder.join(SCENE), folder.join("../lib/afterimage").join(SCENE)];
    if let Some(place) = places.into_iter().find(|place| place.is_file()) {
        return Ok(Unpacked::found(place));
    }
    match embedded::SCENE.unpack().context("the scene cannot be unpacked")? {
        Some(unpacked) => Ok(unpacked),
        None => {
            bail!(
                "the demo's program `{SCENE}` is not in {}; build it with `cargo build --package demos`",
                folder.display()
            )
        }
    }
}

/// Finds the first NaN of the last frame that was shown.
fn search(session: &mut Session) -> anyhow::Result<NanSearch> {
    ensure!(!session.trace().reader().presents().is_empty(), "the scene showed no frame");
    let request = NanRequest { frame: None, numbers: Nonfinite::Nan, maps: None };
    Ok(asked(session, |session| session.find_nan(&request))?)
}

/// Where the debugger is to stand: in the invocation and the line that made the number.
fn guide(frame: usize, birth: &NanBirth) -> Guide {
    let ([x, y], command) = (birth.pixel, birth.command);
    let fragment = Choice::Fragment { command, x, y, primitive: birth.primitive, sample: None, layer: None };
    let (choice, line) = match &birth.origin {
        NanOrigin::Computed { line, .. } => (fragment, Some(*line)),
        NanOrigin::Texel { line, .. } => (fragment, *line),
        NanOrigin::Vertex { vertex, instance, from, .. } => {
            let line = if let NanOrigin::Computed { line, .. } = &**from { Some(*line) } else { None };
            (Choice::Vertex { command, vertex: *vertex, instance: Some(*instance) }, line)
        }
        NanOrigin::Input { .. } | NanOrigin::Unknown { .. } => (fragment, None),
    };
    Guide { choice, line, history: Choice::Pixel { frame: Some(frame), x, y } }
}

/// In one line what happened.
fn headline(birth: &NanBirth) -> String {
    let [x, y] = birth.pixel;
    let made = match &birth.origin {
        NanOrigin::Vertex { vertex, output, from, .. } => {
            let why =
                if let NanOrigin::Computed { message, .. } = &**from { format!(": {message}") } else { String::new() };
            format!("vertex {vertex} gives it out in {output}{why}")
        }
        NanOrigin::Computed { text, message, .. } => format!("`{text}`: {message}"),
        NanOrigin::Input { name, .. } => format!("it comes in as {name}"),
        NanOrigin::Texel { image, .. } => format!("it was read from {image}"),
        NanOrigin::Unknown { why } => why.clone(),
    };
    format!("The first NaN of the frame is born at pixel {x},{y}, in command {}.\n{made}.\n", birth.command)
}
