//! Hints, colour clamping, and similar parameters.

use api::when::{FIXED, When, both, desktop, when};
use api::{constant as c, id};

use crate::context::Client;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step, one_of};
use crate::variable::{self as var, Var};

const HINTS: &[(u32, Var, When)] = &[
    (c::GL_FOG_HINT, var::FOG_HINT, FIXED),
    (c::GL_LINE_SMOOTH_HINT, var::LINE_SMOOTH_HINT, when(10, 10, true, 255)),
    (c::GL_PERSPECTIVE_CORRECTION_HINT, var::PERSPECTIVE_CORRECTION_HINT, FIXED),
    (c::GL_POINT_SMOOTH_HINT, var::POINT_SMOOTH_HINT, FIXED),
    (c::GL_POLYGON_SMOOTH_HINT, var::POLYGON_SMOOTH_HINT, desktop(10)),
    (c::GL_TEXTURE_COMPRESSION_HINT, var::TEXTURE_COMPRESSION_HINT, desktop(13)),
    (c::GL_GENERATE_MIPMAP_HINT, var::GENERATE_MIPMAP_HINT, when(255, 14, true, 20)),
    (
        c::GL_FRAGMENT_SHADER_DERIVATIVE_HINT,
        var::FRAGMENT_SHADER_DERIVATIVE_HINT,
        both(20, 30).or(&["GL_OES_standard_derivatives", "GL_ARB_fragment_shader"]),
    ),
];

pub fn register(table: &mut Table) {
    table.on(&[id::glHint], |step| {
        one_of(step.name(1), &[c::GL_NICEST, c::GL_FASTEST, c::GL_DONT_CARE], "invalid hint value")?;
        let (target, mode) = (step.name(0), step.name(1));
        let hint = HINTS.iter().find(|(name, ..)| *name == target).filter(|(.., when)| step.facts().meets(when));
        let (_, var, _) = hint.ok_or(Fault::invalid_enum("invalid hint target"))?;
        step.context.vars.set(*var, f64::from(mode));
        Ok(())
    });
    table.on(&[id::glClampColor, id::glClampColorARB], clamp_colour);
    table.on(&[id::glMaxShaderCompilerThreadsKHR, id::glMaxShaderCompilerThreadsARB], |step| {
        let count = f64::from(step.int(0));
        step.context.vars.set(var::MAX_SHADER_COMPILER_THREADS_KHR, count);
        Ok(())
    });
    table.on(&[id::glActiveTexture, id::glActiveTextureARB], |step| {
        let facts = step.facts();
        // ES 1 has no query for their number; Mesa has as many as elsewhere.
        let units = super::most(facts, c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192);
        let coordinates =
            super::most(facts, c::GL_MAX_TEXTURE_COORDS, 0).max(super::most(facts, c::GL_MAX_TEXTURE_UNITS, 0));
        set_unit(step, var::ACTIVE_TEXTURE, units.max(coordinates))
    });
    table.on(&[id::glClientActiveTexture, id::glClientActiveTextureARB], |step| {
        let units = super::most(step.facts(), c::GL_MAX_TEXTURE_COORDS, 8);
        set_unit(step, var::CLIENT_ACTIVE_TEXTURE, units)
    });
}

fn set_unit(step: &mut Step<'_>, var: Var, units: u32) -> Done {
    let unit = step.name(0);
    if unit.wrapping_sub(c::GL_TEXTURE0) >= units {
        return Err(Fault::invalid_enum("the texture unit is too large"));
    }
    step.context.vars.set(var, f64::from(unit));
    Ok(())
}

fn clamp_colour(step: &mut Step<'_>) -> Done {
    one_of(step.name(1), &[c::GL_TRUE, c::GL_FALSE, c::GL_FIXED_ONLY], "invalid colour clamp mode")?;
    let var = match step.name(0) {
        c::GL_CLAMP_READ_COLOR => var::CLAMP_READ_COLOR,
        c::GL_CLAMP_VERTEX_COLOR if step.facts().client != Client::Core => var::CLAMP_VERTEX_COLOR,
        c::GL_CLAMP_FRAGMENT_COLOR if step.facts().client != Client::Core => var::CLAMP_FRAGMENT_COLOR,
        _ => return Err(Fault::invalid_enum("invalid colour clamp target")),
    };
    let clamp = f64::from(step.name(1));
    step.context.vars.set(var, clamp);
    Ok(())
}
