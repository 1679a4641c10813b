//! Functions with more than one result: the others go to `out` parameters.

use lanes::{Op1, Op2};
use shader::types::{Scalar, Type};

use super::super::{Lower, Lowered, Value};
use crate::ir::Register;

/// The return value of a function, and the values of its `out` parameters in order.
pub(super) struct Results {
    pub value: Value,
    pub outs: Vec<Value>,
}

impl Lower<'_> {
    /// Emits a function with `out` parameters of these types; returns `None` for other functions.
    pub(super) fn several(
        &mut self,
        name: &str,
        values: &[Value],
        ty: Type,
        outs: &[Type],
    ) -> Lowered<Option<Results>> {
        let Some(scalar) = values[0].ty.scalar() else { return Ok(None) };
        let unary = |op: Op1| move |l: &mut Self, i: usize| l.unary_op(op, values[0].registers[i], scalar);
        let binary = |op: Op2| {
            move |l: &mut Self, i: usize| l.binary_op(op, values[0].registers[i], values[1].registers[i], scalar)
        };
        let (value, outs) = match name {
            "modf" => {
                (self.components_by(ty, unary(Op1::FModf))?, vec![self.components_by(outs[0], unary(Op1::FTrunc))?])
            }
            "frexp" => {
                let exponent = self.components_by(outs[0], |l, i| {
                    let exponent = l.unary_op(Op1::FFrexpExponent, values[0].registers[i], scalar)?;
                    // It has the width of the operand.
                    if scalar.is_64_bit() { l.convert_one(exponent, Scalar::Int64, Scalar::Int) } else { Ok(exponent) }
                })?;
                (self.components_by(ty, unary(Op1::FFrexpMantissa))?, vec![exponent])
            }
            "uaddCarry" => {
                let sum = self.components_by(ty, binary(Op2::IAdd))?;
                (sum, vec![self.components_by(outs[0], binary(Op2::UCarry))?])
            }
            "usubBorrow" => {
                let difference = self.components_by(ty, binary(Op2::ISub))?;
                (difference, vec![self.components_by(outs[0], binary(Op2::UBorrow))?])
            }
            "umulExtended" | "imulExtended" => {
                let high = if name == "umulExtended" { Op2::UMulHigh } else { Op2::SMulHigh };
                let high = self.components_by(outs[0], binary(high))?;
                let low = self.components_by(outs[1], binary(Op2::IMul))?;
                (Value { ty: Type::Void, registers: Vec::new() }, vec![high, low])
            }
            _ => return Ok(None),
        };
        Ok(Some(Results { value, outs }))
    }

    /// Emits a value component by component.
    pub(super) fn components_by(
        &mut self,
        ty: Type,
        mut component: impl FnMut(&mut Self, usize) -> Lowered<Register>,
    ) -> Lowered<Value> {
        let mut registers = Vec::with_capacity(ty.components() as usize);
        for i in 0..ty.components() as usize {
            registers.push(component(self, i)?);
        }
        Ok(Value { ty, registers })
    }
}
