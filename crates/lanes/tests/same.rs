//! Every operation gives the same result on every machine and for every number of lanes.

use lanes::{Numerics, Op1, Op2, Op3, Test2, Word, op1, op2, op3, slices, test2};

#[rustfmt::skip]
const OPS1: &[Op1] = {
    use Op1::*;
    &[
        FNeg, FAbs, FSign, FFloor, FCeil, FTrunc, FRoundAway, FRoundEven, FFract, FModf, FSqrt, FInverseSqrt, FExp,
        FExp2, FLog, FLog2, FSin, FCos, FTan, FAsin, FAcos, FAtan, FSinh, FCosh, FTanh, FAsinh, FAcosh, FAtanh,
        FFrexpMantissa, FFrexpExponent, INeg, SAbs, SSign, INot, BNot, BitReverse, BitCount, FindLsb, SFindMsb,
        UFindMsb, LeadingZeros, TrailingZeros, UnpackHalf(false), UnpackHalf(true), UnpackUnorm16(false),
        UnpackSnorm16(true), UnpackUnorm8(1), UnpackSnorm8(3),
    ]
};

#[rustfmt::skip]
const OPS2: &[Op2] = {
    use Op2::*;
    &[
        FAdd, FSub, FMul, FDiv, FMod, FRem, FMin, FMax, FStep, FPow, FAtan2, FLdexp, IAdd, ISub, IMul, SDiv, UDiv,
        SRem, URem, SMulHigh, UMulHigh, UCarry, UBorrow, SMin, UMin, SMax, UMax, Shl, SShr, UShr, And, Or, Xor,
        SAddSat, UAddSat, SSubSat, USubSat, SHalfAdd, UHalfAdd, SHalfAddUp, UHalfAddUp, SAbsDiff, UAbsDiff, PackHalf,
        PackUnorm16, PackSnorm16,
    ]
};

const OPS3: &[Op3] = &[Op3::FFma, Op3::FClamp, Op3::SClamp, Op3::UClamp, Op3::SBitfieldExtract, Op3::UBitfieldExtract];

#[rustfmt::skip]
const TESTS2: &[Test2] = {
    use Test2::*;
    &[FEq, FNe, FLt, FLe, FGt, FGe, IEq, INe, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe]
};

/// The number of lanes; small integers and floats of ordinary size are among the values.
const LANES: usize = 67;

/// A word type of the test, compared as a 64-bit number.
trait Sample: Word {
    fn sample(bits: u64) -> Self;
    /// Every NaN is mapped to the same one, because payloads are unspecified.
    fn number(self) -> u64;
}

impl Sample for u32 {
    fn sample(bits: u64) -> Self {
        match bits % 4 {
            0 => (bits >> 32) as u32 % 70,
            1 => ((bits >> 32) as i32 as f32 / 1e8).to_bits(),
            _ => (bits >> 32) as u32,
        }
    }

    fn number(self) -> u64 {
        u64::from(if f32::from_bits(self).is_nan() { f32::NAN.to_bits() } else { self })
    }
}

impl Sample for u64 {
    fn sample(bits: u64) -> Self {
        match bits % 4 {
            0 => (bits >> 32) % 70,
            1 => (f64::from((bits >> 32) as i32) / 1e8).to_bits(),
            _ => bits.rotate_left(32),
        }
    }

    fn number(self) -> u64 {
        if f64::from_bits(self).is_nan() { f64::NAN.to_bits() } else { self }
    }
}

fn samples<T: Sample>(seed: u64) -> [T; LANES] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::sample(state ^ state >> 29)
    })
}

#[track_caller]
fn check<T: Sample>(what: &str, whole: &[T; LANES], each: impl Fn(usize) -> T, hash: &mut u64) {
    for (lane, value) in whole.iter().enumerate() {
        assert_eq!(value.number(), each(lane).number(), "{what}, lane {lane} of {LANES} and alone");
        *hash = (*hash ^ value.number()).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Compares whole registers with single lanes and slices; returns a hash of all results.
fn run<T: Sample>() -> u64 {
    let n = &Numerics::IEEE;
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for seed in 0..40 {
        let [a, b, c] = [1, 2, 3].map(|i| samples::<T>(seed * 3 + i));
        for op in OPS1 {
            let whole = op1(*op, &a, n);
            check(&format!("{op:?}"), &whole, |i| op1(*op, &[a[i]], n)[0], &mut hash);
            let mut slice = [T::default(); LANES];
            slices::op1(*op, &mut slice, &a, &[1; LANES], n);
            assert_eq!(slice.map(T::number), whole.map(T::number), "{op:?} of slices");
        }
        for op in OPS2 {
            check(&format!("{op:?}"), &op2(*op, &a, &b, n), |i| op2(*op, &[a[i]], &[b[i]], n)[0], &mut hash);
        }
        for op in OPS3 {
            let whole = op3(*op, &a, &b, &c, n);
            check(&format!("{op:?}"), &whole, |i| op3(*op, &[a[i]], &[b[i]], &[c[i]], n)[0], &mut hash);
        }
        for test in TESTS2 {
            let whole = test2(*test, &a, &b, n);
            check(&format!("{test:?}"), &whole, |i| test2(*test, &[a[i]], &[b[i]], n)[0], &mut hash);
        }
    }
    hash
}

/// The hashes may only change if a function is changed intentionally.
#[test]
fn results_do_not_depend_on_the_number_of_lanes_or_the_machine() {
    assert_eq!(format!("{:016x}", run::<u32>()), "5073da875401215f");
    assert_eq!(format!("{:016x}", run::<u64>()), "77af0bfa6bf29ffd");
}
