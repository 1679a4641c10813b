//! `afterimage record`: a program, recorded.

mod library;
mod part;
mod report;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc;

use anyhow::{Context, bail};
use clap::ValueHint;
use recorder::{Destination, Finished, Options, Recorder};
use ring::handshake::{Listener, SOCKET};

use crate::cli::{Outcome, complain};
use crate::overwrite;
use crate::replay::{Confinement, On};
use crate::trim::Frames;
use report::Reporter;
use watch::{Signals, exit_code};

const HELP: &str = "\
Examples:
  afterimage record -- glxgears                     writes glxgears.aftr
  afterimage record -o menu.aftr --hash-frames -- ./game --windowed
  afterimage record --frames 300..305 -- ./game     keeps five frames, and what they need from before
  LD_PRELOAD=/path/to/libafterimage_capture.so AFTERIMAGE_OUT=menu.aftr ./launcher
                                                    for launchers that cannot be wrapped

With --frames the program runs on after the last of these frames, until it ends or Ctrl-C ends it; a line on stderr says
when the frames are recorded. The program is recorded from its start, so it is as slow as without, and all of the recording needs room on
the disk until the program has ended; then it is trimmed, as by `afterimage trim`, and what is left is the frames and what
they need.

Each process that makes calls gets a trace of its own: menu.aftr, then menu.2.aftr, and so on. The program's input, output
and exit status are its own. While it runs, this command writes to stderr only if something goes wrong; when it has ended,
a summary goes to stderr, and --json adds one line at the end of stdout.

The first trace is created before the program is started. If the disk is full later, recording stops, the program keeps
running, and what was written can be read. A trace may go to a pipe; the program is started when the pipe has a reader.

Environment: AFTERIMAGE_CAPTURE names the capture library, if it is not beside this program. With LD_PRELOAD,
AFTERIMAGE_HASH_FRAMES=1, AFTERIMAGE_REDACT=1 and AFTERIMAGE_KEEP_BINARIES=1 stand for the options.

Exit status: the program's, or 128 plus the signal that ended it. 2 when the program was not started, or when it ended with
0 and nothing was recorded, or not everything.";

/// Record an OpenGL program.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace; without this option it is named after the program.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a trace that is already there.
    #[arg(long)]
    force: bool,
    /// Keep a hash of every presented frame, so that `afterimage replay --verify` can compare.
    #[arg(long)]
    hash_frames: bool,
    /// Leave out the contents of buffers and textures, labels and the command line; docs/privacy.md says what remains.
    #[arg(long, conflicts_with = "hash_frames")]
    redact: bool,
    /// Let the program save and load binaries of its shaders. A program that loads them records no texts, and its shaders
    /// cannot be shown or debugged; by default it is told that the driver has no formats for binaries.
    #[arg(long)]
    keep_binaries: bool,
    /// Keep only these frames, counted from 0: A..B from A up to but not B, A..=B, or just one number. Everything is
    /// recorded to a file beside the trace, and trimmed when the program has ended or Ctrl-C ended it.
    #[arg(long, value_name = "A..B")]
    frames: Option<Frames>,
    #[command(flatten)]
    confinement: Confinement,
    /// Print what was recorded as JSON, in one line.
    #[arg(long)]
    json: bool,
    /// Say nothing unless something is wrong.
    #[arg(short, long)]
    quiet: bool,
    /// Serve programs that come to this inherited socket; used by the capture library.
    #[arg(long, value_name = "FD", hide = true, conflicts_with_all = ["program", "json"])]
    serve: Option<i32>,
    /// The program and its arguments.
    #[arg(value_name = "PROGRAM", trailing_var_arg = true, required_unless_present = "serve", value_hint = ValueHint::CommandWithArguments)]
    program: Vec<OsString>,
}

/// Records.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(socket) = args.serve {
        return serve(args, socket);
    }
    let Some((program, arguments)) = args.program.split_first() else { bail!("there is no program to record") };
    let output = choose_output(args, Path::new(program))?;
    let library = library::find()?;
    let listener = Listener::open().context("a socket for the program cannot be made")?;

    // Before any thread is started, so that signals come to this one only.
    let mut signals = Signals::take().context("signals cannot be received")?;
    let mut command = Command::new(program);
    command.args(arguments).env("LD_PRELOAD", library::preload(&library.path, std::env::var_os("LD_PRELOAD"))?);
    command.env(SOCKET.to_string_lossy().as_ref(), listener.name()).env_remove("AFTERIMAGE_OUT");

    let replace = args.force || overwrite::is_device(&output);
    let output = if args.frames.is_some() { part::whole(&output)? } else { output };
    let destination = open(&output, replace, &mut signals, args.quiet)?;
    let (events, told) = mpsc::channel();
    let options = Options { hash_frames: args.hash_frames, redact: args.redact, keep_binaries: args.keep_binaries };
    let recorder = Recorder::start(listener, destination, options, events)?;
    let mut child = match signals.spawn(&mut command) {
        Ok(child) => child,
        Err(error) => {
            recorder.finish();
            bail!("{} cannot be started: {error}", program.display());
        }
    };
    let mut reporter = Reporter::new(args.quiet, args.hash_frames, told);
    reporter.await_frames(args.frames);
    let status = await_program(&mut child, &recorder, &mut signals, &mut reporter)?;
    let attached = recorder.progress().attached > 0;
    let Finished { mut recordings, incomplete } = recorder.finish();
    // What follows may take long, and a signal may end it.
    drop(signals);
    let mut trimmed = Ok(());
    if let Some(frames) = args.frames {
        reporter.tell();
        let on = On { confinement: args.confinement, ..On::default() };
        trimmed = part::keep(frames, &mut recordings, &on, args.quiet);
    }
    reporter.conclude(&recordings, attached, program);
    if args.json {
        report::json(&recordings, status)?;
    }
    trimmed?;
    let code = exit_code(status);
    let is_whole = !incomplete && !recordings.is_empty();
    Ok(if code == 0 && !is_whole { Outcome::Unserved } else { Outcome::Program(code) })
}

