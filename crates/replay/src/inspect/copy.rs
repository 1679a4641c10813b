//! Copies of the recorded program with a variant in the place of one shader.

use std::collections::HashMap;
use std::time::Duration;

use api::call::{CallMemory, PointerArgument};
use api::reflection::kind::{Base, shape};
use api::{CommandId, Namespace, constant as c, id};
use device::Changes;
use instrument::{InspectError, Transport, Variant};
use open_trace::{StageShader, shader_type};
use shader::version::Stage;
use state::View;
use state::objects::pipeline::{STAGE_BITS, STAGES};
use state::objects::program::{Linked, Program};

use super::changes;
use super::undo::{UndoRecorder, word};

/// What runs in the place of the recorded program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// The driver's name of the program.
    pub program: u32,
    /// The driver's name of a pipeline that has it, where the recording used one.
    pub pipeline: Option<u32>,
}

/// Copies that were made so far in a context, by a hash of everything they are made of.
#[derive(Default)]
pub struct Copies {
    programs: HashMap<blake3::Hash, Copy>,
    /// Shaders by type and text.
    shaders: HashMap<(u32, Vec<u8>), u32>,
}

/// Programs are kept up to this number; drivers keep much for each.
const MOST: usize = 256;

impl Copies {
    /// A copy of the program that runs, with a variant in it; and how long making it took, when it had to be made.
    pub fn get(
        &mut self,
        gl: &mut UndoRecorder<'_>,
        view: &View<'_>,
        stages: &[StageShader],
        (stage, variant): (Stage, &Variant),
    ) -> Result<(Copy, Option<Duration>), InspectError> {
        let about = stages.iter().find(|facts| facts.stage == stage);
        let about = about.ok_or_else(|| InspectError::Failed(format!("there is no {} shader", stage.name())))?;
        let recorded = about.recorded(view);
        let recorded = recorded.ok_or_else(|| InspectError::Failed("there is no program".to_owned()))?;
        let key = key((stage, variant), recorded, view.context.program == 0);
        if let Some(copy) = self.programs.get(&key) {
            return Ok((*copy, None));
        }
        if self.programs.len() >= MOST {
            self.clear(gl);
        }
        let start = gl.player.time();
        let copy = self.make(gl, view, stages, (about, recorded, variant))?;
        self.programs.insert(key, copy);
        Ok((copy, Some(gl.player.time() - start)))
    }

    /// Gives everything back.
    pub fn clear(&mut self, gl: &mut UndoRecorder<'_>) {
        for (_, copy) in self.programs.drain() {
            gl.call(id::glDeleteProgram, &[u64::from(copy.program)]);
            if let Some(pipeline) = copy.pipeline {
                gl.player.delete(id::glDeleteProgramPipelines, pipeline);
            }
        }
        for (_, shader) in self.shaders.drain() {
            gl.call(id::glDeleteShader, &[u64::from(shader)]);
        }
    }

    fn make(
        &mut self,
        gl: &mut UndoRecorder<'_>,
        view: &View<'_>,
        stages: &[StageShader],
        (about, recorded, variant): (&StageShader, &Program, &Variant),
    ) -> Result<Copy, InspectError> {
        let separable = view.context.program == 0 && about.whole.is_none();
        let passing = passing(stages, about, variant)?;
        let name = gl.call(id::glCreateProgram, &[]) as u32;
        let made = self.fill(gl, recorded, (about, variant, passing.as_ref()), (name, separable));
        let linked = made.and_then(|()| link(gl, name, variant));
        if let Err(error) = linked {
            gl.call(id::glDeleteProgram, &[u64::from(name)]);
            return Err(error);
        }
        let pipeline = separable.then(|| pipeline(gl, view, about.program, name));
        Ok(Copy { program: name, pipeline })
    }

