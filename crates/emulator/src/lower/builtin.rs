//! Built-in functions, as operations of the lanes or spelled out in them.

use lanes::{Op1, Op2, Op3, Op4, Test1, Test2};
use shader::ast::ExprId;
use shader::builtin;
use shader::types::{Scalar, Type};

use super::ops::Two;
use super::{Lower, Lowered, Value};
use crate::ir::{Axis, Instruction, Register};

impl Lower<'_> {
    pub(super) fn call_builtin(
        &mut self,
        id: ExprId,
        function: &'static builtin::Function,
        arguments: &[ExprId],
    ) -> Lowered<Value> {
        let name = self.name(function.name).to_owned();
        if function.params.iter().any(|p| p.direction != builtin::Direction::In) {
            return self.refuse(format!("`{name}`"), Some(id));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (i, (&argument, param)) in arguments.iter().zip(&function.params).enumerate() {
            let value = self.operand(argument, &arguments[i + 1..])?;
            values.push(self.convert(value, param.ty)?);
        }
        let ty = function.result;
        self.note_begin(&values.iter().collect::<Vec<_>>());
        let made = match self.component_wise(&name, &values, ty)? {
            Some(value) => Some(value),
            None => self.composed(&name, &values, ty)?,
        };
        let Some(value) = made else { return self.refuse(format!("`{name}`"), Some(id)) };
        self.note_end(&value);
        Ok(value)
    }

    /// Functions that work on each component alone.
    fn component_wise(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let scalar = values.first().and_then(|v| v.ty.scalar()).unwrap_or(Scalar::Float);
        let count = ty.components() as usize;
        let pick = |value: &Value, i: usize| value.registers[if value.registers.len() == 1 { 0 } else { i }];
        let mut registers = Vec::with_capacity(count);
        match values {
            [a] => {
                if let Some(test) = test_one(name) {
                    for i in 0..count {
                        let to = self.one()?;
                        self.emit(Instruction::Ask(test, to, pick(a, i)));
                        registers.push(to);
                    }
                } else if let Some(op) = one(name, scalar).filter(|_| a.registers.len() == count) {
                    for i in 0..count {
                        registers.push(self.float1(op, pick(a, i))?);
                    }
                } else {
                    return Ok(None);
                }
            }
            [a, b] => {
                let Some(op) = two(name, scalar) else { return Ok(None) };
                for i in 0..count {
                    registers.push(self.two(op, pick(a, i), pick(b, i))?);
                }
            }
            [a, b, c] => {
                let Some(op) = three(name, scalar) else { return Ok(None) };
                for i in 0..count {
                    registers.push(self.ternary_op(op, [pick(a, i), pick(b, i), pick(c, i)], scalar)?);
                }
            }
            [a, b, c, d] if name == "bitfieldInsert" => {
                for i in 0..count {
                    let to = self.one()?;
                    let operands = [pick(a, i), pick(b, i), pick(c, i), pick(d, i)];
                    self.emit(Instruction::Quaternary(Op4::BitfieldInsert, to, operands));
                    registers.push(to);
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(Value { ty, registers }))
    }

    /// Functions spelled out as the specification writes them.
    fn composed(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let each = |lower: &mut Self, f: &mut dyn FnMut(&mut Self, usize) -> Lowered<Register>| {
            let mut registers = Vec::new();
            for i in 0..ty.components() as usize {
                registers.push(f(lower, i)?);
            }
            Ok(Some(Value { ty, registers }))
        };
        let pick = |v: usize, i: usize| {
            let registers = &values[v].registers;
            registers[if registers.len() == 1 { 0 } else { i }]
        };
        let one = |register: Register| Ok(Some(Value { ty, registers: vec![register] }));
        match name {
            "radians" | "degrees" => {
                let factor =
                    if name == "radians" { std::f32::consts::PI / 180.0 } else { 180.0 / std::f32::consts::PI };
                let factor = self.float(factor)?;
                each(self, &mut |l, i| l.float2(Op2::FMul, pick(0, i), factor))
            }
            "mix" if values[2].ty.scalar() == Some(Scalar::Bool) => each(self, &mut |l, i| {
                let to = l.one()?;
                l.emit(Instruction::Select(to, pick(2, i), pick(1, i), pick(0, i)));
                Ok(to)
            }),
            "mix" => {
                let unit = self.float(1.0)?;
                each(self, &mut |l, i| {
                    let rest = l.float2(Op2::FSub, unit, pick(2, i))?;
                    let a = l.float2(Op2::FMul, pick(0, i), rest)?;
                    let b = l.float2(Op2::FMul, pick(1, i), pick(2, i))?;
                    l.float2(Op2::FAdd, a, b)
                })
            }
            "smoothstep" => {
                let (zero, unit, two, three) = (self.float(0.0)?, self.float(1.0)?, self.float(2.0)?, self.float(3.0)?);
                each(self, &mut |l, i| {
                    let over = l.float2(Op2::FSub, pick(2, i), pick(0, i))?;
                    let width = l.float2(Op2::FSub, pick(1, i), pick(0, i))?;
                    let ratio = l.float2(Op2::FDiv, over, width)?;
                    let t = l.one()?;
                    l.emit(Instruction::Ternary(Op3::FClamp, t, ratio, zero, unit));
                    let square = l.float2(Op2::FMul, t, t)?;
                    let double = l.float2(Op2::FMul, two, t)?;
                    let slope = l.float2(Op2::FSub, three, double)?;
                    l.float2(Op2::FMul, square, slope)
                })
            }
            "dot" => {
                let sum = self.dot(&values[0].registers, &values[1].registers)?;
                one(sum)
            }
            "length" => {
                let length = self.length_of(&values[0].registers)?;
                one(length)
            }
            "distance" => {
                let mut difference = Vec::new();
                for i in 0..values[0].registers.len() {
                    difference.push(self.float2(Op2::FSub, pick(0, i), pick(1, i))?);
                }
                let length = self.length_of(&difference)?;
                one(length)
            }
            "normalize" => {
                let square = self.dot(&values[0].registers, &values[0].registers)?;
                let scale = self.float1(Op1::FInverseSqrt, square)?;
                each(self, &mut |l, i| l.float2(Op2::FMul, pick(0, i), scale))
            }
            "cross" => each(self, &mut |l, i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let a = l.float2(Op2::FMul, pick(0, j), pick(1, k))?;
                let b = l.float2(Op2::FMul, pick(1, j), pick(0, k))?;
                l.float2(Op2::FSub, a, b)
            }),
            "reflect" => {
                let along = self.dot(&values[1].registers, &values[0].registers)?;
                let two = self.float(2.0)?;
                let twice = self.float2(Op2::FMul, two, along)?;
                each(self, &mut |l, i| {
                    let part = l.float2(Op2::FMul, twice, pick(1, i))?;
                    l.float2(Op2::FSub, pick(0, i), part)
                })
            }
            "faceforward" => {
                let along = self.dot(&values[2].registers, &values[1].registers)?;
                let zero = self.float(0.0)?;
                let towards = self.two(Test2::FLt, along, zero)?;
                each(self, &mut |l, i| {
                    let away = l.float1(Op1::FNeg, pick(0, i))?;
                    let to = l.one()?;
                    l.emit(Instruction::Select(to, towards, pick(0, i), away));
                    Ok(to)
                })
            }
            "any" | "all" => {
                let op = if name == "any" { Op2::Or } else { Op2::And };
                let mut result = values[0].registers[0];
                for &next in &values[0].registers[1..] {
                    result = self.float2(op, result, next)?;
                }
                one(result)
            }
            "matrixCompMult" => each(self, &mut |l, i| l.float2(Op2::FMul, pick(0, i), pick(1, i))),
            "outerProduct" => {
                let rows = values[0].registers.len();
                each(self, &mut |l, i| {
                    l.float2(Op2::FMul, values[0].registers[i % rows], values[1].registers[i / rows])
                })
            }
            "transpose" => Ok(Some(self.transpose(&values[0], ty))),
            "determinant" => {
                let (size, _) = super::matrix::shape(values[0].ty);
                let result = self.determinant(&values[0].registers, size)?;
                one(result)
            }
            "inverse" => self.inverse(&values[0]).map(Some),
            "dFdx" | "dFdy" | "dFdxFine" | "dFdyFine" | "dFdxCoarse" | "dFdyCoarse" => {
                let axis = if name.starts_with("dFdx") { Axis::X } else { Axis::Y };
                each(self, &mut |l, i| l.derivative(axis, pick(0, i)))
            }
            "fwidth" | "fwidthFine" | "fwidthCoarse" => each(self, &mut |l, i| {
                let x = l.derivative(Axis::X, pick(0, i))?;
                let y = l.derivative(Axis::Y, pick(0, i))?;
                let (x, y) = (l.float1(Op1::FAbs, x)?, l.float1(Op1::FAbs, y)?);
                l.float2(Op2::FAdd, x, y)
            }),
            "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" => {
                Ok(Some(Value { ty, registers: values[0].registers.clone() }))
            }
            _ => Ok(None),
        }
    }

    fn derivative(&mut self, axis: Axis, from: Register) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(Instruction::Derivative(axis, to, from));
        Ok(to)
    }

    fn length_of(&mut self, registers: &[Register]) -> Lowered<Register> {
        if let [only] = registers {
            return self.float1(Op1::FAbs, *only);
        }
        let square = self.dot(registers, registers)?;
        self.float1(Op1::FSqrt, square)
    }

    pub(super) fn two(&mut self, op: impl Into<Two>, a: Register, b: Register) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(match op.into() {
            Two::Compute(op) => Instruction::Binary(op, to, a, b),
            Two::Compare(test) => Instruction::Compare(test, to, a, b),
        });
        Ok(to)
    }
}

