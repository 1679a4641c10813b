//! One fragment of each pixel at a time, counted by stencil.
//!
//! Values that come out as colours are those of the fragment that is drawn last. Where all are wanted, every fragment
//! counts up the stencil value of its pixel, and only the one that finds a given number there is drawn.

use api::{constant as c, id};

use super::targets::renderbuffer;
use super::undo::{UndoRecorder, word};

/// One face's state: the names that it has in front, and those that it has behind.
const STATE: [[u32; 7]; 2] = [
    [
        c::GL_STENCIL_FUNC,
        c::GL_STENCIL_REF,
        c::GL_STENCIL_VALUE_MASK,
        c::GL_STENCIL_FAIL,
        c::GL_STENCIL_PASS_DEPTH_FAIL,
        c::GL_STENCIL_PASS_DEPTH_PASS,
        c::GL_STENCIL_WRITEMASK,
    ],
    [
        c::GL_STENCIL_BACK_FUNC,
        c::GL_STENCIL_BACK_REF,
        c::GL_STENCIL_BACK_VALUE_MASK,
        c::GL_STENCIL_BACK_FAIL,
        c::GL_STENCIL_BACK_PASS_DEPTH_FAIL,
        c::GL_STENCIL_BACK_PASS_DEPTH_PASS,
        c::GL_STENCIL_BACK_WRITEMASK,
    ],
];

/// Gives the framebuffer that is drawn to a stencil buffer of zeros, and lets only the fragments pass that are this one
/// of their pixel, from 0, until all is undone. Nothing else is tested.
pub fn only(gl: &mut UndoRecorder<'_>, size: [u64; 2], ordinal: u8) {
    let both = u64::from(if gl.capabilities.blits() { c::GL_DRAW_FRAMEBUFFER } else { c::GL_FRAMEBUFFER });
    let plane = renderbuffer(gl, c::GL_STENCIL_INDEX8, size);
    let (place, kind) = (u64::from(c::GL_STENCIL_ATTACHMENT), u64::from(c::GL_RENDERBUFFER));
    gl.call(id::glFramebufferRenderbuffer, &[both, place, kind, u64::from(plane)]);
    // References are clamped to what the stencil buffer holds when they are asked for (GL 4.6, 17.3.3), so there must be
    // one by then.
    gl.call(id::glCheckFramebufferStatus, &[both]);
    for (face, names) in [c::GL_FRONT, c::GL_BACK].map(u64::from).into_iter().zip(STATE) {
        let [func, reference, mask, fail, depth_fail, pass, write] = names.map(|name| word(gl.integer(name)));
        gl.call_on_undo(id::glStencilFuncSeparate, &[face, func, reference, mask]);
        gl.call_on_undo(id::glStencilOpSeparate, &[face, fail, depth_fail, pass]);
        gl.call_on_undo(id::glStencilMaskSeparate, &[face, write]);
        let count = u64::from(c::GL_INCR);
        gl.call(id::glStencilFuncSeparate, &[face, u64::from(c::GL_EQUAL), u64::from(ordinal), 0xFF]);
        gl.call(id::glStencilOpSeparate, &[face, count, count, count]);
        gl.call(id::glStencilMaskSeparate, &[face, 0xFF]);
    }
    let clear = gl.integer(c::GL_STENCIL_CLEAR_VALUE);
    gl.call_on_undo(id::glClearStencil, &[word(clear)]);
    gl.call(id::glClearStencil, &[0]);
    gl.call(id::glClear, &[u64::from(c::GL_STENCIL_BUFFER_BIT)]);
    gl.enable(c::GL_STENCIL_TEST);
}
