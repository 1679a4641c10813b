//! Queries about contexts and surfaces of EGL.

use std::ffi::c_void;

use api::constant as c;

use super::create::ContextRequest;
use super::{Format, Surface, SurfaceKind, System};
use crate::hook::Ptr;
use crate::real::real;
use crate::thread::Thread;

/// Returns what `eglCreateContext` was asked for.
pub(super) fn wanted(thread: &Thread, args: &[u64]) -> ContextRequest {
    let [display, config, share, attributes] = *args else { return ContextRequest::default() };
    // SAFETY: this is the signature in EGL.
    let bound = unsafe { real!(thread, eglQueryAPI, fn() -> u32) };
    let api = match bound {
        // SAFETY: no arguments, no conditions.
        Some(query) => unsafe { query() },
        None => c::EGL_OPENGL_ES_API,
    };
    let mut wanted = ContextRequest {
        api,
        version: (1, 0),
        share,
        format: format(thread, display, config).unwrap_or_default(),
        ..ContextRequest::default()
    };
    for (name, value) in pairs32(attributes, c::EGL_NONE) {
        match name {
            c::EGL_CONTEXT_MAJOR_VERSION => wanted.version.0 = value,
            c::EGL_CONTEXT_MINOR_VERSION => wanted.version.1 = value,
            c::EGL_CONTEXT_OPENGL_PROFILE_MASK => wanted.profile = value as u32,
            c::EGL_CONTEXT_RELEASE_BEHAVIOR_KHR => {
                wanted.flushes = value as u32 != c::EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR;
            }
            // The bits of the extension's flags are those of GLX.
            c::EGL_CONTEXT_FLAGS_KHR => wanted.flags |= value as u32,
            c::EGL_CONTEXT_OPENGL_DEBUG if value != 0 => wanted.flags |= 1,
            c::EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE if value != 0 => wanted.flags |= 2,
            DISPLAY_TEXTURE_SHARE_GROUP if value != 0 => wanted.texture_display = display,
            c::EGL_CONTEXT_OPENGL_ROBUST_ACCESS | c::EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT if value != 0 => {
                wanted.flags |= 4
            }
            _ => {}
        }
    }
    wanted
}

/// `EGL_DISPLAY_TEXTURE_SHARE_GROUP_ANGLE`, which the registry lacks.
const DISPLAY_TEXTURE_SHARE_GROUP: u32 = 0x33AF;

/// Returns a surface that was just created.
pub(super) fn surface(thread: &Thread, kind: SurfaceKind, args: &[u64], handle: u64) -> Surface {
    let display = args.first().copied().unwrap_or(0);
    let (mut surface, _) = unseen(thread, display, handle);
    surface.kind = kind;
    surface
}

/// Returns a surface of which only the handle is known, and whether EGL knows it.
pub(super) fn unseen(thread: &Thread, display: u64, handle: u64) -> (Surface, bool) {
    let size = size(thread, display, handle);
    let config =
        query(thread, display, handle, c::EGL_CONFIG_ID).and_then(|number| config_by_number(thread, display, number));
    let mut format = config.and_then(|config| format(thread, display, config));
    if let Some(format) = &mut format {
        // Whether a surface has a back buffer, and whether it is sRGB, are attributes of the surface (EGL 1.5, 3.5.1).
        format.double = query(thread, display, handle, c::EGL_RENDER_BUFFER) != Some(c::EGL_SINGLE_BUFFER as i32);
        format.srgb = query(thread, display, handle, c::EGL_GL_COLORSPACE) == Some(c::EGL_GL_COLORSPACE_SRGB as i32);
    }
    let surface = Surface {
        number: 0,
        system: System::Egl,
        display,
        handle,
        kind: SurfaceKind::Window,
        native: 0,
        format,
        size: size.unwrap_or((0, 0)),
        announced: false,
        resizes: false,
        queried_at: None,
    };
    (surface, size.is_some())
}

