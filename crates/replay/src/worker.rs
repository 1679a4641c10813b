//! The process that has the driver in it: it may crash or hang, and whoever started it finds out where.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use api::id;
use chronicle::Chronicle;
use driver::{DeviceChoice, Page};

use crate::oracle::{self, Findings, Oracle};
use crate::player::{Picture, Player};
use crate::timeline::{Timeline, Until, Watcher};
use crate::{ReplayError, Report, images};

/// Words of the page that worker and supervisor share.
pub mod word {
    /// The number of the call being executed, plus 1.
    pub const COMMAND: usize = 0;
    /// Frames presented.
    pub const FRAMES: usize = 1;
    /// How many calls the trace has.
    pub const TOTAL: usize = 2;
    /// Counts on while something is done that is not a call.
    pub const BEAT: usize = 3;
}

/// What is to be done with a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The trace.
    pub trace: PathBuf,
    /// On which device.
    pub device: DeviceChoice,
    /// How far.
    pub until: Until,
    /// Where to write pictures.
    pub images: Option<PathBuf>,
    /// A picture after each draw, rather than of each frame.
    pub per_draw: bool,
    /// Whether to compare with the recording.
    pub verify: bool,
    /// Commands after which to take a picture of what is drawn to then, in any order.
    pub looks: Vec<u64>,
    /// For these pictures, execute everything, and not only what they depend on.
    pub everything: bool,
    /// For these pictures, go back by beginning anew, and not from checkpoints.
    pub from_start: bool,
    /// Compare the model with the driver after each of these commands.
    pub compare_state: bool,
    /// Commands after which the model is to be compared with the driver, in order.
    pub examine: Vec<u64>,
    /// Contents to be read back for a trace that is trimmed.
    pub contents: Option<Contents>,
}

impl Request {
    /// To run a trace to its end on the first device, and nothing else.
    #[must_use]
    pub fn new(trace: PathBuf) -> Request {
        Request {
            trace,
            device: DeviceChoice::default(),
            until: Until::End,
            images: None,
            per_draw: false,
            verify: false,
            looks: Vec::new(),
            everything: false,
            from_start: false,
            compare_state: false,
            examine: Vec::new(),
            contents: None,
        }
    }
}

/// Contents that are to be read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The calls that are kept: their contents are those before the first.
    pub kept: Range<u64>,
    /// Where to write them: a trace that has nothing but `afiContents`.
    pub to: PathBuf,
}

/// Does what was asked for.
///
/// # Errors
/// When the trace cannot be read or replayed to where it was asked for.
pub fn run(request: &Request, page: &Page) -> Result<Report, ReplayError> {
    // Whoever compares the model with the driver needs errors taken from it as the program took them.
    let verifying = request.verify || !request.examine.is_empty() || request.compare_state;
    let mut timeline = Timeline::open(&request.trace, &request.device, verifying)?;
    page.store(word::TOTAL, timeline.reader().len());
    check_end(&timeline, request.until)?;
    if let Some(folder) = &request.images {
        let failed = |source| ReplayError::Image { path: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut watcher = Reporter { request, page, images: 0, renderer: String::new() };
    let (wall, cpu) = (Instant::now(), driver::cpu_time());
    let (looks, looked) = look(&mut timeline, request, page, &mut watcher)?;
    let findings = examine(&mut timeline, request, page)?.or(looked);
    if let Some(contents) = &request.contents {
        read_back(&mut timeline, contents, page)?;
    }
    if request.looks.is_empty() {
        timeline.run(request.until, &mut watcher)?;
    }
    timeline.finish();
    let (seconds, cpu_seconds) = (wall.elapsed().as_secs_f64(), (driver::cpu_time() - cpu).as_secs_f64());
    if timeline.frames() == 0 && watcher.images == 0 && !request.per_draw && request.images.is_some() {
        // A program that presents nothing has one picture: its last.
        if let Some(picture) = timeline.read_pixels() {
            watcher.write("frame-0000.png", &picture)?;
        }
    }
    Ok(Report {
        commands: timeline.position(),
        lost: timeline.lost(),
        passed: timeline.passed_over(),
        returns: timeline.returns(),
        looks,
        frames: timeline.frames(),
        images: watcher.images,
        renderer: watcher.renderer,
        findings,
        tally: request.verify.then(|| timeline.tally().clone()),
        problems: timeline.problems().to_vec(),
        seconds,
        cpu_seconds,
    })
}

/// Takes pictures after commands, in the order in which they were asked for. Gives the seconds that each took to get to and
/// look at, and what came of comparing the state there.
fn look(
    timeline: &mut Timeline,
    request: &Request,
    page: &Page,
    watcher: &mut Reporter<'_>,
) -> Result<(Vec<f64>, Option<Findings>), ReplayError> {
    timeline.keep_checkpoints(!request.from_start && !request.everything);
    let mut oracle = Oracle::default();
    let mut chronicle = request.compare_state.then(|| Chronicle::open(&request.trace)).transpose()?;
    let mut seconds = Vec::new();
    for &number in &request.looks {
        page.store(word::COMMAND, number + 1);
        page.store(word::BEAT, page.load(word::BEAT) + 1);
        let begin = Instant::now();
        if request.everything {
            timeline.seek(number)?
        } else {
            timeline.look_at(number)?
        };
        let picture = timeline.read_pixels();
        seconds.push(begin.elapsed().as_secs_f64());
        if let Some(picture) = picture {
            watcher.write(&format!("command-{number:08}.png"), &picture)?;
        }
        if let Some(chronicle) = &mut chronicle
            && !told_next(timeline, number + 1)
            && let Ok(thread) = timeline.reader().call_at(number).map(|held| held.call().thread)
        {
            timeline.examine(&mut oracle, &chronicle.after(number)?, thread)?;
        }
    }
    Ok((seconds, request.compare_state.then_some(oracle.findings)))
}

/// Compares the model with the driver where that was asked for. Where nothing can be asked, the next place will do.
fn examine(timeline: &mut Timeline, request: &Request, page: &Page) -> Result<Option<Findings>, ReplayError> {
    /// So many calls further on somebody must have ended his `glBegin`.
    const FURTHER: u64 = 100_000;
    if request.examine.is_empty() {
        return Ok(None);
    }
    let mut chronicle = Chronicle::open(&request.trace)?;
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
            page.store(word::COMMAND, number + 1);
            page.store(word::BEAT, page.load(word::BEAT) + 1);
            if timeline.examine(&mut oracle, &chronicle.after(number)?, thread)? {
                places.push(number);
                break;
            }
        }
    }
    // To read contents back takes objects, whose names a driver may share out among contexts; those of the program would be
    // others than without. So that is done in another run.
    let mut again = Timeline::open(&request.trace, &request.device, true)?;
    let mut contents = oracle::Contents::default();
    for number in places {
        again.seek(number)?;
        page.store(word::COMMAND, number + 1);
        page.store(word::BEAT, page.load(word::BEAT) + 1);
        contents.examine(&mut again, &mut chronicle, number, &mut oracle.findings)?;
    }
    Ok(Some(oracle.findings))
}

