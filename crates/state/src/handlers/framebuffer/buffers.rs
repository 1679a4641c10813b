//! Draw buffers and read buffers.

use std::sync::Arc;

use api::{constant as c, id};

use super::super::Table;
use super::names::{Name, made, named_or_default};
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::objects::framebuffer::{Buffers, COLOURS};
use crate::step::{Done, Step, not_negative};

pub fn register(table: &mut Table) {
    table.on(&[id::glDrawBuffer], |step| {
        let framebuffer = Name(step.context.targets.draw);
        draw_buffer(step, framebuffer, step.name(0))
    });
    table.on(&[id::glNamedFramebufferDrawBuffer], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        draw_buffer(step, framebuffer, step.name(1))
    });
    table.on(&[id::glFramebufferDrawBufferEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        draw_buffer(step, framebuffer, step.name(1))
    });
    let several =
        [id::glDrawBuffers, id::glDrawBuffersARB, id::glDrawBuffersATI, id::glDrawBuffersEXT, id::glDrawBuffersNV];
    table.on(&several, |step| {
        let framebuffer = Name(step.context.targets.draw);
        draw_buffers(step, framebuffer, 0)
    });
    table.on(&[id::glNamedFramebufferDrawBuffers], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        draw_buffers(step, framebuffer, 1)
    });
    table.on(&[id::glFramebufferDrawBuffersEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        draw_buffers(step, framebuffer, 1)
    });
    table.on(&[id::glReadBuffer, id::glReadBufferNV], |step| {
        let framebuffer = Name(step.context.targets.read);
        read_buffer(step, framebuffer, step.name(0))
    });
    table.on(&[id::glNamedFramebufferReadBuffer], |step| {
        let framebuffer = named_or_default(step.context, step.name(0))?;
        read_buffer(step, framebuffer, step.name(1))
    });
    table.on(&[id::glFramebufferReadBufferEXT], |step| {
        let framebuffer = made(step, step.name(0))?;
        read_buffer(step, framebuffer, step.name(1))
    });
}

/// Buffers of the default framebuffer, as a bit set; colour attachments follow.
const FRONT_LEFT: u32 = 1;
const BACK_LEFT: u32 = 2;
const FRONT_RIGHT: u32 = 4;
const BACK_RIGHT: u32 = 8;
const COLOUR0: u32 = 16;
/// A valid name of a buffer that does not exist here.
const NOWHERE: u32 = 1 << 31;

/// Returns the buffers that a name stands for (GL 4.6, table 17.4); `None` if it is not such a name.
pub fn buffer_set(name: u32, double: bool) -> Option<u32> {
    // Without a back buffer, the front buffer takes its place.
    let name = match name {
        c::GL_BACK if !double => c::GL_FRONT,
        c::GL_BACK_LEFT if !double => c::GL_FRONT_LEFT,
        c::GL_BACK_RIGHT if !double => c::GL_FRONT_RIGHT,
        _ => name,
    };
    Some(match name {
        c::GL_NONE => 0,
        c::GL_FRONT => FRONT_LEFT | FRONT_RIGHT,
        c::GL_BACK => BACK_LEFT | BACK_RIGHT,
        c::GL_LEFT => FRONT_LEFT | BACK_LEFT,
        c::GL_RIGHT => FRONT_RIGHT | BACK_RIGHT,
        c::GL_FRONT_LEFT => FRONT_LEFT,
        c::GL_FRONT_RIGHT => FRONT_RIGHT,
        c::GL_BACK_LEFT => BACK_LEFT,
        c::GL_BACK_RIGHT => BACK_RIGHT,
        c::GL_FRONT_AND_BACK => FRONT_LEFT | FRONT_RIGHT | BACK_LEFT | BACK_RIGHT,
        c::GL_AUX0..=c::GL_AUX3 => NOWHERE,
        c::GL_COLOR_ATTACHMENT0..=c::GL_COLOR_ATTACHMENT31 => {
            let number = name - c::GL_COLOR_ATTACHMENT0;
            if number < COLOURS as u32 { COLOUR0 << number } else { NOWHERE }
        }
        _ => return None,
    })
}

/// Iterates over the planes of a surface in a set of buffers.
pub fn planes(set: u32) -> impl Iterator<Item = u32> {
    [
        (FRONT_LEFT, c::GL_FRONT_LEFT),
        (BACK_LEFT, c::GL_BACK_LEFT),
        (FRONT_RIGHT, c::GL_FRONT_RIGHT),
        (BACK_RIGHT, c::GL_BACK_RIGHT),
    ]
    .into_iter()
    .filter(move |(bit, _)| set & bit != 0)
    .map(|(_, plane)| plane)
}

/// Returns the buffers that a framebuffer has.
pub fn existing(facts: &Facts, framebuffer: Name, double: bool) -> u32 {
    if framebuffer.0 == 0 {
        return FRONT_LEFT | if double { BACK_LEFT } else { 0 };
    }
    let count = facts.limits.integer(c::GL_MAX_COLOR_ATTACHMENTS, 8).clamp(0, COLOURS as i64) as u32;
    ((1 << count) - 1) * COLOUR0
}

