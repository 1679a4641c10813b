//! Which variables and blocks of a shader those of the same shader with an expression in it are.

use shader::Shader;
use shader::typed::{BlockId, VarId};

use crate::glsl::lower::Origins;

/// Returns which variable and block of the original each of the new shader is. The expression declares none, but it may be
/// the first to name some of the language's own.
pub(super) fn origins(old: &Shader, new: &Shader) -> Origins {
    let builtin = |shader: &Shader, name: &str| {
        {
            let variables = shader.typed.variables.iter();
            variables
                .enumerate()
                .find(|(_, v)| v.declared.is_none() && shader.preprocessed.symbols.name(v.name) == name)
        }
        .map(|(index, _)| VarId(index as u32))
    };
    let mut declared = old.typed.variables.iter().enumerate().filter(|(_, v)| v.declared.is_some());
    let variables = new.typed.variables.iter().map(|variable| match variable.declared {
        Some(_) => declared.next().map(|(index, _)| VarId(index as u32)),
        None => builtin(old, new.preprocessed.symbols.name(variable.name)),
    });
    let variables = variables.collect();
    let blocks = new.typed.blocks.iter().map(|block| {
        let name = new.preprocessed.symbols.name(block.name);
        let same = |b: &shader::typed::Block| {
            b.declared.is_some() == block.declared.is_some()
                && b.qualifiers.storage == block.qualifiers.storage
                && old.preprocessed.symbols.name(b.name) == name
        };
        old.typed.blocks.iter().position(same).map(|index| BlockId(index as u32))
    });
    Origins { variables, blocks: blocks.collect() }
}
