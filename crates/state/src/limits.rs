//! Implementation-dependent values: limits and other constants of a context.

use std::collections::BTreeMap;

use api::constant as c;
use api::reflection::answers::{self, AnswerValues};

use crate::answer::Values;

/// The recorded driver's answers to queries for constant values, by parameter name (`GL_MAX_TEXTURE_SIZE`) and, for
/// indexed ones, index.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    answers: BTreeMap<(u32, u32), Values>,
}

impl Eq for Limits {}

impl Limits {
    /// Reads the data of `afiLimits`; empty when it is invalid.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Limits {
        let mut limits = Limits::default();
        for (name, index, given) in answers::decode(bytes).unwrap_or_default() {
            let values = match given {
                AnswerValues::Integers(integers) => Values::Long(integers),
                AnswerValues::Floats(floats) => Values::Numbers(floats),
                AnswerValues::Text(text) => Values::Text(String::from_utf8_lossy(&text).into_owned()),
            };
            limits.insert(name, index, values);
        }
        limits
    }

    /// Adds an answer.
    pub fn insert(&mut self, name: u32, index: u32, values: Values) {
        self.answers.insert((name, index), values);
    }

    /// Iterates over all answers, by name and index.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), &Values)> {
        self.answers.iter().map(|(place, values)| (*place, values))
    }

    /// Returns the answer for a parameter, if one was recorded.
    #[must_use]
    pub fn get(&self, name: u32, index: u32) -> Option<&Values> {
        self.answers.get(&(name, index))
    }

    /// Returns the answer as one integer, or a default if none was recorded. Where the model has a table or a stack of that
    /// many entries, the answer is no larger than any driver's, whatever the trace says.
    #[must_use]
    pub fn integer(&self, name: u32, otherwise: i64) -> i64 {
        let answer = match self.get(name, 0) {
            Some(Values::Numbers(numbers)) => numbers.first().map_or(otherwise, |number| *number as i64),
            Some(Values::Long(numbers)) => numbers.first().copied().unwrap_or(otherwise),
            _ => otherwise,
        };
        ceiling(name).map_or(answer, |ceiling| answer.clamp(0, ceiling))
    }

    /// Returns the answer as two numbers, or a default for each if none was recorded.
    #[must_use]
    pub fn pair(&self, name: u32, otherwise: f64) -> (f64, f64) {
        match self.get(name, 0) {
            Some(Values::Numbers(numbers)) if numbers.len() >= 2 => (numbers[0], numbers[1]),
            Some(Values::Long(numbers)) if numbers.len() >= 2 => (numbers[0] as f64, numbers[1] as f64),
            _ => (otherwise, otherwise),
        }
    }
}

/// The largest answer that is believed for a parameter that is the size of a table.
fn ceiling(name: u32) -> Option<i64> {
    Some(match name {
        c::GL_MAX_LIST_NESTING => 64,
        c::GL_MAX_ATTRIB_STACK_DEPTH | c::GL_MAX_CLIENT_ATTRIB_STACK_DEPTH | c::GL_MAX_DEBUG_GROUP_STACK_DEPTH => 256,
        c::GL_MAX_NAME_STACK_DEPTH => 1024,
        c::GL_MAX_EVAL_ORDER => 64,
        c::GL_MAX_VIEWPORTS | c::GL_MAX_DRAW_BUFFERS | c::GL_MAX_VERTEX_STREAMS | c::GL_MAX_SAMPLE_MASK_WORDS => 64,
        c::GL_MAX_PIXEL_MAP_TABLE => 1 << 18,
        c::GL_MAX_LABEL_LENGTH | c::GL_MAX_DEBUG_MESSAGE_LENGTH => 1 << 16,
        c::GL_MAX_TEXTURE_SIZE
        | c::GL_MAX_RECTANGLE_TEXTURE_SIZE
        | c::GL_MAX_CUBE_MAP_TEXTURE_SIZE
        | c::GL_MAX_RENDERBUFFER_SIZE
        | c::GL_MAX_FRAMEBUFFER_WIDTH
        | c::GL_MAX_FRAMEBUFFER_HEIGHT => 1 << 17,
        c::GL_MAX_3D_TEXTURE_SIZE | c::GL_MAX_ARRAY_TEXTURE_LAYERS | c::GL_MAX_FRAMEBUFFER_LAYERS => 1 << 14,
        c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS | c::GL_MAX_IMAGE_UNITS => 1024,
        c::GL_MAX_UNIFORM_BUFFER_BINDINGS
        | c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS
        | c::GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS
        | c::GL_MAX_TRANSFORM_FEEDBACK_BUFFERS => 1 << 12,
        _ => return None,
    })
}
