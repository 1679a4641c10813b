//! Questions about a recorded draw or dispatch, answered by running it again outside of the timeline (a diversion).
//!
//! [`Timeline::divert`] goes to just before a draw. [`Draw`] describes it and runs variants of it: in the program's own
//! context, with a copy of its program, to a framebuffer like its own, with copies of everything its shaders may write.
//! Afterwards all changed state is restored in reverse order, to the values that the driver returned before. Draws that
//! cannot be run without side effects are refused, with the reason.
//!
//! GL cannot restore the count of an active query. After a diversion inside of one, the timeline starts over before its
//! next call.

mod capabilities;
mod changes;
mod copy;
mod effects;
mod feedback;
mod grid;
mod isolate;
mod issue;
mod numbers;
mod peel;
mod run;
mod scissor;
mod single;
mod stand_in;
mod survey;
mod targets;
mod undo;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use api::{Trait, id};
use chronicle::trim::DriverContents;
use device::{Changes, ImageRef, Isolated, Object, Rectangle, Target};
use instrument::inspect::{Ask, CacheStatistics, Inspector, Raw, Run};
use instrument::{
    Device, InspectContext, InspectError, InspectResult, ProgramInspector, Question, Scope, Subject, Variant,
};
use open_trace::{DrawCalls, DrawError, StageShader};
use shader::version::Stage;
use state::reach::WorkKind;
use state::{ContentsRef, Model, View};
use trace::Call;

pub use survey::{Difference, Survey};

use crate::player::Contents;
use crate::{ReplayError, Timeline};
pub(crate) use capabilities::Capabilities;
pub(crate) use copy::Copies;
use undo::UndoRecorder;

/// Maximum number of cached variants; each is a text of some thousand letters.
const MOST_VARIANTS: usize = 1024;

/// Why a draw cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum DivertError {
    /// The timeline cannot go there.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The call is not a draw or dispatch that can be examined.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// A second run would have side effects.
    #[error("this cannot be run once more: {why}")]
    Impossible {
        /// Why not.
        why: String,
    },
}

/// The time that each part of the last run took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Compiling and linking; `None` when the program was cached.
    pub build: Option<Duration>,
    /// Setting everything up, copies included.
    pub set_up: Duration,
    /// Drawing, until the driver has finished.
    pub draw: Duration,
    /// Reading the results.
    pub read: Duration,
    /// Restoring all state.
    pub set_back: Duration,
}

impl Cost {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.build.unwrap_or_default() + self.set_up + self.draw + self.read + self.set_back
    }
}

/// A draw or dispatch of a trace, about to be executed, that can be asked questions.
pub struct Draw<'t> {
    timeline: &'t mut Timeline,
    /// Its calls.
    pub calls: DrawCalls,
    /// Changes to the recording, from the next run on.
    pub changes: Changes,
    /// The time that the last run took.
    pub cost: Cost,
    /// Differences from the recording in the last run.
    pub notes: Vec<&'static str>,
    /// The primitives that the last run isolated.
    pub isolated: Vec<Isolated>,
    /// The draw split into primitives, or why that is not possible; computed on first use.
    shape: Option<Result<isolate::Shape, String>>,
    /// Its calls, if they specify vertices one by one.
    singles: Option<Vec<open_trace::Single>>,
    stages: Arc<Vec<StageShader>>,
    target: Target,
    model: Model,
    device: Device,
    capabilities: Rc<Capabilities>,
}

/// A suspended [`Draw`], so that the timeline can be used meanwhile.
pub(crate) struct SuspendedDraw {
    /// The command of the question.
    pub command: u64,
    calls: DrawCalls,
    shape: Option<Result<isolate::Shape, String>>,
    singles: Option<Vec<open_trace::Single>>,
    stages: Arc<Vec<StageShader>>,
    target: Target,
    model: Model,
    device: Device,
    capabilities: Rc<Capabilities>,
}

