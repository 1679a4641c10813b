//! Textures that the window system fills.
//!
//! What `glXBindTexImageEXT` puts into a texture was drawn by the X server or by another program, so it is read back,
//! and recorded as a `glTexImage2D` that the program might have called instead. The same is done for `eglBindTexImage`,
//! except with OpenGL ES, which has no query for texels: what was drawn to a pbuffer is in the trace, and replay fills
//! the texture from it.

use api::{CommandId, constant as c, id};
use ring::Payload;

use super::glx::{self, word};
use super::image;
use crate::context::Context;
use crate::thread::{Thread, ThreadState};

/// Runs after a surface was bound to a texture.
pub(super) fn bound(state: &ThreadState, command: CommandId, args: &[u64]) {
    // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this function.
    let thread = unsafe { state.thread() };
    // SAFETY: null, or the context that is current in this thread only.
    let Some(context) = (unsafe { state.context.get().as_mut() }) else { return };
    let of_glx = command == id::glXBindTexImageEXT;
    let target = || glx::attribute(thread, word(args, 0), word(args, 1), c::GLX_TEXTURE_TARGET_EXT);
    let target = match of_glx.then(target).flatten() {
        Some(c::GLX_TEXTURE_RECTANGLE_EXT) => c::GL_TEXTURE_RECTANGLE,
        _ => c::GL_TEXTURE_2D,
    };
    let texels = if context.api == c::EGL_OPENGL_API { image::of_texture(thread, context, target) } else { None };
    let Some((width, height, texels)) = texels else {
        if of_glx {
            thread.problem(
                "the image that glXBindTexImageEXT put into a texture is missing because it could not be read back",
            );
        }
        return;
    };
    let undo = unpack_plainly(thread, context);
    let signed = |value: i32| i64::from(value) as u64;
    let words = [
        u64::from(target),
        0,
        // A surface without alpha was read as opaque.
        u64::from(c::GL_RGBA),
        signed(width),
        signed(height),
        0,
        u64::from(c::GL_RGBA),
        u64::from(c::GL_UNSIGNED_BYTE),
        texels.as_ptr() as u64,
    ];
    thread.emit(id::glTexImage2D, &words, &[Payload { param: 8, bytes: &texels }]);
    for (command, words) in undo {
        thread.emit(command, &words, &[]);
    }
}

/// Records the calls that make texel uploads tightly packed, and returns the calls that restore the state. The driver
/// gets neither.
fn unpack_plainly(thread: &mut Thread, context: &Context) -> Vec<(CommandId, [u64; 2])> {
    let mut undo = Vec::new();
    let states = [
        (c::GL_UNPACK_ALIGNMENT, 4),
        (c::GL_UNPACK_ROW_LENGTH, 0),
        (c::GL_UNPACK_SKIP_ROWS, 0),
        (c::GL_UNPACK_SKIP_PIXELS, 0),
        (c::GL_UNPACK_SWAP_BYTES, 0),
    ];
    for (name, plain) in states {
        let now = image::integer(thread, name);
        if now != plain {
            thread.emit(id::glPixelStorei, &[u64::from(name), i64::from(plain) as u64], &[]);
            undo.push((id::glPixelStorei, [u64::from(name), i64::from(now) as u64]));
        }
    }
    if context.readback.pixel_buffers {
        let now = image::integer(thread, c::GL_PIXEL_UNPACK_BUFFER_BINDING);
        if now != 0 {
            thread.emit(id::glBindBuffer, &[u64::from(c::GL_PIXEL_UNPACK_BUFFER), 0], &[]);
            undo.push((id::glBindBuffer, [u64::from(c::GL_PIXEL_UNPACK_BUFFER), u64::from(now.cast_unsigned())]));
        }
    }
    undo
}
