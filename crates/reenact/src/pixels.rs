//! Converts images that were read back from a driver to textures.

use std::sync::Arc;

use api::constant as c;
use state::objects::format::{Class as FormatClass, Format as ModelFormat};
use state::objects::texture::{Target, Texture as Recorded};
use texture::{Compression, Dim, Format, Level, Reading, Texture, Value};

/// `GL_COMPRESSED_LUMINANCE_ALPHA_3DC_ATI`, which is missing in the registry.
const LUMINANCE_ALPHA_3DC: u32 = 0x8837;

/// One image of a texture: a level, or one face of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plane {
    /// The texture's target, or a face of a cube map.
    pub target: u32,
    /// The level; for multisample images, which have one level, the number of samples.
    pub level: u32,
    /// Width, height and depth; includes the layers of array targets.
    pub size: [u32; 3],
    /// The format of the pixels: `GL_RGBA`, `GL_RGBA_INTEGER`, `GL_DEPTH_COMPONENT`, `GL_DEPTH_STENCIL`,
    /// `GL_STENCIL_INDEX`, or 0 for compressed blocks.
    pub format: u32,
    /// The type of the pixels, or the internal format of compressed blocks.
    pub pixel_type: u32,
    /// The pixels, rows without padding.
    pub bytes: Vec<u8>,
}

/// Builds a texture from the model's description and the contents of its images; its parameters have their initial
/// values.
pub fn texture(recorded: &Recorded, target: Target, planes: &[Plane]) -> Result<Texture, String> {
    let first = planes.first().ok_or("the texture has no images")?;
    let (dim, layered) = shape(target);
    let (format, decoded) = match compression(first.pixel_type).filter(|_| first.format == 0) {
        Some((compression, format)) => (format, Some(compression)),
        None if first.format == 0 => return Err(format!("unknown compressed format {:#06x}", first.pixel_type)),
        None => {
            let known = recorded.levels.iter().flatten().find_map(|level| level.format);
            (known.and_then(stored_as).ok_or("unknown internal format")?, None)
        }
    };
    let mut texture = Texture::new(dim, format, Vec::new());
    for plane in planes {
        let [width, height, depth] = plane.size;
        let (size, layers) = match (layered, dim) {
            (true, Dim::D1) => ([width, 1, 1], Some(height)),
            (true, Dim::Cube) => ([width, height, 1], Some(depth / 6)),
            (true, _) => ([width, height, 1], Some(depth)),
            (false, Dim::D3) => ([width, height, depth], None),
            (false, _) => ([width, height, 1], None),
        };
        let several = dim == Dim::D2Multisample;
        let place = if several { 0 } else { plane.level as usize };
        if texture.levels.len() <= place {
            texture.levels.resize(place + 1, Level::default());
        }
        let data = match decoded {
            Some(compression) => compression.decode(width, height, depth, &plane.bytes),
            None => encoded(plane, format)?,
        };
        let data = match several {
            true => {
                texture.samples = plane.level.max(1);
                interleaved(&data, format.bytes(), (width * height) as usize, texture.samples as usize)
            }
            false => data,
        };
        texture.layers = texture.layers.or(layers);
        let level = &mut texture.levels[place];
        [level.width, level.height, level.depth] = size;
        // Faces follow each other, which is the order of layers.
        Arc::make_mut(&mut level.data).extend(data);
    }
    Ok(texture)
}

/// The compression of an internal format, and the format that its texels represent.
fn compression(internal: u32) -> Option<(Compression, Format)> {
    // Blocks of luminance and alpha are the same as those of red and green (EXT_texture_compression_latc); so are those
    // of ATI_texture_compression_3dc.
    let (blocks, luminance) = match internal {
        c::GL_COMPRESSED_LUMINANCE_LATC1_EXT => (c::GL_COMPRESSED_RED_RGTC1, Some(Format::Luminance16)),
        c::GL_COMPRESSED_SIGNED_LUMINANCE_LATC1_EXT => {
            (c::GL_COMPRESSED_SIGNED_RED_RGTC1, Some(Format::Luminance16Snorm))
        }
        c::GL_COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT | LUMINANCE_ALPHA_3DC => {
            (c::GL_COMPRESSED_RG_RGTC2, Some(Format::Luminance16Alpha16))
        }
        c::GL_COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT => {
            (c::GL_COMPRESSED_SIGNED_RG_RGTC2, Some(Format::Luminance16Alpha16Snorm))
        }
        other => (other, None),
    };
    let compression = Compression::from_gl(blocks)?;
    Some((compression, luminance.unwrap_or_else(|| compression.format())))
}

