//! What is needed of what was drawn on surfaces before.

use std::collections::BTreeMap;
use std::ops::Range;

use api::{Role, constant as c};
use state::{Model, variable as var};
use trace::Reader;

use super::Wanted;
use super::rule::Rule;
use super::walk::Walk;
use crate::ChronicleError;
use crate::call::{each_call, with_call};

/// The planes of a surface that have been looked at, or written over, since the frames began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Planes {
    /// Bits of `glClear`.
    settled: u32,
    needed: u32,
}

const ALL: [(u32, u32); 3] = [
    (c::GL_COLOR_BUFFER_BIT, c::GL_COLOR),
    (c::GL_DEPTH_BUFFER_BIT, c::GL_DEPTH),
    (c::GL_STENCIL_BUFFER_BIT, c::GL_STENCIL),
];

const EVERYTHING: u32 = c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT;

/// Which planes of surfaces the frames need: those that are not cleared before anything else is done with them.
///
/// # Errors
/// When the trace cannot be read.
pub fn needed(
    reader: &Reader,
    kept: &Range<u64>,
    walk: &Walk,
    mut model: Model,
) -> Result<Vec<Wanted>, ChronicleError> {
    // What is made by these frames themselves has nothing from before.
    let old: Vec<u32> = model.surfaces.keys().copied().collect();
    let mut planes: BTreeMap<u32, (u32, Planes)> = BTreeMap::new();
    let mut bound: BTreeMap<u32, (u32, u32)> =
        walk.contexts.iter().map(|(context, bound)| (*context, (bound.names.draw, bound.names.read))).collect();
    let mut calls = reader.calls();
    calls.seek(kept.start);
    each_call(&mut calls, kept.end, |call| {
        let Some(id) = call.command else { return };
        let command = api::command(id);
        let seat = model.seat(call.thread);
        let targets = bound.entry(seat.context).or_default();
        if Rule::of(command) == Rule::BindFramebuffer {
            let (target, name) = (call.args[0] as u32, call.args[1] as u32);
            targets.0 = if target == c::GL_READ_FRAMEBUFFER { targets.0 } else { name };
            targets.1 = if target == c::GL_DRAW_FRAMEBUFFER { targets.1 } else { name };
        }
        if !walk.contexts.contains_key(&seat.context) {
            with_call(reader, call, |call| model.apply(call, None));
            return;
        }
        let mut touch = |surface: u32, looks: u32, cleared: u32| {
            let (_, state) = planes.entry(surface).or_insert((seat.context, Planes::default()));
            state.needed |= looks & !state.settled;
            state.settled |= looks | cleared;
        };
        if targets.0 == 0 && seat.draw != 0 {
            match command.role {
                Role::Clear if command.name == "glClear" => {
                    let mask = call.args[0] as u32 & EVERYTHING;
                    let whole = whole_clear(&model, seat.context, mask);
                    touch(seat.draw, mask & !whole, whole);
                }
                Role::Draw => touch(seat.draw, drawn(&model, seat.context), 0),
                Role::Clear => touch(seat.draw, EVERYTHING, 0),
                Role::Transfer if command.name.starts_with("glBlit") || command.name == "glAccum" => {
                    touch(seat.draw, EVERYTHING, 0);
                }
                Role::Present => touch(seat.draw, c::GL_COLOR_BUFFER_BIT, 0),
                _ => {}
            }
        }
        if targets.1 == 0 && seat.read != 0 {
            let reads = ["glReadPixels", "glReadnPixels", "glCopy", "glBlit"];
            if reads.iter().any(|prefix| command.name.starts_with(prefix)) {
                touch(seat.read, EVERYTHING, 0);
            }
        }
        with_call(reader, call, |call| model.apply(call, None));
    })?;
    let mut wanted = Vec::new();
    for (surface, (context, state)) in planes.into_iter().filter(|(surface, _)| old.contains(surface)) {
        let Some(about) = model.surfaces.get(&surface) else { continue };
        let bits = [about.colour.iter().sum(), about.depth, about.stencil];
        for ((bit, plane), bits) in ALL.into_iter().zip(bits) {
            if state.needed & bit != 0 && bits > 0 {
                wanted.push(Wanted::Surface { context, surface, plane });
            }
        }
    }
    Ok(wanted)
}

/// Which planes a draw may look at, or change in places.
fn drawn(model: &Model, context: u32) -> u32 {
    let Some(context) = model.context(context) else { return EVERYTHING };
    let mut planes = c::GL_COLOR_BUFFER_BIT;
    // Without its test neither of them is written (GL 4.6, 17.3.3 and 17.3.4).
    for (test, plane) in [(var::DEPTH_TEST, c::GL_DEPTH_BUFFER_BIT), (var::STENCIL_TEST, c::GL_STENCIL_BUFFER_BIT)] {
        planes |= if context.vars.get(test) != 0.0 { plane } else { 0 };
    }
    planes
}

/// Which planes a clear writes all of.
fn whole_clear(model: &Model, context: u32, mask: u32) -> u32 {
    let Some(context) = model.context(context) else { return 0 };
    let vars = &context.vars;
    if vars.get(var::SCISSOR_TEST) != 0.0 {
        return 0;
    }
    let colour = vars.value(var::COLOR_WRITEMASK, 0).iter().all(|bit| *bit != 0.0);
    let depth = vars.get(var::DEPTH_WRITEMASK) != 0.0;
    let stencil = vars.name(var::STENCIL_WRITEMASK) & 0xFF == 0xFF;
    let mut whole = 0;
    for ((bit, _), writes) in ALL.into_iter().zip([colour, depth, stencil]) {
        whole |= if writes { mask & bit } else { 0 };
    }
    whole
}
