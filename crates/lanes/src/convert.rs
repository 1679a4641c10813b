//! Conversions between scalar types.

use crate::lane::{Word, map1};
use crate::numerics::{Numerics, flush};
use crate::pack;

/// A scalar type. Types of up to 32 bits are stored in 32-bit words, signed ones sign-extended, others zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Scalar {
    /// 0 or 1; a number converts to 1 if it is not zero (NaN converts to 0).
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Scalar {
    /// Whether values of the type are stored in 64-bit words.
    #[must_use]
    pub fn is_wide(self) -> bool {
        matches!(self, Scalar::I64 | Scalar::U64 | Scalar::F64)
    }

    fn is_flushed(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// The value of a lane, in a type that can represent all values of its class.
enum Number {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// Converts a register. The word types must match the widths of `from` and `to`.
///
/// Integers wrap. Floats are truncated to integers, saturated if they are out of range, and NaN becomes 0; GLSL 4.60,
/// 5.4.1 leaves both cases undefined. Integers and wider floats are rounded to the nearest float.
#[inline]
#[must_use]
pub fn convert<A: Word, B: Word, const W: usize>(from: Scalar, to: Scalar, a: &[A; W], numerics: &Numerics) -> [B; W] {
    debug_assert_eq!((from.is_wide(), to.is_wide()), (!A::NARROW, !B::NARROW), "a word of another width");
    let mut out = [B::default(); W];
    convert_all(from, to, &mut out, &flush(*a, from.is_flushed(), numerics));
    flush(out, to.is_flushed(), numerics)
}

#[inline(never)]
fn convert_all<A: Word, B: Word>(from: Scalar, to: Scalar, out: &mut [B], a: &[A]) {
    use Scalar::{F32, I32, U32};
    // The most frequent pairs have specialised loops.
    match (from, to) {
        (I32, F32) => map1(out, a, |x| B::from_narrow((x.narrow() as i32 as f32).to_bits())),
        (U32, F32) => map1(out, a, |x| B::from_narrow((x.narrow() as f32).to_bits())),
        (F32, I32) => map1(out, a, |x| B::from_narrow(f32::from_bits(x.narrow()) as i32 as u32)),
        (F32, U32) => map1(out, a, |x| B::from_narrow(f32::from_bits(x.narrow()) as u32)),
        (I32, U32) | (U32, I32) => map1(out, a, |x| B::from_narrow(x.narrow())),
        _ => map1(out, a, |x| B::from_wide(convert_bits(from, to, x.widen()))),
    }
}

/// Converts one value, by the rules of [`convert`].
#[must_use]
pub fn convert_bits(from: Scalar, to: Scalar, bits: u64) -> u64 {
    let number = match from {
        Scalar::Bool => Number::Unsigned(u64::from(bits != 0)),
        Scalar::I8 => Number::Signed(i64::from(bits as i8)),
        Scalar::U8 => Number::Unsigned(u64::from(bits as u8)),
        Scalar::I16 => Number::Signed(i64::from(bits as i16)),
        Scalar::U16 => Number::Unsigned(u64::from(bits as u16)),
        Scalar::I32 => Number::Signed(i64::from(bits as i32)),
        Scalar::U32 => Number::Unsigned(u64::from(bits as u32)),
        Scalar::I64 => Number::Signed(bits as i64),
        Scalar::U64 => Number::Unsigned(bits),
        Scalar::F16 => Number::Float(f64::from(pack::f32_from_half(bits as u32 & 0xffff))),
        Scalar::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Number::Float(f64::from_bits(bits)),
    };
    match number {
        Number::Signed(x) => match to {
            Scalar::F16 => u64::from(pack::half_from_f64(x as f64)),
            Scalar::F32 => u64::from((x as f32).to_bits()),
            Scalar::F64 => (x as f64).to_bits(),
            _ => wrap(to, x as u64),
        },
        Number::Unsigned(x) => match to {
            Scalar::F16 => u64::from(pack::half_from_f64(x as f64)),
            Scalar::F32 => u64::from((x as f32).to_bits()),
            Scalar::F64 => (x as f64).to_bits(),
            _ => wrap(to, x),
        },
        Number::Float(x) => match to {
            Scalar::Bool => u64::from(x != 0.0),
            Scalar::I8 => u64::from(x as i8 as u32),
            Scalar::U8 => u64::from(x as u8),
            Scalar::I16 => u64::from(x as i16 as u32),
            Scalar::U16 => u64::from(x as u16),
            Scalar::I32 => u64::from(x as i32 as u32),
            Scalar::U32 => u64::from(x as u32),
            Scalar::I64 => x as i64 as u64,
            Scalar::U64 => x as u64,
            Scalar::F16 => u64::from(pack::half_from_f64(x)),
            Scalar::F32 => u64::from((x as f32).to_bits()),
            Scalar::F64 => x.to_bits(),
        },
    }
}

/// The low bits of an integer as a value of an integer type; floats are returned unchanged.
fn wrap(to: Scalar, x: u64) -> u64 {
    match to {
        Scalar::Bool => u64::from(x != 0),
        Scalar::I8 => u64::from(x as i8 as u32),
        Scalar::U8 => u64::from(x as u8),
        Scalar::I16 => u64::from(x as i16 as u32),
        Scalar::U16 => u64::from(x as u16),
        Scalar::I32 | Scalar::U32 => u64::from(x as u32),
        Scalar::I64 | Scalar::U64 | Scalar::F16 | Scalar::F32 | Scalar::F64 => x,
    }
}

/// 64-bit words of low and high halves: `packDouble2x32`, `packInt2x32`, `packUint2x32`.
#[inline]
#[must_use]
pub fn join<const W: usize>(low: &[u32; W], high: &[u32; W]) -> [u64; W] {
    std::array::from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32)
}

/// Low and high halves of 64-bit words: `unpackDouble2x32`, `unpackInt2x32`, `unpackUint2x32`.
#[inline]
#[must_use]
pub fn split<const W: usize>(a: &[u64; W]) -> ([u32; W], [u32; W]) {
    (a.map(|x| x as u32), a.map(|x| (x >> 32) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar::*;

    #[track_caller]
    fn check(from: Scalar, to: Scalar, bits: u64, expected: u64) {
        assert_eq!(convert_bits(from, to, bits), expected, "{from:?} {bits:#x} as {to:?}");
        let plain = &Numerics::IEEE;
        let one = match (from.is_wide(), to.is_wide()) {
            (false, false) => u64::from(convert::<u32, u32, 1>(from, to, &[bits as u32], plain)[0]),
            (false, true) => convert::<u32, u64, 1>(from, to, &[bits as u32], plain)[0],
            (true, false) => u64::from(convert::<u64, u32, 1>(from, to, &[bits], plain)[0]),
            (true, true) => convert::<u64, u64, 1>(from, to, &[bits], plain)[0],
        };
        assert_eq!(one, expected, "{from:?} {bits:#x} as {to:?}, whole register");
    }

    fn single(x: f32) -> u64 {
        u64::from(x.to_bits())
    }

    #[test]
    fn floats_to_integers_saturate() {
        for (x, signed, unsigned) in [
            (1.9, 1, 1),
            (-1.9, -1, 0),
            (f32::NAN, 0, 0),
            (3e9, i32::MAX, 3_000_000_000),
            (f32::INFINITY, i32::MAX, u32::MAX),
            (f32::NEG_INFINITY, i32::MIN, 0),
        ] {
            check(F32, I32, single(x), u64::from(signed as u32));
            check(F32, U32, single(x), u64::from(unsigned));
            check(F64, I32, f64::from(x).to_bits(), u64::from(signed as u32));
        }
        check(F64, U64, 1e30f64.to_bits(), u64::MAX);
        check(F64, I64, (-1e30f64).to_bits(), i64::MIN as u64);
        check(F32, I8, single(-200.0), u64::from(-128i32 as u32));
    }

    #[test]
    fn integers_wrap_and_extend() {
        check(I32, I64, u64::from(-5i32 as u32), -5i64 as u64);
        check(U32, I64, u64::from(-5i32 as u32), 0xffff_fffb);
        check(I64, I32, 0x1_8000_0000, 0x8000_0000);
        check(I32, I16, 0x1_8000, 0xffff_8000);
        check(I32, U8, 0x1ff, 0xff);
        check(I32, U64, u64::from(u32::MAX), u64::MAX);
    }

    #[test]
    fn integers_are_rounded_once() {
        check(I32, F32, 0x0100_0001, single(16_777_216.0));
        check(U32, F32, 0xffff_ffff, single(4_294_967_296.0));
        // A detour through f64 would produce a tie and round down.
        check(I64, F32, 0x0080_0000_8000_0001, single(36_028_801_313_931_264.0));
        check(U64, F64, u64::MAX, 18_446_744_073_709_551_616f64.to_bits());
    }

    #[test]
    fn booleans() {
        check(Bool, F32, 1, single(1.0));
        check(F32, Bool, single(-0.0), 0);
        check(F32, Bool, single(f32::NAN), 1);
        check(F64, Bool, 1e-310f64.to_bits(), 1);
        check(I64, Bool, 1 << 40, 1);
        check(Bool, I32, 1, 1);
    }

    #[test]
    fn floats_to_floats() {
        check(F32, F64, single(0.1), f64::from(0.1f32).to_bits());
        check(F64, F32, 0.1f64.to_bits(), single(0.1));
        check(F64, F32, 1e300f64.to_bits(), single(f32::INFINITY));
        check(F32, F16, single(1.0), 0x3c00);
        check(F16, F64, 1, 2f64.powi(-24).to_bits());
        let flush = Numerics { flush_denormals: true, ..Numerics::IEEE };
        assert_eq!(convert::<u64, u32, 1>(F64, F32, &[1e-40f64.to_bits()], &flush), [0]);
        assert_eq!(convert::<u32, u64, 1>(F32, F64, &[1], &flush), [0]);
    }

    #[test]
    fn halves_of_doubles() {
        assert_eq!(join(&[1, 2], &[3, 4]), [0x3_0000_0001, 0x4_0000_0002]);
        assert_eq!(split(&[0x3_0000_0001]), ([1], [3]));
    }
}
