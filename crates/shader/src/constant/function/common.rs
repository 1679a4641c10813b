//! Component-wise functions: trigonometry, exponentials, rounding, minima, blends (8.1 to 8.3).

use crate::ast::BinaryOp;
use crate::constant::function::alike;
use crate::constant::function::real::Real;
use crate::constant::operand::Operand;
use crate::constant::operator::{compare, negate};
use crate::constant::{common_scalar, convert};
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    // Constant arguments do not vary, so their derivatives are zero, and noise is always zero (8.14, 8.15).
    if matches!(
        name,
        "dFdx"
            | "dFdy"
            | "fwidth"
            | "dFdxCoarse"
            | "dFdyCoarse"
            | "fwidthCoarse"
            | "dFdxFine"
            | "dFdyFine"
            | "fwidthFine"
    ) || matches!(name, "noise1" | "noise2" | "noise3" | "noise4")
    {
        return Operand::zero(result);
    }
    match (name, result.scalar()?) {
        ("mix", scalar) if args.len() == 3 && args[2].scalar == Scalar::Bool => select(args, scalar, result),
        ("ldexp", Scalar::Float) => ldexp::<f32>(args, result),
        ("ldexp", Scalar::Double) => ldexp::<f64>(args, result),
        ("isnan" | "isinf", Scalar::Bool) => classify(name, args, result),
        (_, Scalar::Float) => real::<f32>(name, args, Scalar::Float, result),
        (_, Scalar::Double) => real::<f64>(name, args, Scalar::Double, result),
        (_, scalar) => integer(name, args, scalar, result),
    }
}

fn real<T: Real>(name: &str, args: &[Operand], scalar: Scalar, result: Type) -> Option<Operand> {
    match *args {
        [_] => {
            let function = one::<T>(name)?;
            let [a, ..] = alike(args, scalar, result)?;
            Operand::fill(result, |i| function(T::read(a.get(i))).word())
        }
        [_, _] => {
            let function = two::<T>(name)?;
            let [a, b, ..] = alike(args, scalar, result)?;
            Operand::fill(result, |i| function(T::read(a.get(i)), T::read(b.get(i))).word())
        }
        [_, _, _] => {
            let function = three::<T>(name)?;
            let [a, b, c, ..] = alike(args, scalar, result)?;
            Operand::fill(result, |i| function(T::read(a.get(i)), T::read(b.get(i)), T::read(c.get(i))).word())
        }
        _ => None,
    }
}

fn one<T: Real>(name: &str) -> Option<fn(T) -> T> {
    Some(match name {
        "radians" => |x| x * T::narrow(std::f64::consts::PI / 180.0),
        "degrees" => |x| x * T::narrow(180.0 / std::f64::consts::PI),
        "sin" => |x| x.via(f64::sin),
        "cos" => |x| x.via(f64::cos),
        "tan" => |x| x.via(f64::tan),
        "asin" => |x| x.via(f64::asin),
        "acos" => |x| x.via(f64::acos),
        "atan" => |x| x.via(f64::atan),
        "sinh" => |x| x.via(f64::sinh),
        "cosh" => |x| x.via(f64::cosh),
        "tanh" => |x| x.via(f64::tanh),
        "asinh" => |x| x.via(f64::asinh),
        "acosh" => |x| x.via(f64::acosh),
        "atanh" => |x| x.via(f64::atanh),
        "exp" => |x| x.via(f64::exp),
        "log" => |x| x.via(f64::ln),
        "exp2" => |x| x.via(f64::exp2),
        "log2" => |x| x.via(f64::log2),
        "sqrt" => |x| x.via(f64::sqrt),
        "inversesqrt" => |x| x.via(|x| 1.0 / x.sqrt()),
        "abs" => |x| x.via(f64::abs),
        "sign" => |x| x.via(|x| f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))),
        "floor" => |x| x.via(f64::floor),
        "trunc" => |x| x.via(f64::trunc),
        // 8.3 lets an implementation choose how `round` rounds halves; drivers round to even.
        "round" | "roundEven" => |x| x.via(f64::round_ties_even),
        "ceil" => |x| x.via(f64::ceil),
        "fract" => |x| x - x.via(f64::floor),
        _ => return None,
    })
}

