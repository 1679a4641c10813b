//! Executes calls, one after the other, in the order of the trace.

mod arguments;
mod buffers;
mod captured;
mod contents;
mod effects;
mod readback;
mod rewrite;
mod surfaces;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use api::{CommandId, Library, id};
use device::report::{Problem, Tally};
use driver::{Mapped, Screen};
use trace::{Call, Reader};

use crate::ReplayError;
use crate::arena::{Arena, Piece};
use crate::plan::{Outcome, Plan, Special, Step, Way};
use crate::verify::Found;
use crate::world::{Marks, World};

pub use contents::Held;
pub use rewrite::{Rewriter, Source};

/// Commands have fewer parameters than this.
const MOST_ARGS: usize = 32;

/// Runs calls on a driver.
pub struct Player {
    pub(crate) world: World,
    plans: Vec<Option<Rc<Plan>>>,
    arena: Arena,
    /// Arguments of the call at hand, as the driver gets them.
    args: [u64; MOST_ARGS],
    outputs: Vec<Output>,
    /// Memory of mapped buffers, by the address the program knew.
    maps: HashMap<u64, Mapped>,
    /// Blobs that arguments of the call at hand point into.
    blobs: Vec<Arc<[u8]>>,
    verifying: bool,
    /// What was compared.
    pub tally: Tally,
    /// What could not be done, and where it was first.
    pub problems: Vec<Problem>,
    problem_kinds: HashMap<String, usize>,
    frames: u64,
    /// Who gives shaders other texts.
    rewriter: Option<Box<dyn Rewriter>>,
    /// How many calls did something that only the window system knows of.
    outside: u64,
}

/// What a player knows besides what is in its contexts and objects; see [`Player::set_bearings`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bearings {
    frames: u64,
    outside: u64,
    marks: Marks,
}

/// Memory that a call will write.
#[derive(Clone, Copy)]
struct Output {
    arg: u8,
    piece: Piece,
}

/// What a call did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// Anything that is of no interest to whoever counts.
    Other,
    /// It drew.
    Drew,
    /// It ended a frame: this surface was shown.
    Presented(u32),
    /// It was not executed, because it asks for what is in a front buffer, and what was shown so far was not kept.
    MissesFront,
}

impl Player {
    /// Compares what was recorded of results from now on, or does so no more; nothing has been compared so far then.
    pub fn verify(&mut self, verifying: bool) {
        self.verifying = verifying;
        self.tally = Tally::default();
    }

    /// A player for a trace from its beginning.
    pub fn new(screen: Screen, verifying: bool) -> Player {
        Player {
            world: World::new(screen),
            plans: Vec::new(),
            arena: Arena::default(),
            args: [0; MOST_ARGS],
            outputs: Vec::new(),
            maps: HashMap::new(),
            blobs: Vec::new(),
            verifying,
            tally: Tally::default(),
            problems: Vec::new(),
            problem_kinds: HashMap::new(),
            frames: 0,
            rewriter: None,
            outside: 0,
        }
    }

    /// How many frames have ended.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Executes one call.
    ///
    /// # Errors
    /// When replay cannot go on: the driver makes no context or surface as recorded, or the trace cannot be read.
    #[inline]
    pub fn play(&mut self, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        let Some(id) = call.command else {
            self.problem(call.number, &format!("{} is no command of this build; it was left out", call.name()));
            return Ok(Played::Other);
        };
        let plan = self.plan(id);
        match plan.way {
            Way::Driver => self.drive(&plan, call, reader),
            Way::Capture => self.captured(&plan, call, reader),
            Way::Image => {
                self.outside += 1;
                self.egl_image(&plan, call, reader).map(|()| Played::Other)
            }
            Way::Surface => {
                self.outside += 1;
                self.use_surface(&plan, call, reader).map(|()| Played::Other)
            }
            Way::Nobody => {
                if plan.lost {
                    let text = format!("{} cannot be replayed; what it brought is missing", plan.command.name);
                    self.problem(call.number, &text);
                }
                Ok(Played::Other)
            }
        }
    }

    /// Where it is, as far as that is no state of a driver.
    pub(crate) fn bearings(&self) -> Bearings {
        Bearings { frames: self.frames, outside: self.outside, marks: self.world.marks() }
    }

