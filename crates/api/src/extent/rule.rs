//! The rules that `overlay.toml` names: functions from a few numbers to an extent.

mod image;

pub use image::*;

use super::{Extent, ExtentContext, Query, bytes, pixels, values};
use crate::Access;
use crate::constant::*;
use crate::generated::rules::RULES;

/// A function and its arguments.
pub struct Rule {
    /// Computes the extent.
    pub function: fn(&RuleInput) -> Extent,
    /// Its arguments.
    pub args: &'static [Arg],
}

/// An argument of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A parameter of the command.
    Param(u8),
    /// A constant.
    Value(i64),
}

/// The most arguments that a rule has.
const MOST: usize = 8;

/// What a rule computes an extent from.
pub struct RuleInput<'a> {
    values: [i64; MOST],
    count: usize,
    /// How the command uses the memory.
    pub access: Access,
    /// Bytes of an element.
    pub element: usize,
    /// The state of the context.
    pub context: &'a dyn ExtentContext,
}

impl RuleInput<'_> {
    /// Returns all arguments.
    pub fn values(&self) -> &[i64] {
        &self.values[..self.count]
    }

    /// Returns one argument; 0 when there are fewer.
    pub fn value(&self, index: usize) -> i64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Returns one argument as an enum or a name.
    pub fn name(&self, index: usize) -> u32 {
        self.value(index) as u32
    }

    /// Returns the extent of `count` elements.
    pub fn elements(&self, count: i64) -> Extent {
        bytes(count, self.element)
    }
}

/// Applies a rule of the generated table.
pub fn apply(rule: u16, args: &[u64], access: Access, element: usize, context: &dyn ExtentContext) -> Extent {
    let Some(rule) = RULES.get(usize::from(rule)) else { return Extent::Unknown };
    let mut values = [0; MOST];
    for (value, arg) in values.iter_mut().zip(rule.args) {
        *value = match arg {
            Arg::Param(index) => args.get(usize::from(*index)).map_or(0, |word| word.cast_signed()),
            Arg::Value(value) => *value,
        };
    }
    (rule.function)(&RuleInput { values, count: rule.args.len().min(MOST), access, element, context })
}

// --- Numbers.

/// The product of all arguments.
pub fn product(input: &RuleInput) -> Extent {
    if input.values().iter().any(|value| *value < 0) {
        return Extent::Nothing;
    }
    input.elements(input.values().iter().fold(1i64, |product, value| product.saturating_mul(*value)))
}

/// Elements at a stride: `(count, stride in bytes, bytes of an element)`; a stride of 0 means that there are no gaps.
pub fn strided(input: &RuleInput) -> Extent {
    let (count, stride, size) = (input.value(0), input.value(1), input.value(2));
    if count <= 0 || stride < 0 {
        return Extent::Nothing;
    }
    let stride = if stride == 0 { size } else { stride };
    bytes((count - 1).saturating_mul(stride).saturating_add(size), 1)
}

/// A list that was written: `(room, address)`, where `room` is the number of elements that fit, and the number of
/// elements that were written is at `address`, unless that is null.
pub fn written(input: &RuleInput) -> Extent {
    let (room, address) = (input.value(0), input.value(1).cast_unsigned());
    if address == 0 {
        return input.elements(room);
    }
    input.elements(i64::from(input.context.memory(address)).clamp(0, room.max(0)))
}

/// The same for strings, whose length does not count the final zero.
pub fn text_written(input: &RuleInput) -> Extent {
    let (room, address) = (input.value(0), input.value(1).cast_unsigned());
    if address == 0 {
        return input.elements(room);
    }
    let length = i64::from(input.context.memory(address));
    input.elements(length.saturating_add(1).clamp(0, room.max(0)))
}

/// The number of elements that the `i32` at an address gives: `(address)`.
pub fn counted_at(input: &RuleInput) -> Extent {
    input.elements(i64::from(input.context.memory(input.value(0).cast_unsigned())))
}

