//! Goes through the calls that are to be left out, and says of each what it sets and relies on.

mod buffers;
mod images;
mod lists;
mod plain;

use std::collections::{BTreeMap, BTreeSet};

use api::{Attribute, Command, CommandId, Namespace, Operation};
use trace::{Call, Reader};

use super::bound::Bound;
use super::log::{Effect, Fate, Log};
use super::slot::{Family, Number, Object, Owner, Slots, key};

/// The state of the analysis after some calls.
#[derive(Default)]
pub struct Walk {
    pub slots: Slots,
    pub log: Log,
    pub contexts: BTreeMap<u32, Bound>,
    pub objects: BTreeMap<Object, About>,
    /// What each thread has made current: a context, and the surfaces that it draws to and reads from.
    pub seats: BTreeMap<u32, [u32; 3]>,
    /// Commands whose meaning is not known here, and how often they came.
    pub unknown: BTreeMap<CommandId, u64>,
    /// The first context of the share group of each.
    homes: BTreeMap<u32, u32>,
    ages: BTreeMap<(u32, Namespace, u32), u32>,
    lists: BTreeMap<Object, lists::List>,
    /// Syncs that have not been deleted, by handle.
    syncs: BTreeMap<(u32, u64), Number>,
    dead: Vec<Number>,
    maps: BTreeMap<u64, Object>,
    located: BTreeSet<(Object, u64)>,
}

/// An object.
#[derive(Clone, Default)]
pub struct About {
    /// A context that it can be reached from.
    pub context: u32,
    /// The target that it was first bound to, or made for.
    pub target: u32,
    /// Whether its contents may come from the GPU, so that only a driver can tell them.
    pub by_gpu: bool,
    pub deleted: bool,
    /// Whether something else may hold it after its name is deleted.
    pub held: bool,
    pub mapped: bool,
    /// Whether it was written to through its present map.
    pub written: bool,
    /// The bytes of a buffer.
    pub size: u64,
    /// How many calls since all of it was last replaced have changed parts of it, and how many bytes they brought.
    pub changes: u32,
    pub changed: u64,
}

/// One call, and what is being found out of it.
pub struct Step<'a> {
    pub call: &'a Call<'a>,
    pub reader: &'a Reader,
    pub context: u32,
    pub effect: Effect,
    pub fate: Fate,
}

impl Step<'_> {
    /// An argument as a number of 32 bits.
    pub fn arg(&self, at: usize) -> u32 {
        self.call.args.get(at).copied().unwrap_or(0) as u32
    }

    /// An argument of 64 bits.
    pub fn wide(&self, at: usize) -> u64 {
        self.call.args.get(at).copied().unwrap_or(0)
    }

    fn own_key(&self, selectors: u8) -> u64 {
        let command = self.call.command.map_or(0, |id| u64::from(id.0));
        key(std::iter::once(command).chain(self.call.args.iter().copied().take(usize::from(selectors))))
    }

    /// The names that a parameter points to, before the call or after it.
    pub fn names(&self, param: u8, output: bool) -> Vec<u32> {
        let data = if output { self.call.output(param) } else { self.call.input(param) };
        let bytes = data.and_then(|data| self.reader.bytes(data).ok().flatten());
        let words = |bytes: &[u8]| {
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())).collect()
        };
        bytes.map(|bytes| words(&bytes)).unwrap_or_default()
    }
}

/// What a command does, in the terms of trimming: positions make vertices and leave nothing behind; other current
/// attributes and materials are plain state.
fn operation_of(command: &Command) -> Operation {
    match command.operation {
        Operation::SetCurrent(Attribute::Position, _) => Operation::Transient,
        Operation::SetCurrent(Attribute::MultiTexCoord | Attribute::Generic | Attribute::Aliased, _) => {
            Operation::Set(1)
        }
        Operation::SetCurrent(..) => Operation::Set(0),
        Operation::SetMaterial => Operation::Set(2),
        other => other,
    }
}

impl Walk {
    /// Takes one more call into account.
    pub fn follow(&mut self, call: &Call<'_>, reader: &Reader) {
        let Some(id) = call.command else { return };
        let command = api::command(id);
        let operation = operation_of(command);
        let context = self.seats.get(&call.thread).map_or(0, |seat| seat[0]);
        let mut step = Step { call, reader, context, effect: Effect::default(), fate: Fate::IfNeeded };
        match operation {
            Operation::MakeCurrent => {
                let seat = [step.arg(0), step.arg(1), step.arg(2)];
                self.seats.insert(call.thread, seat);
                let slot = self.slots.number(Owner::Thread(call.thread), Family::Current, 0);
                step.effect.sets.push(slot);
                // The size of the first surface that a context is made current with is its viewport.
                step.fate = if self.contexts.contains_key(&seat[0]) { Fate::IfNeeded } else { Fate::Always };
                self.contexts.entry(seat[0]).or_default();
                self.log.add(call.number, step.fate, &step.effect);
                return;
            }
            Operation::CreateContext => {
                let share = self.homes.get(&step.arg(1)).copied();
                self.homes.insert(step.arg(0), share.unwrap_or(step.arg(0)));
                self.log.add(call.number, Fate::Always, &step.effect);
                return;
            }
            _ => {}
        }
        let capture = command.library != api::Library::Gl;
        if operation == Operation::Transient && self.list_of(context).is_none() {
            return;
        }
        // A call without a context, or one that never returned, has done nothing that lasts.
        if !capture && (context == 0 || call.outcome.is_none()) {
            return;
        }
        let current = self.slots.number(Owner::Thread(call.thread), Family::Current, 0);
        step.effect.needs.push(current);
        if self.in_list(&mut step, operation) {
            return;
        }
        self.apply(&mut step, operation);
    }

