//! What capture says of contexts, surfaces and threads, in commands of its own.

use std::sync::Arc;

use api::{constant as c, id};

use crate::call::Call;
use crate::context::{Client, Context, Facts};
use crate::limits::Limits;
use crate::model::{Model, Seat, Surface};
use crate::notes::{Notes, Source, Thing};
use crate::objects::framebuffer::Buffers;
use crate::share::ShareGroup;
use crate::variable as var;

/// Contexts and threads beyond these numbers are not believed; no program has so many.
const MOST: usize = 1 << 16;

/// Does what one of capture's own commands says.
pub fn apply(model: &mut Model, call: &Call<'_>, notes: Option<&mut dyn Notes>) {
    match call.command {
        id::afiContext => context(model, call),
        id::afiDescribe => describe(model, call),
        id::afiLimits => limits(model, call),
        id::afiSurface => surface(model, call),
        id::afiCurrent => current(model, call),
        id::afiShader => super::shader::told(model, call),
        id::afiProgram => super::program::told(model, call),
        id::afiAssembly => super::assembly::told(model, call, notes),
        id::afiPresent => {
            // What is behind comes to the front; what is behind then is what was there, or anything.
            let plane = |plane| Thing::Surface { surface: word(call, 0), plane };
            if let Some(notes) = notes {
                let source = Source::Copy { of: plane(c::GL_BACK_LEFT), whole: true };
                notes.writes(plane(c::GL_FRONT_LEFT), source);
            }
        }
        id::afiMemory => super::buffer::memory(model, call, notes),
        _ => {}
    }
}

fn word(call: &Call<'_>, index: usize) -> u32 {
    call.args.get(index).copied().unwrap_or(0) as u32
}

fn int(call: &Call<'_>, index: usize) -> i32 {
    word(call, index) as i32
}

fn context(model: &mut Model, call: &Call<'_>) {
    let number = word(call, 0);
    if number as usize >= MOST {
        return;
    }
    let shared = model.context(word(call, 1)).map(|context| context.group);
    let group = shared.unwrap_or_else(|| {
        model.groups.push(Arc::new(ShareGroup::default()));
        model.groups.len() - 1
    });
    if let Some(group) = model.groups.get_mut(group) {
        let group = Arc::make_mut(group);
        group.members += 1;
        group.shared |= shared.is_some();
    }
    let (major, minor) = (word(call, 4), word(call, 5));
    let client = match word(call, 3) {
        c::EGL_OPENGL_ES_API if major < 2 => Client::Es1,
        c::EGL_OPENGL_ES_API => Client::Es2,
        _ if word(call, 6) & c::GL_CONTEXT_CORE_PROFILE_BIT != 0 && (major, minor) >= (3, 2) => Client::Core,
        _ => Client::Compatibility,
    };
    let facts = Facts { number, client, version: (major, minor), flags: word(call, 7), ..Facts::default() };
    let place = number as usize;
    if model.contexts.len() <= place {
        model.contexts.resize(place + 1, None);
    }
    model.contexts[place] = Some(Arc::new(Context::new(Arc::new(facts), group)));
}

/// What the driver says of a context. It may be a newer version than was asked for, so the context begins anew with it:
/// nothing has been done to it yet.
fn describe(model: &mut Model, call: &Call<'_>) {
    let text = |param| {
        let bytes = call.memory.input_bytes(param).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
    };
    let Some(Some(context)) = model.contexts.get_mut(word(call, 0) as usize) else { return };
    let before = &context.facts;
    let strings = [text(1), text(2), text(3)];
    let version = version(&strings[2]).unwrap_or(before.version);
    let extension_list: Vec<String> = text(4).split_ascii_whitespace().map(str::to_owned).collect();
    let extensions = extension_list.iter().cloned().collect();
    // A context of 3.1 has no profile; what tells it from the older GL is that an extension is missing (GL 3.1, G).
    let old = extension_list.is_empty()
        || version < (3, 1)
        || extension_list.iter().any(|name| name == "GL_ARB_compatibility");
    let client = if before.client == Client::Compatibility && !old { Client::Core } else { before.client };
    let (number, flags) = (before.number, before.flags);
    let facts =
        Facts { number, client, version, flags, strings, extensions, extension_list, limits: Limits::default() };
    *context = Arc::new(Context::new(Arc::new(facts), context.group));
}

/// What depends on the implementation. Much of what a context begins with does, so it begins anew.
fn limits(model: &mut Model, call: &Call<'_>) {
    let Some(Some(context)) = model.contexts.get_mut(word(call, 0) as usize) else { return };
    let Some(bytes) = call.memory.input_bytes(2) else { return };
    let facts = Facts { limits: Limits::read(&bytes), ..(*context.facts).clone() };
    *context = Arc::new(Context::new(Arc::new(facts), context.group));
}

/// The first two numbers of a version: `4.5 (Core Profile) Mesa` or `OpenGL ES 3.2 Mesa`.
fn version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let mut numbers = text[start..].split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn surface(model: &mut Model, call: &Call<'_>) {
    let surface = Surface {
        kind: word(call, 2),
        size: (int(call, 3), int(call, 4)),
        colour: [5, 6, 7, 8].map(|at| int(call, at)),
        depth: int(call, 9),
        stencil: int(call, 10),
        samples: int(call, 11),
        double: word(call, 12) != 0,
        srgb: word(call, 13) != 0,
    };
    model.surfaces.insert(word(call, 0), surface);
}

fn current(model: &mut Model, call: &Call<'_>) {
    let place = call.thread as usize;
    if place >= MOST {
        return;
    }
    if model.seats.len() <= place {
        model.seats.resize(place + 1, Seat::default());
    }
    let seat = Seat { context: word(call, 0), draw: word(call, 1), read: word(call, 2) };
    model.seats[place] = seat;
    let size = model.surfaces.get(&seat.draw).map(|surface| surface.size);
    let single = model.surfaces.get(&seat.draw).is_some_and(|surface| !surface.double);
    let Some(Some(context)) = model.contexts.get_mut(seat.context as usize) else { return };
    let context = Arc::make_mut(context);
    if !context.was_current {
        context.was_current = true;
        // The first surface gives the viewport and the scissor box their size (GL 4.6, 13.8.1 and 14.9.2).
        let (width, height) = size.unwrap_or((0, 0));
        let rectangle = [0.0, 0.0, f64::from(width), f64::from(height)];
        context.vars.set_all(var::VIEWPORT, &rectangle);
        context.vars.set_all(var::SCISSOR_BOX, &rectangle);
        // Where there is no back buffer, desktop GL begins with the front one (GL 4.6, 17.4.1).
        if single && matches!(context.facts.client, Client::Compatibility | Client::Core) {
            context.targets.default = Arc::new(Buffers::only(c::GL_FRONT));
        }
    }
}
