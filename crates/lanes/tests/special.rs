//! Special values: zeros, infinities, NaN, denormals, halves, and what the language leaves undefined.

use lanes::{Numerics, Op1, Op2, Op3, Op4, Test1, Test2, op1, op2, op3, op4, test1, test2};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Whether both have the same bits or are both NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Checks in 32 and 64 bits; the expected value must be exact in both.
#[track_caller]
fn check1(op: Op1, x: f32, expected: f32) {
    let single = f32::from_bits(op1(op, &[x.to_bits()], &Numerics::IEEE)[0]);
    assert!(same(single.into(), expected.into()), "{op:?}({x}) = {single}, not {expected}");
    let double = f64::from_bits(op1(op, &[f64::from(x).to_bits()], &Numerics::IEEE)[0]);
    assert!(same(double, expected.into()), "{op:?}({x}) = {double} in f64, not {expected}");
}

#[track_caller]
fn check2(op: Op2, x: f32, y: f32, expected: f32) {
    let single = f32::from_bits(op2(op, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]);
    assert!(same(single.into(), expected.into()), "{op:?}({x}, {y}) = {single}, not {expected}");
    let (x, y) = (f64::from(x), f64::from(y));
    let double = f64::from_bits(op2(op, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]);
    assert!(same(double, expected.into()), "{op:?}({x}, {y}) = {double} in f64, not {expected}");
}

#[track_caller]
fn check_int1(op: Op1, x: i32, narrow: i32, wide: i64) {
    assert_eq!(op1(op, &[x as u32], &Numerics::IEEE)[0] as i32, narrow, "{op:?}({x})");
    assert_eq!(op1(op, &[i64::from(x) as u64], &Numerics::IEEE)[0] as i64, wide, "{op:?}({x}) in 64 bits");
}

#[track_caller]
fn check_int2(op: Op2, x: i32, y: i32, expected: i32) {
    assert_eq!(op2(op, &[x as u32], &[y as u32], &Numerics::IEEE)[0] as i32, expected, "{op:?}({x}, {y})");
}

#[test]
fn rounding() {
    use Op1::*;
    // Operand, floor, ceil, trunc, half away, half even.
    for [x, floor, ceil, trunc, away, even] in [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-0.0, -0.0, -0.0, -0.0, -0.0, -0.0],
        [0.5, 0.0, 1.0, 0.0, 1.0, 0.0],
        [-0.5, -1.0, -0.0, -0.0, -1.0, -0.0],
        [1.5, 1.0, 2.0, 1.0, 2.0, 2.0],
        [2.5, 2.0, 3.0, 2.0, 3.0, 2.0],
        [-2.5, -3.0, -2.0, -2.0, -3.0, -2.0],
        [0.49999997, 0.0, 1.0, 0.0, 0.0, 0.0],
        [8388607.5, 8388607.0, 8388608.0, 8388607.0, 8388608.0, 8388608.0],
        [8388609.0, 8388609.0, 8388609.0, 8388609.0, 8388609.0, 8388609.0],
        [-1e-40, -1.0, -0.0, -0.0, -0.0, -0.0],
        [1e30, 1e30, 1e30, 1e30, 1e30, 1e30],
        [INF, INF, INF, INF, INF, INF],
        [-INF, -INF, -INF, -INF, -INF, -INF],
        [NAN, NAN, NAN, NAN, NAN, NAN],
    ] {
        let results = [(FFloor, floor), (FCeil, ceil), (FTrunc, trunc), (FRoundAway, away), (FRoundEven, even)];
        results.iter().for_each(|(op, expected)| check1(*op, x, *expected));
    }
    for bits in (0..=u32::MAX).step_by(4099) {
        let x = f32::from_bits(bits);
        for (op, exact) in [
            (FFloor, x.floor()),
            (FCeil, x.ceil()),
            (FTrunc, x.trunc()),
            (FRoundAway, x.round()),
            (FRoundEven, x.round_ties_even()),
        ] {
            let got = f32::from_bits(op1(op, &[bits], &Numerics::IEEE)[0]);
            assert!(same(got.into(), exact.into()), "{op:?}({x}) = {got}");
        }
    }
}

