//! The worker's end.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use api::Namespace;
use chronicle::trim::Wanted;
use driver::{DeviceChoice, Page};
use instrument::{InspectContext, InspectError};

use super::message::{Answer, Ask, Object, Part, Shape};
use super::wire::{Wire, WireError};
use crate::inspect::{DivertError, Draw};
use crate::player::{Held, Rectangle, Sight};
use crate::timeline::Timeline;
use crate::worker::word;
use crate::{Picture, ReplayError};

/// What is said: an answer, or in words why there is none; and bytes beside it.
type Said = Result<(Answer, Vec<u8>), String>;

/// Answers questions that come through standard input, which is a socket, until nobody asks any more.
///
/// # Errors
/// When standard input is no socket, or something comes through it that is no question.
pub fn serve(trace: &Path, device: &DeviceChoice, page: &Page) -> io::Result<()> {
    let wire = Wire::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let mut line = Line { wire, page, next: None };
    let mut timeline = None;
    while let Some(ask) = line.ask()? {
        let opened = match opened(&mut timeline, trace, device, page) {
            Ok(opened) => opened,
            Err(error) => {
                line.say(Err(error.to_string()))?;
                continue;
            }
        };
        page.store(word::COMMAND, ask.command() + 1);
        match ask {
            Ask::Picture { command, everything } => line.say(picture(opened, command, everything))?,
            Ask::Look { command, sights } => line.say(look(opened, command, &sights))?,
            Ask::Check { command } => line.say(check(opened, command))?,
            ask => {
                // Whoever looks at pixels goes back and forth.
                let looks = matches!(&ask, Ask::Draw { sights, .. } if !sights.is_empty());
                let known = if looks { opened.know_graph() } else { Ok(()) };
                match known.map_err(DivertError::from).and_then(|()| opened.divert(ask.command())) {
                    Ok(mut draw) => line.stay(&mut draw, ask)?,
                    Err(error) => line.say(Err(error.to_string()))?,
                }
            }
        }
    }
    Ok(())
}

impl Ask {
    fn command(&self) -> u64 {
        match *self {
            Ask::Picture { command, .. }
            | Ask::Draw { command, .. }
            | Ask::Run { command, .. }
            | Ask::Alone { command }
            | Ask::Contents { command, .. }
            | Ask::Look { command, .. }
            | Ask::Check { command } => command,
        }
    }
}

/// Whoever asks.
struct Line<'a> {
    wire: Wire,
    page: &'a Page,
    /// A question that was heard and not answered.
    next: Option<Ask>,
}

impl Line<'_> {
    /// The next question; none when nobody asks any more.
    fn ask(&mut self) -> io::Result<Option<Ask>> {
        if self.next.is_some() {
            return Ok(self.next.take());
        }
        loop {
            match self.wire.receive::<Ask>() {
                Ok(Some((ask, _))) => {
                    self.page.store(word::BEAT, self.page.load(word::BEAT) + 1);
                    return Ok(Some(ask));
                }
                Ok(None) => {}
                Err(WireError::Gone) => return Ok(None),
                Err(WireError::Garbled(what)) => return Err(io::Error::other(what)),
            }
        }
    }

    /// Answers. That nobody listens any more is found out by the next question.
    fn say(&mut self, said: Said) -> io::Result<()> {
        let (answer, bytes) = match said {
            Ok((answer, bytes)) => (Ok(answer), bytes),
            Err(why) => (Err(why), Vec::new()),
        };
        match self.wire.send(&answer, &bytes) {
            Ok(()) | Err(WireError::Gone) => Ok(()),
            Err(WireError::Garbled(what)) => Err(io::Error::other(what)),
        }
    }

    /// Answers questions about one draw as long as nothing else is asked: its programs stay.
    fn stay(&mut self, draw: &mut Draw<'_>, first: Ask) -> io::Result<()> {
        let command = first.command();
        let mut ask = first;
        loop {
            let said = about_draw(draw, ask);
            self.say(said)?;
            match self.ask()? {
                Some(next) if next.command() == command && !matches!(next, Ask::Picture { .. } | Ask::Check { .. }) => {
                    ask = next;
                }
                next => {
                    self.next = next;
                    return Ok(());
                }
            }
        }
    }
}

/// The trace, which is opened for the first question: that it cannot be is an answer like others.
fn opened<'a>(
    timeline: &'a mut Option<Timeline>,
    trace: &Path,
    device: &DeviceChoice,
    page: &Page,
) -> Result<&'a mut Timeline, ReplayError> {
    match timeline {
        Some(timeline) => Ok(timeline),
        None => {
            let opened = timeline.insert(Timeline::open(trace, device, false)?);
            page.store(word::TOTAL, opened.reader().len());
            Ok(opened)
        }
    }
}

