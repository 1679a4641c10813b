//! Compares what the device measured with what the emulator computed, record by record: equal, within rounding, or
//! divergent. [`settle`] finds out whether a difference is one that the specification allows.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod settle;

use instrument::variant::{Reading, Record};
use moment::glsl::{Value, value};
use shader::types::{Scalar, TypeTable};

/// Numbers that differ by no more than this, or by no more than [`RELATIVE`] of the larger, count as equal: a device is
/// free to round otherwise in each operation on the way.
pub const ABSOLUTE: f64 = 1e-6;

/// See [`ABSOLUTE`].
pub const RELATIVE: f64 = 1e-5;

/// How two values compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The same bits, or both are no number.
    Equal,
    /// Within rounding: this many units in the last place apart.
    Within(u32),
    /// Not the same.
    Divergent(u32),
}

impl Verdict {
    /// A word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Within(_) => "within",
            Verdict::Divergent(_) => "divergent",
        }
    }

    /// How far apart the two are, in units in the last place of a float.
    #[must_use]
    pub fn ulps(self) -> u32 {
        match self {
            Verdict::Equal => 0,
            Verdict::Within(ulps) | Verdict::Divergent(ulps) => ulps,
        }
    }
}

/// A record of both.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What the device said.
    pub measured: Record,
    /// What the emulator said, if it came there.
    pub emulated: Option<Record>,
    /// How the values compare; none for records without one.
    pub verdict: Option<Verdict>,
}

/// Two recordings of one invocation, side by side.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Record by record, as far as both went the same way.
    pub rows: Vec<Row>,
    /// The first row whose values diverge, or where the two went different ways.
    pub first_divergence: Option<usize>,
}

/// Puts two recordings side by side. Where they take different ways - a branch on a value that differs - the rest cannot
/// be compared, and is shown as measured.
#[must_use]
pub fn compare(types: &TypeTable, measured: &Reading, emulated: &Reading) -> Comparison {
    let mut comparison = Comparison::default();
    let measured = measured.clone().in_order_of(emulated);
    let mut others = emulated.records.iter();
    let mut together = true;
    for record in &measured.records {
        let other = if together { others.next() } else { None };
        let same = other.is_some_and(|other| other.what == record.what && other.moment == record.moment);
        let verdict = match (other.filter(|_| same).and_then(|other| other.value.as_ref()), &record.value) {
            (Some(theirs), Some(ours)) => Some(values(types, ours, theirs)),
            _ => None,
        };
        let diverges = !same || matches!(verdict, Some(Verdict::Divergent(_)));
        if together && diverges && comparison.first_divergence.is_none() {
            comparison.first_divergence = Some(comparison.rows.len());
        }
        together &= same;
        let emulated = other.filter(|_| same).cloned();
        comparison.rows.push(Row { measured: record.clone(), emulated, verdict });
    }
    if together && others.next().is_some() && comparison.first_divergence.is_none() {
        comparison.first_divergence = Some(comparison.rows.len());
    }
    comparison
}

/// How two values of a type compare: the worst of their components.
#[must_use]
pub fn values(types: &TypeTable, one: &Value, other: &Value) -> Verdict {
    scalars(&value::scalars(types, one.ty), &one.scalars, &other.scalars)
}

/// How the bits of two values compare whose scalars are of these kinds: the worst of them.
#[must_use]
pub fn scalars(kinds: &[Scalar], one: &[u64], other: &[u64]) -> Verdict {
    if one.len() != other.len() || kinds.len() != one.len() {
        return Verdict::Divergent(u32::MAX);
    }
    let pairs = kinds.iter().zip(one.iter().zip(other));
    pairs.map(|(&kind, (&one, &other))| numbers(kind, one, other)).max().unwrap_or(Verdict::Equal)
}