#[test]
fn parts_of_floats() {
    use Op1::*;
    for [x, sign, fract, modf, abs, neg] in [
        [2.75, 1.0, 0.75, 0.75, 2.75, -2.75],
        [-2.75, -1.0, 0.25, -0.75, 2.75, 2.75],
        [0.0, 0.0, 0.0, 0.0, 0.0, -0.0],
        [-0.0, -0.0, 0.0, -0.0, 0.0, 0.0],
        [INF, 1.0, NAN, 0.0, INF, -INF],
        [-INF, -1.0, NAN, -0.0, INF, INF],
        [NAN, 0.0, NAN, NAN, NAN, NAN],
    ] {
        let results = [(FSign, sign), (FFract, fract), (FModf, modf), (FAbs, abs), (FNeg, neg)];
        results.iter().for_each(|(op, expected)| check1(*op, x, *expected));
    }
    check1(FFract, -1e-40, 1.0);
}

#[test]
fn exponents() {
    for (x, mantissa, exponent) in
        [(8.0f32, 0.5f32, 4), (-0.75, -0.75, 0), (0.0, 0.0, 0), (-0.0, -0.0, 0), (f32::MAX, 0.99999994, 128)]
    {
        check1(Op1::FFrexpMantissa, x, mantissa);
        assert_eq!(op1(Op1::FFrexpExponent, &[x.to_bits()], &Numerics::IEEE)[0] as i32, exponent);
        let wide = op1(Op1::FFrexpExponent, &[f64::from(x).to_bits()], &Numerics::IEEE)[0] as i64;
        assert_eq!(wide, i64::from(exponent));
    }
    [INF, -INF, NAN].iter().for_each(|x| check1(Op1::FFrexpMantissa, *x, *x));
    let tiny = f32::from_bits(3);
    assert_eq!(f32::from_bits(op1(Op1::FFrexpMantissa, &[3], &Numerics::IEEE)[0]), 0.75);
    assert_eq!(op1(Op1::FFrexpExponent, &[3u32], &Numerics::IEEE)[0] as i32, -147);
    let single = |x: f32, e: i32| f32::from_bits(op2(Op2::FLdexp, &[x.to_bits()], &[e as u32], &Numerics::IEEE)[0]);
    let double = |x: f64, e: i64| f64::from_bits(op2(Op2::FLdexp, &[x.to_bits()], &[e as u64], &Numerics::IEEE)[0]);
    assert_eq!(single(0.75, -147), tiny);
    assert_eq!(single(tiny, 276), 3.0 * 2f32.powi(127));
    assert_eq!((single(1.0, 128), single(-1.0, i32::MAX)), (INF, -INF));
    assert_eq!((single(1.0, i32::MIN), single(f32::MAX, -300)), (0.0, 0.0));
    assert!(single(NAN, 3).is_nan() && single(-INF, -500) == -INF && single(-0.0, 9).to_bits() == 1 << 31);
    // Rounded once: five quarters of the smallest denormal and three halves of it.
    assert_eq!((single(1.25, -149).to_bits(), single(1.5, -149).to_bits(), single(0.5, -149).to_bits()), (1, 2, 0));
    assert_eq!((double(1.5, 1023), double(1.0, -1074).to_bits()), (1.5 * 2f64.powi(1023), 1));
    for e in -300..300 {
        for x in [1.0f32, 1.7182817, -3.3e-39, 6.5e20] {
            let exact = (f64::from(x) * 2f64.powi(e)) as f32;
            assert_eq!(single(x, e), exact, "ldexp({x}, {e})");
        }
    }
}

#[test]
fn functions_at_the_edges() {
    use Op1::*;
    for (op, x, expected) in [
        (FSqrt, -0.0, -0.0),
        (FSqrt, -1.0, NAN),
        (FInverseSqrt, 0.0, INF),
        (FInverseSqrt, 4.0, 0.5),
        (FInverseSqrt, -1.0, NAN),
        (FInverseSqrt, INF, 0.0),
        (FExp, 0.0, 1.0),
        (FExp, INF, INF),
        (FExp, -INF, 0.0),
        (FExp2, 10.0, 1024.0),
        (FExp2, -3.0, 0.125),
        (FExp2, NAN, NAN),
        (FLog, 1.0, 0.0),
        (FLog, -1.0, NAN),
        (FLog, 0.0, -INF),
        (FLog, -0.0, -INF),
        (FLog, INF, INF),
        (FLog2, 8.0, 3.0),
        (FLog2, NAN, NAN),
        (FLog2, -INF, NAN),
        (FSin, 0.0, 0.0),
        (FSin, -0.0, -0.0),
        (FSin, INF, NAN),
        (FCos, 0.0, 1.0),
        (FCos, -INF, NAN),
        (FTan, -0.0, -0.0),
        (FTan, NAN, NAN),
        (FAsin, 2.0, NAN),
        (FAcos, 1.0, 0.0),
        (FAcos, -1.5, NAN),
        (FTanh, INF, 1.0),
        (FAcosh, 0.5, NAN),
        (FAcosh, -1e9, NAN),
        (FAtanh, 1.0, INF),
        (FCosh, -INF, INF),
    ] {
        check1(op, x, expected);
    }
    let sin = |x: f32| f32::from_bits(op1(FSin, &[x.to_bits()], &Numerics::IEEE)[0]);
    assert_eq!(sin(1e30), (1e30f32 as f64).sin() as f32);
    assert_eq!(f32::from_bits(op1(FExp2, &[(-149f32).to_bits()], &Numerics::IEEE)[0]).to_bits(), 1);
}

