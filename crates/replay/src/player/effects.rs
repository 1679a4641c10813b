//! Effects of calls on the state of the replay: new names, locations in programs, maps, bindings.

use api::call::{CallMemory, MapHandle, PointerArgument};
use api::reflection::Reflection;
use api::{CommandId, Namespace, Trait, constant as c, id};
use device::report::{ComparedKind, Incomparable};
use trace::{Call, Reader};

use super::Player;
use super::arguments::{bytes, results_place, size};
use super::operands::Operands;
use super::rewrite::raise_precisions;
use crate::ReplayError;
use crate::plan::{Content, Outcome, PlaceKind, Plan, Special, Step};
use crate::verify::Comparison;

impl Player {
    /// Handles the result of a call.
    pub(super) fn outcome(
        &mut self,
        plan: &Plan,
        call: &Call<'_>,
        reader: &Reader,
        result: u64,
    ) -> Result<(), ReplayError> {
        let Some(recorded) = call.outcome.as_ref().map(|outcome| outcome.result) else { return Ok(()) };
        match plan.outcome {
            Outcome::Ignored => {}
            Outcome::Error => {
                if self.verifying {
                    let kept = self.world.current().filter(|(context, _)| result == 0 && !context.errors.is_empty());
                    let result = kept.map_or(result, |(context, _)| context.errors.remove(0));
                    let equal = recorded == result;
                    let text = if equal { String::new() } else { format!("{recorded:#06x} then, {result:#06x} now") };
                    self.found(call, Comparison { kind: ComparedKind::Error, equal, text });
                }
            }
            Outcome::Creates(Namespace::Sync) => {
                if let Some((_, group)) = self.world.current() {
                    group.syncs.insert(recorded, result);
                }
            }
            Outcome::Creates(Namespace::TextureHandle | Namespace::ImageHandle) => {
                if let Some((_, group)) = self.world.current() {
                    group.handles.insert(recorded, result);
                }
            }
            Outcome::Creates(space) => {
                // `glGenFragmentShadersATI` and similar commands create consecutive names and return the first.
                let range = plan.command.has(Trait::NameRange);
                let count = if range { call.args[0].min(1 << 16) as u32 } else { 1 };
                if let Some(names) = self.world.names(space) {
                    for at in 0..count {
                        names.insert((recorded as u32).wrapping_add(at), (result as u32).wrapping_add(at));
                    }
                }
            }
            Outcome::Place(kind) => self.note_place(call, reader, kind, 1, (recorded, result))?,
            Outcome::Resource => {
                let location = plan.id == id::glGetProgramResourceLocation;
                let kind = match (call.args.get(1).map(|word| *word as u32), location) {
                    (Some(c::GL_UNIFORM), true) => PlaceKind::Uniform,
                    (Some(c::GL_UNIFORM_BLOCK), false) => PlaceKind::UniformBlock,
                    (Some(c::GL_SHADER_STORAGE_BLOCK), false) => PlaceKind::StorageBlock,
                    _ => return Ok(()),
                };
                self.note_place(call, reader, kind, 2, (recorded, result))?;
            }
        }
        Ok(())
    }

