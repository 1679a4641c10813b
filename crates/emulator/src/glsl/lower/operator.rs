//! Binary operators on values of any shape.

use lanes::{Op1, Op2};
use shader::ast::BinaryOp;
use shader::constant;
use shader::types::{Scalar, Type};

use super::{Lower, Lowered, Value, ops};
use crate::ir::Register;

impl Lower<'_> {
    /// Emits `a op b`, where `ty` is the type of the result.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type) -> Lowered<Value> {
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => return self.equality(op == BinaryOp::Equal, a, b),
            BinaryOp::Mul if is_matrix(a.ty) || is_matrix(b.ty) => {
                let (a, b) = self.meet(a, b)?;
                if !matches!(a.ty, Type::Scalar(_)) && !matches!(b.ty, Type::Scalar(_)) {
                    self.note_begin(&[&a, &b]);
                    let result = self.multiply_matrices(&a, &b, ty)?;
                    self.note_end(&result);
                    return Ok(result);
                }
                return self.each(op, &a, &b, ty);
            }
            _ => {}
        }
        // The operands of a shift keep their own types.
        let (a, b) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { (a, b) } else { self.meet(a, b)? };
        self.each(op, &a, &b, ty)
    }

    /// Converts both operands to their common component type.
    fn meet(&mut self, a: Value, b: Value) -> Lowered<(Value, Value)> {
        let (Some(x), Some(y)) = (a.ty.scalar(), b.ty.scalar()) else { return Ok((a, b)) };
        let Some(common) = constant::common_scalar(x, y) else { return self.refuse("these operands", None) };
        let (to_a, to_b) = (a.ty.with_scalar(common), b.ty.with_scalar(common));
        Ok((self.convert(a, to_a)?, self.convert(b, to_b)?))
    }

    /// Emits an operator component by component; a scalar is paired with every component of the other operand.
    fn each(&mut self, op: BinaryOp, a: &Value, b: &Value, ty: Type) -> Lowered<Value> {
        let scalar = a.ty.scalar().unwrap_or(Scalar::Int);
        let Some(operation) = ops::binary(op, scalar) else {
            return self.refuse(format!("operator `{}` on these types", op.spelling()), None);
        };
        let count = a.registers.len().max(b.registers.len());
        let pick = |value: &Value, i: usize| value.registers[if value.registers.len() == 1 { 0 } else { i }];
        let mut registers = Vec::with_capacity(count);
        self.note_begin(&[a, b]);
        for i in 0..count {
            let second = self.shift_amount(op, pick(b, i), scalar, b.ty.scalar())?;
            registers.push(self.binary_op(operation, pick(a, i), second, scalar)?);
        }
        let result = Value { ty, registers };
        self.note_end(&result);
        Ok(result)
    }

    /// Converts the amount of a shift to the width of the shifted operand; other operands are not changed.
    fn shift_amount(&mut self, op: BinaryOp, amount: Register, of: Scalar, is: Option<Scalar>) -> Lowered<Register> {
        match is {
            Some(is) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && is.is_64_bit() != of.is_64_bit() => {
                self.convert_one(amount, is, of)
            }
            _ => Ok(amount),
        }
    }

    /// Emits `==` or `!=`: values are equal if all their components are.
    fn equality(&mut self, equal: bool, a: Value, b: Value) -> Lowered<Value> {
        let (a, b) = self.meet(a, b)?;
        let kinds = self.scalars(a.ty)?;
        let mut result: Option<Register> = None;
        for (i, kind) in kinds.into_iter().enumerate() {
            let same = self.binary_op(ops::equal(kind), a.registers[i], b.registers[i], kind)?;
            result = Some(match result {
                None => same,
                Some(before) => self.two(Op2::And, before, same)?,
            });
        }
        let mut result = match result {
            Some(register) => register,
            None => self.word(1)?,
        };
        if !equal {
            result = self.float1(Op1::BNot, result)?;
        }
        Ok(Value { ty: Type::BOOL, registers: vec![result] })
    }

    /// Returns the component type of every scalar of a type, in order.
    pub(super) fn scalars(&self, ty: Type) -> Lowered<Vec<Scalar>> {
        if let Some(scalar) = ty.scalar() {
            return Ok(vec![scalar; ty.components() as usize]);
        }
        let types = &self.types;
        if let Some(array) = types.as_array(ty) {
            let element = self.scalars(array.element)?;
            let count = array.size.unwrap_or(0) as usize;
            return Ok(element.iter().copied().cycle().take(element.len() * count).collect());
        }
        let Some(structure) = types.as_struct(ty) else { return self.refuse("a value of this type", None) };
        let mut all = Vec::new();
        for field in &structure.fields {
            all.extend(self.scalars(field.ty)?);
        }
        Ok(all)
    }

    /// Returns the type of `left op right`, for compound assignments.
    pub(super) fn compound_type(&self, op: BinaryOp, left: Type, right: Type) -> Type {
        let (Some(x), Some(y)) = (left.scalar(), right.scalar()) else { return left };
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return left;
        }
        left.with_scalar(constant::common_scalar(x, y).unwrap_or(x))
    }
}

pub(super) fn is_matrix(ty: Type) -> bool {
    matches!(ty, Type::Matrix(..))
}
