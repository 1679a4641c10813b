//! Finding a variable, or part of one, by the name a person or an API call uses: `light[2].colour`.

use shader::Shader;
use shader::constant;
use shader::qualifier::Storage;
use shader::typed::{ScopeId, VarId};
use shader::types::Type;

use crate::ir::{Program, Register, Registers};

/// The output variables that the program mentions, built-in ones among them: name, type, registers.
#[must_use]
pub fn outputs<'a>(shader: &'a Shader, program: &Program) -> Vec<(&'a str, Type, Registers)> {
    let variables = shader.typed.variables.iter().enumerate();
    variables
        .filter(|(_, v)| v.qualifiers.storage == Storage::Out && v.scope == ScopeId::GLOBAL)
        .filter_map(|(i, v)| {
            let home = program.variable(VarId(i as u32))?;
            Some((shader.preprocessed.symbols.name(v.name), v.ty, home))
        })
        .collect()
}

/// The registers of a global variable or part of one; `None` if there is no such thing or the program never mentions it.
#[must_use]
pub fn locate(shader: &Shader, program: &Program, path: &str) -> Option<(Type, Registers)> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, mut rest) = path.split_at(end);
    let symbols = &shader.preprocessed.symbols;
    let index =
        shader.typed.variables.iter().position(|v| v.scope == ScopeId::GLOBAL && symbols.name(v.name) == name)?;
    let mut ty = shader.typed.variable(VarId(index as u32)).ty;
    let mut home = program.variable(VarId(index as u32))?;
    let types = &shader.typed.types;
    while !rest.is_empty() {
        let (offset, part) = if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let structure = types.as_struct(ty)?;
            let at = structure.fields.iter().position(|f| symbols.name(f.name) == &tail[..end])?;
            let before = structure.fields[..at].iter().map(|f| constant::flat_len(types, f.ty)).sum::<Option<u32>>()?;
            rest = &tail[end..];
            (before, structure.fields[at].ty)
        } else {
            let (number, tail) = rest.strip_prefix('[')?.split_once(']')?;
            let array = types.as_array(ty)?;
            let number: u32 = number.parse().ok().filter(|n| array.size.is_none_or(|size| *n < size))?;
            rest = tail;
            (number.checked_mul(constant::flat_len(types, array.element)?)?, array.element)
        };
        let len = constant::flat_len(types, part)?;
        if offset.checked_add(len)? > home.len {
            return None;
        }
        home = Registers { start: Register(home.start.0 + offset), len };
        ty = part;
    }
    Some((ty, home))
}
