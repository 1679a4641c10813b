//! Executes calls, one after the other, in the order of the trace.

mod angle;
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
use trace::{Call, ReadError, Reader};

use crate::ReplayError;
use crate::gl::Gl;
use crate::plan::{Executor, Outcome, Plan, Special, Step};
use crate::verify::Comparison;
use crate::world::{Marks, World};

pub use contents::Contents;
pub(crate) use contents::Purpose;
use operands::Operands;
pub use rewrite::{Rewriter, Source};

/// Commands have fewer parameters than this.
const MOST_ARGS: usize = 32;

/// Runs calls on a GL.
pub struct Player {
    pub(crate) world: World,
    plans: Vec<Option<Rc<Plan>>>,
    /// Translated arguments of the current call, without memory.
    args: [u64; MOST_ARGS],
    /// Mapped buffers, by recorded address.
    maps: HashMap<u64, MapHandle>,
    verifying: bool,
    /// Results of comparisons with the recording.
    pub tally: Tally,
    /// What could not be replayed as recorded, with the first call of each kind.
    pub problems: Vec<Problem>,
    problem_kinds: HashMap<String, usize>,
    frames: u64,
    /// Replaces the sources of shaders.
    rewriter: Option<Box<dyn Rewriter>>,
    /// The number of calls with effects outside of GL.
    outside: u64,
    /// Calls that were left out because the trace has lost their memory.
    lost: u64,
}

/// The player's own state, apart from contexts and objects; see [`Player::set_bearings`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bearings {
    frames: u64,
    outside: u64,
    marks: Marks,
}

/// The effect of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// None of those below.
    Other,
    /// It drew.
    Drew,
    /// It ended a frame by presenting this surface.
    Presented(u32),
    /// It was not executed, because it accesses a front buffer, and earlier front buffers were not kept.
    MissesFront,
}

impl Player {
    /// Turns comparison of results with the recording on or off, and resets the tally.
    pub fn verify(&mut self, verifying: bool) {
        self.verifying = verifying;
        self.tally = Tally::default();
    }

