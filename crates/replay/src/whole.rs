//! Replays a whole trace: pictures, comparison with the recording and the model, contents for trimmed traces.

use std::rc::Rc;
use std::sync::Arc;

use api::id;
use device::report::{ContentsRequest, Findings};
use device::{Picture, ReplayRequest, Report, Until};
use open_trace::OpenTrace;

use crate::ReplayError;
use crate::answer::ProgressSink;
use crate::gl::GlFactory;
use crate::oracle::{self, Oracle};
use crate::player::{Contents, Player};
use crate::timeline::{Timeline, Watcher};

/// Why a picture or contents could not be written.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Receives the pictures and contents that the replay of a whole trace produces.
pub trait ReplaySink {
    /// The request is valid, and replay begins.
    ///
    /// # Errors
    /// When the output cannot be prepared.
    fn begin(&mut self, request: &ReplayRequest) -> Result<(), SinkError>;

    /// Takes a picture. `name` is unique among the pictures of a request, and has the ending `.png`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn picture(&mut self, name: &str, picture: &Picture) -> Result<(), SinkError>;

    /// Takes contents that a trimmed trace needs.
    ///
    /// # Errors
    /// When they cannot be written.
    fn contents(&mut self, contents: &Contents) -> Result<(), SinkError>;

    /// All contents have been received.
    ///
    /// # Errors
    /// When they cannot be written.
    fn finish_contents(&mut self) -> Result<(), SinkError>;
}

/// Replays a trace from its start.
///
/// # Errors
/// When the trace cannot be read, cannot be replayed that far, or the sink fails.
pub fn replay(
    trace: &Arc<OpenTrace>,
    open_gl: &GlFactory,
    (request, progress, sink): (&ReplayRequest, &Rc<dyn ProgressSink>, &mut dyn ReplaySink),
) -> Result<Report, ReplayError> {
    // To compare the model with the driver, errors must be taken from the driver where the program took them.
    let verifying = request.verify || !request.examine.is_empty() || request.compare_state;
    let mut timeline = Timeline::open(Arc::clone(trace), GlFactory::clone(open_gl), verifying)?;
    timeline.report_to(progress);
    let progress = progress.as_ref();
    check_end(&timeline, request.until)?;
    sink.begin(request).map_err(ReplayError::Output)?;
    let mut reporter = Reporter {
        request,
        progress,
        sink,
        images: 0,
        frames: 0,
        looked: Vec::new(),
        renderer: String::new(),
        hashes: Vec::new(),
    };
    let (wall, processor) = (timeline.player.time(), timeline.player.processor_time());
    let (looks, looked) = look(&mut timeline, &mut reporter)?;
    let findings = examine(trace, open_gl, &mut timeline, (request, progress))?.or(looked);
    if let Some(contents) = &request.contents {
        read_back(&mut timeline, contents, &mut reporter)?;
    }
    if request.looks.is_empty() {
        timeline.run(request.until, &mut reporter)?;
    }
    if reporter.renderer.is_empty() && !request.looks.is_empty() {
        // Looking at commands draws and presents nothing that the reporter sees.
        reporter.renderer = timeline.player.renderer();
    }
    timeline.finish();
    let seconds = (timeline.player.time() - wall).as_secs_f64();
    let cpu_seconds = (timeline.player.processor_time() - processor).as_secs_f64();
    if timeline.frames() == 0 && reporter.images == 0 && !request.per_draw && request.images.is_some() {
        // A program that presents nothing has one picture: its last.
        if let Some(picture) = timeline.read_pixels() {
            reporter.write("frame-0000.png", &picture)?;
        }
    }
    if timeline.frames() == 0 && request.hashes.is_some() {
        reporter.hashes.push(hash(timeline.read_pixels().as_ref()));
    }
    Ok(Report {
        hashes: std::mem::take(&mut reporter.hashes),
        commands: timeline.position(),
        lost: timeline.lost(),
        skipped: timeline.passed_over(),
        returns: timeline.returns(),
        looks,
        // Without a present, what was replayed is of the one frame that there is.
        frames: if trace.reader().presents().is_empty() {
            trace.reader().frame_count() as u64
        } else {
            timeline.frames()
        },
        pictures: std::mem::take(&mut reporter.looked),
        images: reporter.images,
        renderer: reporter.renderer,
        findings,
        tally: request.verify.then(|| timeline.tally().clone()),
        problems: timeline.problems().to_vec(),
        seconds,
        cpu_seconds,
    })
}