    fn apply(&mut self, step: &mut Step<'_>, operation: Operation) {
        let kept = match operation {
            Operation::Transient | Operation::CreateContext | Operation::MakeCurrent => false,
            Operation::Standalone => {
                step.fate = Fate::Always;
                true
            }
            Operation::Unknown => {
                self.unknown_call(step);
                true
            }
            Operation::NewList | Operation::EndList | Operation::CallList | Operation::CallLists => {
                self.list(step, operation)
            }
            _ => self.plain(step, operation) || self.image(step, operation) || self.buffer(step, operation),
        };
        if kept {
            self.log.add(step.call.number, step.fate, &step.effect);
        }
    }

    /// A call that may do anything.
    fn unknown_call(&mut self, step: &mut Step<'_>) {
        step.fate = Fate::Always;
        step.effect.needs_all = true;
        if let Some(id) = step.call.command {
            *self.unknown.entry(id).or_default() += 1;
        }
        self.contexts.entry(step.context).or_default().matrices.blur(step.call.number);
    }

    /// What is bound in the step's context.
    fn bound(&mut self, step: &Step<'_>) -> &mut Bound {
        self.contexts.entry(step.context).or_default()
    }

    /// The object of a name.
    pub fn object(&mut self, context: u32, space: Namespace, name: u32) -> Object {
        let private = matches!(
            space,
            Namespace::Framebuffer
                | Namespace::VertexArray
                | Namespace::Query
                | Namespace::ProgramPipeline
                | Namespace::TransformFeedback
        );
        let home = self.homes.get(&context).copied().unwrap_or(context);
        let home = if private { context | Object::PRIVATE } else { home };
        let age = self.ages.get(&(home, space, name)).copied().unwrap_or(0);
        Object { home, space, name, age }
    }

    /// Returns the facts about an object, and creates them if needed.
    pub fn about(&mut self, object: Object, context: u32) -> &mut About {
        self.objects.entry(object).or_insert_with(|| About { context, ..About::default() })
    }

    /// Whether an object comes up for the first time.
    fn is_new(&mut self, object: Object, context: u32) -> bool {
        let new = !self.objects.contains_key(&object);
        self.about(object, context);
        new
    }

    /// Sets a slot of the context.
    fn sets(&mut self, step: &mut Step<'_>, family: Family, key: u64) -> Number {
        let slot = self.slots.number(Owner::Context(step.context), family, key);
        step.effect.sets.push(slot);
        slot
    }

    /// Relies on a slot of the context.
    fn needs(&mut self, step: &mut Step<'_>, family: Family, key: u64) {
        let slot = self.slots.number(Owner::Context(step.context), family, key);
        step.effect.needs.push(slot);
    }

    /// Relies on a family of the context's slots.
    fn needs_family(&mut self, step: &mut Step<'_>, family: Family) {
        let number = self.slots.family(Owner::Context(step.context), family);
        step.effect.families.push(number);
    }

    /// Sets a slot of an object.
    fn sets_of(&mut self, step: &mut Step<'_>, object: Object, family: Family, key: u64) {
        let slot = self.slots.number(Owner::Object(object), family, key);
        step.effect.sets.push(slot);
    }

    /// Changes a slot of an object.
    fn changes_of(&mut self, step: &mut Step<'_>, object: Object, family: Family, key: u64) {
        let slot = self.slots.number(Owner::Object(object), family, key);
        step.effect.changes.push(slot);
    }

    /// Returns slots that are not needed: of deleted objects, and of contents that are stored separately.
    pub fn unwanted(&self, stored: impl Fn(&Object, &About) -> bool) -> Vec<Number> {
        let mut unwanted = self.dead.clone();
        for (object, about) in &self.objects {
            let gone = about.deleted && !about.held && matches!(object.space, Namespace::Texture | Namespace::Buffer);
            if gone {
                unwanted.extend(self.slots.of(*object, None));
            } else if about.deleted || stored(object, about) {
                unwanted.extend(self.slots.of(*object, Some(Family::Contents)));
            }
            if !about.mapped {
                unwanted.extend(self.slots.of(*object, Some(Family::Mapping)));
            }
        }
        unwanted
    }
}