// --- Parameters and state by name.

/// The number of values of a parameter or state variable: `(pname)`.
pub fn values(input: &RuleInput) -> Extent {
    input.elements(values::of_state(input.name(0), input.context))
}

/// The result of a query object: one value, or an offset into the buffer that is bound for results (GL 4.6,
/// 4.2.3).
pub fn query_result(input: &RuleInput) -> Extent {
    if input.context.bound(GL_QUERY_BUFFER) { Extent::Nothing } else { input.elements(1) }
}

/// `glGetActiveUniformBlockiv`: `(program, block, pname)`.
pub fn uniform_block(input: &RuleInput) -> Extent {
    input.elements(values::of_uniform_block(input.name(0), input.name(1), input.name(2), input.context))
}

/// `glGetActiveAtomicCounterBufferiv`: `(program, buffer, pname)`.
pub fn counter_buffer(input: &RuleInput) -> Extent {
    input.elements(values::of_counter_buffer(input.name(0), input.name(1), input.name(2), input.context))
}

/// `glGetActiveSubroutineUniformiv`: `(program, stage, index, pname)`.
pub fn subroutine(input: &RuleInput) -> Extent {
    input.elements(values::of_subroutine(input.name(0), input.name(1), input.name(2), input.name(3), input.context))
}

/// `glGetUniform…`: `(program, location)`, or `(program, location, limit)` with a limit in bytes.
pub fn uniform(input: &RuleInput) -> Extent {
    let count = input.context.uniform(input.name(0), input.value(1) as i32);
    limited(bytes(i64::try_from(count).unwrap_or(0), input.element), input.values().get(2).copied())
}

/// `glClearBuffer…v`: four values for a colour, one for depth or stencil (GL 4.6, 17.4.3.1).
pub fn clear(input: &RuleInput) -> Extent {
    input.elements(if input.name(0) == GL_COLOR { 4 } else { 1 })
}

/// The text of the assembly program that is bound to a target: `(target)`.
pub fn program_text(input: &RuleInput) -> Extent {
    input.elements(input.context.query(Query::AssemblyProgram, input.name(0), GL_PROGRAM_LENGTH_ARB))
}

/// The text of an assembly program: `(program, target)`.
pub fn named_program_text(input: &RuleInput) -> Extent {
    let length = input.context.program_length(input.name(0), input.name(1));
    input.elements(i64::try_from(length).unwrap_or(0))
}

/// Elements of a type: `(count, type)`, for lists and coordinates.
pub fn typed(input: &RuleInput) -> Extent {
    sized(input.value(0), input.name(1))
}

/// Indices: `(count, type)`, or an offset into the bound buffer.
pub fn indices(input: &RuleInput) -> Extent {
    if input.context.bound(GL_ELEMENT_ARRAY_BUFFER) { Extent::Nothing } else { sized(input.value(0), input.name(1)) }
}

/// Arrays of indices: `(number of arrays, address of their counts, type)`. When a buffer is bound they are offsets, and
/// are recorded as such.
pub fn index_arrays(input: &RuleInput) -> Extent {
    let Ok(count) = usize::try_from(input.value(0)) else { return Extent::Nothing };
    let Some(element) = type_bytes(input.name(2)).and_then(|size| usize::try_from(size).ok()) else {
        return Extent::Nothing;
    };
    if count == 0 {
        return Extent::Nothing;
    }
    if input.context.bound(GL_ELEMENT_ARRAY_BUFFER) {
        return input.elements(input.value(0));
    }
    Extent::Arrays { count, counts: input.value(1).cast_unsigned(), element }
}

/// Parameters of indirect draws: `(count, stride, bytes of one)`, or an offset into the bound buffer.
pub fn indirect(input: &RuleInput) -> Extent {
    if input.context.bound(GL_DRAW_INDIRECT_BUFFER) { Extent::Nothing } else { strided(input) }
}

