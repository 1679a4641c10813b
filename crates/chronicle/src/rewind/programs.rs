//! Shaders and programs: which there are, values of uniforms, bindings of blocks.

use std::sync::Arc;

use api::reflection::kind::{Base, Shape};
use api::{CommandId, id};
use state::objects::program::{DriverResult, Linked, Program, Shader, ShaderOrProgram, Uniform};

use super::{Obstacle, Rewind, SOMEWHERE};

impl Rewind<'_> {
    /// Shaders and programs of a share group.
    pub(super) fn programs(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        for (name, wanted) in &to.programs {
            let Some(mine) = now.programs.get(name) else {
                return Err(Obstacle("a shader or program was deleted since".to_owned()));
            };
            if Arc::ptr_eq(mine, wanted) {
                continue;
            }
            match (&**mine, &**wanted) {
                (ShaderOrProgram::Shader(mine), ShaderOrProgram::Shader(wanted)) => same_shader(mine, wanted)?,
                (ShaderOrProgram::Program(mine), ShaderOrProgram::Program(wanted)) => {
                    self.program(*name, mine, wanted)?
                }
                _ => return Err(Obstacle("a shader or program was deleted since".to_owned())),
            }
        }
        for (name, mine) in now.programs.iter().filter(|(name, _)| !to.programs.contains_key(*name)) {
            match &**mine {
                ShaderOrProgram::Program(program) if !program.deleted => {
                    self.make(id::glDeleteProgram, &[u64::from(*name)])?;
                }
                ShaderOrProgram::Shader(shader) if !shader.deleted => {
                    self.make(id::glDeleteShader, &[u64::from(*name)])?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn program(&mut self, name: u32, mine: &Program, wanted: &Program) -> Result<(), Obstacle> {
        if mine.object != wanted.object || mine.deleted != wanted.deleted {
            return Err(Obstacle("a shader or program was deleted since".to_owned()));
        }
        if mine.setup != wanted.setup || !same(&mine.linked, &wanted.linked) {
            return Err(Obstacle("a program was linked or changed since".to_owned()));
        }
        if mine.validation != wanted.validation {
            return Err(Obstacle("a program was validated since".to_owned()));
        }
        if mine.bindings != wanted.bindings {
            self.blocks(name, mine, wanted)?;
        }
        if Arc::ptr_eq(&mine.values, &wanted.values) || mine.values == wanted.values {
            return Ok(());
        }
        let Some(linked) = wanted.interface().map(Arc::clone) else {
            return Err(Obstacle("uniforms changed of a program that is not linked".to_owned()));
        };
        self.uniforms(name, &linked, mine, wanted)
    }

    fn blocks(&mut self, name: u32, mine: &Program, wanted: &Program) -> Result<(), Obstacle> {
        let lists = [
            (&mine.bindings.uniform, &wanted.bindings.uniform, id::glUniformBlockBinding),
            (&mine.bindings.storage, &wanted.bindings.storage, id::glShaderStorageBlockBinding),
        ];
        for (mine, wanted, command) in lists {
            for (index, binding) in wanted.iter().enumerate().filter(|(at, binding)| mine.get(*at) != Some(binding)) {
                self.make(command, &[u64::from(name), index as u64, u64::from(*binding)])?;
            }
        }
        Ok(())
    }

    fn uniforms(&mut self, name: u32, linked: &Linked, mine: &Program, wanted: &Program) -> Result<(), Obstacle> {
        for uniform in &linked.uniforms {
            let first = uniform.offset as usize;
            let range = first..first + (uniform.size * uniform.stride) as usize;
            let (Some(mine), Some(wanted)) = (mine.values.get(range.clone()), wanted.values.get(range)) else {
                continue;
            };
            if mine == wanted {
                continue;
            }
            if self.here().program != name {
                self.make(id::glUseProgram, &[u64::from(name)])?;
            }
            self.uniform(uniform, wanted)?;
        }
        Ok(())
    }

    fn uniform(&mut self, uniform: &Uniform, words: &[u32]) -> Result<(), Obstacle> {
        let Some(command) = setter(uniform.shape) else {
            return Err(Obstacle("uniforms of rare types changed since".to_owned()));
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (location, count) = (i64::from(uniform.location).cast_unsigned(), u64::from(uniform.size));
        if uniform.shape.columns > 1 {
            return self.make_from(command, &[location, count, 0, SOMEWHERE], 3, &bytes);
        }
        self.make_from(command, &[location, count, SOMEWHERE], 2, &bytes)
    }
}

fn same_shader(mine: &Shader, wanted: &Shader) -> Result<(), Obstacle> {
    let kept = mine.object == wanted.object && mine.deleted == wanted.deleted;
    if kept && mine.source == wanted.source && same(&mine.compiled, &wanted.compiled) {
        return Ok(());
    }
    Err(Obstacle("a shader was compiled or deleted since".to_owned()))
}

/// Whether the driver has said nothing else since.
fn same<T: PartialEq>(mine: &DriverResult<T>, wanted: &DriverResult<T>) -> bool {
    match (mine, wanted) {
        (DriverResult::Recorded(mine), DriverResult::Recorded(wanted)) => Arc::ptr_eq(mine, wanted) || mine == wanted,
        (DriverResult::NotRequested, DriverResult::NotRequested)
        | (DriverResult::NotRecorded, DriverResult::NotRecorded) => true,
        _ => false,
    }
}

/// The command that sets values of a type, several at once.
fn setter(shape: Shape) -> Option<CommandId> {
    let choose = |commands: [CommandId; 4]| commands.get(usize::from(shape.rows) - 1).copied();
    if shape.columns > 1 {
        return (shape.base == Base::Float).then_some(match (shape.columns, shape.rows) {
            (2, 2) => id::glUniformMatrix2fv,
            (3, 3) => id::glUniformMatrix3fv,
            (4, 4) => id::glUniformMatrix4fv,
            (2, 3) => id::glUniformMatrix2x3fv,
            (3, 2) => id::glUniformMatrix3x2fv,
            (2, 4) => id::glUniformMatrix2x4fv,
            (4, 2) => id::glUniformMatrix4x2fv,
            (3, 4) => id::glUniformMatrix3x4fv,
            _ => id::glUniformMatrix4x3fv,
        });
    }
    match shape.base {
        Base::Float => choose([id::glUniform1fv, id::glUniform2fv, id::glUniform3fv, id::glUniform4fv]),
        Base::Uint => choose([id::glUniform1uiv, id::glUniform2uiv, id::glUniform3uiv, id::glUniform4uiv]),
        Base::Int | Base::Bool | Base::Sampler | Base::Image => {
            choose([id::glUniform1iv, id::glUniform2iv, id::glUniform3iv, id::glUniform4iv])
        }
        Base::Double | Base::Int64 | Base::Uint64 | Base::AtomicCounter => None,
    }
}
