//! Texture environments.

use api::{constant as c, id};

use super::{Number, coordinate_units, first, input, input_integers, normalized, wide};
use crate::answer::{Answer, View};
use crate::context::Facts;
use crate::fault::Fault;
use crate::fixed::Unit;
use crate::handlers::Table;
use crate::handlers::plain::{clamps_colours, most};
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_TARGET: Fault = Fault::invalid_enum("invalid texture environment target");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid texture environment parameter");
const NO_VALUE: Fault = Fault::invalid_enum("invalid value of a texture environment parameter");

pub fn register(table: &mut Table) {
    table.on(&[id::glTexEnvf], |step| set(step, 0, &[step.float(2), 0.0, 0.0, 0.0]));
    table.on(&[id::glTexEnvfv], |step| {
        let numbers = input(step, 2, Number::Float);
        set(step, 0, &numbers)
    });
    table.on(&[id::glTexEnvi], |step| {
        let number = step.int(2) as f32;
        set(step, 0, &[number, 0.0, 0.0, 0.0])
    });
    table.on(&[id::glTexEnviv], |step| integers(step, 0));
    table.on(&[id::glTexEnvx, id::glTexEnvxOES], |step| {
        let number = if is_number(step.name(1)) { step.fixed(2) } else { step.int(2) as f32 };
        // A colour has more than one number.
        if step.name(1) == c::GL_TEXTURE_ENV_COLOR {
            return Err(NO_PARAMETER);
        }
        known_to_es(step)?;
        set(step, 0, &[number, 0.0, 0.0, 0.0])
    });
    table.on(&[id::glTexEnvxv, id::glTexEnvxvOES], |step| {
        let number = if is_number(step.name(1)) { Number::Fixed } else { Number::Integer };
        let numbers = input(step, 2, number);
        known_to_es(step)?;
        set(step, 0, &numbers)
    });
    table.on(&[id::glMultiTexEnvfEXT], |step| set(step, 1, &[step.float(3), 0.0, 0.0, 0.0]));
    table.on(&[id::glMultiTexEnvfvEXT], |step| {
        let numbers = input(step, 3, Number::Float);
        set(step, 1, &numbers)
    });
    table.on(&[id::glMultiTexEnviEXT], |step| {
        let number = step.int(3) as f32;
        set(step, 1, &[number, 0.0, 0.0, 0.0])
    });
    table.on(&[id::glMultiTexEnvivEXT], |step| integers(step, 1));
    table.ask(&[id::glGetTexEnvfv], |view, args| ask(view, args, 0));
    table.ask(&[id::glGetTexEnviv], |view, args| whole(ask(view, args, 0)?));
    table.ask(&[id::glGetTexEnvxv, id::glGetTexEnvxvOES], |view, args| {
        let answer = ask(view, args, 0)?;
        let number = is_number(args.get(1).copied().unwrap_or(0) as u32);
        Ok(if number { crate::handlers::get::in_fixed_point(answer) } else { answer })
    });
    table.ask(&[id::glGetMultiTexEnvfvEXT], |view, args| ask(view, args, 1));
    table.ask(&[id::glGetMultiTexEnvivEXT], |view, args| whole(ask(view, args, 1)?));
}

/// Checks a fixed-point command: Mesa checks the target and the parameter before anything else.
fn known_to_es(step: &Step<'_>) -> Done {
    let known = match step.name(0) {
        c::GL_TEXTURE_ENV => environment(step.facts(), &mut Unit::default(), step.name(1), &[1.0]),
        c::GL_TEXTURE_FILTER_CONTROL if step.name(1) == c::GL_TEXTURE_LOD_BIAS => Ok(()),
        c::GL_POINT_SPRITE if step.name(1) == c::GL_COORD_REPLACE => Ok(()),
        c::GL_TEXTURE_FILTER_CONTROL | c::GL_POINT_SPRITE => Err(NO_PARAMETER),
        _ => Err(NO_TARGET),
    };
    if known == Err(NO_PARAMETER) || known == Err(NO_TARGET) { known } else { Ok(()) }
}

