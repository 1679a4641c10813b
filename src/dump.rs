//! `afterimage dump`: the commands of a trace as text.

pub mod line;
mod select;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use chronicle::Annotations;
use trace::{Call, ReadError, Reader};

use crate::cli::{Color, Outcome, complain};
use crate::out;
use line::Style;
pub use select::Range;
use select::{Names, Threads};

const HELP: &str = "\
Examples:
  afterimage dump gears.aftr                        all commands
  afterimage dump gears.aftr --range 100..120       commands 100 to 119
  afterimage dump gears.aftr --frame 3              one frame
  afterimage dump gears.aftr --name 'glTex*' --name glBindTexture
  afterimage dump gears.aftr --context 2 --thread 1
  afterimage dump gears.aftr --range 57 --full      one command with all of its text and arrays
  afterimage dump gears.aftr --blob 4 > vertices    the bytes that a command calls blob 4

Calls that capture made, so that the trace stands on its own, are marked `by capture`. Names that begin with afi are notes of
capture and no calls of GL: afiPresent ends a frame, afiSwap is a present that ends none, afiImage holds a hash of a picture to
compare with (docs/trace-format.md lists all). --program-only leaves both out.

Exit status: 0 done, 1 no command is as asked for, 2 the file could not be read.";

/// Print the commands of a trace.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    file: PathBuf,
    /// Print only these commands: A..B from A up to but not B, A..=B, A.., ..B, or just one number.
    #[arg(long, value_name = "A..B")]
    range: Option<Range>,
    /// Print only this frame, counted from 0.
    #[arg(long, value_name = "N", conflicts_with = "range")]
    frame: Option<usize>,
    /// Print only calls of this thread.
    #[arg(long, value_name = "N")]
    thread: Option<u32>,
    /// Print only calls made while this context is current; 0 for none.
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// Print only commands of this name; * stands for anything. May be given several times.
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Leave out calls that capture inserted.
    #[arg(long)]
    program_only: bool,
    /// Print texts and arrays in full.
    #[arg(long)]
    full: bool,
    /// Write the bytes of a blob to stdout instead.
    #[arg(long, value_name = "N", conflicts_with_all = ["range", "frame", "json"])]
    blob: Option<u32>,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

/// Prints what is asked for.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let reader = Reader::open(&args.file, api::COMMANDS)?;
    if let Some(blob) = args.blob {
        let mut out = out::raw();
        out.write_all(&reader.blob(blob)?)?;
        out.flush()?;
        return Ok(Outcome::Done);
    }
    let range = match (args.range, args.frame) {
        (Some(range), _) => {
            let within = range.within(reader.len());
            if within.is_empty() {
                bail!(
                    "the trace has no such commands: they are numbered from 0 to {}",
                    reader.len().checked_sub(1).context("the trace has no commands")?
                );
            }
            within
        }
        (None, Some(frame)) => match reader.frame(frame) {
            Some(range) => range,
            None => bail!("{}", trace::no_such_frame(frame as u64, reader.frame_count() as u64)),
        },
        (None, None) => 0..reader.len(),
    };
    let names = Names::new(&args.names);
    let style = Style {
        color: args.color.on_stdout(),
        full: args.full,
        threads: reader_has_threads(&reader)?,
        json: args.json,
        annotations: Annotations::read(&reader)?,
    };
    let mut out: Box<dyn Write> = if args.json { Box::new(out::raw()) } else { Box::new(out::text()) };
    let mut threads = Threads::default();
    let mut printed = 0u64;
    if args.json {
        out.write_all(b"{\n  \"commands\": [")?;
    }
    let mut calls = reader.calls();
    // What a thread's context is can only be known by those who have followed it.
    let followed = args.context.is_some() || args.json;
    calls.seek(if followed { 0 } else { range.start });
    loop {
        let call = match calls.next() {
            Ok(Some(call)) => call,
            Ok(None) => break,
            Err(error @ ReadError::Lost { .. }) => {
                line::lost(&mut out, &error, &range, &style, &mut printed)?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if call.number >= range.end {
            break;
        }
        threads.follow(&call);
        let wanted = range.contains(&call.number)
            && args.thread.is_none_or(|thread| call.thread == thread)
            && args.context.is_none_or(|context| threads.context(call.thread) == context)
            && !(args.program_only && is_by_capture(&call))
            && names.has(call.name());
        if wanted {
            let place =
                line::CommandContext { frame: reader.frame_of(call.number), context: threads.context(call.thread) };
            line::print(&mut out, &reader, &call, place, &style, printed == 0)?;
            printed += 1;
        }
    }
    if args.json {
        out.write_all(b"\n  ]\n}\n")?;
    }
    out.flush().context("cannot print")?;
    if printed > 0 {
        return Ok(Outcome::Done);
    }
    // Without a word, an empty answer looks like a fault.
    complain(&match &args.names[..] {
        [] => "no command is as asked for".to_owned(),
        names => format!("no such command is named {}", names.join(" or ")),
    });
    Ok(Outcome::No)
}

/// Whether the program did not make this call itself.
fn is_by_capture(call: &Call<'_>) -> bool {
    call.by_capture || call.signature.is_of_capture()
}

/// Whether several threads make calls: looks at the beginning, where programs start theirs, and at the end.
fn reader_has_threads(reader: &Reader) -> anyhow::Result<bool> {
    let mut calls = reader.calls();
    for start in [0, reader.len().saturating_sub(1000)] {
        calls.seek(start);
        for _ in 0..1000 {
            match calls.next() {
                Ok(Some(call)) if call.thread > 0 => return Ok(true),
                Ok(Some(_)) | Err(ReadError::Lost { .. }) => {}
                Ok(None) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(false)
}
