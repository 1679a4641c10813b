//! Expressions.

use lanes::Op1;
use shader::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use shader::constant::Constant;
use shader::typed::Target;
use shader::types::{Scalar, Type};

use super::place::Place;
use super::{Lower, Lowered, Value, ops};
use crate::ir::{Instruction, Register, Registers, Terminator};

impl Lower<'_> {
    /// Code that computes an expression.
    pub(super) fn expr(&mut self, id: ExprId) -> Lowered<Value> {
        let facts = *self.shader.typed.expr(id);
        if let Some(scalar) = self.wide_part(facts.ty) {
            return self.refuse(format!("`{scalar}`"), Some(id));
        }
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
        let len = self.len(constant.ty)?;
        let home = self.fresh(len)?;
        self.constant_into(home, constant);
        Ok(Value { ty: constant.ty, registers: home.iter().collect() })
    }

    pub(super) fn word(&mut self, bits: u32) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(Instruction::Constant(to, bits));
        Ok(to)
    }

    /// An operand whose value must survive what the operands after it do.
    pub(super) fn operand(&mut self, id: ExprId, later: &[ExprId]) -> Lowered<Value> {
        let value = self.expr(id)?;
        if later.iter().any(|&e| self.shader.typed.expr(e).side_effects) {
            return self.snapshot(&value);
        }
        Ok(value)
    }

    fn snapshot(&mut self, value: &Value) -> Lowered<Value> {
        let copy = self.fresh(value.registers.len() as u32)?;
        self.copy_all(copy, &value.registers);
        Ok(Value { ty: value.ty, registers: copy.iter().collect() })
    }

    /// A name, element or member read: of a place if it is one, else of a value.
    fn part(&mut self, id: ExprId) -> Lowered<Value> {
        if self.is_place(id) {
            let place = self.place(id)?;
            return self.load(&place);
        }
        let facts = *self.shader.typed.expr(id);
        match self.shader.tree.expr(id).kind {
            ExprKind::Index(base, index) => {
                let base_value = self.expr(base)?;
                // Elements of a value that lies nowhere are picked from a copy of it.
                let home = self.fresh(base_value.registers.len() as u32)?;
                self.copy_all(home, &base_value.registers);
                let place = self.index_place(&Place::whole(home, base_value.ty), index, facts.ty)?;
                self.load(&place)
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
        for &from in &value.registers {
            let to = self.one()?;
            self.emit(Instruction::Unary(operation, to, from));
            registers.push(to);
        }
        Ok(Value { ty: value.ty, registers })
    }

    fn increment(&mut self, op: UnaryOp, operand: ExprId) -> Lowered<Value> {
        let place = self.place(operand)?;
        let old = self.load(&place)?;
        let old = self.snapshot(&old)?;
        let scalar = old.ty.scalar().unwrap_or(Scalar::Int);
        let one = self.word(if scalar == Scalar::Float { 1f32.to_bits() } else { 1 })?;
        let one = Value { ty: Type::Scalar(scalar), registers: vec![one] };
        let increments = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
        let step = if increments { BinaryOp::Add } else { BinaryOp::Sub };
        let new = self.binary(step, old.clone(), one, old.ty)?;
        self.store(&place, &new)?;
        Ok(if matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement) { old } else { new })
    }

    fn assign(&mut self, op: Option<BinaryOp>, left: ExprId, right: ExprId) -> Lowered<Value> {
        let ty = self.shader.typed.expr(left).ty;
        let place = self.place(left)?;
        let value = self.expr(right)?;
        let value = match op {
            None => self.convert(value, ty)?,
            Some(op) => {
                let old = self.load(&place)?;
                let made = self.compound_type(op, ty, value.ty);
                let result = self.binary(op, old, value, made)?;
                self.convert(result, ty)?
            }
        };
        // `v = v.yx`: what is read must not be overwritten half-way.
        let value = self.snapshot(&value)?;
        self.store(&place, &value)?;
        Ok(value)
    }

    /// `&&` and `||` evaluate their right side only where it matters (GLSL 4.60, 5.9). Chains lean left and may be
    /// long, so they are taken apart with a list.
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

    /// Only the side that is taken is evaluated.
    fn conditional(&mut self, ty: Type, condition: ExprId, yes: ExprId, no: ExprId) -> Lowered<Value> {
        let condition = self.expr(condition)?;
        let len = if ty == Type::Void { 0 } else { self.len(ty)? };
        let result: Registers = self.fresh(len)?;
        let (then, otherwise, done) = (self.new_block(), self.new_block(), self.new_block());
        self.finish(Terminator::Branch(condition.registers[0], then, otherwise), then);
        for (side, next) in [(yes, otherwise), (no, done)] {
            let value = self.expr(side)?;
            let value = self.convert(value, ty)?;
            self.copy_all(result, &value.registers);
            self.finish(Terminator::Jump(done), next);
        }
        Ok(Value { ty, registers: result.iter().collect() })
    }

    /// A value as one of another type, where only the components' type differs.
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
        let (Some(source), Some(target)) = (ops::scalar(of), ops::scalar(to)) else {
            return self.refuse("a 64-bit conversion", None);
        };
        if source == target {
            return Ok(from);
        }
        let result = self.one()?;
        self.emit(Instruction::Convert(source, target, result, from));
        Ok(result)
    }
}
