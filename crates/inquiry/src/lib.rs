//! A trace open for questions.
//!
//! [`Inquiry`] holds a trace and a worker with a driver in it. [`Work`] is one draw or dispatch of the trace: which
//! shaders run, with which state. Questions about it are asked of the device ([`Inquiry::measure`]) or of the emulator
//! ([`Inquiry::emulate`]), in the same words; [`verdict`] puts the answers side by side, and [`settle`] finds out whether a
//! difference is one that the specification allows.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod blocks;
mod emulated;
mod inputs;
mod isolation;
mod programs;
mod remote;
pub mod settle;
mod sources;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chronicle::{Chronicle, ChronicleError};
use driver::DeviceChoice;
use instrument::inspect::{Ask, InspectResult, Inspector};
use instrument::{Device, InspectContext, InspectError, Question, Scope, Subject};
use reenact::{Contents, Manner};
use replay::inspect::{Calls, Changes, DivertError, Isolated, KnownStages, StageFacts, Target};
use replay::service::{self, Answer};
use replay::{Checked, Picture, Rectangle, Service, ServiceError, Sight};
use shader::version::Stage;
use state::{Model, View};
use trace::{ReadError, Reader};

pub use blocks::{BlockMap, Mask};
pub use emulated::{Emulated, Quad, Shaded, Shading, Waves, spread};
pub use inputs::{Inputs, Lane};
pub use isolation::Isolation;
pub use remote::RemoteContents;

/// Variants kept ready.
const VARIANTS: usize = 256;

/// Words of a stream that there is room for where each record comes once and answers are short.
const FEW: u32 = 32;

/// Invocations that are emulated between two looks at how far it is.
const PART: usize = 16384;

