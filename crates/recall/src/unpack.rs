//! Pixels as programs give them to GL: what they mean (GL 4.6, 8.4.4).

use api::constant as c;
use raster::Color;
use texture::{Format, Reading};

use crate::TexelAspect;
use crate::history::Value;

/// What one pixel of a format and a type means; nothing for those that are seldom seen.
pub fn pixel(format: u32, kind: u32, bytes: &[u8], aspect: TexelAspect) -> Option<Value> {
    match aspect {
        TexelAspect::Colour => colour(format, kind, bytes).map(Value::Colour),
        TexelAspect::Depth => depth(format, kind, bytes).map(Value::Depth),
        TexelAspect::Stencil => match (format, kind) {
            (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE) | (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => {
                bytes.first().copied().map(Value::Stencil)
            }
            (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => bytes.get(4).copied().map(Value::Stencil),
            _ => None,
        },
    }
}

fn depth(format: u32, kind: u32, bytes: &[u8]) -> Option<f32> {
    match (format, kind) {
        (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8) => {
            Some((f64::from(u32::from_le_bytes(*bytes.first_chunk()?) >> 8) / f64::from(0xff_ffff)) as f32)
        }
        (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV) => Some(f32::from_le_bytes(*bytes.first_chunk()?)),
        (c::GL_DEPTH_COMPONENT, _) => component(kind, bytes, 0),
        _ => None,
    }
}

fn colour(format: u32, kind: u32, bytes: &[u8]) -> Option<Color> {
    let plain = match format {
        c::GL_RED_INTEGER => Some(c::GL_RED),
        c::GL_RG_INTEGER => Some(c::GL_RG),
        c::GL_RGB_INTEGER => Some(c::GL_RGB),
        c::GL_RGBA_INTEGER => Some(c::GL_RGBA),
        c::GL_BGRA_INTEGER => Some(c::GL_BGRA),
        _ => None,
    };
    // Which of the pixel's components a channel is; of what has none, alpha is 1.
    let order: [Option<usize>; 4] = match plain.unwrap_or(format) {
        c::GL_RED => [Some(0), None, None, None],
        c::GL_RG => [Some(0), Some(1), None, None],
        c::GL_RGB => [Some(0), Some(1), Some(2), None],
        c::GL_BGR => [Some(2), Some(1), Some(0), None],
        c::GL_RGBA => [Some(0), Some(1), Some(2), Some(3)],
        c::GL_BGRA => [Some(2), Some(1), Some(0), Some(3)],
        c::GL_ALPHA => [None, None, None, Some(0)],
        c::GL_LUMINANCE => [Some(0), Some(0), Some(0), None],
        c::GL_LUMINANCE_ALPHA => [Some(0), Some(0), Some(0), Some(1)],
        c::GL_INTENSITY => [Some(0); 4],
        _ => return None,
    };
    if plain.is_some() {
        let signed = matches!(kind, c::GL_BYTE | c::GL_SHORT | c::GL_INT);
        let mut words = [0, 0, 0, 1];
        for (word, place) in words.iter_mut().zip(order) {
            if let Some(place) = place {
                *word = integer(kind, bytes, place)?;
            }
        }
        return Some(if signed {
            Color::Int(words.map(|word| word as i32))
        } else {
            Color::Uint(words.map(|word| word as u32))
        });
    }
    if let Some(packed) = packed(kind, bytes) {
        return Some(Color::Float(std::array::from_fn(|channel| match order[channel] {
            Some(place) => packed[place],
            None => f32::from(u8::from(channel == 3)),
        })));
    }
    let mut channels = [0.0, 0.0, 0.0, 1.0];
    for (channel, place) in channels.iter_mut().zip(order) {
        if let Some(place) = place {
            *channel = component(kind, bytes, place)?;
        }
    }
    Some(Color::Float(channels))
}

/// Four components that one word has, in the order of the format (GL 4.6, tables 8.6 to 8.8).
fn packed(kind: u32, bytes: &[u8]) -> Option<[f32; 4]> {
    let short = || bytes.first_chunk().map(|bytes| u32::from(u16::from_le_bytes(*bytes)));
    let word = || bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let parts = |word: u32, fields: [(u32, u32); 4]| {
        fields.map(|(shift, bits)| match bits {
            0 => 1.0,
            _ => (f64::from(word >> shift & ((1 << bits) - 1)) / f64::from((1u32 << bits) - 1)) as f32,
        })
    };
    Some(match kind {
        c::GL_UNSIGNED_SHORT_5_6_5 => parts(short()?, [(11, 5), (5, 6), (0, 5), (0, 0)]),
        c::GL_UNSIGNED_SHORT_4_4_4_4 => parts(short()?, [(12, 4), (8, 4), (4, 4), (0, 4)]),
        c::GL_UNSIGNED_SHORT_5_5_5_1 => parts(short()?, [(11, 5), (6, 5), (1, 5), (0, 1)]),
        c::GL_UNSIGNED_SHORT_1_5_5_5_REV => parts(short()?, [(0, 5), (5, 5), (10, 5), (15, 1)]),
        c::GL_UNSIGNED_INT_8_8_8_8 => parts(word()?, [(24, 8), (16, 8), (8, 8), (0, 8)]),
        c::GL_UNSIGNED_INT_8_8_8_8_REV => parts(word()?, [(0, 8), (8, 8), (16, 8), (24, 8)]),
        c::GL_UNSIGNED_INT_10_10_10_2 => parts(word()?, [(22, 10), (12, 10), (2, 10), (0, 2)]),
        c::GL_UNSIGNED_INT_2_10_10_10_REV => parts(word()?, [(0, 10), (10, 10), (20, 10), (30, 2)]),
        c::GL_UNSIGNED_INT_10F_11F_11F_REV => {
            let reading = Reading { decode_srgb: false, stencil: false };
            Format::from_gl(c::GL_R11F_G11F_B10F)?.decode(bytes, reading).float()
        }
        _ => return None,
    })
}

/// A component as a number.
fn component(kind: u32, bytes: &[u8], place: usize) -> Option<f32> {
    let whole = |most: f64| integer(kind, bytes, place).map(|value| (value as f64 / most).max(-1.0) as f32);
    match kind {
        c::GL_UNSIGNED_BYTE => whole(255.0),
        c::GL_BYTE => whole(127.0),
        c::GL_UNSIGNED_SHORT => whole(65535.0),
        c::GL_SHORT => whole(32767.0),
        c::GL_UNSIGNED_INT => whole(f64::from(u32::MAX)),
        c::GL_INT => whole(f64::from(i32::MAX)),
        c::GL_FLOAT => bytes.get(place * 4..)?.first_chunk().map(|bytes| f32::from_le_bytes(*bytes)),
        c::GL_HALF_FLOAT | c::GL_HALF_FLOAT_OES => {
            let reading = Reading { decode_srgb: false, stencil: false };
            let bytes = bytes.get(place * 2..place * 2 + 2)?;
            Some(Format::from_gl(c::GL_R16F)?.decode(bytes, reading).float()[0])
        }
        _ => None,
    }
}

/// A component as an integer.
fn integer(kind: u32, bytes: &[u8], place: usize) -> Option<i64> {
    let short = || bytes.get(place * 2..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
    let word = || bytes.get(place * 4..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    match kind {
        c::GL_UNSIGNED_BYTE => bytes.get(place).map(|byte| i64::from(*byte)),
        c::GL_BYTE => bytes.get(place).map(|byte| i64::from(byte.cast_signed())),
        c::GL_UNSIGNED_SHORT => short().map(i64::from),
        c::GL_SHORT => short().map(|word| i64::from(word.cast_signed())),
        c::GL_UNSIGNED_INT => word().map(i64::from),
        c::GL_INT => word().map(|word| i64::from(word.cast_signed())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check((format, kind): (u32, u32), bytes: &[u8], expected: Color) {
        assert_eq!(pixel(format, kind, bytes, TexelAspect::Colour), Some(Value::Colour(expected)));
    }

    #[test]
    fn pixels_mean_what_the_tables_say() {
        let part = |byte: u8| f32::from(byte) / 255.0;
        let bytes = c::GL_UNSIGNED_BYTE;
        check((c::GL_BGRA, bytes), &[1, 2, 3, 4], Color::Float([part(3), part(2), part(1), part(4)]));
        check((c::GL_RGB, bytes), &[1, 2, 3], Color::Float([part(1), part(2), part(3), 1.0]));
        check((c::GL_LUMINANCE_ALPHA, bytes), &[9, 8], Color::Float([part(9), part(9), part(9), part(8)]));
        check((c::GL_RG_INTEGER, c::GL_SHORT), &[0xff, 0xff, 2, 0], Color::Int([-1, 2, 0, 1]));
        // Red is in the highest bits of 5_6_5.
        check((c::GL_RGB, c::GL_UNSIGNED_SHORT_5_6_5), &[0x1f, 0xf8], Color::Float([1.0, 0.0, 1.0, 1.0]));
        check((c::GL_RGBA, c::GL_UNSIGNED_INT_8_8_8_8), &[4, 3, 2, 1], Color::Float([1, 2, 3, 4].map(part)));
        check((c::GL_RED, c::GL_HALF_FLOAT), &[0x00, 0x3e], Color::Float([1.5, 0.0, 0.0, 1.0]));
    }
}
