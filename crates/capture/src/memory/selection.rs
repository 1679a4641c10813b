//! `glFeedbackBuffer` and `glSelectBuffer`: GL keeps these pointers, and what it writes there is complete at the next
//! `glRenderMode`. It is recorded as output of that call, behind its only parameter.

use api::constant as c;

use super::action::{self, Action};
use super::payload;
use crate::call::{Call, Payloads};

/// Buffers for feedback and selection.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    mode: u32,
    /// Address of the feedback buffer and its size in values.
    feedback: (u64, usize),
    /// Address of the selection buffer and its size in values.
    select: (u64, usize),
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { mode: c::GL_RENDER, feedback: (0, 0), select: (0, 0) }
    }
}

/// Runs before one of the commands.
pub fn before(call: &mut Call<'_>) {
    let word = |index: usize| call.args.get(index).copied().unwrap_or(0);
    let size = usize::try_from(word(0) as i32).unwrap_or(0);
    let (feedback, select) = ((word(2), size), (word(1), size));
    let Some(context) = call.context.as_mut() else { return };
    let selection = &mut context.memory.selection;
    match action::of(call.command) {
        Action::Feedback => selection.feedback = feedback,
        Action::Select => selection.select = select,
        _ => {}
    }
}

/// Runs after `glRenderMode`, which returns the number of values or hits, negative when the buffer overflowed.
pub fn after(call: &mut Call<'_>, payloads: &mut Payloads) {
    let mode = call.args.first().map_or(0, |word| *word as u32);
    let count = call.result as i32;
    let Some(context) = call.context.as_mut() else { return };
    let selection = &mut context.memory.selection;
    let (address, values) = match selection.mode {
        c::GL_FEEDBACK => {
            let (address, room) = selection.feedback;
            (address, usize::try_from(count).map_or(room, |count| count.min(room)))
        }
        c::GL_SELECT => {
            let (address, room) = selection.select;
            (address, usize::try_from(count).map_or(room, |count| hits(address, room, count)))
        }
        _ => (0, 0),
    };
    if matches!(mode, c::GL_RENDER | c::GL_FEEDBACK | c::GL_SELECT) {
        selection.mode = mode;
    }
    if address != 0 && values > 0 {
        // SAFETY: the program gave GL this memory, and GL has just written to it.
        unsafe { payloads.push(0, address as *const u8, values * 4) };
    }
}

/// Returns the number of values of `count` hit records: each is a number of names, two depths, and the names (GL 4.6
/// compatibility, 21.2).
fn hits(address: u64, room: usize, count: usize) -> usize {
    let mut at = 0;
    for _ in 0..count {
        if at >= room {
            break;
        }
        let names = payload::int(address.wrapping_add(4 * at as u64));
        at += 3 + usize::try_from(names).unwrap_or(0);
    }
    at.min(room)
}
