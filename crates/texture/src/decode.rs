//! Converts stored bytes to numbers (GL 4.6, 2.3.4, 2.3.5 and 8.24).

use std::sync::LazyLock;

use crate::format::{Base, Channel, Class, Format, Packed, Storage};
use crate::value::Value;

/// How to read a texel where its format allows several ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Convert sRGB components to linear ones.
    pub decode_srgb: bool,
    /// Read the stencil of a depth-stencil format.
    pub stencil: bool,
}

impl Format {
    /// One texel as RGBA, without the texture's swizzle. Missing bytes read as zero.
    #[must_use]
    pub fn decode(self, bytes: &[u8], reading: Reading) -> Value {
        match (self.storage(), self.class(reading.stencil)) {
            (Storage::Array(channel), Class::Float) => {
                let linear_alpha = self.base() != Base::Rgba && self.base() != Base::LuminanceAlpha;
                let last = self.base().components() - 1;
                self.expand_float(|i| {
                    let curved = reading.decode_srgb && (linear_alpha || i != last);
                    float(channel, &bytes[(i * channel.bytes()).min(bytes.len())..], curved)
                })
            }
            (Storage::Array(channel), Class::Int) => {
                Value::Int(expand(self.base(), |i| signed(channel, bytes, i * channel.bytes()), 1))
            }
            (Storage::Array(channel), Class::Uint) => {
                Value::Uint(expand(self.base(), |i| unsigned(channel, bytes, i * channel.bytes()), 1))
            }
            (Storage::Word(packed), Class::Float) => self.expand_float(|i| {
                let (_, width) = packed.fields[i];
                field(packed, bytes, i) as f32 / ((1u32 << width) - 1) as f32
            }),
            (Storage::Word(packed), _) => Value::Uint(expand(self.base(), |i| field(packed, bytes, i), 1)),
            (Storage::R11fG11fB10f, _) => {
                let word = u32_at(bytes, 0);
                let parts = [(word & 0x7ff, 6), ((word >> 11) & 0x7ff, 6), (word >> 22, 5)];
                self.expand_float(|i| small_float(parts[i].0, parts[i].1))
            }
            (Storage::Rgb9E5, _) => {
                let word = u32_at(bytes, 0);
                // GL 4.6, 8.25: the exponent has bias 15 and the mantissas nine bits.
                let scale = 2f32.powi((word >> 27) as i32 - 15 - 9);
                self.expand_float(|i| ((word >> (9 * i)) & 0x1ff) as f32 * scale)
            }
            (Storage::Depth24Stencil8, Class::Float) => {
                self.expand_float(|_| (u32_at(bytes, 0) >> 8) as f32 / 0xff_ffff as f32)
            }
            (Storage::Depth32fStencil8, Class::Float) => self.expand_float(|_| f32::from_bits(u32_at(bytes, 0))),
            (Storage::Depth24Stencil8, _) => Value::Uint([u32_at(bytes, 0) & 0xff, 0, 0, 1]),
            (Storage::Depth32fStencil8, _) => Value::Uint([u32_at(bytes, 4) & 0xff, 0, 0, 1]),
        }
    }

    /// A border colour as this format would store it: clamped to its range, with only the components it has.
    #[must_use]
    pub fn border(self, colour: Value, stencil: bool) -> Value {
        match self.class(stencil) {
            Class::Float => {
                let (low, high) = self.range().unwrap_or((f32::NEG_INFINITY, f32::INFINITY));
                let colour = colour.float();
                self.expand_float(|i| colour[self.base().source(i)].max(low).min(high))
            }
            Class::Int => Value::Int(expand(self.base(), |i| colour.int()[self.base().source(i)], 1)),
            Class::Uint => Value::Uint(expand(self.base(), |i| colour.uint()[self.base().source(i)], 1)),
        }
    }

    fn expand_float(self, component: impl Fn(usize) -> f32) -> Value {
        Value::Float(expand(self.base(), component, 1.0))
    }
}

/// Fills in components that a format does not have (GL 4.6 compatibility, table 16.1).
fn expand<T: Copy + Default>(base: Base, component: impl Fn(usize) -> T, one: T) -> [T; 4] {
    let zero = T::default();
    match base {
        Base::Red | Base::Depth | Base::DepthStencil | Base::Stencil => [component(0), zero, zero, one],
        Base::Rg => [component(0), component(1), zero, one],
        Base::Rgb => [component(0), component(1), component(2), one],
        Base::Rgba => [component(0), component(1), component(2), component(3)],
        Base::Alpha => [zero, zero, zero, component(0)],
        Base::Luminance => {
            let value = component(0);
            [value, value, value, one]
        }
        Base::LuminanceAlpha => {
            let value = component(0);
            [value, value, value, component(1)]
        }
        Base::Intensity => [component(0); 4],
    }
}