impl Timeline {
    /// Resumes a draw. The timeline must not have moved since.
    pub(crate) fn resume(&mut self, suspended: SuspendedDraw) -> Draw<'_> {
        let SuspendedDraw { calls, shape, singles, stages, target, model, device, capabilities, .. } = suspended;
        Draw {
            timeline: self,
            calls,
            changes: Changes::default(),
            cost: Cost::default(),
            notes: Vec::new(),
            isolated: Vec::new(),
            shape,
            singles,
            stages,
            target,
            model,
            device,
            capabilities,
        }
    }

    /// Goes to just before a draw or dispatch, for questions about it. Any call between `glBegin` and `glEnd` means that
    /// draw.
    ///
    /// # Errors
    /// When the command is no draw or dispatch, or cannot be run again.
    pub fn divert(&mut self, command: u64) -> Result<Draw<'_>, DivertError> {
        let trace = Arc::clone(&self.trace);
        let calls = trace.draw_calls(command)?;
        let first = *calls.range.start();
        let model = trace.chronicle().before(first).map_err(ReplayError::from)?;
        let no_context = || DivertError::from(DrawError::NoContext { command });
        let view = model.view(calls.thread).ok_or_else(no_context)?;
        let stages = trace.stages(&view, calls.work)?;
        if let Some(why) = open_trace::refusal(&view, &calls, &stages, trace.reader()) {
            return Err(DivertError::Impossible { why });
        }
        self.visit_draw(&calls.range)?;
        if !self.player.world.enter(calls.thread)? {
            return Err(no_context());
        }
        self.player.keep_errors();
        let context = view.seat.context;
        let (capabilities, mut device) = match self.devices.get(&context) {
            Some(known) => known.clone(),
            None => {
                let capabilities = Rc::new(Capabilities::of_context(&mut self.player));
                let device = capabilities::device(&mut UndoRecorder::new(&mut self.player, &capabilities));
                self.devices.insert(context, (Rc::clone(&capabilities), device.clone()));
                (capabilities, device)
            }
        };
        let mut gl = UndoRecorder::new(&mut self.player, &capabilities);
        let target = if calls.work == WorkKind::Draw { targets::target_of(&mut gl, &view) } else { Target::default() };
        while self.player.take_error() != 0 {}
        let singles = open_trace::split_into_singles(&view, &calls, trace.reader());
        device.style.unnumbered =
            trace.reader().call_at(*calls.range.start()).is_ok_and(|first| is_unnumbered(&first.call()));
        device.style.counted = singles.is_some();
        Ok(Draw {
            timeline: self,
            calls,
            changes: Changes::default(),
            cost: Cost::default(),
            notes: Vec::new(),
            isolated: Vec::new(),
            shape: None,
            singles,
            stages,
            target,
            model,
            device,
            capabilities,
        })
    }
}

/// Returns whether primitive numbers are unreliable: in display lists, Mesa's are uninitialised memory, and it draws no
/// polygons at all when fragments read them.
#[must_use]
pub fn is_unnumbered(call: &Call<'_>) -> bool {
    let Some(command) = call.command.map(api::command) else { return false };
    let mode = command.param("mode").and_then(|at| call.args.get(at));
    let draws = command.has(Trait::FromArrays) || call.command == Some(id::glBegin);
    command.has(Trait::CallsLists) || draws && mode.is_some_and(|mode| *mode as u32 == api::constant::GL_POLYGON)
}