/// Creates the first trace. If it goes to a pipe, waits for the reader of the pipe.
fn open(output: &Path, replace: bool, signals: &mut Signals, quiet: bool) -> anyhow::Result<Destination> {
    let mut waits = false;
    let mut failed = None;
    let destination = Destination::open(output, replace, &mut || {
        if !quiet && !std::mem::replace(&mut waits, true) {
            complain(&format!("waiting for a program that reads the pipe {}", output.display()));
        }
        match signals.wait() {
            Ok(()) => !signals.asked_to_end(),
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    match failed {
        Some(error) => Err(error).context("signals cannot be received"),
        None => Ok(destination?),
    }
}

/// Waits for the program, and for others that it started and that are being recorded.
fn await_program(
    child: &mut Child,
    recorder: &Recorder,
    signals: &mut Signals,
    reporter: &mut Reporter,
) -> anyhow::Result<ExitStatus> {
    let mut ended = None;
    loop {
        if ended.is_none() {
            ended = child.try_wait().context("the program cannot be waited for")?;
        }
        reporter.tell();
        if ended.is_none() {
            reporter.tell_frames(recorder.progress().frames);
        }
        if signals.asked_to_end() {
            recorder.hurry();
        }
        if let Some(status) = ended
            && (recorder.progress().active == 0 || signals.asked_to_end())
        {
            return Ok(status);
        }
        signals.pass_on(child, ended.is_none())?;
    }
}

/// Records for a program that was started without this command; ends when no process is left.
fn serve(args: &Args, socket: i32) -> anyhow::Result<Outcome> {
    let Some(output) = &args.output else { bail!("--serve needs --output") };
    let listener = Listener::inherit(socket).context("the inherited socket cannot be used")?;
    let wants = |name| std::env::var_os(name).is_some_and(|value| value == "1");
    let redact = wants("AFTERIMAGE_REDACT");
    let keep_binaries = wants("AFTERIMAGE_KEEP_BINARIES");
    let options = Options { hash_frames: wants("AFTERIMAGE_HASH_FRAMES") && !redact, redact, keep_binaries };
    watch::survive_size_limit().context("signals cannot be blocked")?;
    let destination = Destination::open(&free_name(output), args.force, &mut || false)?;
    let (events, told) = mpsc::channel();
    let recorder = Recorder::start(listener, destination, options, events)?;
    let mut reporter = Reporter::new(true, options.hash_frames, told);
    let mut idle = 0;
    // The program that started this knows the socket's name and connects at once; a second without a connection ends this.
    while idle < 10 {
        std::thread::sleep(std::time::Duration::from_millis(if recorder.busy() { 50 } else { 100 }));
        idle = if recorder.busy() { 0 } else { idle + 1 };
        if recorder.progress().attached > 0 && !recorder.busy() {
            break;
        }
        reporter.tell();
    }
    let Finished { recordings, incomplete } = recorder.finish();
    reporter.conclude(&recordings, true, "the program".as_ref());
    Ok(if incomplete { Outcome::Unserved } else { Outcome::Done })
}

/// Where to record to: what was asked for, or a free name made of the program's.
fn choose_output(args: &Args, program: &Path) -> anyhow::Result<PathBuf> {
    match &args.output {
        Some(output) => {
            overwrite::refuse(output, args.force)?;
            if let Some(parent) = output.parent()
                && !parent.as_os_str().is_empty()
                && !parent.is_dir()
            {
                bail!("there is no directory {}", parent.display());
            }
            Ok(output.clone())
        }
        None => {
            let stem = program.file_stem().unwrap_or("program".as_ref()).to_string_lossy();
            let output = PathBuf::from(format!("{stem}.aftr"));
            Ok(if args.force { output } else { free_name(&output) })
        }
    }
}

/// Returns the name itself, or with the first number that makes it the name of no file.
fn free_name(output: &Path) -> PathBuf {
    if !output.exists() {
        return output.to_owned();
    }
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let extension = output.extension().unwrap_or("aftr".as_ref()).to_string_lossy();
    (2_u32..)
        .map(|number| output.with_file_name(format!("{stem}-{number}.{extension}")))
        .find(|name| !name.exists())
        .unwrap_or_else(|| output.to_owned())
}