/// Takes pictures after commands, in the order of the request. Returns the seconds that each took, and the results of
/// comparing the state there.
fn look(timeline: &mut Timeline, reporter: &mut Reporter<'_>) -> Result<(Vec<f64>, Option<Findings>), ReplayError> {
    let (request, progress) = (reporter.request, reporter.progress);
    timeline.keep_checkpoints(!request.from_start && !request.everything);
    let mut oracle = Oracle::default();
    let trace = Arc::clone(&timeline.trace);
    let mut seconds = Vec::new();
    for &number in &request.looks {
        progress.executing(number);
        progress.beat();
        let begin = timeline.player.time();
        if request.everything {
            timeline.seek(number)?
        } else {
            timeline.look_at(number)?
        };
        let pictures = timeline.read_all_pixels();
        seconds.push((timeline.player.time() - begin).as_secs_f64());
        for (buffer, picture) in pictures {
            let name = match buffer {
                0 => format!("command-{number:08}.png"),
                _ => format!("command-{number:08}-{buffer}.png"),
            };
            reporter.write(&name, &picture)?;
            reporter.looked.push(name);
        }
        if request.compare_state
            && !told_next(timeline, number + 1)
            && let Ok(thread) = timeline.reader().call_at(number).map(|held| held.call().thread)
        {
            timeline.examine(&mut oracle, &trace.state_after(number)?, thread)?;
        }
    }
    Ok((seconds, request.compare_state.then_some(oracle.findings)))
}

/// Compares the model with the driver after the commands of the request. Where nothing can be queried, between `glBegin`
/// and `glEnd`, it takes the next command where that is possible.
fn examine(
    trace: &Arc<OpenTrace>,
    open_gl: &GlFactory,
    timeline: &mut Timeline,
    (request, progress): (&ReplayRequest, &dyn ProgressSink),
) -> Result<Option<Findings>, ReplayError> {
    /// A `glEnd` comes within this many calls.
    const FURTHER: u64 = 100_000;
    if request.examine.is_empty() {
        return Ok(None);
    }
    let (mut oracle, mut places) = (Oracle::default(), Vec::new());
    for &wanted in &request.examine {
        let last = timeline.reader().len().min(wanted + FURTHER);
        for number in wanted.max(timeline.position().saturating_sub(1))..last {
            let Ok(call) = timeline.reader().call_at(number) else { continue };
            let thread = call.call().thread;
            drop(call);
            if told_next(timeline, number + 1) {
                continue;
            }
            timeline.seek(number)?;
            progress.executing(number);
            progress.beat();
            if timeline.examine(&mut oracle, &trace.state_after(number)?, thread)? {
                places.push(number);
                break;
            }
        }
    }
    // Reading contents back makes objects, which could change the names that the program's own objects get. So that is
    // done in another run.
    let mut again = Timeline::open(Arc::clone(trace), GlFactory::clone(open_gl), true)?;
    let mut contents = oracle::ContentsOracle::default();
    for number in places {
        again.seek(number)?;
        progress.executing(number);
        progress.beat();
        contents.examine(&mut again, trace.chronicle(), number, &mut oracle.findings)?;
    }
    Ok(Some(oracle.findings))
}

