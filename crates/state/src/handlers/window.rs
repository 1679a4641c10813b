//! Applies capture's own commands about contexts, surfaces and threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::extent::pixels::pixel;
use api::{constant as c, id};

use crate::call::Call;
use crate::context::{Client, Context, Facts};
use crate::limits::Limits;
use crate::model::{Model, Seat, Surface};
use crate::objects::format::Format;
use crate::objects::framebuffer::Buffers;
use crate::objects::texture::Target;
use crate::observer::{CallObserver, ContentsRef, Source};
use crate::records::{Aspect, ImageWrite, Job, Origin, Pixels, Texels};
use crate::share::ShareGroup;
use crate::variable as var;
use crate::work::{CONTEXT, EVENT};

/// Higher numbers of contexts and threads are ignored; no program has that many.
const MAX_NUMBER: usize = 1 << 16;

/// Applies one of capture's own commands.
pub fn apply(model: &mut Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
    match call.command {
        id::afiContext => context(model, call),
        id::afiRealm => realm(model, call),
        id::afiDescribe => describe(model, call),
        id::afiLimits => limits(model, call),
        id::afiSurface => surface(model, call, observer),
        id::afiContents => contents(model, call, observer),
        id::afiCurrent => current(model, call),
        id::afiShader => super::shader::apply_description(model, call),
        id::afiProgram => super::program::apply_description(model, call),
        id::afiAssembly => super::assembly::apply_description(model, call, observer),
        id::afiPresent | id::afiSwap => {
            let context = model.seat(call.thread).context;
            if model.context(context).is_some_and(|context| context.debug_groups.is_titled())
                && let Some(Some(context)) = model.contexts.get_mut(context as usize)
            {
                Arc::make_mut(&mut Arc::make_mut(context).debug_groups).present();
            }
            // The back buffer becomes the front buffer; the new back buffer is the old front buffer or undefined.
            let plane = |plane| ContentsRef::Surface { surface: word(call, 0), plane };
            if let Some(observer) = observer {
                let of = plane(c::GL_BACK_LEFT);
                let texels = Texels::Image { of, from: [0; 2], exact: true };
                observer.writes(plane(c::GL_FRONT_LEFT), Source::Copy { of, whole: true });
                observer.image_written(plane(c::GL_FRONT_LEFT), ImageWrite::whole(Aspect::All, texels));
            }
        }
        id::afiMemory => super::buffer::memory(model, call, observer),
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
    if number as usize >= MAX_NUMBER {
        return;
    }
    if !model.work.charge(CONTEXT) {
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
    let facts = Facts {
        number,
        client,
        version: (major, minor),
        flags: api::request::context_flags(word(call, 7)),
        ..Facts::default()
    };
    let place = number as usize;
    if model.contexts.len() <= place {
        model.contexts.resize(place + 1, None);
    }
    model.contexts[place] = Some(Arc::new(Context::new(Arc::new(facts), group)));
}

/// Applies that a context shares only textures with contexts of other realms.
fn realm(model: &mut Model, call: &Call<'_>) {
    if let Some(Some(context)) = model.contexts.get_mut(word(call, 0) as usize) {
        Arc::make_mut(context).realm = word(call, 1);
    }
}

/// Applies the driver's description of a context. Its version may be newer than requested, so the context is reset:
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
    let extensions: BTreeSet<String> = extension_list.iter().cloned().collect();
    // From 3.1 on a context has removed features only with `ARB_compatibility`, whatever was requested.
    let removed = version >= (3, 1) && !extensions.contains("GL_ARB_compatibility");
    let client = if before.client == Client::Compatibility && removed { Client::Core } else { before.client };
    let (number, flags) = (before.number, before.flags);
    let facts =
        Facts { number, client, version, flags, strings, extensions, extension_list, limits: Limits::default() };
    *context = Arc::new(Context { realm: context.realm, ..Context::new(Arc::new(facts), context.group) });
}

/// Applies implementation-dependent values. Much of the initial state depends on them, so the context is reset.
fn limits(model: &mut Model, call: &Call<'_>) {
    let Some(Some(context)) = model.contexts.get_mut(word(call, 0) as usize) else { return };
    let Some(bytes) = call.memory.input_bytes(2) else { return };
    let facts = Facts { limits: Limits::read(&bytes), ..(*context.facts).clone() };
    *context = Arc::new(Context { realm: context.realm, ..Context::new(Arc::new(facts), context.group) });
}

/// Parses the first two numbers of a version: `4.5 (Core Profile) Mesa` or `OpenGL ES 3.2 Mesa`.
fn version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let mut numbers = text[start..].split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Applies the contents of an image or a buffer in a trimmed trace.
fn contents(model: &mut Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
    const DATA: u8 = 11;
    let (name, target, level) = (word(call, 2), word(call, 3), word(call, 4));
    let Some(group) = model.context(word(call, 0)).map(|context| context.group) else { return };
    let Some(group) = model.groups.get_mut(group).map(Arc::make_mut) else { return };
    if word(call, 1) == c::GL_BUFFER {
        if let Some(buffer) = group.buffers.get_mut(&name).map(Arc::make_mut) {
            let size = buffer.size;
            buffer.records.replace(call.number, size, Origin::Memory { param: DATA, skip: 0 });
        }
        return;
    }
    let Some(observer) = observer else { return };
    let size = [5, 6, 7].map(|at| int(call, at));
    let (format, kind) = (word(call, 8), word(call, 9));
    let [row, image] = [[size[0], 1], size[..2].try_into().unwrap_or([0; 2])].map(|[width, height]| match format {
        0 => Format::named(kind).map_or(0, |format| {
            let height = if height == 1 { i32::from(format.block.1) } else { height };
            format.compressed_size(width, height, 1).cast_unsigned()
        }),
        _ => pixel(format, kind).unwrap_or(0) as u64 * u64::from(word(call, 5)) * u64::from(height.cast_unsigned()),
    });
    let mut texels =
        Texels::Memory { param: DATA, pixels: Pixels { format, kind, first: 0, row, image, swapped: false } };
    let mut tell = |thing, texels| observer.image_written(thing, ImageWrite::whole(Aspect::All, texels));
    match word(call, 1) {
        c::GL_TEXTURE => {
            let Some(texture) = group.textures.get(&name) else { return };
            let (own, face) = Target::with_face(target).unwrap_or((Target::TwoD, 0));
            let rows = own == Target::OneDArray;
            let layers = if rows { size[1] } else { size[2] }.max(1).cast_unsigned();
            if !model.work.charge(u64::from(layers) * EVENT) {
                return;
            }
            for layer in face..face.saturating_add(layers) {
                tell(texture.image(level, layer), texels);
                texels = texels.next_layer(rows);
            }
        }
        c::GL_RENDERBUFFER => {
            let Some(renderbuffer) = group.renderbuffers.get(&name) else { return };
            tell(ContentsRef::Renderbuffer { object: renderbuffer.object }, texels);
        }
        _ => {
            let plane = if target == c::GL_COLOR { c::GL_BACK_LEFT } else { target };
            tell(ContentsRef::Surface { surface: name, plane }, texels);
        }
    }
}

/// Makes a surface the first level of the bound texture (`eglBindTexImage`). Capture records no more about it.
pub fn bind_tex_image(model: &Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
    let Some(observer) = observer else { return };
    if !matches!(call.command, id::eglBindTexImage | id::glXBindTexImageEXT) {
        return;
    }
    let Some(view) = model.view(call.thread) else { return };
    let Some(unit) = view.context.units.units.get(view.context.active_unit() as usize) else { return };
    // The texture target depends on the surface.
    for target in [Target::TwoD, Target::Rectangle] {
        if let Some(texture) = view.group.texture(unit.textures[target as usize]) {
            let (image, job) = (texture.image(0, 0), Texels::Gpu(Job::Transfer));
            observer.writes(image, Source::Gpu);
            observer.image_written(image, ImageWrite::whole(Aspect::All, job));
        }
    }
}

fn surface(model: &mut Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
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
    let number = word(call, 0);
    let before = model.surfaces.insert(number, surface);
    if let Some(observer) = observer.filter(|_| before.is_none_or(|before| before.size != surface.size)) {
        let size = [surface.size.0, surface.size.1].map(|size| size.max(0).cast_unsigned());
        let colours = [c::GL_FRONT_LEFT, c::GL_FRONT_RIGHT, c::GL_BACK_LEFT, c::GL_BACK_RIGHT];
        for plane in colours.into_iter().chain([c::GL_DEPTH, c::GL_STENCIL, c::GL_ACCUM]) {
            observer.image_made(ContentsRef::Surface { surface: number, plane }, size, false);
        }
    }
}

fn current(model: &mut Model, call: &Call<'_>) {
    let place = call.thread as usize;
    if place >= MAX_NUMBER {
        return;
    }
    if model.seats.len() <= place {
        model.seats.resize(place + 1, Seat::default());
    }
    let seat = Seat { context: word(call, 0), draw: word(call, 1), read: word(call, 2) };
    model.seats[place] = seat;
    model.enter_realm(seat.context);
    let size = model.surfaces.get(&seat.draw).map(|surface| surface.size);
    let single = model.surfaces.get(&seat.draw).is_some_and(|surface| !surface.double);
    let Some(Some(context)) = model.contexts.get_mut(seat.context as usize) else { return };
    let context = Arc::make_mut(context);
    if !context.was_current {
        context.was_current = true;
        // The first surface determines the size of the viewport and the scissor box (GL 4.6, 13.8.1 and 14.9.2).
        let (width, height) = size.unwrap_or((0, 0));
        let rectangle = [0.0, 0.0, f64::from(width), f64::from(height)];
        context.vars.set_all(var::VIEWPORT, &rectangle);
        context.vars.set_all(var::SCISSOR_BOX, &rectangle);
        // Without a back buffer, desktop GL initially uses the front buffer (GL 4.6, 17.4.1).
        if single && matches!(context.facts.client, Client::Compatibility | Client::Core) {
            context.targets.default = Arc::new(Buffers::only(c::GL_FRONT));
        }
    }
}