    /// Gives a program its shaders, and what linking goes by.
    fn fill(
        &mut self,
        gl: &mut UndoRecorder<'_>,
        recorded: &Program,
        (about, variant, passing): (&StageShader, &Variant, Option<&(usize, Vec<u8>)>),
        (name, separable): (u32, bool),
    ) -> Result<(), InspectError> {
        let feedback = matches!(variant.transport, Transport::Feedback(_));
        let text: Vec<u8> = variant.strings.concat().into_bytes();
        if let Some(fragment) = &variant.fragment {
            let shader = self.shader(gl, c::GL_FRAGMENT_SHADER, fragment.concat().as_bytes())?;
            gl.call(id::glAttachShader, &[u64::from(name), u64::from(shader)]);
        }
        for (part, source) in recorded.executable_parts.iter().enumerate() {
            // What comes after the stage whose vertices are captured, or drawn as points, would be so instead.
            let later = STAGES.iter().position(|kind| *kind == source.kind).unwrap_or(0) > about.stage as usize;
            let fragment = source.kind == c::GL_FRAGMENT_SHADER;
            if variant.fragment.is_some() && later || feedback && later && !fragment {
                continue;
            }
            let text = match passing {
                _ if part == about.part => &text[..],
                Some((place, text)) if *place == part => text,
                _ => source.text.as_deref().unwrap_or_default(),
            };
            let shader = self.shader(gl, source.kind, text)?;
            gl.call(id::glAttachShader, &[u64::from(name), u64::from(shader)]);
        }
        if separable {
            let separable = u64::from(c::GL_PROGRAM_SEPARABLE);
            gl.call(id::glProgramParameteri, &[u64::from(name), separable, 1]);
        }
        for (attribute, place) in &recorded.setup.attributes {
            bind(gl, id::glBindAttribLocation, name, &[u64::from(*place)], attribute);
        }
        if let Some(attribute) = &variant.controls.vertex {
            let place = free_attribute(gl, recorded);
            bind(gl, id::glBindAttribLocation, name, &[u64::from(place)], attribute.as_bytes());
        }
        if let Some(linked) = &recorded.executable {
            for (attribute, place) in located(linked, c::GL_ACTIVE_ATTRIBUTES) {
                bind(gl, id::glBindAttribLocation, name, &[place], attribute);
            }
            if variant.controls.outputs.is_empty() && gl.player.has_function(id::glBindFragDataLocation) {
                for (output, place) in located(linked, c::GL_PROGRAM_OUTPUT) {
                    bind_output(gl, name, linked, output, place);
                }
            }
        }
        if feedback {
            let names: Vec<&[u8]> = variant.controls.outputs.iter().map(String::as_bytes).collect();
            let words = [u64::from(name), names.len() as u64, 0, u64::from(c::GL_INTERLEAVED_ATTRIBS)];
            let names = PointerArgument { param: 2, memory: CallMemory::Inputs(&names) };
            gl.call_with(id::glTransformFeedbackVaryings, &words, &mut [names]);
        } else if about.stage == Stage::Fragment
            && gl.player.has_function(id::glBindFragDataLocation)
            && gl.capabilities.desktop
        {
            for (place, output) in variant.controls.outputs.iter().enumerate() {
                bind(gl, id::glBindFragDataLocation, name, &[place as u64], output.as_bytes());
            }
        }
        Ok(())
    }

    /// A shader of a text, compiled.
    fn shader(&mut self, gl: &mut UndoRecorder<'_>, kind: u32, text: &[u8]) -> Result<u32, InspectError> {
        let key = (kind, text.to_vec());
        if let Some(shader) = self.shaders.get(&key) {
            return Ok(*shader);
        }
        let shader = gl.call(id::glCreateShader, &[u64::from(kind)]) as u32;
        gl.player.set_shader_source(u64::from(shader), text);
        gl.call(id::glCompileShader, &[u64::from(shader)]);
        if gl.query::<1>(id::glGetShaderiv, &[shader, c::GL_COMPILE_STATUS].map(u64::from)) == [0] {
            let log = gl.player.info_log(id::glGetShaderInfoLog, u64::from(shader));
            gl.call(id::glDeleteShader, &[u64::from(shader)]);
            return Err(InspectError::Rejected { log, source_text: String::from_utf8_lossy(text).into_owned() });
        }
        self.shaders.insert(key, shader);
        Ok(shader)
    }
}