fn picture(timeline: &mut Timeline, command: u64, everything: bool) -> Said {
    let there = if everything { timeline.seek(command) } else { timeline.look_at(command) };
    there.map_err(|error| error.to_string())?;
    let picture = timeline.read_pixels();
    let size = picture.as_ref().map(|picture| [picture.width, picture.height]);
    Ok((Answer::Picture { size }, picture.map(|Picture { rgba, .. }| rgba).unwrap_or_default()))
}

fn look(timeline: &mut Timeline, command: u64, sights: &[(Sight, Rectangle)]) -> Said {
    if let Some(before) = command.checked_sub(1) {
        timeline.know_graph().and_then(|()| timeline.visit(before)).map_err(|error| error.to_string())?;
    }
    contents_answer(seen(timeline.look(sights)))
}

fn check(timeline: &mut Timeline, command: u64) -> Said {
    let checked = timeline.know_graph().and_then(|()| timeline.check(command)).map_err(|error| error.to_string())?;
    Ok((Answer::Checked(checked), Vec::new()))
}

/// What objects or images hold, and the bytes of all of them.
type Described = (Vec<Result<Vec<Part>, String>>, Vec<u8>);

/// What was seen, described.
fn seen(looked: Result<Vec<Result<Vec<Held>, String>>, ReplayError>) -> Result<Described, String> {
    let mut bytes = Vec::new();
    let mut parts = |held: Vec<Held>| held.iter().map(|held| part(held, &mut bytes)).collect();
    let objects = looked.map_err(|error| error.to_string())?.into_iter().map(|one| one.map(&mut parts)).collect();
    Ok((objects, bytes))
}

fn contents_answer(described: Result<Described, String>) -> Said {
    described.map(|(objects, bytes)| (Answer::Contents { objects }, bytes))
}

/// What something holds; its bytes are added to those of others.
fn part(held: &Held, bytes: &mut Vec<u8>) -> Part {
    bytes.extend_from_slice(&held.bytes);
    Part {
        target: held.target,
        level: held.level,
        size: held.size,
        format: held.format,
        pixel_type: held.pixel_type,
        length: held.bytes.len() as u64,
    }
}

fn about_draw(draw: &mut Draw<'_>, ask: Ask) -> Said {
    match ask {
        Ask::Run { variant, scope, run, changes, .. } => {
            let (stage, variant) = variant.variant().ok_or("there is no such stage")?;
            draw.changes = *changes;
            match draw.run(&variant, stage, scope, run) {
                Ok(raw) => {
                    let (shape, words) = Shape::of(raw);
                    let seconds = (draw.cost.build.map(|time| time.as_secs_f64()), draw.cost.total().as_secs_f64());
                    let notes = draw.notes.iter().map(|&note| note.to_owned()).collect();
                    let isolated = std::mem::take(&mut draw.isolated);
                    Ok((
                        Answer::Raw { shape, seconds, notes, isolated },
                        words.iter().flat_map(|word| word.to_le_bytes()).collect(),
                    ))
                }
                Err(InspectError::Rejected { log, source_text }) => {
                    Ok((Answer::Rejected { log, source_text }, Vec::new()))
                }
                Err(error) => Err(error.to_string()),
            }
        }
        Ask::Alone { .. } => {
            let time = draw.alone().map_err(|error| error.to_string())?;
            Ok((Answer::Alone { seconds: time.as_secs_f64() }, Vec::new()))
        }
        Ask::Contents { objects, .. } => {
            let mut bytes = Vec::new();
            let objects = objects.iter().map(|object| contents(draw, *object, &mut bytes)).collect();
            Ok((Answer::Contents { objects }, bytes))
        }
        Ask::Look { sights, .. } => contents_answer(seen(draw.look(&sights))),
        Ask::Draw { sights, .. } => {
            let (objects, bytes) = if sights.is_empty() { Default::default() } else { seen(draw.look(&sights))? };
            let (device, target) = (Box::new(draw.device().clone()), *draw.target());
            Ok((Answer::Draw { device, renderer: draw.renderer(), target, objects }, bytes))
        }
        Ask::Picture { .. } | Ask::Check { .. } => Err("that is not a question about a draw".to_owned()),
    }
}

/// What an object holds; its bytes are added to those of others.
fn contents(draw: &mut Draw<'_>, object: Object, bytes: &mut Vec<u8>) -> Result<Vec<Part>, String> {
    let context = draw.view().ok_or("there is no context")?.seat.context;
    let wanted = match object {
        Object::Buffer(name) => Wanted::Object { context, space: Namespace::Buffer, name, target: 0 },
        Object::Texture(name, target) => Wanted::Object { context, space: Namespace::Texture, name, target },
    };
    Ok(draw.contents(&wanted)?.iter().map(|held| part(held, bytes)).collect())
}
