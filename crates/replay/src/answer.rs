//! Answers a device's questions by replaying.

use std::rc::Rc;
use std::sync::Arc;

use api::{Namespace, id};
use chronicle::trim::DriverContents;
use device::{Answer, Ask, ContentsPart, ImageRef, Object, Rectangle, Reply, Shape};
use instrument::{InspectContext, InspectError};
use open_trace::OpenTrace;

use crate::ReplayError;
use crate::gl::GlFactory;
use crate::inspect::{Draw, SuspendedDraw};
use crate::player::Contents;
use crate::timeline::Timeline;
use crate::whole::{self, ReplaySink};

/// Receives the progress of a replay, so that a supervisor can tell a slow driver from a hung one.
pub trait ProgressSink {
    /// A call is about to be executed.
    fn executing(&self, command: u64);

    /// A frame was presented; `frames` is the number of frames so far.
    fn presented(&self, frames: u64);

    /// The trace is open; `calls` is its number of calls.
    fn opened(&self, calls: u64);

    /// Something other than a call was executed.
    fn beat(&self);
}

/// No supervisor is there.
impl ProgressSink for () {
    fn executing(&self, _command: u64) {}

    fn presented(&self, _frames: u64) {}

    fn opened(&self, _calls: u64) {}

    fn beat(&self) {}
}

/// Answers questions about one trace on one device.
pub struct Answerer {
    trace: Arc<OpenTrace>,
    open_gl: GlFactory,
    timeline: Option<Timeline>,
    /// The draw that the last question was about. Its analysis and its programs serve the next question about it.
    draw: Option<SuspendedDraw>,
}

/// An answer, or why there is none.
type Said = Result<Reply, String>;

impl Answerer {
    /// Returns an answerer that opens the GL for the first question.
    #[must_use]
    pub fn new(trace: Arc<OpenTrace>, open_gl: GlFactory) -> Answerer {
        Answerer { trace, open_gl, timeline: None, draw: None }
    }

    /// Answers a question. `sink` takes the pictures and contents that a request for a whole replay asks for.
    ///
    /// # Errors
    /// When there is no answer: one sentence that says why.
    pub fn answer(&mut self, ask: Ask, progress: &Rc<dyn ProgressSink>, sink: &mut dyn ReplaySink) -> Said {
        progress.opened(self.trace.reader().len());
        if let Some(command) = ask.command() {
            progress.executing(command);
        }
        if let Ask::Replay(request) = ask {
            // It runs on a separate timeline, which may compare results that this one does not.
            let report = whole::replay(&self.trace, &self.open_gl, (&request, progress, sink));
            let report = report.map_err(|error| error.to_string())?;
            return Ok(Answer::Report(Box::new(report)).into());
        }
        let Answerer { trace, open_gl, timeline, draw } = self;
        let timeline = match timeline {
            Some(timeline) => timeline,
            None => {
                let opened = Timeline::open(Arc::clone(trace), GlFactory::clone(open_gl), false);
                let timeline = timeline.insert(opened.map_err(|error| error.to_string())?);
                timeline.skip_idle_calls();
                timeline.report_to(progress);
                timeline
            }
        };
        match ask {
            Ask::Picture { command, everything } => {
                *draw = None;
                picture(timeline, command, everything)
            }
            Ask::Check { command } => {
                *draw = None;
                let checked = timeline
                    .expect_returns()
                    .and_then(|()| timeline.check(command))
                    .map_err(|error| error.to_string())?;
                Ok(Answer::Checked(checked).into())
            }
            Ask::Read { command, context, object } => {
                *draw = None;
                read(timeline, command, &wanted(context, object))
            }
            Ask::Pixel { command, buffer, at, form } => {
                *draw = None;
                pixel(timeline, command, (buffer, at, form))
            }
            Ask::Look { command, images } if draw.as_ref().is_none_or(|draw| draw.command != command) => {
                *draw = None;
                look(timeline, command, &images)
            }
            ask => about_draw(timeline, draw, ask, progress.as_ref()),
        }
    }
}

fn picture(timeline: &mut Timeline, command: u64, everything: bool) -> Said {
    if everything { timeline.seek(command) } else { timeline.look_at(command) }.map_err(|error| error.to_string())?;
    // A surface may be presented while something else is drawn to.
    let next = timeline.reader().call_at(command + 1).ok().and_then(|held| held.call().command);
    let picture = if next == Some(id::afiPresent) { timeline.read_surface() } else { timeline.read_pixels() };
    let size = picture.as_ref().map(|picture| [picture.width, picture.height]);
    Ok(Reply { answer: Answer::Picture { size }, bytes: picture.map(|picture| picture.rgba).unwrap_or_default() })
}

fn look(timeline: &mut Timeline, command: u64, images: &[(ImageRef, Rectangle)]) -> Said {
    if let Some(before) = command.checked_sub(1) {
        timeline.expect_returns().and_then(|()| timeline.visit(before)).map_err(|error| error.to_string())?;
    }
    let (objects, bytes) = described(timeline.look(images))?;
    Ok(Reply { answer: Answer::Contents { objects }, bytes })
}

