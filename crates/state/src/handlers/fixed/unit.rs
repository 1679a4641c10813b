//! Capabilities of texture units.

use api::constant as c;

use super::coordinate_units;
use crate::answer::{Answer, View};
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::fixed::TARGETS;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable as var;

const NO_UNIT: Fault = Fault::invalid_value("the texture unit is too large");
const NOT_FIXED: Fault = Fault::invalid_operation("the texture unit has no fixed-function state");

/// A capability of a texture unit.
#[derive(Clone, Copy)]
enum Capability {
    /// A target, by its bit.
    Target(u8),
    /// Coordinate generators, by their bits.
    Generators(u8),
}

pub fn register(table: &mut Table) {
    table.enabler(enable);
    table.plain_getter(|view, name| {
        let what = capability(&view.context.facts, name, true)?;
        let unit = view.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
        Some(match what {
            Capability::Generators(_) if unit >= coordinate_units(&view.context.facts) => Err(NO_UNIT),
            _ => Ok(answer(view.context, what, unit)),
        })
    });
    table.indexed_getter(|view, name, index| {
        let facts = &view.context.facts;
        if is_generator(name) && index >= coordinate_units(facts) && index < all_units(facts) {
            return Some(Err(NOT_FIXED));
        }
        let what = capability(facts, name, false).filter(|_| facts.desktop(1, 0))?;
        Some(if index < all_units(facts) { Ok(answer(view.context, what, index)) } else { Err(NO_UNIT) })
    });
}

/// Answers `glIsEnabled` for a capability of the active unit; `None` when it is not one.
pub fn enabled(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    let facts = &view.context.facts;
    let unit = view.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if (is_generator(name) || name == c::GL_TEXTURE_GEN_STR_OES) && unit >= coordinate_units(facts) {
        return Some(Err(NOT_FIXED));
    }
    let external = name == c::GL_TEXTURE_EXTERNAL_OES && facts.client == Client::Es2;
    Some(Ok(answer(view.context, capability(facts, name, external)?, unit)))
}

fn is_generator(name: u32) -> bool {
    (c::GL_TEXTURE_GEN_S..=c::GL_TEXTURE_GEN_Q).contains(&name)
}

fn all_units(facts: &Facts) -> u32 {
    most(facts, c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192).max(coordinate_units(facts))
}

/// Returns the capability of a name; `asked` for queries, for which Mesa supports more.
fn capability(facts: &Facts, name: u32, asked: bool) -> Option<Capability> {
    let compatibility = facts.client == Client::Compatibility;
    let es1 = facts.client == Client::Es1;
    if let Some(bit) = TARGETS.iter().position(|target| *target == name) {
        let known = match name {
            c::GL_TEXTURE_2D | c::GL_TEXTURE_CUBE_MAP => compatibility || es1,
            c::GL_TEXTURE_EXTERNAL_OES => es1 || asked && facts.client == Client::Es2,
            c::GL_TEXTURE_3D => compatibility || es1 && !asked,
            _ => compatibility,
        };
        return known.then_some(Capability::Target(1 << bit));
    }
    match name {
        c::GL_TEXTURE_GEN_S..=c::GL_TEXTURE_GEN_Q if compatibility || asked && facts.client == Client::Core => {
            Some(Capability::Generators(1 << (name - c::GL_TEXTURE_GEN_S)))
        }
        c::GL_TEXTURE_GEN_STR_OES if es1 || asked && facts.client != Client::Es2 => Some(Capability::Generators(7)),
        _ => None,
    }
}

fn answer(context: &Context, what: Capability, unit: u32) -> Answer {
    let set = context.fixed.units.get(unit as usize).is_some_and(|unit| match what {
        Capability::Target(bit) => unit.enabled & bit != 0,
        Capability::Generators(7) => unit.generated & 1 != 0,
        Capability::Generators(bits) => unit.generated & bits != 0,
    });
    Answer::truth(set)
}

fn enable(step: &mut Step<'_>, name: u32, index: Option<u32>, enabled: bool) -> Option<Done> {
    let of_units = is_generator(name) || TARGETS.contains(&name) && name != c::GL_TEXTURE_EXTERNAL_OES;
    if of_units && index.is_some_and(|index| index >= all_units(step.facts())) {
        return Some(Err(NO_UNIT));
    }
    let active = step.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if is_generator(name) && index.unwrap_or(active) >= coordinate_units(step.facts()) {
        return Some(Err(NOT_FIXED));
    }
    let what = capability(step.facts(), name, false)?;
    Some(set(step, what, index.unwrap_or(active), enabled))
}

fn set(step: &mut Step<'_>, what: Capability, unit: u32, enabled: bool) -> Done {
    let fixed = unit < coordinate_units(step.facts());
    match what {
        // Mesa ignores targets of units without fixed-function state.
        Capability::Target(_) if !fixed => Ok(()),
        Capability::Generators(_) if !fixed => Err(NOT_FIXED),
        Capability::Target(bit) => {
            let bits = &mut step.context.fixed_mut().units[unit as usize].enabled;
            *bits = if enabled { *bits | bit } else { *bits & !bit };
            Ok(())
        }
        Capability::Generators(mask) => {
            let bits = &mut step.context.fixed_mut().units[unit as usize].generated;
            *bits = if enabled { *bits | mask } else { *bits & !mask };
            Ok(())
        }
    }
}