impl Draw<'_> {
    /// Suspends the draw.
    pub(crate) fn suspend(self, command: u64) -> SuspendedDraw {
        let Draw { calls, shape, singles, stages, target, model, device, capabilities, .. } = self;
        SuspendedDraw { command, calls, shape, singles, stages, target, model, device, capabilities }
    }

    /// Returns the driver's `GL_RENDERER` and `GL_VERSION`.
    pub fn renderer(&mut self) -> (String, String) {
        (self.timeline.player.renderer(), self.timeline.player.string(api::constant::GL_VERSION))
    }

    /// Returns the state before it.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the state before it, as its thread sees it.
    #[must_use]
    pub fn view(&self) -> Option<View<'_>> {
        self.model.view(self.calls.thread)
    }

    /// Returns its framebuffer.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns whether everything that a question reads is as recorded, although the timeline may have skipped calls that
    /// the draw does not depend on.
    pub(crate) fn can_answer(&self, ask: &device::Ask) -> bool {
        match ask {
            // A sampler may be set to a texture unit that the draw does not read otherwise.
            device::Ask::Run { changes, .. } if !changes.uniforms.is_empty() => self.timeline.is_reliable(|_| true),
            device::Ask::Contents { objects, .. } => {
                let Some(view) = self.view() else { return true };
                let number = |object: &Object| match *object {
                    Object::Buffer(name) => view.group.buffers.get(&name).map(|buffer| buffer.object),
                    Object::Texture(name, _) => view.group.textures.get(&name).map(|texture| texture.object),
                    Object::Renderbuffer(name) => view.group.renderbuffers.get(&name).map(|found| found.object),
                };
                let asked: Vec<u64> = objects.iter().filter_map(number).collect();
                self.timeline.is_reliable(|cell| match cell.thing {
                    ContentsRef::Buffer { object, .. }
                    | ContentsRef::Image { object, .. }
                    | ContentsRef::Renderbuffer { object } => asked.contains(&object),
                    _ => false,
                })
            }
            device::Ask::Look { images, .. } | device::Ask::Draw { images, .. } if !images.is_empty() => {
                self.timeline.is_reliable(|cell| {
                    let image = ImageRef::of(&self.model, cell);
                    image.is_some_and(|image| images.iter().any(|(asked, _)| asked.of == image.of))
                })
            }
            _ => true,
        }
    }

    /// Returns the contents of an object before it.
    ///
    /// # Errors
    /// When they cannot be read back, with the reason.
    pub(crate) fn contents(&mut self, wanted: &DriverContents) -> Result<Vec<Contents>, String> {
        let player = &mut self.timeline.player;
        let taken = player.read_contents(wanted).map_err(|error| error.to_string())?;
        player.world.enter(self.calls.thread).map_err(|error| error.to_string())?;
        taken
    }

    /// Returns the contents of rectangles of images before it, or for each image why it cannot be read back.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub(crate) fn look(
        &mut self,
        sights: &[(ImageRef, Rectangle)],
    ) -> Result<Vec<Result<Vec<Contents>, String>>, ReplayError> {
        let player = &mut self.timeline.player;
        let seen = player.look(sights)?;
        player.world.enter(self.calls.thread)?;
        Ok(seen)
    }

    /// Returns the stages that run, in pipeline order.
    #[must_use]
    pub fn stage_facts(&self) -> &[StageShader] {
        &self.stages
    }

    /// Deletes what is kept between runs: the copies of programs.
    pub fn release(&mut self) {
        let Some(view) = self.model.view(self.calls.thread) else { return };
        if self.timeline.player.world.enter(self.calls.thread).unwrap_or(false)
            && let Some(mut copies) = self.timeline.copies.remove(&view.seat.context)
        {
            let mut gl = UndoRecorder::new(&mut self.timeline.player, &self.capabilities);
            copies.clear(&mut gl);
        }
    }

    /// Returns how often variants were cached, in all diversions of the timeline.
    #[must_use]
    pub fn statistics(&self) -> Option<CacheStatistics> {
        self.timeline.inspector.as_ref().map(Inspector::statistics)
    }
}

impl ProgramInspector for Draw<'_> {
    fn stages(&self) -> Vec<Stage> {
        self.stages.iter().map(|facts| facts.stage).collect()
    }

    fn subject(&self, stage: Stage) -> Option<Subject<'_>> {
        self.stages.iter().find(|facts| facts.stage == stage).map(StageShader::subject)
    }

    fn inspect(&mut self, stage: Stage, question: &Question, ask: &Ask) -> Result<InspectResult, InspectError> {
        let stages = Arc::clone(&self.stages);
        let facts = stages.iter().find(|facts| facts.stage == stage);
        let facts = facts.ok_or_else(|| InspectError::Failed(format!("there is no {} shader", stage.name())))?;
        let known = self.timeline.inspector.take();
        let mut inspector = known.unwrap_or_else(|| Inspector::new(instrument::weave, MOST_VARIANTS));
        let result = inspector.ask(self, facts.subject(), question, ask);
        self.timeline.inspector = Some(inspector);
        result
    }
}

impl InspectContext for Draw<'_> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError> {
        self.run_asked(&run::DrawQuestion { variant, stage, scope, run })
    }
}
