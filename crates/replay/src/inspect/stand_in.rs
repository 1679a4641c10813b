//! Prepares a generated program that replaces fixed functions or an assembly program.

use api::reflection::kind::Base;
use open_trace::StandIn;

use super::copy::{Copy, set_uniform};
use super::undo::UndoRecorder;

/// Gives a copy of the program, which is in use, what it needs besides the recorded values.
pub fn prepare(stand_in: &StandIn, gl: &mut UndoRecorder<'_>, copy: Copy) {
    for (name, words) in &stand_in.uniforms {
        let place = copy.location(gl, name.as_bytes());
        let (shape, count) = match words.len() {
            1 => ((Base::Sampler, 1, 1), 1),
            components => ((Base::Float, 1, 4), components / 4),
        };
        set_uniform(gl, place, shape, count as u32, words);
    }
    for (what, on) in &stand_in.switches {
        if *on { gl.enable(*what) } else { gl.disable(*what) }
    }
}
