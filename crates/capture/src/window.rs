//! Contexts, surfaces and presents: after calls of EGL and GLX, records what replay has to know about them, as calls by
//! capture.

mod create;
mod describe;
mod egl;
mod glx;
mod image;
mod present;
mod surface;
mod switch;
mod texture;
mod x11;

use std::sync::Mutex;
use std::time::Instant;

use api::{COMMANDS, Command, CommandId, Library};

use crate::call::Call;
use crate::context::Context;
use crate::thread::ThreadState;

/// The format of a surface, in terms common to EGL and GLX.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Format {
    /// Bits of red, green, blue and alpha.
    pub colour: [i32; 4],
    /// Bits of depth.
    pub depth: i32,
    /// Bits of stencil.
    pub stencil: i32,
    /// Samples per pixel, 0 without multisampling.
    pub samples: i32,
    /// Whether there is a back buffer.
    pub double: bool,
    /// Whether it supports sRGB colours.
    pub srgb: bool,
}

/// A surface of the program.
#[derive(Clone, Debug)]
struct Surface {
    number: u32,
    system: System,
    display: u64,
    handle: u64,
    kind: SurfaceKind,
    /// The window or pixmap of the window system behind it, if its handle differs.
    native: u64,
    format: Option<Format>,
    size: (i32, i32),
    /// Whether this size has been recorded.
    announced: bool,
    /// Whether the window has another size, which its buffers will have after the next frame.
    resizes: bool,
    /// When the window system was last queried, for queries that can be skipped.
    queried_at: Option<Instant>,
}

/// The API that a surface or context belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum System {
    Glx,
    Egl,
}

/// The kind of a surface, as numbered in `afiSurface`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SurfaceKind {
    Window = 0,
    Pbuffer = 1,
    Pixmap = 2,
}

/// All contexts and surfaces of the process.
struct Registry {
    /// Contexts with a handle; destroyed ones are removed.
    contexts: Vec<ContextEntry>,
    /// Contexts that are current in some thread.
    current: Vec<ContextPtr>,
    surfaces: Vec<Surface>,
    last_context: u32,
    last_surface: u32,
}

/// A context with its handle.
struct ContextEntry {
    system: System,
    handle: u64,
    /// The number of its realm, in which contexts share everything that they share.
    realm: u32,
    /// See [`create::ContextRequest`].
    texture_display: u64,
    context: ContextPtr,
}

/// A context that was made by `Box::into_raw` and is freed by `switch` when it is neither registered nor current.
#[derive(Clone, Copy, PartialEq)]
struct ContextPtr(*mut Context);

// SAFETY: the context behind the pointer is accessed only by the thread in which it is current, or by the one that
// creates it.
unsafe impl Send for ContextPtr {}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    contexts: Vec::new(),
    current: Vec::new(),
    surfaces: Vec::new(),
    last_context: 0,
    last_surface: 0,
});

/// Returns whether this module handles a command.
pub fn interest(id: CommandId, command: &Command) -> bool {
    // EGL calls are rare, and each of them resets the last error.
    command.library == Library::Egl
        || id == api::id::glViewport
        || id == api::id::glGetError
        || id == api::id::glXBindTexImageEXT
        || create::is_creation(id)
        || switch::is_switch(id)
        || present::is_present(id)
}

/// Runs when the program has made a call that is not written yet.
pub fn before(call: &mut Call<'_>) {
    let id = call.command;
    if id != api::id::eglGetError && is_egl(id) {
        call.thread.egl_error = 0;
    }
    if present::is_present(id) {
        present::before(call);
    } else if switch::is_switch(id) {
        switch::before(call);
    }
}

/// Runs when the driver has returned from a call. Returns the result for the program.
pub fn result(call: &mut Call<'_>) -> u64 {
    match call.command {
        api::id::glGetError => image::give_back_error(call),
        api::id::eglGetError => egl::give_back_error(call.thread, call.result),
        _ => call.result,
    }
}

/// Runs when a thread ends.
pub fn thread_ends(state: &ThreadState) {
    switch::thread_ends(state);
}

/// Runs before the program exits.
pub fn before_exit() {
    image::at_exit();
}

/// Runs when the result of a call has been written.
pub fn after(state: &ThreadState, command: CommandId, args: &[u64], result: u64) {
    if create::is_creation(command) {
        create::after(state, command, args, result);
    } else if switch::is_switch(command) {
        switch::after(state, command, args, result);
    } else if present::is_present(command) {
        present::after(state, command, args, result);
    } else if command == api::id::glViewport {
        surface::update_size_at_viewport(state, args);
    } else if command == api::id::glXBindTexImageEXT || command == api::id::eglBindTexImage && result as u32 != 0 {
        texture::bound(state, command, args);
    }
    if is_egl(command) && (create::is_creation(command) || switch::is_switch(command)) && result as u32 != 0 {
        // Queries to EGL may have failed meanwhile; the program's call has not.
        // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this statement.
        egl::take_error(unsafe { state.thread() });
    }
}

fn is_egl(id: CommandId) -> bool {
    COMMANDS.get(usize::from(id.0)).is_some_and(|command| command.library == Library::Egl)
}