/// Converts an answer to integers: the colour is normalized, the level-of-detail bias truncated.
fn whole(answer: Answer) -> Result<Answer, Fault> {
    match (answer.kind, &answer.values) {
        (NumberType::Float, crate::answer::Values::Numbers(numbers)) => Ok(super::plain_numbers(numbers, true)),
        (NumberType::Normalized, crate::answer::Values::Numbers(numbers)) => {
            let clamped: Vec<f64> = numbers.iter().map(|number| number.clamp(0.0, 1.0)).collect();
            Ok(Answer::numbers(NumberType::Normalized, &clamped))
        }
        _ => Ok(answer),
    }
}

/// Returns whether a parameter is a number rather than an enum, so that fixed point applies.
fn is_number(name: u32) -> bool {
    matches!(name, c::GL_TEXTURE_ENV_COLOR | c::GL_RGB_SCALE | c::GL_ALPHA_SCALE | c::GL_TEXTURE_LOD_BIAS)
}

fn integers(step: &mut Step<'_>, at: usize) -> Done {
    let colour = step.name(at + 1) == c::GL_TEXTURE_ENV_COLOR;
    let numbers: Vec<f32> = input_integers(step, at as u8 + 2)
        .into_iter()
        .map(|number| if colour { normalized(number) } else { number as f32 })
        .collect();
    set(step, at, &numbers)
}

/// Returns the unit that a command means: the active one, or that of its first argument when the others follow it.
fn unit(facts: &Facts, active: u32, named: u32, at: usize, sprite: bool) -> Result<usize, Fault> {
    let unit = if at > 0 { named.wrapping_sub(c::GL_TEXTURE0) } else { active.wrapping_sub(c::GL_TEXTURE0) };
    let all = most(facts, c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192);
    if unit >= if sprite { coordinate_units(facts) } else { all } {
        return Err(Fault::invalid_operation("the texture unit is too large"));
    }
    Ok(unit as usize)
}

fn set(step: &mut Step<'_>, at: usize, numbers: &[f32]) -> Done {
    let (target, name) = (step.name(at), step.name(at + 1));
    let sprite = target == c::GL_POINT_SPRITE && name == c::GL_COORD_REPLACE;
    let active = step.context.vars.name(var::ACTIVE_TEXTURE);
    let unit = unit(step.facts(), active, step.name(0), at, sprite)?;
    let number = numbers.first().copied().unwrap_or(0.0);
    match target {
        c::GL_TEXTURE_ENV => {
            // Units without fixed-function state are ignored silently.
            if unit >= coordinate_units(step.facts()) as usize {
                return Ok(());
            }
            let facts = step.context.facts.clone();
            let mut changed = step.context.fixed.units[unit];
            environment(&facts, &mut changed, name, numbers)?;
            if step.context.fixed.units[unit] != changed {
                step.context.fixed_mut().units[unit] = changed;
            }
            Ok(())
        }
        c::GL_TEXTURE_FILTER_CONTROL => {
            if name != c::GL_TEXTURE_LOD_BIAS {
                return Err(NO_PARAMETER);
            }
            if let Some(bias) = step.context.fixed_mut().lod_bias.get_mut(unit) {
                *bias = number;
            }
            Ok(())
        }
        c::GL_POINT_SPRITE => {
            if !sprite {
                return Err(NO_PARAMETER);
            }
            if number != 0.0 && number != 1.0 {
                return Err(Fault::invalid_value("the value for coordinate replacement must be 0 or 1"));
            }
            step.context.fixed_mut().units[unit].coord_replace = number == 1.0;
            Ok(())
        }
        _ => Err(NO_TARGET),
    }
}