fn float(channel: Channel, bytes: &[u8], curved: bool) -> f32 {
    match channel {
        Channel::Unorm8 => f32::from(u8_at(bytes, 0)) / 255.0,
        Channel::Unorm12 => f32::from(u16_at(bytes, 0) & 0xfff) / 4095.0,
        Channel::Unorm16 => f32::from(u16_at(bytes, 0)) / 65535.0,
        // An f32 cannot represent the numerator, so the division uses double precision.
        Channel::Unorm32 => (f64::from(u32_at(bytes, 0)) / f64::from(u32::MAX)) as f32,
        // GL 4.6, 2.3.5.1: the most negative integer is -1 too.
        Channel::Snorm8 => (f32::from(u8_at(bytes, 0).cast_signed()) / 127.0).max(-1.0),
        Channel::Snorm16 => (f32::from(u16_at(bytes, 0).cast_signed()) / 32767.0).max(-1.0),
        Channel::Half => half(u16_at(bytes, 0)),
        Channel::Float => f32::from_bits(u32_at(bytes, 0)),
        Channel::Srgb8 if curved => SRGB[usize::from(u8_at(bytes, 0))],
        Channel::Srgb8 => f32::from(u8_at(bytes, 0)) / 255.0,
        Channel::Int8 | Channel::Int16 | Channel::Int32 => signed(channel, bytes, 0) as f32,
        Channel::Uint8 | Channel::Uint16 | Channel::Uint32 => unsigned(channel, bytes, 0) as f32,
    }
}

fn signed(channel: Channel, bytes: &[u8], at: usize) -> i32 {
    match channel.bytes() {
        1 => i32::from(u8_at(bytes, at).cast_signed()),
        2 => i32::from(u16_at(bytes, at).cast_signed()),
        _ => u32_at(bytes, at).cast_signed(),
    }
}

fn unsigned(channel: Channel, bytes: &[u8], at: usize) -> u32 {
    match channel.bytes() {
        1 => u32::from(u8_at(bytes, at)),
        2 => u32::from(u16_at(bytes, at)),
        _ => u32_at(bytes, at),
    }
}

fn field(packed: Packed, bytes: &[u8], index: usize) -> u32 {
    let word = match packed.bytes {
        1 => u32::from(u8_at(bytes, 0)),
        2 => u32::from(u16_at(bytes, 0)),
        _ => u32_at(bytes, 0),
    };
    let (shift, width) = packed.fields[index];
    (word >> shift) & ((1 << width) - 1)
}