/// The part of the program that is to pass the numbers of primitives on to fragments, and its text: a geometry shader,
/// if the variant asks for the number.
fn passing(
    stages: &[StageShader],
    about: &StageShader,
    variant: &Variant,
) -> Result<Option<(usize, Vec<u8>)>, InspectError> {
    let asks = about.stage == Stage::Fragment && variant.strings.iter().any(|text| text.contains("gl_PrimitiveID"));
    let Some(geometry) = stages.iter().find(|facts| facts.stage == Stage::Geometry).filter(|_| asks) else {
        return Ok(None);
    };
    match instrument::pass_primitive(geometry.subject())? {
        Some(_) if geometry.program != about.program => Err(InspectError::Failed(
            "the geometry shader is of another program, and does not tell fragments which primitive they are of"
                .to_owned(),
        )),
        Some(strings) => Ok(Some((geometry.part, strings.concat().into_bytes()))),
        None => Ok(None),
    }
}

impl Copy {
    /// Makes it run instead of the recorded program, until all is undone, with the values that has. Subroutines are
    /// chosen anew whenever a program begins to be used, so those are chosen again as well (GL 4.6, 7.10).
    pub fn install(
        self,
        gl: &mut UndoRecorder<'_>,
        view: &View<'_>,
        (recorded, changes): (&Program, &Changes),
    ) -> Result<(), InspectError> {
        let subroutines: Vec<(u32, Vec<u32>)> =
            STAGES.into_iter().zip(view.context.subroutines.iter().cloned()).collect();
        let chosen = subroutines.iter().filter(|(_, chosen)| !chosen.is_empty()).cloned().collect::<Vec<_>>();
        gl.on_undo(move |player| {
            for (stage, chosen) in chosen {
                let words = [u64::from(stage), chosen.len() as u64];
                player.own_call_reading(id::glUniformSubroutinesuiv, &words, &bytes_of(&chosen));
            }
        });
        let before = gl.integer(c::GL_CURRENT_PROGRAM);
        gl.call_on_undo(id::glUseProgram, &[word(before)]);
        if let Some(pipeline) = self.pipeline {
            let before = gl.integer(c::GL_PROGRAM_PIPELINE_BINDING);
            gl.call_on_undo(id::glBindProgramPipeline, &[word(before)]);
            gl.call(id::glUseProgram, &[u64::from(self.program)]);
            self.give_values(gl, recorded);
            changes::give_uniforms(changes, gl, self.program, recorded)?;
            gl.call(id::glUseProgram, &[0]);
            gl.call(id::glBindProgramPipeline, &[u64::from(pipeline)]);
        } else {
            gl.call(id::glUseProgram, &[u64::from(self.program)]);
            self.give_values(gl, recorded);
            changes::give_uniforms(changes, gl, self.program, recorded)?;
        }
        if let Some(linked) = &recorded.executable {
            for (stage, chosen) in &subroutines {
                self.choose_subroutines(gl, linked, *stage, chosen);
            }
        }
        Ok(())
    }

    /// Gives it the values that uniforms of the recorded program have, and the bindings of its blocks. It is in use.
    fn give_values(self, gl: &mut UndoRecorder<'_>, recorded: &Program) {
        let Some(linked) = &recorded.executable else { return };
        let Some(names) = linked.reflection.interface(c::GL_UNIFORM) else { return };
        for uniform in &linked.uniforms {
            // OpenGL ES has units of images in the text only (ES 3.2, 7.6.1).
            if uniform.shape.base == Base::AtomicCounter
                || uniform.shape.base == Base::Image && !gl.capabilities.desktop
            {
                continue;
            }
            let first = uniform.offset as usize;
            let Some(words) = recorded.values.get(first..first + (uniform.size * uniform.stride) as usize) else {
                continue;
            };
            let place = self.location(gl, &names.resources[uniform.index as usize].name);
            let shape = (uniform.shape.base, uniform.shape.columns, uniform.shape.rows);
            set_uniform(gl, place, shape, uniform.size, words);
        }
        if let Some(blocks) = linked.reflection.interface(c::GL_UNIFORM_BLOCK) {
            for (block, binding) in blocks.resources.iter().zip(&recorded.bindings.uniform) {
                let index = gl.call_text(id::glGetUniformBlockIndex, &[u64::from(self.program)], &block.name) as u32;
                if index != c::GL_INVALID_INDEX {
                    let words = [self.program, index, *binding].map(u64::from);
                    gl.call(id::glUniformBlockBinding, &words);
                }
            }
        }
        // OpenGL ES has bindings of storage blocks in the text only (ES 3.2, 7.8).
        if let Some(blocks) =
            linked.reflection.interface(c::GL_SHADER_STORAGE_BLOCK).filter(|_| gl.capabilities.desktop)
        {
            for (block, binding) in blocks.resources.iter().zip(&recorded.bindings.storage) {
                if let Some(index) = self.storage_block(gl, &block.name) {
                    let words = [self.program, index, *binding].map(u64::from);
                    gl.call(id::glShaderStorageBlockBinding, &words);
                }
            }
        }
    }