    /// Whether nothing was done since then that only the window system knows of.
    pub(crate) fn was_inside_since(&self, bearings: &Bearings) -> bool {
        self.outside == bearings.outside
    }

    /// Goes back to where it was, after contexts and objects have been put back.
    pub(crate) fn set_bearings(&mut self, bearings: &Bearings) {
        self.frames = bearings.frames;
        self.world.set_marks(&bearings.marks);
    }

    /// Forgets errors that wait in the context of a thread.
    pub(crate) fn forget_errors(&mut self, thread: u32) -> Result<(), ReplayError> {
        if self.world.enter(thread)? {
            while self.take_error() != 0 {}
            if let Some((context, _)) = self.world.current() {
                context.errors.clear();
            }
        }
        Ok(())
    }

    /// Lets the driver begin what it was told so far.
    pub fn flush(&mut self) {
        self.own_call(id::glFlush, &[]);
    }

    /// Waits until the driver has done all it was told.
    pub fn finish(&mut self) {
        self.own_call(id::glFinish, &[]);
    }

    fn drive(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        // What a call does without a context is undefined (GL 4.6, 2.1); it is left out.
        if !self.world.enter(call.thread)? {
            return Ok(Played::Other);
        }
        if plan.query && !self.verifying && self.may_skip(plan, call) {
            return Ok(Played::Other);
        }
        if plan.function.is_null() {
            self.problem(call.number, &format!("this driver has no function {}; it was left out", plan.command.name));
            return Ok(Played::Other);
        }
        let plain = plan.steps.is_empty() && plan.special == Special::None && plan.outcome == Outcome::Ignored;
        if plain {
            self.invoke(plan, call.args);
        } else {
            if matches!(plan.special, Special::ChooseBuffer { .. }) && self.misses_front(plan, call, reader)? {
                return Ok(Played::MissesFront);
            }
            self.drive_with_care(plan, call, reader)?;
        }
        if !plan.draws {
            return Ok(Played::Other);
        }
        // The first draw that leaves anything behind counts; asking each time would cost more than drawing.
        if self.world.drawn() || !self.compiles() && !self.discards() {
            self.world.drew();
        }
        if self.world.fronts {
            let args = if plain { MOST_ARGS.min(call.args.len()) } else { 0 };
            self.args[..args].copy_from_slice(&call.args[..args]);
            self.drew_on_both(plan, call)?;
        }
        Ok(if plan.command.role == api::Role::Draw { Played::Drew } else { Played::Other })
    }

    /// Whether commands go into a display list without being executed.
    fn compiles(&mut self) -> bool {
        self.world.current().is_some_and(|(context, _)| context.compiling)
    }

    /// Whether a query may be left out because all it does is tell the program something.
    fn may_skip(&self, plan: &Plan, call: &Call<'_>) -> bool {
        let tells = match plan.outcome {
            Outcome::Ignored | Outcome::Error => true,
            Outcome::Creates(_) | Outcome::Place(_) | Outcome::Resource => false,
        };
        let written = |step: &Step| match *step {
            // What goes into a buffer is an effect, and nothing of it is in the trace.
            Step::Output { arg, .. } => call.output(arg).is_some(),
            _ => true,
        };
        tells && matches!(plan.special, Special::None | Special::Readback) && plan.steps.iter().all(written)
    }

    fn drive_with_care(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let count = call.args.len();
        if count > MOST_ARGS {
            self.problem(call.number, "a call with too many parameters was left out");
            return Ok(());
        }
        self.arena.clear();
        self.outputs.clear();
        self.blobs.clear();
        self.args[..count].copy_from_slice(call.args);
        for step in &plan.steps {
            if !self.prepare(*step, plan, call, reader)? {
                return Ok(());
            }
        }
        self.rewrite_source(plan, call, reader)?;
        if plan.special != Special::None {
            self.before(plan, call, reader)?;
        }
        let args = self.args;
        let result = self.invoke(plan, &args[..count]);
        if plan.outcome != Outcome::Ignored {
            self.outcome(plan, call, reader, result)?;
        }
        if plan.creates || plan.deletes {
            self.names_after(plan, call, reader)?;
        }
        if plan.special != Special::None {
            self.after(plan, call, reader, result)?;
        }
        Ok(())
    }