/// Interleaves the samples of texels; in `data`, each layer has all texels of the first sample, then all of the second,
/// and so on.
fn interleaved(data: &[u8], size: usize, texels: usize, samples: usize) -> Vec<u8> {
    let mut all = Vec::with_capacity(data.len());
    for layer in data.chunks((size * texels * samples).max(1)) {
        for texel in 0..texels {
            for sample in 0..samples {
                let start = (sample * texels + texel) * size;
                all.extend_from_slice(layer.get(start..start + size).unwrap_or_default());
            }
        }
    }
    all
}

/// The shape of a target, and whether it is an array.
fn shape(target: Target) -> (Dim, bool) {
    match target {
        Target::OneD => (Dim::D1, false),
        Target::OneDArray => (Dim::D1, true),
        Target::TwoD | Target::External => (Dim::D2, false),
        Target::TwoDArray => (Dim::D2, true),
        Target::ThreeD => (Dim::D3, false),
        Target::Cube => (Dim::Cube, false),
        Target::CubeArray => (Dim::Cube, true),
        Target::Rectangle => (Dim::Rect, false),
        Target::Buffer => (Dim::Buffer, false),
        Target::Multisample => (Dim::D2Multisample, false),
        Target::MultisampleArray => (Dim::D2Multisample, true),
    }
}

/// A format that can represent all values of an internal format, with the same meaning. Sized formats map to
/// themselves; for unsized ones the driver chooses, and the model knows the number of bits.
pub fn stored_as(known: &ModelFormat) -> Option<Format> {
    if let Some(format) = Format::from_gl(known.name).or_else(|| Format::from_gl(known.answered)) {
        return Some(format);
    }
    let most = known.bits[..6].iter().copied().max().unwrap_or(0);
    let name = match (known.base, known.class, most) {
        (c::GL_DEPTH_COMPONENT, FormatClass::Float, _) => c::GL_DEPTH_COMPONENT32F,
        (c::GL_DEPTH_COMPONENT, ..) => match known.bits[6] {
            0..=16 => c::GL_DEPTH_COMPONENT16,
            17..=24 => c::GL_DEPTH_COMPONENT24,
            _ => c::GL_DEPTH_COMPONENT32,
        },
        (c::GL_DEPTH_STENCIL, FormatClass::Float, _) => c::GL_DEPTH32F_STENCIL8,
        (c::GL_DEPTH_STENCIL, ..) => c::GL_DEPTH24_STENCIL8,
        (c::GL_STENCIL_INDEX, ..) => c::GL_STENCIL_INDEX8,
        (base, FormatClass::Unorm, 0..=8) => match (base, known.is_srgb) {
            (c::GL_RGBA, false) => c::GL_RGBA8,
            (c::GL_RGBA, true) => c::GL_SRGB8_ALPHA8,
            (c::GL_RGB, false) => c::GL_RGB8,
            (c::GL_RGB, true) => c::GL_SRGB8,
            (c::GL_RG, _) => c::GL_RG8,
            (c::GL_RED, _) => c::GL_R8,
            (c::GL_ALPHA, _) => c::GL_ALPHA8,
            (c::GL_LUMINANCE, false) => c::GL_LUMINANCE8,
            (c::GL_LUMINANCE, true) => c::GL_SLUMINANCE8,
            (c::GL_LUMINANCE_ALPHA, false) => c::GL_LUMINANCE8_ALPHA8,
            (c::GL_LUMINANCE_ALPHA, true) => c::GL_SLUMINANCE8_ALPHA8,
            (c::GL_INTENSITY, _) => c::GL_INTENSITY8,
            _ => return None,
        },
        (base, FormatClass::Unorm, _) => match base {
            c::GL_RGBA => c::GL_RGBA16,
            c::GL_RGB => c::GL_RGB16,
            c::GL_RG => c::GL_RG16,
            c::GL_RED => c::GL_R16,
            c::GL_ALPHA => c::GL_ALPHA16,
            c::GL_LUMINANCE => c::GL_LUMINANCE16,
            c::GL_LUMINANCE_ALPHA => c::GL_LUMINANCE16_ALPHA16,
            c::GL_INTENSITY => c::GL_INTENSITY16,
            _ => return None,
        },
        (base, FormatClass::Float, _) => match base {
            c::GL_RGBA => c::GL_RGBA32F,
            c::GL_RGB => c::GL_RGB32F,
            c::GL_RG => c::GL_RG32F,
            c::GL_RED => c::GL_R32F,
            c::GL_ALPHA => c::GL_ALPHA32F_ARB,
            c::GL_LUMINANCE => c::GL_LUMINANCE32F_ARB,
            c::GL_LUMINANCE_ALPHA => c::GL_LUMINANCE_ALPHA32F_ARB,
            c::GL_INTENSITY => c::GL_INTENSITY32F_ARB,
            _ => return None,
        },
        _ => return None,
    };
    Format::from_gl(name)
}

