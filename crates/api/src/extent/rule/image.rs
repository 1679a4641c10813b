//! Rules for images.

use super::{RuleInput, bytes, limited};
use crate::constant::*;
use crate::extent::{Extent, Query, Texture, pixels};

/// An image of one, two or three dimensions: `(format, type, width)`, `(format, type, width, height)` or `(format,
/// type, width, height, depth)`; or an offset into the bound pixel buffer.
pub fn image(input: &RuleInput) -> Extent {
    let height = input.values().get(3).copied().unwrap_or(1);
    rectangle(input, input.name(0), input.name(1), (input.value(2), height, input.values().get(4).copied()))
}

/// An image of two dimensions with a limit in bytes: `(format, type, width, height, limit)`.
pub fn limited_image(input: &RuleInput) -> Extent {
    let size = (input.value(2), input.value(3), None);
    limited(rectangle(input, input.name(0), input.name(1), size), Some(input.value(4)))
}

/// An image of three dimensions with a limit in bytes: `(format, type, width, height, depth, limit)`.
pub fn limited_volume(input: &RuleInput) -> Extent {
    let size = (input.value(2), input.value(3), Some(input.value(4)));
    limited(rectangle(input, input.name(0), input.name(1), size), Some(input.value(5)))
}

/// An image of four dimensions, which is several of three in a row: `(format, type, width, height, depth, extent)`.
pub fn image_4d(input: &RuleInput) -> Extent {
    let size = (input.value(2), input.value(3), Some(input.value(4).saturating_mul(input.value(5))));
    rectangle(input, input.name(0), input.name(1), size)
}

/// Compressed data: `(bytes, width)`, `(bytes, width, height)` or `(bytes, width, height, depth)`; or an offset into
/// the bound pixel buffer.
pub fn compressed(input: &RuleInput) -> Extent {
    let store = input.context.pixels(input.access);
    if store.buffer {
        return Extent::Nothing;
    }
    let of = |index: usize| input.values().get(index).copied().unwrap_or(1);
    match pixels::compressed_bytes(&store, input.context.blocks(input.access), [of(1), of(2), of(3)]) {
        Some(size) => Extent::Bytes(size),
        None => bytes(input.value(0), 1),
    }
}

/// A pixel map: `(count)`, or an offset into the bound pixel buffer.
pub fn pixel_map(input: &RuleInput) -> Extent {
    if input.context.pixels(input.access).buffer { Extent::Nothing } else { input.elements(input.value(0)) }
}

/// `glGetPixelMap`: `(map)`, or `(map, limit)` with a limit in bytes.
pub fn pixel_map_query(input: &RuleInput) -> Extent {
    if input.context.pixels(input.access).buffer {
        return Extent::Nothing;
    }
    let count = input.context.query(Query::PixelMap, input.name(0), 0);
    limited(input.elements(count), input.values().get(1).copied())
}

/// A stipple pattern of 32 by 32 bits, or `(limit)` with a limit in bytes.
pub fn stipple(input: &RuleInput) -> Extent {
    limited(rectangle(input, GL_COLOR_INDEX, GL_BITMAP, (32, 32, None)), input.values().first().copied())
}

/// A bitmap: `(width, height)`.
pub fn bitmap(input: &RuleInput) -> Extent {
    rectangle(input, GL_COLOR_INDEX, GL_BITMAP, (input.value(0), input.value(1), None))
}

/// One pixel: `(format, type)`.
pub fn pixel(input: &RuleInput) -> Extent {
    match pixels::pixel(input.name(0), input.name(1)) {
        Some(size) => bytes(i64::try_from(size).unwrap_or(0), 1),
        None => Extent::Nothing,
    }
}

/// A level of the texture bound to a target: `(target, level, format, type)`, and optionally a limit in bytes.
pub fn bound_level(input: &RuleInput) -> Extent {
    let target = input.name(0);
    let extent = level(input, Texture::Bound(target), target, [input.value(1), input.value(2), input.value(3)]);
    limited(extent, input.values().get(4).copied())
}

/// A level of a texture by name: `(texture, level, format, type, limit)`.
pub fn named_level(input: &RuleInput) -> Extent {
    let texture = Texture::Named { name: input.name(0), target: 0 };
    let target = input.context.target(input.name(0));
    let extent = level(input, texture, target, [input.value(1), input.value(2), input.value(3)]);
    limited(extent, input.values().get(4).copied())
}