fn pixel(timeline: &mut Timeline, command: u64, (buffer, at, form): (u32, [u32; 2], [u32; 2])) -> Said {
    timeline.expect_returns().and_then(|()| timeline.visit(command)).map_err(|error| error.to_string())?;
    let read = timeline.player.drawn_pixel(buffer, at, form).map(|contents| vec![contents]);
    let (objects, bytes) = described(Ok(vec![read]))?;
    Ok(Reply { answer: Answer::Contents { objects }, bytes })
}

fn read(timeline: &mut Timeline, command: u64, wanted: &DriverContents) -> Said {
    timeline.expect_returns().and_then(|()| timeline.visit(command)).map_err(|error| error.to_string())?;
    let (objects, bytes) = described(timeline.contents(wanted).map(|one| vec![one]))?;
    Ok(Reply { answer: Answer::Contents { objects }, bytes })
}

/// Answers a question about a draw: the current one, or another that the timeline goes to first.
fn about_draw(
    timeline: &mut Timeline,
    suspended: &mut Option<SuspendedDraw>,
    ask: Ask,
    progress: &dyn ProgressSink,
) -> Said {
    let command = ask.command().ok_or("this question is not about a draw")?;
    let resumed = suspended.take().filter(|draw| draw.command == command);
    let mut draw = match resumed {
        Some(resumed) => timeline.resume(resumed),
        None => {
            // A caller that reads pixels goes back and forth between draws.
            if matches!(&ask, Ask::Draw { images, .. } if !images.is_empty()) {
                timeline.expect_returns().map_err(|error| error.to_string())?;
                timeline.skip_nothing();
            }
            timeline.divert(command).map_err(|error| error.to_string())?
        }
    };
    // On the way other calls were executed.
    progress.executing(command);
    if !draw.can_answer(&ask) {
        timeline.skip_nothing();
        draw = timeline.divert(command).map_err(|error| error.to_string())?;
    }
    let answer = answer_about(&mut draw, ask);
    *suspended = Some(draw.suspend(command));
    answer
}

fn answer_about(draw: &mut Draw<'_>, ask: Ask) -> Said {
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
                    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    Ok(Reply { answer: Answer::Raw { shape, seconds, notes, isolated }, bytes })
                }
                Err(InspectError::Rejected { log, source_text }) => Ok(Answer::Rejected { log, source_text }.into()),
                Err(error) => Err(error.to_string()),
            }
        }
        Ask::Alone { .. } => {
            let seconds = draw.alone().map_err(|error| error.to_string())?.as_secs_f64();
            Ok(Answer::Alone { seconds }.into())
        }
        Ask::Contents { objects, .. } => {
            let mut bytes = Vec::new();
            let objects = objects.iter().map(|object| contents(draw, *object, &mut bytes)).collect();
            Ok(Reply { answer: Answer::Contents { objects }, bytes })
        }
        Ask::Look { images, .. } => {
            let (objects, bytes) = described(draw.look(&images))?;
            Ok(Reply { answer: Answer::Contents { objects }, bytes })
        }
        Ask::Draw { images, .. } => {
            let (objects, bytes) = if images.is_empty() { Default::default() } else { described(draw.look(&images))? };
            let (device, target) = (Box::new(draw.device().clone()), *draw.target());
            let (renderer, version) = draw.renderer();
            Ok(Reply { answer: Answer::Draw { device, renderer, version, target, objects }, bytes })
        }
        Ask::Picture { .. } | Ask::Pixel { .. } | Ask::Check { .. } | Ask::Read { .. } | Ask::Replay(_) => {
            Err("this question is not about a draw".to_owned())
        }
    }
}

/// Contents of objects or images, and the bytes of all of them.
type Described = (Vec<Result<Vec<ContentsPart>, String>>, Vec<u8>);

fn described(read: Result<Vec<Result<Vec<Contents>, String>>, ReplayError>) -> Result<Described, String> {
    let mut bytes = Vec::new();
    let mut parts = |contents: Vec<Contents>| contents.iter().map(|contents| part(contents, &mut bytes)).collect();
    let objects = read.map_err(|error| error.to_string())?.into_iter().map(|one| one.map(&mut parts)).collect();
    Ok((objects, bytes))
}

/// Describes contents, and appends their bytes to those of others.
fn part(contents: &Contents, bytes: &mut Vec<u8>) -> ContentsPart {
    bytes.extend_from_slice(&contents.bytes);
    ContentsPart {
        target: contents.target,
        level: contents.level,
        size: contents.size,
        format: contents.format,
        pixel_type: contents.pixel_type,
        length: contents.bytes.len() as u64,
    }
}

fn contents(draw: &mut Draw<'_>, object: Object, bytes: &mut Vec<u8>) -> Result<Vec<ContentsPart>, String> {
    let context = draw.view().ok_or("there is no context")?.seat.context;
    Ok(draw.contents(&wanted(context, object))?.iter().map(|contents| part(contents, bytes)).collect())
}

/// Returns how to read an object.
fn wanted(context: u32, object: Object) -> DriverContents {
    let (space, name, target) = match object {
        Object::Buffer(name) => (Namespace::Buffer, name, 0),
        Object::Texture(name, target) => (Namespace::Texture, name, target),
        Object::Renderbuffer(name) => (Namespace::Renderbuffer, name, 0),
    };
    DriverContents::Object { context, space, name, target }
}
