//! Sets of numbers that an operation may give: intervals, with the errors that the specification allows.
//!
//! Operators are correctly rounded, but the direction is unspecified; quotients may be off by 2.5 units in the last
//! place; denormals may be zeros; what is infinite or NaN need not be that (GLSL 4.60, 4.7.1). Functions have the bounds
//! of [`lanes::budget`], and those that are defined by a formula what the formula comes to.

use lanes::budget::{Bound, FUNCTIONS1, FUNCTIONS2};
use lanes::{Op1, Op2};

/// A sort of floats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floats {
    /// The unit in the last place of 1.
    epsilon: f64,
    /// The least that is not denormal.
    least: f64,
    /// The greatest.
    most: f64,
    /// Units in the last place by which computing here is off itself.
    own: f64,
}

/// 32 bits.
pub const SINGLE: Floats =
    Floats { epsilon: f32::EPSILON as f64, least: f32::MIN_POSITIVE as f64, most: f32::MAX as f64, own: 0.0 };
/// 16 bits: what some devices compute `mediump` and `lowp` with (GLSL ES 3.20, 4.7.3).
pub const HALF: Floats = Floats { epsilon: 1.0 / 1024.0, least: 1.0 / 16384.0, most: 65504.0, own: 0.0 };
/// 64 bits.
pub const DOUBLE: Floats = Floats { epsilon: f64::EPSILON, least: f64::MIN_POSITIVE, most: f64::MAX, own: 1.0 };

/// All numbers from one to another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// Anything, NaN too.
    pub const ANY: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// A number; anything if it is none, for what becomes of NaN and infinities is not said.
    pub fn point(value: f64) -> Range {
        if value.is_finite() { Range { low: value, high: value } } else { Range::ANY }
    }

    /// From the least to the greatest of some numbers.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Range {
        let mut range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };
        for value in values {
            if !value.is_finite() {
                return Range::ANY;
            }
            range = Range { low: range.low.min(value), high: range.high.max(value) };
        }
        if range.low <= range.high { range } else { Range::ANY }
    }

    pub fn is_any(self) -> bool {
        self == Range::ANY
    }

    pub fn contains(self, value: f64) -> bool {
        self.is_any() || (self.low..=self.high).contains(&value)
    }

    pub fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The greatest magnitude.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// What a function that never falls makes of it.
    pub fn rising(self, f: impl Fn(f64) -> f64) -> Range {
        if self.is_any() { self } else { Range::around([f(self.low), f(self.high)]) }
    }

    pub fn negated(self) -> Range {
        Range { low: -self.high, high: -self.low }
    }

    pub fn abs(self) -> Range {
        if self.low >= 0.0 || self.is_any() {
            self
        } else if self.high <= 0.0 {
            self.negated()
        } else {
            Range { low: 0.0, high: self.magnitude() }
        }
    }

    fn corners(self, other: Range, f: impl Fn(f64, f64) -> f64) -> Range {
        if self.is_any() || other.is_any() {
            return Range::ANY;
        }
        Range::around([
            f(self.low, other.low),
            f(self.low, other.high),
            f(self.high, other.low),
            f(self.high, other.high),
        ])
    }

    /// The same with a distance on both sides.
    pub fn give(self, distance: f64) -> Range {
        Range { low: self.low - distance, high: self.high + distance }
    }
}

impl Floats {
    /// The unit in the last place of a number.
    fn ulp(self, value: f64) -> f64 {
        let power = f64::from_bits(value.abs().max(self.least).to_bits() & 0x7ff0_0000_0000_0000);
        power * self.epsilon
    }

    /// Returns what is within a number of units in the last place; denormals may be zeros, and beyond the greatest float is anything.
    pub fn widen(self, range: Range, ulps: f64) -> Range {
        let ulps = ulps + self.own;
        let low = range.low - ulps * self.ulp(range.low);
        let high = range.high + ulps * self.ulp(range.high);
        if !(-self.most..=self.most).contains(&low) || !(-self.most..=self.most).contains(&high) {
            return Range::ANY;
        }
        self.flush(Range { low, high })
    }

    /// The same, and zero if there are denormals in it.
    pub fn flush(self, range: Range) -> Range {
        let low = if range.low > 0.0 && range.low < self.least { 0.0 } else { range.low };
        let high = if range.high < 0.0 && range.high > -self.least { 0.0 } else { range.high };
        Range { low, high }
    }

    /// Correctly rounded, up or down: a number that is a float stays.
    pub fn round(self, range: Range) -> Range {
        let is_float = || (range.low / self.ulp(range.low)).fract() == 0.0 && range.low.abs() <= self.most;
        if self.own == 0.0 && range.low == range.high && is_float() {
            self.flush(range)
        } else {
            self.widen(range, 1.0)
        }
    }

    /// A sum before it is rounded.
    pub fn sum_exactly(self, a: Range, b: Range) -> Range {
        a.corners(b, |a, b| a + b)
    }

    /// A product before it is rounded.
    pub fn product_exactly(self, a: Range, b: Range) -> Range {
        a.corners(b, |a, b| a * b)
    }

    pub fn add(self, a: Range, b: Range) -> Range {
        self.round(self.sum_exactly(a, b))
    }

    pub fn sub(self, a: Range, b: Range) -> Range {
        self.add(a, b.negated())
    }

    pub fn mul(self, a: Range, b: Range) -> Range {
        self.round(self.product_exactly(a, b))
    }

    /// Anything if the divisor may be zero.
    pub fn div(self, a: Range, b: Range) -> Range {
        if b.contains(0.0) {
            return Range::ANY;
        }
        let quotient = a.corners(b, |a, b| a / b);
        self.bounded(bound2(Op2::FDiv), b, quotient)
    }