    /// Where a uniform of it is; -1 for one that it does not use.
    pub fn location(self, gl: &mut UndoRecorder<'_>, name: &[u8]) -> i32 {
        gl.call_text(id::glGetUniformLocation, &[u64::from(self.program)], name) as u32 as i32
    }

    /// The index of a storage block of it.
    pub fn storage_block(self, gl: &mut UndoRecorder<'_>, name: &[u8]) -> Option<u32> {
        let words = [self.program, c::GL_SHADER_STORAGE_BLOCK].map(u64::from);
        let index = gl.call_text(id::glGetProgramResourceIndex, &words, name) as u32;
        (index != c::GL_INVALID_INDEX).then_some(index)
    }

    /// What the storage blocks of it are bound to, by index.
    pub fn storage_bindings(self, gl: &mut UndoRecorder<'_>) -> Vec<u32> {
        let (program, interface) = (u64::from(self.program), u64::from(c::GL_SHADER_STORAGE_BLOCK));
        let words = [program, interface, u64::from(c::GL_ACTIVE_RESOURCES)];
        let [count] = gl.query(id::glGetProgramInterfaceiv, &words);
        let each = (0..u64::from(count)).map(|index| {
            let mut value = [0; 4];
            let pointers = &mut [
                PointerArgument { param: 4, memory: CallMemory::Input(&c::GL_BUFFER_BINDING.to_ne_bytes()) },
                PointerArgument { param: 7, memory: CallMemory::Output(&mut value) },
            ];
            gl.call_with(id::glGetProgramResourceiv, &[program, interface, index, 1, 0, 1, 0, 0], pointers);
            u32::from_ne_bytes(value)
        });
        each.collect()
    }

    /// Chooses the subroutines that the recorded program has chosen: by their names, since a compiler that sees other
    /// text may number them otherwise.
    fn choose_subroutines(self, gl: &mut UndoRecorder<'_>, linked: &Linked, stage: u32, chosen: &[u32]) {
        let [of, uniforms] = match stage {
            c::GL_VERTEX_SHADER => [c::GL_VERTEX_SUBROUTINE, c::GL_VERTEX_SUBROUTINE_UNIFORM],
            c::GL_TESS_CONTROL_SHADER => [c::GL_TESS_CONTROL_SUBROUTINE, c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM],
            c::GL_TESS_EVALUATION_SHADER => {
                [c::GL_TESS_EVALUATION_SUBROUTINE, c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM]
            }
            c::GL_GEOMETRY_SHADER => [c::GL_GEOMETRY_SUBROUTINE, c::GL_GEOMETRY_SUBROUTINE_UNIFORM],
            c::GL_FRAGMENT_SHADER => [c::GL_FRAGMENT_SUBROUTINE, c::GL_FRAGMENT_SUBROUTINE_UNIFORM],
            _ => [c::GL_COMPUTE_SUBROUTINE, c::GL_COMPUTE_SUBROUTINE_UNIFORM],
        };
        let (Some(of), Some(uniforms)) = (linked.reflection.interface(of), linked.reflection.interface(uniforms))
        else {
            return;
        };
        if uniforms.resources.is_empty() {
            return;
        }
        let words = [self.program, stage, c::GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS].map(u64::from);
        let [count] = gl.query(id::glGetProgramStageiv, &words);
        let mut indices = vec![0u32; count as usize];
        for at in 0..uniforms.resources.len() {
            let first = uniforms.value(at, c::GL_LOCATION).unwrap_or(-1);
            let name = String::from_utf8_lossy(&uniforms.resources[at].name).into_owned();
            let base = name.strip_suffix("[0]").unwrap_or(&name);
            for element in 0..uniforms.value(at, c::GL_ARRAY_SIZE).unwrap_or(1).max(1) {
                let wanted = usize::try_from(first + element).ok().and_then(|place| chosen.get(place));
                let subroutine = wanted.and_then(|wanted| {
                    let is = |index: &usize| {
                        of.value(*index, c::GL_INDEX).map_or(*index as u32, i32::cast_unsigned) == *wanted
                    };
                    (0..of.resources.len()).find(is)
                });
                let Some(subroutine) = subroutine else { continue };
                let element = if base == name { name.clone() } else { format!("{base}[{element}]") };
                let owner = [self.program, stage].map(u64::from);
                let place = gl.call_text(id::glGetSubroutineUniformLocation, &owner, element.as_bytes());
                let index = gl.call_text(id::glGetSubroutineIndex, &owner, &of.resources[subroutine].name);
                if let Some(slot) = indices.get_mut(place as u32 as usize) {
                    *slot = index as u32;
                }
            }
        }
        if !indices.is_empty() {
            let words = [u64::from(stage), indices.len() as u64];
            gl.call_reading(id::glUniformSubroutinesuiv, &words, &bytes_of(&indices));
        }
    }
}

