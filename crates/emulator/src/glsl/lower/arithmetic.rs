//! Arithmetic on components of one type, for functions that are expanded.

use lanes::{Op1, Op2, Op3, Test2};
use shader::types::Scalar;

use super::{Lower, Lowered};
use crate::ir::Register;

/// Emits arithmetic on components of one type, of either width.
pub(super) struct Arithmetic<'l, 'a> {
    lower: &'l mut Lower<'a>,
    scalar: Scalar,
}

impl<'a> Lower<'a> {
    /// Returns an emitter of arithmetic on components of a type.
    pub(super) fn on(&mut self, scalar: Scalar) -> Arithmetic<'_, 'a> {
        Arithmetic { lower: self, scalar }
    }
}

impl Arithmetic<'_, '_> {
    pub(super) fn number(&mut self, value: f64) -> Lowered<Register> {
        self.lower.number(value, self.scalar)
    }

    pub(super) fn one(&mut self, op: Op1, a: Register) -> Lowered<Register> {
        self.lower.unary_op(op, a, self.scalar)
    }

    pub(super) fn two(&mut self, op: Op2, a: Register, b: Register) -> Lowered<Register> {
        self.lower.binary_op(op, a, b, self.scalar)
    }

    pub(super) fn add(&mut self, a: Register, b: Register) -> Lowered<Register> {
        self.two(Op2::FAdd, a, b)
    }

    pub(super) fn sub(&mut self, a: Register, b: Register) -> Lowered<Register> {
        self.two(Op2::FSub, a, b)
    }

    pub(super) fn mul(&mut self, a: Register, b: Register) -> Lowered<Register> {
        self.two(Op2::FMul, a, b)
    }

    pub(super) fn div(&mut self, a: Register, b: Register) -> Lowered<Register> {
        self.two(Op2::FDiv, a, b)
    }

    /// Emits `x` clamped to a range.
    pub(super) fn clamp(&mut self, x: Register, low: Register, high: Register) -> Lowered<Register> {
        self.lower.ternary_op(Op3::FClamp, [x, low, high], self.scalar)
    }

    /// Emits a comparison.
    pub(super) fn compare(&mut self, test: Test2, a: Register, b: Register) -> Lowered<Register> {
        self.lower.binary_op(test, a, b, self.scalar)
    }

    /// Emits `condition ? yes : no`.
    pub(super) fn choose(&mut self, condition: Register, yes: Register, no: Register) -> Lowered<Register> {
        self.lower.choose(condition, yes, no, self.scalar.is_64_bit())
    }

    /// Emits the dot product. Mesa begins with the last component, which makes a difference in half precision.
    pub(super) fn dot(&mut self, a: &[Register], b: &[Register]) -> Lowered<Register> {
        if !self.lower.halves {
            return self.sum_of_products(a, b);
        }
        let reversed = |list: &[Register]| list.iter().rev().copied().collect::<Vec<_>>();
        self.sum_of_products(&reversed(a), &reversed(b))
    }

    /// Emits the sum of products, from the first component on.
    pub(super) fn sum_of_products(&mut self, a: &[Register], b: &[Register]) -> Lowered<Register> {
        let mut sum: Option<Register> = None;
        for (&x, &y) in a.iter().zip(b) {
            let product = self.mul(x, y)?;
            sum = Some(match sum {
                None => product,
                Some(before) => self.add(before, product)?,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => self.number(0.0),
        }
    }

    /// Emits the length of a vector, or the magnitude of a scalar.
    pub(super) fn length(&mut self, registers: &[Register]) -> Lowered<Register> {
        if let [only] = registers {
            return self.one(Op1::FAbs, *only);
        }
        let square = self.dot(registers, registers)?;
        self.one(Op1::FSqrt, square)
    }
}
