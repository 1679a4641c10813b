//! Materials and colour material tracking.

use api::{constant as c, id};

use super::{Number, first, input, input_integers, normalized, wide};
use crate::answer::{Answer, View};
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step, one_of};
use crate::variable::{self as var, NumberType};

const FACES: &[u32] = &[c::GL_FRONT, c::GL_BACK, c::GL_FRONT_AND_BACK];
const NO_FACE: &str = "invalid face";
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid material parameter");

pub fn register(table: &mut Table) {
    table.on(&[id::glMaterialf], |step| scalar(step, step.float(2)));
    table.on(&[id::glMateriali], |step| {
        let number = step.int(2) as f32;
        scalar(step, number)
    });
    table.on(&[id::glMaterialx, id::glMaterialxOES], |step| scalar(step, step.fixed(2)));
    table.on(&[id::glMaterialfv], |step| {
        let numbers = input(step, 2, Number::Float);
        material(step, &numbers)
    });
    table.on(&[id::glMaterialiv], |step| {
        let plain = matches!(step.name(1), c::GL_SHININESS | c::GL_COLOR_INDEXES);
        let numbers: Vec<f32> = input_integers(step, 2)
            .into_iter()
            .map(|number| if plain { number as f32 } else { normalized(number) })
            .collect();
        material(step, &numbers)
    });
    table.on(&[id::glMaterialxv, id::glMaterialxvOES], |step| {
        let numbers = input(step, 2, Number::Fixed);
        material(step, &numbers)
    });
    table.on(&[id::glColorMaterial], |step| {
        let face = one_of(step.name(0), FACES, NO_FACE)?;
        let mode = step.name(1);
        if !matches!(mode, c::GL_EMISSION | c::GL_AMBIENT | c::GL_DIFFUSE | c::GL_SPECULAR | c::GL_AMBIENT_AND_DIFFUSE)
        {
            return Err(Fault::invalid_enum("this material parameter is not a colour"));
        }
        step.context.vars.set(var::COLOR_MATERIAL_FACE, f64::from(face));
        step.context.vars.set(var::COLOR_MATERIAL_PARAMETER, f64::from(mode));
        if step.context.vars.get(var::COLOR_MATERIAL) != 0.0 {
            track(step.context);
        }
        Ok(())
    });
    table.ask(&[id::glGetMaterialfv], |view, args| ask(view, args, false));
    table.ask(&[id::glGetMaterialiv], |view, args| ask(view, args, true));
    table.ask(&[id::glGetMaterialxv, id::glGetMaterialxvOES], |view, args| {
        Ok(crate::handlers::get::in_fixed_point(ask(view, args, false)?))
    });
}

/// Returns the colours that a name means: ambient, diffuse, specular, emission.
fn colours(name: u32) -> &'static [usize] {
    match name {
        c::GL_AMBIENT => &[0],
        c::GL_DIFFUSE => &[1],
        c::GL_SPECULAR => &[2],
        c::GL_EMISSION => &[3],
        c::GL_AMBIENT_AND_DIFFUSE => &[0, 1],
        _ => &[],
    }
}

fn sides(face: u32) -> &'static [usize] {
    match face {
        c::GL_FRONT => &[0],
        c::GL_BACK => &[1],
        _ => &[0, 1],
    }
}

/// Sets materials to the current colour, as selected by `glColorMaterial`.
pub fn track(context: &mut Context) {
    let face = context.vars.name(var::COLOR_MATERIAL_FACE);
    let mode = context.vars.name(var::COLOR_MATERIAL_PARAMETER);
    let colour = context.current.colour;
    let fixed = context.fixed_mut();
    for side in sides(face) {
        for which in colours(mode) {
            fixed.materials[*side].colours[*which] = colour;
        }
    }
}

/// Sets a scalar parameter.
fn scalar(step: &mut Step<'_>, number: f32) -> Done {
    // Mesa accepts other parameters, with zeros for the rest.
    material(step, &[number, 0.0, 0.0, 0.0])
}

fn material(step: &mut Step<'_>, numbers: &[f32]) -> Done {
    let face = one_of(step.name(0), FACES, NO_FACE)?;
    if step.facts().client == Client::Es1 && face != c::GL_FRONT_AND_BACK {
        return Err(Fault::invalid_enum(NO_FACE));
    }
    let name = step.name(1);
    let compatibility = step.facts().client == Client::Compatibility;
    match name {
        c::GL_SHININESS => {
            let most = most(step.facts(), c::GL_MAX_SHININESS_NV, 128) as f32;
            if !(0.0..=most).contains(&numbers.first().copied().unwrap_or(0.0)) {
                return Err(Fault::invalid_value("invalid shininess"));
            }
        }
        c::GL_COLOR_INDEXES if compatibility => {}
        _ if colours(name).is_empty() => return Err(NO_PARAMETER),
        _ => {}
    }
    let tracked = step.context.vars.get(var::COLOR_MATERIAL) != 0.0;
    let tracked_face = sides(step.context.vars.name(var::COLOR_MATERIAL_FACE));
    let tracked_colours = colours(step.context.vars.name(var::COLOR_MATERIAL_PARAMETER));
    let fixed = step.context.fixed_mut();
    for side in sides(face) {
        let material = &mut fixed.materials[*side];
        match name {
            c::GL_SHININESS => material.shininess = numbers[0],
            c::GL_COLOR_INDEXES => material.indexes = first(numbers),
            _ => {
                for which in colours(name) {
                    // Colours that track the current colour cannot be set (GL 4.6 compatibility, 12.2.3).
                    if !(tracked && tracked_face.contains(side) && tracked_colours.contains(which)) {
                        material.colours[*which] = first(numbers);
                    }
                }
            }
        }
    }
    Ok(())
}

fn ask(view: &View<'_>, args: &[u64], integers: bool) -> Result<Answer, Fault> {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let side = match arg(0) {
        c::GL_FRONT => 0,
        c::GL_BACK => 1,
        _ => return Err(Fault::invalid_enum(NO_FACE)),
    };
    let material = &view.context.fixed.materials[side];
    match (arg(1), colours(arg(1))) {
        (_, [which]) => Ok(Answer::numbers(NumberType::Normalized, &wide(material.colours[*which]))),
        (c::GL_SHININESS, _) => Ok(rounded(&[material.shininess.into()], integers)),
        (c::GL_COLOR_INDEXES, _) if view.context.facts.client == Client::Compatibility => {
            Ok(rounded(&wide(material.indexes), integers))
        }
        _ => Err(NO_PARAMETER),
    }
}

fn rounded(numbers: &[f64], integers: bool) -> Answer {
    let numbers: Vec<f64> =
        numbers.iter().map(|number| if integers { f64::from(number.round() as i64 as i32) } else { *number }).collect();
    Answer::numbers(if integers { NumberType::Integer } else { NumberType::Float }, &numbers)
}