    fn plan(&mut self, id: CommandId) -> Rc<Plan> {
        let place = usize::from(id.0);
        if let Some(Some(plan)) = self.plans.get(place) {
            return Rc::clone(plan);
        }
        let plan = Rc::new(Plan::new(id, &self.world.screen));
        if self.plans.len() <= place {
            self.plans.resize(place + 1, None);
        }
        self.plans[place] = Some(Rc::clone(&plan));
        plan
    }

    /// Calls the driver with arguments that have been made ready.
    #[inline]
    #[allow(unsafe_code, reason = "here a replayed call reaches the driver")]
    fn invoke(&mut self, plan: &Plan, args: &[u64]) -> u64 {
        if args.len() != plan.command.params.len() || plan.command.library != Library::Gl {
            return 0;
        }
        // SAFETY: the function is the driver's for this command and not null, there is a word for each parameter, and
        // every pointer among them was put there by `prepare`: to memory as long as the recording had behind it and
        // alive until the call returns (or, for arrays, until they are specified again), or a number too small to be
        // an address in this process.
        unsafe { driver::invoke(plan.function, plan.id, args) }
    }

    /// Executes a call again, aside from the timeline: nothing of it is noted.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub(crate) fn redo(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some(id) = call.command else { return Ok(()) };
        let plan = self.plan(id);
        if plan.way != Way::Driver || plan.function.is_null() {
            return Ok(());
        }
        self.drive_with_care(&plan, call, reader)
    }

    /// A call of the replayer's own. Pointers in `args` are to memory that the caller holds and that is long enough.
    pub(crate) fn own_call(&mut self, id: CommandId, args: &[u64]) -> u64 {
        let plan = self.plan(id);
        if plan.function.is_null() { 0 } else { self.invoke(&plan, args) }
    }

    /// Has the driver answer a query whose arguments are as the driver knows them, with pointers to memory that the
    /// caller holds and that is long enough. Nothing when the driver has no such function.
    pub(crate) fn question(&mut self, id: CommandId, args: &[u64]) -> Option<u64> {
        let plan = self.plan(id);
        (!plan.function.is_null()).then(|| self.invoke(&plan, args))
    }

    /// Whether the driver has a function.
    pub(crate) fn has_function(&mut self, id: CommandId) -> bool {
        !self.plan(id).function.is_null()
    }

    /// The driver's error, which it then has no more.
    pub(crate) fn take_error(&mut self) -> u32 {
        self.own_call(id::glGetError, &[]) as u32
    }

    /// The error that `glGetError` will give the program next, of those that were taken from the driver.
    pub(crate) fn first_error(&mut self) -> u32 {
        self.world.current().and_then(|(context, _)| context.errors.first().copied()).unwrap_or(0) as u32
    }

    /// The driver's sync for a recorded one.
    pub(crate) fn real_sync(&mut self, recorded: u64) -> u64 {
        self.world.current().and_then(|(_, group)| group.syncs.get(&recorded).copied()).unwrap_or(0)
    }

    /// One integer of GL's state; 0 where the context has none of that name.
    fn integer(&mut self, name: u32) -> i32 {
        self.integers(name)[0]
    }

    /// Integers of GL's state.
    fn integers(&mut self, name: u32) -> [i32; 64] {
        // The longest answer is a list of all compressed formats; nobody asks for that one here.
        let mut values = [0i32; 64];
        self.own_call(id::glGetIntegerv, &[u64::from(name), values.as_mut_ptr() as u64]);
        values
    }

    pub(crate) fn problem(&mut self, command: u64, text: &str) {
        /// So many kinds are told apart; what a hostile trace has beyond that is of no interest.
        const MOST_KINDS: usize = 200;
        if let Some(&place) = self.problem_kinds.get(text) {
            self.problems[place].times += 1;
        } else if self.problems.len() < MOST_KINDS {
            self.problem_kinds.insert(text.to_owned(), self.problems.len());
            self.problems.push(Problem { command, text: text.to_owned(), times: 1 });
        }
    }

    pub(crate) fn found(&mut self, call: &Call<'_>, found: Found) {
        self.tally.add(call.number, found.kind, (!found.equal).then_some(found.text));
    }
}