/// Executes everything before the calls that are kept, and writes down what they need of contents.
fn read_back(timeline: &mut Timeline, contents: &Contents, page: &Page) -> Result<(), ReplayError> {
    let beat = |_: u64| page.store(word::BEAT, page.load(word::BEAT) + 1);
    let setup = chronicle::trim::setup(timeline.reader(), &contents.kept, &mut { beat })?;
    let failed = |source: trace::WriteError| ReplayError::Contents { path: contents.to.display().to_string(), source };
    let mut writer = trace::Writer::create(&contents.to, api::COMMANDS).map_err(failed)?;
    if let Some(last) = contents.kept.start.checked_sub(1) {
        let mut reporter = Beats { page };
        timeline.run(Until::Command(last), &mut reporter)?;
    }
    for wanted in &setup.contents {
        beat(0);
        for held in timeline.take(wanted)? {
            let data = trace::Content { param: 11, bytes: &held.bytes, digest_only: false };
            writer.enter(0, api::id::afiContents, true, &held.arguments(), &[data]).map_err(failed)?;
            let number = writer.calls();
            writer.leave(0, 0, &[], number).map_err(failed)?;
        }
    }
    writer.finish().map_err(failed)?;
    Ok(())
}

/// Tells the supervisor how far the run is.
struct Beats<'a> {
    page: &'a Page,
}

impl Watcher for Beats<'_> {
    fn before(&mut self, number: u64) {
        self.page.store(word::COMMAND, number + 1);
    }

    fn drew(&mut self, _number: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }

    fn presented(&mut self, frames: u64, player: &mut Player) -> Result<(), ReplayError> {
        self.page.store(word::FRAMES, frames);
        player.flush();
        Ok(())
    }
}

/// Whether a call is one by which capture says what came of the call before it: until then the model cannot know.
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

/// Tells the supervisor how far the run is, and writes pictures.
struct Reporter<'a> {
    request: &'a Request,
    page: &'a Page,
    images: u64,
    renderer: String,
}

impl Reporter<'_> {
    fn write(&mut self, name: &str, picture: &Picture) -> Result<(), ReplayError> {
        let Some(folder) = &self.request.images else { return Ok(()) };
        images::write(&folder.join(name), picture)?;
        self.images += 1;
        Ok(())
    }
}

impl Watcher for Reporter<'_> {
    #[inline]
    fn before(&mut self, number: u64) {
        self.page.store(word::COMMAND, number + 1);
    }

    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError> {
        if self.renderer.is_empty() {
            self.renderer = player.renderer();
        }
        if self.request.per_draw
            && self.request.images.is_some()
            && let Some(picture) = player.drawn_picture()
        {
            self.write(&format!("draw-{number:08}.png"), &picture)?;
        }
        Ok(())
    }

    fn presented(&mut self, frames: u64, player: &mut Player) -> Result<(), ReplayError> {
        self.page.store(word::FRAMES, frames);
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
        } else {
            player.flush();
        }
        Ok(())
    }
}
