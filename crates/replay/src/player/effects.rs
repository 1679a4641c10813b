//! What calls mean for later ones: new names, places in programs, maps, what is bound.

use std::ffi::CString;

use api::reflection::Reflection;
use api::{CommandId, Namespace, Trait, constant as c, id};
use device::report::ComparedKind;
use driver::Mapped;
use trace::{Call, Reader};

use super::Player;
use super::arguments::{bytes, results_place, size};
use crate::ReplayError;
use crate::plan::{Content, Outcome, PlaceKind, Plan, Special, Step};
use crate::verify::Found;

impl Player {
    /// What must be done before a call.
    pub(super) fn before(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        if let Special::ChooseBuffer { .. } = plan.special {
            return self.choose_buffer(plan, call, reader);
        }
        if let Special::Unmap { named } = plan.special {
            let mut pointer = 0u64;
            let id = if named { id::glGetNamedBufferPointerv } else { id::glGetBufferPointerv };
            self.own_call(id, &[self.args[0], u64::from(c::GL_BUFFER_MAP_POINTER), &raw mut pointer as u64]);
            // Whatever was mapped there must not be written to any more.
            self.maps.retain(|_, mapped| mapped.address() != pointer);
        }
        Ok(())
    }

    /// What a result means.
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
                    self.found(call, Found { kind: ComparedKind::Error, equal, text });
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
                // `glGenFragmentShadersATI` and their like make several names in a row and return the first.
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

