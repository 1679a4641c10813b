//! Operations on whole registers.

use crate::kernel::{self, Angle};
use crate::lane::{Word, map1, map2, map3};
use crate::numerics::{Device, Numerics, flush};
use crate::op::{Op1, Op2, Op3, Op4, Test1, Test2};
use crate::{integer, pack, real};

/// An operation on one register. Packing is for 32-bit words; on 64-bit words it gives 0.
#[inline(always)]
#[must_use]
pub fn op1<T: Word, const W: usize>(op: Op1, a: &[T; W], numerics: &Numerics) -> [T; W] {
    if !numerics.plain() {
        return op1_otherwise(op, a, numerics);
    }
    match op {
        Op1::FNeg => quick2(a, a, |x, _| T::f_neg(x)),
        Op1::FAbs => quick2(a, a, |x, _| T::f_abs(x)),
        Op1::FSqrt => quick2(a, a, |x, _| T::f_sqrt(x)),
        _ => {
            let mut out = [T::default(); W];
            T::op1(op, &mut out, a);
            out
        }
    }
}

/// Applies the numerics; outlined to keep the default path small.
#[inline(never)]
fn op1_otherwise<T: Word, const W: usize>(op: Op1, a: &[T; W], numerics: &Numerics) -> [T; W] {
    let mut out = [T::default(); W];
    let (operand, result) = op.floats();
    let a = flush(*a, operand, numerics);
    match numerics.device.as_ref().and_then(|d| Device::find(&d.op1, op)).filter(|_| T::NARROW) {
        Some(function) => map1(&mut out, &a, |a| T::from_narrow(function(a.narrow()))),
        None => T::op1(op, &mut out, &a),
    }
    flush(out, result, numerics)
}

/// An operation on two registers. Packing is for 32-bit words; on 64-bit words it gives 0.
#[inline(always)]
#[must_use]
pub fn op2<T: Word, const W: usize>(op: Op2, a: &[T; W], b: &[T; W], numerics: &Numerics) -> [T; W] {
    if !numerics.plain() {
        return op2_otherwise(op, a, b, numerics);
    }
    match op {
        Op2::FAdd => quick2(a, b, T::f_add),
        Op2::FSub => quick2(a, b, T::f_sub),
        Op2::FMul => quick2(a, b, T::f_mul),
        Op2::FDiv => quick2(a, b, T::f_div),
        Op2::FMin => quick2(a, b, T::f_min),
        Op2::FMax => quick2(a, b, T::f_max),
        Op2::IAdd => quick2(a, b, T::i_add),
        Op2::ISub => quick2(a, b, T::i_sub),
        Op2::And => quick2(a, b, T::and),
        Op2::Or => quick2(a, b, T::or),
        _ => {
            let mut out = [T::default(); W];
            T::op2(op, &mut out, a, b);
            out
        }
    }
}

/// Applies the numerics; outlined to keep the default path small.
#[inline(never)]
fn op2_otherwise<T: Word, const W: usize>(op: Op2, a: &[T; W], b: &[T; W], numerics: &Numerics) -> [T; W] {
    let mut out = [T::default(); W];
    let (first, second, result) = op.floats();
    let (a, b) = (flush(*a, first, numerics), flush(*b, second, numerics));
    match numerics.device.as_ref().and_then(|d| Device::find(&d.op2, op)).filter(|_| T::NARROW) {
        Some(function) => map2(&mut out, &a, &b, |a, b| T::from_narrow(function(a.narrow(), b.narrow()))),
        None => T::op2(op, &mut out, &a, &b),
    }
    flush(out, result, numerics)
}

/// An operation on three registers.
#[inline(always)]
#[must_use]
pub fn op3<T: Word, const W: usize>(op: Op3, a: &[T; W], b: &[T; W], c: &[T; W], numerics: &Numerics) -> [T; W] {
    let mut out = [T::default(); W];
    if numerics.plain() {
        T::op3(op, &mut out, a, b, c);
        return out;
    }
    op3_otherwise(op, a, b, c, numerics)
}

