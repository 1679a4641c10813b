//! State of contexts, programs and arrays.

use api::{Meaning, Namespace, Operation, constant as c, id};

use super::super::attributes::{Saved, groups};
use super::super::bound::Pushed;
use super::super::log::Fate;
use super::super::slot::{Family, Number, Owner, key};
use super::{Step, Walk};

impl Walk {
    /// What a call sets of its context, of programs and of vertex arrays. False when it is no such call.
    pub(super) fn plain(&mut self, step: &mut Step<'_>, operation: Operation) -> bool {
        match operation {
            Operation::Set(selectors) => {
                self.sets_plain(step, step.own_key(selectors));
            }
            Operation::SetFromPixels(selectors) => {
                self.needs_family(step, Family::PixelStore);
                self.needs_family(step, Family::BufferBinding);
                self.sets_plain(step, step.own_key(selectors));
            }
            Operation::SetForUnit(selectors) => {
                let unit = self.bound(step).names.unit;
                self.needs(step, Family::ActiveTexture, 0);
                self.sets_plain(step, key([step.own_key(selectors), u64::from(unit)]));
            }
            Operation::SetTransformed(selectors) => {
                let unit = self.bound(step).names.unit;
                self.needs(step, Family::ActiveTexture, 0);
                let slot = self.sets_plain(step, key([step.own_key(selectors), u64::from(unit)]));
                self.bound(step).matrices.uses(slot);
            }
            Operation::PixelStore => {
                self.sets(step, Family::PixelStore, step.own_key(1));
            }
            Operation::ActiveTexture => {
                self.bound(step).names.unit = step.arg(0).wrapping_sub(c::GL_TEXTURE0);
                self.sets(step, Family::ActiveTexture, 0);
            }
            Operation::ClientActiveTexture => {
                self.bound(step).names.client_unit = step.arg(0).wrapping_sub(c::GL_TEXTURE0);
                self.sets(step, Family::ClientActiveTexture, 0);
            }
            Operation::UseProgram => {
                self.bound(step).names.program = step.arg(0);
                self.sets(step, Family::Program, 0);
            }
            Operation::BindVertexArray => {
                let name = step.arg(0);
                self.bound(step).names.vertex_array = name;
                self.bind(step, Namespace::VertexArray, name, 0);
                self.sets(step, Family::VertexArray, 0);
            }
            Operation::BindAssemblyProgram => {
                let (target, name) = (step.arg(0), step.arg(1));
                self.bound(step).names.assembly.insert(target, name);
                self.bind(step, Namespace::AssemblyProgram, name, target);
                self.sets(step, Family::Assembly, u64::from(target));
            }
            Operation::SetAssemblyProgram(selectors) => {
                let target = step.arg(0);
                let name = self.bound(step).names.assembly.get(&target).copied().unwrap_or(0);
                let program = self.object(step.context, Namespace::AssemblyProgram, name);
                self.needs(step, Family::Assembly, u64::from(target));
                self.sets_of(step, program, Family::Parameter, step.own_key(selectors));
            }
            Operation::VertexArray(selectors) | Operation::ClientArray(selectors) => {
                self.array(step, step.own_key(selectors))
            }
            Operation::NamedVertexArray(selectors) => {
                let name = step.arg(0);
                let array = self.object(step.context, Namespace::VertexArray, name);
                self.sets_of(step, array, Family::Parameter, step.own_key(selectors));
                let elements = selectors == 1;
                if elements {
                    self.bound(step).elements.insert(name, step.arg(1));
                    self.sets_of(step, array, Family::BufferBinding, 0);
                }
                if let Some(buffer) = named_buffer(step) {
                    let buffer = self.object(step.context, Namespace::Buffer, buffer);
                    self.about(buffer, step.context).held = true;
                }
            }
            Operation::ClientArrayOfUnit(selectors) => {
                let unit = self.bound(step).names.client_unit;
                self.needs(step, Family::ClientActiveTexture, 0);
                self.array(step, key([step.own_key(selectors), u64::from(unit)]));
            }
            Operation::Uniform => {
                let program = self.bound(step).names.program;
                if program == 0 {
                    // Then it is the program of a pipeline that is meant.
                    self.unknown_call(step);
                    return true;
                }
                let program = self.object(step.context, Namespace::Program, program);
                self.needs(step, Family::Program, 0);
                let count = if is_vector(step) { step.wide(1) } else { 1 };
                self.sets_of(step, program, Family::Parameter, key([step.wide(0), count]));
            }
            Operation::ProgramUniform => {
                let program = self.object(step.context, Namespace::Program, step.arg(0));
                let count = if is_vector(step) { step.wide(2) } else { 1 };
                self.sets_of(step, program, Family::Parameter, key([step.wide(1), count]));
            }
            Operation::SamplerParameter => {
                let sampler = self.object(step.context, Namespace::Sampler, step.arg(0));
                self.sets_of(step, sampler, Family::Parameter, step.own_key(2));
            }
            Operation::Locate => {
                // The first answer for each name is enough; replay learns from it where things are.
                let program = self.object(step.context, Namespace::Program, step.arg(0));
                let text = step.call.inputs.iter().filter_map(|payload| step.reader.bytes(payload.data).ok().flatten());
                let bytes: Vec<u64> = text.flat_map(|text| text.to_vec()).map(u64::from).collect();
                let place = key([step.own_key(1), key(bytes)]);
                step.fate = Fate::Always;
                return self.located.insert((program, place));
            }
            Operation::BeginQuery => {
                let (target, name) = (step.arg(0), step.arg(1));
                self.bound(step).queries.insert(target, name);
                let query = self.object(step.context, Namespace::Query, name);
                self.sets_of(step, query, Family::Parameter, 0);
            }
            Operation::EndQuery => {
                let Some(name) = self.bound(step).queries.remove(&step.arg(0)) else { return false };
                let query = self.object(step.context, Namespace::Query, name);
                self.sets_of(step, query, Family::Parameter, 1);
            }
            Operation::MatrixMode => {
                self.bound(step).names.matrix_mode = step.arg(0);
                self.sets(step, Family::MatrixMode, 0);
            }
            Operation::MultiplyMatrix | Operation::LoadMatrix | Operation::PushMatrix | Operation::PopMatrix => {
                self.matrix(step, operation)
            }
            Operation::RasterPosition { .. } => {
                step.effect.needs_all = true;
                let slot = self.sets(step, Family::RasterPosition, 0);
                self.bound(step).matrices.uses(slot);
            }
            Operation::Bitmap => {
                let slot = self.slots.number(Owner::Context(step.context), Family::RasterPosition, 0);
                step.effect.changes.push(slot);
                self.needs_family(step, Family::PixelStore);
                self.needs_family(step, Family::BufferBinding);
            }
            Operation::PushAttributes { client } => {
                self.push_attributes(step, client);
                // Unless it is popped before the frames begin, what it saved must be right.
                step.fate = Fate::Always;
                step.effect.needs_all = true;
            }
            Operation::PopAttributes { client } => return self.pop_attributes(step, client),
            Operation::CreateSync => {
                let handle = step.call.outcome.as_ref().map_or(0, |outcome| outcome.result);
                let home = self.homes.get(&step.context).copied().unwrap_or(step.context);
                let slot = self.sets(step, Family::Plain, key([u64::MAX, handle, step.call.number]));
                self.syncs.insert((home, handle), slot);
            }
            Operation::DeleteSync => {
                let home = self.homes.get(&step.context).copied().unwrap_or(step.context);
                if let Some(slot) = self.syncs.remove(&(home, step.wide(0))) {
                    self.dead.push(slot);
                }
                return false;
            }
            Operation::BeginFeedback | Operation::EndFeedback => {
                self.bound(step).feedback = operation == Operation::BeginFeedback;
                return false;
            }
            Operation::CreateObjects => {
                step.fate = Fate::Always;
                self.generate(step);
            }
            Operation::DeleteObjects => {
                step.fate = Fate::Always;
                self.delete(step);
            }
            _ => return false,
        }
        true
    }

