//! Questions about a recorded draw or dispatch, answered by running it once more, aside from the timeline.
//!
//! [`Timeline::divert`] goes to just before a draw. [`Draw`] knows what runs there and runs variants of it: in the
//! program's own context, with a copy of its program, to a framebuffer like the one it draws to, with copies of
//! everything its shaders may write. Afterwards everything is as it was: what was set is set back, in reverse order, to
//! what the driver said it was before. What cannot be done without leaving a trace is refused by name.
//!
//! The one thing that GL gives no means to put back is the count of a query that is running. A diversion inside of one
//! makes the timeline begin anew before its next call.

pub(crate) mod capabilities;
mod changes;
mod copy;
mod effects;
mod feedback;
mod grid;
mod hand;
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

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use api::{Trait, id};
use chronicle::trim::Wanted;
use device::{Changes, ImageRef, Isolated, Rectangle, Target};
use instrument::inspect::{Ask, CacheStatistics, Inspector, Raw, Run};
use instrument::{
    Device, InspectContext, InspectError, InspectResult, ProgramInspector, Question, Scope, Subject, Variant,
};
use open_trace::{DrawCalls, DrawError, StageShader};
use shader::version::Stage;
use state::reach::Work;
use state::{Model, View};
use trace::Call;

pub use survey::{Difference, Survey};

use crate::player::Held;
use crate::{ReplayError, Timeline};
pub(crate) use copy::Copies;
pub(crate) use hand::Can;
use hand::Hand;

/// Variants that are remembered; each is a text of some thousand letters.
const MOST_VARIANTS: usize = 1024;

/// Why a draw cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum DivertError {
    /// The timeline cannot get there.
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

/// How long the last run took, part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Compiling and linking; nothing when the program was there already.
    pub build: Option<Duration>,
    /// Setting everything up, copies included.
    pub set_up: Duration,
    /// Drawing, until the driver has finished.
    pub draw: Duration,
    /// Reading what came of it.
    pub read: Duration,
    /// Setting everything back.
    pub set_back: Duration,
}

impl Cost {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.build.unwrap_or_default() + self.set_up + self.draw + self.read + self.set_back
    }
}

/// A draw or dispatch of a trace, about to be executed, that can be asked questions.
pub struct Draw<'t> {
    timeline: &'t mut Timeline,
    /// The calls that it is.
    pub calls: DrawCalls,
    /// What is to be otherwise than recorded, from the next run on.
    pub changes: Changes,
    /// How long the last run took.
    pub cost: Cost,
    /// What was not as recorded in the last run.
    pub notes: Vec<&'static str>,
    /// The primitives that the last run isolated.
    pub isolated: Vec<Isolated>,
    /// The draw taken apart, or in words why it cannot be, once somebody needs to know.
    shape: Option<Result<isolate::Shape, String>>,
    /// Its calls one by one, where it is vertices that are given so.
    singles: Option<Vec<single::Single>>,
    stages: Arc<Vec<StageShader>>,
    target: Target,
    model: Model,
    device: Device,
    can: Rc<Can>,
}

/// A [`Draw`] that was put aside, so that the timeline can be used meanwhile.
pub(crate) struct SuspendedDraw {
    /// The command that it was asked for by.
    pub command: u64,
    calls: DrawCalls,
    shape: Option<Result<isolate::Shape, String>>,
    singles: Option<Vec<single::Single>>,
    stages: Arc<Vec<StageShader>>,
    target: Target,
    model: Model,
    device: Device,
    can: Rc<Can>,
}