#[test]
fn pairs_of_floats() {
    use Op2::*;
    for (op, x, y, expected) in [
        (FPow, 0.0, 0.0, 1.0),
        (FPow, 0.0, 2.0, 0.0),
        (FPow, 0.0, -2.0, INF),
        (FPow, -2.0, 2.0, NAN),
        (FPow, 2.0, -3.0, 0.125),
        (FPow, 1.0, INF, 1.0),
        (FPow, INF, 0.0, 1.0),
        (FPow, INF, -1.0, 0.0),
        (FPow, 0.5, INF, 0.0),
        (FPow, NAN, 1.0, NAN),
        (FPow, 4.0, 0.5, 2.0),
        (FAtan2, 0.0, 0.0, 0.0),
        (FAtan2, -0.0, 1.0, -0.0),
        (FMod, 5.5, 2.0, 1.5),
        (FMod, -5.5, 2.0, 0.5),
        (FMod, 5.5, -2.0, -0.5),
        (FMod, 1.0, 0.0, NAN),
        (FRem, -5.5, 2.0, -1.5),
        (FRem, 5.5, 0.0, NAN),
        (FMin, NAN, 1.0, 1.0),
        (FMin, 1.0, NAN, 1.0),
        (FMin, NAN, NAN, NAN),
        (FMax, NAN, 1.0, 1.0),
        (FMax, 1.0, NAN, 1.0),
        (FMin, -0.0, 0.0, -0.0),
        (FMax, -INF, INF, INF),
        (FStep, 1.0, 1.0, 1.0),
        (FStep, 1.0, 0.5, 0.0),
        (FStep, NAN, 0.5, 1.0),
        (FDiv, 1.0, -0.0, -INF),
        (FDiv, 0.0, 0.0, NAN),
        (FSub, INF, INF, NAN),
    ] {
        check2(op, x, y, expected);
    }
    let atan = |y: f32, x: f32| f32::from_bits(op2(FAtan2, &[y.to_bits()], &[x.to_bits()], &Numerics::IEEE)[0]);
    assert_eq!((atan(0.0, -1.0), atan(-1.0, 0.0)), (std::f32::consts::PI, -std::f32::consts::FRAC_PI_2));
}

#[test]
fn fused_multiplication_rounds_once() {
    let fma = |a: f32, b: f32, c: f32| {
        f32::from_bits(op3(Op3::FFma, &[a.to_bits()], &[b.to_bits()], &[c.to_bits()], &Numerics::IEEE)[0])
    };
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    for _ in 0..300_000 {
        let (a, b) = (f32::from_bits(next()), f32::from_bits(next()));
        // Sums near a tie and sums that cancel reveal double rounding.
        let c = match next() % 4 {
            0 => f32::from_bits(next()),
            1 => -(a * b),
            2 => a * b * 2f32.powi((next() % 60) as i32 - 30),
            _ => f32::from_bits((a * b).to_bits().wrapping_add(next() << 23)),
        };
        assert!(same(fma(a, b, c).into(), a.mul_add(b, c).into()), "fma({a:e}, {b:e}, {c:e}) = {:e}", fma(a, b, c));
    }
    let wide = op3(Op3::FFma, &[0.1f64.to_bits()], &[10f64.to_bits()], &[(-1f64).to_bits()], &Numerics::IEEE);
    assert_eq!(f64::from_bits(wide[0]), 0.1f64.mul_add(10.0, -1.0));
    let clamp = |x: f32| {
        let [x, low, high] = [x, -1.0, 2.0].map(|x: f32| [x.to_bits()]);
        f32::from_bits(op3(Op3::FClamp, &x, &low, &high, &Numerics::IEEE)[0])
    };
    assert_eq!([clamp(-9.0), clamp(0.5), clamp(9.0), clamp(NAN)], [-1.0, 0.5, 2.0, -1.0]);
}

