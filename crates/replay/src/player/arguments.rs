//! Arguments as the driver gets them.

use api::extent::{Extent, ExtentContext, PixelStore, Query, Texture};
use api::{Access, CommandId, Count, Namespace, Operation, Scalar, constant as c, id};
use trace::{Bytes, Call, Data, Reader};

use super::{Output, Player};
use crate::ReplayError;
use crate::plan::{Content, Owner, PlaceKind, Plan, Special, Step};
use crate::world::Kept;

/// Pointers below this are numbers: offsets into buffers. Nothing of a 64-bit process lies there, so that a trace which
/// lies about it gets a crash of the worker at worst, and never sees or changes memory.
const LOWEST_ADDRESS: u64 = 1 << 32;

/// What outputs may be longer than in the recording, because another driver has more to say.
const SLACK: usize = 4096;

/// The most that may be asked for results of feedback and selection.
const LONGEST_RESULTS: u64 = 64 << 20;

/// What the longest output may be. The longest of any use is a texture as big as drivers allow.
const LONGEST: u64 = 1 << 30;

impl Player {
    /// Makes one argument ready. False: the call cannot be made.
    pub(super) fn prepare(
        &mut self,
        step: Step,
        plan: &Plan,
        call: &Call<'_>,
        reader: &Reader,
    ) -> Result<bool, ReplayError> {
        match step {
            Step::Name { arg, space } => {
                let word = self.args[usize::from(arg)];
                self.args[usize::from(arg)] = self.real_word(space, word);
            }
            Step::Place { arg, kind, program } => self.prepare_place(arg, kind, program),
            Step::Input { arg, content } => return self.prepare_input(arg, content, plan, call, reader),
            Step::Output { arg, .. } => return self.prepare_output(arg, plan, call, reader),
            Step::Kept { arg } => return self.prepare_kept(arg, plan, call, reader),
            Step::Opaque { arg } => {
                let word = &mut self.args[usize::from(arg)];
                *word = if *word < LOWEST_ADDRESS { *word } else { 0 };
            }
        }
        Ok(true)
    }

    /// A name of any kind, as a word.
    pub(super) fn real_word(&mut self, space: Namespace, word: u64) -> u64 {
        match space {
            Namespace::Sync => self.world.current().and_then(|(_, group)| group.syncs.get(&word).copied()).unwrap_or(0),
            Namespace::TextureHandle | Namespace::ImageHandle => {
                self.world.current().and_then(|(_, group)| group.handles.get(&word).copied()).unwrap_or(word)
            }
            Namespace::EglImage => self.world.images.get(&word).map_or(0, |image| image.word()),
            _ => u64::from(self.world.real_name(space, word as u32)),
        }
    }

