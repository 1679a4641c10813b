//! Translates recorded arguments to those of this GL.

use api::extent::{Extent, ExtentContext, PixelStore, Query, Texture};
use api::{Access, CommandId, Count, Namespace, Operation, Scalar, constant as c, id};
use trace::{Bytes, Call, Data, Reader};

use super::Player;
use super::operands::{Operands, Payload, Target};
use crate::ReplayError;
use crate::plan::{Content, Owner, PlaceKind, Plan, Special, Step};
use crate::world::KeptArray;

/// Recorded pointers below this are numbers: offsets into buffers. A 64-bit process has no memory there.
const LOWEST_ADDRESS: u64 = 1 << 32;

/// Outputs may be longer than in the recording by this many bytes, because another driver may return more.
const SLACK: usize = 4096;

/// The most bytes that results of feedback and selection may have.
const LONGEST_RESULTS: u64 = 64 << 20;

/// The most bytes that an output may have. The longest of any use is a texture as big as drivers allow.
const LONGEST: u64 = 1 << 30;

impl Player {
    /// Prepares one argument. Returns false when the call cannot be made.
    pub(super) fn prepare<'c>(
        &mut self,
        step: Step,
        plan: &Plan,
        (call, reader): (&Call<'c>, &Reader),
        operands: &mut Operands<'c>,
    ) -> Result<bool, ReplayError> {
        match step {
            Step::Name { arg, space: Namespace::EglImage } => {
                let word = std::mem::take(&mut self.args[usize::from(arg)]);
                if let Some(image) = self.world.images.get(&word) {
                    operands.set(arg, Target::Image(*image));
                }
            }
            Step::Name { arg, space } => {
                let word = self.args[usize::from(arg)];
                self.args[usize::from(arg)] = self.real_word(space, word);
            }
            Step::Labelled { arg } => {
                let kind = self.args[usize::from(arg) - 1] as u32;
                if let Some(space) = space_of(kind) {
                    let word = self.args[usize::from(arg)];
                    self.args[usize::from(arg)] = self.real_word(space, word);
                }
            }
            Step::Place { arg, kind, program } => self.prepare_place(arg, kind, program),
            Step::Input { arg, content } => return self.prepare_input((arg, content), plan, (call, reader), operands),
            Step::Output { arg, .. } => return self.prepare_output(arg, plan, (call, reader), operands),
            Step::Kept { arg } => return self.prepare_kept(arg, plan, (call, reader), operands),
            Step::Opaque { arg } => {
                let word = &mut self.args[usize::from(arg)];
                *word = if *word < LOWEST_ADDRESS { *word } else { 0 };
            }
        }
        Ok(true)
    }

    /// Returns the translation of a name of any kind, as a word.
    pub(super) fn real_word(&mut self, space: Namespace, word: u64) -> u64 {
        match space {
            Namespace::Sync => self.world.current().and_then(|(_, group)| group.syncs.get(&word).copied()).unwrap_or(0),
            Namespace::TextureHandle | Namespace::ImageHandle => {
                // Handles are addresses to some drivers, so one that this driver did not return is replaced by none.
                self.world.current().and_then(|(_, group)| group.handles.get(&word).copied()).unwrap_or(0)
            }
            _ => u64::from(self.world.real_name(space, word as u32)),
        }
    }

    /// Returns the recorded name of the program that receives uniforms now.
    pub(super) fn uniform_program(&mut self) -> u32 {
        let Some((context, _)) = self.world.current() else { return 0 };
        if context.program != 0 {
            return context.program;
        }
        context.pipeline_programs.get(&context.pipeline).copied().unwrap_or(0)
    }

    fn prepare_place(&mut self, arg: u8, kind: PlaceKind, owner: Owner) {
        if self.world.current().is_none_or(|(_, group)| group.places.unmoved()) {
            return;
        }
        let program = match owner {
            // Locations are translated before names, so this is still the recorded name.
            Owner::Arg(arg) => self.args[usize::from(arg)] as u32,
            Owner::Current => self.uniform_program(),
        };
        let recorded = self.args[usize::from(arg)] as u32 as i32;
        let real = self.real_place(program, kind, recorded);
        self.args[usize::from(arg)] = i64::from(real).cast_unsigned();
    }