#[test]
fn integers() {
    use Op1::*;
    check_int1(INeg, i32::MIN, i32::MIN, 1 << 31);
    check_int1(SAbs, i32::MIN, i32::MIN, 1 << 31);
    check_int1(SSign, -7, -1, -1);
    check_int1(BitReverse, 1, i32::MIN, i64::MIN);
    check_int1(BitCount, -1, 32, 64);
    check_int1(FindLsb, 0, -1, -1);
    check_int1(FindLsb, 8, 3, 3);
    check_int1(SFindMsb, 0, -1, -1);
    check_int1(SFindMsb, -1, -1, -1);
    check_int1(SFindMsb, -2, 0, 0);
    check_int1(SFindMsb, 127, 6, 6);
    check_int1(UFindMsb, -1, 31, 63);
    check_int1(UFindMsb, 0, -1, -1);
    check_int1(LeadingZeros, 0, 32, 64);
    check_int1(TrailingZeros, 0, 32, 64);
    check_int1(BNot, 0, 1, 1);
    check_int1(INot, 5, -6, -6);
    use Op2::*;
    for (op, x, y, expected) in [
        (SDiv, 7, 0, -1),
        (UDiv, 7, 0, -1),
        (SRem, 7, 0, -1),
        (URem, 7, 0, -1),
        (SDiv, i32::MIN, -1, i32::MIN),
        (SRem, i32::MIN, -1, 0),
        (SDiv, -7, 2, -3),
        (SRem, -7, 2, -1),
        (UDiv, -1, 2, i32::MAX),
        (SMulHigh, -1, 1, -1),
        (UMulHigh, -1, -1, -2),
        (UCarry, -1, 1, 1),
        (UCarry, 1, 1, 0),
        (UBorrow, 0, 1, 1),
        (Shl, 1, 33, 2),
        (SShr, -8, 1, -4),
        (UShr, -1, 31, 1),
        (SShr, -8, 32, -8),
        (SMin, -1, 1, -1),
        (UMin, -1, 1, 1),
        (SMax, -1, 1, 1),
        (UMax, -1, 1, -1),
        (SAddSat, i32::MAX, 1, i32::MAX),
        (UAddSat, -1, 1, -1),
        (SSubSat, i32::MIN, 1, i32::MIN),
        (USubSat, 0, 1, 0),
        (SHalfAdd, -3, 0, -2),
        (SHalfAddUp, -3, 0, -1),
        (UHalfAdd, -1, -2, -2),
        (UHalfAddUp, -1, -2, -1),
        (SAbsDiff, i32::MIN, i32::MAX, -1),
        (UAbsDiff, 1, 3, 2),
        (IMul, i32::MAX, 2, -2),
    ] {
        check_int2(op, x, y, expected);
    }
    let wide = |op, x: i64, y: i64| op2(op, &[x as u64], &[y as u64], &Numerics::IEEE)[0] as i64;
    assert_eq!([wide(SDiv, 1, 0), wide(SDiv, i64::MIN, -1), wide(SMulHigh, 1 << 40, 1 << 40)], [-1, i64::MIN, 1 << 16]);
    assert_eq!([wide(Shl, 1, 65), wide(UMulHigh, -1, -1), wide(SRem, -7, 4)], [2, -2, -3]);
}

#[test]
fn bit_fields() {
    let extract = |op, v: u32, o: u32, n: u32| op3(op, &[v], &[o], &[n], &Numerics::IEEE)[0];
    use Op3::{SBitfieldExtract, UBitfieldExtract};
    assert_eq!(extract(UBitfieldExtract, 0xabcd_1234, 8, 8), 0x12);
    assert_eq!(extract(SBitfieldExtract, 0xabcd_f234, 8, 8), 0xffff_fff2);
    for op in [SBitfieldExtract, UBitfieldExtract] {
        assert_eq!(extract(op, 0xabcd_1234, 0, 32), 0xabcd_1234);
        assert_eq!((extract(op, u32::MAX, 5, 0), extract(op, u32::MAX, 32, 0), extract(op, 1, 40, 3)), (0, 0, 0));
    }
    assert_eq!(extract(UBitfieldExtract, u32::MAX, 28, 9), 0xf);
    let insert = |b: u32, i: u32, o: u32, n: u32| op4(Op4::BitfieldInsert, [&[b], &[i], &[o], &[n]])[0];
    assert_eq!(insert(0xffff_ffff, 0, 8, 8), 0xffff_00ff);
    assert_eq!(
        (insert(1, 2, 0, 32), insert(1, 2, 0, 0), insert(1, 2, 32, 0), insert(0, 255, 28, 8)),
        (2, 1, 1, 15 << 28)
    );
}

