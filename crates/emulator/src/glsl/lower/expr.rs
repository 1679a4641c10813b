//! Expressions.

use lanes::Op1;
use shader::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use shader::constant::Constant;
use shader::typed::Target;
use shader::types::{Scalar, Type};

use super::{Lower, Lowered, Value, ops};
use crate::ir::{Instruction, Register, Terminator};

impl Lower<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, id: ExprId) -> Lowered<Value> {
        let outer = self.origin.replace(id);
        let halves = self.halves;
        self.halves = self.in_half(id);
        let value = self.expr_inside(id);
        self.halves = false;
        let value = value.and_then(|value| self.least(id, value));
        self.halves = halves;
        self.origin = outer;
        value
    }

    fn expr_inside(&mut self, id: ExprId) -> Lowered<Value> {
        let facts = *self.shader.typed.expr(id);
        if let (Some(constant), false) = (facts.constant, facts.side_effects) {
            return self.constant(constant);
        }
        match self.shader.tree.expr(id).kind {
            ExprKind::Error => self.refuse("a broken expression", Some(id)),
            ExprKind::Literal(_) => self.refuse("this literal", Some(id)),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => self.part(id),
            ExprKind::Unary(op, operand) => self.unary(id, op, operand),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => self.short_circuit(id),
            ExprKind::Binary(op, left, right) => {
                let a = self.operand(left, &[right])?;
                let b = self.expr(right)?;
                self.binary(op, a, b, facts.ty)
            }
            ExprKind::Assign(op, left, right) => self.assign(op, left, right),
            ExprKind::Conditional(condition, yes, no) => self.conditional(facts.ty, condition, yes, no),
            ExprKind::Comma(left, right) => {
                self.expr(left)?;
                self.expr(right)
            }
            ExprKind::Call(_, arguments) => {
                let arguments = self.shader.tree.exprs_of(arguments).to_vec();
                self.call(id, &arguments)
            }
            ExprKind::Initializers(list) => {
                let elements = self.shader.tree.exprs_of(list).to_vec();
                self.construct(facts.ty, &elements)
            }
        }
    }

    pub(super) fn constant(&mut self, constant: Constant) -> Lowered<Value> {
        let value = self.fresh_value(constant.ty)?;
        self.constant_into(&value, constant)?;
        Ok(value)
    }

    pub(super) fn word(&mut self, bits: u32) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(Instruction::Constant(to, bits));
        Ok(to)
    }

    /// Emits a number as a component of a type.
    pub(super) fn number(&mut self, value: f64, scalar: Scalar) -> Lowered<Register> {
        let to = self.component(scalar)?;
        let bits = match scalar {
            Scalar::Float => u64::from((value as f32).to_bits()),
            Scalar::Double => value.to_bits(),
            _ => value as i64 as u64,
        };
        self.emit(Instruction::Constant(to, bits as u32));
        if scalar.is_64_bit() {
            self.emit(Instruction::Constant(Register(to.0 + 1), (bits >> 32) as u32));
        }
        Ok(to)
    }

    /// Returns a new register for a component, the first of two if it has 64 bits.
    pub(super) fn component(&mut self, scalar: Scalar) -> Lowered<Register> {
        Ok(self.fresh(if scalar.is_64_bit() { 2 } else { 1 })?.start)
    }

    /// Lowers an operand so that its value survives the side effects of later ones.
    pub(super) fn operand(&mut self, id: ExprId, later: &[ExprId]) -> Lowered<Value> {
        let value = self.expr(id)?;
        self.kept(value, later)
    }

    /// Copies a value if expressions evaluated later have side effects.
    pub(super) fn kept(&mut self, value: Value, later: &[ExprId]) -> Lowered<Value> {
        if later.iter().any(|&e| self.shader.typed.expr(e).side_effects) {
            return self.snapshot(&value);
        }
        Ok(value)
    }

    pub(super) fn snapshot(&mut self, value: &Value) -> Lowered<Value> {
        let copy = self.fresh_value(value.ty)?;
        self.copy_value(&copy, value)?;
        Ok(copy)
    }

    /// Lowers reading a name, element or member: from an lvalue if it is one, else from a value.
    fn part(&mut self, id: ExprId) -> Lowered<Value> {
        if self.is_lvalue(id) {
            let lvalue = self.lvalue(id)?;
            let value = self.load(&lvalue)?;
            self.note_read(id, &value);
            return Ok(value);
        }
        let facts = *self.shader.typed.expr(id);
        match self.shader.tree.expr(id).kind {
            ExprKind::Index(base, index) => {
                let base_value = self.expr(base)?;
                // Elements of a value that is no lvalue are read from a copy of it.
                let words = self.words(base_value.ty)?;
                let home = self.fresh(words)?;
                let copy = Value { ty: base_value.ty, registers: self.components(home, base_value.ty)? };
                self.copy_value(&copy, &base_value)?;
                let lvalue = self.whole(home, base_value.ty)?;
                let lvalue = self.index_lvalue(lvalue, index, facts.ty)?;
                self.load(&lvalue)
            }
            ExprKind::Field(base, _) => {
                let value = self.expr(base)?;
                let registers = match facts.target {
                    Target::Swizzle(swizzle) => {
                        swizzle.components().iter().map(|&c| value.registers[c as usize]).collect()
                    }
                    Target::Member(member) => {
                        let (offset, len) = self.member_range(value.ty, member)?;
                        value.registers[offset as usize..(offset + len) as usize].to_vec()
                    }
                    _ => return self.refuse("this member", Some(id)),
                };
                Ok(Value { ty: facts.ty, registers })
            }
            _ => self.refuse("this name", Some(id)),
        }
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> Lowered<Value> {
        if op.assigns() {
            return self.increment(op, operand);
        }
        let value = self.expr(operand)?;
        let Some(scalar) = value.ty.scalar() else { return self.refuse("this operator", Some(id)) };
        let operation = match op {
            UnaryOp::Plus => return Ok(value),
            UnaryOp::Minus => ops::negate(scalar),
            UnaryOp::Not => Op1::BNot,
            _ => Op1::INot,
        };
        let mut registers = Vec::with_capacity(value.registers.len());
        self.note_begin(&[&value]);
        for &from in &value.registers {
            registers.push(self.unary_op(operation, from, scalar)?);
        }
        let result = Value { ty: value.ty, registers };
        self.note_end(&result);
        Ok(result)
    }

    fn increment(&mut self, op: UnaryOp, operand: ExprId) -> Lowered<Value> {
        let lvalue = self.lvalue(operand)?;
        let old = self.load(&lvalue)?;
        self.note_read(operand, &old);
        let old = self.snapshot(&old)?;
        let scalar = old.ty.scalar().unwrap_or(Scalar::Int);
        let one = self.number(1.0, scalar)?;
        let one = Value { ty: Type::Scalar(scalar), registers: vec![one] };
        let increments = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
        let step = if increments { BinaryOp::Add } else { BinaryOp::Sub };
        let new = self.binary(step, old.clone(), one, old.ty)?;
        let new = self.least(operand, new)?;
        self.store(&lvalue, &new)?;
        Ok(if matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement) { old } else { new })
    }

    fn assign(&mut self, op: Option<BinaryOp>, left: ExprId, right: ExprId) -> Lowered<Value> {
        let ty = self.shader.typed.expr(left).ty;
        let lvalue = self.lvalue(left)?;
        let value = self.expr(right)?;
        let value = match op {
            None => self.convert(value, ty)?,
            Some(op) => {
                let old = self.load(&lvalue)?;
                self.note_read(left, &old);
                let made = self.compound_type(op, ty, value.ty);
                let result = self.binary(op, old, value, made)?;
                self.convert(result, ty)?
            }
        };
        let value = self.least(left, value)?;
        // In `v = v.yx` nothing may be overwritten before it is read.
        let value = self.snapshot(&value)?;
        self.store(&lvalue, &value)?;
        Ok(value)
    }

    /// Lowers `&&` and `||`, which evaluate their right side only if needed (GLSL 4.60, 5.9). Chains nest on the left and
    /// may be long, so they are processed as a list.
    fn short_circuit(&mut self, id: ExprId) -> Lowered<Value> {
        let mut chain = Vec::new();
        let mut at = id;
        while let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) = self.shader.tree.expr(at).kind {
            if self.shader.typed.expr(at).constant.is_some() {
                break;
            }
            chain.push((op, right));
            at = left;
        }
        let first = self.expr(at)?;
        let result = self.one()?;
        self.emit(Instruction::Copy(result, first.registers[0]));
        for (op, right) in chain.into_iter().rev() {
            let more = self.new_block();
            let done = self.new_block();
            let branch = match op {
                BinaryOp::And => Terminator::Branch(result, more, done),
                _ => Terminator::Branch(result, done, more),
            };
            self.finish(branch, more);
            let value = self.expr(right)?;
            self.emit(Instruction::Copy(result, value.registers[0]));
            self.finish(Terminator::Jump(done), done);
        }
        Ok(Value { ty: Type::BOOL, registers: vec![result] })
    }

    /// Lowers `?:`, of which only one side is evaluated.
    fn conditional(&mut self, ty: Type, condition: ExprId, yes: ExprId, no: ExprId) -> Lowered<Value> {
        let condition = self.expr(condition)?;
        let result = self.fresh_value(ty)?;
        let (then, otherwise, done) = (self.new_block(), self.new_block(), self.new_block());
        self.finish(Terminator::Branch(condition.registers[0], then, otherwise), then);
        for (side, next) in [(yes, otherwise), (no, done)] {
            let value = self.expr(side)?;
            let value = self.convert(value, ty)?;
            self.copy_value(&result, &value)?;
            self.finish(Terminator::Jump(done), next);
        }
        Ok(result)
    }

    /// Emits the conversion of a value to a type that differs only in its components' type.
    pub(super) fn convert(&mut self, value: Value, to: Type) -> Lowered<Value> {
        let (Some(from), Some(wanted)) = (value.ty.scalar(), to.scalar()) else { return Ok(value) };
        if from == wanted {
            return Ok(value);
        }
        let mut registers = Vec::with_capacity(value.registers.len());
        for &register in &value.registers {
            registers.push(self.convert_one(register, from, wanted)?);
        }
        Ok(Value { ty: value.ty.with_scalar(wanted), registers })
    }

    pub(super) fn convert_one(&mut self, from: Register, of: Scalar, to: Scalar) -> Lowered<Register> {
        let (source, target) = (ops::scalar(of), ops::scalar(to));
        if source == target {
            return Ok(from);
        }
        let result = self.component(to)?;
        self.emit(Instruction::Convert(source, target, result, from));
        Ok(result)
    }
}
