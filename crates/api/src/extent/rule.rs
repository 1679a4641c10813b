//! Rules that `overlay.toml` names: functions from a few numbers to an extent.

mod image;

pub use image::*;

use super::{Extent, Query, Surroundings, bytes, pixels, values};
use crate::Access;
use crate::constant::*;
use crate::generated::rules::RULES;

/// A function and where its numbers come from.
pub struct Rule {
    /// What works it out.
    pub function: fn(&Asked) -> Extent,
    /// Its numbers.
    pub args: &'static [Arg],
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A parameter of the command.
    Param(u8),
    /// Always the same.
    Value(i64),
}

/// Most numbers that a rule has.
const MOST: usize = 8;

/// What a rule is asked.
pub struct Asked<'a> {
    values: [i64; MOST],
    count: usize,
    /// What the command does with the memory.
    pub access: Access,
    /// Bytes of an element.
    pub element: usize,
    /// What the context is set to.
    pub around: &'a dyn Surroundings,
}

impl Asked<'_> {
    /// The numbers.
    pub fn values(&self) -> &[i64] {
        &self.values[..self.count]
    }

    /// One number, 0 when there are not so many.
    pub fn value(&self, index: usize) -> i64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// One number as an enum.
    pub fn name(&self, index: usize) -> u32 {
        self.value(index) as u32
    }

    /// So many elements.
    pub fn elements(&self, count: i64) -> Extent {
        bytes(count, self.element)
    }
}

/// Applies a rule of the generated table.
pub fn apply(rule: u16, args: &[u64], access: Access, element: usize, around: &dyn Surroundings) -> Extent {
    let Some(rule) = RULES.get(usize::from(rule)) else { return Extent::Unknown };
    let mut values = [0; MOST];
    for (value, arg) in values.iter_mut().zip(rule.args) {
        *value = match arg {
            Arg::Param(index) => args.get(usize::from(*index)).map_or(0, |word| word.cast_signed()),
            Arg::Value(value) => *value,
        };
    }
    (rule.function)(&Asked { values, count: rule.args.len().min(MOST), access, element, around })
}

// --- Numbers.

/// As many elements as all numbers multiplied.
pub fn product(asked: &Asked) -> Extent {
    if asked.values().iter().any(|value| *value < 0) {
        return Extent::Nothing;
    }
    asked.elements(asked.values().iter().fold(1i64, |product, value| product.saturating_mul(*value)))
}

/// Elements a stride apart: `(count, stride in bytes, bytes of an element)`; a stride of 0 means without gaps.
pub fn strided(asked: &Asked) -> Extent {
    let (count, stride, size) = (asked.value(0), asked.value(1), asked.value(2));
    if count <= 0 || stride < 0 {
        return Extent::Nothing;
    }
    let stride = if stride == 0 { size } else { stride };
    bytes((count - 1).saturating_mul(stride).saturating_add(size), 1)
}

/// What was written of a list with room for `(room)` elements, when `(, address)` is where their number went, or null.
pub fn written(asked: &Asked) -> Extent {
    let (room, address) = (asked.value(0), asked.value(1).cast_unsigned());
    if address == 0 {
        return asked.elements(room);
    }
    asked.elements(i64::from(asked.around.memory(address)).clamp(0, room.max(0)))
}

/// The same for texts: their length does not count the zero at the end.
pub fn text_written(asked: &Asked) -> Extent {
    let (room, address) = (asked.value(0), asked.value(1).cast_unsigned());
    if address == 0 {
        return asked.elements(room);
    }
    let length = i64::from(asked.around.memory(address));
    asked.elements(length.saturating_add(1).clamp(0, room.max(0)))
}

/// As many elements as the `i32` at an address says.
pub fn counted_at(asked: &Asked) -> Extent {
    asked.elements(i64::from(asked.around.memory(asked.value(0).cast_unsigned())))
}

// --- Parameters and state by name.

/// As many values as belong to a name.
pub fn values(asked: &Asked) -> Extent {
    asked.elements(values::of_state(asked.name(0), asked.around))
}

/// The result of a query object: one value, or an offset when a buffer for results is bound (GL 4.6, 4.2.3).
pub fn query_result(asked: &Asked) -> Extent {
    if asked.around.bound(GL_QUERY_BUFFER) { Extent::Nothing } else { asked.elements(1) }
}

