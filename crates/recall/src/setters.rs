//! Which calls gave uniforms and current attributes their values.

mod fixed;
mod fixed_key;

use std::collections::BTreeMap;

use api::{Attribute, Operation, id};
use open_trace::{Makes, Single, SingleCall};
use trace::{Call, ReadError, Reader};

pub use fixed::{Change, FixedSetters, MOST_MADE, Selected, made_within};
pub use fixed_key::StateKey;

/// Calls that give values which later draws find, in the order of the trace.
#[derive(Default)]
pub struct Setters {
    /// By program: the call, and the locations from the first up to and without the second.
    uniforms: BTreeMap<u32, Vec<(u64, u32, u32)>>,
    /// By thread and attribute.
    attributes: BTreeMap<(u32, Current), Vec<u64>>,
    /// The state of fixed functions.
    pub fixed: FixedSetters,
}

/// An attribute that has a value of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Current {
    /// A generic attribute, by its location.
    Generic(u32),
    /// The position, between `glBegin` and `glEnd`.
    Position,
    /// One of fixed functions.
    Fixed(Attribute),
}

impl Current {
    /// The attributes that a call gives values.
    pub fn set_by(call: &Call<'_>) -> impl Iterator<Item = Current> + use<> {
        let command = call.command.map(api::command);
        let position = command.filter(|command| command.makes_vertex(call.args)).map(|_| Current::Position);
        let other = match command.map(|command| command.operation) {
            Some(Operation::SetCurrent(Attribute::Generic | Attribute::Aliased, _)) => {
                Some(Current::Generic(call.args.first().map_or(0, |index| *index as u32)))
            }
            Some(Operation::SetCurrent(Attribute::Position, _)) => None,
            Some(Operation::SetCurrent(fixed, _)) => Some(Current::Fixed(fixed)),
            _ => None,
        };
        position.into_iter().chain(other)
    }
}

/// Which calls of a draw gave its vertices their attributes, where vertices are specified one by one.
pub struct Singles {
    /// By attribute: the vertex that was next, and the call.
    attributes: BTreeMap<Current, Vec<(u32, u64)>>,
    /// What changes the state of fixed functions: the vertex that was next, and the call.
    changes: Vec<(u32, u64, Change)>,
}

impl Singles {
    /// Goes through the calls of a draw. The draw's own call stands for those that it was split into.
    ///
    /// # Errors
    /// When the trace cannot be read, with the reason.
    pub fn build(reader: &Reader, command: u64, singles: &[Single]) -> Result<Singles, String> {
        let (mut attributes, mut next): (BTreeMap<_, Vec<_>>, u32) = (BTreeMap::new(), 0);
        let mut changes = Vec::new();
        for single in singles {
            match single.what {
                SingleCall::Own(..) => attributes.entry(Current::Position).or_default().push((next, command)),
                SingleCall::Recorded(number) => {
                    let held = reader.call_at(number).map_err(|error| error.to_string())?;
                    for which in Current::set_by(&held.call()) {
                        attributes.entry(which).or_default().push((next, number));
                    }
                    changes.extend(Change::of(&held.call()).map(|change| (next, number, change)));
                }
            }
            next += u32::from(single.makes == Makes::Vertex);
        }
        Ok(Singles { attributes, changes })
    }

    /// What changed the state of fixed functions in the draw before a vertex.
    pub fn changes_before(&self, vertex: u32) -> &[(u32, u64, Change)] {
        &self.changes[..self.changes.partition_point(|(next, ..)| *next <= vertex)]
    }

    /// The call of the draw that gave a vertex an attribute; none if the attribute had its value before the draw.
    pub fn attribute_of(&self, vertex: u32, which: Current) -> Option<u64> {
        let calls = self.attributes.get(&which)?;
        let before = calls.partition_point(|(next, _)| *next <= vertex);
        calls[..before].last().map(|(_, call)| *call)
    }
}

impl Setters {
    /// Goes through a trace.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn build(reader: &Reader) -> Result<Setters, ReadError> {
        let mut setters = Setters::default();
        // Contexts of threads, and programs that are in use there.
        let (mut contexts, mut programs) = (BTreeMap::new(), BTreeMap::new());
        let mut calls = reader.calls();
        loop {
            let call = match calls.next() {
                Ok(Some(call)) => call,
                Ok(None) => return Ok(setters),
                Err(ReadError::Lost { .. }) => continue,
                Err(error) => return Err(error),
            };
            let context = contexts.get(&call.thread).copied().unwrap_or(0u64);
            let Some(command) = call.command else { continue };
            setters.fixed.take(&call, context);
            match (command, api::command(command).operation) {
                // The context comes last: both of GLX, and EGL's.
                (id::glXMakeCurrent | id::glXMakeContextCurrent | id::eglMakeCurrent, _) => {
                    let context = call.args.last().copied().unwrap_or(0);
                    contexts.insert(call.thread, context);
                    setters.fixed.make_current(call.thread, call.number, context);
                }
                (_, Operation::UseProgram) => {
                    programs.insert(context, call.args[0] as u32);
                }
                // Linking gives all uniforms their first values.
                (id::glLinkProgram | id::glLinkProgramARB | id::glProgramBinary, _) => {
                    setters.uniforms.entry(call.args[0] as u32).or_default().push((call.number, 0, u32::MAX));
                }
                (_, Operation::Uniform) => {
                    if let Some(&program) = programs.get(&context) {
                        setters.uniform(&call, program, 0);
                    }
                }
                (_, Operation::ProgramUniform) => setters.uniform(&call, call.args[0] as u32, 1),
                (_, Operation::SetCurrent(..)) => {
                    for which in Current::set_by(&call) {
                        setters.attributes.entry((call.thread, which)).or_default().push(call.number);
                    }
                }
                _ => {}
            }
        }
    }

    /// The last call before `end` that gave a location of a program a value.
    pub fn uniform_at(&self, program: u32, location: u32, end: u64) -> Option<u64> {
        let calls = self.uniforms.get(&program)?;
        let before = calls.partition_point(|(call, ..)| *call < end);
        let found = calls[..before].iter().rev().find(|(_, from, to)| (*from..*to).contains(&location))?;
        Some(found.0)
    }

    /// The last call before `end` that gave an attribute a value in a thread.
    pub fn attribute_at(&self, thread: u32, which: Current, end: u64) -> Option<u64> {
        let calls = self.attributes.get(&(thread, which))?;
        let before = calls.partition_point(|call| *call < end);
        calls[..before].last().copied()
    }

    fn uniform(&mut self, call: &Call<'_>, program: u32, place: usize) {
        let Some(&location) = call.args.get(place) else { return };
        let params = call.command.map_or(&[][..], |command| api::command(command).params);
        let count = params.iter().position(|param| param.name == "count").and_then(|at| call.args.get(at));
        let location = location as u32;
        let end = location.saturating_add(count.map_or(1, |count| (*count as u32).max(1)));
        self.uniforms.entry(program).or_default().push((call.number, location, end));
    }
}
