//! Plain state: what is set by one command and looked at by one query.

use api::{constant as c, id};

use super::Table;
use crate::fault::Fault;
use crate::step::{Done, Step, one_of};
use crate::variable::{self as var, Kind, Var};

const COMPARISONS: &[u32] =
    &[c::GL_NEVER, c::GL_LESS, c::GL_EQUAL, c::GL_LEQUAL, c::GL_GREATER, c::GL_NOTEQUAL, c::GL_GEQUAL, c::GL_ALWAYS];

pub fn register(table: &mut Table) {
    table.on(&[id::glEnable], |step| set_all_enabled(step, true));
    table.on(&[id::glDisable], |step| set_all_enabled(step, false));
    table.on(&[id::glDepthFunc], |step| {
        let func = one_of(step.name(0), COMPARISONS, "there is no such comparison")?;
        step.context.vars.set(var::DEPTH_FUNC, f64::from(func));
        Ok(())
    });
    table.on(&[id::glDepthMask], |step| {
        let flag = f64::from(u8::from(step.truth(0)));
        step.context.vars.set(var::DEPTH_WRITEMASK, flag);
        Ok(())
    });
    table.on(&[id::glClearColor], |step| {
        let colour = [0, 1, 2, 3].map(|at| f64::from(step.float(at)));
        step.context.vars.set_value(var::COLOR_CLEAR_VALUE, 0, &colour);
        Ok(())
    });
    table.on(&[id::glViewport], viewport);
}

/// The variable of a capability, where there is one in this context.
fn capability(step: &Step<'_>, name: u32) -> Result<Var, Fault> {
    Var::named(name)
        .filter(|found| found.about().kind == Kind::Boolean && found.about().when.holds(step.facts()))
        .ok_or(Fault::invalid_enum("there is nothing of that name to enable"))
}

fn set_all_enabled(step: &mut Step<'_>, enabled: bool) -> Done {
    // Arrays of fixed functions can be enabled like anything else (GL 4.6 compatibility, 10.3.3).
    if super::vertex_array::enable(step, step.name(0), enabled) {
        return Ok(());
    }
    let capability = capability(step, step.name(0))?;
    step.context.vars.set_all(capability, &[f64::from(u8::from(enabled))]);
    Ok(())
}

fn viewport(step: &mut Step<'_>) -> Done {
    let rectangle = [0, 1, 2, 3].map(|at| f64::from(step.int(at)));
    if rectangle[2] < 0.0 || rectangle[3] < 0.0 {
        return Err(Fault::invalid_value("a viewport has no negative width or height"));
    }
    let limits = &step.facts().limits;
    let (wide, high) = limits.pair(c::GL_MAX_VIEWPORT_DIMS, f64::from(i32::MAX));
    let rectangle = [rectangle[0], rectangle[1], rectangle[2].min(wide), rectangle[3].min(high)];
    step.context.vars.set_all(var::VIEWPORT, &rectangle);
    Ok(())
}