fn two<T: Real>(name: &str) -> Option<fn(T, T) -> T> {
    Some(match name {
        "atan" => |y, x| T::narrow(y.wide().atan2(x.wide())),
        "pow" => |x, y| T::narrow(x.wide().powf(y.wide())),
        "mod" => |x, y| x - y * (x / y).via(f64::floor),
        "min" => T::least,
        "max" => T::most,
        "step" => |edge, x| T::narrow(if x < edge { 0.0 } else { 1.0 }),
        _ => return None,
    })
}

fn three<T: Real>(name: &str) -> Option<fn(T, T, T) -> T> {
    Some(match name {
        "clamp" => |x, low, high| x.most(low).least(high),
        "mix" => |x, y, a| x * (T::narrow(1.0) - a) + y * a,
        "smoothstep" => |low, high, x| {
            let t = ((x - low) / (high - low)).most(T::narrow(0.0)).least(T::narrow(1.0));
            t * t * (T::narrow(3.0) - T::narrow(2.0) * t)
        },
        "fma" => T::fused,
        "min3" => |a, b, c| a.least(b).least(c),
        "max3" => |a, b, c| a.most(b).most(c),
        "mid3" => |a, b, c| a.least(b).most(a.most(b).least(c)),
        _ => return None,
    })
}

/// Those of the functions above that also exist for integers.
fn integer(name: &str, args: &[Operand], scalar: Scalar, result: Type) -> Option<Operand> {
    if !scalar.is_integer() {
        return None;
    }
    let arity = match name {
        "abs" | "sign" => 1,
        "min" | "max" => 2,
        "clamp" | "min3" | "max3" | "mid3" => 3,
        _ => return None,
    };
    if args.len() != arity {
        return None;
    }
    let [a, b, c, _] = alike(args, scalar, result)?;
    let less = |a, b| compare(BinaryOp::Less, scalar, a, b) == Some(true);
    let least = |a, b| if less(b, a) { b } else { a };
    let most = |a, b| if less(a, b) { b } else { a };
    Operand::fill(result, |i| {
        let (a, b, c) = (a.get(i), b.get(i), c.get(i));
        match name {
            "abs" if less(a, 0) => negate(scalar, a),
            "abs" => a,
            "sign" if less(a, 0) => convert(Scalar::Int, scalar, u64::from(u32::MAX)),
            "sign" => u64::from(a != 0),
            "min" => least(a, b),
            "max" => most(a, b),
            "clamp" => least(most(a, b), c),
            "min3" => least(least(a, b), c),
            "max3" => most(most(a, b), c),
            _ => most(least(a, b), least(most(a, b), c)),
        }
    })
}

/// `mix` with a `bool` selector: components are selected, not blended, so a NaN in the other operand has no effect.
fn select(args: &[Operand], scalar: Scalar, result: Type) -> Option<Operand> {
    let &[_, _, selector] = args else { return None };
    if common_scalar(args[0].scalar, args[1].scalar).is_none() || selector.len != result.components() as usize {
        return None;
    }
    let [x, y, ..] = alike(&args[..2], scalar, result)?;
    Operand::fill(result, |i| if selector.get(i) != 0 { y.get(i) } else { x.get(i) })
}

fn ldexp<T: Real>(args: &[Operand], result: Type) -> Option<Operand> {
    let &[x, exponent] = args else { return None };
    if exponent.scalar != Scalar::Int || x.len != result.components() as usize {
        return None;
    }
    let x = x.converted(result.scalar()?);
    Operand::fill(result, |i| {
        let mut value = T::read(x.get(i)).wide();
        // Powers of two are exact, and three steps cover every exponent that neither overflows nor underflows.
        let mut exponent = (exponent.get(i) as u32 as i32).clamp(-2200, 2200);
        while exponent != 0 {
            let step = exponent.clamp(-1000, 1000);
            value *= 2f64.powi(step);
            exponent -= step;
        }
        // Denormal results become zero: 4.7.1 allows it, and drivers do so when folding.
        let scaled = T::narrow(value);
        let flushed = if scaled.wide().abs() < T::SMALLEST { scaled * T::narrow(0.0) } else { scaled };
        flushed.word()
    })
}

fn classify(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let &[x] = args else { return None };
    if x.len != result.components() as usize {
        return None;
    }
    let x = x.converted(Scalar::Double);
    Operand::fill(result, |i| {
        let x = f64::from_bits(x.get(i));
        u64::from(if name == "isnan" { x.is_nan() } else { x.is_infinite() })
    })
}
