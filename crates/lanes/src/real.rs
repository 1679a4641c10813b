//! Float functions beyond Rust's operators, without branches, so that loops over lanes are vectorised.
//!
//! The rounding functions use additions because baseline x86-64 and wasm32 vectors lack an instruction for some of
//! them, and a call per lane would keep the whole loop from being vectorised.

macro_rules! real {
    ($module:ident, $float:ident, $word:ident, $int:ident, bits $bits:expr, mantissa $mantissa:expr) => {
        #[doc = concat!("Functions on `", stringify!($float), "`.")]
        pub(crate) mod $module {
            const SIGN: $word = 1 << ($bits - 1);
            const INFINITY: $word = $float::INFINITY.to_bits();
            /// From here on every float is an integer.
            const INTEGRAL: $float = ((1 as $word) << $mantissa) as $float;
            const BIAS: $int = (1 << ($bits - 2 - $mantissa)) - 1;

            #[inline(always)]
            fn with_sign(magnitude: $float, sign: $float) -> $float {
                $float::from_bits(magnitude.to_bits() & !SIGN | sign.to_bits() & SIGN)
            }

            #[inline(always)]
            fn magnitude(x: $float) -> $float {
                $float::from_bits(x.to_bits() & !SIGN)
            }

            #[inline(always)]
            pub(crate) fn round_even(x: $float) -> $float {
                let big = with_sign(INTEGRAL, x);
                let rounded = with_sign((x + big) - big, x);
                // Written so that NaN takes the same path as large numbers.
                if magnitude(x) < INTEGRAL { rounded } else { x }
            }

            #[inline(always)]
            pub(crate) fn floor(x: $float) -> $float {
                let near = round_even(x);
                with_sign(near - if near > x { 1.0 } else { 0.0 }, x)
            }

            #[inline(always)]
            pub(crate) fn ceil(x: $float) -> $float {
                -floor(-x)
            }

            #[inline(always)]
            pub(crate) fn trunc(x: $float) -> $float {
                with_sign(floor(magnitude(x)), x)
            }

            #[inline(always)]
            pub(crate) fn round_away(x: $float) -> $float {
                let down = trunc(x);
                let up = if magnitude(x - down) >= 0.5 { 1.0 } else { 0.0 };
                // The fraction of an infinity is NaN, so it stays.
                down + with_sign(up, x)
            }

            #[inline(always)]
            pub(crate) fn modf(x: $float) -> $float {
                let fraction = if magnitude(x) == $float::INFINITY { 0.0 } else { x - trunc(x) };
                // The sign of a NaN does not matter.
                with_sign(fraction, x)
            }

            #[inline(always)]
            pub(crate) fn sign(x: $float) -> $float {
                let one = with_sign(1.0, x);
                if x == 0.0 {
                    x
                } else if x.is_nan() {
                    0.0
                } else {
                    one
                }
            }

            #[inline(always)]
            pub(crate) fn min(x: $float, y: $float) -> $float {
                if y < x || x.is_nan() { y } else { x }
            }

            #[inline(always)]
            pub(crate) fn max(x: $float, y: $float) -> $float {
                if y > x || x.is_nan() { y } else { x }
            }

            #[inline(always)]
            pub(crate) fn flush(x: $word) -> $word {
                if magnitude($float::from_bits(x)) < $float::MIN_POSITIVE { x & SIGN } else { x }
            }

            /// Normal numbers unchanged and denormals scaled to be normal, with the power of two that undoes the
            /// scaling.
            #[inline(always)]
            fn normal(x: $float) -> ($word, $int) {
                let tiny = magnitude(x) < $float::MIN_POSITIVE;
                let scaled = if tiny { x * INTEGRAL } else { x };
                (scaled.to_bits(), if tiny { $mantissa } else { 0 })
            }

            #[inline(always)]
            fn has_exponent(x: $float) -> bool {
                x != 0.0 && x.to_bits() & !SIGN < INFINITY
            }

            #[inline(always)]
            pub(crate) fn frexp_mantissa(x: $float) -> $float {
                let (bits, _) = normal(x);
                let half = $float::from_bits(bits & !INFINITY | $float::to_bits(0.5));
                if has_exponent(x) { half } else { x }
            }

            #[inline(always)]
            pub(crate) fn frexp_exponent(x: $float) -> $int {
                let (bits, scale) = normal(x);
                let exponent = ((bits & INFINITY) >> $mantissa) as $int - BIAS + 1 - scale;
                if has_exponent(x) { exponent } else { 0 }
            }

            /// A power of two that is a normal number.
            #[inline(always)]
            fn power(exponent: $int) -> $float {
                $float::from_bits(((exponent + BIAS) as $word) << $mantissa)
            }

            /// Replaces the exponent as far as normal numbers go; one multiplication does the rest, and rounds.
            #[inline(always)]
            pub(crate) fn ldexp(x: $float, exponent: $int) -> $float {
                let (bits, scale) = normal(x);
                let own = ((bits & INFINITY) >> $mantissa) as $int - BIAS;
                let target = own - scale + exponent.clamp(-4 * BIAS, 4 * BIAS);
                let reached = target.clamp(1 - BIAS, BIAS);
                let moved = $float::from_bits(bits & !INFINITY | ((reached + BIAS) as $word) << $mantissa);
                let rest = (target - reached).clamp(1 - BIAS, BIAS);
                if has_exponent(x) { moved * power(rest) } else { x }
            }
        }
    };
}

real!(single, f32, u32, i32, bits 32, mantissa 23);
real!(double, f64, u64, i64, bits 64, mantissa 52);

/// `a * b + c` rounded once.
///
/// The product of two 24-bit mantissas is exact in `f64`. The sum is rounded to odd there, which makes the second
/// rounding, to `f32`, correct (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums").
#[inline(always)]
pub(crate) fn fma_single(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let bits = sum.to_bits();
    // The error of infinities and NaN is NaN, which compares false.
    let inexact = error.abs() > 0.0;
    let outwards = (error > 0.0) == (sum > 0.0);
    let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let adjust = inexact && bits & 1 == 0;
    f64::from_bits(if adjust { odd } else { bits }) as f32
}
