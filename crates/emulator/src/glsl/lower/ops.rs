//! The lane operations of operators and conversions.

use lanes::{Op1, Op2, Op3, Test2};
use shader::ast::BinaryOp;
use shader::types::Scalar;

use super::{Lower, Lowered};
use crate::ir::{Instruction, Register};

/// An operation on two operands: arithmetic or a comparison.
#[derive(Clone, Copy)]
pub(super) enum Two {
    Compute(Op2),
    Compare(Test2),
}

impl From<Op2> for Two {
    fn from(op: Op2) -> Two {
        Two::Compute(op)
    }
}

impl From<Test2> for Two {
    fn from(test: Test2) -> Two {
        Two::Compare(test)
    }
}

/// Returns whether it is `int` of either width.
pub(super) fn is_signed(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int | Scalar::Int64)
}

pub(super) fn negate(scalar: Scalar) -> Op1 {
    if scalar.is_floating() { Op1::FNeg } else { Op1::INeg }
}

/// Returns the test `a == b` of a component type.
pub(super) fn equal(scalar: Scalar) -> Test2 {
    if scalar.is_floating() { Test2::FEq } else { Test2::IEq }
}

/// Returns the operation of an infix operator on components of one type.
pub(super) fn binary(op: BinaryOp, scalar: Scalar) -> Option<Two> {
    use BinaryOp as B;
    let (float, signed) = (scalar.is_floating(), is_signed(scalar));
    let pick = |f: Op2, s: Op2, u: Op2| {
        Two::Compute(if float {
            f
        } else if signed {
            s
        } else {
            u
        })
    };
    let ask = |f: Test2, s: Test2, u: Test2| {
        Two::Compare(if float {
            f
        } else if signed {
            s
        } else {
            u
        })
    };
    Some(match op {
        B::Add => pick(Op2::FAdd, Op2::IAdd, Op2::IAdd),
        B::Sub => pick(Op2::FSub, Op2::ISub, Op2::ISub),
        B::Mul => pick(Op2::FMul, Op2::IMul, Op2::IMul),
        B::Div => pick(Op2::FDiv, Op2::SDiv, Op2::UDiv),
        B::Less => ask(Test2::FLt, Test2::SLt, Test2::ULt),
        B::Greater => ask(Test2::FGt, Test2::SGt, Test2::UGt),
        B::LessEqual => ask(Test2::FLe, Test2::SLe, Test2::ULe),
        B::GreaterEqual => ask(Test2::FGe, Test2::SGe, Test2::UGe),
        B::Equal => Two::Compare(equal(scalar)),
        B::NotEqual => Two::Compare(if float { Test2::FNe } else { Test2::INe }),
        B::Xor => Two::Compute(Op2::Xor),
        B::And => Two::Compute(Op2::And),
        B::Or => Two::Compute(Op2::Or),
        _ if float => return None,
        B::Mod => pick(Op2::SRem, Op2::SRem, Op2::URem),
        B::Shl => Two::Compute(Op2::Shl),
        B::Shr => pick(Op2::SShr, Op2::SShr, Op2::UShr),
        B::BitAnd => Two::Compute(Op2::And),
        B::BitXor => Two::Compute(Op2::Xor),
        B::BitOr => Two::Compute(Op2::Or),
    })
}

/// Returns the component type as crate `lanes` has it.
pub(super) fn scalar(scalar: Scalar) -> lanes::Scalar {
    match scalar {
        Scalar::Bool => lanes::Scalar::Bool,
        Scalar::Int => lanes::Scalar::I32,
        Scalar::Uint => lanes::Scalar::U32,
        Scalar::Float => lanes::Scalar::F32,
        Scalar::Double => lanes::Scalar::F64,
        Scalar::Int64 => lanes::Scalar::I64,
        Scalar::Uint64 => lanes::Scalar::U64,
    }
}

impl Lower<'_> {
    /// Emits an operation on one component of a type, with a result of the same width.
    pub(super) fn unary_op(&mut self, op: Op1, a: Register, scalar: Scalar) -> Lowered<Register> {
        let to = self.component(scalar)?;
        self.emit(if scalar.is_64_bit() { Instruction::WideUnary(op, to, a) } else { Instruction::Unary(op, to, a) });
        Ok(to)
    }

    /// Emits an operation on two components of a type: the result is of that type, or a boolean.
    pub(super) fn binary_op(
        &mut self,
        op: impl Into<Two>,
        a: Register,
        b: Register,
        scalar: Scalar,
    ) -> Lowered<Register> {
        let op = op.into();
        if !scalar.is_64_bit() {
            return self.two(op, a, b);
        }
        match op {
            Two::Compute(op) => {
                let to = self.component(scalar)?;
                self.emit(Instruction::WideBinary(op, to, a, b));
                Ok(to)
            }
            Two::Compare(test) => {
                let to = self.one()?;
                self.emit(Instruction::WideCompare(test, to, a, b));
                Ok(to)
            }
        }
    }

    /// Emits an operation on three components of a type.
    pub(super) fn ternary_op(&mut self, op: Op3, [a, b, c]: [Register; 3], scalar: Scalar) -> Lowered<Register> {
        let to = self.component(scalar)?;
        self.emit(if scalar.is_64_bit() {
            Instruction::WideTernary(op, to, a, b, c)
        } else {
            Instruction::Ternary(op, to, a, b, c)
        });
        Ok(to)
    }
}
