//! Which operation of the lanes an operator or conversion is.

use lanes::{Op1, Op2, Test2};
use shader::ast::BinaryOp;
use shader::types::Scalar;

/// An operation on two operands: one that computes, or one that asks.
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

pub(super) fn negate(scalar: Scalar) -> Op1 {
    if scalar == Scalar::Float { Op1::FNeg } else { Op1::INeg }
}

/// `a == b` for a component type.
pub(super) fn equal(scalar: Scalar) -> Test2 {
    if scalar == Scalar::Float { Test2::FEq } else { Test2::IEq }
}

/// An infix operator on components of one type.
pub(super) fn binary(op: BinaryOp, scalar: Scalar) -> Option<Two> {
    use BinaryOp as B;
    let (float, signed) = (scalar == Scalar::Float, scalar == Scalar::Int);
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

/// A component type in the lanes' words; `None` for 64-bit ones.
pub(super) fn scalar(scalar: Scalar) -> Option<lanes::Scalar> {
    Some(match scalar {
        Scalar::Bool => lanes::Scalar::Bool,
        Scalar::Int => lanes::Scalar::I32,
        Scalar::Uint => lanes::Scalar::U32,
        Scalar::Float => lanes::Scalar::F32,
        Scalar::Double | Scalar::Int64 | Scalar::Uint64 => return None,
    })
}
