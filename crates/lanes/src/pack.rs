//! Half precision and fixed point, for a single lane.

/// The nearest half-precision float, ties to even, in the low 16 bits. Denormals are produced, numbers that are too
/// large become infinite, and NaN stays NaN.
#[inline(always)]
#[must_use]
pub fn half_from_f32(x: f32) -> u32 {
    let bits = x.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    // The unit in the last place of 0.5 is the smallest denormal half, so this sum rounds to multiples of it.
    let tiny = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let normal = (magnitude.wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13).wrapping_sub(112 << 10);
    let finite = if magnitude < 0x3880_0000 { tiny } else { normal.min(0x7c00) };
    sign | if magnitude > 0x7f80_0000 { 0x7e00 } else { finite }
}

/// The value of a half-precision float, exactly.
#[inline(always)]
#[must_use]
pub fn f32_from_half(half: u32) -> f32 {
    let (sign, magnitude) = ((half & 0x8000) << 16, (half & 0x7fff) << 13);
    // The factor corrects the exponent's bias, for denormals too.
    let finite = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
    let special = magnitude | 0x7f80_0000;
    f32::from_bits(sign | if magnitude >= 0x0f80_0000 { special } else { finite })
}

/// The nearest half-precision float, rounded once.
#[must_use]
pub fn half_from_f64(x: f64) -> u32 {
    // Rounding to odd first lets the second rounding see on which side of a tie the number was.
    let near = x as f32;
    let back = f64::from(near);
    let bits = near.to_bits();
    let inexact = back != x && near.is_finite();
    let outwards = (back < x) == (x > 0.0);
    let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    half_from_f32(f32::from_bits(if inexact && bits & 1 == 0 { odd } else { bits }))
}

/// Fixed point in [0, 1] with the given greatest code: `round(clamp(x, 0, 1) * greatest)`, GLSL 4.60, 8.4.
#[inline(always)]
pub(crate) fn unorm(x: f32, greatest: f32) -> u32 {
    let clamped = if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 };
    crate::real::single::round_even(clamped * greatest) as i32 as u32
}

/// Fixed point in [-1, 1] with the given greatest code, as two's complement in a whole word.
#[inline(always)]
pub(crate) fn snorm(x: f32, greatest: f32) -> u32 {
    let above = if x > -1.0 { x } else { -1.0 };
    let clamped = if above < 1.0 { above } else { 1.0 };
    let number = if x.is_nan() { 0.0 } else { clamped };
    crate::real::single::round_even(number * greatest) as i32 as u32
}

/// `clamp(code / greatest, -1, 1)`: the least code is a little below -1.
#[inline(always)]
pub(crate) fn from_snorm(code: i32, greatest: f32) -> f32 {
    let x = code as f32 / greatest;
    if x < -1.0 { -1.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by definition: sign, exponent, mantissa.
    fn value(half: u32) -> f64 {
        let (exponent, mantissa) = (half >> 10 & 31, f64::from(half & 0x3ff));
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + mantissa) * 2f64.powi(exponent as i32 - 25),
        };
        if half & 0x8000 != 0 { -magnitude } else { magnitude }
    }

    #[test]
    fn all_halves_convert_exactly_in_both_directions() {
        for half in 0..=0xffff {
            let float = f32_from_half(half);
            if value(half).is_nan() {
                assert!(float.is_nan() && f32::from_bits(float.to_bits()).is_nan());
                assert_eq!(half_from_f32(float) & 0x7e00, 0x7e00);
            } else {
                assert_eq!(f64::from(float).to_bits(), value(half).to_bits(), "{half:#x}");
                assert_eq!(half_from_f32(float), half);
                assert_eq!(half_from_f64(value(half)), half);
            }
        }
    }

    #[test]
    fn rounds_to_the_nearest_and_ties_to_even() {
        for half in 0..0x7bff {
            let (low, high) = (value(half), value(half + 1));
            let middle = (low + high) / 2.0;
            let even = half + (half & 1);
            assert_eq!(half_from_f32(middle as f32), even, "{half:#x}");
            assert_eq!(half_from_f32((middle as f32).next_down()), half);
            assert_eq!(half_from_f32((middle as f32).next_up()), half + 1);
            assert_eq!(half_from_f64(middle.next_down()), half);
            assert_eq!(half_from_f64(middle.next_up()), half + 1);
        }
        assert_eq!(half_from_f32(65519.996), 0x7bff);
        assert_eq!(half_from_f32(65520.0), 0x7c00);
        assert_eq!(half_from_f32(f32::MAX), 0x7c00);
        assert_eq!(half_from_f64(1e300), 0x7c00);
        assert_eq!(half_from_f64(-1e-300), 0x8000);
    }

    #[test]
    fn fixed_point_saturates() {
        let cases = [(f32::NAN, 0, 0), (-3.0, 0, -127), (3.0, 255, 127), (0.5, 128, 64), (f32::NEG_INFINITY, 0, -127)];
        for (x, unsigned, signed) in cases {
            assert_eq!((unorm(x, 255.0), snorm(x, 127.0) as i32), (unsigned, signed), "{x}");
        }
        assert_eq!(from_snorm(-128, 127.0), -1.0);
    }
}