fn test_one(name: &str) -> Option<Test1> {
    match name {
        "isnan" => Some(Test1::IsNan),
        "isinf" => Some(Test1::IsInf),
        _ => None,
    }
}

fn one(name: &str, scalar: Scalar) -> Option<Op1> {
    let float = scalar == Scalar::Float;
    Some(match name {
        "abs" => {
            if float {
                Op1::FAbs
            } else {
                Op1::SAbs
            }
        }
        "sign" => {
            if float {
                Op1::FSign
            } else {
                Op1::SSign
            }
        }
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
        "findMSB" if scalar == Scalar::Int => Op1::SFindMsb,
        "findMSB" => Op1::UFindMsb,
        _ => return None,
    })
}

fn two(name: &str, scalar: Scalar) -> Option<Two> {
    use shader::ast::BinaryOp as B;
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
    match name {
        "min" => Some(pick(Op2::FMin, Op2::SMin, Op2::UMin)),
        "max" => Some(pick(Op2::FMax, Op2::SMax, Op2::UMax)),
        "mod" => Some(Two::Compute(Op2::FMod)),
        "pow" => Some(Two::Compute(Op2::FPow)),
        "atan" => Some(Two::Compute(Op2::FAtan2)),
        "step" => Some(Two::Compute(Op2::FStep)),
        "ldexp" => Some(Two::Compute(Op2::FLdexp)),
        "lessThan" => super::ops::binary(B::Less, scalar),
        "lessThanEqual" => super::ops::binary(B::LessEqual, scalar),
        "greaterThan" => super::ops::binary(B::Greater, scalar),
        "greaterThanEqual" => super::ops::binary(B::GreaterEqual, scalar),
        "equal" => super::ops::binary(B::Equal, scalar),
        "notEqual" => super::ops::binary(B::NotEqual, scalar),
        _ => None,
    }
}

fn three(name: &str, scalar: Scalar) -> Option<Op3> {
    let (float, signed) = (scalar == Scalar::Float, scalar == Scalar::Int);
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
