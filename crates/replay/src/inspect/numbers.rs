//! Numbers of vertices, for shaders whose language has no name for them.

use api::{Trait, constant as c, id};
use instrument::InspectError;

use super::changes::failed;
use super::copy::{Copy, terminated};
use super::hand::{Hand, word};
use super::run::Here;
use super::single;

/// Where nobody can say how many vertices there are, these are numbered.
const MANY: u64 = 1 << 20;

/// How many vertices arrays must have for a draw: the largest number that occurs, and one more.
pub fn vertices(here: &Here<'_>) -> Result<u32, InspectError> {
    if let Some(singles) = here.singles {
        return Ok(u32::try_from(single::vertices(singles)).unwrap_or(u32::MAX).max(1));
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

/// Gives an attribute of the program in use the number of each vertex, until all is undone. Where vertices are given one by
/// one, whoever draws has to: in the attribute that comes back.
pub fn give(hand: &mut Hand<'_>, here: &Here<'_>, copy: Copy, attribute: &str) -> Result<Option<u32>, InspectError> {
    let name = terminated(attribute.as_bytes());
    let place = hand.call(id::glGetAttribLocation, &[u64::from(copy.program), name.as_ptr() as u64]) as u32;
    if place.cast_signed() < 0 {
        return Ok(None);
    }
    if here.singles.is_some() {
        // An element of an array would be in its place.
        if Array::of(hand, place).enabled {
            hand.later_call(id::glEnableVertexAttribArray, &[u64::from(place)]);
            hand.call(id::glDisableVertexAttribArray, &[u64::from(place)]);
        }
        return Ok(Some(place));
    }
    if here.calls.about().has(Trait::CallsLists) {
        return Err(failed("vertices of this display list have no numbers in this version of the language"));
    }
    let numbers: Vec<f32> = (0..vertices(here)?).map(|number| number as f32).collect();
    hand.keep_buffer(c::GL_ARRAY_BUFFER, c::GL_ARRAY_BUFFER_BINDING);
    let buffer = hand.generate(id::glGenBuffers);
    hand.delete_later(id::glDeleteBuffers, buffer);
    Array::of(hand, place).keep(hand);
    let (target, index) = (u64::from(c::GL_ARRAY_BUFFER), u64::from(place));
    hand.call(id::glBindBuffer, &[target, u64::from(buffer)]);
    let (size, usage) = (numbers.len() as u64 * 4, u64::from(c::GL_STREAM_DRAW));
    hand.call(id::glBufferData, &[target, size, numbers.as_ptr() as u64, usage]);
    hand.call(id::glVertexAttribPointer, &[index, 1, u64::from(c::GL_FLOAT), 0, 0, 0]);
    if divides(hand) {
        hand.call(id::glVertexAttribDivisor, &[index, 0]);
    }
    hand.call(id::glEnableVertexAttribArray, &[index]);
    Ok(None)
}

fn divides(hand: &Hand<'_>) -> bool {
    hand.can.has(33, 30, &["GL_ARB_instanced_arrays"])
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
    pointer: u64,
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
    fn of(hand: &mut Hand<'_>, index: u32) -> Array {
        let mut ask = |what: u32| {
            let mut value = [0i32; 4];
            hand.call(id::glGetVertexAttribiv, &[u64::from(index), u64::from(what), value.as_mut_ptr() as u64]);
            value[0]
        };
        let enabled = ask(c::GL_VERTEX_ATTRIB_ARRAY_ENABLED) != 0;
        let (size, kind) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_SIZE), ask(c::GL_VERTEX_ATTRIB_ARRAY_TYPE));
        let (stride, normalized) =
            (ask(c::GL_VERTEX_ATTRIB_ARRAY_STRIDE), ask(c::GL_VERTEX_ATTRIB_ARRAY_NORMALIZED) != 0);
        let (integer, long) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_INTEGER) != 0, ask(c::GL_VERTEX_ATTRIB_ARRAY_LONG) != 0);
        let (buffer, divisor) = (ask(c::GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING), ask(c::GL_VERTEX_ATTRIB_ARRAY_DIVISOR));
        let (binding, relative) = (ask(c::GL_VERTEX_ATTRIB_BINDING), ask(c::GL_VERTEX_ATTRIB_RELATIVE_OFFSET));
        let mut pointer = 0u64;
        let what = u64::from(c::GL_VERTEX_ATTRIB_ARRAY_POINTER);
        hand.call(id::glGetVertexAttribPointerv, &[u64::from(index), what, &raw mut pointer as u64]);
        let apart = hand.can.has(43, 31, &["GL_ARB_vertex_attrib_binding"]).then(|| Apart {
            binding,
            relative,
            buffer: hand.indexed(c::GL_VERTEX_BINDING_BUFFER, index),
            offset: hand.indexed_long(c::GL_VERTEX_BINDING_OFFSET, index),
            stride: hand.indexed(c::GL_VERTEX_BINDING_STRIDE, index),
            divisor: hand.indexed(c::GL_VERTEX_BINDING_DIVISOR, index),
        });
        // Names that the context does not know are errors, and say 0.
        while hand.player.take_error() != 0 {}
        Array { index, enabled, size, kind, stride, normalized, integer, long, buffer, divisor, pointer, apart }
    }

    /// Has it specified again when all is undone. What is bound for that is to be remembered first.
    fn keep(self, hand: &mut Hand<'_>) {
        let divides = divides(hand);
        hand.later(move |player| {
            let index = u64::from(self.index);
            player.own_call(id::glBindBuffer, &[u64::from(c::GL_ARRAY_BUFFER), word(self.buffer)]);
            let (size, kind, stride) = (word(self.size), word(self.kind), word(self.stride));
            match (self.integer, self.long) {
                (true, _) => player.own_call(id::glVertexAttribIPointer, &[index, size, kind, stride, self.pointer]),
                (_, true) => player.own_call(id::glVertexAttribLPointer, &[index, size, kind, stride, self.pointer]),
                _ => {
                    let normalized = u64::from(self.normalized);
                    let words = [index, size, kind, normalized, stride, self.pointer];
                    player.own_call(id::glVertexAttribPointer, &words)
                }
            };
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
            && apart.offset.cast_unsigned() == self.pointer
            && apart.buffer == self.buffer;
        if usual || apart.buffer == 0 && self.buffer == 0 && self.pointer != 0 {
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