    fn real_place(&mut self, program: u32, kind: PlaceKind, recorded: i32) -> i32 {
        let Some((_, group)) = self.world.current() else { return recorded };
        match group.places.real(program, kind, recorded) {
            Ok(real) => real,
            // GL 4.6, 7.6: location -1 is ignored without an error.
            Err(None) => -1,
            Err(Some(element)) => {
                let real_program = self.world.real_name(Namespace::Program, program);
                let name = element.name.as_bytes();
                let real = self.own_call_text(id::glGetUniformLocation, &[u64::from(real_program)], name) as u32 as i32;
                if let Some((_, group)) = self.world.current() {
                    group.places.note(program, kind, &element.name, recorded, real);
                }
                real
            }
        }
    }

    fn prepare_input<'c>(
        &mut self,
        (arg, content): (u8, Content),
        plan: &Plan,
        (call, reader): (&Call<'c>, &Reader),
        operands: &mut Operands<'c>,
    ) -> Result<bool, ReplayError> {
        let Some(data) = call.input(arg) else {
            if self.lacks_bytes(arg, plan, call) {
                operands.set(arg, Target::Zeros);
            }
            return Ok(true);
        };
        let Some(bytes) = bytes(reader, data)? else {
            let text = format!(
                "the trace has only a hash of the memory that {} reads; the call was skipped",
                plan.command.name
            );
            self.problem(call.number, &text);
            return Ok(false);
        };
        let target = match content {
            Content::Plain => Target::Input(Payload::Trace(bytes)),
            Content::Text => Target::Text(Payload::Trace(bytes)),
            Content::Texts => Target::Inputs(Payload::Trace(bytes)),
            // Arrays of indices are stored like texts; where a buffer is bound, they are offsets instead.
            Content::Arrays if self.integer(c::GL_ELEMENT_ARRAY_BUFFER_BINDING) == 0 => {
                Target::Inputs(Payload::Trace(bytes))
            }
            Content::Arrays => {
                let offsets = bytes.as_chunks::<8>().0.iter().map(|offset| u64::from_ne_bytes(*offset));
                Target::Offsets(offsets.map(|offset| if offset < LOWEST_ADDRESS { offset } else { 0 }).collect())
            }
            Content::Names(space) => {
                Target::Input(Payload::Made(self.real_names(space, &bytes, element_size(plan, arg))))
            }
        };
        operands.set(arg, target);
        Ok(true)
    }

    /// Returns whether a pointer is to memory that the trace does not have: invalid memory, or memory that capture could not
    /// read. Other pointers are null or offsets.
    fn lacks_bytes(&mut self, arg: u8, plan: &Plan, call: &Call<'_>) -> bool {
        if self.args[usize::from(arg)] < LOWEST_ADDRESS {
            return false;
        }
        match api::extent::extent(plan.id, usize::from(arg), call.args, &Ordinary) {
            // An empty text is recorded as no bytes.
            Extent::Nothing | Extent::Bytes(0) | Extent::Text | Extent::TextOf(0) => {}
            _ => {
                let (param, name) = (plan.command.params[usize::from(arg)].name, plan.command.name);
                let text = format!("the trace has no bytes of parameter {param} of {name}; it reads zeros");
                self.problem(call.number, &text);
            }
        }
        true
    }

    fn real_names(&mut self, space: Namespace, bytes: &[u8], size: usize) -> Vec<u8> {
        let mut real = Vec::with_capacity(bytes.len());
        if size == 8 {
            for word in bytes.as_chunks::<8>().0 {
                real.extend(self.real_word(space, u64::from_ne_bytes(*word)).to_ne_bytes());
            }
        } else {
            for name in bytes.as_chunks::<4>().0 {
                real.extend(self.world.real_name(space, u32::from_ne_bytes(*name)).to_ne_bytes());
            }
        }
        real
    }