/// Executes everything before the calls that are kept, and gives the sink the contents that they need.
fn read_back(
    timeline: &mut Timeline,
    request: &ContentsRequest,
    reporter: &mut Reporter<'_>,
) -> Result<(), ReplayError> {
    let progress = reporter.progress;
    let setup = chronicle::trim::setup(timeline.reader(), &request.kept, &mut |_| progress.beat())?;
    if let Some(last) = request.kept.start.checked_sub(1) {
        timeline.run(Until::Command(last), &mut Flushing)?;
    }
    for wanted in &setup.contents {
        progress.beat();
        for contents in timeline.read_contents(wanted)? {
            reporter.sink.contents(&contents).map_err(ReplayError::Output)?;
        }
    }
    reporter.sink.finish_contents().map_err(ReplayError::Output)
}

/// Flushes the driver after each frame.
struct Flushing;

impl Watcher for Flushing {
    fn drew(&mut self, _number: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }

    fn presented(&mut self, _frames: u64, player: &mut Player) -> Result<(), ReplayError> {
        player.flush();
        Ok(())
    }
}

/// Returns whether a call is one by which capture records the outcome of the call before it. Until that has been applied
/// the model cannot know the outcome.
fn told_next(timeline: &Timeline, number: u64) -> bool {
    let told = [id::afiDescribe, id::afiLimits, id::afiShader, id::afiProgram, id::afiAssembly];
    timeline.reader().call_at(number).is_ok_and(|held| held.call().command.is_some_and(|id| told.contains(&id)))
}

fn check_end(timeline: &Timeline, until: Until) -> Result<(), ReplayError> {
    let reader = timeline.reader();
    match until {
        Until::Command(number) if number >= reader.len() => {
            Err(ReplayError::NoSuchCommand { number, length: reader.len() })
        }
        Until::Frame(number) if number >= reader.frame_count() as u64 => {
            Err(ReplayError::NoSuchFrame { number, count: reader.frame_count() as u64 })
        }
        _ => Ok(()),
    }
}

/// Reports how far the run is, and gives the sink pictures.
struct Reporter<'a> {
    request: &'a ReplayRequest,
    progress: &'a dyn ProgressSink,
    sink: &'a mut dyn ReplaySink,
    images: u64,
    /// Frames presented.
    frames: u64,
    /// Names of the pictures of commands that were looked at.
    looked: Vec<String>,
    renderer: String,
    hashes: Vec<String>,
}

/// Returns the hash of a picture and its size as text; nothing if there is none.
fn hash(picture: Option<&Picture>) -> String {
    picture.map_or(String::new(), |picture| {
        format!("{}x{} {}", picture.width, picture.height, blake3::hash(&picture.rgba).to_hex())
    })
}

impl Reporter<'_> {
    fn write(&mut self, name: &str, picture: &Picture) -> Result<(), ReplayError> {
        if self.request.images.is_none() {
            return Ok(());
        }
        self.sink.picture(name, picture).map_err(ReplayError::Output)?;
        self.images += 1;
        Ok(())
    }
}

impl Watcher for Reporter<'_> {
    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError> {
        if self.renderer.is_empty() {
            self.renderer = player.renderer();
        }
        if self.request.per_draw
            && self.request.images.is_some()
            && !matches!(self.request.until, Until::Frame(last) if last != self.frames)
            && let Some(picture) = player.drawn_picture()
        {
            self.write(&format!("draw-{number:08}.png"), &picture)?;
        }
        Ok(())
    }

    fn presented(&mut self, frames: u64, player: &mut Player) -> Result<(), ReplayError> {
        self.frames = frames;
        let frame = frames.saturating_sub(1);
        if self.renderer.is_empty() {
            self.renderer = player.renderer();
        }
        let wanted = !self.request.per_draw
            && self.request.images.is_some()
            && !matches!(self.request.until, Until::Frame(last) if last != frame);
        if wanted {
            if let Some(picture) = player.surface_picture() {
                self.write(&format!("frame-{frame:04}.png"), &picture)?;
            }
        } else if !self.request.hashes.is_some_and(|[first, last]| (first..=last).contains(&frame)) {
            player.flush();
        } else {
            self.hashes.push(hash(player.surface_picture().as_ref()));
        }
        Ok(())
    }
}
