//! Rules for images.

use super::{Asked, bytes, limited};
use crate::constant::*;
use crate::extent::{Extent, Query, Texture, pixels};

/// An image: `(format, type, width)`, `(…, height)` and, for images of three dimensions, `(…, depth)`; or an offset into
/// the bound pixel buffer.
pub fn image(asked: &Asked) -> Extent {
    let height = asked.values().get(3).copied().unwrap_or(1);
    rectangle(asked, asked.name(0), asked.name(1), (asked.value(2), height, asked.values().get(4).copied()))
}

/// The same of two dimensions with a limit in bytes: `(format, type, width, height, limit)`.
pub fn limited_image(asked: &Asked) -> Extent {
    let size = (asked.value(2), asked.value(3), None);
    limited(rectangle(asked, asked.name(0), asked.name(1), size), Some(asked.value(4)))
}

/// The same of three dimensions with a limit: `(format, type, width, height, depth, limit)`.
pub fn limited_volume(asked: &Asked) -> Extent {
    let size = (asked.value(2), asked.value(3), Some(asked.value(4)));
    limited(rectangle(asked, asked.name(0), asked.name(1), size), Some(asked.value(5)))
}

/// Images of four dimensions are images of three, one after the other: `(format, type, width, height, depth, extent)`.
pub fn image_4d(asked: &Asked) -> Extent {
    let size = (asked.value(2), asked.value(3), Some(asked.value(4).saturating_mul(asked.value(5))));
    rectangle(asked, asked.name(0), asked.name(1), size)
}

/// Compressed data: `(bytes, width)`, `(…, height)`, `(…, depth)`, or an offset into the bound pixel buffer.
pub fn compressed(asked: &Asked) -> Extent {
    let store = asked.around.pixels(asked.access);
    if store.buffer {
        return Extent::Nothing;
    }
    let of = |index: usize| asked.values().get(index).copied().unwrap_or(1);
    match pixels::compressed_bytes(&store, asked.around.blocks(asked.access), [of(1), of(2), of(3)]) {
        Some(size) => Extent::Bytes(size),
        None => bytes(asked.value(0), 1),
    }
}

/// A table of so many elements, or an offset into the bound pixel buffer.
pub fn pixel_map(asked: &Asked) -> Extent {
    if asked.around.pixels(asked.access).buffer { Extent::Nothing } else { asked.elements(asked.value(0)) }
}

/// `glGetPixelMap`: `(map)`, at most `(, bytes)` where there is a second number.
pub fn pixel_map_query(asked: &Asked) -> Extent {
    if asked.around.pixels(asked.access).buffer {
        return Extent::Nothing;
    }
    let count = asked.around.query(Query::PixelMap, asked.name(0), 0);
    limited(asked.elements(count), asked.values().get(1).copied())
}

/// A pattern of 32 by 32 bits, at most so many bytes where there is a number.
pub fn stipple(asked: &Asked) -> Extent {
    limited(rectangle(asked, GL_COLOR_INDEX, GL_BITMAP, (32, 32, None)), asked.values().first().copied())
}

/// A bitmap: `(width, height)`.
pub fn bitmap(asked: &Asked) -> Extent {
    rectangle(asked, GL_COLOR_INDEX, GL_BITMAP, (asked.value(0), asked.value(1), None))
}

/// One pixel: `(format, type)`.
pub fn pixel(asked: &Asked) -> Extent {
    match pixels::pixel(asked.name(0), asked.name(1)) {
        Some(size) => bytes(i64::try_from(size).unwrap_or(0), 1),
        None => Extent::Nothing,
    }
}

/// A level of the texture bound to a target: `(target, level, format, type)`, at most `(…, limit)`.
pub fn bound_level(asked: &Asked) -> Extent {
    let target = asked.name(0);
    let extent = level(asked, Texture::Bound(target), target, [asked.value(1), asked.value(2), asked.value(3)]);
    limited(extent, asked.values().get(4).copied())
}

/// A level of a texture by name: `(texture, level, format, type, limit)`.
pub fn named_level(asked: &Asked) -> Extent {
    let texture = Texture::Named { name: asked.name(0), target: 0 };
    let target = asked.around.target(asked.name(0));
    let extent = level(asked, texture, target, [asked.value(1), asked.value(2), asked.value(3)]);
    limited(extent, asked.values().get(4).copied())
}

