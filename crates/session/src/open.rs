//! A trace, opened for debugging.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use api::Role;
use device::{BoxedDevice, Changes, Picture};
use inquiry::{DrawSnapshot, Inputs, Inquiry};
use instrument::Question;
use instrument::inspect::Limits;
use instrument::stream::LAYER;
use open_trace::OpenTrace;
use recall::ProducingFragment;
use reenact::Contents as _;
use shader::Shader;
use shader::version::Stage;
use state::annotation::path_text;

use crate::bench::{self, Bench};
use crate::breaks::Breaks;
use crate::control::{Activity, Control};
use crate::data::choice::{Choice, Edit};
use crate::data::place::{Invocation, Source};
use crate::data::stop::{Reason, Stop};
use crate::data::trace::{Draw, FrameInfo};
use crate::error::SessionError;
use crate::group::Group;
use crate::look::TapeState;
use crate::owned_run::OwnedRun;
use crate::past::Producer;

/// Words that a device may record of an invocation, with room for others that answer to the same number. Records of one
/// word become a hundred bytes and more when they are looked at.
const MOST_WORDS: u64 = 1 << 24;

/// How often a draw is run at most for values to show beside the emulator's, on devices that answer a little at a time:
/// users do not wait longer.
const MOST_RUNS: u32 = 256;

/// What recordings may cost at a stop of the debugger.
pub(crate) const LIMITS: Limits = Limits { words: MOST_WORDS, runs: MOST_RUNS, ..Limits::DEFAULT };

/// Draws whose state is kept ready.
const MOST_WORKS: usize = 64;

/// Stages of draws that are kept ready to run.
const MOST_BENCHES: usize = 16;

/// An open trace, and the invocation that is walked through.
pub struct Session {
    pub(crate) inquiry: Inquiry,
    pub(crate) control: Control,
    works: BTreeMap<u64, Arc<DrawSnapshot>>,
    pub(crate) benches: Vec<Arc<Bench>>,
    /// The writers of texels, once they were asked for.
    pub(crate) known: Option<recall::RecallCache>,
    pub(crate) breaks: Breaks,
    /// From the chosen invocation to the one that is walked through.
    pub(crate) passes: Vec<Pass>,
    /// All fragments of a draw, where they are walked through together.
    pub(crate) group: Option<Group>,
    /// Values wait for what the device recorded.
    pub(crate) waits: bool,
}

/// An invocation that was entered.
pub(crate) struct Pass {
    pub bench: Arc<Bench>,
    pub held: OwnedRun,
    pub invocation: Invocation,
    /// With everything that was left open filled in.
    pub choice: Choice,
    pub entered_by: Option<String>,
    /// What the device was given and recorded.
    pub inputs: Option<Inputs>,
    pub pick: [i32; 4],
    /// Values that the user gave to variables, in order.
    pub edits: Vec<Edit>,
    pub tape: TapeState,
}

impl Session {
    /// Starts a session on a trace and a device. Nothing is asked of the device before it is needed.
    #[must_use]
    pub fn new(trace: Arc<OpenTrace>, device: BoxedDevice) -> Session {
        let mut inquiry = Inquiry::new(trace, device);
        inquiry.limit(LIMITS);
        let control = Control::new(inquiry.control().clone());
        Session {
            inquiry,
            control,
            works: BTreeMap::new(),
            benches: Vec::new(),
            known: None,
            breaks: Breaks::default(),
            passes: Vec::new(),
            group: None,
            waits: true,
        }
    }

    /// Returns the trace.
    #[must_use]
    pub fn trace(&self) -> &Arc<OpenTrace> {
        self.inquiry.trace()
    }

    /// What ends early whatever this session does, from any thread.
    #[must_use]
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// The frames of the trace.
    #[must_use]
    pub fn frames(&self) -> Vec<FrameInfo> {
        let reader = self.inquiry.reader();
        let frame = |index: usize| {
            let range = reader.frame(index)?;
            Some(FrameInfo { index, first_command: range.start, last_command: range.end.saturating_sub(1) })
        };
        (0..reader.frame_count()).filter_map(frame).collect()
    }

    /// The commands after the last frame, which are in none; the range may be empty.
    #[must_use]
    pub fn after_last_frame(&self) -> Range<u64> {
        self.inquiry.reader().after_last_frame()
    }

    /// The command after which a frame's picture is complete (see [`OpenTrace::shown_before`]); nothing if there is no such
    /// frame.
    #[must_use]
    pub fn frame_shown(&self, frame: usize) -> Option<u64> {
        self.inquiry.trace().shown_before(Some(frame)).ok()?.checked_sub(1)
    }

