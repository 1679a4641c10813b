//! Queries about contexts and surfaces of GLX.

use api::{CommandId, constant as c, id};

use super::create::ContextRequest;
use super::egl::pairs32;
use super::{Format, Surface, SurfaceKind, System, x11};
use crate::hook::Ptr;
use crate::real::real;
use crate::thread::Thread;

/// Returns what a call that created a context was asked for.
pub(super) fn wanted(thread: &Thread, command: CommandId, args: &[u64]) -> ContextRequest {
    let display = word(args, 0);
    let mut wanted = ContextRequest {
        share: word(
            args,
            if command == id::glXCreateContextAttribsARB || command == id::glXCreateContext { 2 } else { 3 },
        ),
        ..ContextRequest::default()
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

/// Returns a pbuffer that was just created by `glXCreatePbuffer` or `glXCreateGLXPbufferSGIX`.
pub(super) fn pbuffer(thread: &Thread, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    let mut surface = plain(display, handle, SurfaceKind::Pbuffer, 0, config_format(thread, display, word(args, 1)));
    surface.size = pbuffer_size(thread, display, handle).unwrap_or((0, 0));
    surface
}

/// Returns a pixmap that was just created by `glXCreateGLXPixmap`.
pub(super) fn old_pixmap(thread: &Thread, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    plain(display, handle, SurfaceKind::Pixmap, word(args, 2), visual_format(thread, display, word(args, 1)))
}

/// Returns a surface that was just created by `glXCreateWindow` or `glXCreatePixmap`.
pub(super) fn window_or_pixmap(thread: &Thread, kind: SurfaceKind, args: &[u64], handle: u64) -> Surface {
    let display = word(args, 0);
    plain(display, handle, kind, word(args, 2), config_format(thread, display, word(args, 1)))
}

/// Returns an X window that is used as a surface directly.
pub(super) fn unseen(display: u64, handle: u64) -> Surface {
    plain(display, handle, SurfaceKind::Window, handle, None)
}

/// Returns the current size of a surface.
pub(super) fn size(thread: &Thread, surface: &Surface) -> Option<(i32, i32)> {
    match surface.kind {
        SurfaceKind::Pbuffer => pbuffer_size(thread, surface.display, surface.handle),
        SurfaceKind::Window | SurfaceKind::Pixmap => x11::size(surface.display, surface.native),
    }
}

fn plain(display: u64, handle: u64, kind: SurfaceKind, native: u64, format: Option<Format>) -> Surface {
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
        resizes: false,
        queried_at: None,
    }
}

fn pbuffer_size(thread: &Thread, display: u64, handle: u64) -> Option<(i32, i32)> {
    let attribute = |name: u32| Some(i32::try_from(attribute(thread, display, handle, name)?).unwrap_or(0));
    Some((attribute(c::GLX_WIDTH)?, attribute(c::GLX_HEIGHT)?))
}

/// Returns an attribute of a pbuffer or pixmap.
pub(super) fn attribute(thread: &Thread, display: u64, handle: u64, name: u32) -> Option<u32> {
    // SAFETY: this is the signature in GLX.
    let query = unsafe { real!(thread, glXQueryDrawable, fn(Ptr, u64, i32, *mut u32)) }?;
    let mut value = 0;
    // SAFETY: the display and the pbuffer or pixmap exist: the program is using them.
    unsafe { query(display as Ptr, handle, name as i32, &raw mut value) };
    Some(value)
}

/// Returns the format of surfaces of a configuration.
fn config_format(thread: &Thread, display: u64, config: u64) -> Option<Format> {
    if config == 0 {
        return None;
    }
    // SAFETY: this is the signature in GLX.
    let get = unsafe { real!(thread, glXGetFBConfigAttrib, fn(Ptr, Ptr, i32, *mut i32) -> i32) }?;
    Some(format(|name| {
        let mut value = 0;
        // SAFETY: the program has just used this display and configuration.
        let failed = unsafe { get(display as Ptr, config as Ptr, name as i32, &raw mut value) };
        if failed == 0 { value } else { 0 }
    }))
}

/// Returns the format of windows of a visual.
fn visual_format(thread: &Thread, display: u64, visual: u64) -> Option<Format> {
    if visual == 0 {
        return None;
    }
    // SAFETY: this is the signature in GLX.
    let get = unsafe { real!(thread, glXGetConfig, fn(Ptr, Ptr, i32, *mut i32) -> i32) }?;
    Some(format(|name| {
        let mut value = 0;
        // SAFETY: the program has just used this display and visual.
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