/// Applies the numerics; outlined to keep the default path small.
#[inline(never)]
fn op3_otherwise<T: Word, const W: usize>(op: Op3, a: &[T; W], b: &[T; W], c: &[T; W], numerics: &Numerics) -> [T; W] {
    let mut out = [T::default(); W];
    let [a, b, c] = [a, b, c].map(|x| flush(*x, op.floats(), numerics));
    match numerics.device.as_ref().and_then(|d| Device::find(&d.op3, op)).filter(|_| T::NARROW) {
        Some(f) => map3(&mut out, &a, &b, &c, |a, b, c| T::from_narrow(f(a.narrow(), b.narrow(), c.narrow()))),
        None => T::op3(op, &mut out, &a, &b, &c),
    }
    flush(out, op.floats(), numerics)
}

/// An operation on four registers. Packing is for 32-bit words; on 64-bit words it gives 0.
#[inline]
#[must_use]
pub fn op4<T: Word, const W: usize>(op: Op4, [a, b, c, d]: [&[T; W]; 4]) -> [T; W] {
    let mut out = [T::default(); W];
    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = match op {
            Op4::BitfieldInsert => T::insert(*a, *b, *c, *d),
            Op4::PackUnorm8 => T::pack([*a, *b, *c, *d], 8, |x| pack::unorm(x, 255.0)),
            Op4::PackSnorm8 => T::pack([*a, *b, *c, *d], 8, |x| pack::snorm(x, 127.0) & 0xff),
        };
    }
    out
}

/// A predicate on one register; the results are booleans and do not depend on the numerics.
#[inline]
#[must_use]
pub fn test1<T: Word, const W: usize>(test: Test1, a: &[T; W]) -> [u32; W] {
    let mut out = [0; W];
    T::test1(test, &mut out, a);
    out
}

/// A predicate on two registers; the results are booleans.
#[inline(always)]
#[must_use]
pub fn test2<T: Word, const W: usize>(test: Test2, a: &[T; W], b: &[T; W], numerics: &Numerics) -> [u32; W] {
    if test.floats() && numerics.flush_denormals {
        let mut out = [0; W];
        T::test2(test, &mut out, &flush(*a, true, numerics), &flush(*b, true, numerics));
        return out;
    }
    match test {
        Test2::FLt => quick2(a, b, |x, y| u32::from(T::f_less(x, y))),
        Test2::FGt => quick2(a, b, |x, y| u32::from(T::f_less(y, x))),
        Test2::FLe => quick2(a, b, |x, y| u32::from(T::f_less_or_equal(x, y))),
        Test2::FGe => quick2(a, b, |x, y| u32::from(T::f_less_or_equal(y, x))),
        Test2::SLt => quick2(a, b, |x, y| u32::from(T::s_less(x, y))),
        Test2::SGt => quick2(a, b, |x, y| u32::from(T::s_less(y, x))),
        Test2::IEq => quick2(a, b, |x, y| u32::from(x == y)),
        Test2::INe => quick2(a, b, |x, y| u32::from(x != y)),
        _ => {
            let mut out = [0; W];
            T::test2(test, &mut out, a, b);
            out
        }
    }
}

/// One of the most frequent operations, inlined at its use: there is no call and no further dispatch, and the result
/// stays in vector registers until it is written. Four lanes are spelled out, because the compiler turns that into one
/// vector; it does not do so for loops of a small known length.
#[inline(always)]
fn quick2<A: Copy, R: Copy + Default, const W: usize>(a: &[A; W], b: &[A; W], f: impl Fn(A, A) -> R) -> [R; W] {
    let mut out = [R::default(); W];
    let (fours, rest) = out.as_chunks_mut::<4>();
    let ((a_fours, a_rest), (b_fours, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for ((out, a), b) in fours.iter_mut().zip(a_fours).zip(b_fours) {
        *out = [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])];
    }
    for ((out, a), b) in rest.iter_mut().zip(a_rest).zip(b_rest) {
        *out = f(*a, *b);
    }
    out
}

