//! Queries about a program.

use api::reflection::kind::{Base, shape};
use api::reflection::parameters::{ANYWHERE, COMPUTE, GEOMETRY, PARAMETERS, TESSELLATION};
use api::reflection::{Interface, Reflection, Uniform};
use api::when::{When, desktop, when};
use api::{constant as c, id};

use super::{Capabilities, ask, emit, interface, quietly};
use crate::binaries;
use crate::context::Context;
use crate::thread::Thread;

/// How to find the stages of a program: some properties exist only with a certain stage, and are an error without it.
pub enum Stages {
    /// From the shaders attached to it.
    Attached,
    /// These stages.
    Known(Vec<u32>),
    /// Not known.
    Unknown,
}

/// Properties that `glValidateProgram` may change.
const VALIDATION: [u32; 2] = [c::GL_VALIDATE_STATUS, c::GL_INFO_LOG_LENGTH];

const STAGES: [(u32, When); 6] = [
    (c::GL_VERTEX_SHADER, ANYWHERE),
    (c::GL_FRAGMENT_SHADER, ANYWHERE),
    (c::GL_GEOMETRY_SHADER, GEOMETRY),
    (c::GL_TESS_CONTROL_SHADER, TESSELLATION),
    (c::GL_TESS_EVALUATION_SHADER, TESSELLATION),
    (c::GL_COMPUTE_SHADER, COMPUTE),
];

const STAGE_PARAMETERS: [u32; 5] = [
    c::GL_ACTIVE_SUBROUTINES,
    c::GL_ACTIVE_SUBROUTINE_UNIFORMS,
    c::GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS,
    c::GL_ACTIVE_SUBROUTINE_MAX_LENGTH,
    c::GL_ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH,
];

/// Where subroutines exist.
pub const SUBROUTINES: When = desktop(40).or(&["GL_ARB_shader_subroutine"]);

/// Where the driver reports errors through a callback, if the program wants that.
const MESSAGES: When = when(43, 43, false, 32).or(&["GL_KHR_debug"]);

/// Where shaders may be SPIR-V.
pub const SPIR_V: When = desktop(46).or(&["GL_ARB_gl_spirv"]);

/// Queries a program and records the answers; does nothing if it is not a program.
pub fn record(thread: &mut Thread, context: &mut Context, program: u32, stages: &Stages) {
    let reflection = quietly(thread, context, |thread, capabilities| {
        ask::is_program(thread, program).then(|| reflect(thread, capabilities, program, stages))
    });
    if let Some(reflection) = reflection {
        emit(thread, id::afiProgram, program, &reflection.encode());
    }
}

/// Queries what validating a program may have changed and records the answers.
pub fn record_validation(thread: &mut Thread, context: &mut Context, program: u32) {
    let reflection = quietly(thread, context, |thread, _| {
        ask::is_program(thread, program).then(|| {
            let one = |name| (name, vec![ask::program(thread, program, name, 0)[0]]);
            let parameters: Vec<_> = VALIDATION.iter().map(|name| one(*name)).collect();
            Reflection { parameters, log: log(thread, program), ..Reflection::default() }
        })
    });
    if let Some(reflection) = reflection {
        emit(thread, id::afiProgram, program, &reflection.encode());
    }
}

fn log(thread: &Thread, program: u32) -> Vec<u8> {
    let length = ask::program(thread, program, c::GL_INFO_LOG_LENGTH, 0)[0];
    if length > 0 { ask::program_log(thread, program, length) } else { Vec::new() }
}

fn reflect(thread: &Thread, capabilities: &Capabilities, program: u32, stages: &Stages) -> Reflection {
    let linked = ask::program(thread, program, c::GL_LINK_STATUS, 0)[0] != 0;
    let present = stages_present(thread, capabilities, program, stages, linked);
    let mut reflection = Reflection { whole: true, log: log(thread, program), ..Reflection::default() };
    let spir_v = is_spir_v(thread, capabilities, program, stages);
    for (name, when, stage) in PARAMETERS {
        // Mesa 22 crashes when queried for the varyings of a program that failed to link after its stages were joined.
        let feedback = [c::GL_TRANSFORM_FEEDBACK_VARYINGS, c::GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH].contains(&name);
        // To know the size, Mesa 22 assembles the binary. It crashes there at variables without a name, such as those of
        // SPIR-V.
        let binary = name == c::GL_PROGRAM_BINARY_LENGTH;
        let safe = (linked || !feedback) && !(spir_v && binary);
        if binary && binaries::are_hidden() && capabilities.has(when) {
            reflection.parameters.push((name, vec![0]));
            continue;
        }
        if capabilities.has(when) && safe && stage.is_none_or(|stage| present.contains(&stage)) {
            reflection.parameters.push((name, vec![ask::program(thread, program, name, 0)[0]]));
        }
    }
    if capabilities.has(COMPUTE) && present.contains(&c::GL_COMPUTE_SHADER) {
        let size = ask::program(thread, program, c::GL_COMPUTE_WORK_GROUP_SIZE, 0);
        reflection.parameters.push((c::GL_COMPUTE_WORK_GROUP_SIZE, size[..3].to_vec()));
    }
    if !matches!(stages, Stages::Unknown) {
        reflection.stages.extend(present.iter().map(|stage| (*stage, c::GL_SHADER_TYPE, 1)));
    }
    if linked {
        if capabilities.has(SUBROUTINES) {
            // Mesa rejects queries for the number of locations of stages that the program does not have.
            for stage in &present {
                for name in STAGE_PARAMETERS {
                    reflection.stages.push((*stage, name, ask::stage(thread, program, *stage, name, 0)[0]));
                }
            }
        }
        reflection.interfaces = interface::all(thread, capabilities, program, &reflection);
        if let Some(uniforms) = reflection.interface(c::GL_UNIFORM) {
            reflection.values = values(thread, program, uniforms);
        }
    }
    reflection
}