    /// The recorded name of the program that takes uniforms now.
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
            // Places come before names, so this is the recorded name still.
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
                let mut name = element.name.clone().into_bytes();
                name.push(0);
                let real = self.own_call(id::glGetUniformLocation, &[u64::from(real_program), name.as_ptr() as u64])
                    as u32 as i32;
                if let Some((_, group)) = self.world.current() {
                    group.places.note(program, kind, &element.name, recorded, real);
                }
                real
            }
        }
    }

    fn prepare_input(
        &mut self,
        arg: u8,
        content: Content,
        plan: &Plan,
        call: &Call<'_>,
        reader: &Reader,
    ) -> Result<bool, ReplayError> {
        let Some(data) = call.input(arg) else {
            self.prepare_without_bytes(arg, plan, call);
            return Ok(true);
        };
        let Some(bytes) = bytes(reader, data)? else {
            let text = format!("only a hash is known of what {} reads; it was left out", plan.command.name);
            self.problem(call.number, &text);
            return Ok(false);
        };
        self.args[usize::from(arg)] = match content {
            Content::Plain => match bytes {
                // The cursor over the trace holds these bytes until it is asked for the next call.
                Bytes::Inline(bytes) => bytes.as_ptr() as u64,
                Bytes::Blob(blob) => {
                    let address = blob.as_ptr() as u64;
                    self.blobs.push(blob);
                    address
                }
            },
            Content::Text => {
                let piece = self.arena.take(bytes.len() + 1);
                self.arena.write(piece, 0, &bytes);
                self.arena.write(piece, bytes.len(), &[0]);
                self.arena.pointer(piece) as u64
            }
            Content::Texts => self.prepare_texts(&bytes),
            Content::Arrays => self.prepare_arrays(&bytes),
            Content::Names(space) => self.prepare_names(space, &bytes, element_size(plan, arg)),
        };
        Ok(true)
    }

    /// A pointer of which the trace has no bytes: null, an offset, to nothing, or to what capture could not see.
    fn prepare_without_bytes(&mut self, arg: u8, plan: &Plan, call: &Call<'_>) {
        let word = self.args[usize::from(arg)];
        if word < LOWEST_ADDRESS {
            return;
        }
        self.args[usize::from(arg)] = driver::zeros() as u64;
        match api::extent::extent(plan.id, usize::from(arg), call.args, &Ordinary) {
            // An empty text is recorded as no bytes.
            Extent::Nothing | Extent::Bytes(0) | Extent::Text | Extent::TextOf(0) => {}
            _ => {
                let (param, name) = (plan.command.params[usize::from(arg)].name, plan.command.name);
                let text = format!("the trace has no bytes of parameter {param} of {name}; it reads zeros");
                self.problem(call.number, &text);
            }
        }
    }

    pub(super) fn prepare_texts(&mut self, bytes: &[u8]) -> u64 {
        let mut pointers = Vec::new();
        let mut rest = bytes;
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = (u32::from_le_bytes(*length) as usize).min(after.len());
            let (text, after) = after.split_at(length);
            let piece = self.arena.take(length + 1);
            self.arena.write(piece, 0, text);
            self.arena.write(piece, length, &[0]);
            pointers.extend((self.arena.pointer(piece) as u64).to_ne_bytes());
            rest = after;
        }
        // One more, so that no driver is handed the address of nothing.
        pointers.extend([0; 8]);
        self.copied(&pointers)
    }

    /// Arrays of indices are stored like texts; where a buffer is bound, they are offsets instead.
    fn prepare_arrays(&mut self, bytes: &[u8]) -> u64 {
        if self.integer(c::GL_ELEMENT_ARRAY_BUFFER_BINDING) == 0 {
            return self.prepare_texts(bytes);
        }
        let mut offsets = Vec::with_capacity(bytes.len());
        for offset in bytes.chunks_exact(8) {
            let offset = u64::from_ne_bytes(offset.try_into().unwrap_or_default());
            offsets.extend((if offset < LOWEST_ADDRESS { offset } else { 0 }).to_ne_bytes());
        }
        self.copied(&offsets)
    }

    fn prepare_names(&mut self, space: Namespace, bytes: &[u8], size: usize) -> u64 {
        let mut real = Vec::with_capacity(bytes.len());
        if size == 8 {
            for word in bytes.chunks_exact(8) {
                let word = u64::from_ne_bytes(word.try_into().unwrap_or_default());
                real.extend(self.real_word(space, word).to_ne_bytes());
            }
        } else {
            for name in bytes.chunks_exact(4) {
                let name = u32::from_ne_bytes(name.try_into().unwrap_or_default());
                real.extend(self.world.real_name(space, name).to_ne_bytes());
            }
        }
        self.copied(&real)
    }

    fn prepare_output(&mut self, arg: u8, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<bool, ReplayError> {
        let word = self.args[usize::from(arg)];
        let recorded = call.output(arg).map(|data| size(&data));
        let declared = declared_size(plan, arg, call.args);
        if word == 0 || (recorded.is_none() && word < LOWEST_ADDRESS) {
            // Null, or an offset into a buffer.
            return Ok(true);
        }
        let longest = recorded.unwrap_or(0).max(declared.unwrap_or(0));
        if recorded.is_none() && declared.is_none() {
            // Capture saw nothing written, as after an error. What it could not know of ends at a wall.
            self.args[usize::from(arg)] = driver::scratch() as u64;
            return Ok(true);
        }
        if longest > LONGEST {
            let text = format!("{} would write more memory than there is; it was left out", plan.command.name);
            self.problem(call.number, &text);
            return Ok(false);
        }
        let piece = self.arena.take(longest as usize + SLACK);
        if let Some(data) = call.input(arg)
            && let Some(bytes) = bytes(reader, data)?
        {
            self.arena.write(piece, 0, &bytes);
        }
        self.args[usize::from(arg)] = self.arena.pointer(piece) as u64;
        self.outputs.push(Output { arg, piece });
        Ok(true)
    }

    /// Memory that draws will read: kept until the same array is specified again. Or memory that draws will write to,
    /// for feedback and selection: kept as long as the context.
    fn prepare_kept(&mut self, arg: u8, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<bool, ReplayError> {
        let word = self.args[usize::from(arg)];
        if plan.special == Special::ResultBuffer {
            let Some((context, _)) = self.world.current() else { return Ok(false) };
            let values = call.args.first().map_or(0, |word| *word as i32);
            let size = u64::try_from(values).unwrap_or(0) * 4;
            if size > LONGEST_RESULTS {
                return Ok(false);
            }
            let kept = &mut context.results[results_place(plan.id)];
            kept.clear();
            kept.resize(size as usize + SLACK, 0);
            self.args[usize::from(arg)] = kept.as_mut_ptr() as u64;
            return Ok(true);
        }
        let data = match call.input(arg) {
            Some(data) => bytes(reader, data)?,
            None => None,
        };
        let Some((context, _)) = self.world.current() else { return Ok(false) };
        let Some(bytes) = data else {
            if word >= LOWEST_ADDRESS {
                // The program's own specification. What it draws with comes from capture, right before the draw.
                self.args[usize::from(arg)] = driver::zeros() as u64;
            }
            return Ok(true);
        };
        let key = (context.vertex_array, array_key(plan, call.args, context.client_unit));
        let address = match bytes {
            Bytes::Inline(bytes) => {
                let kept = context.arrays.entry(key).or_insert_with(|| Kept::Copy(Vec::new()));
                kept.copy(bytes)
            }
            Bytes::Blob(blob) => {
                let address = blob.as_ptr() as u64;
                context.arrays.insert(key, Kept::Blob(blob));
                address
            }
        };
        let skipped = match call.input(api::SKIPPED).map(|data| self::bytes(reader, data)).transpose()?.flatten() {
            Some(bytes) => u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()),
            None => 0,
        };
        self.args[usize::from(arg)] = address.wrapping_sub(skipped);
        Ok(true)
    }

    pub(super) fn copied(&mut self, bytes: &[u8]) -> u64 {
        let piece = self.arena.copy(bytes);
        self.arena.pointer(piece) as u64
    }
}

/// Where the memory is kept that a command gives GL to write results of rendering to.
pub(super) fn results_place(command: CommandId) -> usize {
    usize::from(command == id::glSelectBuffer)
}

/// A context in which nothing is bound or set, to tell calls that read nothing from those that read something.
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

/// Which of a vertex array's arrays a command specifies.
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

/// The bytes behind a parameter; nothing when only their hash was kept.
pub(super) fn bytes<'a>(reader: &Reader, data: Data<'a>) -> Result<Option<Bytes<'a>>, ReplayError> {
    Ok(reader.bytes(data)?)
}

/// How many bytes are behind a parameter.
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

/// What the command's description says of the size of memory, where that is simple.
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
