//! A trace open for questions.
//!
//! [`Inquiry`] holds a trace and a worker with a driver in it. [`DrawSnapshot`] is one draw or dispatch of the trace: which
//! shaders run, with which state. Questions about it are asked of the device ([`Inquiry::measure`]) or of the emulator
//! ([`Inquiry::emulate`]), in the same words; crate [`verdict`] compares the answers, and [`Inquiry::settle`] records an
//! invocation again to find out whether a difference is one that the specification allows.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod blocks;
mod dispatch;
mod emulated;
mod error;
mod inputs;
mod isolation;
mod moments;
mod programs;
mod remote;
mod rows;
mod settle;
mod sources;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use device::{
    Answer, BoxedDevice, Changes, Checked, Control, DeviceError, ImageRef, Isolated, Object, Picture, Rectangle, Reply,
    Target,
};
use instrument::inspect::{Ask, Identity, InspectResult, Inspector, Unfinished};
use instrument::{Device as Capabilities, InspectContext, InspectError, Naming, Question, Scope, Subject};
use open_trace::{DrawCalls, DrawError, OpenTrace, StageShader};
use reenact::{Contents, DeviceQuirks};
use shader::version::Stage;
use state::{Model, View};
use trace::Reader;

pub use blocks::{BlockMap, Mask};
pub use dispatch::{DispatchSize, UnknownSize};
pub use emulated::{Emulated, Quad, Shaded, Shading, Waves, spread};
pub use error::InquiryError;
pub use inputs::{Inputs, Lane};
pub use isolation::Isolation;
pub use remote::RemoteContents;
pub use rows::Rows;
pub use settle::Settled;

/// Variants kept ready.
const VARIANTS: usize = 256;

/// Words of a stream that there is room for where each record comes once and answers are short.
const FEW: u32 = 32;

/// Invocations that are emulated between two looks at how far it is.
const PART: usize = 16384;

/// What an image or object holds: its planes, or why they cannot be read.
pub type ReadPlanes = Result<Vec<reenact::Plane>, String>;

/// A trace and a device.
pub struct Inquiry {
    trace: Arc<OpenTrace>,
    device: BoxedDevice,
    control: Control,
    inspector: Inspector,
    emulation: Inspector,
    sources: sources::Sources,
    isolation: Isolation,
    known_primitive: Option<isolation::KnownPrimitive>,
    block_variants: blocks::BlockVariants,
    programs: Arc<programs::ProgramCache>,
    /// What the device could do at the last draw: the next ones share its texts.
    capabilities: Option<Capabilities>,
}

/// A draw or dispatch.
pub struct DrawSnapshot {
    /// The call that stands for it.
    pub command: u64,
    /// The calls that it is.
    pub calls: DrawCalls,
    /// The stages that run, in pipeline order.
    pub stages: Arc<Vec<StageShader>>,
    /// The state before it.
    pub model: Model,
    /// What the device can do.
    pub device: Capabilities,
    /// How the device does what the specifications leave to it; the emulator does likewise.
    pub manner: DeviceQuirks,
    /// What it draws to.
    pub target: Target,
    /// What changes while it is drawn.
    moments: moments::Moments,
}

/// An answer from the device, and what it cost.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The answer.
    pub result: InspectResult,
    /// Seconds it took to build programs, and in all, over all runs.
    pub seconds: (f64, f64),
    /// What was not as recorded.
    pub notes: Vec<String>,
    /// Ways out that the driver did not take.
    pub rejected: Vec<Rejection>,
    /// The primitives that were isolated, if any were: the third word of an identity is a place in this list.
    pub isolated: Vec<Isolated>,
    /// Whether every invocation answered, and not only the last fragment that stays at a pixel.
    pub every: bool,
    /// Whether fragments are in the order in which they were drawn, because each was drawn by itself.
    pub in_order: bool,
    /// How rows are counted. Identities have rows from below all the same.
    pub rows: Rows,
}

