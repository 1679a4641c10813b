//! Finds shaders and programs by name.

use std::sync::Arc;

use crate::context::Context;
use crate::fault::Fault;
use crate::objects::program::{Program, Shader, ShaderOrProgram};
use crate::share::ShareGroup;

const NO_PROGRAM: Fault = Fault::invalid_value("no program has this name");
const NO_SHADER: Fault = Fault::invalid_value("no shader has this name");
const IS_SHADER: Fault = Fault::invalid_operation("the name is that of a shader, not of a program");
const IS_PROGRAM: Fault = Fault::invalid_operation("the name is that of a program, not of a shader");

/// Returns the program of a name.
#[inline]
pub fn program(group: &ShareGroup, name: u32) -> Result<&Program, Fault> {
    match group.programs.get(&name).map(Arc::as_ref) {
        Some(ShaderOrProgram::Program(program)) => Ok(program),
        Some(ShaderOrProgram::Shader(_)) => Err(IS_SHADER),
        None => Err(NO_PROGRAM),
    }
}

/// Returns the program of a name, for modification.
#[inline]
pub fn program_mut(group: &mut ShareGroup, name: u32) -> Result<&mut Program, Fault> {
    match group.programs.get_mut(&name).map(Arc::make_mut) {
        Some(ShaderOrProgram::Program(program)) => Ok(program),
        Some(ShaderOrProgram::Shader(_)) => Err(IS_SHADER),
        None => Err(NO_PROGRAM),
    }
}

/// Returns the shader of a name.
pub fn shader(group: &ShareGroup, name: u32) -> Result<&Shader, Fault> {
    match group.programs.get(&name).map(Arc::as_ref) {
        Some(ShaderOrProgram::Shader(shader)) => Ok(shader),
        Some(ShaderOrProgram::Program(_)) => Err(IS_PROGRAM),
        None => Err(NO_SHADER),
    }
}

/// Returns the shader of a name, for modification.
pub fn shader_mut(group: &mut ShareGroup, name: u32) -> Result<&mut Shader, Fault> {
    match group.programs.get_mut(&name).map(Arc::make_mut) {
        Some(ShaderOrProgram::Shader(shader)) => Ok(shader),
        Some(ShaderOrProgram::Program(_)) => Err(IS_PROGRAM),
        None => Err(NO_SHADER),
    }
}

/// Returns the name of the program whose uniforms `glUniform…` sets: the current one, or else the active program of the
/// bound pipeline (GL 4.6, 7.6.1); 0 when there is none.
#[inline]
pub fn active(context: &Context) -> u32 {
    if context.program != 0 || context.pipeline == 0 {
        return context.program;
    }
    context.pipelines.get(&context.pipeline).map_or(0, |pipeline| pipeline.active)
}

/// Counts another context or stage that uses a program.
pub fn take(group: &mut ShareGroup, name: u32) {
    if name != 0
        && let Ok(program) = program_mut(group, name)
    {
        program.uses += 1;
    }
}

/// Counts one context or stage fewer that uses a program, which removes it if it is deleted.
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

/// Removes a program; deleted shaders that are attached to no other program are removed with it.
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

/// Counts one program fewer that a shader is attached to.
pub fn detach(group: &mut ShareGroup, name: u32) {
    if let Ok(shader) = shader_mut(group, name) {
        shader.attached = shader.attached.saturating_sub(1);
        if shader.deleted && shader.attached == 0 {
            group.programs.remove(&name);
        }
    }
}