fn environment(facts: &Facts, unit: &mut Unit, name: u32, numbers: &[f32]) -> Done {
    let number = numbers.first().copied().unwrap_or(0.0);
    let value = number as i32 as u32;
    let four = facts.has("GL_NV_texture_env_combine4");
    match name {
        c::GL_TEXTURE_ENV_MODE => {
            let known = match value {
                c::GL_MODULATE | c::GL_BLEND | c::GL_DECAL | c::GL_REPLACE | c::GL_ADD | c::GL_COMBINE => true,
                c::GL_REPLACE_EXT => true,
                c::GL_COMBINE4_NV => four,
                _ => false,
            };
            check(known)?;
            unit.mode = if value == c::GL_REPLACE_EXT { c::GL_REPLACE } else { value };
        }
        c::GL_TEXTURE_ENV_COLOR => unit.colour = first(numbers),
        c::GL_COMBINE_RGB => {
            check(is_combination(facts, value, true))?;
            unit.combine_rgb = value;
        }
        c::GL_COMBINE_ALPHA => {
            check(is_combination(facts, value, false))?;
            unit.combine_alpha = value;
        }
        c::GL_SRC0_RGB..=c::GL_SRC2_RGB | c::GL_SOURCE3_RGB_NV if name != c::GL_SOURCE3_RGB_NV || four => {
            check(is_source(facts, value))?;
            unit.source_rgb[(name - c::GL_SRC0_RGB) as usize] = value;
        }
        c::GL_SRC0_ALPHA..=c::GL_SRC2_ALPHA | c::GL_SOURCE3_ALPHA_NV if name != c::GL_SOURCE3_ALPHA_NV || four => {
            check(is_source(facts, value))?;
            unit.source_alpha[(name - c::GL_SRC0_ALPHA) as usize] = value;
        }
        c::GL_OPERAND0_RGB..=c::GL_OPERAND2_RGB | c::GL_OPERAND3_RGB_NV if name != c::GL_OPERAND3_RGB_NV || four => {
            let colour = matches!(value, c::GL_SRC_COLOR | c::GL_ONE_MINUS_SRC_COLOR);
            check(colour || matches!(value, c::GL_SRC_ALPHA | c::GL_ONE_MINUS_SRC_ALPHA))?;
            unit.operand_rgb[(name - c::GL_OPERAND0_RGB) as usize] = value;
        }
        c::GL_OPERAND0_ALPHA..=c::GL_OPERAND2_ALPHA | c::GL_OPERAND3_ALPHA_NV
            if name != c::GL_OPERAND3_ALPHA_NV || four =>
        {
            check(matches!(value, c::GL_SRC_ALPHA | c::GL_ONE_MINUS_SRC_ALPHA))?;
            unit.operand_alpha[(name - c::GL_OPERAND0_ALPHA) as usize] = value;
        }
        c::GL_RGB_SCALE | c::GL_ALPHA_SCALE => {
            let shift = match number {
                1.0 => 0,
                2.0 => 1,
                4.0 => 2,
                _ => return Err(Fault::invalid_value("the scale must be 1, 2 or 4")),
            };
            unit.scale_shift[usize::from(name == c::GL_ALPHA_SCALE)] = shift;
        }
        _ => return Err(NO_PARAMETER),
    }
    Ok(())
}

fn check(known: bool) -> Done {
    if known { Ok(()) } else { Err(NO_VALUE) }
}

fn is_combination(facts: &Facts, value: u32, colour: bool) -> bool {
    match value {
        c::GL_REPLACE | c::GL_MODULATE | c::GL_ADD | c::GL_ADD_SIGNED | c::GL_INTERPOLATE | c::GL_SUBTRACT => true,
        c::GL_DOT3_RGB | c::GL_DOT3_RGBA => colour,
        c::GL_DOT3_RGB_EXT | c::GL_DOT3_RGBA_EXT => colour && facts.has("GL_EXT_texture_env_dot3"),
        c::GL_MODULATE_ADD_ATI | c::GL_MODULATE_SIGNED_ADD_ATI | c::GL_MODULATE_SUBTRACT_ATI => {
            facts.has("GL_ATI_texture_env_combine3")
        }
        _ => false,
    }
}

