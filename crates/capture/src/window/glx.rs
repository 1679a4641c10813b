//! What GLX says of contexts and surfaces.

use api::{CommandId, constant as c, id};

use super::create::Wanted;
use super::egl::pairs32;
use super::{Format, Kind, Surface, System, x11};
use crate::hook::Ptr;
use crate::real::real;
use crate::thread::Thread;

/// What a call that made a context was asked for.
pub(super) fn wanted(thread: &Thread, command: CommandId, args: &[u64]) -> Wanted {
    let display = word(args, 0);
    let mut wanted = Wanted {
        share: word(
            args,
            if command == id::glXCreateContextAttribsARB || command == id::glXCreateContext { 2 } else { 3 },
        ),
        ..Wanted::default()
    };
    let format = if command == id::glXCreateContext {
        visual_format(thread, display, word(args, 1))
    } else {
        config_format(thread, display, word(args, 1))
    };
    if let Some(format) = format {
        wanted.format = format;
    }
    if command != id::glXCreateContextAttribsARB {
        return wanted;
    }
    for (name, value) in pairs32(word(args, 4), 0) {
        match name {
            c::GLX_CONTEXT_MAJOR_VERSION_ARB => wanted.version.0 = value,
            c::GLX_CONTEXT_MINOR_VERSION_ARB => wanted.version.1 = value,
            c::GLX_CONTEXT_FLAGS_ARB => wanted.flags = value as u32,
            c::GLX_CONTEXT_RELEASE_BEHAVIOR_ARB => {
                wanted.flushes = value as u32 != c::GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB
            }
            c::GLX_CONTEXT_PROFILE_MASK_ARB => wanted.profile = value as u32,
            _ => {}
        }
    }
    if wanted.profile & c::GLX_CONTEXT_ES2_PROFILE_BIT_EXT != 0 {
        wanted.api = c::EGL_OPENGL_ES_API;
        wanted.profile = 0;
    }
    wanted
}

/// A pbuffer that was just made, by `glXCreatePbuffer` or `glXCreateGLXPbufferSGIX`.
pub(super) fn pbuffer(thread: &Thread, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    let mut surface = plain(display, handle, Kind::Pbuffer, 0, config_format(thread, display, word(args, 1)));
    surface.size = pbuffer_size(thread, display, handle).unwrap_or((0, 0));
    surface
}

/// A pixmap that was just made by `glXCreateGLXPixmap`.
pub(super) fn old_pixmap(thread: &Thread, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    plain(display, handle, Kind::Pixmap, word(args, 2), visual_format(thread, display, word(args, 1)))
}

/// A surface that was just made by `glXCreateWindow` or `glXCreatePixmap`.
pub(super) fn window_or_pixmap(thread: &Thread, kind: Kind, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    plain(display, handle, kind, word(args, 2), config_format(thread, display, word(args, 1)))
}

/// A window of the X server that is used as a surface without having been made one.
pub(super) fn unseen(display: u64, handle: u64) -> Surface {
    plain(display, handle, Kind::Window, handle, None)
}

/// How large a surface is now.
pub(super) fn size(thread: &Thread, surface: &Surface) -> Option<(i32, i32)> {
    match surface.kind {
        Kind::Pbuffer => pbuffer_size(thread, surface.display, surface.handle),
        Kind::Window | Kind::Pixmap => x11::size(surface.display, surface.native),
    }
}

fn plain(display: u64, handle: u64, kind: Kind, native: u64, format: Option<Format>) -> Surface {
    Surface {
        number: 0,
        system: System::Glx,
        display,
        handle,
        kind,
        native,
        format,
        size: (0, 0),
        announced: false,
        looked_at: None,
    }
}

fn pbuffer_size(thread: &Thread, display: u64, handle: u64) -> Option<(i32, i32)> {
    let attribute = |name: u32| Some(i32::try_from(attribute(thread, display, handle, name)?).unwrap_or(0));
    Some((attribute(c::GLX_WIDTH)?, attribute(c::GLX_HEIGHT)?))
}

/// What GLX says of a pbuffer or pixmap.
pub(super) fn attribute(thread: &Thread, display: u64, handle: u64, name: u32) -> Option<u32> {
    // SAFETY: this signature is GLX's.
    let query = unsafe { real!(thread, glXQueryDrawable, fn(Ptr, u64, i32, *mut u32)) }?;
    let mut value = 0;
    // SAFETY: the display and the pbuffer or pixmap are alive: the program is using them.
    unsafe { query(display as Ptr, handle, name as i32, &raw mut value) };
    Some(value)
}

/// What surfaces of a configuration are made of.
fn config_format(thread: &Thread, display: u64, config: u64) -> Option<Format> {
    if config == 0 {
        return None;
    }
    // SAFETY: this signature is GLX's.
    let get = unsafe { real!(thread, glXGetFBConfigAttrib, fn(Ptr, Ptr, i32, *mut i32) -> i32) }?;
    Some(format(|name| {
        let mut value = 0;
        // SAFETY: display and configuration are those that the program has just used.
        let failed = unsafe { get(display as Ptr, config as Ptr, name as i32, &raw mut value) };
        if failed == 0 { value } else { 0 }
    }))
}

/// What windows of a visual are made of.
fn visual_format(thread: &Thread, display: u64, visual: u64) -> Option<Format> {
    if visual == 0 {
        return None;
    }
    // SAFETY: this signature is GLX's.
    let get = unsafe { real!(thread, glXGetConfig, fn(Ptr, Ptr, i32, *mut i32) -> i32) }?;
    Some(format(|name| {
        let mut value = 0;
        // SAFETY: display and visual are those that the program has just used.
        let failed = unsafe { get(display as Ptr, visual as Ptr, name as i32, &raw mut value) };
        if failed == 0 { value } else { 0 }
    }))
}

fn format(attribute: impl Fn(u32) -> i32) -> Format {
    Format {
        colour: [c::GLX_RED_SIZE, c::GLX_GREEN_SIZE, c::GLX_BLUE_SIZE, c::GLX_ALPHA_SIZE].map(&attribute),
        depth: attribute(c::GLX_DEPTH_SIZE),
        stencil: attribute(c::GLX_STENCIL_SIZE),
        samples: attribute(c::GLX_SAMPLES),
        double: attribute(c::GLX_DOUBLEBUFFER) != 0,
        srgb: attribute(c::GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB) != 0,
    }
}

pub(super) fn word(args: &[u64], index: usize) -> u64 {
    args.get(index).copied().unwrap_or(0)
}
