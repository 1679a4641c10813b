//! Makes the calls of a draw again, without side effects.

use api::{Trait, constant as c, id};
use instrument::InspectError;
use open_trace::{DrawCalls, each_draw_call};
use trace::{Call, Reader};

use super::changes::{failed, keep_attribute};
use super::copy::bytes_of;
use super::undo::{UndoRecorder, word};

/// Makes the calls. Primitives of another kind are drawn when `mode` says so.
pub fn issue(
    gl: &mut UndoRecorder<'_>,
    reader: &Reader,
    calls: &DrawCalls,
    mode: Option<u32>,
) -> Result<(), InspectError> {
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
        gl.player.redo(&call, reader).map_err(|error| error.to_string())
    });
    made.map_err(|text| failed(&text))
}

/// Remembers current values that immediate mode changes, where calls are of that kind. Evaluators are: Mesa leaves the
/// last normal behind.
pub fn keep_current(gl: &mut UndoRecorder<'_>, calls: &DrawCalls) {
    let lists = calls.about().has(Trait::CallsLists);
    let immediate = lists || calls.command == id::glEnd || calls.about().has(Trait::Evaluates);
    if !gl.capabilities.compatibility || !immediate {
        return;
    }
    if lists {
        keep_listed(gl);
    }
    keep_materials(gl);
    let attributes = gl.integer(c::GL_MAX_VERTEX_ATTRIBS).clamp(1, 16).cast_unsigned();
    (1..attributes).for_each(|index| keep_attribute(gl, index));
    let active = gl.integer(c::GL_ACTIVE_TEXTURE);
    for unit in 0..gl.integer(c::GL_MAX_TEXTURE_COORDS).clamp(1, 8).cast_unsigned() {
        let name = u64::from(c::GL_TEXTURE0 + unit);
        gl.call(id::glActiveTexture, &[name]);
        keep_floats(gl, c::GL_CURRENT_TEXTURE_COORDS, move |value| (id::glMultiTexCoord4f, vec![name], value.to_vec()));
    }
    gl.call(id::glActiveTexture, &[word(active)]);
    keep_floats(gl, c::GL_CURRENT_COLOR, |value| (id::glColor4f, vec![], value.to_vec()));
    keep_floats(gl, c::GL_CURRENT_NORMAL, |value| (id::glNormal3f, vec![], value[..3].to_vec()));
    keep_floats(gl, c::GL_CURRENT_SECONDARY_COLOR, |value| (id::glSecondaryColor3f, vec![], value[..3].to_vec()));
    keep_floats(gl, c::GL_CURRENT_FOG_COORD, |value| (id::glFogCoordf, vec![], value[..1].to_vec()));
    keep_floats(gl, c::GL_CURRENT_INDEX, |value| (id::glIndexf, vec![], value[..1].to_vec()));
    let edge = gl.boolean(c::GL_EDGE_FLAG);
    gl.call_on_undo(id::glEdgeFlag, &[u64::from(edge)]);
}

/// Saves state that display lists may set, until the undo.
fn keep_listed(gl: &mut UndoRecorder<'_>) {
    let base = gl.integer(c::GL_LIST_BASE);
    gl.call_on_undo(id::glListBase, &[word(base)]);
    let model = gl.integer(c::GL_SHADE_MODEL);
    gl.call_on_undo(id::glShadeModel, &[word(model)]);
    // Loading the numbers of a matrix does not restore it exactly: drivers keep more information about it.
    gl.call(id::glPushMatrix, &[]);
    if gl.player.take_error() == 0 {
        gl.call_on_undo(id::glPopMatrix, &[]);
        return;
    }
    // The matrix stack is full.
    let matrix = match gl.integer(c::GL_MATRIX_MODE).cast_unsigned() {
        c::GL_MODELVIEW => c::GL_MODELVIEW_MATRIX,
        c::GL_PROJECTION => c::GL_PROJECTION_MATRIX,
        c::GL_TEXTURE => c::GL_TEXTURE_MATRIX,
        _ => return,
    };
    let numbers = gl.floats::<16>(matrix).map(f32::to_bits);
    gl.on_undo(move |player| {
        player.own_call_reading(id::glLoadMatrixf, &[], &bytes_of(&numbers));
    });
}

/// Remembers floats: how to set them is a call with some words and then floats.
fn keep_floats(
    gl: &mut UndoRecorder<'_>,
    name: u32,
    set: impl FnOnce([f32; 4]) -> (api::CommandId, Vec<u64>, Vec<f32>) + 'static,
) {
    let value = gl.floats::<4>(name);
    let (command, mut words, floats) = set(value);
    words.extend(floats.into_iter().map(|value| u64::from(value.to_bits())));
    gl.call_on_undo(command, &words);
}

fn keep_materials(gl: &mut UndoRecorder<'_>) {
    for face in [c::GL_FRONT, c::GL_BACK] {
        for what in [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION, c::GL_SHININESS, c::GL_COLOR_INDEXES]
        {
            let words = [face, what].map(u64::from);
            let value: [u32; 4] = gl.query(id::glGetMaterialfv, &words);
            gl.on_undo(move |player| {
                player.own_call_reading(id::glMaterialfv, &words, &bytes_of(&value));
            });
        }
    }
}