fn u8_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u16::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn half(bits: u16) -> f32 {
    let magnitude = small_float(u32::from(bits & 0x7fff), 10);
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// An unsigned float with five exponent bits and the given mantissa width; the conversion is exact.
fn small_float(bits: u32, mantissa_width: u32) -> f32 {
    let (exponent, mantissa) = (bits >> mantissa_width, bits & ((1 << mantissa_width) - 1));
    let shift = 23 - mantissa_width;
    match exponent {
        0 => mantissa as f32 * 2f32.powi(-14 - mantissa_width.cast_signed()),
        31 => f32::from_bits(0x7f80_0000 | (mantissa << shift)),
        _ => f32::from_bits(((exponent + 127 - 15) << 23) | (mantissa << shift)),
    }
}

/// GL 4.6, 8.24, equation 8.17, for every byte.
static SRGB: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let c = byte as f64 / 255.0;
        let linear = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        linear as f32
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Reading = Reading { decode_srgb: true, stencil: false };

    #[track_caller]
    fn check(format: Format, bytes: &[u8], expected: [f32; 4]) {
        assert_eq!(format.decode(bytes, PLAIN), Value::Float(expected), "{}", format.name());
    }

    #[test]
    fn normalised_numbers() {
        check(Format::Rgba8, &[0, 255, 51, 128], [0.0, 1.0, 0.2, 128.0 / 255.0]);
        check(Format::Rg8Snorm, &[0x80, 0x81], [-1.0, -1.0, 0.0, 1.0]);
        check(Format::R16, &[0xff, 0xff], [1.0, 0.0, 0.0, 1.0]);
        check(Format::Rgba12, &[0xff, 0x0f, 0, 0, 0xff, 0xff, 0, 0], [1.0, 0.0, 1.0, 0.0]);
        check(Format::Depth32, &[0xff; 4], [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn packed_words() {
        check(Format::Rgb565, &[0x00, 0xf8], [1.0, 0.0, 0.0, 1.0]);
        check(Format::Rgb5A1, &[0x01, 0x00], [0.0, 0.0, 0.0, 1.0]);
        check(Format::Rgba4, &[0x0f, 0x0f], [0.0, 1.0, 0.0, 1.0]);
        check(Format::R3G3B2, &[0b1110_0011], [1.0, 0.0, 1.0, 1.0]);
        check(Format::Rgb10A2, &[0xff, 0x03, 0, 0x40], [1.0, 0.0, 0.0, 1.0 / 3.0]);
        let integers = Format::Rgb10A2Ui.decode(&[0xff, 0x03, 0, 0xc0], PLAIN);
        assert_eq!(integers, Value::Uint([1023, 0, 0, 3]));
    }

    #[test]
    fn small_floats() {
        check(Format::R16F, &0x3c01u16.to_le_bytes(), [1.0 + 1.0 / 1024.0, 0.0, 0.0, 1.0]);
        check(Format::R16F, &0x8001u16.to_le_bytes(), [-(2f32.powi(-24)), 0.0, 0.0, 1.0]);
        check(Format::R16F, &0xfc00u16.to_le_bytes(), [f32::NEG_INFINITY, 0.0, 0.0, 1.0]);
        let one = (15u32 << 6) | (15 << 17) | (15 << 27);
        check(Format::R11fG11fB10f, &one.to_le_bytes(), [1.0, 1.0, 1.0, 1.0]);
        check(Format::Rgb9E5, &((16u32 << 27) | 256).to_le_bytes(), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn alpha_is_not_srgb_encoded() {
        let expected = ((128.0f64 / 255.0 + 0.055) / 1.055).powf(2.4) as f32;
        check(Format::Srgb8Alpha8, &[128, 0, 255, 128], [expected, 0.0, 1.0, 128.0 / 255.0]);
        let raw = Format::Srgb8.decode(&[128, 0, 255], Reading { decode_srgb: false, stencil: false });
        assert_eq!(raw, Value::Float([128.0 / 255.0, 0.0, 1.0, 1.0]));
    }

    #[test]
    fn depth_and_stencil() {
        let bytes = 0xffff_ff07u32.to_le_bytes();
        check(Format::Depth24Stencil8, &bytes, [1.0, 0.0, 0.0, 1.0]);
        let stencil = Reading { decode_srgb: true, stencil: true };
        assert_eq!(Format::Depth24Stencil8.decode(&bytes, stencil), Value::Uint([7, 0, 0, 1]));
        assert_eq!(Format::Stencil8.decode(&[9], PLAIN), Value::Uint([9, 0, 0, 1]));
    }

    #[test]
    fn legacy_bases() {
        check(Format::Luminance8Alpha8, &[255, 51], [1.0, 1.0, 1.0, 0.2]);
        check(Format::Alpha8, &[255], [0.0, 0.0, 0.0, 1.0]);
        check(Format::Intensity8, &[51], [0.2; 4]);
        assert_eq!(Format::Luminance8I.decode(&[0xff], PLAIN), Value::Int([-1, -1, -1, 1]));
    }

    #[test]
    fn too_few_bytes_read_as_zero() {
        for &format in Format::ALL {
            let _ = format.decode(&[], PLAIN);
            let _ = format.decode(&[1], Reading { decode_srgb: false, stencil: true });
        }
    }

    #[test]
    fn border_colours_are_clamped_and_lose_components() {
        let colour = Value::Float([2.0, 0.5, -1.0, 0.25]);
        assert_eq!(Format::R8.border(colour, false), Value::Float([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(Format::Rgba32F.border(colour, false), colour);
        assert_eq!(Format::Luminance8Alpha8.border(colour, false), Value::Float([1.0, 1.0, 1.0, 0.25]));
        assert_eq!(Format::Alpha8.border(colour, false), Value::Float([0.0, 0.0, 0.0, 0.25]));
    }
}
