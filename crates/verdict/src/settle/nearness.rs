//! How near two values are.

use instrument::variant::Record;
use shader::Shader;
use shader::types::Scalar;

use crate::{ABSOLUTE, RELATIVE};

/// How near two values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nearness {
    /// Every bit is the same; all NaNs are one.
    Exact,
    /// The same within the budget of floats.
    Within,
    /// Floats that are farther apart.
    Outside,
    /// Integers or booleans that differ, or values that are not of one type.
    Otherwise,
}

/// How near the values of two records are.
pub fn nearness(a: &Record, b: &Record, shader: &Shader) -> Nearness {
    if a.what != b.what {
        return Nearness::Otherwise;
    }
    let (x, y) = match (&a.value, &b.value) {
        (Some(x), Some(y)) => (x, y),
        (None, None) => return Nearness::Exact,
        _ => return Nearness::Otherwise,
    };
    if x.ty != y.ty || x.scalars.len() != y.scalars.len() {
        return Nearness::Otherwise;
    }
    let kinds = moment::glsl::value::scalars(&shader.typed.types, x.ty);
    let mut worst = Nearness::Exact;
    for ((&one, &other), kind) in x.scalars.iter().zip(&y.scalars).zip(&kinds) {
        match scalar(*kind, one, other) {
            Nearness::Exact => {}
            Nearness::Within if worst == Nearness::Exact => worst = Nearness::Within,
            Nearness::Within => {}
            Nearness::Outside => worst = Nearness::Outside,
            Nearness::Otherwise => return Nearness::Otherwise,
        }
    }
    worst
}

fn scalar(kind: Scalar, one: u64, other: u64) -> Nearness {
    if one == other {
        return Nearness::Exact;
    }
    let (a, b) = match kind {
        Scalar::Float | Scalar::Double => {
            (moment::glsl::value::number(kind, one), moment::glsl::value::number(kind, other))
        }
        _ => return Nearness::Otherwise,
    };
    if a.is_nan() && b.is_nan() {
        return Nearness::Exact;
    }
    let distance = (a - b).abs();
    if distance <= ABSOLUTE || distance <= RELATIVE * a.abs().min(b.abs()) {
        Nearness::Within
    } else {
        Nearness::Outside
    }
}
