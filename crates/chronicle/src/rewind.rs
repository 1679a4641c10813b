//! Going back: the calls that make one moment's state of an earlier one.
//!
//! Two models say what differs; for each difference there is a call that makes it good, as the program itself might have
//! made it, with recorded names. Each such call is applied to the later model at once, and all is compared anew until
//! nothing differs: so the order of calls need not be right the first time, and what cannot be made good is found and
//! named rather than left as it is. The caller restores the contents of buffers and images.

mod arrays;
mod bindings;
mod end;
mod fixed;
mod framebuffers;
mod plain;
mod programs;
mod shared;
mod textures;

use std::sync::Arc;

use api::{CommandId, id};
use state::{CallObserver, ContentsRef, Context, Fault, Model, ShareGroup, Source};
use trace::{Reader, SyntheticCall, SyntheticCalls};

use crate::call::with_call;

/// What keeps one moment's state from being made of another's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Obstacle(pub String);

/// Maximum number of attempts to undo all differences.
const ATTEMPTS: usize = 6;

/// The calls that turn the state `from` into the earlier state `to`, to be made in order. They are numbered from `first`
/// on, which means nothing.
///
/// # Errors
/// When calls cannot do it: objects are gone, or something differs that is not known here.
pub fn rewind(from: &Model, to: &Model, reader: &Reader, first: u64) -> Result<SyntheticCalls, Obstacle> {
    let mut rewind = Rewind { now: from.clone(), to, reader, made: SyntheticCalls::new(first), context: 0 };
    rewind.same_world()?;
    for _ in 0..ATTEMPTS {
        let before = rewind.made.len();
        rewind.attempt()?;
        if rewind.made.len() == before {
            return Ok(rewind.made);
        }
    }
    let last = rewind.made.call(rewind.made.len() - 1).map_or("nothing", |call| call.name());
    Err(Obstacle(format!("state does not come back with {last}")))
}

/// Whether state can be put back to what it is at a moment: nothing is in the middle of being done there.
///
/// # Errors
/// With what is.
pub fn can_return_to(model: &Model) -> Result<(), Obstacle> {
    for context in model.contexts.iter().flatten() {
        let fixed = &context.fixed;
        let busy = [
            (fixed.begun.is_some(), id::glBegin),
            (context.compiling.is_some(), id::glNewList),
            (!fixed.attributes.is_empty(), id::glPushAttrib),
            (!fixed.client_attributes.is_empty(), id::glPushClientAttrib),
            (!context.active_queries.active.is_empty(), id::glBeginQuery),
            (context.active_queries.condition.is_some(), id::glBeginConditionalRender),
            (context.transform_feedbacks.values().any(|one| one.mode.is_some()), id::glBeginTransformFeedback),
        ];
        if let Some((_, what)) = busy.into_iter().find(|(is, _)| *is) {
            return Err(Obstacle(format!("it is within {}", api::command(what).name)));
        }
    }
    let mapped = model.groups.iter().any(|group| group.buffers.values().any(|buffer| buffer.blocked()));
    if mapped { Err(Obstacle("it is within glMapBuffer".to_owned())) } else { Ok(()) }
}

/// On the way back.
struct Rewind<'a> {
    /// The state as it is with the calls so far.
    now: Model,
    to: &'a Model,
    reader: &'a Reader,
    made: SyntheticCalls,
    /// The context that calls are made with.
    context: u32,
}

