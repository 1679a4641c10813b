//! Vertices as points, each at a place of its own.

use std::time::Instant;

use api::{constant as c, id};
use device::Tests;
use instrument::inspect::Raw;
use instrument::{InspectError, Transport, Variant};

use super::copy::Copy;
use super::hand::{Hand, word};
use super::run::{Account, Here, How, draw};
use super::scissor::Scissor;
use super::{Target, numbers, targets};

/// The columns of a grid that has several rows.
const COLUMNS: u32 = 1024;

/// Columns and rows that have a place for every vertex of a draw.
pub fn size(here: &Here<'_>) -> Result<[u32; 2], InspectError> {
    let count = numbers::vertices(here)?;
    Ok([count.min(COLUMNS), count.div_ceil(COLUMNS)])
}

/// Puts a grid in the place of what is drawn to, until all is undone.
pub fn set_up(hand: &mut Hand<'_>, size: [u32; 2], account: &mut Account) -> Result<(), InspectError> {
    let target = Target { size, ..Target::default() };
    let scissor = Scissor::keep(hand);
    let drawn = (Tests::Off, &scissor, None);
    account.notes.extend(targets::divert(hand, &target, Transport::PointGrid, drawn, (false, None))?);
    if hand.can.has(30, 30, &[]) {
        hand.off(c::GL_RASTERIZER_DISCARD);
    }
    if hand.can.desktop {
        hand.on(c::GL_PROGRAM_POINT_SIZE);
        (0..8).for_each(|plane| hand.off(c::GL_CLIP_DISTANCE0 + plane));
        while hand.player.take_error() != 0 {}
    }
    keep_viewports(hand);
    hand.call(id::glViewport, &[0, 0, u64::from(size[0]), u64::from(size[1])]);
    Ok(())
}

fn keep_viewports(hand: &mut Hand<'_>) {
    if hand.can.has(41, 0, &["GL_ARB_viewport_array", "GL_OES_viewport_array", "GL_NV_viewport_array"]) {
        for at in 0..hand.integer(c::GL_MAX_VIEWPORTS).clamp(1, 64).cast_unsigned() {
            let mut value = [0f32; 16];
            let words = [u64::from(c::GL_VIEWPORT), u64::from(at), value.as_mut_ptr() as u64];
            hand.call(id::glGetFloati_v, &words);
            let [x, y, width, height] = [value[0], value[1], value[2], value[3]].map(|side| u64::from(side.to_bits()));
            hand.later_call(id::glViewportIndexedf, &[u64::from(at), x, y, width, height]);
        }
    } else {
        let before = hand.integers::<4>(c::GL_VIEWPORT);
        hand.later_call(id::glViewport, &before.map(word));
    }
}

/// Draws every vertex as a point, and reads what is at the places.
pub fn answer(
    hand: &mut Hand<'_>,
    here: &Here<'_>,
    (copy, variant, how): (Copy, &Variant, How),
    size: [u32; 2],
    account: &mut Account,
) -> Result<Raw, InspectError> {
    let place = copy.location(hand, variant.controls.grid.as_bytes());
    let [columns, rows] = size.map(u64::from);
    if copy.pipeline.is_some() {
        hand.call(id::glProgramUniform2i, &[u64::from(copy.program), word(place), columns, rows]);
    } else {
        hand.call(id::glUniform2i, &[word(place), columns, rows]);
    }
    draw(hand, here, How { mode: Some(c::GL_POINTS), ..how }, &mut account.cost)?;
    let start = Instant::now();
    let rectangle = [0, 0, size[0], size[1]];
    let words = targets::read(hand, Transport::PointGrid, rectangle);
    account.cost.read = start.elapsed();
    Ok(Raw::Grid { rectangle, words })
}
