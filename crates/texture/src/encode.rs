//! Converts numbers to stored bytes (GL 4.6, 2.3.4, 2.3.5, 8.5.2, 8.24 and 17.3.7).
//!
//! Everything is rounded to nearest, ties to even. NaN becomes zero in normalised formats, where the specification
//! leaves it open, and stays NaN in floating-point ones.

use crate::decode::Reading;
use crate::format::{Base, Channel, Class, Format, Packed, Storage};
use crate::value::Value;

impl Format {
    /// Stores red, green, blue and alpha in the bytes of one texel: the inverse of [`Format::decode`].
    ///
    /// Components that the format lacks are dropped, the others are clamped to its range. Of a depth-stencil format
    /// only the part selected by `reading` is written. Bytes past the end of the slice are not written.
    pub fn encode(self, value: Value, reading: Reading, bytes: &mut [u8]) {
        let mut texel = [0; 16];
        let size = self.bytes().min(bytes.len());
        texel[..size].copy_from_slice(&bytes[..size]);
        self.encode_whole(value, reading, &mut texel);
        bytes[..size].copy_from_slice(&texel[..size]);
    }

    fn encode_whole(self, value: Value, reading: Reading, texel: &mut [u8; 16]) {
        let base = self.base();
        match (self.storage(), self.class(reading.stencil)) {
            (Storage::Array(channel), class) => {
                let has_alpha = matches!(base, Base::Rgba | Base::LuminanceAlpha);
                let last = base.components() - 1;
                for i in 0..base.components() {
                    let from = base.source(i);
                    let bits = match class {
                        Class::Float => {
                            let curved = reading.decode_srgb && !(has_alpha && i == last);
                            float(channel, value.float()[from], curved)
                        }
                        Class::Int => signed(channel, value.int()[from]),
                        // Stencil values are masked to eight bits, as in a clear (GL 4.6, 17.4.3).
                        Class::Uint if base == Base::Stencil => value.uint()[from] & 0xff,
                        Class::Uint => value.uint()[from].min(largest(8 * channel.bytes() as u32)),
                    };
                    let at = i * channel.bytes();
                    texel[at..at + channel.bytes()].copy_from_slice(&bits.to_le_bytes()[..channel.bytes()]);
                }
            }
            (Storage::Word(packed), Class::Float) => {
                put_word(texel, word(packed, |i, width| unorm(value.float()[i], width)));
            }
            (Storage::Word(packed), _) => {
                put_word(texel, word(packed, |i, width| value.uint()[i].min(largest(width))));
            }
            (Storage::R11fG11fB10f, _) => {
                let [r, g, b, _] = value.float();
                put_word(texel, unsigned_float(r, 6) | (unsigned_float(g, 6) << 11) | (unsigned_float(b, 5) << 22));
            }
            (Storage::Rgb9E5, _) => {
                let [r, g, b, _] = value.float();
                put_word(texel, shared_exponent([r, g, b]));
            }
            (Storage::Depth24Stencil8, Class::Float) => {
                put_word(texel, (unorm(value.float()[0], 24) << 8) | u32::from(texel[0]));
            }
            (Storage::Depth32fStencil8, Class::Float) => put_word(texel, value.float()[0].to_bits()),
            (Storage::Depth24Stencil8, _) => texel[0] = value.uint()[0] as u8,
            (Storage::Depth32fStencil8, _) => texel[4..8].copy_from_slice(&[value.uint()[0] as u8, 0, 0, 0]),
        }
    }
}

/// The bits of one component of a floating-point or normalised format.
fn float(channel: Channel, value: f32, curved: bool) -> u32 {
    match channel {
        Channel::Unorm8 => unorm(value, 8),
        Channel::Unorm12 => unorm(value, 12),
        Channel::Unorm16 => unorm(value, 16),
        Channel::Unorm32 => unorm(value, 32),
        Channel::Srgb8 if curved => scaled(to_srgb(not_nan(value)), 255.0),
        Channel::Srgb8 => unorm(value, 8),
        Channel::Snorm8 => snorm(value, 127.0),
        Channel::Snorm16 => snorm(value, 32767.0),
        Channel::Half => half(value),
        Channel::Float => value.to_bits(),
        Channel::Int8 | Channel::Int16 | Channel::Int32 => signed(channel, value as i32),
        Channel::Uint8 | Channel::Uint16 | Channel::Uint32 => (value as u32).min(largest(8 * channel.bytes() as u32)),
    }
}

