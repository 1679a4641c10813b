//! A trace, opened for debugging.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{Role, id};
use device::{BoxedDevice, Changes};
use inquiry::{Inputs, Inquiry, InquiryError, Work};
use instrument::stream::LAYER;
use instrument::{Naming, Question};
use open_trace::OpenTrace;
use recall::ProducingFragment;
use reenact::Contents as _;
use shader::version::Stage;
use state::objects::buffer::Point;

use crate::bench::{self, Bench};
use crate::breaks::Breaks;
use crate::control::{Activity, Control};
use crate::data::choice::{Choice, Edit};
use crate::data::place::{Invocation, Source};
use crate::data::stop::{Reason, Stop};
use crate::data::trace::{Draw, FrameInfo, Picture};
use crate::group::Group;
use crate::held::{DispatchSize, Held};
use crate::past::Producer;
use crate::tape::Tape;

/// Words that a device may record of an invocation, with room for others that answer to the same number. Records of one
/// word become a hundred bytes and more when they are looked at.
const MOST_WORDS: u64 = 1 << 24;

/// Runs of a draw to see what a device says beside the emulator, where it must be asked over and over: nobody waits longer.
const MOST_RUNS: u32 = 256;

/// Draws whose state is kept ready.
const MOST_WORKS: usize = 64;

/// Stages of draws that are kept ready to run.
const MOST_BENCHES: usize = 16;

/// Why something cannot be done, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The trace cannot be read, or the device gives no answer.
    #[error(transparent)]
    Inquiry(#[from] inquiry::InquiryError),
    /// Who wrote something cannot be found out.
    #[error(transparent)]
    Recall(#[from] recall::RecallError),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// Our front end does not take the shader.
    #[error("the {stage} shader of program {program} cannot be debugged: {why}")]
    Refused {
        /// Its stage.
        stage: &'static str,
        /// Its program.
        program: u32,
        /// The first thing that is wrong with it.
        why: String,
    },
    /// What was chosen is not there.
    #[error("{0}")]
    NotThere(String),
    /// No invocation was chosen.
    #[error("no invocation is being debugged: choose one first")]
    NoInvocation,
    /// An expression is wrong, or cannot be evaluated.
    #[error("`{text}` has no value here: {why}")]
    Expression {
        /// The expression.
        text: String,
        /// Why.
        why: String,
    },
    /// A value cannot be set.
    #[error("{0}")]
    Change(String),
    /// The shader does not end.
    #[error("the shader did not come to a stop within a billion blocks: it may be endless")]
    Endless,
    /// Somebody did not want to wait.
    #[error("it was interrupted before there was an answer")]
    Interrupted,
    /// The emulator failed.
    #[error("the emulator failed on this invocation: choose another, or leave the session and report this trace")]
    Died,
}

impl SessionError {
    /// Whether somebody ended it ([`Control::interrupt`]), and nothing is wrong.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        match self {
            SessionError::Interrupted => true,
            SessionError::Inquiry(error) | SessionError::Recall(recall::RecallError::Inquiry(error)) => {
                error.is_interruption()
            }
            _ => false,
        }
    }
}

impl From<instrument::InspectError> for SessionError {
    fn from(error: instrument::InspectError) -> SessionError {
        SessionError::Inquiry(error.into())
    }
}

/// An open trace, and the invocation that is walked through.
pub struct Session {
    pub(crate) inquiry: Inquiry,
    pub(crate) control: Control,
    works: BTreeMap<u64, Arc<Work>>,
    pub(crate) benches: Vec<Arc<Bench>>,
    /// Who wrote what, once somebody asked.
    pub(crate) known: Option<recall::Known>,
    pub(crate) breaks: Breaks,
    /// From the chosen invocation to the one that is walked through.
    pub(crate) passes: Vec<Pass>,
    /// All fragments of a draw, where they are walked through together.
    pub(crate) group: Option<Group>,
}