#[test]
fn packing() {
    let float = |x: f32| [x.to_bits()];
    let pack = |op, x, y| op2(op, &float(x), &float(y), &Numerics::IEEE)[0];
    assert_eq!(pack(Op2::PackHalf, 1.0, -2.0), 0xc000_3c00);
    assert_eq!(pack(Op2::PackUnorm16, 2.0, 0.5), 0x8000_ffff);
    assert_eq!(pack(Op2::PackSnorm16, -1.0, 1.0), 0x7fff_8001);
    let four = [float(1.0), float(0.0), float(-1.0), float(0.5)];
    assert_eq!(op4(Op4::PackUnorm8, four.each_ref()), [0x8000_00ff]);
    assert_eq!(op4(Op4::PackSnorm8, four.each_ref()), [0x4081_007f]);
    let unpack = |op, x: u32| f32::from_bits(op1(op, &[x], &Numerics::IEEE)[0]);
    assert_eq!((unpack(Op1::UnpackHalf(false), 0xc000_3c00), unpack(Op1::UnpackHalf(true), 0xc000_3c00)), (1.0, -2.0));
    assert_eq!((unpack(Op1::UnpackUnorm16(true), 0xffff_0000), unpack(Op1::UnpackSnorm16(false), 0x8000)), (1.0, -1.0));
    assert_eq!((unpack(Op1::UnpackUnorm8(2), 0x0033_0000), unpack(Op1::UnpackSnorm8(3), 0x8100_0000)), (0.2, -1.0));
    assert_eq!(op1(Op1::UnpackHalf(false), &[0x3c00u64], &Numerics::IEEE), [0]);
}

#[test]
fn comparisons() {
    use Test2::*;
    let float = [FEq, FNe, FLt, FLe, FGt, FGe];
    for (x, y, expected) in [
        (1.0f32, 2.0f32, [0, 1, 1, 1, 0, 0]),
        (2.0, 2.0, [1, 0, 0, 1, 0, 1]),
        (0.0, -0.0, [1, 0, 0, 1, 0, 1]),
        (NAN, NAN, [0, 1, 0, 0, 0, 0]),
        (NAN, 1.0, [0, 1, 0, 0, 0, 0]),
        (INF, f32::MAX, [0, 1, 0, 0, 1, 1]),
    ] {
        assert_eq!(float.map(|t| test2(t, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]), expected, "{x} {y}");
        let (x, y) = (f64::from(x), f64::from(y));
        assert_eq!(float.map(|t| test2(t, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]), expected, "{x} {y}");
    }
    let all = [IEq, INe, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe];
    let ints = |x: i32, y: i32| {
        let narrow = all.map(|t| test2(t, &[x as u32], &[y as u32], &Numerics::IEEE)[0]);
        let wide = all.map(|t| test2(t, &[i64::from(x) as u64], &[i64::from(y) as u64], &Numerics::IEEE)[0]);
        assert_eq!(narrow, wide);
        narrow
    };
    assert_eq!(ints(-1, 1), [0, 1, 1, 1, 0, 0, 0, 0, 1, 1]);
    assert_eq!(ints(3, 3), [1, 0, 0, 1, 0, 1, 0, 1, 0, 1]);
    let bits = [NAN, INF, -INF, 0.0, -NAN].map(f32::to_bits);
    assert_eq!(test1(Test1::IsNan, &bits), [1, 0, 0, 0, 1]);
    assert_eq!(test1(Test1::IsInf, &bits), [0, 1, 1, 0, 0]);
    assert_eq!(test1(Test1::NonZero, &bits), [1, 1, 1, 0, 1]);
    assert_eq!(test1(Test1::IsNan, &[f64::NAN.to_bits()]), [1]);
}
