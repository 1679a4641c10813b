//! Executes calls, one after the other, in the order of the trace.

mod arguments;
mod buffers;
mod captured;
mod contents;
mod effects;
mod operands;
mod readback;
mod rewrite;
mod surfaces;

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use api::call::{CallMemory, MapHandle, PointerArgument};
use api::{CommandId, id};
use device::report::{Problem, Tally};
use trace::{Call, Reader};

use crate::ReplayError;
use crate::gl::Gl;
use crate::plan::{Outcome, Plan, Special, Step, Way};
use crate::verify::Found;
use crate::world::{Marks, World};

pub use contents::Contents;
use operands::Operands;
pub use rewrite::{Rewriter, Source};

/// Commands have fewer parameters than this.
const MOST_ARGS: usize = 32;

/// Runs calls on a GL.
pub struct Player {
    pub(crate) world: World,
    plans: Vec<Option<Rc<Plan>>>,
    /// Arguments of the current call, as the GL gets them, but for memory.
    args: [u64; MOST_ARGS],
    /// Buffers that are mapped, by the address that the program had.
    maps: HashMap<u64, MapHandle>,
    verifying: bool,
    /// What was compared.
    pub tally: Tally,
    /// What could not be replayed as recorded, and where that was first.
    pub problems: Vec<Problem>,
    problem_kinds: HashMap<String, usize>,
    frames: u64,
    /// Replaces the sources of shaders.
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
    pub fn new(gl: Box<dyn Gl>, verifying: bool) -> Player {
        Player {
            world: World::new(gl),
            plans: Vec::new(),
            args: [0; MOST_ARGS],
            maps: HashMap::new(),
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
        if !plan.exists {
            self.problem(call.number, &format!("this driver has no function {}; it was left out", plan.command.name));
            return Ok(Played::Other);
        }
        let plain = plan.steps.is_empty() && plan.special == Special::None && plan.outcome == Outcome::Ignored;
        if plain {
            self.world.gl.call(plan.id, call.args, &mut []);
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
            self.drew_on_both(plan, call, reader)?;
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
        self.args[..count].copy_from_slice(call.args);
        let mut operands = Operands::default();
        for step in &plan.steps {
            if !self.prepare(*step, plan, (call, reader), &mut operands)? {
                return Ok(());
            }
        }
        self.rewrite_source(plan, (call, reader), &mut operands)?;
        if let Special::ChooseBuffer { .. } = plan.special {
            self.choose_buffer(plan, (call, reader), &mut operands)?;
        }
        let result = self.invoke(plan, count, &mut operands);
        if plan.outcome != Outcome::Ignored {
            self.outcome(plan, call, reader, result)?;
        }
        if plan.creates || plan.deletes {
            self.names_after(plan, (call, reader), &operands)?;
        }
        if plan.special != Special::None {
            self.after(plan, (call, reader), (result, &mut operands))?;
        }
        Ok(())
    }

    fn plan(&mut self, id: CommandId) -> Rc<Plan> {
        let place = usize::from(id.0);
        if let Some(Some(plan)) = self.plans.get(place) {
            return Rc::clone(plan);
        }
        let plan = Rc::new(Plan::new(id, &*self.world.gl));
        if self.plans.len() <= place {
            self.plans.resize(place + 1, None);
        }
        self.plans[place] = Some(Rc::clone(&plan));
        plan
    }

    /// Calls a command with the arguments that were prepared.
    fn invoke(&mut self, plan: &Plan, count: usize, operands: &mut Operands<'_>) -> u64 {
        let Player { world, args, .. } = self;
        operands.call(&mut *world.gl, plan.id, &args[..count])
    }

    /// Executes a call again, aside from the timeline: nothing of it is noted.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub(crate) fn redo(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some(id) = call.command else { return Ok(()) };
        let plan = self.plan(id);
        if plan.way != Way::Driver || !plan.exists {
            return Ok(());
        }
        self.drive_with_care(&plan, call, reader)
    }

    /// Calls a command on behalf of replay itself: one all of whose arguments are numbers, or pointers that are null or
    /// offsets.
    pub(crate) fn own_call(&mut self, id: CommandId, args: &[u64]) -> u64 {
        self.world.gl.call(id, args, &mut [])
    }

    /// Calls a command whose pointers are given by the indices of their parameters; their words do not count.
    pub(crate) fn own_call_with(&mut self, id: CommandId, args: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64 {
        self.world.gl.call(id, args, pointers)
    }

    /// Calls a command whose last parameter, for which `args` has no word, is a pointer.
    fn own_call_ending(&mut self, id: CommandId, args: &[u64], memory: CallMemory<'_>) -> u64 {
        let mut words = [0; MOST_ARGS];
        words[..args.len()].copy_from_slice(args);
        let pointer = PointerArgument { param: args.len() as u8, memory };
        self.world.gl.call(id, &words[..=args.len()], &mut [pointer])
    }

    /// Calls a command whose last parameter, for which `args` has no word, points to bytes that it reads.
    pub(crate) fn own_call_reading(&mut self, id: CommandId, args: &[u64], bytes: &[u8]) -> u64 {
        self.own_call_ending(id, args, CallMemory::Input(bytes))
    }

    /// Calls a command whose last parameter, for which `args` has no word, is a text.
    pub(crate) fn own_call_text(&mut self, id: CommandId, args: &[u64], text: &[u8]) -> u64 {
        self.own_call_ending(id, args, CallMemory::Text(text))
    }

    /// Calls a command whose last parameter, for which `args` has no word, points to bytes that it writes.
    pub(crate) fn own_call_writing(&mut self, id: CommandId, args: &[u64], bytes: &mut [u8]) -> u64 {
        self.own_call_ending(id, args, CallMemory::Output(bytes))
    }

    /// Returns the first words of 32 bits that a query writes; zeros where it writes none. Its last parameter, for which
    /// `args` has no word, is where it writes them.
    pub(crate) fn query<const N: usize>(&mut self, id: CommandId, args: &[u64]) -> [u32; N] {
        const { assert!(N <= 64, "queries have room for 64 words") };
        let mut bytes = [0; 256];
        self.own_call_writing(id, args, &mut bytes[..4 * N]);
        std::array::from_fn(|at| {
            u32::from_ne_bytes([bytes[4 * at], bytes[4 * at + 1], bytes[4 * at + 2], bytes[4 * at + 3]])
        })
    }

    /// Returns the first number of 64 bits that a query writes, as [`Player::query`] does.
    pub(crate) fn query_long(&mut self, id: CommandId, args: &[u64]) -> i64 {
        let mut bytes = [0; 8];
        self.own_call_writing(id, args, &mut bytes);
        i64::from_ne_bytes(bytes)
    }

    /// Returns a new name from one of the commands that give them out.
    pub(crate) fn generate(&mut self, generate: CommandId) -> u32 {
        self.query::<1>(generate, &[1])[0]
    }

    /// Deletes the object of a name with one of the commands that take a list of them.
    pub(crate) fn delete(&mut self, delete: CommandId, name: u32) {
        self.own_call_reading(delete, &[1], &name.to_ne_bytes());
    }

    /// Returns the time since a moment that is always the same.
    pub(crate) fn time(&self) -> Duration {
        self.world.gl.time()
    }

    /// Returns the processor time that was used so far, where that is known.
    pub(crate) fn processor_time(&self) -> Duration {
        self.world.gl.processor_time()
    }

    /// Returns whether the GL has a command.
    pub(crate) fn has_function(&self, id: CommandId) -> bool {
        self.world.gl.has(id)
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
        self.integers::<1>(name)[0]
    }

    /// Returns integers of GL's state.
    fn integers<const N: usize>(&mut self, name: u32) -> [i32; N] {
        self.query(id::glGetIntegerv, &[u64::from(name)]).map(u32::cast_signed)
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