/// The operations for one word width.
///
/// They take slices and are not inlined, so that the compiler does not know the number of lanes: loops of a small known
/// length are unrolled into scalar code before vectorisation, which is three times slower.
pub trait Arithmetic: Copy + Default + Eq + std::fmt::Debug + 'static {
    /// Whether the word has 32 bits.
    const NARROW: bool;
    /// The low 32 bits.
    fn narrow(self) -> u32;
    /// Zero-extended.
    fn from_narrow(word: u32) -> Self;
    /// Zero-extended to 64 bits.
    fn widen(self) -> u64;
    /// Truncated to the word's width.
    fn from_wide(word: u64) -> Self;
    /// Writes the new value where the mask is all ones, and keeps the old one where it is zero.
    fn blend(register: &mut [Self], value: &[Self], mask: &[u32]);
    /// The first where the condition is not 0, else the second.
    fn select(out: &mut [Self], condition: &[u32], yes: &[Self], no: &[Self]);
    /// The sum of floats.
    fn f_add(a: Self, b: Self) -> Self;
    /// The difference of floats.
    fn f_sub(a: Self, b: Self) -> Self;
    /// The product of floats.
    fn f_mul(a: Self, b: Self) -> Self;
    /// The quotient of floats.
    fn f_div(a: Self, b: Self) -> Self;
    /// The smaller float.
    fn f_min(a: Self, b: Self) -> Self;
    /// The larger float.
    fn f_max(a: Self, b: Self) -> Self;
    /// The negated float.
    fn f_neg(a: Self) -> Self;
    /// The absolute value.
    fn f_abs(a: Self) -> Self;
    /// The square root of a float.
    fn f_sqrt(a: Self) -> Self;
    /// Whether the first float is smaller.
    fn f_less(a: Self, b: Self) -> bool;
    /// Whether the first float is smaller or equal.
    fn f_less_or_equal(a: Self, b: Self) -> bool;
    /// Whether the first signed integer is smaller.
    fn s_less(a: Self, b: Self) -> bool;
    /// The sum of integers, which wraps.
    fn i_add(a: Self, b: Self) -> Self;
    /// The difference of integers, which wraps.
    fn i_sub(a: Self, b: Self) -> Self;
    /// Bitwise and.
    fn and(a: Self, b: Self) -> Self;
    /// Bitwise or.
    fn or(a: Self, b: Self) -> Self;
    /// Replaces denormal floats with zeros.
    fn flush(a: &mut [Self]);
    /// `bitfieldInsert`.
    fn insert(base: Self, insert: Self, offset: Self, bits: Self) -> Self;
    /// Packs codes of `bits` bits each, the first in the low bits.
    fn pack<const N: usize>(x: [Self; N], bits: u32, code: impl Fn(f32) -> u32) -> Self;
    /// Operations with one operand.
    fn op1(op: Op1, out: &mut [Self], a: &[Self]);
    /// Operations with two operands.
    fn op2(op: Op2, out: &mut [Self], a: &[Self], b: &[Self]);
    /// Operations with three operands.
    fn op3(op: Op3, out: &mut [Self], a: &[Self], b: &[Self], c: &[Self]);
    /// Predicates with one operand.
    fn test1(test: Test1, out: &mut [u32], a: &[Self]);
    /// Predicates with two operands.
    fn test2(test: Test2, out: &mut [u32], a: &[Self], b: &[Self]);
}