/// A variant that the driver does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// How its answers would have come out.
    pub transport: instrument::Transport,
    /// What the driver said.
    pub log: String,
    /// The file that its text is in.
    pub path: Option<PathBuf>,
}

impl Inquiry {
    /// Makes an inquiry into a trace on a device.
    #[must_use]
    pub fn new(trace: Arc<OpenTrace>, device: BoxedDevice) -> Inquiry {
        Inquiry {
            programs: trace.shared(),
            trace,
            device,
            control: Control::default(),
            inspector: Inspector::new(instrument::weave, VARIANTS),
            emulation: Inspector::new(instrument::weave, VARIANTS),
            sources: sources::Sources::default(),
            isolation: Isolation::default(),
            known_primitive: None,
            block_variants: blocks::BlockVariants::default(),
            capabilities: None,
        }
    }

    /// Returns the trace.
    #[must_use]
    pub fn trace(&self) -> &Arc<OpenTrace> {
        &self.trace
    }

    /// Returns the reader of the trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        self.trace.reader()
    }

    /// Returns the handle that interrupts questions to the device, and knows how far it is.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// What answers of the device may cost from now on.
    pub fn limit(&mut self, limits: instrument::inspect::Limits) {
        self.inspector.limit(limits);
    }

    /// Asks with room for so many words of the answers of many invocations: the others are counted as missed.
    pub fn within<R>(&mut self, words: u64, ask: impl FnOnce(&mut Inquiry) -> R) -> R {
        let before = self.inspector.limit_every(words);
        let answer = ask(self);
        self.inspector.limit_every(before);
        answer
    }

    /// Checks between questions whether the user interrupted.
    ///
    /// # Errors
    /// When the control was interrupted.
    pub fn heed(&self) -> Result<(), InquiryError> {
        if self.control.is_interrupted() { Err(DeviceError::Interrupted.into()) } else { Ok(()) }
    }

    fn ask(&mut self, ask: &device::Ask) -> Result<Reply, InquiryError> {
        Ok(self.device.ask(ask, &self.control)?)
    }

    /// The state after a command.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn state_after(&self, command: u64) -> Result<Model, InquiryError> {
        Ok(self.trace.state_after(command)?)
    }

    /// Keeps the text of every shader that is made, in a folder.
    pub fn keep_sources(&mut self, folder: &Path) {
        self.sources.keep(folder);
    }

    /// Makes the driver refuse variants with these transports, by text that is no GLSL: for tests of what happens then.
    pub fn spoil(&mut self, transports: &[String]) {
        self.sources.spoil(transports);
    }

    /// How often variants were known from before.
    #[must_use]
    pub fn statistics(&self) -> instrument::inspect::CacheStatistics {
        self.inspector.statistics()
    }

    /// The picture that is drawn to after a command; none if there is nothing to see.
    ///
    /// # Errors
    /// When the worker gives none.
    pub fn picture(&mut self, command: u64) -> Result<Option<Picture>, InquiryError> {
        let ask = device::Ask::Picture { command, everything: false };
        let Reply { answer, bytes: rgba } = self.ask(&ask)?;
        match answer {
            Answer::Picture { size } => Ok(size.map(|[width, height]| Picture { width, height, rgba })),
            other => Err(DeviceError::unexpected(&ask, &other).into()),
        }
    }

    /// Whether everything is as it should be, after whatever was asked: the driver's state after a command, and then the
    /// rest of the trace.
    ///
    /// # Errors
    /// When the worker cannot go on.
    pub fn check(&mut self, command: u64) -> Result<Checked, InquiryError> {
        let ask = device::Ask::Check { command };
        match self.ask(&ask)?.answer {
            Answer::Checked(checked) => Ok(checked),
            other => Err(DeviceError::unexpected(&ask, &other).into()),
        }
    }

    /// A draw or dispatch; any call between `glBegin` and `glEnd` stands for that draw.
    ///
    /// # Errors
    /// When it is none, or no shaders run there.
    pub fn work(&mut self, command: u64) -> Result<Arc<DrawSnapshot>, InquiryError> {
        Ok(self.work_seeing(command, |_| Ok(Vec::new()))?.0)
    }

    /// A draw or dispatch, and what images hold before it in rectangles, which are chosen when its state is known.
    ///
    /// # Errors
    /// When it is none, or no shaders run there.
    pub fn work_seeing(
        &mut self,
        command: u64,
        images: impl FnOnce(&View<'_>) -> Result<Vec<(ImageRef, Rectangle)>, InquiryError>,
    ) -> Result<(Arc<DrawSnapshot>, Vec<ReadPlanes>), InquiryError> {
        let calls = self.trace.draw_calls(command)?;
        let model = self.trace.chronicle().before(*calls.range.start())?;
        let view = model.view(calls.thread).ok_or(DrawError::NoContext { command })?;
        let stages = self.trace.stages(&view, calls.work).map_err(|error| InquiryError::of_shaders(command, error))?;
        let ask = device::Ask::Draw { command, images: images(&view)? };
        let Reply { answer, bytes } = self.ask(&ask)?;
        let (device, names, target, objects) = match answer {
            Answer::Draw { device, renderer, version, target, objects } => {
                (device, (renderer, version), target, objects)
            }
            other => return Err(DeviceError::unexpected(&ask, &other).into()),
        };
        // The driver gets such shaders with `highp` throughout.
        let halves = converts_half_floats() && !view.context.facts.has_one_precision();
        let manner = DeviceQuirks::of((&names.0, &names.1), halves, target.surface);
        let moments = moments::Moments::of(&model, &calls, self.trace.reader());
        let known = self.capabilities.take().filter(|known| *known == *device);
        let device = self.capabilities.insert(known.unwrap_or(*device)).clone();
        let work = DrawSnapshot { command, calls, stages, model, device, manner, target, moments };
        Ok((Arc::new(work), remote::planes(objects, &bytes)))
    }

    /// How long a draw takes by itself, in seconds.
    ///
    /// # Errors
    /// When it cannot be run again.
    pub fn alone(&mut self, work: &DrawSnapshot) -> Result<f64, InquiryError> {
        let ask = device::Ask::Alone { command: work.command };
        match self.ask(&ask)?.answer {
            Answer::Alone { seconds } => Ok(seconds),
            other => Err(DeviceError::unexpected(&ask, &other).into()),
        }
    }

    /// Asks the device. Rows of fragments are counted from below, whatever the shader does.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn measure(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        question: &Question,
        ask: &Ask,
        changes: &Changes,
    ) -> Result<Measured, InquiryError> {
        Ok(self.measure_some((work, stage), question, ask, changes, (None, usize::MAX))?.0)
    }

    /// The same, but at most some further parts of a recording that is made in parts, from its beginning: see
    /// [`Inspector::ask_some`].
    ///
    /// # Errors
    /// When there is no answer.
    pub fn measure_some(
        &mut self,
        (work, stage): (&DrawSnapshot, Stage),
        question: &Question,
        ask: &Ask,
        changes: &Changes,
        begun: (Option<Unfinished>, usize),
    ) -> Result<(Measured, Option<Unfinished>), InquiryError> {
        let (subject, rows) = (work.subject(stage)?, Rows::of(work, stage));
        let ask = Ask { pick: rows.turned(ask.pick), ..ask.clone() };
        let expected = if stage == Stage::Vertex { vertices(work, self.trace.reader()) } else { None };
        let mut remote = remote::Remote::new(self.device.as_mut(), &self.control, work, changes, &mut self.sources);
        remote.expected = expected;
        let result = self.inspector.ask_some(&mut remote, subject, question, &ask, begun);
        let remote::Account { seconds, notes, failure, isolated } = remote.account();
        match (result, failure) {
            (Ok((mut result, unfinished)), _) => {
                result.readings.iter_mut().for_each(|(who, _)| *who = rows.turned(*who));
                let rejected = result.rejected.iter().map(|(transport, log)| {
                    let path = self.sources.path(work.command, *transport, stage);
                    Rejection { transport: *transport, log: log.clone(), path }
                });
                let every = result.transport.answers_for_every();
                let (rejected, in_order) = (rejected.collect(), false);
                Ok((Measured { result, seconds, notes, rejected, isolated, every, in_order, rows }, unfinished))
            }
            (Err(InspectError::Rejected { log, .. }), None) => {
                let path = self.sources.last().unwrap_or_default();
                Err(InquiryError::Rejected { log: log.trim().to_owned(), path })
            }
            // What became of the worker says more than that there is no answer.
            (Err(_), Some(failure)) => Err(failure.into()),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// What an invocation's stage was given, measured on the device: what the emulator needs to run it.
    ///
    /// # Errors
    /// When there is no such invocation, or no answer.
    pub fn inputs(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        pick: [i32; 4],
        changes: &Changes,
    ) -> Result<Inputs, InquiryError> {
        let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
        let measured = self.measure(work, stage, &Question::LiveIns, &ask, changes)?;
        Ok(Inputs::new(stage, &measured)?)
    }

    /// What all invocations of a stage were given; of fragments, those that stay.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn all_inputs(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        changes: &Changes,
    ) -> Result<Vec<Inputs>, InquiryError> {
        let ask = Ask { scope: instrument::Scope::All, pick: [-1; 4], transport: None };
        let changes = Changes { untimed: true, ..changes.clone() };
        let measured = self.measure(work, stage, &Question::LiveIns, &ask, &changes)?;
        whole(&measured.result, stage)?;
        Ok(Inputs::all(stage, &measured))
    }

    /// What comes out of all fragments of a draw in a rectangle, whatever becomes of them, in the order in which they were
    /// drawn.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn outputs(&mut self, work: &DrawSnapshot, rectangle: Rectangle) -> Result<Measured, InquiryError> {
        let ask = Ask { scope: Scope::At, pick: [-1; 4], transport: None };
        let changes = Changes { listing: Some(rectangle), ..Changes::default() };
        self.measure(work, Stage::Fragment, &Question::Outputs, &ask, &changes)
    }

    /// Returns what images hold in rectangles before a command, or why it cannot be read.
    ///
    /// # Errors
    /// When the worker gives no answer.
    pub fn look(&mut self, command: u64, images: Vec<(ImageRef, Rectangle)>) -> Result<Vec<ReadPlanes>, InquiryError> {
        self.planes(&device::Ask::Look { command, images })
    }

    /// Returns a pixel of a draw buffer after a command, in a format and type, as pictures show it, or why it cannot be
    /// read.
    ///
    /// # Errors
    /// When the worker gives no answer.
    pub fn pixel(
        &mut self,
        command: u64,
        buffer: u32,
        at: [u32; 2],
        form: [u32; 2],
    ) -> Result<ReadPlanes, InquiryError> {
        Ok(one(self.planes(&device::Ask::Pixel { command, buffer, at, form })?))
    }

    /// Asks for contents.
    fn planes(&mut self, ask: &device::Ask) -> Result<Vec<ReadPlanes>, InquiryError> {
        let Reply { answer, bytes } = self.ask(ask)?;
        match answer {
            Answer::Contents { objects } => Ok(remote::planes(objects, &bytes)),
            other => Err(DeviceError::unexpected(ask, &other).into()),
        }
    }

    /// Returns what an object holds after a command, or why it cannot be read. It is named as in a context.
    ///
    /// # Errors
    /// When the worker gives no answer.
    pub fn object(&mut self, command: u64, context: u32, object: Object) -> Result<ReadPlanes, InquiryError> {
        Ok(one(self.planes(&device::Ask::Read { command, context, object })?))
    }

    /// What the trace itself says of a region of an image before a command, as [`chronicle::Chronicle::texels`] does.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn texels(
        &mut self,
        command: u64,
        image: (usize, state::ContentsRef),
        region: state::Region,
        aspect: state::records::Aspect,
    ) -> Result<Vec<chronicle::TexelPiece>, InquiryError> {
        Ok(self.trace.chronicle().texels(command, image, region, aspect)?)
    }

    /// What textures and buffers hold before a draw.
    pub fn contents(&mut self, work: &DrawSnapshot) -> RemoteContents<'_> {
        RemoteContents::new(self.device.as_mut(), &self.control, work.command)
    }

    /// Asks the emulator a question that takes one record of each sort, of many invocations; `step` is told how many are
    /// done.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn emulate_all(
        &mut self,
        work: &DrawSnapshot,
        emulated: &mut Emulated<'_>,
        question: &Question,
        inputs: &[Inputs],
        step: &mut dyn FnMut(usize),
    ) -> Result<InspectResult, InquiryError> {
        let subject = work.subject(emulated.stage())?;
        let made = |words| {
            let way = instrument::Transport::Memory(words);
            instrument::weave(subject, question, instrument::Scope::One, emulated.device(), way)
        };
        let mut variant = made(FEW).map_err(InspectError::from)?;
        // Each record comes once.
        let records: u32 = variant.layout.sites.iter().map(|site| 1 + site.words).sum();
        let words = instrument::stream::HEADER + records;
        if words > FEW {
            variant = made(words).map_err(InspectError::from)?;
        }
        let mut readings = Vec::with_capacity(inputs.len());
        for part in inputs.chunks(PART) {
            let answers = emulated.answers(&variant, part)?;
            for (inputs, words) in part.iter().zip(answers) {
                if !words.is_empty() {
                    readings.push((inputs.who, variant.layout.decode(&words)?));
                }
            }
            step(readings.len());
        }
        let transport = variant.transport;
        Ok(InspectResult { transport, readings, missed: 0, sum: None, runs: 1, cached: false, rejected: Vec::new() })
    }

    /// A stage of a draw as the emulator runs it; its uniforms have the values that they begin with.
    ///
    /// # Errors
    /// When there is no such stage, or the emulator does not take it.
    pub fn program(&mut self, work: &DrawSnapshot, stage: Stage) -> Result<pipeline::Program, InquiryError> {
        Ok(self.programs.get(&work.view()?, work.facts(stage)?, work.manner)?)
    }

    /// The draw on the CPU, for invocations that were given inputs like these, with the same changes.
    ///
    /// # Errors
    /// When contents cannot be had.
    pub fn emulated<'w>(
        &mut self,
        work: &'w DrawSnapshot,
        stage: Stage,
        inputs: Inputs,
        changes: &Changes,
    ) -> Result<Emulated<'w>, InquiryError> {
        let program = self.program(work, stage)?;
        let mut contents = RemoteContents::new(self.device.as_mut(), &self.control, work.command);
        let scene = work.scene(stage, program, &mut contents)?;
        Ok(Emulated::new(work, stage, inputs, scene, changes)?)
    }

    /// The same for a caller that has the scene, as it was recorded.
    ///
    /// # Errors
    /// When there is no context.
    pub fn emulated_in<'w>(
        &self,
        work: &'w DrawSnapshot,
        stage: Stage,
        inputs: Inputs,
        scene: reenact::Scene,
    ) -> Result<Emulated<'w>, InquiryError> {
        Ok(Emulated::new(work, stage, inputs, scene, &Changes::default())?)
    }

    /// Asks the emulator.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn emulate(
        &mut self,
        work: &DrawSnapshot,
        emulated: &mut Emulated<'_>,
        question: &Question,
    ) -> Result<InspectResult, InquiryError> {
        let way = instrument::Transport::Memory(emulated::WINDOW);
        let ask = Ask { scope: instrument::Scope::One, pick: emulated.pick(), transport: Some(way) };
        let subject = work.subject(emulated.stage())?;
        Ok(self.emulation.ask(emulated, subject, question, &ask)?)
    }
}

