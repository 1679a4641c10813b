//! Lights and the light model.

use api::{constant as c, id};

use super::{Number, argument, first, input, input_integers, normalized, wide};
use crate::answer::{Answer, View};
use crate::context::Client;
use crate::fault::Fault;
use crate::fixed::Light;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_LIGHT: Fault = Fault::invalid_enum("invalid light");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid light parameter");

pub fn register(table: &mut Table) {
    table.on(&[id::glLightf], |step| light(step, &[step.float(2), 0.0, 0.0, 0.0]));
    table.on(&[id::glLightfv], |step| {
        let numbers = input(step, 2, Number::Float);
        light(step, &numbers)
    });
    table.on(&[id::glLighti], |step| {
        let numbers = integers(step.name(1), &[step.int(2), 0, 0, 0]);
        light(step, &numbers)
    });
    table.on(&[id::glLightiv], |step| {
        let numbers = integers(step.name(1), &input_integers(step, 2));
        light(step, &numbers)
    });
    table.on(&[id::glLightx, id::glLightxOES], |step| light(step, &[step.fixed(2), 0.0, 0.0, 0.0]));
    table.on(&[id::glLightxv, id::glLightxvOES], |step| {
        let numbers = input(step, 2, Number::Fixed);
        light(step, &numbers)
    });
    table.on(&[id::glLightModelf], |step| model(step, &[step.float(1), 0.0, 0.0, 0.0]));
    table.on(&[id::glLightModelfv], |step| {
        let numbers = input(step, 1, Number::Float);
        model(step, &numbers)
    });
    table.on(&[id::glLightModeli], |step| {
        let numbers = model_integers(step.name(0), &[step.int(1), 0, 0, 0]);
        model(step, &numbers)
    });
    table.on(&[id::glLightModeliv], |step| {
        let numbers = model_integers(step.name(0), &input_integers(step, 1));
        model(step, &numbers)
    });
    table.on(&[id::glLightModelx, id::glLightModelxOES], |step| {
        // The only scalar parameter in ES 1 is a boolean, so it is not in fixed point.
        model(step, &[argument(step, 1, Number::Integer), 0.0, 0.0, 0.0])
    });
    table.on(&[id::glLightModelxv, id::glLightModelxvOES], |step| {
        let numbers = input(step, 1, Number::Fixed);
        model(step, &numbers)
    });
    table.ask(&[id::glGetLightfv], |view, args| ask(view, args, false));
    table.ask(&[id::glGetLightiv], |view, args| ask(view, args, true));
    table.ask(&[id::glGetLightxv, id::glGetLightxvOES], |view, args| {
        Ok(crate::handlers::get::in_fixed_point(ask(view, args, false)?))
    });
}

fn integers(name: u32, numbers: &[i32]) -> Vec<f32> {
    let colour = matches!(name, c::GL_AMBIENT | c::GL_DIFFUSE | c::GL_SPECULAR);
    numbers.iter().map(|number| if colour { normalized(*number) } else { *number as f32 }).collect()
}

fn light(step: &mut Step<'_>, numbers: &[f32]) -> Done {
    let which = step.name(0).wrapping_sub(c::GL_LIGHT0);
    if which >= most(step.facts(), c::GL_MAX_LIGHTS, 8).min(8) {
        return Err(NO_LIGHT);
    }
    let name = step.name(1);
    let number = numbers.first().copied().unwrap_or(0.0);
    let bad = match name {
        c::GL_AMBIENT | c::GL_DIFFUSE | c::GL_SPECULAR | c::GL_POSITION | c::GL_SPOT_DIRECTION => false,
        c::GL_SPOT_EXPONENT => !(0.0..=128.0).contains(&number),
        c::GL_SPOT_CUTOFF => !(0.0..=90.0).contains(&number) && number != 180.0,
        c::GL_CONSTANT_ATTENUATION | c::GL_LINEAR_ATTENUATION | c::GL_QUADRATIC_ATTENUATION => number < 0.0,
        _ => return Err(NO_PARAMETER),
    };
    if bad {
        return Err(Fault::invalid_value("invalid value of a light parameter"));
    }
    let eye = *step.context.fixed.matrices.modelview.top();
    let light = &mut step.context.fixed_mut().lights[which as usize];
    match name {
        c::GL_AMBIENT | c::GL_DIFFUSE | c::GL_SPECULAR => {
            light.colours[(name - c::GL_AMBIENT) as usize] = first(numbers)
        }
        c::GL_POSITION => light.position = eye.point(first(numbers)),
        c::GL_SPOT_DIRECTION => light.direction = eye.direction(first(numbers)),
        c::GL_SPOT_EXPONENT => light.exponent = number,
        c::GL_SPOT_CUTOFF => light.cutoff = number,
        _ => light.attenuation[(name - c::GL_CONSTANT_ATTENUATION) as usize] = number,
    }
    Ok(())
}

