//! Vertices as points, each at a place of its own.

use api::{constant as c, id};
use device::Tests;
use instrument::inspect::Raw;
use instrument::{InspectError, Transport, Variant};

use super::copy::Copy;
use super::run::{Account, Here, How, draw};
use super::scissor::Scissor;
use super::undo::{UndoRecorder, word};
use super::{Target, numbers, targets};

/// The columns of a grid that has several rows.
const COLUMNS: u32 = 1024;

/// Columns and rows that have a place for every vertex of a draw.
pub fn size(here: &Here<'_>) -> Result<[u32; 2], InspectError> {
    let count = numbers::vertices(here)?;
    Ok([count.min(COLUMNS), count.div_ceil(COLUMNS)])
}

/// Puts a grid in the place of what is drawn to, until all is undone.
pub fn set_up(gl: &mut UndoRecorder<'_>, size: [u32; 2], account: &mut Account) -> Result<(), InspectError> {
    let target = Target { size, ..Target::default() };
    let scissor = Scissor::keep(gl);
    let drawn = (Tests::Off, &scissor, None);
    account.notes.extend(targets::divert(gl, &target, Transport::PointGrid, drawn, (false, None))?);
    if gl.capabilities.has(30, 30, &[]) {
        gl.disable(c::GL_RASTERIZER_DISCARD);
    }
    if gl.capabilities.desktop {
        gl.enable(c::GL_PROGRAM_POINT_SIZE);
        (0..8).for_each(|plane| gl.disable(c::GL_CLIP_DISTANCE0 + plane));
        while gl.player.take_error() != 0 {}
    }
    keep_viewports(gl);
    gl.call(id::glViewport, &[0, 0, u64::from(size[0]), u64::from(size[1])]);
    Ok(())
}

fn keep_viewports(gl: &mut UndoRecorder<'_>) {
    if gl.capabilities.has(41, 0, &["GL_ARB_viewport_array", "GL_OES_viewport_array", "GL_NV_viewport_array"]) {
        for at in 0..gl.integer(c::GL_MAX_VIEWPORTS).clamp(1, 64).cast_unsigned() {
            let [x, y, width, height] =
                gl.query(id::glGetFloati_v, &[c::GL_VIEWPORT, at].map(u64::from)).map(u64::from);
            gl.call_on_undo(id::glViewportIndexedf, &[u64::from(at), x, y, width, height]);
        }
    } else {
        let before = gl.integers::<4>(c::GL_VIEWPORT);
        gl.call_on_undo(id::glViewport, &before.map(word));
    }
}

/// Draws every vertex as a point, and reads what is at the places.
pub fn answer(
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    (copy, variant, how): (Copy, &Variant, How),
    size: [u32; 2],
    account: &mut Account,
) -> Result<Raw, InspectError> {
    let place = copy.location(gl, variant.controls.grid.as_bytes());
    let [columns, rows] = size.map(u64::from);
    if copy.pipeline.is_some() {
        gl.call(id::glProgramUniform2i, &[u64::from(copy.program), word(place), columns, rows]);
    } else {
        gl.call(id::glUniform2i, &[word(place), columns, rows]);
    }
    draw(gl, here, How { mode: Some(c::GL_POINTS), ..how }, &mut account.cost)?;
    let start = gl.player.time();
    let rectangle = [0, 0, size[0], size[1]];
    let words = targets::read(gl, Transport::PointGrid, rectangle);
    account.cost.read = gl.player.time() - start;
    Ok(Raw::Grid { rectangle, words })
}