    /// Sets a slot of the context that belongs to the groups of attributes that the command is of.
    fn sets_plain(&mut self, step: &mut Step<'_>, place: u64) -> Number {
        let known = self.slots.len();
        let slot = self.sets(step, Family::Plain, place);
        if self.slots.len() > known {
            self.slots.classify(slot, step.call.command.and_then(|command| groups(command, step.arg(0))));
        }
        slot
    }

    /// An object is bound: the first time it comes into being by that.
    pub(super) fn bind(&mut self, step: &mut Step<'_>, space: Namespace, name: u32, target: u32) {
        let object = self.object(step.context, space, name);
        if self.is_new(object, step.context) || self.objects.get(&object).is_some_and(|about| about.target == 0) {
            step.fate = Fate::Always;
            // Objects that know no target have one all the same, so that this is done once only.
            self.about(object, step.context).target = target.max(1);
        }
    }

    fn array(&mut self, step: &mut Step<'_>, place: u64) {
        let (name, buffer) = {
            let names = &self.bound(step).names;
            (names.vertex_array, names.buffers.get(&c::GL_ARRAY_BUFFER).copied().unwrap_or(0))
        };
        let array = self.object(step.context, Namespace::VertexArray, name);
        self.needs(step, Family::VertexArray, 0);
        self.needs(step, Family::BufferBinding, u64::from(c::GL_ARRAY_BUFFER));
        self.sets_of(step, array, Family::Parameter, place);
        let buffer = named_buffer(step).unwrap_or(buffer);
        let buffer = self.object(step.context, Namespace::Buffer, buffer);
        self.about(buffer, step.context).held = true;
    }