fn model_integers(name: u32, numbers: &[i32]) -> Vec<f32> {
    let colour = name == c::GL_LIGHT_MODEL_AMBIENT;
    numbers.iter().map(|number| if colour { normalized(*number) } else { *number as f32 }).collect()
}

fn model(step: &mut Step<'_>, numbers: &[f32]) -> Done {
    const NO_MODEL: Fault = Fault::invalid_enum("invalid light model parameter");
    let number = numbers.first().copied().unwrap_or(0.0);
    let compatibility = step.facts().client == Client::Compatibility;
    let flag = f64::from(u8::from(number != 0.0));
    let vars = &mut step.context.vars;
    match step.call.args.first().copied().unwrap_or(0) as u32 {
        c::GL_LIGHT_MODEL_AMBIENT => vars.set_value(var::LIGHT_MODEL_AMBIENT, 0, &wide(first::<4>(numbers))),
        c::GL_LIGHT_MODEL_TWO_SIDE => vars.set(var::LIGHT_MODEL_TWO_SIDE, flag),
        c::GL_LIGHT_MODEL_LOCAL_VIEWER if compatibility => vars.set(var::LIGHT_MODEL_LOCAL_VIEWER, flag),
        c::GL_LIGHT_MODEL_COLOR_CONTROL if compatibility => {
            let control = number as u32;
            if control != c::GL_SINGLE_COLOR && control != c::GL_SEPARATE_SPECULAR_COLOR {
                return Err(Fault::invalid_enum("invalid colour control"));
            }
            vars.set(var::LIGHT_MODEL_COLOR_CONTROL, f64::from(control));
        }
        _ => return Err(NO_MODEL),
    }
    Ok(())
}

fn ask(view: &View<'_>, args: &[u64], integers: bool) -> Result<Answer, Fault> {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let which = arg(0).wrapping_sub(c::GL_LIGHT0);
    if which >= most(&view.context.facts, c::GL_MAX_LIGHTS, 8).min(8) {
        return Err(NO_LIGHT);
    }
    let light: &Light = &view.context.fixed.lights[which as usize];
    let numbers: Vec<f64> = match arg(1) {
        name @ (c::GL_AMBIENT | c::GL_DIFFUSE | c::GL_SPECULAR) => {
            let colour = light.colours[(name - c::GL_AMBIENT) as usize];
            return Ok(Answer::numbers(NumberType::Normalized, &wide(colour)));
        }
        c::GL_POSITION => wide(light.position).to_vec(),
        c::GL_SPOT_DIRECTION => wide(light.direction).to_vec(),
        c::GL_SPOT_EXPONENT => vec![light.exponent.into()],
        c::GL_SPOT_CUTOFF => vec![light.cutoff.into()],
        name @ (c::GL_CONSTANT_ATTENUATION | c::GL_LINEAR_ATTENUATION | c::GL_QUADRATIC_ATTENUATION) => {
            vec![light.attenuation[(name - c::GL_CONSTANT_ATTENUATION) as usize].into()]
        }
        _ => return Err(NO_PARAMETER),
    };
    Ok(super::plain_numbers(&numbers, integers))
}
