//! Creation of contexts and surfaces.

use std::sync::Arc;

use api::{CommandId, constant as c, id};

use super::{ContextEntry, ContextPtr, Format, REGISTRY, Surface, SurfaceKind, System, egl, glx};
use crate::context::{Context, ReadbackSupport};
use crate::facts::Capabilities;
use crate::memory;
use crate::thread::{Thread, ThreadState};

/// What the program requests when it creates a context.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContextRequest {
    /// `EGL_OPENGL_API` or `EGL_OPENGL_ES_API`.
    pub api: u32,
    pub version: (i32, i32),
    /// As in `EGL_CONTEXT_OPENGL_PROFILE_MASK` and `GLX_CONTEXT_PROFILE_MASK_ARB`, which agree; 0 when not specified.
    pub profile: u32,
    /// As in `GLX_CONTEXT_FLAGS_ARB`: 1 debug, 2 forward-compatible, 4 robust access.
    pub flags: u32,
    /// Whether releasing it flushes pending commands, which is the default.
    pub flushes: bool,
    /// The handle of a context to share with, or 0.
    pub share: u64,
    /// The display in which it shares textures with all contexts that ask for that, or 0.
    pub texture_display: u64,
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

/// Returns whether a command creates a context or a surface.
pub(super) fn is_creation(id: CommandId) -> bool {
    CONTEXTS.contains(&id) || SURFACES.contains(&id)
}

/// Runs after a command that creates a context or a surface.
pub(super) fn after(state: &ThreadState, command: CommandId, args: &[u64], result: u64) {
    if result == 0 {
        return;
    }
    // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this function.
    let thread = unsafe { state.thread() };
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
                egl::surface(thread, SurfaceKind::Pbuffer, args, result)
            }
            id::eglCreatePixmapSurface | id::eglCreatePlatformPixmapSurface | id::eglCreatePlatformPixmapSurfaceEXT => {
                egl::surface(thread, SurfaceKind::Pixmap, args, result)
            }
            id::eglCreatePlatformWindowSurface | id::eglCreatePlatformWindowSurfaceEXT | id::eglCreateWindowSurface => {
                egl::surface(thread, SurfaceKind::Window, args, result)
            }
            id::glXCreateGLXPbufferSGIX | id::glXCreatePbuffer => glx::pbuffer(thread, args, result),
            id::glXCreateGLXPixmap => glx::old_pixmap(thread, args, result),
            id::glXCreatePixmap => glx::window_or_pixmap(thread, SurfaceKind::Pixmap, args, result),
            _ => glx::window_or_pixmap(thread, SurfaceKind::Window, args, result),
        };
        add_surface(surface);
    }
}

/// Registers a surface, replacing one with the same handle.
pub(super) fn add_surface(mut surface: Surface) -> u32 {
    let Ok(mut world) = REGISTRY.lock() else { return 0 };
    world.surfaces.retain(|known| known.system != surface.system || known.handle != surface.handle);
    world.last_surface += 1;
    surface.number = world.last_surface;
    let number = surface.number;
    world.surfaces.push(surface);
    number
}

/// Registers a context and records it. Returns it.
pub(super) fn add_context(thread: &mut Thread, system: System, handle: u64, wanted: ContextRequest) -> *mut Context {
    let Ok(mut world) = REGISTRY.lock() else { return std::ptr::null_mut() };
    let sharing =
        world.contexts.iter().find(|known| known.system == system && known.handle == wanted.share && wanted.share != 0);
    let like = world.contexts.iter().find(|known| {
        wanted.texture_display != 0 && known.system == system && known.texture_display == wanted.texture_display
    });
    let next = world.last_context + 1;
    let (share_number, share, realm) = match (sharing, like) {
        (Some(known), _) => {
            // SAFETY: registered contexts exist, and this field never changes while another thread may be using one.
            let number = unsafe { (*known.context.0).number };
            // SAFETY: as above.
            (number, Arc::clone(unsafe { &(*known.context.0).share }), known.realm)
        }
        // It shares textures and nothing else, so it has a realm of its own.
        // SAFETY: as above.
        (None, Some(known)) => (unsafe { (*known.context.0).number }, Arc::default(), next),
        (None, None) => (0, Arc::default(), 0),
    };
    world.last_context = next;
    let number = next;
    let context = Box::into_raw(Box::new(Context {
        number,
        handle,
        api: wanted.api,
        version: wanted.version,
        share,
        memory: memory::PerContext::default(),
        format: wanted.format,
        surfaces: (0, 0),
        readback: ReadbackSupport::default(),
        facts: Capabilities::default(),
        described: false,
        has_presented: false,
        flushes: wanted.flushes,
        errors: Vec::new(),
        viewports: [(-1, -1); 8],
    }));
    // A handle that is reused belongs to the new context only.
    world.contexts.retain(|known| known.system != system || known.handle != handle);
    let texture_display = wanted.texture_display;
    world.contexts.push(ContextEntry { system, handle, realm, texture_display, context: ContextPtr(context) });
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
    if realm != 0 {
        thread.emit(id::afiRealm, &[u64::from(number), u64::from(realm)], &[]);
    }
    context
}

impl Default for ContextRequest {
    /// Returns the defaults for a context with unknown attributes.
    fn default() -> ContextRequest {
        ContextRequest {
            api: c::EGL_OPENGL_API,
            version: (1, 0),
            profile: 0,
            flags: 0,
            flushes: true,
            share: 0,
            texture_display: 0,
            format: Format { colour: [8, 8, 8, 8], depth: 24, stencil: 8, samples: 0, double: true, srgb: false },
        }
    }
}