/// The contents of the one object or image that was asked for.
fn one(all: Vec<ReadPlanes>) -> ReadPlanes {
    all.into_iter().next().unwrap_or_else(|| Err("the device returned no contents".to_owned()))
}

/// Returns how many vertices a draw has, about, where its arguments say so.
fn vertices(work: &DrawSnapshot, reader: &Reader) -> Option<u32> {
    let held = reader.call_at(*work.calls.range.end()).ok()?;
    let call = held.call();
    let command = call.command.map(api::command).filter(|command| !command.has(api::Trait::Multi))?;
    let argument = |name| command.param(name).and_then(|at| call.args.get(at)).map(|word| *word as u32);
    let instances = argument("instancecount").or_else(|| argument("primcount")).unwrap_or(1);
    Some(argument("count")?.saturating_mul(instances.max(1)))
}

/// Checks that no invocation is missing because there was no room for its answer.
///
/// # Errors
/// When one is.
pub fn whole(result: &InspectResult, stage: Stage) -> Result<(), InspectError> {
    let all = result.readings.len() as u64 + u64::from(result.missed);
    match result.missed {
        0 => Ok(()),
        _ => {
            Err(InspectError::Failed(format!("{all} {} invocations are more than can be asked at once", stage.name())))
        }
    }
}