    /// Records created and deleted names.
    pub(super) fn names_after(
        &mut self,
        plan: &Plan,
        (call, reader): (&Call<'_>, &Reader),
        operands: &Operands<'_>,
    ) -> Result<(), ReplayError> {
        for step in &plan.steps {
            match *step {
                Step::Output { arg, names: Some(space) } if plan.creates => {
                    let Some(recorded) = call.output(arg) else { continue };
                    let Some(recorded) = bytes(reader, recorded)? else { continue };
                    let Some(real) = operands.output(arg) else { continue };
                    let Some(names) = self.world.names(space) else { continue };
                    for (recorded, real) in words(&recorded).zip(words(real)) {
                        names.insert(recorded, real);
                    }
                }
                // A program in use lives on under its name when it is deleted (GL 4.6, 7.3).
                Step::Input { content: Content::Names(Namespace::Program), .. }
                | Step::Name { space: Namespace::Program, .. } => {}
                Step::Input { arg, content: Content::Names(space) } if plan.deletes => {
                    let Some(recorded) = call.input(arg) else { continue };
                    let Some(recorded) = bytes(reader, recorded)? else { continue };
                    if space == Namespace::Framebuffer
                        && let Some((context, _)) = self.world.current()
                    {
                        // One that is bound is unbound first (GL 4.6, 9.2).
                        for name in words(&recorded) {
                            for bound in [&mut context.draw_framebuffer, &mut context.read_framebuffer] {
                                *bound = if *bound == name { 0 } else { *bound };
                            }
                        }
                    }
                    let Some(names) = self.world.names(space) else { continue };
                    words(&recorded).for_each(|name| names.remove(name));
                }
                Step::Name { arg, space: Namespace::Sync } if plan.deletes => {
                    if let Some((_, group)) = self.world.current() {
                        group.syncs.remove(&call.args[usize::from(arg)]);
                    }
                }
                Step::Name { arg, space } if plan.deletes => {
                    if let Some(names) = self.world.names(space) {
                        names.remove(call.args[usize::from(arg)] as u32);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Handles commands that change the state of the replay.
    pub(super) fn after(
        &mut self,
        plan: &Plan,
        (call, reader): (&Call<'_>, &Reader),
        (result, operands): (u64, &mut Operands<'_>),
    ) -> Result<(), ReplayError> {
        let recorded = call.args;
        if plan.special == Special::Link {
            self.tell_linked();
        }
        match plan.special {
            Special::Map => {
                self.mapped(call, result);
                return Ok(());
            }
            Special::GenLists => {
                self.generated_lists(call, result);
                return Ok(());
            }
            Special::AttributeLocation => return self.attribute_location(call, reader, result),
            Special::Readback if self.verifying => return self.compare_outputs(plan, (call, reader), operands),
            Special::RenderMode => return self.compare_results(call, reader),
            Special::PushAttributes => {
                self.push_attributes(call);
                return Ok(());
            }
            Special::PopAttributes => return self.pop_attributes(),
            _ => {}
        }
        let Some((context, group)) = self.world.current() else { return Ok(()) };
        match plan.special {
            Special::UseProgram if !context.compiling => context.program = recorded[0] as u32,
            Special::BindPipeline => context.pipeline = recorded[0] as u32,
            Special::ActiveProgram => {
                context.pipeline_programs.insert(recorded[0] as u32, recorded[1] as u32);
            }
            Special::Link => group.places.forget(recorded[0] as u32),
            Special::Begin => context.begun = !context.compiling,
            Special::End => context.begun = false,
            Special::NewList => context.compiling = recorded[1] as u32 == c::GL_COMPILE,
            Special::EndList => context.compiling = false,
            Special::BindVertexArray => context.vertex_array = recorded[0] as u32,
            Special::ClientActiveTexture => context.client_unit = (recorded[0] as u32).wrapping_sub(c::GL_TEXTURE0),
            Special::BindFramebuffer => {
                let (target, name) = (recorded[0] as u32, recorded[1] as u32);
                if target == c::GL_FRAMEBUFFER || target == c::GL_READ_FRAMEBUFFER {
                    context.read_framebuffer = name;
                }
                if target != c::GL_READ_FRAMEBUFFER {
                    context.draw_framebuffer = name;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn note_place(
        &mut self,
        call: &Call<'_>,
        reader: &Reader,
        kind: PlaceKind,
        name: u8,
        (recorded, real): (u64, u64),
    ) -> Result<(), ReplayError> {
        let Some(name) = call.input(name) else { return Ok(()) };
        let Some(name) = bytes(reader, name)? else { return Ok(()) };
        let name = String::from_utf8_lossy(&name);
        let name = name.trim_end_matches('\0');
        if let Some((_, group)) = self.world.current() {
            group.places.note(call.args[0] as u32, kind, name, recorded as u32 as i32, real as u32 as i32);
        }
        Ok(())
    }

    /// Records the block indices of a linked program: programs may use all of them without querying any by name.
    pub(super) fn note_blocks(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some(data) = call.input(2) else { return Ok(()) };
        let Some(data) = bytes(reader, data)? else { return Ok(()) };
        let Some(reflection) = Reflection::decode(&data).ok().filter(|reflection| reflection.whole) else {
            return Ok(());
        };
        let recorded = call.args[0] as u32;
        let Some(program) = self.world.names(Namespace::Program).map(|names| u64::from(names.known(recorded))) else {
            return Ok(());
        };
        self.note_bound_uniforms(recorded, program);
        let kinds =
            [(c::GL_UNIFORM_BLOCK, PlaceKind::UniformBlock), (c::GL_SHADER_STORAGE_BLOCK, PlaceKind::StorageBlock)];
        for (interface, kind) in kinds {
            let blocks = reflection.interface(interface).map_or(&[][..], |interface| &interface.resources);
            if blocks.is_empty() || !self.is_linked(program) {
                continue;
            }
            for (index, block) in blocks.iter().enumerate() {
                let name = String::from_utf8_lossy(&block.name);
                let real = match kind {
                    PlaceKind::UniformBlock => {
                        self.own_call_text(id::glGetUniformBlockIndex, &[program], name.as_bytes())
                    }
                    _ => {
                        let words = [program, u64::from(interface)];
                        self.own_call_text(id::glGetProgramResourceIndex, &words, name.as_bytes())
                    }
                } as u32;
                if let Some((_, group)) = self.world.current().filter(|_| real != c::GL_INVALID_INDEX) {
                    group.places.note(recorded, kind, &name, index as i32, real.cast_signed());
                }
            }
        }
        Ok(())
    }

    /// Returns whether the driver has linked a program.
    pub(crate) fn is_linked(&mut self, program: u64) -> bool {
        self.query::<1>(id::glGetProgramiv, &[program, u64::from(c::GL_LINK_STATUS)]) != [0]
    }

    /// Returns the driver's log of a shader or program, from the given query.
    pub(crate) fn info_log(&mut self, command: CommandId, name: u64) -> String {
        let (mut bytes, mut length) = (vec![0; 1 << 14], [0; 4]);
        let words = [name, bytes.len() as u64 - 1, 0, 0];
        let pointers = &mut [
            PointerArgument { param: 2, memory: CallMemory::Output(&mut length) },
            PointerArgument { param: 3, memory: CallMemory::Output(&mut bytes) },
        ];
        self.own_call_with(command, &words, pointers);
        bytes.truncate(usize::try_from(i32::from_ne_bytes(length)).unwrap_or(0));
        String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n']).to_owned()
    }

    /// Takes the driver's debug messages, the oldest first.
    pub(crate) fn debug_messages(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        // As many as a driver keeps at most in practice; it may be asked to keep fewer, never more.
        for _ in 0..1024 {
            let (mut bytes, mut length) = (vec![0; 1 << 12], [0; 4]);
            let words = [1, bytes.len() as u64, 0, 0, 0, 0, 0, 0];
            let pointers = &mut [
                PointerArgument { param: 6, memory: CallMemory::Output(&mut length) },
                PointerArgument { param: 7, memory: CallMemory::Output(&mut bytes) },
            ];
            if self.own_call_with(id::glGetDebugMessageLog, &words, pointers) as u32 == 0 {
                break;
            }
            bytes.truncate(usize::try_from(i32::from_ne_bytes(length)).unwrap_or(0));
            messages.push(String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n']).to_owned());
        }
        messages
    }

    /// Gives a shader a source text.
    pub(crate) fn set_shader_source(&mut self, shader: u64, text: &[u8]) {
        let raised = self.raises_precisions().then(|| raise_precisions(text));
        let strings = [raised.as_deref().unwrap_or(text)];
        let source = PointerArgument { param: 2, memory: CallMemory::Inputs(&strings) };
        self.own_call_with(id::glShaderSource, &[shader, 1, 0, 0], &mut [source]);
    }

    fn mapped(&mut self, call: &Call<'_>, result: u64) {
        let Some(recorded) = call.outcome.as_ref().map(|outcome| outcome.result).filter(|&address| address != 0) else {
            return;
        };
        if result == 0 {
            self.problem(call.number, "the driver did not map a buffer that was mapped in the recording");
            return;
        }
        self.maps.insert(recorded, MapHandle(result));
    }

    /// Display lists keep their recorded names, because `glCallLists` adds offsets to them that cannot be translated. Any
    /// number can become a list, so if the driver reserved others, they are deleted.
    fn generated_lists(&mut self, call: &Call<'_>, result: u64) {
        let Some(recorded) = call.outcome.as_ref().map(|outcome| outcome.result) else { return };
        let count = call.args[0];
        if recorded == result || recorded == 0 {
            return;
        }
        let (delete, new, end) = (id::glDeleteLists, id::glNewList, id::glEndList);
        if result != 0 {
            self.own_call(delete, &[result, count]);
        }
        for list in recorded..recorded.saturating_add(count.min(1 << 20)) {
            self.own_call(new, &[list & 0xFFFF_FFFF, u64::from(c::GL_COMPILE)]);
            self.own_call(end, &[]);
        }
    }

    /// Programs use attribute locations outside of their shader program, so the recorded ones are bound if the driver chose
    /// others.
    fn attribute_location(&mut self, call: &Call<'_>, reader: &Reader, result: u64) -> Result<(), ReplayError> {
        let Some(outcome) = &call.outcome else { return Ok(()) };
        let (recorded, real) = (outcome.result as u32 as i32, result as u32 as i32);
        if recorded == real || recorded < 0 || real < 0 {
            return Ok(());
        }
        let Some(name) = call.input(1) else { return Ok(()) };
        let Some(name) = bytes(reader, name)? else { return Ok(()) };
        let program = self.args[0];
        let (bind, link) = (id::glBindAttribLocation, id::glLinkProgram);
        self.own_call_text(bind, &[program, u64::from(recorded.cast_unsigned())], &name);
        self.own_call(link, &[program]);
        if self.own_call_text(id::glGetAttribLocation, &[program], &name) as u32 as i32 != recorded {
            self.problem(call.number, "the driver uses another location for an attribute than the recording");
        }
        Ok(())
    }

    /// Compares the results of feedback or selection, when it ends.
    fn compare_results(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some((context, _)) = self.world.current() else { return Ok(()) };
        let command = if context.render_mode == c::GL_SELECT { id::glSelectBuffer } else { id::glFeedbackBuffer };
        context.render_mode = call.args.first().map_or(0, |mode| *mode as u32);
        let Some(data) = call.output(0).filter(|_| self.verifying) else { return Ok(()) };
        let length = size(&data) as usize;
        let recorded = bytes(reader, data)?;
        let kept = context.results[results_place(command)];
        let Some(real) = kept.and_then(|kept| self.world.gl.read_kept(kept, length)) else { return Ok(()) };
        if let Some((equal, text)) = crate::verify::compare(data, recorded.as_deref(), &real, &real) {
            self.found(call, Comparison { kind: ComparedKind::Readback, equal, text });
        }
        Ok(())
    }

    /// Compares the output of a call with the recording. Bytes that GL does not write, such as padding between rows, are
    /// found by calling again with other bytes there before.
    fn compare_outputs(
        &mut self,
        plan: &Plan,
        (call, reader): (&Call<'_>, &Reader),
        operands: &mut Operands<'_>,
    ) -> Result<(), ReplayError> {
        for param in operands.outputs() {
            let Some(data) = call.output(param) else { continue };
            let length = size(&data) as usize;
            let recorded = bytes(reader, data)?;
            let mut passes = Vec::new();
            for mask in [0x55u8, 0xAA] {
                let fill: Vec<u8> = match &recorded {
                    Some(bytes) => bytes.iter().map(|byte| byte ^ mask).collect(),
                    None => vec![mask; length],
                };
                operands.fill(param, &fill);
                self.invoke(plan, call.args.len(), operands);
                passes.push(operands.output(param).and_then(|real| real.get(..length)).unwrap_or_default().to_vec());
            }
            let found = crate::verify::compare(data, recorded.as_deref(), &passes[0], &passes[1]);
            match found {
                Some((equal, text)) => self.found(call, Comparison { kind: ComparedKind::Readback, equal, text }),
                None => {
                    let nothing = passes[0].iter().zip(&passes[1]).all(|(one, two)| one != two);
                    let why = if nothing { Incomparable::NothingWritten } else { Incomparable::PartlyWritten };
                    self.tally.leave_open((call.number, call.name()), why);
                }
            }
        }
        Ok(())
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default()))
}
