//! Numeric profiles that change the program: contracted multiply-add, and the least precision that is guaranteed.

use lanes::{Op1, Op2, Op3, Use};
use shader::ast::ExprId;
use shader::typed;
use shader::types::{Precision, Scalar};

use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

/// How numbers of a program behave, as far as that is decided during lowering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// `a * b + c` within an expression is rounded once, except in functions that use `precise` variables.
    pub contract: bool,
    /// `mediump` and `lowp` values have only the range and precision that the specification guarantees.
    pub least_precision: bool,
    /// Arithmetic on `mediump` and `lowp` floats is done in half precision, each operation rounded; values that are only
    /// moved keep their precision. Mesa does so on devices with half-precision arithmetic.
    pub half_precision: bool,
}

impl LowerOptions {
    /// Returns whether anything depends on the precision of expressions.
    pub(super) fn needs_precisions(self) -> bool {
        self.least_precision || self.half_precision
    }
}

impl From<&lanes::Numerics> for LowerOptions {
    fn from(numerics: &lanes::Numerics) -> LowerOptions {
        LowerOptions { contract: numerics.contract, least_precision: numerics.least_precision, half_precision: false }
    }
}

impl Lower<'_> {
    /// Returns a sum of a product as one operation. A product's register is written once, and a value that a later part of
    /// the expression could change is copied first, so the factors still have their values.
    pub(super) fn contracted(&mut self, instruction: Instruction) -> Instruction {
        match instruction {
            Instruction::Binary(Op2::FMul, to, a, b) | Instruction::WideBinary(Op2::FMul, to, a, b) => {
                self.products.insert(to, (a, b));
                instruction
            }
            Instruction::Binary(op @ (Op2::FAdd | Op2::FSub), to, a, b) => {
                match self.product_in(op, a, b, Scalar::Float) {
                    Some([x, y, z]) => Instruction::Ternary(Op3::FFma, to, x, y, z),
                    None => instruction,
                }
            }
            Instruction::WideBinary(op @ (Op2::FAdd | Op2::FSub), to, a, b) => {
                match self.product_in(op, a, b, Scalar::Double) {
                    Some([x, y, z]) => Instruction::WideTernary(Op3::FFma, to, x, y, z),
                    None => instruction,
                }
            }
            _ => instruction,
        }
    }

    /// Returns the factors and the summand of `a op b`; `None` if neither is a product.
    fn product_in(&mut self, op: Op2, a: Register, b: Register, scalar: Scalar) -> Option<[Register; 3]> {
        let subtracts = op == Op2::FSub;
        if let Some(&(x, y)) = self.products.get(&a) {
            let rest = if subtracts { self.unary_op(Op1::FNeg, b, scalar).ok()? } else { b };
            return Some([x, y, rest]);
        }
        let &(x, y) = self.products.get(&b)?;
        let first = if subtracts { self.unary_op(Op1::FNeg, x, scalar).ok()? } else { x };
        Some([first, y, a])
    }

    /// Returns whether sums in a function may be contracted: no `precise` variable is declared or used in it. GLSL 4.60,
    /// 4.9 applies to everything in the function that contributes to such a variable's value.
    pub(super) fn may_contract(&self, id: typed::FunctionId) -> bool {
        let typed = &self.shader.typed;
        let row = typed.function(id);
        let precise = |v: &typed::Variable| v.qualifiers.flags.precise;
        let Some(definition) = row.definition else { return false };
        let tokens = self.shader.tree.decl(definition).tokens;
        let inside = |v: &typed::Variable| v.declared.is_some_and(|at| tokens.first <= at && at <= tokens.last);
        !row.uses.iter().any(|&v| precise(typed.variable(v)))
            && !typed.variables.iter().any(|v| precise(v) && inside(v))
    }

    /// Emits the reduction of a value to the precision of its expression.
    pub(super) fn least(&mut self, id: ExprId, value: Value) -> Lowered<Value> {
        let precision = self.precisions.of(id);
        if self.options.half_precision && self.is_look_up(id) {
            return self.halved(value, precision);
        }
        self.reduced(value, precision)
    }

    /// Emits the reduction of a value to a precision.
    pub(super) fn reduced(&mut self, value: Value, precision: Option<Precision>) -> Lowered<Value> {
        let precision = match precision {
            Some(Precision::Medium) if self.options.least_precision => lanes::Precision::Medium,
            Some(Precision::Low) if self.options.least_precision => lanes::Precision::Low,
            _ => return Ok(value),
        };
        let of = match value.ty.scalar() {
            Some(Scalar::Float) => Use::Float,
            Some(Scalar::Int) => Use::Signed,
            Some(Scalar::Uint) => Use::Unsigned,
            _ => return Ok(value),
        };
        let mut registers = Vec::with_capacity(value.registers.len());
        for &from in &value.registers {
            let to = self.one()?;
            self.emit(Instruction::Reduce(precision, of, to, from));
            registers.push(to);
        }
        Ok(Value { ty: value.ty, registers })
    }
}
