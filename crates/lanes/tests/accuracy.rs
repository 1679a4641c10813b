//! Every function against its budget, over dense samples of all magnitudes. `--nocapture` shows the worst errors.
//!
//! The reference for 32-bit floats is the platform's `f64` function, which shares no code with ours and is exact to
//! 2^-29 units in the last place of an `f32`. For 64-bit floats it is the same function, itself good to one unit: the
//! budgets hold for the distance of the two.

use lanes::budget::{Bound, Budget, FUNCTIONS1, FUNCTIONS2};
use lanes::{Numerics, Op1, Op2, op1, op2};
use testing::random::Random;

/// The distance in units in the last place of the exact result, for a float with this mantissa and least exponent.
fn ulps(got: f64, exact: f64, mantissa: i32, least: i32) -> f64 {
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() == exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == exact {
        return 0.0;
    }
    let exponent = if exact == 0.0 { least } else { (exact.abs().to_bits() >> 52) as i32 - 1023 };
    // Two factors, because the unit of a small f64 is not a normal number.
    let unit = 2f64.powi(exponent.max(least));
    (got - exact).abs() / unit * 2f64.powi(mantissa)
}

fn ulps_single(got: f32, exact: f64) -> f64 {
    // Everything half a unit beyond the largest number rounds to infinity.
    let limit = f64::from(f32::MAX) + 2f64.powi(103);
    if got.is_infinite() && exact.abs() >= limit && (got > 0.0) == (exact > 0.0) {
        return 0.0;
    }
    ulps(f64::from(got), exact, 23, -126)
}

fn ulps_double(got: f64, exact: f64) -> f64 {
    ulps(got, exact, 52, -1022)
}

/// All exponents and signs, with mantissas from a fixed sequence, and the critical operands of functions.
fn samples(count: u32) -> Vec<f32> {
    let mut list: Vec<f32> = vec![0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, 1.0, 0.5, 2.0];
    list.extend((1..200).flat_map(|i| [f32::from_bits(i), 1.0 + i as f32 * f32::EPSILON, 1.0 - i as f32 * 6e-8]));
    for i in 0..400 {
        let near = (f64::from(i) * std::f64::consts::FRAC_PI_2) as f32;
        list.extend([near.next_down(), near, near.next_up()]);
    }
    for (i, word) in words(count).enumerate() {
        // A third have any magnitude, the others lie where functions are interesting.
        let unit = f32::from_bits(word >> 9 | 0x3f80_0000) - 1.0;
        list.push(match i % 3 {
            0 => f32::from_bits(word & 0x7fff_ffff),
            1 => unit * 100.0,
            _ => unit,
        });
    }
    let negative: Vec<f32> = list.iter().map(|x| -x).collect();
    list.extend(negative);
    list
}

fn words(count: u32) -> impl Iterator<Item = u32> {
    let mut random = Random::new(1);
    (0..count).map(move |_| random.word())
}

fn exact1(op: Op1) -> fn(f64) -> f64 {
    match op {
        Op1::FSqrt => f64::sqrt,
        Op1::FInverseSqrt => |x| 1.0 / x.sqrt(),
        Op1::FExp => f64::exp,
        Op1::FExp2 => f64::exp2,
        Op1::FLog => f64::ln,
        Op1::FLog2 => f64::log2,
        Op1::FSin => f64::sin,
        Op1::FCos => f64::cos,
        Op1::FTan => f64::tan,
        Op1::FAsin => f64::asin,
        Op1::FAcos => f64::acos,
        Op1::FAtan => f64::atan,
        Op1::FSinh => f64::sinh,
        Op1::FCosh => f64::cosh,
        Op1::FTanh => f64::tanh,
        // The standard library's own formulas lose digits for these, so accurate definitions are used.
        Op1::FAsinh => |x| {
            let a = x.abs();
            let small = (a + a * a / (1.0 + (a * a + 1.0).sqrt())).ln_1p();
            (if a > 1e150 { a.ln() + std::f64::consts::LN_2 } else { small }).copysign(x)
        },
        Op1::FAcosh => |x| {
            let t = x - 1.0;
            let near = if x < 1.0 { f64::NAN } else { (t + (2.0 * t + t * t).sqrt()).ln_1p() };
            if x > 1e150 { x.ln() + std::f64::consts::LN_2 } else { near }
        },
        Op1::FAtanh => |x| (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x),
        other => panic!("{other:?} has a budget but no reference function"),
    }
}

fn exact2(op: Op2) -> fn(f64, f64) -> f64 {
    match op {
        Op2::FDiv => |x, y| x / y,
        Op2::FPow => |x, y| if x >= 0.0 { x.powf(y) } else { f64::NAN },
        Op2::FAtan2 => f64::atan2,
        other => panic!("{other:?} has a budget but no reference function"),
    }
}

/// The worst error, its operand, and whether Vulkan's bound holds everywhere.
#[derive(Default)]
struct Worst {
    error: f64,
    at: Vec<f64>,
}

impl Worst {
    fn see(&mut self, error: f64, at: &[f64]) {
        if error > self.error {
            *self = Worst { error, at: at.to_vec() };
        }
    }
}