    /// The draws and dispatches of a frame.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn draws(&self, frame: usize) -> Result<Vec<Draw>, SessionError> {
        let reader = self.inquiry.reader();
        let missing = SessionError::NoSuchFrame { frame, count: reader.frame_count() };
        self.draws_in(reader.frame(frame).ok_or(missing)?)
    }

    /// The draws and dispatches of the frame that a command is in, or after the last frame if it is there.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn draws_beside(&self, command: u64) -> Result<Vec<Draw>, SessionError> {
        let reader = self.inquiry.reader();
        let range = reader.frame_of(command).and_then(|frame| reader.frame(frame));
        self.draws_in(range.unwrap_or_else(|| reader.after_last_frame()))
    }

    /// The draws and dispatches of some commands.
    pub(crate) fn draws_in(&self, range: Range<u64>) -> Result<Vec<Draw>, SessionError> {
        let reader = self.inquiry.reader();
        let mut draws = Vec::new();
        // A cursor leaves the cache of calls, which other sessions share, as it is.
        let mut calls = reader.calls();
        calls.seek(range.start);
        while calls.position() < range.end {
            let number = calls.position();
            let call = match calls.next() {
                Ok(Some(call)) => call,
                Ok(None) => break,
                // What was lost is not part of the trace.
                Err(trace::ReadError::Lost { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let Some(command) = call.command.map(api::command) else { continue };
            if matches!(command.role, Role::Draw | Role::Dispatch) {
                draws.push(self.listed(number, command.name, call.thread));
            }
        }
        Ok(draws)
    }

    /// The debug groups that are open at a command, the outermost first.
    #[must_use]
    pub fn groups(&self, command: u64) -> Vec<String> {
        let annotations = self.inquiry.trace().annotations();
        if annotations.is_empty() {
            return Vec::new();
        }
        let thread = self.inquiry.reader().call_at(command).map_or(0, |held| held.call().thread);
        annotations.groups(thread, command).iter().map(ToString::to_string).collect()
    }

    /// Returns what a command calls, and the debug groups that it is in: `glDrawArrays in "shadows"`.
    #[must_use]
    pub fn call_title(&self, command: u64) -> String {
        let (name, groups) = (self.call_name(command), self.groups(command));
        if groups.is_empty() { name } else { format!("{name} in {}", path_text(&groups)) }
    }

    /// A draw as lists have it.
    pub(crate) fn listed(&self, command: u64, name: impl Into<Cow<'static, str>>, thread: u32) -> Draw {
        let groups = self.inquiry.trace().annotations().groups(thread, command);
        let groups = groups.iter().map(ToString::to_string).collect();
        Draw { command, frame: self.inquiry.reader().frame_of(command), name: name.into(), groups }
    }

    /// Returns the name of the function that a command calls; empty if the trace has no such command.
    #[must_use]
    pub fn call_name(&self, command: u64) -> String {
        self.inquiry.reader().call_at(command).map_or(String::new(), |held| held.call().name().to_owned())
    }

    /// What is drawn to after a command; nothing if there is nothing to see.
    ///
    /// # Errors
    /// When the device gives no answer.
    pub fn picture(&mut self, command: u64) -> Result<Option<Picture>, SessionError> {
        self.control.tell(Activity::None, 0, None);
        Ok(self.inquiry.picture(command)?)
    }

    /// The texts of the shaders that run in a draw or dispatch, in the order of the pipeline.
    ///
    /// # Errors
    /// When no shaders run there.
    pub fn sources(&mut self, command: u64) -> Result<Vec<Source>, SessionError> {
        let work = self.work(command)?;
        Ok(work.stages.iter().map(|facts| bench::source_of(facts, &work.model)).collect())
    }

    /// Begins to walk through an invocation: it stands in front of its first statement. What was walked through before
    /// is left.
    ///
    /// # Errors
    /// When it is not there, or cannot be run.
    pub fn enter(&mut self, choice: &Choice) -> Result<Stop, SessionError> {
        self.control.tell(Activity::None, 0, None);
        let pass = self.begin(choice, &Changes::default(), None)?;
        self.passes.clear();
        self.passes.push(pass);
        self.stop(Reason::Entry)
    }

    /// Begins an invocation, with changes to what it is given.
    pub(crate) fn begin(
        &mut self,
        choice: &Choice,
        changes: &Changes,
        entered_by: Option<String>,
    ) -> Result<Pass, SessionError> {
        let producer = match choice {
            Choice::Pixel { frame, x, y } => {
                let (place, until) = self.shown_pixel(*frame, [*x, *y])?;
                self.producer(place, until)?
            }
            _ => choice.clone().into(),
        };
        self.begin_with(producer, changes, entered_by)
    }

    /// Begins an invocation. What was measured of it before is not asked for again.
    pub(crate) fn begin_with(
        &mut self,
        producer: Producer,
        changes: &Changes,
        entered_by: Option<String>,
    ) -> Result<Pass, SessionError> {
        let Producer { choice, measured, .. } = producer;
        let choice = &choice;
        let measured = measured.filter(|_| *changes == Changes::default());
        let mut others = measured.as_ref().map_or(0, |fragment| fragment.others);
        let changed_nothing = measured.as_ref().is_some_and(|fragment| fragment.changed_nothing);
        let known_inputs = measured.map(|fragment| self.keep_measured(*fragment)).transpose()?;
        let (command, stage, pick) = self.pick(choice)?;
        let bench = self.bench(command, stage, changes)?;
        let work = Arc::clone(&bench.work);
        // Invocations of dispatches are given their numbers, and nothing else.
        let (held, inputs, id) = if stage == Stage::Compute {
            let buffer = |inquiry: &mut Inquiry, name| inquiry.contents(&work).buffer(name);
            let size = work.dispatch_size(&mut self.inquiry, buffer)?;
            let invocation = [pick[0], pick[1], pick[2]].map(i32::cast_unsigned);
            (
                OwnedRun::workgroup(Arc::clone(&bench), size, invocation, self.control.signal())?,
                None,
                [pick[0], pick[1], pick[2], 0],
            )
        } else {
            let inputs = match known_inputs {
                Some(inputs) => inputs,
                None => {
                    let measured = self.ask_one(&work, stage, &Question::LiveIns, (pick, false), changes)?;
                    if stage == Stage::Fragment {
                        let all = measured.result.readings.len().max(measured.isolated.len());
                        others = (all as u32).saturating_sub(1);
                    }
                    if measured.result.readings.is_empty() {
                        return Err(self.absent(&work, stage, pick));
                    }
                    Inputs::new(stage, &measured)?
                }
            };
            let id = inputs.who;
            (OwnedRun::alone(Arc::clone(&bench), &inputs, self.control.signal())?, Some(inputs), id)
        };
        let name = match stage {
            Stage::Fragment if others > 0 && id[2] >= 0 => {
                format!("fragment {},{}, primitive {},", id[0], id[1], id[2])
            }
            Stage::Fragment => format!("fragment {},{}", id[0], id[1]),
            Stage::Vertex => format!("vertex {}", id[0]),
            Stage::Compute => format!("thread {},{},{}", id[0], id[1], id[2]),
            Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
                format!("{} of primitive {}", stage.name(), id[0])
            }
        };
        let groups: Vec<String> = match work.view() {
            Ok(view) => view.context.debug_groups.path().iter().map(ToString::to_string).collect(),
            Err(_) => Vec::new(),
        };
        let place = match groups.as_slice() {
            [] => format!("command {command}"),
            groups => format!("command {command}, in {}", path_text(groups)),
        };
        let invocation = Invocation {
            command,
            call: work.calls.name().to_owned(),
            frame: self.inquiry.reader().frame_of(command),
            stage: stage.name().to_owned(),
            program: work.facts(stage)?.program,
            id,
            name: format!("{name} of {} ({place})", work.calls.name()),
            groups,
            others,
            changed_nothing,
        };
        let choice = settled(choice, command, id);
        let pick = if inputs.is_some() { id } else { pick };
        let (edits, tape) = (Vec::new(), TapeState::Unasked);
        Ok(Pass { bench, held, invocation, choice, entered_by, inputs, pick, edits, tape })
    }

    /// Keeps a draw that was measured already, and its fragment stage ready to run. Returns the inputs of its fragment.
    fn keep_measured(&mut self, fragment: ProducingFragment) -> Result<Inputs, SessionError> {
        let ProducingFragment { draw, inputs, scene, .. } = fragment;
        if let Some(scene) = scene
            && !self.is_ready(draw.command, Stage::Fragment, &Changes::default())
        {
            let bench = Bench::of_scene(&draw, Stage::Fragment, &Changes::default(), scene)?;
            self.keep_bench(Arc::new(bench));
        }
        self.keep_work(draw);
        Ok(inputs)
    }

    /// Returns the draw, the stage and the identity of a choice, with -1 for what it leaves open.
    pub(crate) fn pick(&mut self, choice: &Choice) -> Result<(u64, Stage, [i32; 4]), SessionError> {
        let open = |number: Option<u32>| number.map_or(-1, u32::cast_signed);
        Ok(match choice {
            Choice::Pixel { frame, x, y } => {
                let (place, until) = self.shown_pixel(*frame, [*x, *y])?;
                let producer = self.producer(place, until)?;
                return self.pick(&producer.choice);
            }
            Choice::Fragment { command, x, y, primitive, sample, layer } => {
                let work = self.work(*command)?;
                let shader = &work.facts(Stage::Fragment)?.shader;
                let [width, height] = work.target.size;
                if *x >= width || *y >= height {
                    let (pixel, size) = ([*x, *y], work.target.size);
                    return Err(SessionError::OutsideOfTarget { pixel, size, command: Some(*command) });
                }
                let count = work.target.layers.max(1);
                if let Some(layer) = layer.filter(|layer| *layer >= count) {
                    return Err(SessionError::NoSuchLayer { layer, count, command: *command });
                }
                if sample.is_some() && !runs_for_each_sample(shader) {
                    return Err(SessionError::SamplesAlike { command: *command });
                }
                let sample = match (sample, layer) {
                    (None, None) => -1,
                    (sample, layer) => (sample.unwrap_or(0) + layer.unwrap_or(0) * LAYER).cast_signed(),
                };
                (*command, Stage::Fragment, [x.cast_signed(), y.cast_signed(), open(*primitive), sample])
            }
            Choice::Vertex { command, vertex, instance } => {
                (*command, Stage::Vertex, [vertex.cast_signed(), open(*instance), -1, -1])
            }
            Choice::Primitive { command, stage, primitive, invocation } => {
                (*command, stage.parse()?, [primitive.cast_signed(), open(*invocation), -1, -1])
            }
            Choice::Thread { command, id: [x, y, z] } => {
                (*command, Stage::Compute, [x.cast_signed(), y.cast_signed(), z.cast_signed(), -1])
            }
        })
    }

    /// A draw or dispatch.
    pub(crate) fn work(&mut self, command: u64) -> Result<Arc<DrawSnapshot>, SessionError> {
        if let Some(work) = self.works.get(&command) {
            return Ok(Arc::clone(work));
        }
        let work = self.inquiry.work(command)?;
        self.keep_work(Arc::clone(&work));
        Ok(work)
    }

    fn keep_work(&mut self, work: Arc<DrawSnapshot>) {
        if self.works.len() >= MOST_WORKS {
            self.works.clear();
        }
        self.works.insert(work.command, work);
    }

    /// A stage of a draw, ready to run.
    pub(crate) fn bench(&mut self, command: u64, stage: Stage, changes: &Changes) -> Result<Arc<Bench>, SessionError> {
        if let Some(bench) = self.benches.iter().find(|bench| bench.is(command, stage, changes)) {
            return Ok(Arc::clone(bench));
        }
        let work = self.work(command)?;
        let bench = Arc::new(Bench::new(&mut self.inquiry, &work, stage, changes)?);
        self.control.heed()?;
        self.keep_bench(Arc::clone(&bench));
        Ok(bench)
    }

    fn is_ready(&self, command: u64, stage: Stage, changes: &Changes) -> bool {
        self.benches.iter().any(|bench| bench.is(command, stage, changes))
    }

    fn keep_bench(&mut self, bench: Arc<Bench>) {
        if self.benches.len() >= MOST_BENCHES {
            self.benches.remove(0);
        }
        self.benches.push(bench);
    }
}

/// A choice with nothing left open.
fn settled(choice: &Choice, command: u64, id: [i32; 4]) -> Choice {
    let known = |number: i32| (number >= 0).then(|| number.cast_unsigned());
    match choice.clone() {
        Choice::Pixel { .. } => Choice::Fragment {
            command,
            x: id[0].max(0).cast_unsigned(),
            y: id[1].max(0).cast_unsigned(),
            primitive: known(id[2]),
            sample: None,
            layer: None,
        },
        Choice::Fragment { x, y, sample, layer, .. } => {
            Choice::Fragment { command, x, y, primitive: known(id[2]), sample, layer }
        }
        Choice::Vertex { vertex, .. } => Choice::Vertex { command, vertex, instance: known(id[1]) },
        Choice::Primitive { stage, primitive, .. } => {
            Choice::Primitive { command, stage, primitive, invocation: known(id[1]) }
        }
        thread @ Choice::Thread { .. } => thread,
    }
}

/// Returns whether a fragment shader runs once for each sample.
fn runs_for_each_sample(shader: &Shader) -> bool {
    mentions(shader, "gl_SampleID")
}

/// Returns whether a fragment shader may discard.
pub(crate) fn may_discard(shader: &Shader) -> bool {
    mentions(shader, "discard")
}

/// Returns whether a word is in a shader, after preprocessing.
fn mentions(shader: &Shader, word: &str) -> bool {
    let symbol = shader.preprocessed.symbols.find(word);
    symbol.is_some_and(|symbol| shader.preprocessed.tokens.iter().any(|token| token.symbol == symbol))
}