/// Converts pixels to a format. sRGB-encoded values are read back without conversion.
fn encoded(plane: &Plane, format: Format) -> Result<Vec<u8>, String> {
    let (colour, stencil) =
        (Reading { decode_srgb: false, stencil: false }, Reading { decode_srgb: false, stencil: true });
    let size = pixel_bytes(plane)
        .ok_or_else(|| format!("unsupported pixel format {:#06x} with type {:#06x}", plane.format, plane.pixel_type))?;
    let mut data = vec![0; plane.bytes.len() / size * format.bytes()];
    for (pixel, texel) in plane.bytes.chunks_exact(size).zip(data.chunks_exact_mut(format.bytes())) {
        let word = |at: usize| u32::from_le_bytes([pixel[at], pixel[at + 1], pixel[at + 2], pixel[at + 3]]);
        match (plane.format, plane.pixel_type) {
            (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => {
                format.encode(depth((word(0) >> 8) as f32 / 0xff_ffff as f32), colour, texel);
                format.encode(Value::Uint([word(0) & 0xff, 0, 0, 1]), stencil, texel);
            }
            (c::GL_DEPTH_STENCIL, _) => {
                format.encode(depth(f32::from_bits(word(0))), colour, texel);
                format.encode(Value::Uint([word(4) & 0xff, 0, 0, 1]), stencil, texel);
            }
            (c::GL_DEPTH_COMPONENT, c::GL_FLOAT) => format.encode(depth(f32::from_bits(word(0))), colour, texel),
            // A float cannot represent a 32-bit depth: the upper bits are stored directly.
            (c::GL_DEPTH_COMPONENT, _) => match format {
                Format::Depth16 => texel.copy_from_slice(&pixel[2..4]),
                Format::Depth24 => texel.copy_from_slice(&(word(0) & !0xff).to_le_bytes()),
                Format::Depth32 => texel.copy_from_slice(pixel),
                _ => format.encode(depth((f64::from(word(0)) / f64::from(u32::MAX)) as f32), colour, texel),
            },
            (c::GL_STENCIL_INDEX, _) => format.encode(Value::Uint([u32::from(pixel[0]), 0, 0, 1]), stencil, texel),
            _ => format.encode(value(plane.pixel_type, pixel), colour, texel),
        }
    }
    Ok(data)
}

fn depth(value: f32) -> Value {
    Value::Float([value, 0.0, 0.0, 1.0])
}

/// The size of a pixel in one of the forms in which contents are read back.
fn pixel_bytes(plane: &Plane) -> Option<usize> {
    Some(match (plane.format, plane.pixel_type) {
        (c::GL_RGBA, c::GL_UNSIGNED_BYTE | c::GL_BYTE) => 4,
        (c::GL_RGBA, c::GL_UNSIGNED_SHORT | c::GL_SHORT) => 8,
        (c::GL_RGBA, c::GL_FLOAT) | (c::GL_RGBA_INTEGER, c::GL_INT | c::GL_UNSIGNED_INT) => 16,
        (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => 4,
        (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => 8,
        (c::GL_DEPTH_COMPONENT, c::GL_FLOAT | c::GL_UNSIGNED_INT) => 4,
        (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE) => 1,
        _ => return None,
    })
}

/// Four components of a type.
fn value(pixel_type: u32, pixel: &[u8]) -> Value {
    let short = |i: usize| u16::from_le_bytes([pixel[2 * i], pixel[2 * i + 1]]);
    let word = |i: usize| u32::from_le_bytes([pixel[4 * i], pixel[4 * i + 1], pixel[4 * i + 2], pixel[4 * i + 3]]);
    let signed = |value: i16, most: f32| (f32::from(value) / most).max(-1.0);
    match pixel_type {
        c::GL_UNSIGNED_BYTE => Value::Float(std::array::from_fn(|i| f32::from(pixel[i]) / 255.0)),
        c::GL_BYTE => Value::Float(std::array::from_fn(|i| signed(i16::from(pixel[i].cast_signed()), 127.0))),
        c::GL_UNSIGNED_SHORT => Value::Float(std::array::from_fn(|i| f32::from(short(i)) / 65535.0)),
        c::GL_SHORT => Value::Float(std::array::from_fn(|i| signed(short(i).cast_signed(), 32767.0))),
        c::GL_INT => Value::Int(std::array::from_fn(|i| word(i).cast_signed())),
        c::GL_UNSIGNED_INT => Value::Uint(std::array::from_fn(word)),
        _ => Value::Float(std::array::from_fn(|i| f32::from_bits(word(i)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the value of a texel in a texture with this internal format that is read back as these bytes.
    #[track_caller]
    fn check(internal: u32, (format, pixel_type): (u32, u32), bytes: &[u8], expected: Value) {
        let plane =
            Plane { target: c::GL_TEXTURE_2D, level: 0, size: [1; 3], format, pixel_type, bytes: bytes.to_vec() };
        let known = ModelFormat::named(internal).expect("a known format");
        let stored = stored_as(known).expect("a form of it");
        let texel = encoded(&plane, stored).expect("pixels");
        assert_eq!(stored.decode(&texel, Reading { decode_srgb: false, stencil: false }), expected);
    }

    #[test]
    fn samples_are_interleaved() {
        // Two layers of two texels with three samples.
        let data = [1, 2, 11, 12, 21, 22, 101, 102, 111, 112, 121, 122];
        assert_eq!(interleaved(&data, 1, 2, 3), [1, 11, 21, 2, 12, 22, 101, 111, 121, 102, 112, 122]);
    }

    #[test]
    fn conversion_keeps_values() {
        let bytes = (c::GL_RGBA, c::GL_UNSIGNED_BYTE);
        let part = |n: u8| f32::from(n) / 255.0;
        check(c::GL_RGBA8, bytes, &[1, 2, 3, 4], Value::Float([1, 2, 3, 4].map(part)));
        check(c::GL_RGB, bytes, &[1, 2, 3, 255], Value::Float([part(1), part(2), part(3), 1.0]));
        check(c::GL_LUMINANCE, bytes, &[7, 0, 0, 255], Value::Float([part(7), part(7), part(7), 1.0]));
        check(c::GL_ALPHA8, bytes, &[0, 0, 0, 9], Value::Float([0.0, 0.0, 0.0, part(9)]));
        // Five bits, expanded to eight by the driver.
        check(c::GL_RGB565, bytes, &[0b1010_1101, 0, 255, 255], Value::Float([21.0 / 31.0, 0.0, 1.0, 1.0]));
        let words = [1.5f32, -2.0, f32::INFINITY, 0.0].map(f32::to_le_bytes).concat();
        check(c::GL_RGBA16F, (c::GL_RGBA, c::GL_FLOAT), &words, Value::Float([1.5, -2.0, f32::INFINITY, 0.0]));
        let words = [-5i32, 6, 7, 8].map(i32::to_le_bytes).concat();
        check(c::GL_RG8I, (c::GL_RGBA_INTEGER, c::GL_INT), &words, Value::Int([-5, 6, 0, 1]));
        let deep = 0xabcd_efff_u32.to_le_bytes();
        let depth = |value: f32| Value::Float([value, 0.0, 0.0, 1.0]);
        let of = |value: u32, most: u32| (f64::from(value) / f64::from(most)) as f32;
        check(c::GL_DEPTH_COMPONENT16, (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT), &deep, depth(of(0xabcd, 0xffff)));
        let packed = (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8);
        check(c::GL_DEPTH24_STENCIL8, packed, &deep, depth(of(0x00ab_cdef, 0x00ff_ffff)));
    }

    #[test]
    fn luminance_blocks_decode_like_red() {
        // Every texel of the block is the first endpoint: 0x80, and 0x40 in the second block.
        let block = |end: u8| [end, 0, 0, 0, 0, 0, 0, 0];
        let texel = |internal: u32, bytes: &[u8]| {
            let (compression, format) = compression(internal).expect("a known compression");
            let data = compression.decode(4, 4, 1, bytes);
            format.decode(&data[..format.bytes()], Reading { decode_srgb: false, stencil: false }).float()
        };
        let near =
            |one: [f32; 4], other: [f32; 4]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-4);
        let (half, quarter) = (128.0 / 255.0, 64.0 / 255.0);
        let one = texel(c::GL_COMPRESSED_LUMINANCE_LATC1_EXT, &block(0x80));
        assert!(near(one, [half, half, half, 1.0]), "{one:?}");
        let two = [block(0x80), block(0x40)].concat();
        for internal in [c::GL_COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT, LUMINANCE_ALPHA_3DC] {
            let both = texel(internal, &two);
            assert!(near(both, [half, half, half, quarter]), "{both:?}");
        }
        let both = texel(c::GL_COMPRESSED_RG_RGTC2, &two);
        assert!(near(both, [half, quarter, 0.0, 1.0]), "{both:?}");
    }
}
