//! Permitted deviations of a driver: arithmetic whose results are perturbed within the permitted error.
//!
//! This is Monte Carlo arithmetic. A pixel that changes a lot when every operation changes a little is badly
//! conditioned: its digits are arbitrary, on any machine.

use std::cell::Cell;

use lanes::{Device, Numerics, Op1, Op2, Op3};

/// The operations that are perturbed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allowance {
    /// Sums, products, quotients and square roots, by one or two ulps: another order of the same arithmetic, or one
    /// fused operation in place of two.
    Rounding,
    /// Those, and functions by the error that the table "Precision of Operations" of the Vulkan specification permits.
    Functions,
}

thread_local! {
    static SEED: Cell<u32> = const { Cell::new(0) };
}

/// Selects another set of perturbations for this thread.
pub fn reseed(seed: u32) {
    SEED.set(seed);
}

/// Returns a device with permitted errors.
pub fn device(allowance: Allowance) -> Device {
    let mut device = Device {
        op1: vec![
            (Op1::FSqrt, |x| one(Op1::FSqrt, x, |_, _| 2.0)),
            (Op1::FInverseSqrt, |x| one(Op1::FInverseSqrt, x, |_, _| 2.0)),
        ],
        op2: vec![
            (Op2::FAdd, |x, y| two(Op2::FAdd, x, y, |_, _, _| 1.0)),
            (Op2::FSub, |x, y| two(Op2::FSub, x, y, |_, _, _| 1.0)),
            (Op2::FMul, |x, y| two(Op2::FMul, x, y, |_, _, _| 1.0)),
            (Op2::FDiv, |x, y| two(Op2::FDiv, x, y, |_, _, _| 2.5)),
            // `x - y * floor(x / y)`: the error of the product.
            (Op2::FMod, |x, y| {
                two(Op2::FMod, x, y, |x, y, r| f64::from(2.0 * x.abs().max(y.abs()) / r.abs()).min(1e9))
            }),
        ],
        op3: vec![(Op3::FFma, |x, y, z| {
            let exact = lanes::op3(Op3::FFma, &[x], &[y], &[z], &Numerics::IEEE)[0];
            let (p, r) = (f32::from_bits(x) * f32::from_bits(y), f32::from_bits(exact));
            // As two operations, the product is rounded in between.
            moved(exact, (f64::from(p.abs()) / f64::from(r.abs())).clamp(1.0, 1e9), x ^ y ^ z)
        })],
    };
    if allowance == Allowance::Functions {
        device.op1.extend(FUNCTIONS1);
        device.op2.extend(FUNCTIONS2);
    }
    device
}

const FUNCTIONS1: [(Op1, lanes::Function1); 15] = [
    (Op1::FSin, |x| one(Op1::FSin, x, angle)),
    (Op1::FCos, |x| one(Op1::FCos, x, angle)),
    (Op1::FTan, |x| one(Op1::FTan, x, |x, r| angle(x, r) * (1.0 + r * r))),
    (Op1::FExp, |x| one(Op1::FExp, x, exponential)),
    (Op1::FExp2, |x| one(Op1::FExp2, x, exponential)),
    (Op1::FLog, |x| one(Op1::FLog, x, logarithm)),
    (Op1::FLog2, |x| one(Op1::FLog2, x, logarithm)),
    (Op1::FAsin, |x| one(Op1::FAsin, x, arc)),
    (Op1::FAcos, |x| one(Op1::FAcos, x, arc)),
    (Op1::FAtan, |x| one(Op1::FAtan, x, |_, _| 4096.0)),
    (Op1::FSinh, |x| one(Op1::FSinh, x, hyperbolic)),
    (Op1::FCosh, |x| one(Op1::FCosh, x, hyperbolic)),
    (Op1::FTanh, |x| one(Op1::FTanh, x, hyperbolic)),
    (Op1::FAsinh, |x| one(Op1::FAsinh, x, |x, r| logarithm(x + (x * x + 1.0).sqrt(), r))),
    (Op1::FAtanh, |x| one(Op1::FAtanh, x, |x, r| logarithm((1.0 + x) / (1.0 - x), r))),
];

const FUNCTIONS2: [(Op2, lanes::Function2); 2] = [
    (Op2::FPow, |x, y| {
        two(Op2::FPow, x, y, |x, y, _| {
            // `exp2(y * log2(x))`, where the error of the exponent becomes one of the power.
            let exponent = (f64::from(y) * f64::from(x).abs().log2()).abs();
            3.0 + 2.0 * exponent + 4.0 * exponent
        })
    }),
    (Op2::FAtan2, |x, y| two(Op2::FAtan2, x, y, |_, _, _| 4096.0)),
];

/// 2^-11, in ulps of the result.
fn angle(_: f64, result: f64) -> f64 {
    absolute(1.0 / 2048.0, result)
}

fn exponential(x: f64, _: f64) -> f64 {
    3.0 + 2.0 * x.abs()
}

fn logarithm(x: f64, result: f64) -> f64 {
    if (0.5..=2.0).contains(&x) { absolute(1.0 / 2_097_152.0, result) } else { 3.0 }
}

/// By `atan2(x, sqrt(1 - x * x))`, near the ends of which the root has few digits left.
fn arc(_: f64, result: f64) -> f64 {
    absolute(4096.0 * f64::from(f32::EPSILON), result).max(4096.0)
}

/// By two exponentials and their sum or difference.
fn hyperbolic(x: f64, result: f64) -> f64 {
    absolute(exponential(x, 0.0) * f64::from(f32::EPSILON) * x.abs().exp(), result)
}

/// Returns a distance in ulps of a result.
fn absolute(distance: f64, result: f64) -> f64 {
    (distance / (result.abs().max(1e-30) * f64::from(f32::EPSILON))).min(1e9)
}

fn one(op: Op1, x: u32, bound: fn(f64, f64) -> f64) -> u32 {
    let exact = lanes::op1(op, &[x], &Numerics::IEEE)[0];
    moved(exact, bound(f64::from(f32::from_bits(x)), f64::from(f32::from_bits(exact))), x)
}

fn two(op: Op2, x: u32, y: u32, bound: fn(f32, f32, f32) -> f64) -> u32 {
    let exact = lanes::op2(op, &[x], &[y], &Numerics::IEEE)[0];
    moved(exact, bound(f32::from_bits(x), f32::from_bits(y), f32::from_bits(exact)), x.rotate_left(9) ^ y)
}

/// Perturbs a result by at most this many ulps; direction and distance depend on the operands and the seed. Integers
/// stay: their sums and products are exact everywhere.
fn moved(exact: u32, ulps: f64, operands: u32) -> u32 {
    let value = f32::from_bits(exact);
    if !value.is_finite() || value == 0.0 || (ulps <= 2.5 && value.fract() == 0.0) || ulps.is_nan() {
        return exact;
    }
    let hash = (operands ^ SEED.get()).wrapping_mul(0x9e37_79b1) ^ exact.rotate_left(13);
    let hash = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
    let share = f64::from(hash >> 8) / f64::from(1 << 23) - 1.0;
    let step = f64::from(value.abs()).max(f64::from(f32::MIN_POSITIVE)) * f64::from(f32::EPSILON);
    ((f64::from(value) + share * ulps * step) as f32).to_bits()
}
