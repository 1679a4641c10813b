//! How a trace is cut.

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use api::{Namespace, constant as c, id};
use chronicle::trim::{DriverContents, Left, Setup, setup};
use device::report::ContentsRequest;
use device::{ReplayRequest, Report, Until};
use trace::{Call, Origin, PrivateFolder, ReadError, Reader, WriteError, Writer};

use super::before;
use super::strip::Copier;
use super::verify::{self, Verified};
use crate::amount::plural;
use crate::progress::Progress;
use crate::replay::{On, mention_truncation};

/// The file of a temporary folder that contents are read back to.
const CONTENTS: &str = "contents.aftr";

/// Problems that are listed.
const MOST_PROBLEMS: usize = 1000;

/// Frames, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frames {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// What became of a trace.
pub struct Cut {
    /// The new one.
    pub output: PathBuf,
    /// Its frames.
    pub frames: Frames,
    /// Whether contents, labels and the command line were left out.
    pub stripped: bool,
    /// How many frames the whole trace has.
    pub frames_before: u64,
    /// Calls of these frames.
    pub kept: u64,
    /// Calls that the new trace has before them: those from before that are needed, and those that restore contents.
    pub setup: u64,
    /// All calls from before them.
    pub before: u64,
    /// The size of the new trace.
    pub bytes: u64,
    /// The size of the whole trace.
    pub whole_bytes: u64,
    /// How much of the new trace is contents that were read back.
    pub contents_bytes: u64,
    /// These contents.
    pub items: Vec<Item>,
    /// Contents that would have had to be read back, had the frames looked at them, and why they do not.
    pub left_out: Vec<(String, Left)>,
    /// Commands of the frames of which it is not known what they look at, so that no contents were left out.
    pub blind: Vec<&'static str>,
    /// What is worth knowing, though nothing is wrong.
    pub notes: Vec<String>,
    /// Commands of which nothing is known, and how often they came.
    pub unknown: Vec<(&'static str, u64)>,
    /// Whether all calls before the frames were kept, because contents would take more room.
    pub all_calls: bool,
    /// How the frames compare with those of the whole trace; nothing if they were not compared.
    pub verified: Option<Verified>,
    /// What could not be done.
    pub problems: Vec<String>,
}

/// Contents that were read back.
pub struct Item {
    /// Of what.
    pub what: String,
    /// Their size before they are packed.
    pub bytes: u64,
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Frames, String> {
        let wrong = || "give frames, counted from 0: 900, 900..910 (up to 909) or 900..=910".to_owned();
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let (first, last) = match text.split_once("..") {
            None => (number(text)?, number(text)?),
            Some((first, last)) => match last.strip_prefix('=') {
                Some(last) => (number(first)?, number(last)?),
                None => (number(first)?, number(last)?.checked_sub(1).ok_or_else(wrong)?),
            },
        };
        if first <= last { Ok(Frames { first, last }) } else { Err(format!("there are no frames in {text}")) }
    }
}

impl Frames {
    /// Returns the frames as part of the name of a file.
    pub fn file_name_part(&self) -> String {
        let Frames { first, last } = self;
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}..={}", self.first, self.last) }
    }
}

/// How a trace is cut.
#[derive(Clone, Copy)]
pub struct Manner {
    /// The frames to keep; `None` for all.
    pub frames: Option<Frames>,
    /// Leave out contents, labels and the command line.
    pub strip: bool,
    /// Compare the new trace with the old one.
    pub verify: bool,
}