impl Rewind<'_> {
    /// What no call changes must be the same.
    fn same_world(&self) -> Result<(), Obstacle> {
        let (now, to) = (&self.now, self.to);
        let contexts = |model: &Model| model.contexts.iter().map(Option::is_some).collect::<Vec<_>>();
        if contexts(now) != contexts(to) || now.groups.len() != to.groups.len() {
            return Err(Obstacle("a context was made since".to_owned()));
        }
        if [now, to].iter().any(|model| model.groups.iter().any(|group| group.has_realms())) {
            return Err(Obstacle("contexts share only textures".to_owned()));
        }
        if now.surfaces != to.surfaces {
            return Err(Obstacle("a surface was made or changed since".to_owned()));
        }
        for (now, to) in now.contexts.iter().flatten().zip(to.contexts.iter().flatten()) {
            if now.facts != to.facts || now.was_current != to.was_current {
                return Err(Obstacle("a context was first made current since".to_owned()));
            }
        }
        Ok(())
    }

    /// Makes good what differs, as far as that can be seen at once.
    fn attempt(&mut self) -> Result<(), Obstacle> {
        for thread in 0..self.now.seats.len().max(self.to.seats.len()) as u32 {
            let seat = self.to.seat(thread);
            if self.now.seat(thread) != seat {
                let words = [seat.context, seat.draw, seat.read].map(u64::from);
                self.put(&SyntheticCall { thread, command: id::afiCurrent, args: &words, input: None, result: 0 })?;
            }
        }
        let mut groups = Vec::new();
        for (number, to) in self.to.contexts.iter().enumerate() {
            let Some(to) = to.as_ref().map(Arc::clone) else { continue };
            let now = self.now.contexts[number].as_ref().map(Arc::clone);
            let Some(now) = now else { continue };
            let (mine, theirs) = (&self.now.groups[now.group], &self.to.groups[to.group]);
            let shared = !Arc::ptr_eq(mine, theirs) && !groups.contains(&now.group);
            if Arc::ptr_eq(&now, &to) && !shared {
                continue;
            }
            self.context = number as u32;
            self.end(&to)?;
            if shared {
                groups.push(now.group);
                self.shared(now.group)?;
            }
            self.context(&to)?;
        }
        Ok(())
    }

    /// Makes good what differs in the context that calls are made with.
    fn context(&mut self, to: &Context) -> Result<(), Obstacle> {
        self.queries(to)?;
        self.vertex_arrays(to)?;
        self.framebuffers(to)?;
        self.feedbacks(to)?;
        self.fixed(to)?;
        self.plain(to)?;
        self.bindings(to)?;
        self.selectors(to)
    }

    /// The context that calls are made with, as it is now.
    fn here(&self) -> Arc<Context> {
        let context = self.now.contexts.get(self.context as usize).and_then(Option::as_ref);
        // It is one of those that are there.
        context.map_or_else(|| Arc::new(Context::new(Arc::default(), 0)), Arc::clone)
    }

    /// What that context shares, as it is now.
    fn group(&self, place: usize) -> Arc<ShareGroup> {
        self.now.groups.get(place).map_or_else(Arc::default, Arc::clone)
    }

    /// Makes a call.
    fn make(&mut self, command: CommandId, args: &[u64]) -> Result<(), Obstacle> {
        self.make_with(command, args, None, 0)
    }

    /// Makes a call with memory behind a parameter.
    fn make_from(&mut self, command: CommandId, args: &[u64], param: u8, bytes: &[u8]) -> Result<(), Obstacle> {
        self.make_with(command, args, Some((param, bytes)), 0)
    }

    fn make_with(
        &mut self,
        command: CommandId,
        args: &[u64],
        input: Option<(u8, &[u8])>,
        result: u64,
    ) -> Result<(), Obstacle> {
        let thread = self.now.seats.iter().position(|seat| seat.context == self.context);
        let thread = thread.ok_or_else(|| Obstacle("a context changed that is current nowhere".to_owned()))?;
        self.put(&SyntheticCall { thread: thread as u32, command, args, input, result })
    }

    fn put(&mut self, made: &SyntheticCall<'_>) -> Result<(), Obstacle> {
        self.made.push(made);
        let mut heard = Heard::default();
        if let Some(call) = self.made.call(self.made.len() - 1) {
            with_call(self.reader, &call, |call| self.now.apply(call, Some(&mut heard)));
        }
        if let Some(excess) = self.now.excess() {
            return Err(Obstacle(excess.to_string()));
        }
        match heard.refused {
            Some(why) => Err(Obstacle(format!("{} is refused: {why}", api::command(made.command).name))),
            None => Ok(()),
        }
    }
}

/// Whether the model refused a call.
#[derive(Default)]
struct Heard {
    refused: Option<&'static str>,
}

impl CallObserver for Heard {
    fn reads(&mut self, _thing: ContentsRef) {}

    fn writes(&mut self, _thing: ContentsRef, _source: Source) {}

    fn refused(&mut self, fault: Fault) {
        self.refused = Some(fault.why);
    }

    fn error_differs(&mut self, _expected: u32, _recorded: u32) {}

    fn unmodelled(&mut self) {
        self.refused = Some("the model does not know it");
    }
}

/// A word for a parameter that is an integer.
fn integer(number: f64) -> u64 {
    (number as i64).cast_unsigned()
}

/// A word for a parameter that is a float.
fn float(number: f64) -> u64 {
    u64::from((number as f32).to_bits())
}

/// Floats as they lie in memory.
fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// An address that stands for memory which comes with a call.
const SOMEWHERE: u64 = 1 << 32;