    /// A sum of products in any order, with or without rounding in between.
    pub fn dot(self, a: &[Range], b: &[Range]) -> Range {
        let products: Vec<Range> = a.iter().zip(b).map(|(a, b)| self.product_exactly(*a, *b)).collect();
        let sum = products.iter().copied().reduce(|a, b| self.sum_exactly(a, b)).unwrap_or(Range::ANY);
        let all: f64 = products.iter().map(|product| product.magnitude()).sum();
        if sum.is_any() || all > self.most {
            return Range::ANY;
        }
        // Each product and each sum of some of them is rounded once.
        let steps = products.len() as f64 * (2.0 + self.own) - 1.0;
        self.round(if products.len() > 1 { sum.give(steps * self.ulp(all)) } else { sum })
    }

    pub fn inverse_sqrt(self, x: Range) -> Range {
        if x.low <= 0.0 {
            return Range::ANY;
        }
        let root = Range::around([1.0 / x.high.sqrt(), 1.0 / x.low.sqrt()]);
        self.bounded(bound1(Op1::FInverseSqrt), x, root)
    }

    /// By way of `1.0 / inversesqrt(x)`.
    pub fn sqrt(self, x: Range) -> Range {
        if x.low < 0.0 {
            return Range::ANY;
        }
        let root = x.rising(f64::sqrt);
        let inverse = self.bounded(bound1(Op1::FInverseSqrt), x, root);
        self.bounded(bound2(Op2::FDiv), x, inverse)
    }

    /// A function of one operand that never falls where it is defined, with its budget.
    pub fn function(self, op: Op1, x: Range, f: impl Fn(f64) -> f64) -> Range {
        self.bounded(bound1(op), x, x.rising(f))
    }

    /// Sine or cosine: a step of the operand is no more than a step of the result.
    pub fn wave(self, op: Op1, x: Range, f: impl Fn(f64) -> f64) -> Range {
        if x.is_any() {
            return Range::ANY;
        }
        let (middle, half) = (f64::midpoint(x.low, x.high), (x.high - x.low) / 2.0);
        let exact = Range::point(f(middle)).give(half);
        match bound1(op) {
            Bound::Absolute { error, within } if x.magnitude() > within => Range { low: -1.0, high: 1.0 }.give(error),
            bound => self.bounded(bound, x, exact),
        }
    }

    /// `atan(y, x)`.
    pub fn arc(self, y: Range, x: Range) -> Range {
        if x.contains(0.0) && y.contains(0.0) || y.contains(0.0) && x.low < 0.0 {
            return if y.is_any() || x.is_any() { Range::ANY } else { Range::point(0.0).give(3.2) };
        }
        self.bounded(bound2(Op2::FAtan2), y, y.corners(x, f64::atan2))
    }

    /// Natural or binary logarithm.
    pub fn logarithm(self, op: Op1, x: Range, f: impl Fn(f64) -> f64) -> Range {
        if x.low <= 0.0 { Range::ANY } else { self.function(op, x, f) }
    }

    fn bounded(self, bound: Bound, x: Range, exact: Range) -> Range {
        if exact.is_any() || x.is_any() {
            return Range::ANY;
        }
        match bound {
            Bound::Ulp(ulps) => self.widen(exact, ulps),
            Bound::Absolute { error, .. } => self.flush(exact.give(error)),
            Bound::Growing { constant, factor } => self.widen(exact, constant + factor * x.magnitude()),
            Bound::NearOne { ulp, error } => {
                let away = self.widen(exact, ulp);
                if x.high < 0.5 || x.low > 2.0 { away } else { away.union(exact.give(error)) }
            }
            Bound::Derived => self.widen(exact, 0.0),
        }
    }
}

fn bound1(op: Op1) -> Bound {
    FUNCTIONS1.iter().find(|budget| budget.op == op).map_or(Bound::Derived, |budget| budget.vulkan)
}

fn bound2(op: Op2) -> Bound {
    FUNCTIONS2.iter().find(|budget| budget.op == op).map_or(Bound::Derived, |budget| budget.vulkan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_have_a_unit_in_the_last_place() {
        let [a, b] = [0.1f32, 3.0].map(|x| Range::point(x.into()));
        let product = SINGLE.mul(a, b);
        let exact = 0.1f32 * 3.0;
        assert!(product.contains(exact.into()) && product.contains(exact.next_down().into()));
        assert!(!product.contains(exact.next_up().next_up().into()));
        assert_eq!(SINGLE.add(Range::point(1.5), b), Range::point(4.5), "a float is exact");
        assert!(SINGLE.div(a, Range::point(0.0)).is_any());
        assert!(SINGLE.mul(Range::point(1e-30), Range::point(1e-10)).contains(0.0), "denormals may be zero");
    }

    #[test]
    fn functions_have_their_budget() {
        let sine = SINGLE.wave(Op1::FSin, Range::point(1.0), f64::sin);
        assert!(sine.contains(1f64.sin() + 0.0004) && !sine.contains(1f64.sin() + 0.0006));
        let log = SINGLE.logarithm(Op1::FLog, Range::point(8.0), f64::ln);
        let ulp = 2.0 * f64::from(f32::EPSILON);
        assert!(log.contains(8f64.ln() + 2.9 * ulp) && !log.contains(8f64.ln() + 3.1 * ulp));
        assert!(SINGLE.logarithm(Op1::FLog, Range::point(-1.0), f64::ln).contains(f64::NAN));
    }
}