/// `glGetActiveUniformBlockiv`: `(program, block, pname)`.
pub fn uniform_block(asked: &Asked) -> Extent {
    asked.elements(values::of_uniform_block(asked.name(0), asked.name(1), asked.name(2), asked.around))
}

/// `glGetActiveAtomicCounterBufferiv`: `(program, buffer, pname)`.
pub fn counter_buffer(asked: &Asked) -> Extent {
    asked.elements(values::of_counter_buffer(asked.name(0), asked.name(1), asked.name(2), asked.around))
}

/// `glGetActiveSubroutineUniformiv`: `(program, stage, index, pname)`.
pub fn subroutine(asked: &Asked) -> Extent {
    asked.elements(values::of_subroutine(asked.name(0), asked.name(1), asked.name(2), asked.name(3), asked.around))
}

/// `glGetUniform…`: `(program, location)`, at most `(,, bytes)` where there is a third number.
pub fn uniform(asked: &Asked) -> Extent {
    let count = asked.around.uniform(asked.name(0), asked.value(1) as i32);
    limited(bytes(i64::try_from(count).unwrap_or(0), asked.element), asked.values().get(2).copied())
}

/// `glClearBuffer…v`: four values for a color, one for depth or stencil (GL 4.6, 17.4.3.1).
pub fn clear(asked: &Asked) -> Extent {
    asked.elements(if asked.name(0) == GL_COLOR { 4 } else { 1 })
}

/// Text of the program bound to a target: `(target)`.
pub fn program_text(asked: &Asked) -> Extent {
    asked.elements(asked.around.query(Query::AssemblyProgram, asked.name(0), GL_PROGRAM_LENGTH_ARB))
}

/// Text of a program by its name: `(program, target)`.
pub fn named_program_text(asked: &Asked) -> Extent {
    let length = asked.around.program_length(asked.name(0), asked.name(1));
    asked.elements(i64::try_from(length).unwrap_or(0))
}

/// What `type` and `count` say: `(count, type)`, for indices, lists, coordinates.
pub fn typed(asked: &Asked) -> Extent {
    sized(asked.value(0), asked.name(1))
}

/// Indices: `(count, type)`, or an offset into a bound buffer.
pub fn indices(asked: &Asked) -> Extent {
    if asked.around.bound(GL_ELEMENT_ARRAY_BUFFER) { Extent::Nothing } else { sized(asked.value(0), asked.name(1)) }
}

/// Arrays of indices: `(number of arrays, address of their counts, type)`. When a buffer is bound they are offsets,
/// which are recorded as such.
pub fn index_arrays(asked: &Asked) -> Extent {
    let Ok(count) = usize::try_from(asked.value(0)) else { return Extent::Nothing };
    let Some(element) = type_bytes(asked.name(2)).and_then(|size| usize::try_from(size).ok()) else {
        return Extent::Nothing;
    };
    if count == 0 {
        return Extent::Nothing;
    }
    if asked.around.bound(GL_ELEMENT_ARRAY_BUFFER) {
        return asked.elements(asked.value(0));
    }
    Extent::Arrays { count, counts: asked.value(1).cast_unsigned(), element }
}

/// Parameters of indirect draws: `(count, stride, bytes of one)`, or an offset into a bound buffer.
pub fn indirect(asked: &Asked) -> Extent {
    if asked.around.bound(GL_DRAW_INDIRECT_BUFFER) { Extent::Nothing } else { strided(asked) }
}

/// Names of lists or paths: `(count, type)`, where the type may be of several bytes (GL 4.6 compatibility, 21.4) or a
/// text.
pub fn lists(asked: &Asked) -> Extent {
    let count = asked.value(0);
    match asked.name(1) {
        GL_2_BYTES => bytes(count, 2),
        GL_3_BYTES => bytes(count, 3),
        GL_4_BYTES => bytes(count, 4),
        // Names of characters are of varying length; four bytes are the most that one has.
        GL_UTF8_NV => Extent::Text,
        GL_UTF16_NV => bytes(count, 2),
        kind => sized(count, kind),
    }
}

/// Transformations of paths: `(count, type)`.
pub fn transforms(asked: &Asked) -> Extent {
    let each = match asked.name(1) {
        GL_TRANSLATE_X_NV | GL_TRANSLATE_Y_NV => 1,
        GL_TRANSLATE_2D_NV => 2,
        GL_TRANSLATE_3D_NV => 3,
        GL_AFFINE_2D_NV | GL_TRANSPOSE_AFFINE_2D_NV => 6,
        GL_AFFINE_3D_NV | GL_TRANSPOSE_AFFINE_3D_NV => 12,
        _ => 0,
    };
    asked.elements(asked.value(0).saturating_mul(each))
}

