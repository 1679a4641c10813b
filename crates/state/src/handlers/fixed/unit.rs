//! What is enabled for each texture unit.

use api::constant as c;

use super::coordinate_units;
use crate::answer::Answer;
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::fixed::TARGETS;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, Kind};

const NO_UNIT: Fault = Fault::invalid_value("there is no such texture unit");
const NOT_FIXED: Fault = Fault::invalid_operation("fixed functions have no such texture unit");

/// What can be enabled for a unit.
#[derive(Clone, Copy)]
enum What {
    /// A target, by its bit.
    Target(u8),
    /// Generators of coordinates, by their bits.
    Generators(u8),
}

pub fn register(table: &mut Table) {
    table.enabler(enable);
    table.plain_getter(|view, name| {
        let what = what(&view.context.facts, name, true)?;
        let unit = view.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
        Some(Ok(answer(view.context, what, unit)))
    });
    table.indexed_getter(|view, name, index| {
        if !view.context.facts.desktop(1, 0) {
            return None;
        }
        let what = what(&view.context.facts, name, false)?;
        Some(if index < indices(&view.context.facts, what) {
            Ok(answer(view.context, what, index))
        } else {
            Err(NO_UNIT)
        })
    });
}

fn all_units(facts: &Facts) -> u32 {
    most(facts, c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192).max(coordinate_units(facts))
}

/// How many units a query with an index may ask for.
fn indices(facts: &Facts, what: What) -> u32 {
    match what {
        What::Target(_) => all_units(facts),
        What::Generators(_) => coordinate_units(facts),
    }
}

/// What a name means; `asked` is whether it is a question, for which Mesa knows more.
fn what(facts: &Facts, name: u32, asked: bool) -> Option<What> {
    let compatibility = facts.client == Client::Compatibility;
    let es1 = facts.client == Client::Es1;
    if let Some(bit) = TARGETS.iter().position(|target| *target == name) {
        let known = match name {
            c::GL_TEXTURE_2D | c::GL_TEXTURE_CUBE_MAP => compatibility || es1,
            c::GL_TEXTURE_EXTERNAL_OES => es1 || asked && facts.client == Client::Es2,
            c::GL_TEXTURE_3D => compatibility || es1 && asked,
            _ => compatibility,
        };
        return known.then_some(What::Target(1 << bit));
    }
    match name {
        c::GL_TEXTURE_GEN_S..=c::GL_TEXTURE_GEN_Q if compatibility || asked && facts.client == Client::Core => {
            Some(What::Generators(1 << (name - c::GL_TEXTURE_GEN_S)))
        }
        c::GL_TEXTURE_GEN_STR_OES if es1 || asked && facts.client != Client::Es2 => Some(What::Generators(7)),
        _ => None,
    }
}

fn answer(context: &Context, what: What, unit: u32) -> Answer {
    let set = context.fixed.units.get(unit as usize).is_some_and(|unit| match what {
        What::Target(bit) => unit.enabled & bit != 0,
        What::Generators(7) => unit.generated & 1 != 0,
        What::Generators(bits) => unit.generated & bits != 0,
    });
    Answer::one(Kind::Boolean, f64::from(u8::from(set)))
}

fn enable(step: &mut Step<'_>, name: u32, index: Option<u32>, enabled: bool) -> Option<Done> {
    let what = what(step.facts(), name, false)?;
    Some(set(step, what, index, enabled))
}

fn set(step: &mut Step<'_>, what: What, index: Option<u32>, enabled: bool) -> Done {
    let active = step.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if index.is_some_and(|index| index >= all_units(step.facts())) {
        return Err(NO_UNIT);
    }
    let unit = index.unwrap_or(active);
    let fixed = unit < coordinate_units(step.facts());
    match what {
        // Mesa says nothing of targets of units that fixed functions do not have.
        What::Target(_) if !fixed => Ok(()),
        What::Generators(_) if !fixed => Err(NOT_FIXED),
        What::Target(bit) => {
            let bits = &mut step.context.fixed_mut().units[unit as usize].enabled;
            *bits = if enabled { *bits | bit } else { *bits & !bit };
            Ok(())
        }
        What::Generators(mask) => {
            let bits = &mut step.context.fixed_mut().units[unit as usize].generated;
            *bits = if enabled { *bits | mask } else { *bits & !mask };
            Ok(())
        }
    }
}
