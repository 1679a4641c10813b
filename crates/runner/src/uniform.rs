//! Uniforms outside blocks.

use pipeline::Program;
use shader::types::{Scalar, Type};
use shader_test::command::{Uniform, Values};

use crate::Stop;

/// Sets a uniform as `glUniform` does.
pub(crate) fn set(program: &mut Program, uniform: &Uniform) -> Result<(), Stop> {
    let name = match uniform.name.parse::<u32>() {
        Ok(location) => match at_location(program, location) {
            Some(name) => name,
            None => return Err(Stop::fail(format!("uniform location {location}"), "a uniform", "none")),
        },
        Err(_) => uniform.name.clone(),
    };
    let Some(info) = program.uniform(&name) else {
        return Err(Stop::fail(format!("uniform `{name}`"), "a uniform", "none of that name"));
    };
    // A value of the wrong type is a GL error, and changes nothing.
    if fits(info.ty, &uniform.values) {
        program.set_uniform(&name, &words(&uniform.values));
    }
    Ok(())
}

fn fits(ty: Type, values: &Values) -> bool {
    let Some(scalar) = ty.scalar() else {
        return matches!((ty, values), (Type::Opaque(_), Values::Int(_) | Values::Handle(_)));
    };
    match scalar {
        Scalar::Bool => matches!(values, Values::Float(_) | Values::Int(_) | Values::Uint(_)),
        Scalar::Int => matches!(values, Values::Int(_)),
        Scalar::Uint => matches!(values, Values::Uint(_)),
        Scalar::Float => matches!(values, Values::Float(_)),
        Scalar::Double => matches!(values, Values::Double(_)),
        Scalar::Int64 => matches!(values, Values::Int64(_)),
        Scalar::Uint64 => matches!(values, Values::Uint64(_)),
    }
}

fn words(values: &Values) -> Vec<u32> {
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
    match values {
        Values::Float(v) => v.iter().map(|n| n.to_bits()).collect(),
        Values::Double(v) => v.iter().flat_map(|n| halves(n.to_bits())).collect(),
        Values::Int(v) => v.iter().map(|n| n.cast_unsigned()).collect(),
        Values::Uint(v) => v.clone(),
        Values::Int64(v) => v.iter().flat_map(|n| halves(n.cast_unsigned())).collect(),
        Values::Uint64(v) => v.iter().flat_map(|n| halves(*n)).collect(),
        // Resident textures stay on their unit, and the uniform holds the unit's number.
        Values::Handle(unit) => vec![*unit],
    }
}

/// The name of the uniform at a location; array elements and structure members have consecutive locations.
fn at_location(program: &Program, location: u32) -> Option<String> {
    let linked = program.linked();
    let uniform = linked.uniforms.iter().find(|uniform| {
        let first = uniform.location.unwrap_or(u32::MAX);
        (first..first.saturating_add(uniform.locations)).contains(&location)
    })?;
    let at = uniform.declared.first()?;
    let shader = &program.shaders()[at.shader];
    let mut left = location - uniform.location?;
    let mut name = uniform.name.clone();
    let mut ty = shader.typed.variable(at.variable).ty;
    let types = &shader.typed.types;
    loop {
        if let Some(array) = types.as_array(ty) {
            let each = shader::layout::uniform_locations(types, array.element)?.max(1);
            name.push_str(&format!("[{}]", left / each));
            (left, ty) = (left % each, array.element);
        } else if let Some(structure) = types.as_struct(ty) {
            let mut found = None;
            for field in &structure.fields {
                let size = shader::layout::uniform_locations(types, field.ty)?;
                if left < size {
                    found = Some(field);
                    break;
                }
                left -= size;
            }
            let field = found?;
            name.push('.');
            name.push_str(shader.preprocessed.symbols.name(field.name));
            ty = field.ty;
        } else {
            return Some(name);
        }
    }
}
