//! Where operators and built-in functions have no defined result.

use shader::ast::BinaryOp;

use super::FindingKind;
use crate::ir::{Scalar, ScalarKind, Types};
use crate::value::Value;

/// Returns whether an operator is undefined for some operands.
pub(super) fn has_limits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::Mod | BinaryOp::Shl | BinaryOp::Shr)
}

/// Returns whether a built-in function is undefined for some arguments: whether [`function`] knows its name.
pub(super) fn names(name: &str) -> bool {
    const NAMES: [&str; 18] = [
        "sqrt",
        "inversesqrt",
        "log",
        "log2",
        "asin",
        "acos",
        "acosh",
        "atanh",
        "atan",
        "pow",
        "mod",
        "normalize",
        "smoothstep",
        "clamp",
        "ldexp",
        "frexp",
        "bitfieldExtract",
        "bitfieldInsert",
    ];
    NAMES.contains(&name)
}

/// Returns what is wrong with an operator's operands.
pub(super) fn operator(types: &Types, op: BinaryOp, a: &Value, b: &Value) -> Option<(FindingKind, String)> {
    let (Some(left), Some(right)) = (types.scalar(a.ty), types.scalar(b.ty)) else { return None };
    let any = |wrong: &dyn Fn(f64, f64) -> bool| pairs(types, a, b).any(|(x, y)| wrong(x, y));
    match op {
        BinaryOp::Div if any(&|_, y| y == 0.0) => Some((FindingKind::DivisionByZero, "division by zero".to_owned())),
        BinaryOp::Mod if any(&|_, y| y == 0.0) => {
            Some((FindingKind::DivisionByZero, "remainder of a division by zero".to_owned()))
        }
        BinaryOp::Mod if any(&|x, y| x < 0.0 || y < 0.0) => {
            Some((FindingKind::Domain, "`%` of a negative number, which has no defined result".to_owned()))
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            let width = if left.is_wide() { 64.0 } else { 32.0 };
            let integer = matches!(right.kind, ScalarKind::Int | ScalarKind::Uint);
            let wrong = integer && any(&|_, by| by < 0.0 || by >= width);
            wrong.then(|| (FindingKind::Shift, format!("shift by an amount outside of 0 to {}", width - 1.0)))
        }
        _ => None,
    }
}

/// Returns whether a sum, difference or product of integers overflows its type.
pub(super) fn overflows(types: &Types, op: BinaryOp, a: &Value, b: &Value) -> bool {
    let Some(scalar) = types.scalar(a.ty).filter(|s| matches!(*s, Scalar::I32 | Scalar::U32)) else { return false };
    pairs(types, a, b).any(|(x, y)| {
        // 32-bit integers are exact in 64-bit floats, and so is what matters of their products.
        let exact = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            _ => return false,
        };
        let (low, high) = match scalar {
            Scalar::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            _ => (0.0, f64::from(u32::MAX)),
        };
        exact < low || exact > high
    })
}

/// Returns what is wrong with the arguments of a built-in function.
pub(super) fn function(types: &Types, name: &str, arguments: &[Value]) -> Option<(FindingKind, String)> {
    let first = arguments.first()?;
    let floating = types.scalar(first.ty).is_some_and(|scalar| scalar.kind == ScalarKind::Float);
    let one = |wrong: &dyn Fn(f64) -> bool| first.numbers(types).into_iter().any(wrong);
    let two = |wrong: &dyn Fn(f64, f64) -> bool| {
        arguments.get(1).is_some_and(|second| pairs(types, first, second).any(|(x, y)| wrong(x, y)))
    };
    let domain = |wrong: bool, what: &str| wrong.then(|| (FindingKind::Domain, format!("`{name}` {what}")));
    match (name, arguments.len()) {
        ("sqrt", 1) => domain(one(&|x| x < 0.0), "of a negative number"),
        ("inversesqrt", 1) => domain(one(&|x| x <= 0.0), "of a number that is not positive"),
        ("log" | "log2", 1) => domain(one(&|x| x <= 0.0), "of a number that is not positive"),
        ("asin" | "acos", 1) => domain(one(&|x| x.abs() > 1.0), "of a number outside of -1 to 1"),
        ("acosh", 1) => domain(one(&|x| x < 1.0), "of a number below 1"),
        ("atanh", 1) => domain(one(&|x| x.abs() >= 1.0), "of a number that does not lie between -1 and 1"),
        ("atan", 2) => domain(two(&|y, x| x == 0.0 && y == 0.0), "of two zeros"),
        ("pow", 2) => domain(two(&|x, _| x < 0.0), "of a negative number")
            .or_else(|| domain(two(&|x, y| x == 0.0 && y <= 0.0), "of zero to a power that is not positive")),
        ("mod", 2) if floating && two(&|_, y| y == 0.0) => {
            Some((FindingKind::DivisionByZero, "`mod` divides by zero".to_owned()))
        }
        ("normalize", 1) => domain(first.numbers(types).iter().all(|&x| x == 0.0), "of a vector without length"),
        ("smoothstep", 3) => domain(two(&|low, high| low >= high), "whose first edge is not below the second"),
        ("clamp", 3) => domain(
            pairs(types, &arguments[1], &arguments[2]).any(|(low, high)| low > high),
            "with a minimum above the maximum",
        ),
        ("ldexp", 2) => {
            let most = if types.scalar(first.ty) == Some(Scalar::F64) { 1024.0 } else { 128.0 };
            domain(two(&|_, exponent| exponent > most), &format!("with an exponent above {most}"))
        }
        ("frexp", _) => domain(one(&|x| !x.is_finite()), "of a number that is not finite"),
        ("bitfieldExtract", 3) => bitfield(types, name, &arguments[1], &arguments[2]),
        ("bitfieldInsert", 4) => bitfield(types, name, &arguments[2], &arguments[3]),
        _ => None,
    }
}

fn bitfield(types: &Types, name: &str, offset: &Value, bits: &Value) -> Option<(FindingKind, String)> {
    let wrong = pairs(types, offset, bits).any(|(offset, bits)| offset < 0.0 || bits < 0.0 || offset + bits > 32.0);
    wrong.then(|| (FindingKind::Bitfield, format!("`{name}` of bits that the word does not have")))
}

/// Returns pairs of components; a scalar is paired with every component of the other.
fn pairs(types: &Types, a: &Value, b: &Value) -> impl Iterator<Item = (f64, f64)> + use<> {
    let (a, b) = (a.numbers(types), b.numbers(types));
    let count = if a.is_empty() || b.is_empty() { 0 } else { a.len().max(b.len()) };
    (0..count)
        .map(move |i| (a[if a.len() == 1 { 0 } else { i % a.len() }], b[if b.len() == 1 { 0 } else { i % b.len() }]))
}
