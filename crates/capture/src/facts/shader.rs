//! What the driver says of a shader.

use api::reflection::answers::AnswerValues;
use api::when::desktop;
use api::{constant as c, id};

use super::{ask, emit_answers, quietly};
use crate::context::Context;
use crate::thread::Thread;

/// What is asked of every shader.
const PARAMETERS: [u32; 5] =
    [c::GL_SHADER_TYPE, c::GL_DELETE_STATUS, c::GL_COMPILE_STATUS, c::GL_INFO_LOG_LENGTH, c::GL_SHADER_SOURCE_LENGTH];

/// Asks about a shader and tells the trace; what is no shader is not told of.
pub fn tell(thread: &mut Thread, context: &mut Context, shader: u32) {
    let answers = quietly(thread, context, |thread, nature| {
        if !ask::is_shader(thread, shader) {
            return None;
        }
        let one = |name| i64::from(ask::shader(thread, shader, name, 0)[0]);
        let mut answers: Vec<_> =
            PARAMETERS.iter().map(|name| (*name, 0, AnswerValues::Integers(vec![one(*name)]))).collect();
        if nature.has(desktop(46).or(&["GL_ARB_gl_spirv"])) {
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

/// The same for the shaders of `glShaderBinary`: so many names at an address of the program's.
pub fn tell_several(thread: &mut Thread, context: &mut Context, count: u64, shaders: u64) {
    // As the driver has it: a signed number. No driver takes more than one of a kind.
    let count = usize::try_from(count as u32 as i32).unwrap_or(0).min(16);
    if shaders == 0 {
        return;
    }
    for index in 0..count {
        let place = shaders as *const u32;
        // SAFETY: the program has just given the driver so many names there, which it has read.
        let place = unsafe { place.add(index) };
        // SAFETY: as above; names need not be aligned.
        let shader = unsafe { place.read_unaligned() };
        tell(thread, context, shader);
    }
}
