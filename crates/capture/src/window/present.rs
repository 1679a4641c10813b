//! The end of a frame.

use api::{CommandId, id};

use super::glx::word;
use super::{System, image, surface};
use crate::call::Call;
use crate::thread::Seat;

const PRESENTS: [CommandId; 6] = [
    id::eglSwapBuffers,
    id::eglSwapBuffersRegionNOK,
    id::eglSwapBuffersWithDamageEXT,
    id::eglSwapBuffersWithDamageKHR,
    id::glXSwapBuffers,
    id::glXSwapBuffersMscOML,
];

/// Whether a command shows a frame.
pub(super) fn is_present(id: CommandId) -> bool {
    PRESENTS.contains(&id)
}

/// A frame is about to be shown.
pub(super) fn before(call: &mut Call<'_>) {
    let number = shown(call.thread, call.command, call.args);
    let size = if image::wanted(call.thread) {
        surface::look(call.thread, number, None)
    } else {
        surface::look_now_and_then(call.thread, number)
    };
    if let (Some(context), Some(size)) = (call.context.as_deref_mut(), size)
        && context.surfaces.0 == number
    {
        context.has_presented = true;
        image::of_frame(call.thread, context, number, size);
    }
}

/// A frame has been shown.
pub(super) fn after(seat: &Seat, command: CommandId, args: &[u64], result: u64) {
    // Only EGL says whether it has worked; GLX's number of swaps is -1 when it has not.
    let failed = match command {
        id::glXSwapBuffers => false,
        id::glXSwapBuffersMscOML => result as i64 == -1,
        _ => result as u32 == 0,
    };
    // SAFETY: the seat's own thread, at the end of a call; the reference lives no longer than this function.
    let thread = unsafe { seat.thread() };
    let number = shown(thread, command, args);
    if !failed && number != 0 {
        thread.emit(id::afiPresent, &[u64::from(number)], &[]);
    }
}

/// The number of the surface that a command shows.
fn shown(thread: &crate::thread::Thread, command: CommandId, args: &[u64]) -> u32 {
    let glx = command == id::glXSwapBuffers || command == id::glXSwapBuffersMscOML;
    let system = if glx { System::Glx } else { System::Egl };
    surface::number(thread, system, word(args, 0), word(args, 1))
}