macro_rules! arithmetic {
    ($word:ident, $int:ident, $float:ident, $real:ident, $integer:ident, $own:ident, $fma:path) => {
        impl Arithmetic for $word {
            const NARROW: bool = $word::BITS == 32;

            #[inline(always)]
            fn narrow(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn from_narrow(word: u32) -> Self {
                word as $word
            }

            #[inline(always)]
            fn widen(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn from_wide(word: u64) -> Self {
                word as $word
            }

            #[inline(always)]
            fn f_add(a: Self, b: Self) -> Self {
                ($float::from_bits(a) + $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn f_sub(a: Self, b: Self) -> Self {
                ($float::from_bits(a) - $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn f_mul(a: Self, b: Self) -> Self {
                ($float::from_bits(a) * $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn f_div(a: Self, b: Self) -> Self {
                ($float::from_bits(a) / $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn f_min(a: Self, b: Self) -> Self {
                real::$real::min($float::from_bits(a), $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn f_max(a: Self, b: Self) -> Self {
                real::$real::max($float::from_bits(a), $float::from_bits(b)).to_bits()
            }

            #[inline(always)]
            fn i_add(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }

            #[inline(always)]
            fn i_sub(a: Self, b: Self) -> Self {
                a.wrapping_sub(b)
            }

            #[inline(always)]
            fn and(a: Self, b: Self) -> Self {
                a & b
            }

            #[inline(always)]
            fn or(a: Self, b: Self) -> Self {
                a | b
            }

            #[inline(always)]
            fn f_neg(a: Self) -> Self {
                a ^ 1 << ($word::BITS - 1)
            }

            #[inline(always)]
            fn f_abs(a: Self) -> Self {
                a & $word::MAX >> 1
            }

            #[inline(always)]
            fn f_sqrt(a: Self) -> Self {
                $float::from_bits(a).sqrt().to_bits()
            }

            #[inline(always)]
            fn f_less(a: Self, b: Self) -> bool {
                $float::from_bits(a) < $float::from_bits(b)
            }

            #[inline(always)]
            fn f_less_or_equal(a: Self, b: Self) -> bool {
                $float::from_bits(a) <= $float::from_bits(b)
            }

            #[inline(always)]
            fn s_less(a: Self, b: Self) -> bool {
                (a as $int) < b as $int
            }

            #[inline(never)]
            fn blend(register: &mut [Self], value: &[Self], mask: &[u32]) {
                let blend = |old: $word, new: $word, on: u32| {
                    let on = on as i32 as $int as $word;
                    new & on | old & !on
                };
                // As in `map2`.
                if let (&mut [r0, r1, r2, r3], &[v0, v1, v2, v3], &[m0, m1, m2, m3]) = (&mut *register, value, mask) {
                    register.copy_from_slice(&[
                        blend(r0, v0, m0),
                        blend(r1, v1, m1),
                        blend(r2, v2, m2),
                        blend(r3, v3, m3),
                    ]);
                    return;
                }
                for ((old, new), on) in register.iter_mut().zip(value).zip(mask) {
                    *old = blend(*old, *new, *on);
                }
            }

            #[inline(never)]
            fn select(out: &mut [Self], condition: &[u32], yes: &[Self], no: &[Self]) {
                for (((out, condition), yes), no) in out.iter_mut().zip(condition).zip(yes).zip(no) {
                    let on = $word::from(*condition != 0).wrapping_neg();
                    *out = *yes & on | *no & !on;
                }
            }

            #[inline(never)]
            fn flush(a: &mut [Self]) {
                a.iter_mut().for_each(|x| *x = real::$real::flush(*x));
            }

            #[inline(always)]
            fn insert(base: Self, insert: Self, offset: Self, bits: Self) -> Self {
                integer::$integer::insert(base, insert, offset, bits)
            }

            #[inline(always)]
            fn pack<const N: usize>(x: [Self; N], bits: u32, code: impl Fn(f32) -> u32) -> Self {
                if !Self::NARROW {
                    return 0;
                }
                let word = x.iter().rev().fold(0, |word, x| word << bits | code(f32::from_bits(x.narrow())));
                Self::from_narrow(word)
            }

            #[inline(never)]
            fn op1(op: Op1, out: &mut [Self], a: &[Self]) {
                let f = |out: &mut [Self], f: fn($float) -> $float| map1(out, a, |x| f($float::from_bits(x)).to_bits());
                use Op1::*;
                match op {
                    FNeg => map1(out, a, |x| x ^ 1 << ($word::BITS - 1)),
                    FAbs => map1(out, a, |x| x & $word::MAX >> 1),
                    FSign => map1(out, a, |x| real::$real::sign($float::from_bits(x)).to_bits()),
                    FFloor => map1(out, a, |x| real::$real::floor($float::from_bits(x)).to_bits()),
                    FCeil => map1(out, a, |x| real::$real::ceil($float::from_bits(x)).to_bits()),
                    FTrunc => map1(out, a, |x| real::$real::trunc($float::from_bits(x)).to_bits()),
                    FRoundAway => map1(out, a, |x| real::$real::round_away($float::from_bits(x)).to_bits()),
                    FRoundEven => map1(out, a, |x| real::$real::round_even($float::from_bits(x)).to_bits()),
                    FFract => map1(out, a, |x| {
                        let x = $float::from_bits(x);
                        (x - real::$real::floor(x)).to_bits()
                    }),
                    FModf => map1(out, a, |x| real::$real::modf($float::from_bits(x)).to_bits()),
                    FSqrt => map1(out, a, |x| $float::from_bits(x).sqrt().to_bits()),
                    FInverseSqrt => map1(out, a, |x| $own::inverse_sqrt($float::from_bits(x)).to_bits()),
                    FExp => map1(out, a, |x| $own::exp($float::from_bits(x)).to_bits()),
                    FExp2 => map1(out, a, |x| $own::exp2($float::from_bits(x)).to_bits()),
                    FLog => map1(out, a, |x| $own::log($float::from_bits(x)).to_bits()),
                    FLog2 => map1(out, a, |x| $own::log2($float::from_bits(x)).to_bits()),
                    FSin => $own::angles(Angle::Sin, out, a),
                    FCos => $own::angles(Angle::Cos, out, a),
                    FTan => $own::angles(Angle::Tan, out, a),
                    FAsin => f(out, |x| libm::asin(x as f64) as $float),
                    FAcos => f(out, |x| libm::acos(x as f64) as $float),
                    FAtan => f(out, |x| libm::atan(x as f64) as $float),
                    FSinh => f(out, |x| libm::sinh(x as f64) as $float),
                    FCosh => f(out, |x| libm::cosh(x as f64) as $float),
                    FTanh => f(out, |x| libm::tanh(x as f64) as $float),
                    FAsinh => f(out, |x| libm::asinh(x as f64) as $float),
                    FAcosh => f(out, |x| acosh(x as f64) as $float),
                    FAtanh => f(out, |x| libm::atanh(x as f64) as $float),
                    FFrexpMantissa => map1(out, a, |x| real::$real::frexp_mantissa($float::from_bits(x)).to_bits()),
                    FFrexpExponent => map1(out, a, |x| real::$real::frexp_exponent($float::from_bits(x)) as $word),
                    INeg => map1(out, a, |x| x.wrapping_neg()),
                    SAbs => map1(out, a, |x| (x as $int).wrapping_abs() as $word),
                    SSign => map1(out, a, |x| (x as $int).signum() as $word),
                    INot => map1(out, a, |x| !x),
                    BNot => map1(out, a, |x| x ^ 1),
                    BitReverse => map1(out, a, $word::reverse_bits),
                    BitCount => map1(out, a, |x| x.count_ones() as $word),
                    FindLsb => map1(out, a, integer::$integer::find_lsb),
                    SFindMsb => map1(out, a, integer::$integer::signed_find_msb),
                    UFindMsb => map1(out, a, integer::$integer::unsigned_find_msb),
                    LeadingZeros => map1(out, a, |x| x.leading_zeros() as $word),
                    TrailingZeros => map1(out, a, |x| x.trailing_zeros() as $word),
                    _ if !Self::NARROW => out.fill(0),
                    UnpackHalf(high) => map1(out, a, |x| {
                        Self::from_narrow(pack::f32_from_half(x.narrow() >> (16 * u32::from(high)) & 0xffff).to_bits())
                    }),
                    UnpackUnorm16(high) => map1(out, a, |x| {
                        let code = x.narrow() >> (16 * u32::from(high)) & 0xffff;
                        Self::from_narrow((code as f32 / 65535.0).to_bits())
                    }),
                    UnpackSnorm16(high) => map1(out, a, |x| {
                        let code = i32::from((x.narrow() >> (16 * u32::from(high))) as i16);
                        Self::from_narrow(pack::from_snorm(code, 32767.0).to_bits())
                    }),
                    UnpackUnorm8(byte) => map1(out, a, |x| {
                        let code = x.narrow() >> (8 * u32::from(byte & 3)) & 0xff;
                        Self::from_narrow((code as f32 / 255.0).to_bits())
                    }),
                    UnpackSnorm8(byte) => map1(out, a, |x| {
                        let code = i32::from((x.narrow() >> (8 * u32::from(byte & 3))) as i8);
                        Self::from_narrow(pack::from_snorm(code, 127.0).to_bits())
                    }),
                }
            }

            #[inline(never)]
            fn op2(op: Op2, out: &mut [Self], a: &[Self], b: &[Self]) {
                /// A function of floats on words.
                macro_rules! f {
                    ($f:expr) => {{
                        let f: fn($float, $float) -> $float = $f;
                        map2(out, a, b, |x, y| f($float::from_bits(x), $float::from_bits(y)).to_bits())
                    }};
                }
                /// A function of signed integers on words.
                macro_rules! s {
                    ($f:expr) => {{
                        let f: fn($int, $int) -> $int = $f;
                        map2(out, a, b, |x, y| f(x as $int, y as $int) as $word)
                    }};
                }
                use Op2::*;
                match op {
                    FAdd => f!(|x, y| x + y),
                    FSub => f!(|x, y| x - y),
                    FMul => f!(|x, y| x * y),
                    FDiv => f!(|x, y| x / y),
                    FMod => f!(|x, y| x - y * real::$real::floor(x / y)),
                    FRem => f!(|x, y| x % y),
                    FMin => f!(real::$real::min),
                    FMax => f!(real::$real::max),
                    FStep => f!(|edge, x| if x < edge { 0.0 } else { 1.0 }),
                    FPow => f!($own::pow),
                    FAtan2 => f!(|y, x| libm::atan2(y as f64, x as f64) as $float),
                    FLdexp => map2(out, a, b, |x, y| real::$real::ldexp($float::from_bits(x), y as $int).to_bits()),
                    IAdd => map2(out, a, b, $word::wrapping_add),
                    ISub => map2(out, a, b, $word::wrapping_sub),
                    IMul => map2(out, a, b, $word::wrapping_mul),
                    SDiv => map2(out, a, b, integer::$integer::signed_div),
                    UDiv => map2(out, a, b, integer::$integer::unsigned_div),
                    SRem => map2(out, a, b, integer::$integer::signed_rem),
                    URem => map2(out, a, b, integer::$integer::unsigned_rem),
                    SMulHigh => map2(out, a, b, integer::$integer::signed_mul_high),
                    UMulHigh => map2(out, a, b, integer::$integer::unsigned_mul_high),
                    UCarry => map2(out, a, b, |x, y| $word::from(x.wrapping_add(y) < x)),
                    UBorrow => map2(out, a, b, |x, y| $word::from(x < y)),
                    SMin => s!($int::min),
                    UMin => map2(out, a, b, $word::min),
                    SMax => s!($int::max),
                    UMax => map2(out, a, b, $word::max),
                    Shl => map2(out, a, b, |x, y| x.wrapping_shl(y as u32)),
                    SShr => map2(out, a, b, |x, y| (x as $int).wrapping_shr(y as u32) as $word),
                    UShr => map2(out, a, b, |x, y| x.wrapping_shr(y as u32)),
                    And => map2(out, a, b, |x, y| x & y),
                    Or => map2(out, a, b, |x, y| x | y),
                    Xor => map2(out, a, b, |x, y| x ^ y),
                    SAddSat => s!($int::saturating_add),
                    UAddSat => map2(out, a, b, $word::saturating_add),
                    SSubSat => s!($int::saturating_sub),
                    USubSat => map2(out, a, b, $word::saturating_sub),
                    SHalfAdd => map2(out, a, b, integer::$integer::signed_half_add),
                    UHalfAdd => map2(out, a, b, integer::$integer::unsigned_half_add),
                    SHalfAddUp => map2(out, a, b, integer::$integer::signed_half_add_up),
                    UHalfAddUp => map2(out, a, b, integer::$integer::unsigned_half_add_up),
                    SAbsDiff => map2(out, a, b, |x, y| (x as $int).abs_diff(y as $int)),
                    UAbsDiff => map2(out, a, b, $word::abs_diff),
                    PackHalf => map2(out, a, b, |x, y| Self::pack([x, y], 16, pack::half_from_f32)),
                    PackUnorm16 => map2(out, a, b, |x, y| Self::pack([x, y], 16, |x| pack::unorm(x, 65535.0))),
                    PackSnorm16 => map2(out, a, b, |x, y| Self::pack([x, y], 16, |x| pack::snorm(x, 32767.0) & 0xffff)),
                }
            }

            #[inline(never)]
            fn op3(op: Op3, out: &mut [Self], a: &[Self], b: &[Self], c: &[Self]) {
                let float = $float::from_bits;
                match op {
                    Op3::FFma => map3(out, a, b, c, |a, b, c| $fma(float(a), float(b), float(c)).to_bits()),
                    Op3::FClamp => map3(out, a, b, c, |x, low, high| {
                        real::$real::min(real::$real::max(float(x), float(low)), float(high)).to_bits()
                    }),
                    Op3::SClamp => {
                        map3(out, a, b, c, |x, low, high| (x as $int).max(low as $int).min(high as $int) as $word)
                    }
                    Op3::UClamp => map3(out, a, b, c, |x, low, high| x.max(low).min(high)),
                    Op3::SBitfieldExtract => map3(out, a, b, c, integer::$integer::signed_extract),
                    Op3::UBitfieldExtract => map3(out, a, b, c, integer::$integer::unsigned_extract),
                }
            }

            #[inline(never)]
            fn test1(test: Test1, out: &mut [u32], a: &[Self]) {
                match test {
                    Test1::IsNan => map1(out, a, |x| u32::from($float::from_bits(x).is_nan())),
                    Test1::IsInf => map1(out, a, |x| u32::from($float::from_bits(x).is_infinite())),
                    Test1::NonZero => map1(out, a, |x| u32::from(x != 0)),
                }
            }

            #[inline(never)]
            fn test2(test: Test2, out: &mut [u32], a: &[Self], b: &[Self]) {
                let float = $float::from_bits;
                use Test2::*;
                match test {
                    FEq => map2(out, a, b, |x, y| u32::from(float(x) == float(y))),
                    FNe => map2(out, a, b, |x, y| u32::from(float(x) != float(y))),
                    FLt => map2(out, a, b, |x, y| u32::from(float(x) < float(y))),
                    FLe => map2(out, a, b, |x, y| u32::from(float(x) <= float(y))),
                    FGt => map2(out, a, b, |x, y| u32::from(float(x) > float(y))),
                    FGe => map2(out, a, b, |x, y| u32::from(float(x) >= float(y))),
                    IEq => map2(out, a, b, |x, y| u32::from(x == y)),
                    INe => map2(out, a, b, |x, y| u32::from(x != y)),
                    SLt => map2(out, a, b, |x, y| u32::from((x as $int) < y as $int)),
                    SLe => map2(out, a, b, |x, y| u32::from(x as $int <= y as $int)),
                    SGt => map2(out, a, b, |x, y| u32::from(x as $int > y as $int)),
                    SGe => map2(out, a, b, |x, y| u32::from(x as $int >= y as $int)),
                    ULt => map2(out, a, b, |x, y| u32::from(x < y)),
                    ULe => map2(out, a, b, |x, y| u32::from(x <= y)),
                    UGt => map2(out, a, b, |x, y| u32::from(x > y)),
                    UGe => map2(out, a, b, |x, y| u32::from(x >= y)),
                }
            }
        }
    };
}

arithmetic!(u32, i32, f32, single, narrow, kernel, real::fma_single);
arithmetic!(u64, i64, f64, double, wide, wide, libm::fma);

/// `libm` returns numbers instead of NaN for large negative operands.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Elementary functions on 64-bit floats.
mod wide {
    use super::{Angle, map1};

    pub(super) use libm::{exp, exp2, log, log2};

    /// As for 32-bit floats, powers of negative numbers are NaN.
    pub(super) fn pow(x: f64, y: f64) -> f64 {
        if x >= 0.0 { libm::pow(x, y) } else { f64::NAN }
    }

    #[inline(always)]
    pub(super) fn inverse_sqrt(x: f64) -> f64 {
        1.0 / x.sqrt()
    }

    pub(super) fn angles(function: Angle, out: &mut [u64], a: &[u64]) {
        let function = match function {
            Angle::Sin => libm::sin,
            Angle::Cos => libm::cos,
            Angle::Tan => libm::tan,
        };
        map1(out, a, |x| function(f64::from_bits(x)).to_bits());
    }
}
