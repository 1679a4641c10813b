//! Arithmetic in half precision, as Mesa's compiler lowers `mediump` and `lowp` expressions.
//!
//! An expression is computed in half precision if all of its operands are `mediump`, `lowp` or constants (GLSL ES 3.20,
//! 4.7.3 defines the precision of an operation); operands and results of each operation are then rounded. Division is done
//! by the reciprocal, `pow` by logarithms. Values that are only moved - variables, swizzles, constructors, arguments - are
//! not rounded, because Mesa removes pairs of conversions. The result of a look-up has the precision of its sampler,
//! rounded towards zero.

use lanes::{Op1, Op2, Use};
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId};
use shader::query::Visit;
use shader::query_precision::Precisions;
use shader::typed::Target;
use shader::types::{Precision, Scalar, Type};

use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

/// The bits of a float that a half-precision float can hold.
const TRUNCATED: u32 = !0x1fff;

/// Returns whether the operation of an expression, without its operands, is done in half precision where programs are
/// lowered for that.
fn is_half(shader: &Shader, precisions: &Precisions, id: ExprId) -> bool {
    if is_look_up(shader, id) {
        return false;
    }
    let precision = match shader.tree.expr(id).kind {
        // The operation before the assignment.
        ExprKind::Assign(Some(_), left, right) => precisions.of(left).max(precisions.of(right)),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..) => None,
        ExprKind::Binary(..) | ExprKind::Unary(..) => precisions.of(id),
        ExprKind::Call(..) => match shader.typed.expr(id).target {
            Target::Builtin(_) => precisions.of(id),
            _ => None,
        },
        _ => None,
    };
    matches!(precision, Some(Precision::Medium | Precision::Low))
}

fn is_look_up(shader: &Shader, id: ExprId) -> bool {
    match shader.typed.expr(id).target {
        Target::Builtin(function) => matches!(function.params.first().map(|p| p.ty), Some(Type::Opaque(_))),
        _ => false,
    }
}

/// Returns whether an expression has operations on floats that are done in half precision where programs are lowered for
/// that.
pub(crate) fn computes_in_half(shader: &Shader, id: ExprId) -> bool {
    let precisions = Precisions::new(shader);
    let mut found = false;
    shader.walk(NodeId::Expr(id), |node| {
        if let NodeId::Expr(part) = node {
            let facts = shader.typed.expr(part);
            let is_float = facts.ty.scalar() == Some(Scalar::Float) && facts.constant.is_none();
            found |= is_float && is_half(shader, &precisions, part);
        }
        if found { Visit::Stop } else { Visit::Into }
    });
    found
}

impl Lower<'_> {
    /// Returns whether the operation of an expression, without its operands, is done in half precision.
    pub(super) fn in_half(&self, id: ExprId) -> bool {
        self.options.half_precision && is_half(self.shader, &self.precisions, id)
    }

    /// Returns whether an expression is a texture look-up, whose coordinates have their own precision.
    pub(super) fn is_look_up(&self, id: ExprId) -> bool {
        is_look_up(self.shader, id)
    }

    /// Emits the reduction of a look-up's result to the precision of its sampler.
    pub(super) fn halved(&mut self, value: Value, precision: Option<Precision>) -> Lowered<Value> {
        let float = value.ty.scalar() == Some(Scalar::Float);
        if !float || !matches!(precision, Some(Precision::Medium | Precision::Low)) {
            return Ok(value);
        }
        let mask = self.word(TRUNCATED)?;
        let mut registers = Vec::with_capacity(value.registers.len());
        for &from in &value.registers {
            // llvmpipe rounds texels towards zero.
            let cut = self.two(Op2::And, from, mask)?;
            registers.push(self.rounded(cut));
        }
        Ok(Value { ty: value.ty, registers })
    }

    /// Emits an instruction with operands and results in half precision, if it is arithmetic on floats.
    pub(super) fn emit_in_half(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Unary(op, to, a) if op.floats() == (true, true) => {
                let a = self.rounded(a);
                match op {
                    Op1::FInverseSqrt => {
                        let root = self.half_unary(Op1::FSqrt, a);
                        self.reciprocal(to, root);
                    }
                    _ => self.half_result(Instruction::Unary(op, to, a), to),
                }
            }
            Instruction::Binary(op, to, a, b) if op.floats() == (true, true, true) => {
                let (a, b) = (self.rounded(a), self.rounded(b));
                match op {
                    Op2::FDiv => {
                        let inverse = self.temporary();
                        self.reciprocal(inverse, b);
                        self.half_result(Instruction::Binary(Op2::FMul, to, a, inverse), to);
                    }
                    Op2::FPow => {
                        let logarithm = self.half_unary(Op1::FLog2, a);
                        let product = self.temporary();
                        self.half_result(Instruction::Binary(Op2::FMul, product, logarithm, b), product);
                        self.half_result(Instruction::Unary(Op1::FExp2, to, product), to);
                    }
                    _ => self.half_result(Instruction::Binary(op, to, a, b), to),
                }
            }
            Instruction::Ternary(op, to, a, b, c) if op.floats() => {
                let [a, b, c] = [a, b, c].map(|from| self.rounded(from));
                self.half_result(Instruction::Ternary(op, to, a, b, c), to);
            }
            Instruction::Compare(test, to, a, b) if test.floats() => {
                let (a, b) = (self.rounded(a), self.rounded(b));
                self.emit_as_it_is(Instruction::Compare(test, to, a, b));
            }
            Instruction::Derivative(axis, to, a) => {
                let a = self.rounded(a);
                self.half_result(Instruction::Derivative(axis, to, a), to);
            }
            _ => self.emit_as_it_is(instruction),
        }
    }

    fn half_unary(&mut self, op: Op1, a: Register) -> Register {
        let to = self.temporary();
        self.half_result(Instruction::Unary(op, to, a), to);
        to
    }

    fn reciprocal(&mut self, to: Register, of: Register) {
        let one = self.temporary();
        self.emit_as_it_is(Instruction::Constant(one, 1f32.to_bits()));
        self.half_result(Instruction::Binary(Op2::FDiv, to, one, of), to);
    }

    fn half_result(&mut self, instruction: Instruction, to: Register) {
        self.emit_as_it_is(instruction);
        self.emit_as_it_is(Instruction::Reduce(lanes::Precision::Medium, Use::Float, to, to));
        self.halved.insert(to);
    }

    /// Emits rounding to half precision, unless the number is a result of such arithmetic.
    fn rounded(&mut self, from: Register) -> Register {
        if self.halved.contains(&from) {
            return from;
        }
        let to = self.temporary();
        self.emit_as_it_is(Instruction::Reduce(lanes::Precision::Medium, Use::Float, to, from));
        self.halved.insert(to);
        to
    }
}