/// Sets a uniform of the program in use.
pub fn set_uniform(
    gl: &mut UndoRecorder<'_>,
    place: i32,
    (base, columns, rows): (Base, u8, u8),
    count: u32,
    words: &[u32],
) {
    if place < 0 {
        return;
    }
    let data = bytes_of(words);
    if columns > 1 {
        let double = base == Base::Double;
        if let Some(command) = matrix_command(columns, rows, double) {
            gl.call_reading(command, &[word(place), u64::from(count), 0], &data);
        }
        return;
    }
    let rows = usize::from(rows.clamp(1, 4)) - 1;
    let command = match base {
        Base::Float => [id::glUniform1fv, id::glUniform2fv, id::glUniform3fv, id::glUniform4fv][rows],
        Base::Double => [id::glUniform1dv, id::glUniform2dv, id::glUniform3dv, id::glUniform4dv][rows],
        Base::Uint => [id::glUniform1uiv, id::glUniform2uiv, id::glUniform3uiv, id::glUniform4uiv][rows],
        Base::Int64 => {
            [id::glUniform1i64vARB, id::glUniform2i64vARB, id::glUniform3i64vARB, id::glUniform4i64vARB][rows]
        }
        Base::Uint64 => {
            [id::glUniform1ui64vARB, id::glUniform2ui64vARB, id::glUniform3ui64vARB, id::glUniform4ui64vARB][rows]
        }
        _ => [id::glUniform1iv, id::glUniform2iv, id::glUniform3iv, id::glUniform4iv][rows],
    };
    gl.call_reading(command, &[word(place), u64::from(count)], &data);
}

fn matrix_command(columns: u8, rows: u8, double: bool) -> Option<CommandId> {
    let pair = match (columns, rows) {
        (2, 2) => [id::glUniformMatrix2fv, id::glUniformMatrix2dv],
        (3, 3) => [id::glUniformMatrix3fv, id::glUniformMatrix3dv],
        (4, 4) => [id::glUniformMatrix4fv, id::glUniformMatrix4dv],
        (2, 3) => [id::glUniformMatrix2x3fv, id::glUniformMatrix2x3dv],
        (3, 2) => [id::glUniformMatrix3x2fv, id::glUniformMatrix3x2dv],
        (2, 4) => [id::glUniformMatrix2x4fv, id::glUniformMatrix2x4dv],
        (4, 2) => [id::glUniformMatrix4x2fv, id::glUniformMatrix4x2dv],
        (3, 4) => [id::glUniformMatrix3x4fv, id::glUniformMatrix3x4dv],
        (4, 3) => [id::glUniformMatrix4x3fv, id::glUniformMatrix4x3dv],
        _ => return None,
    };
    Some(pair[usize::from(double)])
}

