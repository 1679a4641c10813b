//! Queries about assembly programs (ARB_vertex_program, ARB_fragment_program).

use api::reflection::answers::{Answer, AnswerValues};
use api::when::Client;
use api::{constant as c, id};

use super::{Capabilities, ask, emit_answers, quietly};
use crate::context::Context;
use crate::thread::Thread;

/// Queried of programs of any target.
const PARAMETERS: [u32; 14] = [
    c::GL_PROGRAM_LENGTH_ARB,
    c::GL_PROGRAM_FORMAT_ARB,
    c::GL_PROGRAM_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_NATIVE_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_TEMPORARIES_ARB,
    c::GL_PROGRAM_NATIVE_TEMPORARIES_ARB,
    c::GL_PROGRAM_PARAMETERS_ARB,
    c::GL_PROGRAM_NATIVE_PARAMETERS_ARB,
    c::GL_PROGRAM_ATTRIBS_ARB,
    c::GL_PROGRAM_NATIVE_ATTRIBS_ARB,
    c::GL_PROGRAM_ADDRESS_REGISTERS_ARB,
    c::GL_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB,
    c::GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB,
    c::GL_PROGRAM_BINDING_ARB,
];

/// Also queried of fragment programs.
const FRAGMENT_PARAMETERS: [u32; 6] = [
    c::GL_PROGRAM_ALU_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_NATIVE_ALU_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_TEX_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_NATIVE_TEX_INSTRUCTIONS_ARB,
    c::GL_PROGRAM_TEX_INDIRECTIONS_ARB,
    c::GL_PROGRAM_NATIVE_TEX_INDIRECTIONS_ARB,
];

/// Limits of each target.
const LIMITS: [u32; 12] = [
    c::GL_MAX_PROGRAM_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_TEMPORARIES_ARB,
    c::GL_MAX_PROGRAM_NATIVE_TEMPORARIES_ARB,
    c::GL_MAX_PROGRAM_PARAMETERS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_PARAMETERS_ARB,
    c::GL_MAX_PROGRAM_ATTRIBS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_ATTRIBS_ARB,
    c::GL_MAX_PROGRAM_ADDRESS_REGISTERS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB,
    c::GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB,
    c::GL_MAX_PROGRAM_ENV_PARAMETERS_ARB,
];

/// Limits of fragment programs only.
const FRAGMENT_LIMITS: [u32; 6] = [
    c::GL_MAX_PROGRAM_ALU_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_ALU_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_TEX_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_TEX_INSTRUCTIONS_ARB,
    c::GL_MAX_PROGRAM_TEX_INDIRECTIONS_ARB,
    c::GL_MAX_PROGRAM_NATIVE_TEX_INDIRECTIONS_ARB,
];

/// Returns whether a context has assembly programs of a target.
fn exists(capabilities: &Capabilities, target: u32) -> bool {
    capabilities.client == Client::Compatibility
        && match target {
            c::GL_VERTEX_PROGRAM_ARB => capabilities.extension("GL_ARB_vertex_program"),
            c::GL_FRAGMENT_PROGRAM_ARB => capabilities.extension("GL_ARB_fragment_program"),
            _ => false,
        }
}

fn ask_each(thread: &Thread, target: u32, index: u32, names: &[u32], answers: &mut Vec<Answer>) {
    for name in names {
        let value = ask::assembly(thread, target, *name, 0)[0];
        answers.push((*name, index, AnswerValues::Integers(vec![i64::from(value)])));
    }
}

/// Adds the limits of assembly programs; the index of each is the target.
pub fn ask_limits(thread: &Thread, capabilities: &Capabilities, answers: &mut Vec<Answer>) {
    for target in [c::GL_VERTEX_PROGRAM_ARB, c::GL_FRAGMENT_PROGRAM_ARB] {
        if exists(capabilities, target) {
            ask_each(thread, target, target, &LIMITS, answers);
            if target == c::GL_FRAGMENT_PROGRAM_ARB {
                ask_each(thread, target, target, &FRAGMENT_LIMITS, answers);
            }
        }
    }
}

/// Queries the program that is bound to a target and records the answers.
pub fn record(thread: &mut Thread, context: &mut Context, target: u32) {
    let answers = quietly(thread, context, |thread, capabilities| {
        if !exists(capabilities, target) {
            return None;
        }
        let mut answers = Vec::new();
        let position = ask::integers(thread, c::GL_PROGRAM_ERROR_POSITION_ARB, 0)[0];
        answers.push((c::GL_PROGRAM_ERROR_POSITION_ARB, 0, AnswerValues::Integers(vec![i64::from(position)])));
        if let Some(text) = ask::text(thread, c::GL_PROGRAM_ERROR_STRING_ARB, None) {
            answers.push((c::GL_PROGRAM_ERROR_STRING_ARB, 0, AnswerValues::Text(text)));
        }
        ask_each(thread, target, 0, &PARAMETERS, &mut answers);
        if target == c::GL_FRAGMENT_PROGRAM_ARB {
            ask_each(thread, target, 0, &FRAGMENT_PARAMETERS, &mut answers);
        }
        Some(answers)
    });
    if let Some(answers) = answers {
        emit_answers(thread, id::afiAssembly, target, &answers);
    }
}
