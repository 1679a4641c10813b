//! Pictures of what lies around nodes.

use std::path::Path;

use anyhow::Context;
use session::{History, TexelValue};

use crate::overwrite;
use crate::run::picture as png;

/// Pixels on each side of a texel.
const LARGE: u32 = 8;

/// What marks the texel.
const MARK: [u8; 4] = [255, 0, 255, 255];

/// What stands for what lies outside of the image.
const OUTSIDE: [u8; 4] = [0, 0, 0, 0];

/// Writes a picture of the texels around each node that has them, named after the node and its command, and returns how
/// many there are.
pub fn write(history: &History, folder: &Path, force: bool) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut written = 0;
    for around in &history.surroundings {
        let Some(node) = history.node(around.node) else { continue };
        let ([columns, rows], corner) = (around.size, around.corner);
        let (width, height) = (columns * LARGE, rows * LARGE);
        let mut rgba = vec![0; (width * height * 4) as usize];
        for (place, pixel) in rgba.chunks_exact_mut(4).enumerate() {
            // Rows are written from the bottom, as images have them.
            let [column, row] = [place as u32 % width, place as u32 / width];
            let [x, y] = [column / LARGE, row / LARGE];
            let colour = around.texels[(y * columns + x) as usize].map_or(OUTSIDE, |value| shown(&value));
            let own = [corner[0] + x, corner[1] + y] == node.at;
            let edge = [column % LARGE, row % LARGE].iter().any(|at| *at == 0 || *at == LARGE - 1);
            pixel.copy_from_slice(if own && edge { &MARK } else { &colour });
        }
        let [x, y] = node.at;
        let name = format!("{:05}-command{}-{}-{x}-{y}.png", node.id, node.command, node.kind);
        let file = folder.join(name);
        overwrite::refuse(&file, force)?;
        png::write(&file.to_string_lossy(), width, height, &rgba)?;
        written += 1;
    }
    Ok(written)
}

/// A colour for what a texel holds; numbers beyond 1 are white, and those that are none magenta.
fn shown(value: &TexelValue) -> [u8; 4] {
    let byte = |number: f32| (number.clamp(0.0, 1.0) * 255.0).round() as u8;
    match value {
        _ if value.is_nonfinite() => MARK,
        TexelValue::Float([red, green, blue, _]) => [byte(*red), byte(*green), byte(*blue), 255],
        TexelValue::Int(channels) => grey(channels[0] as u8),
        TexelValue::Uint(channels) => grey(channels[0] as u8),
        TexelValue::Depth(depth) => grey(byte(*depth)),
        TexelValue::Stencil(value) => grey(*value),
    }
}

fn grey(level: u8) -> [u8; 4] {
    [level, level, level, 255]
}