    fn matrix(&mut self, step: &mut Step<'_>, operation: Operation) {
        let call = step.call.number;
        let bound = self.bound(step);
        let which = bound.names.stack();
        match operation {
            Operation::LoadMatrix => bound.matrices.load(which, call),
            Operation::PushMatrix => bound.matrices.push(which, call),
            Operation::PopMatrix => bound.matrices.pop(which, call),
            _ => bound.matrices.change(which, call),
        }
        step.fate = Fate::ByMatrices;
        self.needs(step, Family::MatrixMode, 0);
        if which.0 == c::GL_TEXTURE {
            self.needs(step, Family::ActiveTexture, 0);
        }
    }

    /// What `glPushAttrib` and `glPushClientAttrib` save of what calls rely on.
    fn push_attributes(&mut self, step: &Step<'_>, client: bool) {
        let mask = step.arg(0);
        let bound = self.bound(step);
        let pushed = Pushed { call: step.call.number, mask, names: bound.names.clone(), used: bound.matrices.used() };
        if client {
            bound.client_saved.push(pushed);
        } else {
            bound.saved.push(pushed);
        }
    }

    /// What `glPopAttrib` and `glPopClientAttrib` bring back of it. False when there is nothing to bring back.
    fn pop_attributes(&mut self, step: &Step<'_>, client: bool) -> bool {
        let bound = self.contexts.entry(step.context).or_default();
        let pushed = if client { bound.client_saved.pop() } else { bound.saved.pop() };
        let Some(Pushed { call, mask, names: saved, used }) = pushed else { return false };
        let brought = Saved { context: step.context, client, mask };
        self.log.pair(call, step.call.number, brought);
        bound.matrices.bring_back(&used, |slot| self.slots.is_covered(slot, &brought));
        let now = &mut bound.names;
        if client && mask & c::GL_CLIENT_VERTEX_ARRAY_BIT != 0 {
            let array_buffer = saved.buffers.get(&c::GL_ARRAY_BUFFER).copied().unwrap_or(0);
            now.buffers.insert(c::GL_ARRAY_BUFFER, array_buffer);
            (now.client_unit, now.vertex_array) = (saved.client_unit, saved.vertex_array);
        }
        if !client && mask & c::GL_TEXTURE_BIT != 0 {
            (now.unit, now.textures) = (saved.unit, saved.textures);
        }
        if !client && mask & c::GL_TRANSFORM_BIT != 0 {
            now.matrix_mode = saved.matrix_mode;
        }
        true
    }

    fn generate(&mut self, step: &mut Step<'_>) {
        if step.call.command == Some(id::glCreateTextures) {
            let target = step.arg(0);
            for name in step.names(2, true) {
                let texture = self.object(step.context, Namespace::Texture, name);
                self.about(texture, step.context).target = target;
            }
        }
    }

    fn delete(&mut self, step: &mut Step<'_>) {
        let Some(command) = step.call.command.map(api::command) else { return };
        for (at, param) in (0u8..).zip(command.params) {
            let element = param.memory.map(|memory| memory.element.meaning);
            let names = match (param.value.meaning, element) {
                (_, Some(Meaning::Name(space))) => {
                    step.names(at, false).into_iter().map(|name| (space, name)).collect()
                }
                (Meaning::Name(space), _) => vec![(space, step.arg(usize::from(at)))],
                _ => Vec::new(),
            };
            for (space, name) in names.into_iter().filter(|(_, name)| *name != 0) {
                self.deleted(step.context, space, name);
            }
        }
    }

    fn deleted(&mut self, context: u32, space: Namespace, name: u32) {
        // Shaders and programs live on while something uses them (GL 4.6, 7.1).
        if space == Namespace::Program {
            return;
        }
        let object = self.object(context, space, name);
        let about = self.about(object, context);
        (about.deleted, about.mapped) = (true, false);
        self.ages.insert((object.home, space, name), object.age + 1);
        let Some(bound) = self.contexts.get_mut(&context) else { return };
        let names = &mut bound.names;
        match space {
            Namespace::Texture => names.textures.retain(|_, bound| *bound != name),
            Namespace::Buffer => names.buffers.retain(|_, bound| *bound != name),
            Namespace::VertexArray if names.vertex_array == name => names.vertex_array = 0,
            Namespace::Renderbuffer if names.renderbuffer == name => names.renderbuffer = 0,
            Namespace::Framebuffer => {
                names.draw = if names.draw == name { 0 } else { names.draw };
                names.read = if names.read == name { 0 } else { names.read };
            }
            _ => {}
        }
    }
}

/// Whether a command that sets uniforms takes an array of them.
fn is_vector(step: &Step<'_>) -> bool {
    step.call.command.is_some_and(|id| api::command(id).params.last().is_some_and(|param| param.memory.is_some()))
}

/// The buffer that a call names.
fn named_buffer(step: &Step<'_>) -> Option<u32> {
    let command = api::command(step.call.command?);
    let buffer = |param: &api::Param| param.value.meaning == Meaning::Name(Namespace::Buffer);
    command.params.iter().position(buffer).map(|at| step.arg(at))
}