fn signed(channel: Channel, value: i32) -> u32 {
    let most = (largest(8 * channel.bytes() as u32) >> 1).cast_signed();
    value.clamp(-most - 1, most).cast_unsigned()
}

/// GL 4.6, 2.3.5.2, unsigned.
fn unorm(value: f32, width: u32) -> u32 {
    scaled(not_nan(value), f64::from(largest(width)))
}

/// GL 4.6, 2.3.5.2, signed: the most negative integer is never stored.
fn snorm(value: f32, scale: f64) -> u32 {
    ((not_nan(value).clamp(-1.0, 1.0) * scale).round_ties_even() as i32).cast_unsigned()
}

fn scaled(value: f64, scale: f64) -> u32 {
    (value.clamp(0.0, 1.0) * scale).round_ties_even() as u32
}

/// GL 4.6, 17.3.7, equation 17.1.
fn to_srgb(linear: f64) -> f64 {
    if linear < 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn not_nan(value: f32) -> f64 {
    if value.is_nan() { 0.0 } else { f64::from(value) }
}

fn largest(width: u32) -> u32 {
    u32::MAX.checked_shr(32 - width.min(32)).unwrap_or(0)
}

fn word(packed: Packed, component: impl Fn(usize, u32) -> u32) -> u32 {
    let fields = packed.fields.iter().enumerate().filter(|(_, (_, width))| *width > 0);
    fields.fold(0, |word, (i, &(shift, width))| word | (component(i, width) << shift))
}

fn put_word(texel: &mut [u8; 16], word: u32) {
    texel[..4].copy_from_slice(&word.to_le_bytes());
}

/// GL 4.6, 2.3.4.2. Finite numbers that are too large become infinite, which the section allows and IEEE 754 requires.
fn half(value: f32) -> u32 {
    let sign = (value.to_bits() >> 16) & 0x8000;
    sign | small_float(value.abs(), 10)
}

/// GL 4.6, 2.3.4.3 and 2.3.4.4: negative numbers become zero, finite numbers that are too large become the largest
/// finite one.
fn unsigned_float(value: f32, mantissa_width: u32) -> u32 {
    if value <= 0.0 {
        return 0;
    }
    let infinite = 31 << mantissa_width;
    match small_float(value.abs(), mantissa_width) {
        bits if bits == infinite && value.is_finite() => infinite - 1,
        bits => bits,
    }
}

/// A non-negative number with five exponent bits and the given mantissa width.
fn small_float(value: f32, mantissa_width: u32) -> u32 {
    let infinite = 31 << mantissa_width;
    if value.is_nan() {
        // The upper bits of the mantissa are kept, and one of them is set so that it stays NaN.
        return infinite | (1 << (mantissa_width - 1)) | ((value.to_bits() & 0x7f_ffff) >> (23 - mantissa_width));
    }
    let exponent = ((value.to_bits() >> 23).cast_signed() - 127).max(-14);
    if exponent > 15 {
        return infinite;
    }
    // Scaling by a power of two is exact in double precision; a mantissa that is rounded up to the next power of two
    // carries into the exponent, and from the largest exponent to infinity, as required.
    let steps = (f64::from(value) * 2f64.powi(mantissa_width.cast_signed() - exponent)).round_ties_even() as u32;
    let biased = (exponent + 14).cast_unsigned();
    (biased << mantissa_width) + steps
}

/// GL 4.6, 8.5.2: three 9-bit mantissas and one 5-bit exponent with bias 15.
fn shared_exponent(colour: [f32; 3]) -> u32 {
    let most = f64::from(0x1ffu16) * 128.0;
    let colour = colour.map(|c| not_nan(c).clamp(0.0, most));
    let greatest = colour.into_iter().fold(0.0, f64::max);
    // The exponent field of a double is its logarithm rounded down; for zero it is far below the limit.
    let log = ((greatest.to_bits() >> 52).cast_signed() - 1023).max(-16) as i32;
    let mut exponent = log + 16;
    let mantissa = |c: f64, exponent: i32| (c * 2f64.powi(24 - exponent) + 0.5).floor() as u32;
    if mantissa(greatest, exponent) == 512 {
        exponent += 1;
    }
    let [r, g, b] = colour.map(|c| mantissa(c, exponent));
    r | (g << 9) | (b << 18) | (exponent.cast_unsigned() << 27)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Reading = Reading { decode_srgb: true, stencil: false };

    #[track_caller]
    fn check(format: Format, value: [f32; 4], expected: &[u8]) {
        let mut bytes = vec![0; format.bytes()];
        format.encode(Value::Float(value), PLAIN, &mut bytes);
        assert_eq!(bytes, expected, "{}", format.name());
    }

    #[track_caller]
    fn check_word(format: Format, value: [f32; 4], expected: u32) {
        check(format, value, &expected.to_le_bytes());
    }

    #[test]
    fn normalised_numbers() {
        check(Format::Rgba8, [0.5, -1.0, 2.0, f32::NAN], &[128, 0, 255, 0]);
        check(Format::Rg8Snorm, [-2.0, 0.5, 0.0, 0.0], &[0x81, 64]);
        check(Format::R16, [0.5, 0.0, 0.0, 0.0], &[0x00, 0x80]);
        check(Format::R16Snorm, [-1.0, 0.0, 0.0, 0.0], &[0x01, 0x80]);
        check(Format::Rgb12, [1.0, 0.0, 0.5, 0.0], &[0xff, 0x0f, 0, 0, 0x00, 0x08]);
        check(Format::Depth32, [1.0, 0.0, 0.0, 0.0], &[0xff; 4]);
        check(Format::Srgb8Alpha8, [0.5, 0.0, 1.0, 0.5], &[188, 0, 255, 128]);
        check_word(Format::Rgb10A2, [1.0, 0.0, 0.5, 0.4], 0x3ff | (512 << 20) | (1 << 30));
        check(Format::Rgb565, [1.0, 0.0, 0.0, 0.0], &[0x00, 0xf8]);
        check(Format::Luminance8Alpha8, [1.0, 0.0, 0.0, 0.2], &[255, 51]);
        check(Format::Alpha8, [0.0, 0.0, 0.0, 0.2], &[51]);
    }

    #[test]
    fn floats() {
        let half = |value: f32, bits: u16| check(Format::R16F, [value, 0.0, 0.0, 0.0], &bits.to_le_bytes());
        half(1.0, 0x3c00);
        half(-2.0, 0xc000);
        half(65504.0, 0x7bff);
        half(65519.0, 0x7bff);
        half(65520.0, 0x7c00);
        half(f32::NEG_INFINITY, 0xfc00);
        half(f32::NAN, 0x7e00);
        half(2f32.powi(-24), 1);
        half(2f32.powi(-25), 0);
        half(2f32.powi(-25) * 1.01, 1);
        half(2049.0, 0x6800);
        half(2051.0, 0x6802);
        half(-0.0, 0x8000);
        half(2f32.powi(-14) * 0.9999, 0x0400);
        check_word(Format::R11fG11fB10f, [1.0, -1.0, 1e9, 0.0], (15 << 6) | (0x3df << 22));
        check_word(Format::R11fG11fB10f, [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.0], (31 << 6) | (0x3f0 << 22));
        check_word(Format::Rgb9E5, [1.0, 0.5, 0.0, 0.0], 256 | (128 << 9) | (16 << 27));
        check_word(Format::Rgb9E5, [1e9, -1.0, f32::NAN, 0.0], 511 | (31 << 27));
        // The mantissa would be rounded up to 512, so the exponent increases.
        check_word(Format::Rgb9E5, [1.9999, 0.0, 0.0, 0.0], 256 | (17 << 27));
        check_word(Format::Rgb9E5, [0.0; 4], 0);
    }

    #[test]
    fn integers_are_clamped() {
        let mut bytes = [0; 4];
        Format::Rgba8I.encode(Value::Int([200, -200, -1, 5]), PLAIN, &mut bytes);
        assert_eq!(bytes, [127, 0x80, 0xff, 5]);
        Format::Rg16Ui.encode(Value::Uint([70_000, 3, 0, 0]), PLAIN, &mut bytes);
        assert_eq!(bytes, [0xff, 0xff, 3, 0]);
        Format::R32I.encode(Value::Int([i32::MIN, 0, 0, 0]), PLAIN, &mut bytes);
        assert_eq!(bytes, [0, 0, 0, 0x80]);
        Format::Rgb10A2Ui.encode(Value::Uint([2000, 1, 0, 9]), PLAIN, &mut bytes);
        assert_eq!(u32::from_le_bytes(bytes), 1023 | (1 << 10) | (3 << 30));
    }

    #[test]
    fn depth_and_stencil_are_written_separately() {
        let mut bytes = [7, 0, 0, 0];
        let stencil = Reading { stencil: true, ..PLAIN };
        Format::Depth24Stencil8.encode(Value::Float([1.0; 4]), PLAIN, &mut bytes);
        assert_eq!(bytes, [7, 0xff, 0xff, 0xff]);
        Format::Depth24Stencil8.encode(Value::Uint([0x109; 4]), stencil, &mut bytes);
        assert_eq!(bytes, [9, 0xff, 0xff, 0xff]);
        let mut bytes = [0; 8];
        Format::Depth32FStencil8.encode(Value::Float([1.0; 4]), PLAIN, &mut bytes);
        Format::Depth32FStencil8.encode(Value::Uint([9; 4]), stencil, &mut bytes);
        assert_eq!(bytes, [0, 0, 0x80, 0x3f, 9, 0, 0, 0]);
        let mut bytes = [0];
        Format::Stencil8.encode(Value::Uint([0x109; 4]), stencil, &mut bytes);
        assert_eq!(bytes, [9]);
    }

    /// Decoding and encoding again gives the same bytes: for every bit pattern of the formats with up to sixteen bits
    /// per component, and a sample of the others.
    #[test]
    fn every_format_round_trips() {
        let mut state = 1u64;
        for &format in Format::ALL {
            for round in 0..70_000u64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // All 16-bit components except the third of each four count through their values; that one and the
                // second half of larger texels are random.
                let pattern = (u128::from(round & 0xffff) * 0x0001_0000_0001_0001)
                    | (u128::from(state) << 64)
                    | (u128::from(state >> 48) << 32);
                let bytes = &pattern.to_le_bytes()[..format.bytes()];
                for reading in [PLAIN, Reading { decode_srgb: false, stencil: true }] {
                    let value = format.decode(bytes, reading);
                    let mut again = bytes.to_vec();
                    format.encode(value, reading, &mut again);
                    let back = format.decode(&again, reading);
                    let same = match (value, back) {
                        (Value::Float(a), Value::Float(b)) => {
                            a.iter().zip(b).all(|(a, b)| *a == b || (a.is_nan() && b.is_nan()))
                        }
                        (a, b) => a == b,
                    };
                    assert!(same, "{}: {bytes:x?} {value:?} became {again:x?} {back:?}", format.name());
                }
            }
        }
    }

    #[test]
    fn short_slices_are_filled() {
        for &format in Format::ALL {
            format.encode(Value::Float([1.0; 4]), PLAIN, &mut []);
            format.encode(Value::Uint([1; 4]), Reading { decode_srgb: false, stencil: true }, &mut [0]);
        }
    }
}
