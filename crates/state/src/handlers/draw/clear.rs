//! Clears.

use api::{constant as c, id};

use super::super::framebuffer::{Name, Plane, draw_region, framebuffer_things, image_of, is_combined};
use super::super::{Table, query};
use super::check;
use crate::context::Client;
use crate::fault::Fault;
use crate::observer::Source;
use crate::records::{ClearValue, ImageWrite, Job, Region, Texels};
use crate::step::{Done, Step};
use crate::variable as var;

pub fn register(table: &mut Table) {
    table.on(&[id::glClear], all);
    table.on(&[id::glClearBufferfv], |step| one(step, 0, &[c::GL_COLOR, c::GL_DEPTH]));
    table.on(&[id::glClearBufferiv], |step| one(step, 0, &[c::GL_COLOR, c::GL_STENCIL]));
    table.on(&[id::glClearBufferuiv], |step| one(step, 0, &[c::GL_COLOR]));
    table.on(&[id::glClearBufferfi], |step| both(step, 0));
    table.on(&[id::glClearNamedFramebufferfv], |step| named(step, |step| one(step, 1, &[c::GL_COLOR, c::GL_DEPTH])));
    table.on(&[id::glClearNamedFramebufferiv], |step| named(step, |step| one(step, 1, &[c::GL_COLOR, c::GL_STENCIL])));
    table.on(&[id::glClearNamedFramebufferuiv], |step| named(step, |step| one(step, 1, &[c::GL_COLOR])));
    table.on(&[id::glClearNamedFramebufferfi], |step| named(step, |step| both(step, 1)));
}

fn all(step: &mut Step<'_>) -> Done {
    let mask = step.name(0);
    let old = step.facts().client == Client::Compatibility;
    let accumulation = if old { c::GL_ACCUM_BUFFER_BIT } else { 0 };
    if mask & !(c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT | c::GL_STENCIL_BUFFER_BIT | accumulation) != 0 {
        return Err(Fault::invalid_value("the clear mask has invalid bits"));
    }
    check::framebuffer(step)?;
    if mask & c::GL_COLOR_BUFFER_BIT != 0 {
        let colour = [0, 1, 2, 3].map(|at| step.context.vars.value(var::COLOR_CLEAR_VALUE, 0)[at] as f32);
        for index in 0..8 {
            note(step, Plane::Colour(index), false, ClearValue::Floats(colour));
        }
    }
    let (depth, stencil) = (mask & c::GL_DEPTH_BUFFER_BIT != 0, mask & c::GL_STENCIL_BUFFER_BIT != 0);
    if depth {
        let value = step.context.vars.get(var::DEPTH_CLEAR_VALUE);
        note(step, Plane::Depth, stencil, ClearValue::Depth(value));
    }
    if stencil {
        let value = step.context.vars.get(var::STENCIL_CLEAR_VALUE) as i32;
        note(step, Plane::Stencil, depth, ClearValue::Stencil(value));
    }
    Ok(())
}

/// `glClearBuffer…`; `first` is the index of the first argument, `kinds` are the buffers that the command can clear.
fn one(step: &mut Step<'_>, first: usize, kinds: &[u32]) -> Done {
    let (kind, index) = (step.name(first), step.int(first + 1));
    check::framebuffer(step)?;
    if !kinds.contains(&kind) {
        return Err(Fault::invalid_enum("the command cannot clear this buffer"));
    }
    let most = step.facts().limits.integer(c::GL_MAX_DRAW_BUFFERS, 8) as i32;
    let known = if kind == c::GL_COLOR { 0..most } else { 0..1 };
    if !known.contains(&index) {
        return Err(Fault::invalid_value("the draw buffer index is too large"));
    }
    if step.observer.is_none() {
        return Ok(());
    }
    let words = step.input_names(first as u8 + 2);
    let four = [0, 1, 2, 3].map(|at| words.get(at).copied().unwrap_or(0));
    let (plane, value) = match kind {
        c::GL_DEPTH => (Plane::Depth, ClearValue::Depth(f32::from_bits(four[0]).into())),
        c::GL_STENCIL => (Plane::Stencil, ClearValue::Stencil(four[0].cast_signed())),
        _ => {
            let value = match kinds {
                [_, c::GL_DEPTH] => ClearValue::Floats(four.map(f32::from_bits)),
                [_, c::GL_STENCIL] => ClearValue::Integers(four.map(u32::cast_signed)),
                _ => ClearValue::Unsigned(four),
            };
            (Plane::Colour(index.cast_unsigned() as usize), value)
        }
    };
    note(step, plane, false, value);
    Ok(())
}

