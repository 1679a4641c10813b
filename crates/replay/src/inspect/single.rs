//! Numbers vertices that are specified one by one.
//!
//! `gl_VertexID` is undefined for vertices that do not come from arrays (GL 4.6 compatibility, 11.1.3.9). Mesa collects them
//! in a buffer and counts from where the buffer was last full, which depends on earlier draws; in a display list it counts
//! from the list's position in memory. So for questions about vertices, such a draw is split into calls of at most one
//! vertex each, and an attribute gets the number of each vertex, from 0.

use api::{CommandId, id};
use instrument::InspectError;
use open_trace::{Makes, Single, SingleCall};
use trace::{Call, Reader};

use super::changes::failed;
use super::undo::UndoRecorder;

/// Makes the calls, with the number of each vertex in an attribute. Primitives of another kind are drawn when `mode` says
/// so.
pub fn issue(
    gl: &mut UndoRecorder<'_>,
    reader: &Reader,
    singles: &[Single],
    (attribute, mode): (u32, Option<u32>),
) -> Result<(), InspectError> {
    let mut number = 0f32;
    let mode = mode.map(|mode| [u64::from(mode)]);
    for single in singles {
        if single.makes == Makes::Vertex {
            gl.call(id::glVertexAttrib1f, &[u64::from(attribute), u64::from(number.to_bits())]);
            number += 1.0;
        }
        let other = |command: CommandId| mode.as_ref().filter(|_| command == id::glBegin);
        match &single.what {
            SingleCall::Own(command, args) => {
                let args = &args[..api::command(*command).params.len()];
                gl.call(*command, other(*command).map_or(args, |mode| mode));
            }
            SingleCall::Recorded(number) => {
                let held = reader.call_at(*number).map_err(|error| failed(&error.to_string()))?;
                let call = held.call();
                let args = call.command.and_then(other).map_or(call.args, |mode| mode);
                gl.player.redo(&Call { args, ..call }, reader).map_err(|error| failed(&error.to_string()))?;
            }
        }
    }
    Ok(())
}

/// Whether a call between `glBegin` and `glEnd` makes a vertex of what was given before it.
pub fn makes_vertex(call: &Call<'_>) -> bool {
    call.command.is_some_and(|command| api::command(command).makes_vertex(call.args))
}