/// Whether this machine's processor, which is the worker's too, converts half-precision numbers.
fn converts_half_floats() -> bool {
    #[cfg(target_arch = "x86_64")]
    let found = std::is_x86_feature_detected!("f16c");
    #[cfg(not(target_arch = "x86_64"))]
    let found = false;
    found
}

impl DrawSnapshot {
    /// A stage that runs.
    ///
    /// # Errors
    /// When it does not.
    pub fn facts(&self, stage: Stage) -> Result<&StageShader, InquiryError> {
        let missing = InquiryError::NoStage { command: self.command, stage };
        self.stages.iter().find(|facts| facts.stage == stage).ok_or(missing)
    }

    /// Returns whether fragments can say which primitive they are of.
    #[must_use]
    pub fn names_primitives(&self) -> bool {
        let naming = self.facts(Stage::Fragment).map(|facts| instrument::names_primitive(&facts.shader, &self.device));
        naming.is_ok_and(|naming| naming != Naming::Nothing)
    }

    /// The identity that an invocation answers to: fragments that cannot name their primitive answer without it.
    #[must_use]
    pub fn answering(&self, stage: Stage, [x, y, primitive, sample]: Identity) -> Identity {
        let unnamed = stage == Stage::Fragment && !self.names_primitives();
        [x, y, if unnamed { -1 } else { primitive }, sample]
    }

