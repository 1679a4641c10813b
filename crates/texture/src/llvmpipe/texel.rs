//! How llvmpipe converts stored numbers to floats.

use super::{Arithmetic, PART};
use crate::format::{Base, Channel, Format, Storage};
use crate::unit::Unit;

impl Unit<'_> {
    /// Converts a texel that was read without decoding sRGB.
    pub(crate) fn llvmpipe_texel(&self, arithmetic: Arithmetic, value: [f32; 4]) -> [f32; 4] {
        if arithmetic == Arithmetic::Bytes {
            return std::array::from_fn(|channel| match kind(self.texture.format, channel) {
                Kind::Parts(most) if most < 0xff => repeated((value[channel] * most as f32).round(), most),
                _ => (value[channel] * 255.0).round(),
            });
        }
        let curved = self.sampler.decode_srgb;
        std::array::from_fn(|channel| match kind(self.texture.format, channel) {
            Kind::Exact => value[channel],
            Kind::Curved if curved => from_srgb((value[channel] * 255.0).round()),
            Kind::Curved => (value[channel] * 255.0).round() * PART,
            Kind::Parts(most) => scaled(value[channel], most),
        })
    }
}

/// How a channel is stored.
enum Kind {
    /// As a float, or in no way that llvmpipe would round.
    Exact,
    /// As a normalised integer up to this one.
    Parts(u32),
    /// In eight sRGB-encoded bits.
    Curved,
}

fn kind(format: Format, channel: usize) -> Kind {
    let alpha = channel == 3;
    match format.storage() {
        Storage::Array(Channel::Unorm8) => Kind::Parts(0xff),
        Storage::Array(Channel::Unorm16) => Kind::Parts(0xffff),
        Storage::Array(Channel::Srgb8) if alpha && matches!(format.base(), Base::Rgba | Base::LuminanceAlpha) => {
            Kind::Parts(0xff)
        }
        Storage::Array(Channel::Srgb8) => Kind::Curved,
        Storage::Word(packed) if !packed.integer => match packed.fields[channel].1 {
            0 => Kind::Exact,
            width => Kind::Parts((1 << width) - 1),
        },
        Storage::Depth24Stencil8 => Kind::Parts(0xff_ffff),
        _ => Kind::Exact,
    }
}

/// A multiple of the float nearest to 1/most, which differs from the quotient in the last place.
fn scaled(value: f32, most: u32) -> f32 {
    let number = (f64::from(value) * f64::from(most)).round() as f32;
    number * (1.0 / f64::from(most)) as f32
}

/// A number of fewer than eight bits as one of eight: its bits are repeated.
fn repeated(number: f32, most: u32) -> f32 {
    let (number, width) = (number as u32, most.count_ones());
    let mut bits = 0;
    let mut filled = 0;
    while filled < 8 {
        bits = bits << width | number;
        filled += width;
    }
    (bits >> (filled - 8)) as f32
}

/// The linear value of an sRGB-encoded byte: a straight line, then a polynomial of the third degree.
fn from_srgb(byte: f32) -> f32 {
    if byte <= 15.0 {
        return byte * (1.0 / (12.6 * 255.0));
    }
    let square = byte * byte;
    let even = square.mul_add(0.6935 / (255.0 * 255.0), 0.0023);
    let odd = square.mul_add(0.3012 / (255.0 * 255.0 * 255.0), 0.0030 / 255.0);
    odd.mul_add(byte, even)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_repeated() {
        assert_eq!([0.0, 7.0, 13.0, 31.0].map(|n| repeated(n, 31)), [0.0, 57.0, 107.0, 255.0]);
        assert_eq!([28.0, 63.0].map(|n| repeated(n, 63)), [113.0, 255.0]);
        assert_eq!([0.0, 1.0].map(|n| repeated(n, 1)), [0.0, 255.0]);
        assert_eq!(repeated(5.0, 7), 182.0);
    }

    #[test]
    fn srgb_is_a_polynomial_from_sixteen_on() {
        assert_eq!(from_srgb(0.0), 0.0);
        assert!((from_srgb(15.0) - 0.004_669).abs() < 1e-6);
        assert!((from_srgb(255.0) - 1.0).abs() < 1e-6);
    }
}