fn both(step: &mut Step<'_>, first: usize) -> Done {
    if step.name(first) != c::GL_DEPTH_STENCIL {
        return Err(Fault::invalid_enum("the command cannot clear this buffer"));
    }
    if step.int(first + 1) != 0 {
        return Err(Fault::invalid_value("the draw buffer index is too large"));
    }
    check::framebuffer(step)?;
    let (depth, stencil) = (step.float(first + 2), step.int(first + 3));
    note(step, Plane::Depth, true, ClearValue::Depth(depth.into()));
    note(step, Plane::Stencil, true, ClearValue::Stencil(stencil));
    Ok(())
}

/// Runs `work` as if the framebuffer that the first argument names were the draw framebuffer.
fn named(step: &mut Step<'_>, work: impl FnOnce(&mut Step<'_>) -> Done) -> Done {
    let name = step.name(0);
    if name != 0 && !step.context.framebuffers.get(&name).is_some_and(|found| found.exists) {
        return Err(Fault::invalid_operation("no framebuffer has this name"));
    }
    let before = std::mem::replace(&mut step.context.targets.draw, name);
    let done = work(step);
    step.context.targets.draw = before;
    done
}

/// Returns whether the mask lets clears write all of a plane, and none of it.
fn mask(step: &Step<'_>, plane: Plane) -> (bool, bool) {
    let vars = &step.context.vars;
    match plane {
        Plane::Colour(index) => {
            let mask = vars.value(var::COLOR_WRITEMASK, index);
            (mask.iter().all(|bit| *bit != 0.0), mask.iter().all(|bit| *bit == 0.0))
        }
        Plane::Colours => (false, false),
        Plane::Depth => {
            let mask = vars.get(var::DEPTH_WRITEMASK);
            (mask != 0.0, mask == 0.0)
        }
        Plane::Stencil => {
            let mask = vars.name(var::STENCIL_WRITEMASK);
            (mask & 0xFF == 0xFF, mask & 0xFF == 0)
        }
    }
}

/// Records that a plane is cleared; `both` when depth and stencil are cleared together.
fn note(step: &mut Step<'_>, plane: Plane, both: bool, value: ClearValue) {
    if step.observer.is_none() || step.context.vars.get(var::RASTERIZER_DISCARD) != 0.0 {
        return;
    }
    let unconditional = !query::condition(step);
    let (open, shut) = mask(step, plane);
    if shut {
        return;
    }
    // Clearing one half of a combined depth/stencil image keeps the other half.
    let halves = [Plane::Depth, Plane::Stencil];
    let half = halves.contains(&plane) && is_combined(step, Name(step.context.targets.draw));
    let rest = both && halves.into_iter().all(|plane| mask(step, plane).0);
    let whole = unconditional && open && (!half || rest) && covers(step);
    let reached = if unconditional && open { draw_region(step) } else { None };
    let (region, texels) = match reached {
        Some(region) => (region, Texels::Clear(value)),
        None => (Region::ALL, Texels::Gpu(Job::Clear)),
    };
    for thing in framebuffer_things(step, plane) {
        let write = ImageWrite { region, aspect: plane.aspect(), texels };
        step.writes_image(thing, Source::Fill { whole }, write);
    }
}

/// Returns whether clears write the whole framebuffer: no scissor, and all attachments have the same size.
fn covers(step: &Step<'_>) -> bool {
    let size = match step.context.targets.draw {
        0 => step.surfaces.get(&step.seat.draw).map(|surface| [surface.size.0, surface.size.1]),
        name => {
            let Some(framebuffer) = step.context.framebuffers.get(&name) else { return false };
            let attached = framebuffer.attachments.iter().filter_map(|attachment| image_of(step.group, attachment));
            let mut sizes = attached.map(|image| [image.size[0], image.size[1]]);
            let first = sizes.next();
            if sizes.any(|size| Some(size) != first) {
                return false;
            }
            first
        }
    };
    let Some(size) = size else { return false };
    if step.context.vars.value(var::SCISSOR_TEST, 0)[0] == 0.0 {
        return true;
    }
    let cut = step.context.vars.value(var::SCISSOR_BOX, 0);
    cut[0] <= 0.0 && cut[1] <= 0.0 && cut[0] + cut[2] >= f64::from(size[0]) && cut[1] + cut[3] >= f64::from(size[1])
}
