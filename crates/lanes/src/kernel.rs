//! Elementary functions on 32-bit floats, computed in `f64` and rounded at the end.
//!
//! Reductions and Taylor series leave errors far below those of the last rounding, so results are the nearest float
//! unless the exact one is very near a tie. There are no branches and no calls: loops over lanes become vector code.

#![allow(clippy::excessive_precision, reason = "the digits of a constant are given as far as they are known")]

use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E};

/// Adding this rounds to an integer, which ends up in the low bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Half of pi in two parts; multiples of the first are exact for factors below 2^20.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192_2e-11];

/// Larger angles are reduced by other code.
const LARGEST_ANGLE: f32 = 1_000_000.0;

/// A trigonometric function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Angle {
    Sin,
    Cos,
    Tan,
}

/// Applies a function to many angles.
#[inline(always)]
pub(crate) fn angles(function: Angle, out: &mut [u32], a: &[u32]) {
    crate::lane::map1(out, a, |x| angle(function, f64::from(f32::from_bits(x))).to_bits());
    let largest = a.iter().fold(0, |most, x| (x & 0x7fff_ffff).max(most));
    if largest > LARGEST_ANGLE.to_bits() {
        large_angles(function, out, a);
    }
}

/// Angles whose multiple of half pi has no exact product in `f64`, and infinities and NaN.
#[cold]
#[inline(never)]
fn large_angles(function: Angle, out: &mut [u32], a: &[u32]) {
    for (out, x) in out.iter_mut().zip(a).filter(|(_, x)| **x & 0x7fff_ffff > LARGEST_ANGLE.to_bits()) {
        let x = f64::from(f32::from_bits(*x));
        let result = match function {
            Angle::Sin => libm::sin(x),
            Angle::Cos => libm::cos(x),
            Angle::Tan => libm::tan(x),
        };
        *out = (result as f32).to_bits();
    }
}

#[inline(always)]
fn angle(function: Angle, x: f64) -> f32 {
    let shifted = x * FRAC_2_PI + ROUNDER;
    let turns = shifted - ROUNDER;
    let quadrant = shifted.to_bits() + u64::from(function == Angle::Cos);
    let r = (x - turns * HALF_PI[0]) - turns * HALF_PI[1];
    let z = r * r;
    let sin = r + r * z * series(z, &SIN);
    let cos = 1.0 + z * series(z, &COS);
    let odd = quadrant & 1 != 0;
    let result = if function == Angle::Tan {
        let (above, below) = if odd { (-cos, sin) } else { (sin, cos) };
        above / below
    } else {
        let flip = (quadrant & 2) << 62;
        f64::from_bits(if odd { cos } else { sin }.to_bits() ^ flip)
    };
    // A zero keeps its sign, which adding the rounder loses.
    if x == 0.0 && function != Angle::Cos { x as f32 } else { result as f32 }
}

/// Coefficients of `(sin(r) - r) / r^3` in `r^2`.
const SIN: [f64; 6] =
    [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0, 1.0 / 6_227_020_800.0];

/// Coefficients of `(cos(r) - 1) / r^2` in `r^2`.
const COS: [f64; 7] =
    [-0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0, -1.0 / 87_178_291_200.0];

/// Coefficients of `(e^t - 1) / t`.
const EXP: [f64; 11] = [
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
];

/// Coefficients of `artanh(s) / s` in `s^2`.
const ARTANH: [f64; 9] =
    [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0];

#[inline(always)]
fn series<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for c in coefficients[..N - 1].iter().rev() {
        sum = sum * x + c;
    }
    sum
}

/// Two to the power of `x`; results outside the range of `f32` are 0 or infinite after rounding.
#[inline(always)]
fn exp2_wide(x: f64) -> f64 {
    let low = if x < -300.0 { -300.0 } else { x };
    let x = if low > 300.0 { 300.0 } else { low };
    let shifted = x + ROUNDER;
    let t = (x - (shifted - ROUNDER)) * LN_2;
    // The low bits of the sum are those of the integer in two's complement; the rounder's own low bits are zero.
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (1.0 + t * series(t, &EXP)) * scale
}

/// Binary logarithm of a positive number.
#[inline(always)]
fn log2_wide(x: f64) -> f64 {
    // Subtracting the square root of one half makes the exponent that of the nearest power of two.
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let distance = x.to_bits().wrapping_sub(ROOT);
    let exponent = distance >> 52;
    let m = f64::from_bits((distance & ((1 << 52) - 1)).wrapping_add(ROOT));
    // Twelve bits of two's complement, biased to be positive and placed below the exponent of 2^52.
    let biased = (exponent ^ 0x800) & 0xfff;
    let exponent = f64::from_bits(biased | 2f64.powi(52).to_bits()) - (2f64.powi(52) + 2048.0);
    let s = (m - 1.0) / (m + 1.0);
    exponent + s * series(s * s, &ARTANH) * (2.0 * LOG2_E)
}

#[inline(always)]
pub(crate) fn exp2(x: f32) -> f32 {
    exp2_wide(f64::from(x)) as f32
}

#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    exp2_wide(f64::from(x) * LOG2_E) as f32
}

#[inline(always)]
pub(crate) fn log2(x: f32) -> f32 {
    logarithm(x, log2_wide(f64::from(x)))
}

#[inline(always)]
pub(crate) fn log(x: f32) -> f32 {
    logarithm(x, log2_wide(f64::from(x)) * LN_2)
}

#[inline(always)]
fn logarithm(x: f32, result: f64) -> f32 {
    let domain = if x > 0.0 { result as f32 } else { f32::NAN };
    let zero = if x == 0.0 { f32::NEG_INFINITY } else { domain };
    if x == f32::INFINITY { x } else { zero }
}

#[inline(always)]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let log = log2_wide(f64::from(x));
    let zero = if x == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if x == f32::INFINITY { f64::INFINITY } else { zero };
    let power = exp2_wide(f64::from(y) * log) as f32;
    let one = if y == 0.0 || x == 1.0 { 1.0 } else { power };
    if x >= 0.0 { one } else { f32::NAN }
}

#[inline(always)]
pub(crate) fn inverse_sqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}
