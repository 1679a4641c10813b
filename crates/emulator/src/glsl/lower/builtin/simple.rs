//! Functions that are one lane operation per component.

use lanes::{Op1, Op2, Op3, Op4, Test1};
use shader::ast::BinaryOp;
use shader::types::{Scalar, Type};

use super::super::ops::{self, Two};
use super::super::{Lower, Lowered, Value};
use super::pick;
use crate::ir::{Instruction, Register};

/// One operation.
#[derive(Clone, Copy)]
enum Simple {
    One(Op1),
    Ask(Test1),
    Two(Two),
    Three(Op3),
    Four(Op4),
}

impl Lower<'_> {
    /// Emits functions that apply one operation to each component; returns `None` for others.
    pub(super) fn component_wise(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let Some(scalar) = values.first().and_then(|v| v.ty.scalar()) else { return Ok(None) };
        let Some(simple) = simple(name, values.len(), scalar) else { return Ok(None) };
        let mut registers = Vec::with_capacity(ty.components() as usize);
        for i in 0..ty.components() as usize {
            let operands: Vec<Register> = values.iter().map(|v| pick(v, i)).collect();
            registers.push(self.simple(simple, &operands, scalar)?);
        }
        Ok(Some(Value { ty, registers }))
    }

    fn simple(&mut self, simple: Simple, operands: &[Register], scalar: Scalar) -> Lowered<Register> {
        match (simple, operands) {
            (Simple::One(op), &[a]) => self.unary_op(op, a, scalar),
            (Simple::Two(op), &[a, b]) => self.binary_op(op, a, b, scalar),
            (Simple::Three(op), &[a, b, c]) => self.ternary_op(op, [a, b, c], scalar),
            (Simple::Four(op), &[a, b, c, d]) => {
                let to = self.one()?;
                self.emit(Instruction::Quaternary(op, to, [a, b, c, d]));
                Ok(to)
            }
            (Simple::Ask(test), &[a]) => {
                let to = self.one()?;
                let wide = scalar.is_64_bit();
                self.emit(if wide { Instruction::WideAsk(test, to, a) } else { Instruction::Ask(test, to, a) });
                Ok(to)
            }
            _ => self.refuse("a function with these arguments", None),
        }
    }
}

/// Returns the operation of a function by its name, the number of its arguments and the component type of the first.
fn simple(name: &str, arguments: usize, scalar: Scalar) -> Option<Simple> {
    match arguments {
        1 => asks(name).map(Simple::Ask).or_else(|| one(name, scalar).map(Simple::One)),
        2 => two(name, scalar).map(Simple::Two),
        3 => three(name, scalar).map(Simple::Three),
        4 if name == "bitfieldInsert" => Some(Simple::Four(Op4::BitfieldInsert)),
        _ => None,
    }
}

fn asks(name: &str) -> Option<Test1> {
    match name {
        "isnan" => Some(Test1::IsNan),
        "isinf" => Some(Test1::IsInf),
        _ => None,
    }
}

fn one(name: &str, scalar: Scalar) -> Option<Op1> {
    let float = scalar.is_floating();
    Some(match name {
        "abs" if float => Op1::FAbs,
        "abs" => Op1::SAbs,
        "sign" if float => Op1::FSign,
        "sign" => Op1::SSign,
        "floor" => Op1::FFloor,
        "ceil" => Op1::FCeil,
        "trunc" | "truncate" => Op1::FTrunc,
        "round" | "roundEven" => Op1::FRoundEven,
        "fract" => Op1::FFract,
        "sqrt" => Op1::FSqrt,
        "inversesqrt" => Op1::FInverseSqrt,
        "exp" => Op1::FExp,
        "exp2" => Op1::FExp2,
        "log" => Op1::FLog,
        "log2" => Op1::FLog2,
        "sin" => Op1::FSin,
        "cos" => Op1::FCos,
        "tan" => Op1::FTan,
        "asin" => Op1::FAsin,
        "acos" => Op1::FAcos,
        "atan" => Op1::FAtan,
        "sinh" => Op1::FSinh,
        "cosh" => Op1::FCosh,
        "tanh" => Op1::FTanh,
        "asinh" => Op1::FAsinh,
        "acosh" => Op1::FAcosh,
        "atanh" => Op1::FAtanh,
        "not" => Op1::BNot,
        "bitfieldReverse" => Op1::BitReverse,
        "bitCount" => Op1::BitCount,
        "findLSB" => Op1::FindLsb,
        "findMSB" if ops::is_signed(scalar) => Op1::SFindMsb,
        "findMSB" => Op1::UFindMsb,
        "countLeadingZeros" => Op1::LeadingZeros,
        "countTrailingZeros" => Op1::TrailingZeros,
        _ => return None,
    })
}

fn two(name: &str, scalar: Scalar) -> Option<Two> {
    let pick = |f: Op2, s: Op2, u: Op2| {
        Some(Two::Compute(if scalar.is_floating() {
            f
        } else if ops::is_signed(scalar) {
            s
        } else {
            u
        }))
    };
    let integer = |s: Op2, u: Op2| pick(s, s, u);
    match name {
        "min" => pick(Op2::FMin, Op2::SMin, Op2::UMin),
        "max" => pick(Op2::FMax, Op2::SMax, Op2::UMax),
        "mod" => Some(Two::Compute(Op2::FMod)),
        "pow" => Some(Two::Compute(Op2::FPow)),
        "atan" => Some(Two::Compute(Op2::FAtan2)),
        "step" => Some(Two::Compute(Op2::FStep)),
        "matrixCompMult" => Some(Two::Compute(Op2::FMul)),
        "absoluteDifference" => integer(Op2::SAbsDiff, Op2::UAbsDiff),
        "addSaturate" => integer(Op2::SAddSat, Op2::UAddSat),
        "subtractSaturate" => integer(Op2::SSubSat, Op2::USubSat),
        "average" => integer(Op2::SHalfAdd, Op2::UHalfAdd),
        "averageRounded" => integer(Op2::SHalfAddUp, Op2::UHalfAddUp),
        "lessThan" => ops::binary(BinaryOp::Less, scalar),
        "lessThanEqual" => ops::binary(BinaryOp::LessEqual, scalar),
        "greaterThan" => ops::binary(BinaryOp::Greater, scalar),
        "greaterThanEqual" => ops::binary(BinaryOp::GreaterEqual, scalar),
        "equal" => ops::binary(BinaryOp::Equal, scalar),
        "notEqual" => ops::binary(BinaryOp::NotEqual, scalar),
        _ => None,
    }
}

fn three(name: &str, scalar: Scalar) -> Option<Op3> {
    let (float, signed) = (scalar.is_floating(), ops::is_signed(scalar));
    Some(match name {
        "clamp" if float => Op3::FClamp,
        "clamp" if signed => Op3::SClamp,
        "clamp" => Op3::UClamp,
        "fma" => Op3::FFma,
        "bitfieldExtract" if signed => Op3::SBitfieldExtract,
        "bitfieldExtract" => Op3::UBitfieldExtract,
        _ => return None,
    })
}