    /// Returns a player at the start of a trace.
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
            lost: 0,
        }
    }

    /// Returns how many calls were left out because the trace has lost their memory.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the number of frames that have ended.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Executes one call.
    ///
    /// # Errors
    /// When the GL does not support a recorded context or surface, or the trace cannot be read.
    #[inline]
    pub fn play(&mut self, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        match self.execute(call, reader) {
            // The memory of a call is read before the driver is called: the call is left out, and the rest goes on.
            Err(ReplayError::Trace(error @ (ReadError::LostBlob { .. } | ReadError::NoSuchBlob(_)))) => {
                self.problem(call.number, &format!("{} was skipped: {error}", call.name()));
                self.lost += 1;
                Ok(Played::Other)
            }
            played => played,
        }
    }

    fn execute(&mut self, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        let Some(id) = call.command else {
            self.problem(
                call.number,
                &format!("{} is unknown to this version of afterimage; the call was skipped", call.name()),
            );
            return Ok(Played::Other);
        };
        let plan = self.plan(id);
        match plan.way {
            Executor::Driver => self.drive(&plan, call, reader),
            Executor::Capture => self.captured(&plan, call, reader),
            Executor::Image => {
                self.outside += 1;
                self.egl_image(&plan, call, reader).map(|()| Played::Other)
            }
            Executor::Angle => self.use_angle(&plan, call, reader).map(|()| Played::Other),
            Executor::Surface => {
                self.outside += 1;
                self.use_surface(&plan, call, reader).map(|()| Played::Other)
            }
            Executor::Skipped => {
                if let Some(why) = plan.lost {
                    self.problem(call.number, &format!("{} cannot be replayed: {why}", plan.command.name));
                }
                Ok(Played::Other)
            }
        }
    }

    /// Returns the player's own state.
    pub(crate) fn bearings(&self) -> Bearings {
        Bearings { frames: self.frames, outside: self.outside, marks: self.world.marks() }
    }

    /// Returns whether no call since then had effects outside of GL.
    pub(crate) fn was_inside_since(&self, bearings: &Bearings) -> bool {
        self.outside == bearings.outside
    }

    /// Restores the player's own state, after contexts and objects have been restored.
    pub(crate) fn set_bearings(&mut self, bearings: &Bearings) {
        self.frames = bearings.frames;
        self.world.set_marks(&bearings.marks);
    }

    /// Discards pending errors of a thread's context.
    pub(crate) fn forget_errors(&mut self, thread: u32) -> Result<(), ReplayError> {
        if self.world.enter(thread)? {
            while self.take_error() != 0 {}
            if let Some((context, _)) = self.world.current() {
                context.errors.clear();
            }
        }
        Ok(())
    }

    /// Flushes the driver.
    pub fn flush(&mut self) {
        self.own_call(id::glFlush, &[]);
    }

    /// Waits until the driver has executed all commands.
    pub fn finish(&mut self) {
        self.own_call(id::glFinish, &[]);
    }

    fn drive(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        // The effect of a call without a context is undefined (GL 4.6, 2.1), so it is skipped.
        if !self.world.enter(call.thread)? {
            return Ok(Played::Other);
        }
        if plan.query && !self.verifying && self.may_skip(plan, call) {
            return Ok(Played::Other);
        }
        if !plan.exists {
            self.problem(
                call.number,
                &format!("this driver has no function {}; the call was skipped", plan.command.name),
            );
            return Ok(Played::Other);
        }
        // ANGLE answers queries that the driver below rejects; that is no error of the program.
        let forgives = plan.query
            && self.verifying
            && plan.outcome != Outcome::Error
            && self.world.current().is_some_and(|(context, _)| context.on_angle);
        if forgives {
            self.keep_errors();
            self.drive_with_care(plan, call, reader)?;
            while self.take_error() != 0 {}
            return Ok(Played::Other);
        }
        let plain = plan.steps.is_empty() && plan.special == Special::None && plan.outcome == Outcome::Ignored;
        if plain {
            self.world.gl.call(plan.id, call.args, &mut []);
            if plan.draws {
                self.report_refusal(plan, call.number);
            }
        } else {
            if matches!(plan.special, Special::ChooseBuffer { .. }) && self.misses_front(plan, call, reader)? {
                return Ok(Played::MissesFront);
            }
            self.drive_with_care(plan, call, reader)?;
        }
        if !plan.draws {
            return Ok(Played::Other);
        }
        // Only the first draw with an effect counts; a query for each would cost more than drawing.
        if self.world.drawn() || !self.compiles() && !self.discards() {
            self.world.drew();
        }
        if self.world.fronts {
            self.drew_on_both(plan, call, reader)?;
        }
        Ok(if plan.command.role == api::Role::Draw { Played::Drew } else { Played::Other })
    }

    /// Returns whether commands are compiled into a display list without being executed.
    fn compiles(&mut self) -> bool {
        self.world.current().is_some_and(|(context, _)| context.compiling)
    }

    /// Returns whether a query may be skipped because it only returns values to the program.
    fn may_skip(&self, plan: &Plan, call: &Call<'_>) -> bool {
        let tells = match plan.outcome {
            Outcome::Ignored | Outcome::Error => true,
            Outcome::Creates(_) | Outcome::Place(_) | Outcome::Resource => false,
        };
        let written = |step: &Step| match *step {
            // Writing to a buffer is an effect, and the trace does not have the bytes.
            Step::Output { arg, .. } => call.output(arg).is_some(),
            _ => true,
        };
        tells && matches!(plan.special, Special::None | Special::Readback) && plan.steps.iter().all(written)
    }

    fn drive_with_care(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let count = call.args.len();
        if count > MOST_ARGS {
            self.problem(call.number, "a call with too many parameters was skipped");
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
        let result = match plan.special {
            Special::Storage | Special::Parameter | Special::Capability if self.is_angles_own(plan) => {
                self.imitate(plan)
            }
            _ => self.invoke(plan, count, &mut operands),
        };
        self.report_refusal(plan, call.number);
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

    /// Reports that the GL refused the last call.
    fn report_refusal(&mut self, plan: &Plan, number: u64) {
        if let Some(refusal) = self.world.gl.take_refusal() {
            self.problem(number, &format!("{} was skipped: {refusal}", plan.command.name));
        }
    }

    /// Calls a command with the arguments that were prepared.
    fn invoke(&mut self, plan: &Plan, count: usize, operands: &mut Operands<'_>) -> u64 {
        let Player { world, args, .. } = self;
        operands.call(&mut *world.gl, plan.id, &args[..count])
    }

    /// Executes a call again, outside of the timeline, without recording its effects.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub(crate) fn redo(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some(id) = call.command else { return Ok(()) };
        let plan = self.plan(id);
        if plan.way != Executor::Driver || !plan.exists {
            return Ok(());
        }
        self.drive_with_care(&plan, call, reader)
    }

    /// Calls a command on behalf of replay itself: one all of whose arguments are numbers, or pointers that are null or
    /// offsets.
    pub(crate) fn own_call(&mut self, id: CommandId, args: &[u64]) -> u64 {
        self.world.gl.call(id, args, &mut [])
    }

    /// Calls a command with memory behind its pointers, whose words are ignored.
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

    /// Returns a new name from a `glGen…` command.
    pub(crate) fn generate(&mut self, generate: CommandId) -> u32 {
        self.query::<1>(generate, &[1])[0]
    }

    /// Deletes an object with a `glDelete…` command.
    pub(crate) fn delete(&mut self, delete: CommandId, name: u32) {
        self.own_call_reading(delete, &[1], &name.to_ne_bytes());
    }

    /// Returns the time since a fixed moment.
    pub(crate) fn time(&self) -> Duration {
        self.world.gl.time()
    }

    /// Returns the processor time of this process so far.
    pub(crate) fn processor_time(&self) -> Duration {
        self.world.gl.processor_time()
    }

    /// Returns whether the GL has a command.
    pub(crate) fn has_function(&self, id: CommandId) -> bool {
        self.world.gl.has(id)
    }

    /// Returns the driver's error and clears it.
    pub(crate) fn take_error(&mut self) -> u32 {
        self.own_call(id::glGetError, &[]) as u32
    }

    /// Returns the error that `glGetError` will return to the program next, of those taken from the driver.
    pub(crate) fn first_error(&mut self) -> u32 {
        self.world.current().and_then(|(context, _)| context.errors.first().copied()).unwrap_or(0) as u32
    }

    /// Returns the driver's sync for a recorded one.
    pub(crate) fn real_sync(&mut self, recorded: u64) -> u64 {
        self.world.current().and_then(|(_, group)| group.syncs.get(&recorded).copied()).unwrap_or(0)
    }

    /// Returns one integer of GL's state; 0 if the context does not have it.
    fn integer(&mut self, name: u32) -> i32 {
        self.integers::<1>(name)[0]
    }

    /// Returns integers of GL's state.
    fn integers<const N: usize>(&mut self, name: u32) -> [i32; N] {
        self.query(id::glGetIntegerv, &[u64::from(name)]).map(u32::cast_signed)
    }

    pub(crate) fn problem(&mut self, command: u64, text: &str) {
        /// Problems of further kinds are dropped; only a hostile trace has so many.
        const MOST_KINDS: usize = 200;
        if let Some(&place) = self.problem_kinds.get(text) {
            self.problems[place].times += 1;
        } else if self.problems.len() < MOST_KINDS {
            self.problem_kinds.insert(text.to_owned(), self.problems.len());
            self.problems.push(Problem { command, text: text.to_owned(), times: 1 });
        }
    }

    pub(crate) fn found(&mut self, call: &Call<'_>, found: Comparison) {
        self.tally.add(call.number, found.kind, (!found.equal).then_some(found.text));
    }
}
