//! Finding a variable, or part of one, by the name a person or an API call uses: `light[2].colour`.

use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{ScopeId, VarId};
use shader::types::{Type, TypeTable};

use crate::ir::{Program, Register, Registers};

/// The output variables that the program mentions, built-in ones among them: name, type, registers.
#[must_use]
pub fn outputs<'a>(shader: &'a Shader, program: &Program) -> Vec<(&'a str, Type, Registers)> {
    let variables = shader.typed.variables.iter().enumerate();
    variables
        .filter(|(_, v)| v.qualifiers.storage == Storage::Out && v.scope == ScopeId::GLOBAL)
        .filter_map(|(i, v)| {
            let home = program.variable(VarId(i as u32))?;
            Some((shader.preprocessed.symbols.name(v.name), program.variable_types[i], home))
        })
        .collect()
}

/// How many registers a type takes; none for types without a size.
#[must_use]
pub fn words(types: &TypeTable, ty: Type) -> Option<u32> {
    match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => {
            Some(ty.components() * if scalar.is_64_bit() { 2 } else { 1 })
        }
        // A sampler or image is one register: the number of what is bound. So is a subroutine.
        Type::Opaque(_) | Type::Subroutine(_) => Some(1),
        Type::Array(_) => {
            let array = types.as_array(ty)?;
            words(types, array.element)?.checked_mul(array.size?)
        }
        Type::Struct(_) => {
            types.as_struct(ty)?.fields.iter().try_fold(0u32, |sum, f| sum.checked_add(words(types, f.ty)?))
        }
        Type::Void => Some(0),
        Type::Error => None,
    }
}

/// The registers of a global variable or part of one; `None` if there is no such thing or the program never mentions it.
#[must_use]
pub fn locate(shader: &Shader, program: &Program, path: &str) -> Option<(Type, Registers)> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, mut rest) = path.split_at(end);
    let symbols = &shader.preprocessed.symbols;
    let index =
        shader.typed.variables.iter().position(|v| v.scope == ScopeId::GLOBAL && symbols.name(v.name) == name)?;
    let mut ty = program.variable_types[index];
    let mut home = program.variable(VarId(index as u32))?;
    let types = &program.types;
    while !rest.is_empty() {
        let (offset, part) = if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let structure = types.as_struct(ty)?;
            let at = structure.fields.iter().position(|f| symbols.name(f.name) == &tail[..end])?;
            let before = structure.fields[..at].iter().map(|f| words(types, f.ty)).sum::<Option<u32>>()?;
            rest = &tail[end..];
            (before, structure.fields[at].ty)
        } else {
            let (number, tail) = rest.strip_prefix('[')?.split_once(']')?;
            let array = types.as_array(ty)?;
            let number: u32 = number.parse().ok().filter(|n| array.size.is_none_or(|size| *n < size))?;
            rest = tail;
            (number.checked_mul(words(types, array.element)?)?, array.element)
        };
        let len = words(types, part)?;
        if offset.checked_add(len)? > home.len {
            return None;
        }
        home = Registers { start: Register(home.start.0 + offset), len };
        ty = part;
    }
    Some((ty, home))
}