/// Why something cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum InquiryError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] ChronicleError),
    /// The call is nothing to ask about.
    #[error(transparent)]
    Draw(#[from] DivertError),
    /// The worker gives no answer.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The question has no answer.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The draw cannot be brought to the emulator.
    #[error(transparent)]
    Reenact(#[from] reenact::Refusal),
    /// The draw has no such stage.
    #[error("no {0} shader runs there")]
    NoStage(&'static str),
    /// The driver takes none of the variants.
    #[error("the driver refuses the instrumented shader, which is in {}: {log}", path.display())]
    Rejected {
        /// What it said of the last.
        log: String,
        /// The file that the last is in.
        path: PathBuf,
    },
    /// The worker answers something else.
    #[error("the worker's answer is not one to the question")]
    Confused,
}

impl InquiryError {
    /// Whether somebody ended it, and nothing is wrong.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(self, InquiryError::Service(ServiceError::Interrupted))
    }
}

/// What an image or object holds: its planes, or in words why nobody can tell.
pub type Seen = Result<Vec<reenact::Plane>, String>;

/// A trace and a device.
pub struct Inquiry {
    reader: Arc<Reader>,
    chronicle: Chronicle,
    service: Service,
    inspector: Inspector,
    emulation: Inspector,
    sources: sources::Sources,
    stages: KnownStages,
    isolation: Isolation,
    block_variants: blocks::BlockVariants,
    programs: programs::KnownPrograms,
}

/// A draw or dispatch.
pub struct Work {
    /// The call that stands for it.
    pub command: u64,
    /// The calls that it is.
    pub calls: Calls,
    /// The stages that run, in pipeline order.
    pub stages: Arc<Vec<StageFacts>>,
    /// The state before it.
    pub model: Model,
    /// What the device offers.
    pub device: Device,
    /// How the device does what the specifications leave to it; the emulator does likewise.
    pub manner: Manner,
    /// What it draws to.
    pub target: Target,
    /// Whether it is a display list that changes matrices or materials between its vertices.
    pub moves: bool,
}

/// What is said of vertices of such a display list.
const MOVES: &str = "the display list changes matrices or materials while it draws; the emulator has those before it";

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
    /// Opens a trace. `program` is this product's own executable, which is started as the worker.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn open(
        program: &Path,
        trace: &Path,
        device: DeviceChoice,
        timeout: Duration,
    ) -> Result<Inquiry, InquiryError> {
        let reader = Arc::new(Reader::open(trace, api::COMMANDS)?);
        Ok(Inquiry {
            chronicle: Chronicle::new(Arc::clone(&reader)),
            reader,
            service: Service::new(program, trace, device, timeout),
            inspector: Inspector::new(instrument::weave, VARIANTS),
            emulation: Inspector::new(instrument::weave, VARIANTS),
            sources: sources::Sources::default(),
            stages: KnownStages::default(),
            isolation: Isolation::default(),
            block_variants: blocks::BlockVariants::default(),
            programs: programs::KnownPrograms::default(),
        })
    }

    /// The trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Has somebody watch all questions to the device from now on, and end those that take too long for them.
    pub fn watch(&mut self, watch: service::Watch) {
        self.service.watch(watch);
    }

    /// What answers of the device may cost from now on.
    pub fn limit(&mut self, limits: instrument::inspect::Limits) {
        self.inspector.limit(limits);
    }

    /// Whether whoever watches wants no answers any more: for work between questions.
    ///
    /// # Errors
    /// Then.
    pub fn heed(&mut self) -> Result<(), InquiryError> {
        Ok(self.service.heed()?)
    }

    /// The state after a command.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn state_after(&mut self, command: u64) -> Result<Model, InquiryError> {
        Ok(self.chronicle.after(command)?)
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
        let (answer, rgba) = self.service.ask(&service::Ask::Picture { command, everything: false }, &[])?;
        match answer {
            Answer::Picture { size } => Ok(size.map(|[width, height]| Picture { width, height, rgba })),
            _ => Err(InquiryError::Confused),
        }
    }

    /// Whether everything is as it should be, after whatever was asked: the driver's state after a command, and then the
    /// rest of the trace.
    ///
    /// # Errors
    /// When the worker cannot go on.
    pub fn check(&mut self, command: u64) -> Result<Checked, InquiryError> {
        match self.service.ask(&service::Ask::Check { command }, &[])?.0 {
            Answer::Checked(checked) => Ok(checked),
            _ => Err(InquiryError::Confused),
        }
    }

    /// A draw or dispatch; any call between `glBegin` and `glEnd` stands for that draw.
    ///
    /// # Errors
    /// When it is none, or no shaders run there.
    pub fn work(&mut self, command: u64) -> Result<Work, InquiryError> {
        Ok(self.work_seeing(command, |_| Ok(Vec::new()))?.0)
    }

    /// A draw or dispatch, and what images hold before it in rectangles, which are chosen when its state is known.
    ///
    /// # Errors
    /// When it is none, or no shaders run there.
    pub fn work_seeing(
        &mut self,
        command: u64,
        sights: impl FnOnce(&View<'_>) -> Result<Vec<(Sight, Rectangle)>, InquiryError>,
    ) -> Result<(Work, Vec<Seen>), InquiryError> {
        if command >= self.reader.len() {
            let length = self.reader.len();
            return Err(DivertError::from(replay::ReplayError::NoSuchCommand { number: command, length }).into());
        }
        let calls = replay::inspect::calls(&self.reader, command)?;
        let model = self.chronicle.before(*calls.range.start())?;
        let view = model.view(calls.thread).ok_or(DivertError::NoContext { command })?;
        let stages = self.stages.get(&view, calls.work)?;
        let ask = service::Ask::Draw { command, sights: sights(&view)? };
        let (answer, bytes) = self.service.ask(&ask, &[])?;
        let Answer::Draw { device, renderer, target, objects } = answer else { return Err(InquiryError::Confused) };
        let manner = Manner::of(&renderer, converts_half_floats(), target.surface);
        let moves = replay::inspect::moves(&view, &calls, &self.reader);
        let work = Work { command, calls, stages, model, device: *device, manner, target, moves };
        Ok((work, remote::planes(objects, &bytes)))
    }

    /// How long a draw takes by itself, in seconds.
    ///
    /// # Errors
    /// When it cannot be run again.
    pub fn alone(&mut self, work: &Work) -> Result<f64, InquiryError> {
        match self.service.ask(&service::Ask::Alone { command: work.command }, &[])?.0 {
            Answer::Alone { seconds } => Ok(seconds),
            _ => Err(InquiryError::Confused),
        }
    }

    /// Asks the device.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn measure(
        &mut self,
        work: &Work,
        stage: Stage,
        question: &Question,
        ask: &Ask,
        changes: &Changes,
    ) -> Result<Measured, InquiryError> {
        let subject = work.subject(stage)?;
        let mut remote = remote::Remote::new(&mut self.service, work, changes, &mut self.sources);
        let result = self.inspector.ask(&mut remote, subject, question, ask);
        let remote::Account { seconds, notes, failure, isolated } = remote.account();
        match (result, failure) {
            (Ok(result), _) => {
                let rejected = result.rejected.iter().map(|(transport, log)| {
                    let path = self.sources.path(work.command, *transport, stage);
                    Rejection { transport: *transport, log: log.clone(), path }
                });
                let every = result.transport.answers_for_every();
                Ok(Measured { rejected: rejected.collect(), every, in_order: false, result, seconds, notes, isolated })
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
        work: &Work,
        stage: Stage,
        pick: [i32; 4],
        changes: &Changes,
    ) -> Result<Inputs, InquiryError> {
        let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
        let measured = self.measure(work, stage, &Question::LiveIns, &ask, changes)?;
        Ok(Inputs::new(stage, &measured.result)?)
    }

    /// What all invocations of a stage were given; of fragments, those that stay.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn all_inputs(&mut self, work: &Work, stage: Stage, changes: &Changes) -> Result<Vec<Inputs>, InquiryError> {
        let ask = Ask { scope: instrument::Scope::All, pick: [-1; 4], transport: None };
        let measured = self.measure(work, stage, &Question::LiveIns, &ask, changes)?;
        Ok(Inputs::all(stage, &measured.result))
    }

    /// What comes out of all fragments of a draw in a rectangle, whatever becomes of them, in the order in which they were
    /// drawn.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn outputs(&mut self, work: &Work, rectangle: Rectangle) -> Result<Measured, InquiryError> {
        let ask = Ask { scope: Scope::At, pick: [-1; 4], transport: None };
        let changes = Changes { listing: Some(rectangle), ..Changes::default() };
        self.measure(work, Stage::Fragment, &Question::Outputs, &ask, &changes)
    }

    /// What images hold in rectangles before a command; in words why that cannot be seen.
    ///
    /// # Errors
    /// When the worker gives no answer.
    pub fn look(&mut self, command: u64, sights: Vec<(Sight, Rectangle)>) -> Result<Vec<Seen>, InquiryError> {
        let (answer, bytes) = self.service.ask(&service::Ask::Look { command, sights }, &[])?;
        let Answer::Contents { objects } = answer else { return Err(InquiryError::Confused) };
        Ok(remote::planes(objects, &bytes))
    }

    /// What the trace itself says of a region of an image before a command, as [`Chronicle::texels`] does.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn texels(
        &mut self,
        command: u64,
        image: (usize, state::Thing),
        region: state::Region,
        aspect: state::records::Aspect,
    ) -> Result<Vec<chronicle::TexelPiece>, InquiryError> {
        Ok(self.chronicle.texels(command, image, region, aspect)?)
    }

    /// What textures and buffers hold before a draw.
    pub fn contents(&mut self, work: &Work) -> RemoteContents<'_> {
        RemoteContents::new(&mut self.service, work.command)
    }

    /// Asks the emulator a question that takes one record of each sort, of many invocations; `step` is told how many are
    /// done.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn emulate_all(
        &mut self,
        work: &Work,
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
        Ok(InspectResult { transport, readings, missed: 0, runs: 1, cached: false, rejected: Vec::new() })
    }

    /// A stage of a draw as the emulator runs it; its uniforms have the values that they begin with.
    ///
    /// # Errors
    /// When there is no such stage, or the emulator does not take it.
    pub fn program(&mut self, work: &Work, stage: Stage) -> Result<pipeline::Program, InquiryError> {
        Ok(self.programs.get(&work.view()?, work.facts(stage)?, work.manner)?)
    }

    /// The draw on the CPU, for invocations that were given inputs like these, with the same changes.
    ///
    /// # Errors
    /// When contents cannot be had.
    pub fn emulated<'w>(
        &mut self,
        work: &'w Work,
        stage: Stage,
        inputs: Inputs,
        changes: &Changes,
    ) -> Result<Emulated<'w>, InquiryError> {
        let program = self.program(work, stage)?;
        let mut contents = RemoteContents::new(&mut self.service, work.command);
        let scene = work.scene(stage, program, &mut contents)?;
        Ok(Emulated::new(work, stage, inputs, scene, changes)?)
    }

    /// The same for somebody who has the scene, as it was recorded.
    ///
    /// # Errors
    /// When there is no context.
    pub fn emulated_in<'w>(
        &self,
        work: &'w Work,
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
        work: &Work,
        emulated: &mut Emulated<'_>,
        question: &Question,
    ) -> Result<InspectResult, InquiryError> {
        let way = instrument::Transport::Memory(emulated::WINDOW);
        let ask = Ask { scope: instrument::Scope::One, pick: emulated.pick(), transport: Some(way) };
        let subject = work.subject(emulated.stage())?;
        Ok(self.emulation.ask(emulated, subject, question, &ask)?)
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

impl Work {
    /// A stage that runs.
    ///
    /// # Errors
    /// When it does not.
    pub fn facts(&self, stage: Stage) -> Result<&StageFacts, InquiryError> {
        self.stages.iter().find(|facts| facts.stage == stage).ok_or(InquiryError::NoStage(stage.name()))
    }

    /// The shader of a stage.
    ///
    /// # Errors
    /// When there is none.
    pub fn subject(&self, stage: Stage) -> Result<Subject<'_>, InquiryError> {
        self.facts(stage).map(|facts| Subject { shader: &facts.shader, options: &facts.options })
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
        if self.moves && stage != Stage::Fragment {
            scene.missing.push(MOVES.to_owned());
        }
        Ok(scene)
    }

    /// The state before it, as the thread that makes it sees it.
    ///
    /// # Errors
    /// When there is no context.
    pub fn view(&self) -> Result<View<'_>, InquiryError> {
        self.model.view(self.calls.thread).ok_or(DivertError::NoContext { command: self.command }.into())
    }
}