/// Cuts frames out of a trace, or all of it, and strips it if asked to.
///
/// # Errors
/// When the trace has no such frames, or the new one cannot be written.
pub fn cut(trace: &Path, manner: Manner, output: &Path, on: &On) -> anyhow::Result<Cut> {
    let Manner { frames, strip, verify } = manner;
    let reader = Reader::open(trace, api::COMMANDS)?;
    mention_truncation(trace, &reader);
    // All of a trace has the calls after its last frame, too.
    let kept = frames.map_or_else(|| Ok(0..reader.len()), |frames| calls_of(&reader, frames))?;
    let frames = frames.unwrap_or(Frames { first: 0, last: (reader.frame_count() as u64).saturating_sub(1) });
    let mut progress = Progress::new(kept.start, "commands looked at");
    let setup = setup(&reader, &kept, &mut |number| progress.step(number));
    progress.clear();
    let setup = setup?;
    let mut problems = setup.problems.clone();
    // A trace of zeros looks different from what was recorded.
    let hashed = (verify && !strip).then_some([frames.first, frames.last]);
    let mut whole = None;
    let contents = if setup.contents.is_empty() {
        None
    } else {
        // Beside the new trace, which is where there is room.
        let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = PrivateFolder::within(parent)
            .with_context(|| format!("a temporary folder cannot be made in {}", parent.display()))?;
        let report = replay(trace, &kept, Some(&folder.path().join(CONTENTS)), hashed, on)?;
        problems.extend(report.problems.iter().map(|problem| problem.text.clone()));
        whole = Some(report);
        Some(folder)
    };
    let file = contents.as_ref().map(|folder| folder.path().join(CONTENTS));
    let Written { mut items, mut calls, mut bytes, mut contents_bytes } =
        write(&reader, &kept, &setup, file.as_deref(), strip, output, &mut problems)?;
    let (mut left_out, mut all_calls) = (setup.left_out.clone(), false);
    if contents.is_some() {
        let mut own = Vec::new();
        if let Some((smaller, missing)) = before::write(&reader, &kept, strip, (output, bytes), &mut own)? {
            (calls, bytes, contents_bytes, all_calls) = (smaller.calls, smaller.bytes, 0, true);
            (items, left_out, problems) = (Vec::new(), Vec::new(), own);
            problems.extend(unknown_calls(missing));
        }
    }
    let verified = match hashed {
        None => None,
        Some(_) => {
            let whole = match whole {
                Some(report) => report,
                None => replay(trace, &kept, None, hashed, on)?,
            };
            Some(verify::verify(output, frames, &whole, on, &mut problems)?)
        }
    };
    Ok(Cut {
        output: output.to_owned(),
        frames,
        stripped: strip,
        frames_before: reader.frame_count() as u64,
        kept: kept.end - kept.start,
        setup: calls.saturating_sub(kept.end - kept.start),
        before: kept.start,
        bytes,
        whole_bytes: reader.bytes_on_disk(),
        contents_bytes,
        items,
        left_out: left_out.iter().map(|(wanted, why)| (name(wanted), *why)).collect(),
        all_calls,
        verified,
        blind: setup.blind.iter().map(|id| api::command(*id).name).collect(),
        notes: setup.notes,
        unknown: setup.unknown.iter().map(|(id, times)| (api::command(*id).name, *times)).collect(),
        problems,
    })
}

fn calls_of(reader: &Reader, frames: Frames) -> anyhow::Result<Range<u64>> {
    let count = reader.frame_count() as u64;
    let at = |frame: u64| usize::try_from(frame).ok().and_then(|frame| reader.frame(frame));
    match (at(frames.first), at(frames.last)) {
        (Some(first), Some(last)) => Ok(first.start..last.end),
        (None, _) => bail!("{}", trace::no_such_frame(frames.first, count)),
        _ => bail!("{}", trace::no_such_frame(frames.last, count)),
    }
}

/// Executes the earlier calls in a worker that writes contents to a file, and the frames if they are hashed.
fn replay(
    trace: &Path,
    kept: &Range<u64>,
    contents: Option<&Path>,
    hashes: Option<[u64; 2]>,
    on: &On,
) -> anyhow::Result<Report> {
    let end = if hashes.is_some() { kept.end } else { kept.start };
    let request = ReplayRequest {
        until: Until::Command(end.saturating_sub(1)),
        contents: contents.map(|file| ContentsRequest { kept: kept.clone(), to: file.to_owned() }),
        hashes,
        ..ReplayRequest::default()
    };
    let mut progress = Progress::new(end, "commands replayed");
    let report = on.replay(trace, request, &mut |now| progress.step(now.command));
    progress.clear();
    report.context(if contents.is_some() { "contents cannot be read back" } else { "the trace cannot be replayed" })
}

/// Says that calls were left out, if any were.
fn unknown_calls(missing: u64) -> Option<String> {
    (missing > 0).then(|| format!("{} of commands that this build does not know: left out", plural(missing, "call")))
}

/// A new trace.
struct Written {
    /// The contents that it has.
    items: Vec<Item>,
    /// How many calls it has.
    calls: u64,
    /// Its size.
    bytes: u64,
    /// How much of that is contents.
    contents_bytes: u64,
}

/// Writes the new trace.
fn write(
    reader: &Reader,
    kept: &Range<u64>,
    setup: &Setup,
    contents: Option<&Path>,
    strip: bool,
    output: &Path,
    problems: &mut Vec<String>,
) -> anyhow::Result<Written> {
    let contents = contents.map(|file| Reader::open(file, api::COMMANDS)).transpose()?;
    let mut writer = Copier { writer: Writer::create(output, api::COMMANDS)?, strip };
    let mut missing = copy_setup(&mut writer, reader, setup, problems)?;
    let mut items: Vec<Item> = Vec::new();
    if let Some(contents) = &contents {
        let mut calls = contents.calls();
        while let Some(call) = calls.next()? {
            writer.copy(&call, contents)?;
            let (what, bytes) = item(call.args);
            match items.last_mut().filter(|item| item.what == what) {
                Some(item) => item.bytes += bytes,
                None => items.push(Item { what, bytes }),
            }
        }
    }
    missing += copy_frames(&mut writer, reader, kept, setup, problems)?;
    problems.extend(unknown_calls(missing));
    let (summary, _) = writer.finish()?;
    // What contents cost is what the trace would be smaller by without them.
    let mut rest = summary.bytes;
    if contents.is_some() {
        let writer = Writer::new(std::io::sink(), api::COMMANDS, &Origin::here())?;
        let mut writer = Copier { writer, strip };
        copy_setup(&mut writer, reader, setup, &mut Vec::new())?;
        copy_frames(&mut writer, reader, kept, setup, &mut Vec::new())?;
        rest = writer.finish()?.0.bytes;
    }
    let contents_bytes = summary.bytes.saturating_sub(rest);
    Ok(Written { items, calls: summary.calls, bytes: summary.bytes, contents_bytes })
}