impl Timeline {
    /// Takes up a draw again. The timeline must not have moved since.
    pub(crate) fn resume(&mut self, suspended: SuspendedDraw) -> Draw<'_> {
        let SuspendedDraw { calls, shape, singles, stages, target, model, device, can, .. } = suspended;
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
            can,
        }
    }

    /// Goes to just before a draw or dispatch - any call between `glBegin` and `glEnd` stands for that draw - to ask
    /// questions about it.
    ///
    /// # Errors
    /// When it is none, or cannot be run a second time.
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
        if first > 0 {
            self.visit(first - 1)?;
        }
        if !self.player.world.enter(calls.thread)? {
            return Err(no_context());
        }
        self.player.keep_errors();
        let context = view.seat.context;
        let (can, mut device) = match self.devices.get(&context) {
            Some(known) => known.clone(),
            None => {
                let can = Rc::new(capabilities::can(&mut self.player));
                let device = capabilities::device(&mut Hand::new(&mut self.player, &can));
                self.devices.insert(context, (Rc::clone(&can), device.clone()));
                (can, device)
            }
        };
        let mut hand = Hand::new(&mut self.player, &can);
        let target = if calls.work == Work::Draw { targets::target_of(&mut hand, &view) } else { Target::default() };
        while self.player.take_error() != 0 {}
        let singles = single::apart(&view, &calls, trace.reader());
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
            can,
        })
    }
}

/// Whether primitives have no numbers that can be relied upon: those that Mesa gives to what display lists draw are what was
/// in memory, and of polygons it draws nothing when fragments ask for them.
#[must_use]
pub fn is_unnumbered(call: &Call<'_>) -> bool {
    let Some(command) = call.command.map(api::command) else { return false };
    let mode = command.param("mode").and_then(|at| call.args.get(at));
    let draws = command.has(Trait::FromArrays) || call.command == Some(id::glBegin);
    command.has(Trait::CallsLists) || draws && mode.is_some_and(|mode| *mode as u32 == api::constant::GL_POLYGON)
}

impl Draw<'_> {
    /// Puts the draw aside.
    pub(crate) fn suspend(self, command: u64) -> SuspendedDraw {
        let Draw { calls, shape, singles, stages, target, model, device, can, .. } = self;
        SuspendedDraw { command, calls, shape, singles, stages, target, model, device, can }
    }

    /// The driver's `GL_RENDERER`.
    pub fn renderer(&mut self) -> String {
        self.timeline.player.renderer()
    }

    /// The state before it.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state before it, as the thread that makes it sees it.
    #[must_use]
    pub fn view(&self) -> Option<View<'_>> {
        self.model.view(self.calls.thread)
    }

    /// What it draws to.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// What an object holds before it.
    ///
    /// # Errors
    /// In words why that cannot be found out.
    pub(crate) fn contents(&mut self, wanted: &Wanted) -> Result<Vec<Held>, String> {
        let player = &mut self.timeline.player;
        let taken = player.take(wanted).map_err(|error| error.to_string())?;
        player.world.enter(self.calls.thread).map_err(|error| error.to_string())?;
        taken
    }

    /// What images hold in rectangles before it; in words why it cannot be seen.
    ///
    /// # Errors
    /// When the driver refuses to make a context.
    pub(crate) fn look(
        &mut self,
        sights: &[(ImageRef, Rectangle)],
    ) -> Result<Vec<Result<Vec<Held>, String>>, ReplayError> {
        let player = &mut self.timeline.player;
        let seen = player.look(sights)?;
        player.world.enter(self.calls.thread)?;
        Ok(seen)
    }

    /// The stages that run, in pipeline order.
    #[must_use]
    pub fn stage_facts(&self) -> &[StageShader] {
        &self.stages
    }

    /// Gives back what is kept between runs: the copies of programs.
    pub fn release(&mut self) {
        let Some(view) = self.model.view(self.calls.thread) else { return };
        if self.timeline.player.world.enter(self.calls.thread).unwrap_or(false)
            && let Some(mut copies) = self.timeline.copies.remove(&view.seat.context)
        {
            let mut hand = Hand::new(&mut self.timeline.player, &self.can);
            copies.clear(&mut hand);
        }
    }

    /// How often variants were known from before, in all diversions of the timeline.
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
        self.run_asked(&run::Asked { variant, stage, scope, run })
    }
}
