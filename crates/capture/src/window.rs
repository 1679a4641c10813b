//! Contexts, surfaces and presents: the calls of EGL and GLX after which the trace is told, in calls of its own, what
//! replay has to know of them.

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
use crate::thread::Seat;

/// What a surface is made of, in EGL's and GLX's common terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Format {
    /// Bits of red, green, blue and alpha.
    pub colour: [i32; 4],
    /// Bits of depth.
    pub depth: i32,
    /// Bits of stencil.
    pub stencil: i32,
    /// Samples of a pixel, 0 without multisampling.
    pub samples: i32,
    /// Whether there is a back buffer.
    pub double: bool,
    /// Whether it can hold sRGB colours.
    pub srgb: bool,
}

/// A surface of the program.
#[derive(Clone, Debug)]
struct Surface {
    number: u32,
    system: System,
    display: u64,
    handle: u64,
    kind: Kind,
    /// The window or pixmap of the window system behind it, where that is something else.
    native: u64,
    format: Option<Format>,
    size: (i32, i32),
    /// Whether the trace knows this size.
    announced: bool,
    /// When the window system was asked, of those times that can be skipped.
    looked_at: Option<Instant>,
}

/// Whose surface or context it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum System {
    Glx,
    Egl,
}

/// What kind of surface, as numbered in `afiSurface`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Window = 0,
    Pbuffer = 1,
    Pixmap = 2,
}

/// All that is known of the process's contexts and surfaces.
struct World {
    /// By handle; those that are destroyed have left it.
    contexts: Vec<Known>,
    /// Those that are current in some thread.
    current: Vec<Owned>,
    surfaces: Vec<Surface>,
    last_context: u32,
    last_surface: u32,
}

/// A context that has a handle.
struct Known {
    system: System,
    handle: u64,
    context: Owned,
}

/// A context that was made by `Box::into_raw` and is freed by `switch` when it is neither known nor current.
#[derive(Clone, Copy, PartialEq)]
struct Owned(*mut Context);

// SAFETY: what the pointer leads to is touched only by the thread in which the context is current, or by the one that
// creates it.
unsafe impl Send for Owned {}

static WORLD: Mutex<World> = Mutex::new(World {
    contexts: Vec::new(),
    current: Vec::new(),
    surfaces: Vec::new(),
    last_context: 0,
    last_surface: 0,
});

/// Whether this module wants to see a command.
pub fn interest(id: CommandId, command: &Command) -> bool {
    // EGL's calls are few, and each of them ends what is known of the last error.
    command.library == Library::Egl
        || id == api::id::glViewport
        || id == api::id::glGetError
        || id == api::id::glXBindTexImageEXT
        || create::is_creation(id)
        || switch::is_switch(id)
        || present::is_present(id)
}

/// The program has made a call that is not written yet.
pub fn before(call: &mut Call<'_>) {
    let id = call.command;
    if id != api::id::eglGetError && is_egl(id) {
        call.thread.egl_error = 0;
    }
    if id == api::id::glViewport {
        surface::look_for_viewport(call);
    } else if present::is_present(id) {
        present::before(call);
    } else if switch::is_switch(id) {
        switch::before(call);
    }
}

/// The driver has returned from a call. Returns the result that the program gets.
pub fn result(call: &mut Call<'_>) -> u64 {
    match call.command {
        api::id::glGetError => image::give_back_error(call),
        api::id::eglGetError => egl::give_back_error(call.thread, call.result),
        _ => call.result,
    }
}

/// A thread ends.
pub fn thread_ends(seat: &Seat) {
    switch::thread_ends(seat);
}

/// The program is about to end.
pub fn before_exit() {
    image::at_exit();
}

/// The result of a call is written.
pub fn after(seat: &Seat, command: CommandId, args: &[u64], result: u64) {
    if create::is_creation(command) {
        create::after(seat, command, args, result);
    } else if switch::is_switch(command) {
        switch::after(seat, command, args, result);
    } else if present::is_present(command) {
        present::after(seat, command, args, result);
    } else if command == api::id::glXBindTexImageEXT || command == api::id::eglBindTexImage && result as u32 != 0 {
        texture::bound(seat, command, args);
    }
    if is_egl(command) && (create::is_creation(command) || switch::is_switch(command)) && result as u32 != 0 {
        // What was asked of EGL meanwhile may have failed; the program's call has not.
        // SAFETY: the seat's own thread, at the end of a call; the reference lives no longer than this statement.
        egl::take_error(unsafe { seat.thread() });
    }
}

fn is_egl(id: CommandId) -> bool {
    COMMANDS.get(usize::from(id.0)).is_some_and(|command| command.library == Library::Egl)
}
