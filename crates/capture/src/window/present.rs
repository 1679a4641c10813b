//! The end of a frame.

use api::{CommandId, id};

use super::glx::word;
use super::{System, image, surface};
use crate::call::Call;
use crate::thread::ThreadState;

const PRESENTS: [CommandId; 6] = [
    id::eglSwapBuffers,
    id::eglSwapBuffersRegionNOK,
    id::eglSwapBuffersWithDamageEXT,
    id::eglSwapBuffersWithDamageKHR,
    id::glXSwapBuffers,
    id::glXSwapBuffersMscOML,
];

/// Returns whether a command presents a frame.
pub(super) fn is_present(id: CommandId) -> bool {
    PRESENTS.contains(&id)
}

/// Runs before a frame is presented.
pub(super) fn before(call: &mut Call<'_>) {
    let number = shown(call.thread, call.command, call.args);
    let context = call.context.as_deref_mut();
    let size = if image::wanted(call.thread) {
        surface::update_size(call.thread, number, context, None)
    } else {
        surface::update_size_if_stale(call.thread, number, context)
    };
    if let (Some(context), Some(size)) = (call.context.as_deref_mut(), size)
        && context.surfaces.0 == number
    {
        context.has_presented = true;
        image::of_frame(call.thread, context, number, size);
    }
}

/// Runs after a frame has been presented.
pub(super) fn after(state: &ThreadState, command: CommandId, args: &[u64], result: u64) {
    // EGL returns whether it succeeded; GLX returns a swap count of -1 on failure.
    let failed = match command {
        id::glXSwapBuffers => false,
        id::glXSwapBuffersMscOML => result as i64 == -1,
        _ => result as u32 == 0,
    };
    // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this function.
    let thread = unsafe { state.thread() };
    let number = shown(thread, command, args);
    if !failed && number != 0 {
        thread.emit(id::afiPresent, &[u64::from(number)], &[]);
        surface::update_size_after_frame(thread, number);
    }
}

/// Returns the number of the surface that a command presents.
fn shown(thread: &crate::thread::Thread, command: CommandId, args: &[u64]) -> u32 {
    let glx = command == id::glXSwapBuffers || command == id::glXSwapBuffersMscOML;
    let system = if glx { System::Glx } else { System::Egl };
    surface::number(thread, system, word(args, 0), word(args, 1))
}
