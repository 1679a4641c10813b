//! Making the calls of a draw once more, and what must be minded.

use api::{Trait, constant as c, id};
use instrument::InspectError;
use open_trace::{DrawCalls, each_draw_call};
use trace::{Call, Reader};

use super::changes::{failed, keep_attribute};
use super::hand::{Hand, word};

/// Makes the calls. Primitives of another kind are drawn when `mode` says so.
pub fn issue(hand: &mut Hand<'_>, reader: &Reader, calls: &DrawCalls, mode: Option<u32>) -> Result<(), InspectError> {
    let made = each_draw_call(reader, calls, &mut |call| {
        let at = call.command.and_then(|id| api::command(id).param("mode"));
        let mut args = call.args.to_vec();
        if let (Some(at), Some(mode)) = (at, mode) {
            args[at] = u64::from(mode);
        }
        if call.command == Some(id::glBitmap) {
            // It moves the raster position, which no other call sets to what it was with all that belongs to it (GL 4.6
            // compatibility, 14.7); here it does not.
            args[4..6].fill(0);
        }
        let call = Call { args: &args, ..*call };
        hand.player.redo(&call, reader).map_err(|error| error.to_string())
    });
    made.map_err(|text| failed(&text))
}

/// Remembers current values that immediate mode changes, where calls are of that kind. Evaluators are: Mesa leaves the
/// last normal behind.
pub fn keep_current(hand: &mut Hand<'_>, calls: &DrawCalls) {
    let lists = calls.about().has(Trait::CallsLists);
    let immediate = lists || calls.command == id::glEnd || calls.about().has(Trait::Evaluates);
    if !hand.can.compatibility || !immediate {
        return;
    }
    if lists {
        keep_listed(hand);
    }
    keep_materials(hand);
    let attributes = hand.integer(c::GL_MAX_VERTEX_ATTRIBS).clamp(1, 16).cast_unsigned();
    (1..attributes).for_each(|index| keep_attribute(hand, index));
    let active = hand.integer(c::GL_ACTIVE_TEXTURE);
    for unit in 0..hand.integer(c::GL_MAX_TEXTURE_COORDS).clamp(1, 8).cast_unsigned() {
        let name = u64::from(c::GL_TEXTURE0 + unit);
        hand.call(id::glActiveTexture, &[name]);
        keep_floats(hand, c::GL_CURRENT_TEXTURE_COORDS, move |value| {
            (id::glMultiTexCoord4f, vec![name], value.to_vec())
        });
    }
    hand.call(id::glActiveTexture, &[word(active)]);
    keep_floats(hand, c::GL_CURRENT_COLOR, |value| (id::glColor4f, vec![], value.to_vec()));
    keep_floats(hand, c::GL_CURRENT_NORMAL, |value| (id::glNormal3f, vec![], value[..3].to_vec()));
    keep_floats(hand, c::GL_CURRENT_SECONDARY_COLOR, |value| (id::glSecondaryColor3f, vec![], value[..3].to_vec()));
    keep_floats(hand, c::GL_CURRENT_FOG_COORD, |value| (id::glFogCoordf, vec![], value[..1].to_vec()));
    keep_floats(hand, c::GL_CURRENT_INDEX, |value| (id::glIndexf, vec![], value[..1].to_vec()));
    let edge = hand.truth(c::GL_EDGE_FLAG);
    hand.later_call(id::glEdgeFlag, &[u64::from(edge)]);
}

/// Keeps what display lists that draw may set, until all is undone.
fn keep_listed(hand: &mut Hand<'_>) {
    let base = hand.integer(c::GL_LIST_BASE);
    hand.later_call(id::glListBase, &[word(base)]);
    let model = hand.integer(c::GL_SHADE_MODEL);
    hand.later_call(id::glShadeModel, &[word(model)]);
    // Whoever loads the numbers of a matrix again does not have the same matrix: drivers know more of it.
    hand.call(id::glPushMatrix, &[]);
    if hand.player.take_error() == 0 {
        hand.later_call(id::glPopMatrix, &[]);
        return;
    }
    // There is no room for one more.
    let matrix = match hand.integer(c::GL_MATRIX_MODE).cast_unsigned() {
        c::GL_MODELVIEW => c::GL_MODELVIEW_MATRIX,
        c::GL_PROJECTION => c::GL_PROJECTION_MATRIX,
        c::GL_TEXTURE => c::GL_TEXTURE_MATRIX,
        _ => return,
    };
    let numbers = hand.floats::<16>(matrix);
    hand.later(move |player| {
        player.own_call(id::glLoadMatrixf, &[numbers.as_ptr() as u64]);
    });
}

/// Remembers floats: how to set them is a call with some words and then floats.
fn keep_floats(
    hand: &mut Hand<'_>,
    name: u32,
    set: impl FnOnce([f32; 4]) -> (api::CommandId, Vec<u64>, Vec<f32>) + 'static,
) {
    let value = hand.floats::<4>(name);
    let (command, mut words, floats) = set(value);
    words.extend(floats.into_iter().map(|value| u64::from(value.to_bits())));
    hand.later_call(command, &words);
}

fn keep_materials(hand: &mut Hand<'_>) {
    for face in [c::GL_FRONT, c::GL_BACK] {
        for what in [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION, c::GL_SHININESS, c::GL_COLOR_INDEXES]
        {
            let mut value = [0f32; 4];
            let (face, what) = (u64::from(face), u64::from(what));
            hand.call(id::glGetMaterialfv, &[face, what, value.as_mut_ptr() as u64]);
            hand.later(move |player| {
                player.own_call(id::glMaterialfv, &[face, what, value.as_ptr() as u64]);
            });
        }
    }
}