/// How the bits of two vectors compare whose components are of these kinds. A component that is nearly nothing beside the
/// others is a difference of numbers as large as they are, so that what rounding left of it says nothing by itself: it
/// counts as within rounding if it is as close as [`RELATIVE`] of the largest component.
#[must_use]
pub fn vector(kinds: &[Scalar], one: &[u64], other: &[u64]) -> Verdict {
    let verdict = scalars(kinds, one, other);
    let Verdict::Divergent(ulps) = verdict else { return verdict };
    let number = |kind: Scalar, bits: u64| match kind {
        Scalar::Float => Some(f64::from(f32::from_bits(bits as u32))),
        Scalar::Double => Some(f64::from_bits(bits)),
        _ => None,
    };
    let (mut most, mut apart) = (0.0_f64, 0.0_f64);
    for ((kind, one), other) in kinds.iter().zip(one).zip(other) {
        let (Some(one), Some(other)) = (number(*kind, *one), number(*kind, *other)) else { return verdict };
        if !one.is_finite() || !other.is_finite() {
            return verdict;
        }
        (most, apart) = (most.max(one.abs()).max(other.abs()), apart.max((one - other).abs()));
    }
    if apart <= RELATIVE * most { Verdict::Within(ulps) } else { verdict }
}

/// How two scalars of a kind compare, given their bits.
#[must_use]
pub fn numbers(kind: Scalar, one: u64, other: u64) -> Verdict {
    let (a, b, ulps) = match kind {
        Scalar::Float => {
            let (a, b) = (f32::from_bits(one as u32), f32::from_bits(other as u32));
            (f64::from(a), f64::from(b), u64::from(order32(one as u32).abs_diff(order32(other as u32))))
        }
        Scalar::Double => {
            let (a, b) = (f64::from_bits(one), f64::from_bits(other));
            (a, b, order64(one).abs_diff(order64(other)))
        }
        _ if one == other => return Verdict::Equal,
        _ => return Verdict::Divergent(u32::MAX),
    };
    if one == other || a.is_nan() && b.is_nan() || a == b {
        return Verdict::Equal;
    }
    let ulps = u32::try_from(ulps).unwrap_or(u32::MAX);
    let distance = (a - b).abs();
    if distance <= ABSOLUTE || distance <= RELATIVE * a.abs().max(b.abs()) {
        return Verdict::Within(ulps);
    }
    Verdict::Divergent(ulps)
}

/// Floats as integers in the same order.
fn order32(bits: u32) -> i32 {
    let bits = bits.cast_signed();
    if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits }
}

fn order64(bits: u64) -> i64 {
    let bits = bits.cast_signed();
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

#[cfg(test)]
mod tests {
    use shader::types::Type;

    use super::*;

    #[track_caller]
    fn check(one: f32, other: f32, expected: Verdict) {
        let value = |number: f32| Value { ty: Type::Scalar(Scalar::Float), scalars: vec![u64::from(number.to_bits())] };
        assert_eq!(values(&TypeTable::default(), &value(one), &value(other)), expected);
        assert_eq!(values(&TypeTable::default(), &value(other), &value(one)), expected);
    }

    #[test]
    fn floats_compare_by_their_distance() {
        check(1.0, 1.0, Verdict::Equal);
        check(0.0, -0.0, Verdict::Equal);
        check(f32::NAN, -f32::NAN, Verdict::Equal);
        check(1.0, f32::from_bits(1f32.to_bits() + 3), Verdict::Within(3));
        check(-1.0, f32::from_bits((-1f32).to_bits() + 3), Verdict::Within(3));
        check(1e-20, -1e-20, Verdict::Within(2 * 1e-20f32.to_bits()));
        check(1.0, 1.5, Verdict::Divergent(1 << 22));
        assert!(matches!(numbers(Scalar::Float, u64::from(f32::NAN.to_bits()), 0), Verdict::Divergent(_)));
        assert_eq!(numbers(Scalar::Int, 5, 6), Verdict::Divergent(u32::MAX));
    }

    #[test]
    fn a_component_near_zero_is_judged_beside_the_others() {
        let judged = |one: [f32; 2], other: [f32; 2]| {
            let bits = |numbers: [f32; 2]| numbers.map(|number| u64::from(number.to_bits()));
            vector(&[Scalar::Float; 2], &bits(one), &bits(other))
        };
        // By itself, what rounding left of a difference is 6e-6 off, a billion units in the last place.
        assert!(matches!(judged([0.0, 0.0], [6e-6, 0.0]), Verdict::Divergent(_)));
        assert!(matches!(judged([0.0, 3.0], [6e-6, 3.0]), Verdict::Within(_)));
        assert!(matches!(judged([0.0, 3.0], [6e-5, 3.0]), Verdict::Divergent(_)));
        assert!(matches!(judged([0.0, f32::NAN], [6e-6, f32::NAN]), Verdict::Divergent(_)));
        assert_eq!(judged([0.5, 3.0], [0.5, 3.0]), Verdict::Equal);
    }
}
