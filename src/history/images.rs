//! Pictures of what lies around nodes.

use std::path::Path;

use anyhow::Context;
use raster::Color;
use recall::{History, Place, Recall, Value};

use crate::run::picture as png;

/// Texels on each side of a picture.
const SIDE: u32 = 32;

/// Pixels on each side of a texel.
const LARGE: u32 = 8;

/// What marks the texel.
const MARK: [u8; 4] = [255, 0, 255, 255];

/// What stands for what lies outside of the image.
const OUTSIDE: [u8; 4] = [0, 0, 0, 0];

/// Writes a picture for each of the first nodes, named after the node and its call; says how many there are.
pub fn write(recall: &mut Recall<'_>, history: &History, folder: &Path, most: usize) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut written = 0;
    for node in history.nodes.iter().take(most) {
        let left = node.place.at.map(|at| at.saturating_sub(SIDE / 2));
        let Some(values) = recall.neighbourhood(&node.place, node.call + 1, [left[0], left[1], SIDE, SIDE])? else {
            continue;
        };
        let side = SIDE * LARGE;
        let mut rgba = vec![0; (side * side * 4) as usize];
        for (place, pixel) in rgba.chunks_exact_mut(4).enumerate() {
            // Rows are written from the bottom, as images have them.
            let [column, row] = [place as u32 % side, place as u32 / side];
            let [x, y] = [column / LARGE, row / LARGE];
            let colour = values[(y * SIDE + x) as usize].map_or(OUTSIDE, |value| shown(&value));
            let own = [left[0] + x, left[1] + y] == node.place.at;
            let edge = [column % LARGE, row % LARGE].iter().any(|at| *at == 0 || *at == LARGE - 1);
            pixel.copy_from_slice(if own && edge { &MARK } else { &colour });
        }
        let Place { at: [x, y], .. } = node.place;
        let name = format!("{:05}-command{}-{}-{x}-{y}.png", node.id.0, node.call, node.kind.word());
        png::write(&folder.join(name).to_string_lossy(), side, side, &rgba)?;
        written += 1;
    }
    Ok(written)
}

/// A colour for what a texel holds; numbers beyond 1 are white, and those that are none magenta.
fn shown(value: &Value) -> [u8; 4] {
    let byte = |number: f32| (number.clamp(0.0, 1.0) * 255.0).round() as u8;
    match value {
        _ if value.is_nonfinite() => MARK,
        Value::Colour(Color::Float([red, green, blue, _])) => [byte(*red), byte(*green), byte(*blue), 255],
        Value::Colour(Color::Int(channels)) => grey(channels[0] as u8),
        Value::Colour(Color::Uint(channels)) => grey(channels[0] as u8),
        Value::Depth(depth) => grey(byte(*depth)),
        Value::Stencil(value) => grey(*value),
    }
}

fn grey(level: u8) -> [u8; 4] {
    [level, level, level, 255]
}
