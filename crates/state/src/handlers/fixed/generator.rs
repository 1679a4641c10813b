//! Generated texture coordinates.

use api::{constant as c, id};

use super::{Number, active_unit, argument, clip, coordinate_units, first, input, plain_numbers, wide};
use crate::answer::{Answer, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_COORDINATE: Fault = Fault::invalid_enum("invalid texture coordinate");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid parameter of texture coordinate generation");
const NO_UNIT: Fault = Fault::invalid_operation("the texture unit has no fixed-function state");

pub fn register(table: &mut Table) {
    table.on(&[id::glTexGenf, id::glTexGenfOES], |step| one(step, 0, Number::Float));
    table.on(&[id::glTexGend], |step| one(step, 0, Number::Double));
    table.on(&[id::glTexGeni, id::glTexGeniOES], |step| one(step, 0, Number::Integer));
    table.on(&[id::glTexGenxOES], |step| one(step, 0, Number::Integer));
    table.on(&[id::glTexGenfv, id::glTexGenfvOES], |step| several(step, 0, Number::Float));
    table.on(&[id::glTexGendv], |step| several(step, 0, Number::Double));
    table.on(&[id::glTexGeniv, id::glTexGenivOES], |step| several(step, 0, Number::Integer));
    table.on(&[id::glTexGenxvOES], |step| several(step, 0, Number::Integer));
    table.on(&[id::glMultiTexGenfEXT], |step| one(step, 1, Number::Float));
    table.on(&[id::glMultiTexGendEXT], |step| one(step, 1, Number::Double));
    table.on(&[id::glMultiTexGeniEXT], |step| one(step, 1, Number::Integer));
    table.on(&[id::glMultiTexGenfvEXT], |step| several(step, 1, Number::Float));
    table.on(&[id::glMultiTexGendvEXT], |step| several(step, 1, Number::Double));
    table.on(&[id::glMultiTexGenivEXT], |step| several(step, 1, Number::Integer));
    table.ask(&[id::glGetTexGenfv, id::glGetTexGenfvOES, id::glGetTexGendv], |view, args| ask(view, args, 0, false));
    table.ask(&[id::glGetTexGeniv, id::glGetTexGenivOES], |view, args| ask(view, args, 0, true));
    table.ask(&[id::glGetMultiTexGenfvEXT, id::glGetMultiTexGendvEXT], |view, args| ask(view, args, 1, false));
    table.ask(&[id::glGetMultiTexGenivEXT], |view, args| ask(view, args, 1, true));
}

/// Returns the generators of a coordinate: one, or with OES_texture_cube_map the first three at once.
fn which(client: Client, coordinate: u32) -> Option<std::ops::Range<usize>> {
    match coordinate {
        c::GL_S..=c::GL_Q if client == Client::Compatibility => {
            let at = (coordinate - c::GL_S) as usize;
            Some(at..at + 1)
        }
        c::GL_TEXTURE_GEN_STR_OES if client == Client::Es1 => Some(0..3),
        _ => None,
    }
}

fn one(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let value = argument(step, at + 2, number);
    set(step, at, &[value, 0.0, 0.0, 0.0])
}

fn several(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let values = input(step, at as u8 + 2, number);
    set(step, at, &values)
}

fn set(step: &mut Step<'_>, at: usize, numbers: &[f32]) -> Done {
    let unit = if at > 0 {
        let unit = step.name(0).wrapping_sub(c::GL_TEXTURE0);
        if unit < coordinate_units(step.facts()) { unit as usize } else { return Err(NO_UNIT) }
    } else {
        active_unit(step)?
    };
    let client = step.facts().client;
    let generators = which(client, step.name(at)).ok_or(NO_COORDINATE)?;
    let name = step.name(at + 1);
    match name {
        c::GL_TEXTURE_GEN_MODE => {
            let mode = numbers.first().copied().unwrap_or(0.0) as i32 as u32;
            let known = match mode {
                c::GL_OBJECT_LINEAR | c::GL_EYE_LINEAR => client == Client::Compatibility,
                c::GL_SPHERE_MAP => client == Client::Compatibility && generators.end <= 2,
                c::GL_REFLECTION_MAP | c::GL_NORMAL_MAP => generators.end <= 3,
                _ => false,
            };
            if !known {
                return Err(Fault::invalid_enum("invalid texture coordinate generation mode"));
            }
            for generator in &mut step.context.fixed_mut().units[unit].generators[generators] {
                generator.mode = mode;
            }
        }
        c::GL_OBJECT_PLANE if client == Client::Compatibility => {
            for generator in &mut step.context.fixed_mut().units[unit].generators[generators] {
                generator.object_plane = first(numbers);
            }
        }
        c::GL_EYE_PLANE if client == Client::Compatibility => {
            let plane = clip::to_eye(first(numbers), step.context.fixed.matrices.modelview.top());
            for generator in &mut step.context.fixed_mut().units[unit].generators[generators] {
                generator.eye_plane = plane;
            }
        }
        _ => return Err(NO_PARAMETER),
    }
    Ok(())
}

fn ask(view: &View<'_>, args: &[u64], at: usize, integers: bool) -> Result<Answer, Fault> {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let facts = &view.context.facts;
    let named = if at > 0 { arg(0) } else { view.context.vars.name(var::ACTIVE_TEXTURE) };
    let unit = named.wrapping_sub(c::GL_TEXTURE0);
    if unit >= coordinate_units(facts) {
        return Err(NO_UNIT);
    }
    let generators = which(facts.client, arg(at)).ok_or(NO_COORDINATE)?;
    let generator = &view.context.fixed.units[unit as usize].generators[generators.start];
    match arg(at + 1) {
        c::GL_TEXTURE_GEN_MODE => Ok(Answer::one(NumberType::Enum, f64::from(generator.mode))),
        c::GL_OBJECT_PLANE if facts.client == Client::Compatibility => {
            Ok(plain_numbers(&wide(generator.object_plane), integers))
        }
        c::GL_EYE_PLANE if facts.client == Client::Compatibility => {
            let answer = plain_numbers(&wide(generator.eye_plane), integers);
            Ok(Answer { kind: if integers { answer.kind } else { NumberType::Transformed }, ..answer })
        }
        _ => Err(NO_PARAMETER),
    }
}