/// Returns whether a shader of the program is SPIR-V.
fn is_spir_v(thread: &Thread, capabilities: &Capabilities, program: u32, stages: &Stages) -> bool {
    let is_binary = |shader: &u32| ask::shader(thread, *shader, c::GL_SPIR_V_BINARY, 0)[0] != 0;
    matches!(stages, Stages::Attached) && capabilities.has(SPIR_V) && attached(thread, program).iter().any(is_binary)
}

fn attached(thread: &Thread, program: u32) -> Vec<u32> {
    let count = ask::program(thread, program, c::GL_ATTACHED_SHADERS, 0)[0];
    ask::attached(thread, program, usize::try_from(count).unwrap_or(0))
}

/// Returns the stages of a linked program. Where they are not known, all are queried unless the program listens for
/// errors; rejected queries are left out.
fn stages_present(
    thread: &Thread,
    capabilities: &Capabilities,
    program: u32,
    stages: &Stages,
    linked: bool,
) -> Vec<u32> {
    match stages {
        _ if !linked => Vec::new(),
        Stages::Known(stages) => stages.clone(),
        Stages::Attached => {
            let kind = |shader: &u32| ask::shader(thread, *shader, c::GL_SHADER_TYPE, 0)[0].cast_unsigned();
            attached(thread, program).iter().map(kind).collect()
        }
        Stages::Unknown => {
            let listens =
                capabilities.debug || capabilities.has(MESSAGES) && ask::is_enabled(thread, c::GL_DEBUG_OUTPUT);
            let has = |stage: u32| {
                let name = match stage {
                    c::GL_GEOMETRY_SHADER => c::GL_GEOMETRY_VERTICES_OUT,
                    c::GL_TESS_CONTROL_SHADER => c::GL_TESS_CONTROL_OUTPUT_VERTICES,
                    c::GL_TESS_EVALUATION_SHADER => c::GL_TESS_GEN_MODE,
                    c::GL_COMPUTE_SHADER => c::GL_COMPUTE_WORK_GROUP_SIZE,
                    _ => return false,
                };
                ask::program(thread, program, name, -1)[0] != -1
            };
            let mut present = Vec::new();
            if !listens {
                present.extend(
                    STAGES.iter().filter(|stage| capabilities.has(stage.1) && has(stage.0)).map(|stage| stage.0),
                );
                ask::errors(thread).for_each(drop);
            }
            present
        }
    }
}

/// Returns the values of uniforms outside of blocks, except those that are zero.
fn values(thread: &Thread, program: u32, uniforms: &Interface) -> Vec<Uniform> {
    let mut values = Vec::new();
    for index in 0..uniforms.resources.len() {
        let property = |name| uniforms.value(index, name).unwrap_or(-1);
        let (first, kind) = (property(c::GL_LOCATION), property(c::GL_TYPE).cast_unsigned());
        if first < 0 {
            continue;
        }
        for element in 0..property(c::GL_ARRAY_SIZE).max(1) {
            let Some(location) = first.checked_add(element) else { break };
            let Some(bytes) = value(thread, program, location, kind) else { break };
            if bytes.iter().any(|byte| *byte != 0) {
                values.push(Uniform { location, bytes });
            }
        }
    }
    values
}

fn value(thread: &Thread, program: u32, location: i32, kind: u32) -> Option<Vec<u8>> {
    let shape = shape(kind)?;
    let count = shape.components();
    let bytes = match shape.base {
        Base::Float => bytes(&ask::uniform_floats(thread, program, location, 0.0), count, |value| value.to_le_bytes()),
        Base::Double => {
            bytes(&ask::uniform_doubles(thread, program, location, 0.0), count, |value| value.to_le_bytes())
        }
        Base::Uint => bytes(&ask::uniform_unsigned(thread, program, location, 0), count, |value| value.to_le_bytes()),
        Base::Int64 => bytes(&ask::uniform_longs(thread, program, location, 0), count, |value| value.to_le_bytes()),
        Base::Uint64 => {
            bytes(&ask::uniform_unsigned_longs(thread, program, location, 0), count, |value| value.to_le_bytes())
        }
        Base::Int | Base::Bool | Base::Sampler | Base::Image => {
            bytes(&ask::uniform_integers(thread, program, location, 0), count, |value| value.to_le_bytes())
        }
        Base::AtomicCounter => return None,
    };
    Some(bytes)
}

fn bytes<T: Copy, const N: usize>(values: &[T], count: usize, one: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().take(count).flat_map(|value| one(*value)).collect()
}
