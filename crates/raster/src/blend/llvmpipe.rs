//! Blending and rounding as Mesa's llvmpipe computes them, which may differ from exact results by more than one unit.
//!
//! Normalised formats are blended in integers: of eight bits where no channel has more, otherwise of sixteen. Shader
//! outputs are rounded to those first, stored values are widened by repeating their bits, and each product is rounded.
//! Factors that add up to 1 become an interpolation if the format has one channel. Floats are blended as floats, but in
//! the forms with the fewest operations. This follows Mesa's `lp_bld_blend.c`, `lp_bld_arit.c` and `lp_state_fs.c`, and
//! observed results.

use super::{Blend, BlendChannel, BlendEquation, BlendFactor, Operands, factor};
use crate::format::{Color, Numeric, PixelFormat};

/// Integers that represent numbers from 0, or -1, to 1.
#[derive(Clone, Copy)]
struct Fixed {
    /// The total number of bits.
    width: u32,
    signed: bool,
}

impl Fixed {
    /// The integers in which a normalised format is blended.
    fn of(format: PixelFormat) -> Fixed {
        let most = format.bits.iter().copied().max().unwrap_or(8);
        Fixed { width: if most <= 8 { 8 } else { 16 }, signed: format.numeric == Numeric::Snorm }
    }

    /// The number of bits of the magnitude.
    fn bits(self) -> u32 {
        self.width - u32::from(self.signed)
    }

    fn one(self) -> i64 {
        (1 << self.bits()) - 1
    }

    fn quantised(self, value: f32) -> i64 {
        let low = if self.signed { -1.0 } else { 0.0 };
        let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(low, 1.0) };
        (value * self.one() as f64).round_ties_even() as i64
    }

    /// The rounded product of two numbers.
    fn multiply(self, a: i64, b: i64) -> i64 {
        let n = self.bits();
        let product = a * b;
        let product = product + (product >> n);
        let half = if product < 0 { -(1 << (n - 1)) } else { 1 << (n - 1) };
        (product + half) >> n
    }

    fn saturate(self, value: i64) -> i64 {
        let low = if self.signed { -self.one() - 1 } else { 0 };
        value.clamp(low, self.one())
    }

    /// Interpolates from `a` to `b`.
    fn interpolate(self, weight: i64, a: i64, b: i64) -> i64 {
        if self.signed {
            // Here negative products are rounded like positive ones.
            let (distance, sign) = ((b - a).abs(), (b - a).signum());
            return self.saturate(a + sign * self.multiply(weight, distance));
        }
        let n = self.bits();
        // The weight 255 becomes 256, so that a shift can divide.
        let weight = weight + (weight >> (n - 1));
        let step = weight * (b - a);
        // Eight-bit values are multiplied by an instruction that rounds.
        let step = if self.width == 8 { (step + (1 << (n - 1))) >> n } else { step >> n };
        (a + step) & self.one()
    }

    /// Widens the stored value of a narrower channel.
    fn widen(self, steps: i64, bits: u8) -> i64 {
        let (from, to) = (u32::from(bits) - u32::from(self.signed), self.bits());
        let mut value = steps << (to - from);
        let mut filled = from;
        while filled < to && !self.signed {
            value |= value >> filled;
            filled *= 2;
        }
        value
    }

    /// Narrows a value to a channel with fewer bits.
    fn narrow(self, value: i64, bits: u8) -> i64 {
        let (from, to) = (self.bits(), u32::from(bits) - u32::from(self.signed));
        let dropped = from - to;
        let most = (1_i64 << to) - 1;
        if dropped == 0 {
            value
        } else if to == 4 && !self.signed {
            (value as f64 * most as f64 / self.one() as f64).round_ties_even() as i64
        } else if dropped <= to {
            value >> dropped
        } else {
            ((value >> to) * most + (1 << (dropped - 1))) >> dropped
        }
    }
}

/// Converts a colour to a float format: floats of fewer than 32 bits are truncated instead of rounded.
pub(crate) fn cut(format: PixelFormat, color: Color) -> Color {
    let cut = |value: f32, bits: u8| {
        let (mantissa, signed) = match bits {
            16 => (10, true),
            11 => (6, false),
            10 => (5, false),
            _ => return value,
        };
        if !value.is_finite() || (!signed && value <= 0.0) {
            return value;
        }
        let most = (2.0 - 0.5_f64.powi(mantissa)) * 32768.0;
        let exponent = (((value.to_bits() >> 23) & 0xff).cast_signed() - 127).max(-14);
        let step = 2.0_f64.powi(exponent - mantissa);
        ((f64::from(value) / step).trunc() * step).clamp(-most, most) as f32
    };
    let floats = color.floats();
    Color::Float(std::array::from_fn(|i| cut(floats[i], format.bits[i])))
}