/// Names of display lists or paths: `(count, type)`, where a name may take several bytes (GL 4.6 compatibility, section
/// 21.4) or be text.
pub fn lists(input: &RuleInput) -> Extent {
    let count = input.value(0);
    match input.name(1) {
        GL_2_BYTES => bytes(count, 2),
        GL_3_BYTES => bytes(count, 3),
        GL_4_BYTES => bytes(count, 4),
        // Characters take one to four bytes each.
        GL_UTF8_NV => Extent::Text,
        GL_UTF16_NV => bytes(count, 2),
        kind => sized(count, kind),
    }
}

/// Transformations of paths: `(count, type)`.
pub fn transforms(input: &RuleInput) -> Extent {
    let each = match input.name(1) {
        GL_TRANSLATE_X_NV | GL_TRANSLATE_Y_NV => 1,
        GL_TRANSLATE_2D_NV => 2,
        GL_TRANSLATE_3D_NV => 3,
        GL_AFFINE_2D_NV | GL_TRANSPOSE_AFFINE_2D_NV => 6,
        GL_AFFINE_3D_NV | GL_TRANSPOSE_AFFINE_3D_NV => 12,
        _ => 0,
    };
    input.elements(input.value(0).saturating_mul(each))
}

// --- Attributes.

/// The attributes of `glXChooseVisual`: `(address)`; some have no value (GLX 1.4, 3.4.1).
pub fn visual_attributes(input: &RuleInput) -> Extent {
    const LONGEST: u64 = 1 << 10;
    let address = input.value(0).cast_unsigned();
    let mut at = 0;
    while at < LONGEST {
        let attribute = input.context.memory(address.wrapping_add(4 * at)).cast_unsigned();
        at += match attribute {
            0 => return input.elements(i64::try_from(at + 1).unwrap_or(0)),
            GLX_USE_GL | GLX_RGBA | GLX_DOUBLEBUFFER | GLX_STEREO => 1,
            _ => 2,
        };
    }
    Extent::Unknown
}

// --- Evaluators.

/// Control points of `glMap1`: `(target, stride, order)`.
pub fn map1(input: &RuleInput) -> Extent {
    control_points(input, &[(input.value(1), input.value(2))], map_components(input.name(0)))
}

/// Control points of `glMap2`: `(target, ustride, uorder, vstride, vorder)`.
pub fn map2(input: &RuleInput) -> Extent {
    let strides = [(input.value(1), input.value(2)), (input.value(3), input.value(4))];
    control_points(input, &strides, map_components(input.name(0)))
}

/// Control points of vertex attributes: `(components, stride, order, …)`.
pub fn attribute_map(input: &RuleInput) -> Extent {
    let strides = [(input.value(1), input.value(2)), (input.value(3), input.value(4).max(1))];
    control_points(input, &strides, input.value(0))
}

/// `glGetMap`: `(target, query)`, or `(target, query, limit)` with a limit in bytes.
pub fn map_query(input: &RuleInput) -> Extent {
    let (target, query) = (input.name(0), input.name(1));
    let two = (GL_MAP2_COLOR_4..=GL_MAP2_VERTEX_4).contains(&target);
    let count = match query {
        GL_ORDER => 1 + i64::from(two),
        GL_DOMAIN => 2 + 2 * i64::from(two),
        GL_COEFF => input.context.query(Query::Map, target, GL_ORDER).saturating_mul(map_components(target)),
        _ => 0,
    };
    limited(input.elements(count), input.values().get(2).copied())
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

/// From the first control point to the end of the last one; strides are in elements.
fn control_points(input: &RuleInput, strides: &[(i64, i64)], components: i64) -> Extent {
    if strides.iter().any(|(stride, order)| *stride < 0 || *order <= 0) {
        return Extent::Nothing;
    }
    let last = strides.iter().fold(0i64, |sum, (stride, order)| sum.saturating_add(stride.saturating_mul(order - 1)));
    input.elements(last.saturating_add(components))
}

// --- Helpers.

/// Limits an extent to a number of bytes, if there is a limit.
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
