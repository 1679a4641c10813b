//! Plain state: set by one command and returned by one query.

mod blend;
mod debug;
mod depth_stencil;
mod enable;
mod hint;
mod pixel;
mod raster;
mod sample;

use api::constant as c;

use super::Table;
use crate::answer::View;
use crate::context::Facts;
use crate::fault::Fault;
use crate::step::Step;
use crate::variable::{self as var, Var};

pub use enable::{capability, capability_indices, is_capability};

pub fn register(table: &mut Table) {
    enable::register(table);
    blend::register(table);
    depth_stencil::register(table);
    raster::register(table);
    sample::register(table);
    hint::register(table);
    pixel::register(table);
    debug::register(table);
}

/// Returns an implementation limit for an index.
pub fn most(facts: &Facts, name: u32, otherwise: u32) -> u32 {
    u32::try_from(facts.limits.integer(name, i64::from(otherwise))).unwrap_or(otherwise)
}

/// The comparison functions of depth, stencil and alpha tests.
pub const COMPARISONS: &[u32] =
    &[c::GL_NEVER, c::GL_LESS, c::GL_EQUAL, c::GL_LEQUAL, c::GL_GREATER, c::GL_NOTEQUAL, c::GL_GEQUAL, c::GL_ALWAYS];

/// Sets an enum variable to an argument, which must be one of a list.
fn set_enum(step: &mut Step<'_>, arg: usize, list: &[u32], var: Var, why: &'static str) -> Result<(), Fault> {
    let value = crate::step::one_of(step.name(arg), list, why)?;
    step.context.vars.set(var, f64::from(value));
    Ok(())
}

/// Returns whether queried colours are clamped: fragment colours are, and the framebuffer has no floats.
pub fn clamps_colours(view: &View<'_>) -> bool {
    match view.context.vars.name(var::CLAMP_FRAGMENT_COLOR) {
        c::GL_TRUE => true,
        c::GL_FIXED_ONLY => !super::framebuffer::stencil_and_floats(view).1,
        _ => false,
    }
}
