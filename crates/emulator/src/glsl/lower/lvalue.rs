//! LValues: variables and parts of them that can be read and written.

use lanes::Op2;
use shader::ast::{ExprId, ExprKind};
use shader::typed::Target;
use shader::types::Type;

use super::memory::MemoryLValue;
use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register, Registers};

/// A variable or part of one, in registers or in memory.
#[derive(Clone, Debug)]
pub(super) enum LValue {
    Registers(RegisterLValue),
    Memory(MemoryLValue),
}

/// Some components of a variable in registers: constant offsets from its start, plus an index known at run time.
#[derive(Clone, Debug)]
pub(super) struct RegisterLValue {
    home: Registers,
    /// The offset of each component, in registers.
    offsets: Vec<u32>,
    index: Option<Register>,
    pub(super) ty: Type,
    /// The index of the one component that is meant, if it is known only at run time and the components do not lie evenly.
    picked: Option<Register>,
}

impl Lower<'_> {
    /// Returns the lvalue of a whole run of registers.
    pub(super) fn whole(&self, home: Registers, ty: Type) -> Lowered<LValue> {
        let components = self.components(home, ty)?;
        let offsets = components.iter().map(|r| r.0 - home.start.0).collect();
        Ok(LValue::Registers(RegisterLValue { home, offsets, index: None, ty, picked: None }))
    }

    /// Returns whether an expression names a variable or part of one.
    pub(super) fn is_lvalue(&self, id: ExprId) -> bool {
        let mut at = id;
        loop {
            at = match self.shader.tree.expr(at).kind {
                ExprKind::Paren(e) | ExprKind::Index(e, _) | ExprKind::Field(e, _) => e,
                ExprKind::Name(_) => return matches!(self.shader.typed.expr(at).target, Target::Variable(_)),
                _ => return false,
            };
        }
    }

    /// Returns the lvalue that an expression names; indices in it are evaluated here, once.
    pub(super) fn lvalue(&mut self, id: ExprId) -> Lowered<LValue> {
        let facts = *self.shader.typed.expr(id);
        match self.shader.tree.expr(id).kind {
            ExprKind::Paren(inner) => self.lvalue(inner),
            ExprKind::Name(_) => match facts.target {
                Target::Variable(variable) => {
                    if let Some(lvalue) = self.in_memory(variable)? {
                        return Ok(LValue::Memory(lvalue));
                    }
                    let home = self.variable(variable)?;
                    let ty = self.variable_types[variable.0 as usize];
                    self.whole(home, ty)
                }
                _ => self.refuse("this name", Some(id)),
            },
            ExprKind::Index(base, index) => {
                let lvalue = self.lvalue(base)?;
                let outer = self.origin.replace(id);
                let element = self.index_lvalue(lvalue, index, facts.ty);
                self.origin = outer;
                element
            }
            ExprKind::Field(base, _) => {
                let lvalue = self.lvalue(base)?;
                match (lvalue, facts.target) {
                    (LValue::Memory(lvalue), target) => Ok(LValue::Memory(self.memory_part(lvalue, target, facts.ty)?)),
                    (LValue::Registers(mut lvalue), Target::Swizzle(swizzle)) => {
                        lvalue.offsets = swizzle.components().iter().map(|&c| lvalue.offsets[c as usize]).collect();
                        lvalue.ty = facts.ty;
                        Ok(LValue::Registers(lvalue))
                    }
                    (LValue::Registers(mut lvalue), Target::Member(member)) => {
                        let (offset, len) = self.member_range(lvalue.ty, member)?;
                        lvalue.offsets = lvalue.offsets[offset as usize..(offset + len) as usize].to_vec();
                        lvalue.ty = self.types.as_struct(lvalue.ty).map_or(facts.ty, |s| s.fields[member as usize].ty);
                        Ok(LValue::Registers(lvalue))
                    }
                    _ => self.refuse("this member", Some(id)),
                }
            }
            _ => self.refuse("this as an lvalue", Some(id)),
        }
    }

    /// Returns an index as a register, or as `Err` if it is constant.
    pub(super) fn index_value(&mut self, index: ExprId) -> Lowered<Result<Register, i64>> {
        let constant = self.shader.typed.expr(index).constant;
        if let Some(at) = constant.and_then(|c| self.shader.typed.constants.as_i64(c)) {
            return Ok(Err(at));
        }
        Ok(Ok(self.expr(index)?.registers[0]))
    }

    /// Returns the lvalue of an element. An index out of bounds means the last element: what the language leaves undefined
    /// must have some value here, the same everywhere.
    pub(super) fn index_lvalue(&mut self, lvalue: LValue, index: ExprId, element: Type) -> Lowered<LValue> {
        let lvalue = match lvalue {
            LValue::Registers(lvalue) => lvalue,
            LValue::Memory(lvalue) => return Ok(LValue::Memory(self.memory_element(&lvalue, index, element)?)),
        };
        let len = self.component_count(element)?;
        let count = (lvalue.offsets.len() as u32).checked_div(len).unwrap_or(0);
        let at = match self.index_value(index)? {
            Err(known) => {
                let at = u32::try_from(known).unwrap_or(0).min(count.saturating_sub(1)) * len;
                let Some(offsets) = lvalue.offsets.get(at as usize..(at + len) as usize) else {
                    return self.refuse("an element of nothing", Some(index));
                };
                return Ok(LValue::Registers(RegisterLValue { offsets: offsets.to_vec(), ty: element, ..lvalue }));
            }
            Ok(register) => register,
        };
        let bounded = self.one()?;
        self.emit(Instruction::Bound(bounded, at, count));
        // Components of a swizzle do not lie evenly; the component is chosen when it is read or written.
        let words = self.words(element)?;
        let even = lvalue.offsets.windows(2).all(|pair| pair[1] > pair[0]) && spaced(&lvalue.offsets, len, words);
        if !even {
            return Ok(LValue::Registers(RegisterLValue { picked: Some(bounded), ty: element, ..lvalue }));
        }
        let stride = self.word(words)?;
        let scaled = self.two(Op2::IMul, bounded, stride)?;
        let index = match lvalue.index {
            None => scaled,
            Some(outer) => self.two(Op2::IAdd, outer, scaled)?,
        };
        let offsets = lvalue.offsets.iter().take(len as usize).copied().collect();
        Ok(LValue::Registers(RegisterLValue { offsets, index: Some(index), ty: element, ..lvalue }))
    }

    /// Returns the offset and length of a member, in components.
    pub(super) fn member_range(&self, ty: Type, member: u32) -> Lowered<(u32, u32)> {
        let Some(structure) = self.types.as_struct(ty) else { return self.refuse("this member", None) };
        let mut offset = 0;
        for field in &structure.fields[..member as usize] {
            offset += self.component_count(field.ty)?;
        }
        Ok((offset, self.component_count(structure.fields[member as usize].ty)?))
    }

    pub(super) fn load(&mut self, lvalue: &LValue) -> Lowered<Value> {
        let lvalue = match lvalue {
            LValue::Registers(lvalue) => lvalue,
            LValue::Memory(lvalue) => return self.load_memory(lvalue),
        };
        let wide = self.widths(lvalue.ty)?;
        if let Some(picked) = lvalue.picked {
            // Exactly one index matches, because it is clamped.
            let mut result = self.load_at(lvalue, lvalue.offsets[0], wide[0])?;
            for (i, &offset) in lvalue.offsets.iter().enumerate().skip(1) {
                let candidate = self.load_at(lvalue, offset, wide[0])?;
                let number = self.word(i as u32)?;
                let here = self.two(lanes::Test2::IEq, picked, number)?;
                result = self.choose(here, candidate, result, wide[0])?;
            }
            return Ok(Value { ty: lvalue.ty, registers: vec![result] });
        }
        let mut registers = Vec::with_capacity(lvalue.offsets.len());
        for (&offset, &wide) in lvalue.offsets.iter().zip(&wide) {
            registers.push(self.load_at(lvalue, offset, wide)?);
        }
        Ok(Value { ty: lvalue.ty, registers })
    }

    /// Returns the same lvalue in a copy of its variable, in which each register is computed from the original by an
    /// instruction.
    pub(super) fn rehomed(
        &mut self,
        lvalue: &RegisterLValue,
        make: impl Fn(Register, Register) -> Instruction,
    ) -> Lowered<LValue> {
        let home = self.fresh(lvalue.home.len)?;
        let moves = lvalue.index.is_some();
        for offset in 0..home.len {
            if moves || lvalue.offsets.contains(&offset) {
                self.emit(make(home.at(offset), lvalue.home.at(offset)));
            }
        }
        Ok(LValue::Registers(RegisterLValue { home, ..lvalue.clone() }))
    }

    fn load_at(&mut self, lvalue: &RegisterLValue, offset: u32, wide: bool) -> Lowered<Register> {
        let Some(index) = lvalue.index else { return Ok(lvalue.home.at(offset)) };
        let words = 1 + u32::from(wide);
        let to = self.fresh(words)?;
        for half in 0..words {
            let from = tail(lvalue.home, offset + half);
            self.emit(Instruction::Load { to: to.at(half), from, index });
        }
        Ok(to.start)
    }

    pub(super) fn store(&mut self, lvalue: &LValue, value: &Value) -> Lowered<()> {
        let lvalue = match lvalue {
            LValue::Registers(lvalue) => lvalue,
            LValue::Memory(lvalue) => return self.store_memory(lvalue, value),
        };
        let wide = self.widths(lvalue.ty)?;
        if let Some(picked) = lvalue.picked {
            for (i, &offset) in lvalue.offsets.iter().enumerate() {
                let old = self.load_at(lvalue, offset, wide[0])?;
                let number = self.word(i as u32)?;
                let here = self.two(lanes::Test2::IEq, picked, number)?;
                let new = self.choose(here, value.registers[0], old, wide[0])?;
                self.store_at(lvalue, offset, new, wide[0]);
            }
            return Ok(());
        }
        for ((&offset, &from), &wide) in lvalue.offsets.iter().zip(&value.registers).zip(&wide) {
            self.store_at(lvalue, offset, from, wide);
        }
        Ok(())
    }

    fn store_at(&mut self, lvalue: &RegisterLValue, offset: u32, from: Register, wide: bool) {
        for half in 0..=u32::from(wide) {
            let from = Register(from.0 + half);
            self.emit(match lvalue.index {
                None => Instruction::Copy(lvalue.home.at(offset + half), from),
                Some(index) => Instruction::Store { to: tail(lvalue.home, offset + half), index, from },
            });
        }
    }

    /// Emits `condition ? yes : no` of one component.
    pub(super) fn choose(&mut self, condition: Register, yes: Register, no: Register, wide: bool) -> Lowered<Register> {
        let words = 1 + u32::from(wide);
        let to = self.fresh(words)?;
        for half in 0..words {
            let (yes, no) = (Register(yes.0 + half), Register(no.0 + half));
            self.emit(Instruction::Select(to.at(half), condition, yes, no));
        }
        Ok(to.start)
    }
}

/// Returns the part of a run from an offset on.
fn tail(run: Registers, offset: u32) -> Registers {
    Registers { start: run.at(offset), len: run.len - offset }
}

/// Returns whether every element of `len` components begins `words` after the previous one.
fn spaced(offsets: &[u32], len: u32, words: u32) -> bool {
    let starts: Vec<u32> = offsets.iter().step_by(len.max(1) as usize).copied().collect();
    starts.windows(2).all(|pair| pair[1] == pair[0] + words)
}