#[track_caller]
fn check_vulkan(bound: Bound, operand: f64, got: f32, exact: f64, what: &str) {
    let ulp = ulps_single(got, exact);
    let distance = (f64::from(got) - exact).abs();
    let good = match bound {
        Bound::Ulp(most) => ulp <= most,
        Bound::Absolute { error, within } => operand.abs() > within || distance <= error,
        Bound::Growing { constant, factor } => ulp <= constant + factor * operand.abs(),
        Bound::NearOne { error, .. } if (0.5..=2.0).contains(&operand) => distance <= error,
        Bound::NearOne { ulp: most, .. } => ulp <= most,
        Bound::Derived => true,
    };
    assert!(good || exact.is_nan() || operand.is_infinite(), "{what}({operand}) = {got}, exactly {exact}");
}

#[track_caller]
fn finish<O: std::fmt::Debug>(budget: &Budget<O>, limit: f64, width: u32, worst: &Worst) {
    eprintln!("{:14} f{width}: {:.6} ulp of {limit} at {:?}", format!("{:?}", budget.op), worst.error, worst.at);
    assert!(worst.error <= limit, "{:?} f{width}: {} ulp at {:?}", budget.op, worst.error, worst.at);
}

#[test]
fn single_functions_of_one_operand_are_within_budget() {
    let samples = samples(300_000);
    for budget in FUNCTIONS1 {
        let exact = exact1(budget.op);
        let mut worst = Worst::default();
        for chunk in samples.chunks_exact(16) {
            let a: [u32; 16] = std::array::from_fn(|i| chunk[i].to_bits());
            let out = op1(budget.op, &a, &Numerics::IEEE);
            for (x, got) in chunk.iter().zip(out.map(f32::from_bits)) {
                let exact = exact(f64::from(*x));
                worst.see(ulps_single(got, exact), &[f64::from(*x)]);
                check_vulkan(budget.vulkan, f64::from(*x), got, exact, &format!("{:?}", budget.op));
            }
        }
        finish(budget, budget.single, 32, &worst);
    }
}

#[test]
fn double_functions_of_one_operand_are_within_budget() {
    // Mantissas of 52 bits, from neighbours of the samples.
    let samples: Vec<f64> = samples(60_000).iter().map(|x| f64::from(*x) * 1.000_000_000_123_4).collect();
    for budget in FUNCTIONS1 {
        let exact = exact1(budget.op);
        let mut worst = Worst::default();
        for x in &samples {
            let got = f64::from_bits(op1(budget.op, &[x.to_bits()], &Numerics::IEEE)[0]);
            worst.see(ulps_double(got, exact(*x)), &[*x]);
        }
        finish(budget, budget.double, 64, &worst);
    }
}

#[test]
fn functions_of_two_operands_are_within_budget() {
    let samples = samples(200_000);
    let specials = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, 1e30];
    let mut pairs: Vec<(f32, f32)> = specials.iter().flat_map(|x| specials.map(|y| (*x, y))).collect();
    let half = samples.len() / 2;
    pairs.extend(samples[..half].iter().zip(samples[half..].iter().rev()).map(|(x, y)| (*x, *y)));
    // Powers that neither overflow nor underflow, also with bases near one.
    pairs.extend(words(200_000).zip(words(400_000).skip(7)).map(|(a, b)| {
        let x = (a as f32 / 4e9 + 0.01) * if a & 1 == 0 { 1.0 } else { 1000.0 };
        (x, (b as f32 / 4e9 - 0.5) * 2.0 * (120.0 / (f64::from(x).log2().abs() + 0.001)) as f32)
    }));
    for budget in FUNCTIONS2 {
        let exact = exact2(budget.op);
        let (mut single, mut double) = (Worst::default(), Worst::default());
        for (x, y) in &pairs {
            let got = f32::from_bits(op2(budget.op, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]);
            let (x, y) = (f64::from(*x), f64::from(*y));
            let reference = exact(x, y);
            single.see(ulps_single(got, reference), &[x, y]);
            check_vulkan(budget.vulkan, x, got, reference, &format!("{:?}", budget.op));
            let got = f64::from_bits(op2(budget.op, &[x.to_bits()], &[y.to_bits()], &Numerics::IEEE)[0]);
            double.see(ulps_double(got, reference), &[x, y]);
        }
        finish(budget, budget.single, 32, &single);
        finish(budget, budget.double, 64, &double);
    }
}

#[test]
fn double_inverse_square_roots_are_within_budget() {
    let limit = FUNCTIONS1.iter().find(|b| b.op == Op1::FInverseSqrt).expect("it has a budget").double;
    for x in samples(60_000).iter().map(|x| f64::from(*x) * 1.000_000_000_123_4).filter(|x| *x > 0.0 && x.is_finite()) {
        let got = f64::from_bits(op1(Op1::FInverseSqrt, &[x.to_bits()], &Numerics::IEEE)[0]);
        // The residual x * got^2 - 1, in twice the precision, is twice the relative error.
        let square = got * got;
        let rest = got.mul_add(got, -square);
        let residual = x.mul_add(square, -1.0) + x * rest;
        let unit = 2f64.powi((got.to_bits() >> 52) as i32 - 1023 - 52);
        let error = (residual / 2.0 * got / unit).abs();
        assert!(error <= limit, "1 / sqrt({x:e}) = {got:e} is {error} ulp off");
    }
}