/// Takes the last error from EGL, which resets it.
pub(super) fn take_error(thread: &Thread) -> u32 {
    // SAFETY: this is the signature in EGL.
    let get = unsafe { real!(thread, eglGetError, fn() -> u32) };
    // SAFETY: no arguments, no conditions.
    get.map_or(c::EGL_SUCCESS, |get| unsafe { get() })
}

/// Returns what `eglGetError` returns to the program: its own error, if capture has queried EGL since.
pub(super) fn give_back_error(thread: &mut Thread, result: u64) -> u64 {
    let own = std::mem::take(&mut thread.egl_error);
    if result as u32 == c::EGL_SUCCESS && own != 0 { u64::from(own) } else { result }
}

/// Returns the current size of a surface.
pub(super) fn size(thread: &Thread, display: u64, handle: u64) -> Option<(i32, i32)> {
    Some((query(thread, display, handle, c::EGL_WIDTH)?, query(thread, display, handle, c::EGL_HEIGHT)?))
}

fn query(thread: &Thread, display: u64, surface: u64, attribute: u32) -> Option<i32> {
    // SAFETY: this is the signature in EGL.
    let query = unsafe { real!(thread, eglQuerySurface, fn(Ptr, Ptr, i32, *mut i32) -> u32) }?;
    let mut value = 0;
    // SAFETY: EGL validates handles before it uses them, and writes one value.
    let known = unsafe { query(display as Ptr, surface as Ptr, attribute as i32, &raw mut value) };
    (known != 0).then_some(value)
}

fn config_by_number(thread: &Thread, display: u64, number: i32) -> Option<u64> {
    // SAFETY: this is the signature in EGL.
    let choose = unsafe { real!(thread, eglChooseConfig, fn(Ptr, *const i32, *mut Ptr, i32, *mut i32) -> u32) }?;
    let wanted = [c::EGL_CONFIG_ID as i32, number, c::EGL_NONE as i32];
    let mut config: *mut c_void = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: the list ends with `EGL_NONE`, and there is room for the one configuration requested.
    let done = unsafe { choose(display as Ptr, wanted.as_ptr(), &raw mut config, 1, &raw mut count) };
    (done != 0 && count == 1).then_some(config as u64)
}

/// Returns the format of surfaces of a configuration.
fn format(thread: &Thread, display: u64, config: u64) -> Option<Format> {
    if config == 0 {
        return None;
    }
    // SAFETY: this is the signature in EGL.
    let get = unsafe { real!(thread, eglGetConfigAttrib, fn(Ptr, Ptr, i32, *mut i32) -> u32) }?;
    let attribute = |name: u32| {
        let mut value = 0;
        // SAFETY: EGL validates handles before it uses them, and writes one value.
        let known = unsafe { get(display as Ptr, config as Ptr, name as i32, &raw mut value) };
        if known != 0 { value } else { 0 }
    };
    Some(Format {
        colour: [c::EGL_RED_SIZE, c::EGL_GREEN_SIZE, c::EGL_BLUE_SIZE, c::EGL_ALPHA_SIZE].map(attribute),
        depth: attribute(c::EGL_DEPTH_SIZE),
        stencil: attribute(c::EGL_STENCIL_SIZE),
        samples: attribute(c::EGL_SAMPLES),
        double: true,
        srgb: false,
    })
}

/// Iterates over a list of 32-bit attributes and values at an address.
pub(super) fn pairs32(address: u64, end: u32) -> impl Iterator<Item = (u32, i32)> {
    let mut at = address as *const [i32; 2];
    std::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        // SAFETY: EGL or GLX has just accepted this list: pairs, up to the terminating attribute.
        let name = unsafe { at.cast::<i32>().read_unaligned() };
        if name as u32 == end {
            return None;
        }
        // SAFETY: as above; an attribute that is not the end has a value.
        let [name, value] = unsafe { at.read_unaligned() };
        at = at.wrapping_add(1);
        Some((name as u32, value))
    })
    .take(256)
}
