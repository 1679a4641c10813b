//! One fragment of each pixel at a time, counted by stencil.
//!
//! Values that come out as colours are those of the fragment that is drawn last. Where all are wanted, every fragment
//! counts up the stencil value of its pixel, and only the one that finds a given number there is drawn.

use api::{constant as c, id};

use super::hand::{Hand, word};
use super::targets::renderbuffer;

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
pub fn only(hand: &mut Hand<'_>, size: [u64; 2], ordinal: u8) {
    let both = u64::from(if hand.can.blits() { c::GL_DRAW_FRAMEBUFFER } else { c::GL_FRAMEBUFFER });
    let plane = renderbuffer(hand, c::GL_STENCIL_INDEX8, size);
    let (place, kind) = (u64::from(c::GL_STENCIL_ATTACHMENT), u64::from(c::GL_RENDERBUFFER));
    hand.call(id::glFramebufferRenderbuffer, &[both, place, kind, u64::from(plane)]);
    // References are clamped to what the stencil buffer holds when they are asked for (GL 4.6, 17.3.3), so there must be
    // one by then.
    hand.call(id::glCheckFramebufferStatus, &[both]);
    for (face, names) in [c::GL_FRONT, c::GL_BACK].map(u64::from).into_iter().zip(STATE) {
        let [func, reference, mask, fail, depth_fail, pass, write] = names.map(|name| word(hand.integer(name)));
        hand.later_call(id::glStencilFuncSeparate, &[face, func, reference, mask]);
        hand.later_call(id::glStencilOpSeparate, &[face, fail, depth_fail, pass]);
        hand.later_call(id::glStencilMaskSeparate, &[face, write]);
        let count = u64::from(c::GL_INCR);
        hand.call(id::glStencilFuncSeparate, &[face, u64::from(c::GL_EQUAL), u64::from(ordinal), 0xFF]);
        hand.call(id::glStencilOpSeparate, &[face, count, count, count]);
        hand.call(id::glStencilMaskSeparate, &[face, 0xFF]);
    }
    let clear = hand.integer(c::GL_STENCIL_CLEAR_VALUE);
    hand.later_call(id::glClearStencil, &[word(clear)]);
    hand.call(id::glClearStencil, &[0]);
    hand.call(id::glClear, &[u64::from(c::GL_STENCIL_BUFFER_BIT)]);
    hand.on(c::GL_STENCIL_TEST);
}
