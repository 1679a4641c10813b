//! Numbers of vertices, for shaders whose language has no name for them.

use api::call::{ArrayPointer, CallMemory, PointerArgument};
use api::{Trait, constant as c, id};
use instrument::InspectError;

use super::changes::failed;
use super::copy::Copy;
use super::run::Here;
use super::undo::{UndoRecorder, word};

/// Number of vertices that get numbers when their total is not known.
const MANY: u64 = 1 << 20;

/// Returns the number of vertices that arrays need for a draw: the largest index plus 1.
pub fn vertices(here: &Here<'_>) -> Result<u32, InspectError> {
    if let Some(singles) = here.singles {
        return Ok(u32::try_from(open_trace::count_vertices(singles)).unwrap_or(u32::MAX).max(1));
    }
    let held = here.reader.call_at(*here.calls.range.end()).map_err(|error| failed(&error.to_string()))?;
    let call = held.call();
    let command = here.calls.about();
    let argument = |name: &str| call.args.get(command.param(name)?).copied();
    let base = argument("basevertex").map_or(0, |word| u64::try_from(word as u32 as i32).unwrap_or(0));
    let count = match (argument("first"), argument("type"), argument("end")) {
        (_, Some(_), Some(end)) => end + 1,
        (_, Some(kind), None) => match kind as u32 {
            c::GL_UNSIGNED_BYTE => 1 << 8,
            c::GL_UNSIGNED_SHORT => 1 << 16,
            _ => MANY,
        },
        (Some(first), None, _) if !command.has(Trait::Multi) => first + argument("count").unwrap_or(0),
        _ => MANY,
    };
    Ok(u32::try_from((count + base).clamp(1, 1 << 24)).unwrap_or(1))
}

/// Sets an attribute of the program in use to the number of each vertex, until the undo. Returns an attribute when vertices
/// are specified one by one: the draw then has to set it for each.
pub fn give(
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    copy: Copy,
    attribute: &str,
) -> Result<Option<u32>, InspectError> {
    let place = gl.call_text(id::glGetAttribLocation, &[u64::from(copy.program)], attribute.as_bytes()) as u32;
    if place.cast_signed() < 0 {
        return Ok(None);
    }
    if here.singles.is_some() {
        // An element of an array would be in its place.
        if Array::of(gl, place).enabled {
            gl.call_on_undo(id::glEnableVertexAttribArray, &[u64::from(place)]);
            gl.call(id::glDisableVertexAttribArray, &[u64::from(place)]);
        }
        return Ok(Some(place));
    }
    if here.calls.about().has(Trait::CallsLists) {
        return Err(failed("vertices of this display list have no numbers in this version of the language"));
    }
    let numbers: Vec<u8> = (0..vertices(here)?).flat_map(|number| (number as f32).to_ne_bytes()).collect();
    gl.keep_buffer(c::GL_ARRAY_BUFFER, c::GL_ARRAY_BUFFER_BINDING);
    let buffer = gl.generate(id::glGenBuffers);
    gl.delete_on_undo(id::glDeleteBuffers, buffer);
    Array::of(gl, place).keep(gl);
    let (target, index) = (u64::from(c::GL_ARRAY_BUFFER), u64::from(place));
    gl.call(id::glBindBuffer, &[target, u64::from(buffer)]);
    gl.player.set_buffer_data(target, &numbers, c::GL_STREAM_DRAW);
    gl.call(id::glVertexAttribPointer, &[index, 1, u64::from(c::GL_FLOAT), 0, 0, 0]);
    if divides(gl) {
        gl.call(id::glVertexAttribDivisor, &[index, 0]);
    }
    gl.call(id::glEnableVertexAttribArray, &[index]);
    Ok(None)
}

fn divides(gl: &UndoRecorder<'_>) -> bool {
    gl.capabilities.has(33, 30, &["GL_ARB_instanced_arrays"])
}

/// An array of a generic attribute, as the driver has it.
struct Array {
    index: u32,
    enabled: bool,
    size: i32,
    kind: i32,
    stride: i32,
    normalized: bool,
    integer: bool,
    long: bool,
    buffer: i32,
    divisor: i32,
    pointer: ArrayPointer,
    /// Where formats and buffers are apart (GL 4.6, 10.3.2).
    apart: Option<Apart>,
}

/// Which binding an array takes its elements from, and what the binding of its own number is.
struct Apart {
    binding: i32,
    relative: i32,
    buffer: i32,
    offset: i64,
    stride: i32,
    divisor: i32,
}