// --- Attributes.

/// `glXChooseVisual`'s list of attributes at an address: some have no value (GLX 1.4, 3.4.1).
pub fn visual_attributes(asked: &Asked) -> Extent {
    const LONGEST: u64 = 1 << 10;
    let address = asked.value(0).cast_unsigned();
    let mut at = 0;
    while at < LONGEST {
        let attribute = asked.around.memory(address.wrapping_add(4 * at)).cast_unsigned();
        at += match attribute {
            0 => return asked.elements(i64::try_from(at + 1).unwrap_or(0)),
            GLX_USE_GL | GLX_RGBA | GLX_DOUBLEBUFFER | GLX_STEREO => 1,
            _ => 2,
        };
    }
    Extent::Unknown
}

// --- Evaluators.

/// Control points of `glMap1`: `(target, stride, order)`.
pub fn map1(asked: &Asked) -> Extent {
    control_points(asked, &[(asked.value(1), asked.value(2))], map_components(asked.name(0)))
}

/// Control points of `glMap2`: `(target, ustride, uorder, vstride, vorder)`.
pub fn map2(asked: &Asked) -> Extent {
    let strides = [(asked.value(1), asked.value(2)), (asked.value(3), asked.value(4))];
    control_points(asked, &strides, map_components(asked.name(0)))
}

/// Control points of vertex attributes: `(components, stride, order, …)`.
pub fn attribute_map(asked: &Asked) -> Extent {
    let strides = [(asked.value(1), asked.value(2)), (asked.value(3), asked.value(4).max(1))];
    control_points(asked, &strides, asked.value(0))
}

/// `glGetMap`: `(target, query)`, at most `(,, bytes)` where there is a third number.
pub fn map_query(asked: &Asked) -> Extent {
    let (target, query) = (asked.name(0), asked.name(1));
    let two = (GL_MAP2_COLOR_4..=GL_MAP2_VERTEX_4).contains(&target);
    let count = match query {
        GL_ORDER => 1 + i64::from(two),
        GL_DOMAIN => 2 + 2 * i64::from(two),
        GL_COEFF => asked.around.query(Query::Map, target, GL_ORDER).saturating_mul(map_components(target)),
        _ => 0,
    };
    limited(asked.elements(count), asked.values().get(2).copied())
}

fn map_components(target: u32) -> i64 {
    match target {
        GL_MAP1_INDEX | GL_MAP2_INDEX | GL_MAP1_TEXTURE_COORD_1 | GL_MAP2_TEXTURE_COORD_1 => 1,
        GL_MAP1_TEXTURE_COORD_2 | GL_MAP2_TEXTURE_COORD_2 => 2,
        GL_MAP1_VERTEX_3
        | GL_MAP2_VERTEX_3
        | GL_MAP1_NORMAL
        | GL_MAP2_NORMAL
        | GL_MAP1_TEXTURE_COORD_3
        | GL_MAP2_TEXTURE_COORD_3 => 3,
        _ => 4,
    }
}

/// From the first control point to the end of the last one, strides in elements.
fn control_points(asked: &Asked, strides: &[(i64, i64)], components: i64) -> Extent {
    if strides.iter().any(|(stride, order)| *stride < 0 || *order <= 0) {
        return Extent::Nothing;
    }
    let last = strides.iter().fold(0i64, |sum, (stride, order)| sum.saturating_add(stride.saturating_mul(order - 1)));
    asked.elements(last.saturating_add(components))
}

// --- Helpers.

/// Not more than a limit in bytes, if there is one.
pub(super) fn limited(extent: Extent, limit: Option<i64>) -> Extent {
    match (extent, limit) {
        (Extent::Bytes(size), Some(limit)) => bytes(limit.clamp(0, i64::try_from(size).unwrap_or(i64::MAX)), 1),
        _ => extent,
    }
}

fn sized(count: i64, kind: u32) -> Extent {
    type_bytes(kind).map_or(Extent::Nothing, |size| bytes(count.saturating_mul(size), 1))
}

fn type_bytes(kind: u32) -> Option<i64> {
    pixels::type_size(kind).map(|(size, _)| size)
}