    fn prepare_output<'c>(
        &mut self,
        arg: u8,
        plan: &Plan,
        (call, reader): (&Call<'c>, &Reader),
        operands: &mut Operands<'c>,
    ) -> Result<bool, ReplayError> {
        let word = self.args[usize::from(arg)];
        let recorded = call.output(arg).map(|data| size(&data));
        let declared = declared_size(plan, arg, call.args);
        if word == 0 || (recorded.is_none() && word < LOWEST_ADDRESS) {
            // Null, or an offset into a buffer.
            return Ok(true);
        }
        let longest = recorded.unwrap_or(0).max(declared.unwrap_or(0));
        if recorded.is_none() && declared.is_none() {
            // The call wrote nothing, as after an error, or capture could not know the size.
            operands.set(arg, Target::Discarded);
            return Ok(true);
        }
        if longest > LONGEST {
            let text = format!("{} would write too much memory; the call was skipped", plan.command.name);
            self.problem(call.number, &text);
            return Ok(false);
        }
        let mut room = vec![0; longest as usize + SLACK];
        if let Some(data) = call.input(arg)
            && let Some(bytes) = bytes(reader, data)?
        {
            room.iter_mut().zip(&*bytes).for_each(|(to, from)| *to = *from);
        }
        operands.set(arg, Target::Output(room));
        Ok(true)
    }

    /// Prepares memory that draws will read, which is kept until the same array is specified again, or memory that draws
    /// will write to for feedback and selection, which is kept as long as the context.
    fn prepare_kept<'c>(
        &mut self,
        arg: u8,
        plan: &Plan,
        (call, reader): (&Call<'c>, &Reader),
        operands: &mut Operands<'c>,
    ) -> Result<bool, ReplayError> {
        if plan.special == Special::ResultBuffer {
            return Ok(self.prepare_results(arg, plan, call, operands));
        }
        let Some((context, _)) = self.world.current() else { return Ok(false) };
        let key = (context.vertex_array, array_key(plan, call.args, context.client_unit));
        let known = context.arrays.get(&key).copied();
        let Some(data) = call.input(arg) else {
            if self.args[usize::from(arg)] >= LOWEST_ADDRESS {
                // The program's own specification. Capture specifies the memory that is drawn, right before the draw.
                operands.set(arg, Target::Zeros);
            }
            return Ok(true);
        };
        let skipped = match call.input(api::SKIPPED).map(|data| self::bytes(reader, data)).transpose()?.flatten() {
            Some(bytes) => u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()),
            None => 0,
        };
        let blob = if let Data::Blob { number, .. } = data { Some((number, skipped)) } else { None };
        let memory = match known {
            // The same bytes as before.
            Some(known) if blob.is_some() && known.blob == blob => known.memory,
            _ => {
                let Some(bytes) = bytes(reader, data)? else {
                    operands.set(arg, Target::Zeros);
                    return Ok(true);
                };
                let Some(memory) = self.world.gl.keep(known.map(|known| known.memory), &bytes, skipped) else {
                    self.problem(call.number, "there is not enough memory for a vertex array; the call was skipped");
                    return Ok(false);
                };
                if let Some((context, _)) = self.world.current() {
                    context.arrays.insert(key, KeptArray { memory, blob });
                }
                memory
            }
        };
        operands.set(arg, Target::Kept(memory));
        Ok(true)
    }

    fn prepare_results(&mut self, arg: u8, plan: &Plan, call: &Call<'_>, operands: &mut Operands<'_>) -> bool {
        let values = call.args.first().map_or(0, |word| *word as i32);
        let size = u64::try_from(values).unwrap_or(0) * 4;
        let Some((context, _)) = self.world.current() else { return false };
        let known = context.results[results_place(plan.id)];
        let kept =
            (size <= LONGEST_RESULTS).then(|| self.world.gl.keep(known, &vec![0; size as usize + SLACK], 0)).flatten();
        let Some(memory) = kept else {
            let text = format!("there is not enough memory for {size} bytes of results; the call was skipped");
            self.problem(call.number, &text);
            return false;
        };
        if let Some((context, _)) = self.world.current() {
            context.results[results_place(plan.id)] = Some(memory);
        }
        operands.set(arg, Target::Kept(memory));
        true
    }
}

/// Returns the index of the memory that a command gives GL for results of rendering.
pub(super) fn results_place(command: CommandId) -> usize {
    usize::from(command == id::glSelectBuffer)
}

