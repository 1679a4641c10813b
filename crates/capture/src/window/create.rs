//! The making of contexts and surfaces.

use std::sync::Arc;

use api::{CommandId, constant as c, id};

use super::{Format, Kind, Known, Owned, Surface, System, WORLD, egl, glx};
use crate::context::{Abilities, Context};
use crate::facts::Nature;
use crate::memory;
use crate::thread::{Seat, Thread};

/// What is asked for when a context is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// `EGL_OPENGL_API` or `EGL_OPENGL_ES_API`.
    pub api: u32,
    pub version: (i32, i32),
    /// As in `EGL_CONTEXT_OPENGL_PROFILE_MASK` and `GLX_CONTEXT_PROFILE_MASK_ARB`, which agree; 0 when nothing is said.
    pub profile: u32,
    /// As in `GLX_CONTEXT_FLAGS_ARB`: 1 debug, 2 forward-compatible, 4 robust access.
    pub flags: u32,
    /// Whether losing it flushes what was drawn, as it does unless the program says otherwise.
    pub flushes: bool,
    /// The handle of a context to share with, or 0.
    pub share: u64,
    pub format: Format,
}

const CONTEXTS: [CommandId; 5] = [
    id::eglCreateContext,
    id::glXCreateContext,
    id::glXCreateContextAttribsARB,
    id::glXCreateContextWithConfigSGIX,
    id::glXCreateNewContext,
];

const SURFACES: [CommandId; 13] = [
    id::eglCreatePbufferFromClientBuffer,
    id::eglCreatePbufferSurface,
    id::eglCreatePixmapSurface,
    id::eglCreatePlatformPixmapSurface,
    id::eglCreatePlatformPixmapSurfaceEXT,
    id::eglCreatePlatformWindowSurface,
    id::eglCreatePlatformWindowSurfaceEXT,
    id::eglCreateWindowSurface,
    id::glXCreateGLXPbufferSGIX,
    id::glXCreateGLXPixmap,
    id::glXCreatePbuffer,
    id::glXCreatePixmap,
    id::glXCreateWindow,
];

/// Whether a command makes a context or a surface.
pub(super) fn is_creation(id: CommandId) -> bool {
    CONTEXTS.contains(&id) || SURFACES.contains(&id)
}

/// A command that makes a context or a surface has returned.
pub(super) fn after(seat: &Seat, command: CommandId, args: &[u64], result: u64) {
    if result == 0 {
        return;
    }
    // SAFETY: the seat's own thread, at the end of a call; the reference lives no longer than this function.
    let thread = unsafe { seat.thread() };
    if CONTEXTS.contains(&command) {
        let system = if command == id::eglCreateContext { System::Egl } else { System::Glx };
        let wanted = match system {
            System::Egl => egl::wanted(thread, args),
            System::Glx => glx::wanted(thread, command, args),
        };
        add_context(thread, system, result, wanted);
    } else {
        let surface = match command {
            id::eglCreatePbufferFromClientBuffer | id::eglCreatePbufferSurface => {
                egl::surface(thread, Kind::Pbuffer, args, result)
            }
            id::eglCreatePixmapSurface | id::eglCreatePlatformPixmapSurface | id::eglCreatePlatformPixmapSurfaceEXT => {
                egl::surface(thread, Kind::Pixmap, args, result)
            }
            id::eglCreatePlatformWindowSurface | id::eglCreatePlatformWindowSurfaceEXT | id::eglCreateWindowSurface => {
                egl::surface(thread, Kind::Window, args, result)
            }
            id::glXCreateGLXPbufferSGIX | id::glXCreatePbuffer => glx::pbuffer(thread, args, result),
            id::glXCreateGLXPixmap => glx::old_pixmap(thread, args, result),
            id::glXCreatePixmap => glx::window_or_pixmap(thread, Kind::Pixmap, args, result),
            _ => glx::window_or_pixmap(thread, Kind::Window, args, result),
        };
        add_surface(surface);
    }
}

/// Notes a surface, in place of one that had the same handle before.
pub(super) fn add_surface(mut surface: Surface) -> u32 {
    let Ok(mut world) = WORLD.lock() else { return 0 };
    world.surfaces.retain(|known| known.system != surface.system || known.handle != surface.handle);
    world.last_surface += 1;
    surface.number = world.last_surface;
    let number = surface.number;
    world.surfaces.push(surface);
    number
}

/// Notes a context, and tells the trace. Returns it.
pub(super) fn add_context(thread: &mut Thread, system: System, handle: u64, wanted: Wanted) -> *mut Context {
    let Ok(mut world) = WORLD.lock() else { return std::ptr::null_mut() };
    let sharing =
        world.contexts.iter().find(|known| known.system == system && known.handle == wanted.share && wanted.share != 0);
    let (share_number, share) = match sharing {
        Some(known) => {
            // SAFETY: contexts that are known are alive, and this never changes while another thread may be using one.
            let number = unsafe { (*known.context.0).number };
            // SAFETY: as above.
            (number, Arc::clone(unsafe { &(*known.context.0).share }))
        }
        None => (0, Arc::default()),
    };
    world.last_context += 1;
    let number = world.last_context;
    let context = Box::into_raw(Box::new(Context {
        number,
        handle,
        api: wanted.api,
        version: wanted.version,
        share,
        memory: memory::PerContext::default(),
        format: wanted.format,
        surfaces: (0, 0),
        abilities: Abilities::default(),
        facts: Nature::default(),
        described: false,
        has_presented: false,
        flushes: wanted.flushes,
        errors: Vec::new(),
        viewports: [(-1, -1); 8],
    }));
    // A handle that is given out again belongs to the new context only.
    world.contexts.retain(|known| known.system != system || known.handle != handle);
    world.contexts.push(Known { system, handle, context: Owned(context) });
    drop(world);
    let words = [
        u64::from(number),
        u64::from(share_number),
        handle,
        u64::from(wanted.api),
        i64::from(wanted.version.0) as u64,
        i64::from(wanted.version.1) as u64,
        u64::from(wanted.profile),
        u64::from(wanted.flags),
    ];
    thread.emit(id::afiContext, &words, &[]);
    context
}

impl Default for Wanted {
    /// A context of which nothing is known.
    fn default() -> Wanted {
        Wanted {
            api: c::EGL_OPENGL_API,
            version: (1, 0),
            profile: 0,
            flags: 0,
            flushes: true,
            share: 0,
            format: Format { colour: [8, 8, 8, 8], depth: 24, stencil: 8, samples: 0, double: true, srgb: false },
        }
    }
}