/// A level of a texture by name and target: `(texture, target, level, format, type)`.
pub fn named_face(input: &RuleInput) -> Extent {
    let target = input.name(1);
    let texture = Texture::Named { name: input.name(0), target };
    level(input, texture, target, [input.value(2), input.value(3), input.value(4)])
}

/// A level of the texture bound to a target of a unit: `(unit, target, level, format, type)`.
pub fn unit_level(input: &RuleInput) -> Extent {
    let target = input.name(1);
    let texture = Texture::Unit { unit: input.name(0), target };
    level(input, texture, target, [input.value(2), input.value(3), input.value(4)])
}

/// A compressed level of the texture bound to a target: `(target, level)`, and optionally a limit in bytes.
pub fn compressed_level(input: &RuleInput) -> Extent {
    let texture = Texture::Bound(input.name(0));
    limited(compressed_image(input, texture, input.value(1), 1), input.values().get(2).copied())
}

/// A compressed level of a texture by name: `(texture, level, limit)`.
pub fn compressed_named_level(input: &RuleInput) -> Extent {
    let texture = Texture::Named { name: input.name(0), target: 0 };
    let faces = if input.context.target(input.name(0)) == GL_TEXTURE_CUBE_MAP { 6 } else { 1 };
    limited(compressed_image(input, texture, input.value(1), faces), input.values().get(2).copied())
}

/// A compressed level of a texture by name and target: `(texture, target, level)`.
pub fn compressed_named_face(input: &RuleInput) -> Extent {
    let texture = Texture::Named { name: input.name(0), target: input.name(1) };
    compressed_image(input, texture, input.value(2), 1)
}

/// A compressed level of the texture bound to a target of a unit: `(unit, target, level)`.
pub fn compressed_unit_level(input: &RuleInput) -> Extent {
    let texture = Texture::Unit { unit: input.name(0), target: input.name(1) };
    compressed_image(input, texture, input.value(2), 1)
}

/// Tables of the imaging subset: `(target, format, type, name of the width, name of the height or 0)`, and optionally a
/// limit in bytes.
pub fn imaging(input: &RuleInput) -> Extent {
    let target = input.name(0);
    let of = |name: u32| if name == 0 { 1 } else { input.context.query(Query::Imaging, target, name) };
    let size = (of(input.name(3)), of(input.name(4)), None);
    limited(rectangle(input, input.name(1), input.name(2), size), input.values().get(5).copied())
}

/// `glGetMinmax`, two pixels: `(format, type)`, and optionally a limit in bytes.
pub fn minmax(input: &RuleInput) -> Extent {
    limited(rectangle(input, input.name(0), input.name(1), (2, 1, None)), input.values().get(2).copied())
}

/// A level of a texture in the program's memory.
fn level(input: &RuleInput, texture: Texture, target: u32, [level, format, kind]: [i64; 3]) -> Extent {
    let level = level as i32;
    let of = |name| input.context.level(texture, level, name);
    let (width, height) = (of(GL_TEXTURE_WIDTH), of(GL_TEXTURE_HEIGHT).max(1));
    // The depth counts layers of arrays; all faces of a cube map are returned as layers (GL 4.6, 8.11.4).
    let depth = match target {
        GL_TEXTURE_3D | GL_TEXTURE_2D_ARRAY | GL_TEXTURE_CUBE_MAP_ARRAY => Some(of(GL_TEXTURE_DEPTH).max(1)),
        GL_TEXTURE_CUBE_MAP => Some(6),
        0 => Some(of(GL_TEXTURE_DEPTH)).filter(|depth| *depth > 1),
        _ => None,
    };
    rectangle(input, format as u32, kind as u32, (width, height, depth))
}

fn compressed_image(input: &RuleInput, texture: Texture, level: i64, faces: i64) -> Extent {
    if input.context.pixels(input.access).buffer {
        return Extent::Nothing;
    }
    bytes(input.context.level(texture, level as i32, GL_TEXTURE_COMPRESSED_IMAGE_SIZE).saturating_mul(faces), 1)
}

/// An image laid out by the pixel store, or nothing when a buffer is bound.
fn rectangle(input: &RuleInput, format: u32, kind: u32, size: (i64, i64, Option<i64>)) -> Extent {
    let store = input.context.pixels(input.access);
    if store.buffer {
        return Extent::Nothing;
    }
    match pixels::bytes(&store, format, kind, size.0, size.1, size.2) {
        Some(0) | None => Extent::Nothing,
        Some(size) => Extent::Bytes(size),
    }
}