/// Returns whether the draw or read surface has a back buffer.
fn is_double(step: &Step<'_>, read: bool) -> bool {
    let surface = if read { step.seat.read } else { step.seat.draw };
    step.surfaces.get(&surface).is_some_and(|surface| surface.double)
}

/// Returns whether buffer names are interpreted as for a surface with a back buffer. Framebuffer objects have none.
fn understands_double(step: &Step<'_>, read: bool) -> bool {
    let bound = if read { step.context.targets.read } else { step.context.targets.draw };
    bound == 0 && is_double(step, read)
}

const NO_BUFFER: Fault = Fault::invalid_enum("invalid buffer");
const NOT_HERE: Fault = Fault::invalid_operation("the framebuffer does not have this buffer");

fn draw_buffer(step: &mut Step<'_>, framebuffer: Name, buffer: u32) -> Done {
    if buffer != c::GL_NONE {
        let set = buffer_set(buffer, understands_double(step, false)).ok_or(NO_BUFFER)?;
        if set & existing(step.facts(), framebuffer, is_double(step, false)) == 0 {
            return Err(NOT_HERE);
        }
    }
    change(step.context, framebuffer, |buffers| {
        buffers.draw = [c::GL_NONE; COLOURS];
        buffers.draw[0] = buffer;
    });
    Ok(())
}

fn draw_buffers(step: &mut Step<'_>, framebuffer: Name, at: usize) -> Done {
    let count = not_negative(step.int(at), "the number of buffers is negative")?;
    let most = step.facts().limits.integer(c::GL_MAX_DRAW_BUFFERS, 8);
    if i64::from(count) > most {
        return Err(Fault::invalid_value("there are too many draw buffers"));
    }
    let desktop = matches!(step.facts().client, Client::Compatibility | Client::Core);
    let default = framebuffer.0 == 0;
    let mut names = step.input_names(at as u8 + 1);
    names.truncate(count as usize);
    let plain = |name: Option<&u32>| matches!(name, Some(&c::GL_NONE | &c::GL_BACK));
    if !desktop && default && (count != 1 || !plain(names.first())) {
        return Err(Fault::invalid_operation("the default framebuffer allows only GL_BACK or GL_NONE"));
    }
    let exist = existing(step.facts(), framebuffer, is_double(step, false));
    let double = understands_double(step, false);
    let mut used = 0;
    for (output, name) in names.iter().enumerate() {
        let back = *name == c::GL_BACK;
        if back && default && step.facts().desktop(4, 0) {
            if count != 1 {
                return Err(Fault::invalid_operation("GL_BACK must be the only buffer"));
            }
        } else if matches!(*name, c::GL_FRONT | c::GL_LEFT | c::GL_RIGHT | c::GL_FRONT_AND_BACK) || back && desktop {
            return Err(Fault::invalid_enum("the name means more than one buffer"));
        }
        let set = buffer_set(*name, double).ok_or(NO_BUFFER)?;
        if *name == c::GL_NONE {
            continue;
        }
        let out_of_order = *name != c::GL_COLOR_ATTACHMENT0 + output as u32;
        if set & exist == 0 || !desktop && !default && out_of_order || set & exist & used != 0 {
            return Err(NOT_HERE);
        }
        used |= set & exist;
    }
    change(step.context, framebuffer, |buffers| {
        buffers.draw = [c::GL_NONE; COLOURS];
        for (place, name) in buffers.draw.iter_mut().zip(names) {
            *place = name;
        }
    });
    Ok(())
}

fn read_buffer(step: &mut Step<'_>, framebuffer: Name, buffer: u32) -> Done {
    let es = step.facts().es(3, 0);
    if buffer != c::GL_NONE {
        let known =
            !es || buffer == c::GL_BACK || (c::GL_COLOR_ATTACHMENT0..=c::GL_COLOR_ATTACHMENT31).contains(&buffer);
        let set = buffer_set(buffer, understands_double(step, true)).filter(|_| known).ok_or(NO_BUFFER)?;
        // The read buffer is a single buffer: of several, the front left one.
        let one = match buffer {
            c::GL_FRONT_AND_BACK | c::GL_LEFT => FRONT_LEFT,
            c::GL_RIGHT => FRONT_RIGHT,
            _ => set & (!set).wrapping_add(1),
        };
        if one & existing(step.facts(), framebuffer, is_double(step, true)) == 0 {
            return Err(NOT_HERE);
        }
    }
    change(step.context, framebuffer, |buffers| buffers.read = buffer);
    Ok(())
}

/// Changes the buffers of a framebuffer. Those of the default framebuffer belong to the context.
fn change(context: &mut Context, framebuffer: Name, change: impl FnOnce(&mut Buffers)) {
    let mut buffers = *buffers_of(context, framebuffer);
    change(&mut buffers);
    if buffers == *buffers_of(context, framebuffer) {
        return;
    }
    if framebuffer.0 == 0 {
        context.targets.default = Arc::new(buffers);
    } else if let Some(framebuffer) = context.framebuffers.get_mut(&framebuffer.0) {
        Arc::make_mut(framebuffer).buffers = buffers;
    }
}

/// Returns the buffers of a framebuffer.
pub fn buffers_of(context: &Context, framebuffer: Name) -> &Buffers {
    match context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) {
        Some(framebuffer) => &framebuffer.buffers,
        None => &context.targets.default,
    }
}