fn is_source(facts: &Facts, value: u32) -> bool {
    match value {
        c::GL_TEXTURE | c::GL_CONSTANT | c::GL_PRIMARY_COLOR | c::GL_PREVIOUS => true,
        c::GL_ZERO => facts.has("GL_ATI_texture_env_combine3") || facts.has("GL_NV_texture_env_combine4"),
        c::GL_ONE => facts.has("GL_ATI_texture_env_combine3"),
        unit => unit.wrapping_sub(c::GL_TEXTURE0) < most(facts, c::GL_MAX_TEXTURE_UNITS, 2),
    }
}

fn ask(view: &View<'_>, args: &[u64], at: usize) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let (target, name) = (arg(at), arg(at + 1));
    let sprite = target == c::GL_POINT_SPRITE && name == c::GL_COORD_REPLACE;
    let active = view.context.vars.name(var::ACTIVE_TEXTURE);
    let place = unit(facts, active, arg(0), at, sprite)?;
    let fixed = &view.context.fixed;
    let one = |value: u32| Ok(Answer::one(NumberType::Enum, f64::from(value)));
    match target {
        c::GL_TEXTURE_ENV => {
            let Some(unit) = fixed.units.get(place).filter(|_| place < coordinate_units(facts) as usize) else {
                return Ok(Answer::numbers(NumberType::Integer, &[]));
            };
            let four = facts.has("GL_NV_texture_env_combine4");
            match name {
                c::GL_TEXTURE_ENV_COLOR => {
                    let clamp = clamps_colours(view);
                    let colour = unit.colour.map(|part| if clamp { part.clamp(0.0, 1.0) } else { part });
                    Ok(Answer::numbers(NumberType::Normalized, &wide(colour)))
                }
                c::GL_TEXTURE_ENV_MODE => one(unit.mode),
                c::GL_COMBINE_RGB => one(unit.combine_rgb),
                c::GL_COMBINE_ALPHA => one(unit.combine_alpha),
                c::GL_SRC0_RGB..=c::GL_SRC2_RGB => one(unit.source_rgb[(name - c::GL_SRC0_RGB) as usize]),
                c::GL_SRC0_ALPHA..=c::GL_SRC2_ALPHA => one(unit.source_alpha[(name - c::GL_SRC0_ALPHA) as usize]),
                c::GL_OPERAND0_RGB..=c::GL_OPERAND2_RGB => one(unit.operand_rgb[(name - c::GL_OPERAND0_RGB) as usize]),
                c::GL_OPERAND0_ALPHA..=c::GL_OPERAND2_ALPHA => {
                    one(unit.operand_alpha[(name - c::GL_OPERAND0_ALPHA) as usize])
                }
                c::GL_SOURCE3_RGB_NV if four => one(unit.source_rgb[3]),
                c::GL_SOURCE3_ALPHA_NV if four => one(unit.source_alpha[3]),
                c::GL_OPERAND3_RGB_NV if four => one(unit.operand_rgb[3]),
                c::GL_OPERAND3_ALPHA_NV if four => one(unit.operand_alpha[3]),
                c::GL_RGB_SCALE => one(1 << unit.scale_shift[0]),
                c::GL_ALPHA_SCALE => one(1 << unit.scale_shift[1]),
                _ => Err(NO_PARAMETER),
            }
        }
        c::GL_TEXTURE_FILTER_CONTROL if name == c::GL_TEXTURE_LOD_BIAS => {
            let bias = fixed.lod_bias.get(place).copied().unwrap_or(0.0);
            Ok(Answer::one(NumberType::Float, bias.into()))
        }
        c::GL_TEXTURE_FILTER_CONTROL => Err(NO_PARAMETER),
        c::GL_POINT_SPRITE if sprite => {
            let replaced = fixed.units.get(place).is_some_and(|unit| unit.coord_replace);
            Ok(Answer::one(NumberType::Integer, f64::from(u8::from(replaced))))
        }
        c::GL_POINT_SPRITE => Err(NO_PARAMETER),
        _ => Err(NO_TARGET),
    }
}