/// A level of a texture by name and target: `(texture, target, level, format, type)`.
pub fn named_face(asked: &Asked) -> Extent {
    let target = asked.name(1);
    let texture = Texture::Named { name: asked.name(0), target };
    level(asked, texture, target, [asked.value(2), asked.value(3), asked.value(4)])
}

/// A level of the texture bound to a target of a unit: `(unit, target, level, format, type)`.
pub fn unit_level(asked: &Asked) -> Extent {
    let target = asked.name(1);
    let texture = Texture::Unit { unit: asked.name(0), target };
    level(asked, texture, target, [asked.value(2), asked.value(3), asked.value(4)])
}

/// A compressed level of the texture bound to a target: `(target, level)`, at most `(…, limit)`.
pub fn compressed_level(asked: &Asked) -> Extent {
    let texture = Texture::Bound(asked.name(0));
    limited(compressed_image(asked, texture, asked.value(1), 1), asked.values().get(2).copied())
}

/// A compressed level of a texture by name: `(texture, level, limit)`.
pub fn compressed_named_level(asked: &Asked) -> Extent {
    let texture = Texture::Named { name: asked.name(0), target: 0 };
    let faces = if asked.around.target(asked.name(0)) == GL_TEXTURE_CUBE_MAP { 6 } else { 1 };
    limited(compressed_image(asked, texture, asked.value(1), faces), asked.values().get(2).copied())
}

/// A compressed level of a texture by name and target: `(texture, target, level)`.
pub fn compressed_named_face(asked: &Asked) -> Extent {
    let texture = Texture::Named { name: asked.name(0), target: asked.name(1) };
    compressed_image(asked, texture, asked.value(2), 1)
}

/// A compressed level of the texture bound to a target of a unit: `(unit, target, level)`.
pub fn compressed_unit_level(asked: &Asked) -> Extent {
    let texture = Texture::Unit { unit: asked.name(0), target: asked.name(1) };
    compressed_image(asked, texture, asked.value(2), 1)
}

/// Tables of the imaging subset: `(target, format, type, name of the width, name of the height or 0)`, at most
/// `(…, limit)`.
pub fn imaging(asked: &Asked) -> Extent {
    let target = asked.name(0);
    let of = |name: u32| if name == 0 { 1 } else { asked.around.query(Query::Imaging, target, name) };
    let size = (of(asked.name(3)), of(asked.name(4)), None);
    limited(rectangle(asked, asked.name(1), asked.name(2), size), asked.values().get(5).copied())
}

/// `glGetMinmax`: two pixels: `(format, type)`, at most `(…, limit)`.
pub fn minmax(asked: &Asked) -> Extent {
    limited(rectangle(asked, asked.name(0), asked.name(1), (2, 1, None)), asked.values().get(2).copied())
}

/// A level of a texture, as the program's memory holds it.
fn level(asked: &Asked, texture: Texture, target: u32, [level, format, kind]: [i64; 3]) -> Extent {
    let level = level as i32;
    let of = |name| asked.around.level(texture, level, name);
    let (width, height) = (of(GL_TEXTURE_WIDTH), of(GL_TEXTURE_HEIGHT).max(1));
    // The depth counts layers of arrays; all faces of a cube come as layers (GL 4.6, 8.11.4).
    let depth = match target {
        GL_TEXTURE_3D | GL_TEXTURE_2D_ARRAY | GL_TEXTURE_CUBE_MAP_ARRAY => Some(of(GL_TEXTURE_DEPTH).max(1)),
        GL_TEXTURE_CUBE_MAP => Some(6),
        0 => Some(of(GL_TEXTURE_DEPTH)).filter(|depth| *depth > 1),
        _ => None,
    };
    rectangle(asked, format as u32, kind as u32, (width, height, depth))
}

fn compressed_image(asked: &Asked, texture: Texture, level: i64, faces: i64) -> Extent {
    if asked.around.pixels(asked.access).buffer {
        return Extent::Nothing;
    }
    bytes(asked.around.level(texture, level as i32, GL_TEXTURE_COMPRESSED_IMAGE_SIZE).saturating_mul(faces), 1)
}

/// An image where the pixel store says, or nothing when a buffer is bound.
fn rectangle(asked: &Asked, format: u32, kind: u32, size: (i64, i64, Option<i64>)) -> Extent {
    let store = asked.around.pixels(asked.access);
    if store.buffer {
        return Extent::Nothing;
    }
    match pixels::bytes(&store, format, kind, size.0, size.1, size.2) {
        Some(0) | None => Extent::Nothing,
        Some(size) => Extent::Bytes(size),
    }
}