    /// Notes names that were made or deleted.
    pub(super) fn names_after(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        for step in &plan.steps {
            match *step {
                Step::Output { arg, names: Some(space) } if plan.creates => {
                    let Some(recorded) = call.output(arg) else { continue };
                    let Some(recorded) = bytes(reader, recorded)? else { continue };
                    let Some(output) = self.outputs.iter().find(|output| output.arg == arg) else { continue };
                    let real = self.arena.read(output.piece);
                    let Some(names) = self.world.names(space) else { continue };
                    for (recorded, real) in words(&recorded).zip(words(&real)) {
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

    /// What commands mean that the replayer understands.
    pub(super) fn after(
        &mut self,
        plan: &Plan,
        call: &Call<'_>,
        reader: &Reader,
        result: u64,
    ) -> Result<(), ReplayError> {
        let recorded = call.args;
        if plan.special == Special::Link {
            self.tell_linked();
        }
        if let Special::Map { length, named } = plan.special {
            self.mapped(call, length, named, result);
            return Ok(());
        }
        match plan.special {
            Special::GenLists => {
                self.generated_lists(call, result);
                return Ok(());
            }
            Special::AttributeLocation => return self.attribute_location(call, reader, result),
            Special::Readback if self.verifying => return self.compare_outputs(plan, call, reader),
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

    /// Notes where the blocks of a program are that was linked: programs may count through them and never ask for one
    /// by its name.
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
        let kinds =
            [(c::GL_UNIFORM_BLOCK, PlaceKind::UniformBlock), (c::GL_SHADER_STORAGE_BLOCK, PlaceKind::StorageBlock)];
        for (interface, kind) in kinds {
            let blocks = reflection.interface(interface).map_or(&[][..], |interface| &interface.resources);
            if blocks.is_empty() || !self.is_linked(program) {
                continue;
            }
            for (index, block) in blocks.iter().enumerate() {
                let name = String::from_utf8_lossy(&block.name);
                let text = CString::new(name.as_ref()).unwrap_or_default();
                let text = text.as_ptr() as u64;
                let real = match kind {
                    PlaceKind::UniformBlock => self.own_call(id::glGetUniformBlockIndex, &[program, text]),
                    _ => self.own_call(id::glGetProgramResourceIndex, &[program, u64::from(interface), text]),
                } as u32;
                if let Some((_, group)) = self.world.current().filter(|_| real != c::GL_INVALID_INDEX) {
                    group.places.note(recorded, kind, &name, index as i32, real.cast_signed());
                }
            }
        }
        Ok(())
    }

    /// Whether the driver has linked a program.
    pub(super) fn is_linked(&mut self, program: u64) -> bool {
        let mut status = [0i32; 4];
        self.own_call(id::glGetProgramiv, &[program, u64::from(c::GL_LINK_STATUS), status.as_mut_ptr() as u64]);
        status[0] != 0
    }

    /// What the driver says of a shader or program, by the command that asks for it.
    pub(crate) fn info_log(&mut self, command: CommandId, name: u64) -> String {
        let mut bytes = vec![0u8; 1 << 14];
        let mut length = [0i32; 2];
        let room = bytes.len() as u64 - 1;
        self.own_call(command, &[name, room, length.as_mut_ptr() as u64, bytes.as_mut_ptr() as u64]);
        bytes.truncate(usize::try_from(length[0]).unwrap_or(0).min(bytes.len()));
        String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n']).to_owned()
    }

    fn mapped(&mut self, call: &Call<'_>, length: Option<u8>, named: bool, result: u64) {
        let Some(recorded) = call.outcome.as_ref().map(|outcome| outcome.result).filter(|&address| address != 0) else {
            return;
        };
        if result == 0 {
            self.problem(call.number, "the driver did not map a buffer that was mapped in the recording");
            return;
        }
        let size = if let Some(arg) = length {
            call.args[usize::from(arg)]
        } else {
            let mut size = [0i32; 4];
            let id = if named { id::glGetNamedBufferParameteriv } else { id::glGetBufferParameteriv };
            self.own_call(id, &[self.args[0], u64::from(c::GL_BUFFER_SIZE), size.as_mut_ptr() as u64]);
            u64::try_from(size[0]).unwrap_or(0)
        };
        #[allow(unsafe_code, reason = "a driver's map is memory that only the driver knows of")]
        // SAFETY: the driver returned a map that is not null and said, or was asked, how long it is; `before` forgets
        // it when it is unmapped.
        let mapped = unsafe { Mapped::new(result as *mut _, size as usize) };
        self.maps.insert(recorded, mapped);
    }

    /// Display lists keep their recorded names, because `glCallLists` adds to them what no replayer sees. Any number
    /// can be made a list, so if the driver reserved others, those are let go.
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

    /// Programs use the numbers of attributes outside of their program, so a driver that chose others is told to take
    /// the recorded ones.
    fn attribute_location(&mut self, call: &Call<'_>, reader: &Reader, result: u64) -> Result<(), ReplayError> {
        let Some(outcome) = &call.outcome else { return Ok(()) };
        let (recorded, real) = (outcome.result as u32 as i32, result as u32 as i32);
        if recorded == real || recorded < 0 || real < 0 {
            return Ok(());
        }
        let Some(name) = call.input(1) else { return Ok(()) };
        let Some(name) = bytes(reader, name)? else { return Ok(()) };
        let mut name = name.to_vec();
        name.push(0);
        let program = self.args[0];
        let (bind, link) = (id::glBindAttribLocation, id::glLinkProgram);
        self.own_call(bind, &[program, u64::from(recorded.cast_unsigned()), name.as_ptr() as u64]);
        self.own_call(link, &[program]);
        if self.own_call(id::glGetAttribLocation, &[program, name.as_ptr() as u64]) as u32 as i32 != recorded {
            self.problem(call.number, "the driver keeps an attribute in another place than the recording has it");
        }
        Ok(())
    }

    /// Compares what rendering for feedback or selection has left behind, when it ends.
    fn compare_results(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Some((context, _)) = self.world.current() else { return Ok(()) };
        let command = if context.render_mode == c::GL_SELECT { id::glSelectBuffer } else { id::glFeedbackBuffer };
        context.render_mode = call.args.first().map_or(0, |mode| *mode as u32);
        let Some(data) = call.output(0).filter(|_| self.verifying) else { return Ok(()) };
        let length = size(&data) as usize;
        let recorded = bytes(reader, data)?;
        let Some(real) = context.results[results_place(command)].get(..length) else {
            return Ok(());
        };
        if let Some((equal, text)) = crate::verify::compare(data, recorded.as_deref(), real, real) {
            self.found(call, Found { kind: ComparedKind::Readback, equal, text });
        }
        Ok(())
    }

    /// Compares what a call wrote with what it wrote in the recording. Bytes that GL leaves alone, such as padding
    /// between rows, are found by calling again with other bytes there before.
    fn compare_outputs(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        for at in 0..self.outputs.len() {
            let output = self.outputs[at];
            let Some(data) = call.output(output.arg) else { continue };
            let length = size(&data) as usize;
            let recorded = bytes(reader, data)?;
            let mut passes = Vec::new();
            for mask in [0x55u8, 0xAA] {
                let fill: Vec<u8> = match &recorded {
                    Some(bytes) => bytes.iter().map(|byte| byte ^ mask).collect(),
                    None => vec![mask; length],
                };
                self.arena.write(output.piece, 0, &fill);
                let args = self.args;
                self.invoke(plan, &args[..call.args.len()]);
                let mut real = self.arena.read(output.piece);
                real.truncate(length);
                passes.push(real);
            }
            let found = crate::verify::compare(data, recorded.as_deref(), &passes[0], &passes[1]);
            match found {
                Some((equal, text)) => self.found(call, Found { kind: ComparedKind::Readback, equal, text }),
                None => self.tally.incomparable += 1,
            }
        }
        Ok(())
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default()))
}