/// Converts a colour to a normalised format.
pub(crate) fn stored(format: PixelFormat, color: Color) -> Color {
    let fixed = Fixed::of(format);
    let floats = color.floats();
    let steps = std::array::from_fn(|i| match format.bits[i] {
        0 => 0,
        bits => fixed.narrow(fixed.quantised(floats[i]), bits),
    });
    from_steps(format, steps)
}

/// Whether a format is blended in integers: a normalised one, unless its colours are sRGB-encoded afterwards.
pub(crate) fn is_fixed(format: PixelFormat, srgb: bool) -> bool {
    format.is_normalised() && !(srgb && format.numeric == Numeric::Srgb)
}

/// The blended colour, before conversion to the format; `srgb` tells whether sRGB formats encode written values.
pub(crate) fn blend(blend: Blend, format: PixelFormat, srgb: bool, operands: &Operands) -> Color {
    let blend = without_alpha(blend, format);
    if !is_fixed(format, srgb) {
        let alike = blend.color.source == blend.alpha.source && blend.color.destination == blend.alpha.destination;
        let channel = |i: usize| if i == 3 { blend.alpha } else { blend.color };
        let blended = Color::Float(std::array::from_fn(|i| blend_float(channel(i), alike, i, operands)));
        return if format.numeric == Numeric::Float { cut(format, blended) } else { blended };
    }
    let fixed = Fixed::of(format);
    let alone = format.bits.iter().filter(|bits| **bits != 0).count() == 1;
    let confine = |values: [f32; 4]| values.map(|value| fixed.quantised(value));
    let held: [i64; 4] = std::array::from_fn(|i| match format.bits[i] {
        0 => fixed.one(),
        bits => {
            let most = (1_i64 << (u32::from(bits) - u32::from(fixed.signed))) - 1;
            fixed.widen((f64::from(operands.destination[i]) * most as f64).round() as i64, bits)
        }
    });
    let whole = IntegerOperands {
        source: confine(operands.source),
        second: confine(operands.second),
        destination: held,
        constant: confine(operands.constant),
    };
    let made: [i64; 4] = std::array::from_fn(|i| {
        let channel = if i == 3 { blend.alpha } else { blend.color };
        whole.blend(fixed, channel, alone, i)
    });
    from_steps(
        format,
        std::array::from_fn(|i| if format.bits[i] == 0 { 0 } else { fixed.narrow(made[i], format.bits[i]) }),
    )
}

fn from_steps(format: PixelFormat, steps: [i64; 4]) -> Color {
    let signed = format.numeric == Numeric::Snorm;
    Color::Float(std::array::from_fn(|i| match format.bits[i] {
        0 => f32::from(u8::from(i == 3)),
        bits => {
            let most = (1_i64 << (u32::from(bits) - u32::from(signed))) - 1;
            (steps[i].max(-most) as f64 / most as f64) as f32
        }
    }))
}

/// If the format has no alpha, destination alpha is 1, and alpha is blended like colours.
fn without_alpha(blend: Blend, format: PixelFormat) -> Blend {
    if format.bits[3] != 0 {
        return blend;
    }
    let opaque = |factor| match factor {
        BlendFactor::DstAlpha => BlendFactor::One,
        BlendFactor::OneMinusDstAlpha => BlendFactor::Zero,
        BlendFactor::SrcAlphaSaturate if format.is_normalised() => BlendFactor::Zero,
        other => other,
    };
    let color = blend.color;
    let color = BlendChannel { source: opaque(color.source), destination: opaque(color.destination), ..color };
    Blend { color, alpha: BlendChannel { equation: blend.alpha.equation, ..color } }
}

/// Whether one factor is 1 minus the other; if so, whether the first is the plain one.
fn complementary(channel: BlendChannel) -> Option<bool> {
    use BlendFactor as F;
    let pairs = [
        (F::One, F::Zero),
        (F::SrcColor, F::OneMinusSrcColor),
        (F::DstColor, F::OneMinusDstColor),
        (F::SrcAlpha, F::OneMinusSrcAlpha),
        (F::DstAlpha, F::OneMinusDstAlpha),
        (F::ConstantColor, F::OneMinusConstantColor),
        (F::ConstantAlpha, F::OneMinusConstantAlpha),
        (F::Src1Color, F::OneMinusSrc1Color),
        (F::Src1Alpha, F::OneMinusSrc1Alpha),
    ];
    let given = (channel.source, channel.destination);
    pairs.into_iter().find_map(|pair| match pair {
        _ if pair == given => Some(true),
        (plain, inverse) if (inverse, plain) == given => Some(false),
        _ => None,
    })
}