impl Array {
    fn of(gl: &mut UndoRecorder<'_>, index: u32) -> Array {
        let mut ask =
            |what: u32| gl.query::<1>(id::glGetVertexAttribiv, &[index, what].map(u64::from))[0].cast_signed();
        let enabled = ask(c::GL_VERTEX_ATTRIB_ARRAY_ENABLED) != 0;
        let (size, kind) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_SIZE), ask(c::GL_VERTEX_ATTRIB_ARRAY_TYPE));
        let (stride, normalized) =
            (ask(c::GL_VERTEX_ATTRIB_ARRAY_STRIDE), ask(c::GL_VERTEX_ATTRIB_ARRAY_NORMALIZED) != 0);
        let (integer, long) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_INTEGER) != 0, ask(c::GL_VERTEX_ATTRIB_ARRAY_LONG) != 0);
        let (buffer, divisor) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING), ask(c::GL_VERTEX_ATTRIB_ARRAY_DIVISOR));
        let (binding, relative) = (ask(c::GL_VERTEX_ATTRIB_BINDING), ask(c::GL_VERTEX_ATTRIB_RELATIVE_OFFSET));
        let pointer = gl.player.world.gl.array_pointer(index);
        let apart = gl.capabilities.has(43, 31, &["GL_ARB_vertex_attrib_binding"]).then(|| Apart {
            binding,
            relative,
            buffer: gl.indexed(c::GL_VERTEX_BINDING_BUFFER, index),
            offset: gl.indexed_long(c::GL_VERTEX_BINDING_OFFSET, index),
            stride: gl.indexed(c::GL_VERTEX_BINDING_STRIDE, index),
            divisor: gl.indexed(c::GL_VERTEX_BINDING_DIVISOR, index),
        });
        // Names that the context does not know are errors, and say 0.
        while gl.player.take_error() != 0 {}
        Array { index, enabled, size, kind, stride, normalized, integer, long, buffer, divisor, pointer, apart }
    }

    /// Has it specified again when all is undone. What is bound for that is to be remembered first.
    fn keep(self, gl: &mut UndoRecorder<'_>) {
        let divides = divides(gl);
        gl.on_undo(move |player| {
            let index = u64::from(self.index);
            player.own_call(id::glBindBuffer, &[u64::from(c::GL_ARRAY_BUFFER), word(self.buffer)]);
            let (size, kind, stride) = (word(self.size), word(self.kind), word(self.stride));
            let (command, words) = match (self.integer, self.long) {
                (true, _) => (id::glVertexAttribIPointer, vec![index, size, kind, stride, 0]),
                (_, true) => (id::glVertexAttribLPointer, vec![index, size, kind, stride, 0]),
                _ => (id::glVertexAttribPointer, vec![index, size, kind, u64::from(self.normalized), stride, 0]),
            };
            let memory = CallMemory::ArrayPointer(self.pointer);
            let pointer = PointerArgument { param: words.len() as u8 - 1, memory };
            player.own_call_with(command, &words, &mut [pointer]);
            if divides {
                player.own_call(id::glVertexAttribDivisor, &[index, word(self.divisor)]);
            }
            let command = if self.enabled { id::glEnableVertexAttribArray } else { id::glDisableVertexAttribArray };
            player.own_call(command, &[index]);
            if let Some(apart) = &self.apart {
                self.keep_apart(player, apart);
            }
        });
    }

    fn keep_apart(&self, player: &mut crate::player::Player, apart: &Apart) {
        let index = u64::from(self.index);
        let usual = apart.binding == self.index.cast_signed()
            && apart.relative == 0
            && self.pointer == ArrayPointer::Offset(apart.offset.cast_unsigned())
            && apart.buffer == self.buffer;
        if usual || apart.buffer == 0 && self.buffer == 0 && self.pointer != ArrayPointer::Offset(0) {
            return;
        }
        let (size, kind, relative) = (word(self.size), word(self.kind), word(apart.relative));
        match (self.integer, self.long) {
            (true, _) => player.own_call(id::glVertexAttribIFormat, &[index, size, kind, relative]),
            (_, true) => player.own_call(id::glVertexAttribLFormat, &[index, size, kind, relative]),
            _ => {
                let words = [index, size, kind, u64::from(self.normalized), relative];
                player.own_call(id::glVertexAttribFormat, &words)
            }
        };
        let words = [index, word(apart.buffer), apart.offset.cast_unsigned(), word(apart.stride)];
        player.own_call(id::glBindVertexBuffer, &words);
        player.own_call(id::glVertexBindingDivisor, &[index, word(apart.divisor)]);
        player.own_call(id::glVertexAttribBinding, &[index, word(apart.binding)]);
    }
}
