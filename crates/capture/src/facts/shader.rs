//! Queries about a shader.

use api::reflection::answers::AnswerValues;
use api::{constant as c, id};

use super::program::SPIR_V;
use super::{ask, emit_answers, quietly};
use crate::context::Context;
use crate::thread::Thread;

/// Queried of every shader.
const PARAMETERS: [u32; 5] =
    [c::GL_SHADER_TYPE, c::GL_DELETE_STATUS, c::GL_COMPILE_STATUS, c::GL_INFO_LOG_LENGTH, c::GL_SHADER_SOURCE_LENGTH];

/// Queries a shader and records the answers; does nothing if it is not a shader.
pub fn record(thread: &mut Thread, context: &mut Context, shader: u32) {
    let answers = quietly(thread, context, |thread, capabilities| {
        if !ask::is_shader(thread, shader) {
            return None;
        }
        let one = |name| i64::from(ask::shader(thread, shader, name, 0)[0]);
        let mut answers: Vec<_> =
            PARAMETERS.iter().map(|name| (*name, 0, AnswerValues::Integers(vec![one(*name)]))).collect();
        if capabilities.has(SPIR_V) {
            answers.push((c::GL_SPIR_V_BINARY, 0, AnswerValues::Integers(vec![one(c::GL_SPIR_V_BINARY)])));
        }
        let length = ask::shader(thread, shader, c::GL_INFO_LOG_LENGTH, 0)[0];
        if length > 0 {
            answers.push((c::GL_INFO_LOG_LENGTH, 1, AnswerValues::Text(ask::shader_log(thread, shader, length))));
        }
        Some(answers)
    });
    if let Some(answers) = answers {
        emit_answers(thread, id::afiShader, shader, &answers);
    }
}

/// Does the same for the shaders of `glShaderBinary`: `count` names at an address of the program.
pub fn record_all(thread: &mut Thread, context: &mut Context, count: u64, shaders: u64) {
    // The driver takes a signed count, and accepts at most one shader of each kind.
    let count = usize::try_from(count as u32 as i32).unwrap_or(0).min(16);
    if shaders == 0 {
        return;
    }
    for index in 0..count {
        let place = shaders as *const u32;
        // SAFETY: the program has just passed this many names to the driver, which has read them.
        let place = unsafe { place.add(index) };
        // SAFETY: as above; names need not be aligned.
        let shader = unsafe { place.read_unaligned() };
        record(thread, context, shader);
    }
}