/// A pipeline like the one that is bound, with a copy in the place of a program.
fn pipeline(gl: &mut UndoRecorder<'_>, view: &View<'_>, recorded: u32, copy: u32) -> u32 {
    let pipeline = gl.generate(id::glGenProgramPipelines);
    let Some(bound) = view.context.pipelines.get(&view.context.pipeline) else { return pipeline };
    for (bit, name) in STAGE_BITS.into_iter().zip(bound.stages) {
        let real = match name {
            0 => continue,
            name if name == recorded => copy,
            name => gl.player.world.real_name(Namespace::Program, name),
        };
        gl.call(id::glUseProgramStages, &[pipeline, bit, real].map(u64::from));
    }
    pipeline
}

fn link(gl: &mut UndoRecorder<'_>, program: u32, variant: &Variant) -> Result<(), InspectError> {
    gl.call(id::glLinkProgram, &[u64::from(program)]);
    if gl.player.is_linked(u64::from(program)) {
        return Ok(());
    }
    let log = gl.player.info_log(id::glGetProgramInfoLog, u64::from(program));
    Err(InspectError::Rejected { log, source_text: variant.strings.concat() })
}

/// What of an interface has a place that was not built in, by name.
fn located(linked: &Linked, interface: u32) -> Vec<(&[u8], u64)> {
    let Some(interface) = linked.reflection.interface(interface) else { return Vec::new() };
    let each = interface.resources.iter().enumerate().filter(|(_, resource)| !resource.name.starts_with(b"gl_"));
    let placed = each.filter_map(|(index, resource)| {
        let place = u64::try_from(interface.value(index, c::GL_LOCATION)?).ok()?;
        Some((resource.name.strip_suffix(b"[0]").unwrap_or(&resource.name), place))
    });
    placed.collect()
}

/// The last place that no attribute of a program has.
fn free_attribute(gl: &mut UndoRecorder<'_>, recorded: &Program) -> u32 {
    let mut used: Vec<u32> = recorded.setup.attributes.values().copied().collect();
    let attributes =
        recorded.executable.as_ref().and_then(|linked| linked.reflection.interface(c::GL_ACTIVE_ATTRIBUTES));
    if let Some(attributes) = attributes {
        for index in 0..attributes.resources.len() {
            let number = |name| attributes.value(index, name).unwrap_or(0).max(0).cast_unsigned();
            let columns = shape(number(c::GL_TYPE)).map_or(1, |shape| u32::from(shape.columns));
            let first = number(c::GL_LOCATION);
            used.extend(first..first + columns * number(c::GL_ARRAY_SIZE).max(1));
        }
    }
    let most = gl.integer(c::GL_MAX_VERTEX_ATTRIBS).max(1).cast_unsigned();
    (0..most).rev().find(|place| !used.contains(place)).unwrap_or(most - 1)
}

/// Gives an output of a fragment shader its number, and which of two colours it is.
fn bind_output(gl: &mut UndoRecorder<'_>, program: u32, linked: &Linked, output: &[u8], place: u64) {
    let index = linked.reflection.interface(c::GL_PROGRAM_OUTPUT).and_then(|interface| {
        let is = |resource: &api::reflection::Resource| {
            resource.name.strip_suffix(b"[0]").unwrap_or(&resource.name) == output
        };
        interface.value(interface.resources.iter().position(is)?, c::GL_LOCATION_INDEX)
    });
    match index {
        Some(index @ 1..) => bind(gl, id::glBindFragDataLocationIndexed, program, &[place, word(index)], output),
        _ => bind(gl, id::glBindFragDataLocation, program, &[place], output),
    }
}

fn bind(gl: &mut UndoRecorder<'_>, command: CommandId, program: u32, numbers: &[u64], name: &[u8]) {
    let mut words = vec![u64::from(program)];
    words.extend(numbers);
    gl.call_text(command, &words, name);
}

/// Returns the bytes of words, as they lie in memory.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn key((stage, variant): (Stage, &Variant), recorded: &Program, pipeline: bool) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&recorded.object.to_le_bytes());
    hasher.update(&[u8::from(pipeline)]);
    for part in recorded.executable_parts.iter() {
        hasher.update(&part.kind.to_le_bytes());
        hasher.update(part.text.as_deref().unwrap_or_default());
    }
    hasher.update(&shader_type(stage).to_le_bytes());
    hasher.update(format!("{:?}", variant.transport).as_bytes());
    for text in variant.strings.iter().chain(variant.fragment.iter().flatten()).chain(&variant.controls.outputs) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}