/// A context without bindings, to distinguish calls that read nothing from those that read memory.
struct Ordinary;

impl ExtentContext for Ordinary {
    fn bound(&self, _target: u32) -> bool {
        false
    }

    fn pixels(&self, _access: Access) -> PixelStore {
        PixelStore::default()
    }

    fn integer(&self, _pname: u32) -> i64 {
        0
    }

    fn level(&self, _texture: Texture, _level: i32, _pname: u32) -> i64 {
        0
    }

    fn uniform(&self, _program: u32, _location: i32) -> usize {
        0
    }

    fn query(&self, _query: Query, _object: u32, _pname: u32) -> i64 {
        0
    }

    fn memory(&self, _address: u64) -> i32 {
        0
    }
}

/// Returns which array of a vertex array object a command specifies.
fn array_key(plan: &Plan, args: &[u64], client_unit: u32) -> u64 {
    let command = u64::from(plan.id.0) << 32;
    let params = plan.command.params;
    let indexed = params.first().is_some_and(|param| matches!(param.name, "index" | "attribindex" | "texunit"));
    match plan.id {
        id::glTexCoordPointer | id::glTexCoordPointerEXT => command | u64::from(client_unit),
        // Commands that specify generic attributes replace each other.
        _ if indexed && matches!(plan.command.operation, Operation::VertexArray(_)) => args[0] & 0xFFFF_FFFF,
        _ if indexed => command | args[0] & 0xFFFF_FFFF,
        _ => command,
    }
}

/// Returns the bytes behind a parameter; `None` when the trace has only their hash.
pub(super) fn bytes<'a>(reader: &Reader, data: Data<'a>) -> Result<Option<Bytes<'a>>, ReplayError> {
    Ok(reader.bytes(data)?)
}

/// Returns the number of bytes behind a parameter.
pub(super) fn size(data: &Data<'_>) -> u64 {
    match data {
        Data::Inline(bytes) => bytes.len() as u64,
        Data::Blob { size, .. } | Data::Digest { size, .. } => *size,
    }
}

fn element_size(plan: &Plan, arg: u8) -> usize {
    let memory = plan.command.params[usize::from(arg)].memory;
    memory.map_or(4, |memory| scalar_size(memory.element.scalar))
}

/// Returns the size of memory from the command's description, where that is simple.
fn declared_size(plan: &Plan, arg: u8, args: &[u64]) -> Option<u64> {
    let memory = plan.command.params[usize::from(arg)].memory?;
    let element = scalar_size(memory.element.scalar) as u64;
    let param = |index: u8| {
        let word = args.get(usize::from(index)).copied()?;
        // Negative counts are errors, and nothing is written then.
        Some(u64::try_from(word.cast_signed()).unwrap_or(0).min(LONGEST))
    };
    match memory.count {
        Count::Fixed(count) => Some(u64::from(count) * element),
        Count::Param { index, times } => Some(param(index)?.saturating_mul(u64::from(times) * element)),
        Count::Bytes(index) | Count::TextOf(index) => param(index),
        _ => None,
    }
}

fn scalar_size(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Void | Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 => 2,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::I64 | Scalar::U64 | Scalar::F64 | Scalar::Pointer => 8,
    }
}

/// Returns the namespace of a kind of object, as `glObjectLabel` names it; `None` for display lists, whose names are kept.
fn space_of(kind: u32) -> Option<Namespace> {
    Some(match kind {
        c::GL_BUFFER => Namespace::Buffer,
        c::GL_SHADER | c::GL_PROGRAM => Namespace::Program,
        c::GL_VERTEX_ARRAY => Namespace::VertexArray,
        c::GL_QUERY => Namespace::Query,
        c::GL_PROGRAM_PIPELINE => Namespace::ProgramPipeline,
        c::GL_TRANSFORM_FEEDBACK => Namespace::TransformFeedback,
        c::GL_SAMPLER => Namespace::Sampler,
        c::GL_TEXTURE => Namespace::Texture,
        c::GL_RENDERBUFFER => Namespace::Renderbuffer,
        c::GL_FRAMEBUFFER => Namespace::Framebuffer,
        _ => return None,
    })
}