/// Copies the calls that are needed from before. How many are of commands that this build does not know.
fn copy_setup<W: Write>(
    writer: &mut Copier<W>,
    reader: &Reader,
    setup: &Setup,
    problems: &mut Vec<String>,
) -> anyhow::Result<u64> {
    let mut missing = 0;
    let mut calls = reader.calls();
    let mut wanted = setup.calls.iter().copied().peekable();
    while let Some(next) = wanted.peek() {
        match calls.next() {
            Ok(Some(call)) if call.number < *next => {}
            Ok(Some(call)) => {
                wanted.next();
                missing += u64::from(!copy(writer, &call, reader, problems)?);
            }
            Ok(None) => break,
            Err(ReadError::Lost { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(missing)
}

/// Copies the calls of the frames. How many are of commands that this build does not know.
fn copy_frames<W: Write>(
    writer: &mut Copier<W>,
    reader: &Reader,
    kept: &Range<u64>,
    setup: &Setup,
    problems: &mut Vec<String>,
) -> anyhow::Result<u64> {
    // Errors that calls of the setup raise are discarded, where none was pending in the recording.
    for thread in &setup.clean {
        writer.writer.enter(*thread, id::glGetError, true, &[], &[])?;
        writer.writer.abandon(*thread);
    }
    let mut missing = 0;
    let mut calls = reader.calls();
    calls.seek(kept.start);
    let mut setup_end = setup_end(reader, kept);
    loop {
        match calls.next() {
            Ok(Some(call)) if call.number < kept.end => {
                if setup_end.take_if(|first| call.number >= *first).is_some() {
                    writer.writer.end_setup()?;
                }
                missing += u64::from(!copy(writer, &call, reader, problems)?);
            }
            Ok(_) => return Ok(missing),
            Err(error @ ReadError::Lost { .. }) => note(problems, error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns the first call of the first frame, if there are calls before it.
pub(super) fn setup_end(reader: &Reader, kept: &Range<u64>) -> Option<u64> {
    Some(kept.start.max(reader.before_first_frame().end)).filter(|first| *first > 0)
}

/// Copies a call. One whose memory is lost is left out and named. Returns whether this build knows the command.
pub(super) fn copy<W: Write>(
    writer: &mut Copier<W>,
    call: &Call<'_>,
    reader: &Reader,
    problems: &mut Vec<String>,
) -> anyhow::Result<bool> {
    match writer.copy(call, reader) {
        Err(WriteError::Source(error @ (ReadError::LostBlob { .. } | ReadError::NoSuchBlob(_)))) => {
            note(problems, format!("command {}, {}, was left out: {error}", call.number, call.name()));
            Ok(true)
        }
        copied => Ok(copied?),
    }
}

/// Adds a problem, unless there are so many already that more say nothing.
pub(super) fn note(problems: &mut Vec<String>, problem: String) {
    match problems.len() {
        0..MOST_PROBLEMS => problems.push(problem),
        MOST_PROBLEMS => problems.push("there are more problems than these".to_owned()),
        _ => {}
    }
}

/// What contents are of.
fn name(wanted: &DriverContents) -> String {
    match *wanted {
        DriverContents::Object { space, name, .. } => match space {
            Namespace::Buffer => format!("buffer {name}"),
            Namespace::Texture => format!("texture {name}"),
            _ => format!("renderbuffer {name}"),
        },
        DriverContents::Surface { surface, plane, .. } => {
            let plane = match plane {
                c::GL_DEPTH => "depth",
                c::GL_STENCIL => "stencil",
                _ => "colours",
            };
            format!("{plane} of surface {surface}")
        }
    }
}

/// What an `afiContents` is about, and its bytes.
fn item(args: &[u64]) -> (String, u64) {
    let word = |at: usize| args.get(at).copied().unwrap_or(0);
    let name = word(2);
    let what = match word(1) as u32 {
        c::GL_BUFFER => format!("buffer {name}"),
        c::GL_TEXTURE => format!("texture {name} ({}x{}x{})", word(5), word(6), word(7)),
        c::GL_RENDERBUFFER => format!("renderbuffer {name} ({}x{})", word(5), word(6)),
        _ => format!("surface {name} ({}x{})", word(5), word(6)),
    };
    (what, word(10))
}