fn blend_float(channel: BlendChannel, alike: bool, i: usize, operands: &Operands) -> f32 {
    let (s, d) = (operands.source[i], operands.destination[i]);
    let (fs, fd) = (factor(channel.source, i, operands), factor(channel.destination, i, operands));
    let equation = channel.equation;
    match equation {
        BlendEquation::Min => return if s < d { s } else { d },
        BlendEquation::Max => return if s > d { s } else { d },
        BlendEquation::Add | BlendEquation::Subtract | BlendEquation::ReverseSubtract => {}
    }
    if alike && let Some(plain) = complementary(channel) {
        return match (equation, plain) {
            (BlendEquation::Add, true) => fs.mul_add(s - d, d),
            (BlendEquation::Add, false) => fd.mul_add(d - s, s),
            (BlendEquation::Subtract, true) => (s + d) * fs - d,
            (BlendEquation::Subtract, false) => s - (s + d) * fd,
            (_, true) => d - (s + d) * fs,
            (_, false) => (s + d) * fd - s,
        };
    }
    let join = |s: f32, d: f32| match equation {
        BlendEquation::Subtract => s - d,
        BlendEquation::ReverseSubtract => d - s,
        BlendEquation::Add | BlendEquation::Min | BlendEquation::Max => s + d,
    };
    if alike && channel.source == channel.destination { join(s, d) * fs } else { join(s * fs, d * fd) }
}

/// The inputs of blending as integers.
struct IntegerOperands {
    source: [i64; 4],
    second: [i64; 4],
    destination: [i64; 4],
    constant: [i64; 4],
}

impl IntegerOperands {
    /// Blends one channel; `alone` if the format has no other.
    fn blend(&self, fixed: Fixed, channel: BlendChannel, alone: bool, i: usize) -> i64 {
        let (s, d) = (self.source[i], self.destination[i]);
        let (fs, fd) = (self.factor(fixed, channel.source, i), self.factor(fixed, channel.destination, i));
        match channel.equation {
            BlendEquation::Min => return s.min(d),
            BlendEquation::Max => return s.max(d),
            BlendEquation::Add if alone => match complementary(channel) {
                Some(true) => return fixed.interpolate(fs, d, s),
                Some(false) => return fixed.interpolate(fd, s, d),
                None => {}
            },
            BlendEquation::Add | BlendEquation::Subtract | BlendEquation::ReverseSubtract => {}
        }
        let (s, d) = (fixed.multiply(s, fs), fixed.multiply(d, fd));
        fixed.saturate(match channel.equation {
            BlendEquation::Subtract => s - d,
            BlendEquation::ReverseSubtract => d - s,
            BlendEquation::Add | BlendEquation::Min | BlendEquation::Max => s + d,
        })
    }

    fn factor(&self, fixed: Fixed, which: BlendFactor, i: usize) -> i64 {
        let one = fixed.one();
        match which {
            BlendFactor::Zero => 0,
            BlendFactor::One => one,
            BlendFactor::SrcColor => self.source[i],
            BlendFactor::OneMinusSrcColor => one - self.source[i],
            BlendFactor::DstColor => self.destination[i],
            BlendFactor::OneMinusDstColor => one - self.destination[i],
            BlendFactor::SrcAlpha => self.source[3],
            BlendFactor::OneMinusSrcAlpha => one - self.source[3],
            BlendFactor::DstAlpha => self.destination[3],
            BlendFactor::OneMinusDstAlpha => one - self.destination[3],
            BlendFactor::ConstantColor => self.constant[i],
            BlendFactor::OneMinusConstantColor => one - self.constant[i],
            BlendFactor::ConstantAlpha => self.constant[3],
            BlendFactor::OneMinusConstantAlpha => one - self.constant[3],
            BlendFactor::SrcAlphaSaturate if i == 3 => one,
            BlendFactor::SrcAlphaSaturate => self.source[3].min(one - self.destination[3]),
            BlendFactor::Src1Color => self.second[i],
            BlendFactor::OneMinusSrc1Color => one - self.second[i],
            BlendFactor::Src1Alpha => self.second[3],
            BlendFactor::OneMinusSrc1Alpha => one - self.second[3],
        }
    }
}
