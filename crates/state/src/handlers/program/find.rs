//! Shaders and programs by name, and why there is none.

use std::sync::Arc;

use crate::context::Context;
use crate::fault::Fault;
use crate::objects::program::{Program, Shader, ShaderOrProgram};
use crate::share::ShareGroup;

const NO_PROGRAM: Fault = Fault::invalid_value("there is no program of that name");
const NO_SHADER: Fault = Fault::invalid_value("there is no shader of that name");
const IS_SHADER: Fault = Fault::invalid_operation("a shader is given where a program is wanted");
const IS_PROGRAM: Fault = Fault::invalid_operation("a program is given where a shader is wanted");

/// The program of a name.
#[inline]
pub fn program(group: &ShareGroup, name: u32) -> Result<&Program, Fault> {
    match group.programs.get(&name).map(Arc::as_ref) {
        Some(ShaderOrProgram::Program(program)) => Ok(program),
        Some(ShaderOrProgram::Shader(_)) => Err(IS_SHADER),
        None => Err(NO_PROGRAM),
    }
}

/// The same, to be changed.
#[inline]
pub fn program_mut(group: &mut ShareGroup, name: u32) -> Result<&mut Program, Fault> {
    match group.programs.get_mut(&name).map(Arc::make_mut) {
        Some(ShaderOrProgram::Program(program)) => Ok(program),
        Some(ShaderOrProgram::Shader(_)) => Err(IS_SHADER),
        None => Err(NO_PROGRAM),
    }
}

/// The shader of a name.
pub fn shader(group: &ShareGroup, name: u32) -> Result<&Shader, Fault> {
    match group.programs.get(&name).map(Arc::as_ref) {
        Some(ShaderOrProgram::Shader(shader)) => Ok(shader),
        Some(ShaderOrProgram::Program(_)) => Err(IS_PROGRAM),
        None => Err(NO_SHADER),
    }
}

/// The same, to be changed.
pub fn shader_mut(group: &mut ShareGroup, name: u32) -> Result<&mut Shader, Fault> {
    match group.programs.get_mut(&name).map(Arc::make_mut) {
        Some(ShaderOrProgram::Shader(shader)) => Ok(shader),
        Some(ShaderOrProgram::Program(_)) => Err(IS_PROGRAM),
        None => Err(NO_SHADER),
    }
}

/// The name of the program whose uniforms `glUniform…` sets: the current one, or else the active one of the pipeline
/// that is bound (GL 4.6, 7.6.1); 0 when there is none.
#[inline]
pub fn active(context: &Context) -> u32 {
    if context.program != 0 || context.pipeline == 0 {
        return context.program;
    }
    context.pipelines.get(&context.pipeline).map_or(0, |pipeline| pipeline.active)
}

/// Notes that one more context or stage uses a program.
pub fn take(group: &mut ShareGroup, name: u32) {
    if name != 0
        && let Ok(program) = program_mut(group, name)
    {
        program.uses += 1;
    }
}

/// Notes that one context or stage less uses a program, which ends one that is deleted.
pub fn release(group: &mut ShareGroup, name: u32) {
    if name != 0
        && let Ok(program) = program_mut(group, name)
    {
        program.uses = program.uses.saturating_sub(1);
        if program.deleted && program.uses == 0 {
            remove(group, name);
        }
    }
}

/// Removes a program; shaders that are deleted and attached to no other go with it.
pub fn remove(group: &mut ShareGroup, name: u32) {
    let attached = match program(group, name) {
        Ok(program) => program.setup.attached.clone(),
        Err(_) => return,
    };
    group.programs.remove(&name);
    for shader in attached {
        detach(group, shader);
    }
}

/// Notes that a shader is attached to one program less.
pub fn detach(group: &mut ShareGroup, name: u32) {
    if let Ok(shader) = shader_mut(group, name) {
        shader.attached = shader.attached.saturating_sub(1);
        if shader.deleted && shader.attached == 0 {
            group.programs.remove(&name);
        }
    }
}