/// An invocation that was entered.
pub(crate) struct Pass {
    pub bench: Arc<Bench>,
    pub held: Held,
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

/// What is known of the device's recording.
pub(crate) enum TapeState {
    /// Nobody asked yet.
    Unasked,
    /// There is one.
    There(Box<Tape>),
    /// There is none, in words why.
    None(String),
}

impl Session {
    /// Starts a session on a trace and a device. Nothing is asked of the device before it is needed.
    #[must_use]
    pub fn new(trace: Arc<OpenTrace>, device: BoxedDevice) -> Session {
        let mut inquiry = Inquiry::new(trace, device);
        inquiry.limit(instrument::inspect::Limits { words: MOST_WORDS, runs: MOST_RUNS });
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

    /// The draws and dispatches of a frame.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn draws(&self, frame: usize) -> Result<Vec<Draw>, SessionError> {
        let reader = self.inquiry.reader();
        let range = reader.frame(frame).ok_or_else(|| {
            SessionError::NotThere(format!("there is no frame {frame}; the trace has {}", reader.frame_count()))
        })?;
        let mut draws = Vec::new();
        for number in range {
            let held = match reader.call_at(number) {
                Ok(held) => held,
                // What was lost is not part of the trace.
                Err(trace::ReadError::Lost { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let Some(command) = held.call().command.map(api::command) else { continue };
            if matches!(command.role, Role::Draw | Role::Dispatch) {
                draws.push(Draw { command: number, frame, name: command.name.to_owned() });
            }
        }
        Ok(draws)
    }

    /// What is drawn to after a command; nothing if there is nothing to see.
    ///
    /// # Errors
    /// When the device gives no answer.
    pub fn picture(&mut self, command: u64) -> Result<Option<Picture>, SessionError> {
        self.control.tell(Activity::None, 0, None);
        let picture = self.inquiry.picture(command)?;
        Ok(picture.map(|picture| Picture { width: picture.width, height: picture.height, rgba: picture.rgba }))
    }

    /// The texts of the shaders that run in a draw or dispatch, in the order of the pipeline.
    ///
    /// # Errors
    /// When no shaders run there.
    pub fn sources(&mut self, command: u64) -> Result<Vec<Source>, SessionError> {
        let work = self.work(command)?;
        Ok(work.stages.iter().map(bench::source_of).collect())
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
                let (_, place, until) = self.shown_pixel(*frame, [*x, *y])?;
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
        let Producer { choice, measured } = producer;
        let choice = &choice;
        let measured = measured.filter(|_| *changes == Changes::default());
        let known_inputs = measured.map(|fragment| self.keep_measured(*fragment)).transpose()?;
        let (command, stage, pick) = self.pick(choice)?;
        let bench = self.bench(command, stage, changes)?;
        let work = Arc::clone(&bench.work);
        // Invocations of dispatches are given their numbers, and nothing else.
        let (held, inputs, id) = if stage == Stage::Compute {
            let size = self.dispatch_size(&work)?;
            let invocation = [pick[0], pick[1], pick[2]].map(i32::cast_unsigned);
            (
                Held::workgroup(Arc::clone(&bench), size, invocation, self.control.signal())?,
                None,
                [pick[0], pick[1], pick[2], 0],
            )
        } else {
            let inputs = match known_inputs {
                Some(inputs) => inputs,
                None => {
                    let measured = self.ask_one(&work, stage, &Question::LiveIns, pick, changes)?;
                    Inputs::new(stage, &measured.result).map_err(InquiryError::from)?
                }
            };
            let id = inputs.who;
            (Held::alone(Arc::clone(&bench), &inputs, self.control.signal())?, Some(inputs), id)
        };
        let name = match stage {
            Stage::Fragment => format!("fragment {},{}", id[0], id[1]),
            Stage::Vertex => format!("vertex {}", id[0]),
            Stage::Compute => format!("thread {},{},{}", id[0], id[1], id[2]),
            Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
                format!("{} of primitive {}", stage.name(), id[0])
            }
        };
        let invocation = Invocation {
            command,
            call: work.calls.name().to_owned(),
            frame: self.inquiry.reader().frame_of(command),
            stage: stage.name().to_owned(),
            program: work.facts(stage)?.program,
            id,
            name: format!("{name} of {} (command {command})", work.calls.name()),
        };
        let choice = settled(choice, command, id);
        let pick = if inputs.is_some() { id } else { pick };
        let (edits, tape) = (Vec::new(), TapeState::Unasked);
        Ok(Pass { bench, held, invocation, choice, entered_by, inputs, pick, edits, tape })
    }

    /// Keeps a draw that was measured already, and its fragment stage ready to run. Returns the inputs of its fragment.
    fn keep_measured(&mut self, fragment: ProducingFragment) -> Result<Inputs, SessionError> {
        let ProducingFragment { draw, inputs, scene } = fragment;
        if let Some(scene) = scene
            && !self.is_ready(draw.command, Stage::Fragment, &Changes::default())
        {
            let bench = Bench::of_scene(&draw, Stage::Fragment, &Changes::default(), scene)?;
            self.keep_bench(Arc::new(bench));
        }
        self.keep_work(draw);
        Ok(inputs)
    }

    /// Who is meant: the draw, the stage, and the identity with -1 for what is left open.
    fn pick(&mut self, choice: &Choice) -> Result<(u64, Stage, [i32; 4]), SessionError> {
        let open = |number: Option<u32>| number.map_or(-1, u32::cast_signed);
        Ok(match choice {
            Choice::Pixel { .. } => {
                let text = "a pixel has to be resolved to the fragment that wrote it first";
                return Err(SessionError::NotThere(text.to_owned()));
            }
            Choice::Fragment { command, x, y, primitive, sample, layer } => {
                let work = self.work(*command)?;
                let [width, height] = work.target.size;
                if *x >= width || *y >= height {
                    let text = format!(
                        "pixel {x},{y} is outside of what command {command} draws to, which has {width} x {height} pixels"
                    );
                    return Err(SessionError::NotThere(text));
                }
                let sample = match (sample, layer) {
                    (None, None) => -1,
                    (sample, layer) => (sample.unwrap_or(0) + layer.unwrap_or(0) * LAYER).cast_signed(),
                };
                // Fragments that cannot say which primitive they are of are asked without.
                let shader = &work.facts(Stage::Fragment)?.shader;
                let numbered = instrument::names_primitive(shader, &work.device) != Naming::Nothing;
                let primitive = open(primitive.filter(|_| numbered));
                (*command, Stage::Fragment, [x.cast_signed(), y.cast_signed(), primitive, sample])
            }
            Choice::Vertex { command, vertex, instance } => {
                (*command, Stage::Vertex, [vertex.cast_signed(), open(*instance), -1, -1])
            }
            Choice::Primitive { command, stage, primitive, invocation } => {
                let stage = stage_named(stage)?;
                (*command, stage, [primitive.cast_signed(), open(*invocation), -1, -1])
            }
            Choice::Thread { command, id: [x, y, z] } => {
                (*command, Stage::Compute, [x.cast_signed(), y.cast_signed(), z.cast_signed(), -1])
            }
        })
    }

    /// How large a dispatch is.
    fn dispatch_size(&mut self, work: &Work) -> Result<DispatchSize, SessionError> {
        let (command, name, args) = {
            let held = self.inquiry.reader().call_at(work.command)?;
            (held.call().command, held.call().name().to_owned(), held.call().args.to_vec())
        };
        let three = |from: usize| std::array::from_fn(|at| args.get(from + at).map_or(1, |word| *word as u32));
        let unknown =
            |why: &str| SessionError::NotThere(format!("how many workgroups {name} has cannot be told: {why}"));
        match command {
            Some(id::glDispatchCompute) => Ok(DispatchSize { groups: three(0), group_size: None }),
            Some(id::glDispatchComputeGroupSizeARB) => {
                Ok(DispatchSize { groups: three(0), group_size: Some(three(3)) })
            }
            Some(id::glDispatchComputeIndirect) => {
                let bound = work.view()?.context.buffers.get(Point::DispatchIndirect);
                let bytes = self.inquiry.contents(work).buffer(bound.name).map_err(|why| unknown(&why))?;
                let from = args.first().map_or(0, |from| *from as usize);
                let word = |at: usize| bytes.get(from + 4 * at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
                match (word(0), word(1), word(2)) {
                    (Some(x), Some(y), Some(z)) => Ok(DispatchSize { groups: [x, y, z], group_size: None }),
                    _ => Err(unknown("the buffer ends before its numbers")),
                }
            }
            _ => Err(unknown("it is not known")),
        }
    }

    /// A draw or dispatch.
    pub(crate) fn work(&mut self, command: u64) -> Result<Arc<Work>, SessionError> {
        if let Some(work) = self.works.get(&command) {
            return Ok(Arc::clone(work));
        }
        let work = self.inquiry.work(command)?;
        self.keep_work(Arc::clone(&work));
        Ok(work)
    }

    fn keep_work(&mut self, work: Arc<Work>) {
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

/// A stage by its name, with or without spaces.
fn stage_named(text: &str) -> Result<Stage, SessionError> {
    let plain = |text: &str| text.replace([' ', '-', '_'], "").replace("tessellation", "tess");
    let found = Stage::ALL.into_iter().find(|stage| plain(stage.name()) == plain(text));
    found.ok_or_else(|| {
        let text = "the stages are vertex, tesscontrol, tessevaluation, geometry, fragment and compute";
        SessionError::NotThere(text.to_owned())
    })
}