    /// The shader of a stage.
    ///
    /// # Errors
    /// When there is none.
    pub fn subject(&self, stage: Stage) -> Result<Subject<'_>, InquiryError> {
        self.facts(stage).map(StageShader::subject)
    }

    /// How a question about one invocation is asked: fragments of several layers have to tell theirs.
    #[must_use]
    pub fn scope_of_one(&self, stage: Stage) -> Scope {
        if stage == Stage::Fragment && self.target.layers > 1 { Scope::At } else { Scope::One }
    }

    /// Everything that a stage of it finds around it on the emulator.
    ///
    /// # Errors
    /// When there is no such stage or no context.
    pub fn scene(
        &self,
        stage: Stage,
        program: pipeline::Program,
        contents: &mut dyn Contents,
    ) -> Result<reenact::Scene, InquiryError> {
        let program = (program, self.facts(stage)?.uniforms());
        let mut scene = reenact::Scene::new(&self.view()?, self.calls.work, program, contents, self.manner);
        self.moments.give(stage, &mut scene);
        Ok(scene)
    }

    /// The state before it, as the thread that makes it sees it.
    ///
    /// # Errors
    /// When there is no context.
    pub fn view(&self) -> Result<View<'_>, InquiryError> {
        self.model.view(self.calls.thread).ok_or(DrawError::NoContext { command: self.command }.into())
    }
}
