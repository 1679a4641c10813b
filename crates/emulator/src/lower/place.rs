//! Places: what can be read and written in parts.

use lanes::Op2;
use shader::ast::{ExprId, ExprKind};
use shader::typed::Target;
use shader::types::Type;

use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register, Registers};

/// Some registers of a variable: fixed offsets from its start, all moved by an index known at run time.
#[derive(Clone, Debug)]
pub(super) struct Place {
    home: Registers,
    offsets: Vec<u32>,
    index: Option<Register>,
    ty: Type,
    /// A copy: reading it is fine, writing it would be lost.
    copy: bool,
}

impl Place {
    /// All of a run of registers.
    pub(super) fn whole(home: Registers, ty: Type) -> Place {
        Place { home, offsets: (0..home.len).collect(), index: None, ty, copy: false }
    }
}

impl Lower<'_> {
    /// Whether an expression names part of a variable.
    pub(super) fn is_place(&self, id: ExprId) -> bool {
        let mut at = id;
        loop {
            at = match self.shader.tree.expr(at).kind {
                ExprKind::Paren(e) | ExprKind::Index(e, _) | ExprKind::Field(e, _) => e,
                ExprKind::Name(_) => return matches!(self.shader.typed.expr(at).target, Target::Variable(_)),
                _ => return false,
            };
        }
    }

    /// The place an expression names; indices in it are evaluated here, once.
    pub(super) fn place(&mut self, id: ExprId) -> Lowered<Place> {
        let facts = *self.shader.typed.expr(id);
        match self.shader.tree.expr(id).kind {
            ExprKind::Paren(inner) => self.place(inner),
            ExprKind::Name(_) => match facts.target {
                Target::Variable(variable) => {
                    let home = self.variable(variable)?;
                    Ok(Place::whole(home, facts.ty))
                }
                _ => self.refuse("this name", Some(id)),
            },
            ExprKind::Index(base, index) => {
                let place = self.place(base)?;
                self.index_place(&place, index, facts.ty)
            }
            ExprKind::Field(base, _) => {
                let mut place = self.place(base)?;
                place.offsets = match facts.target {
                    Target::Swizzle(swizzle) => {
                        swizzle.components().iter().map(|&c| place.offsets[c as usize]).collect()
                    }
                    Target::Member(member) => {
                        let (offset, len) = self.member_range(place.ty, member)?;
                        place.offsets[offset as usize..(offset + len) as usize].to_vec()
                    }
                    _ => return self.refuse("this member", Some(id)),
                };
                place.ty = facts.ty;
                Ok(place)
            }
            _ => self.refuse("this as a place", Some(id)),
        }
    }

    /// An element of a place. Indices outside the array are those of its last element: what the language leaves
    /// undefined must still be something, and the same everywhere.
    pub(super) fn index_place(&mut self, place: &Place, index: ExprId, element: Type) -> Lowered<Place> {
        let len = self.len(element)?;
        let count = (place.offsets.len() as u32).checked_div(len).unwrap_or(0);
        let constant = self.shader.typed.expr(index).constant;
        if let Some(at) = constant.and_then(|c| self.shader.typed.constants.as_i64(c)) {
            let at = u32::try_from(at).unwrap_or(0).min(count.saturating_sub(1)) * len;
            let offsets = place.offsets[at as usize..(at + len) as usize].to_vec();
            return Ok(Place { offsets, ty: element, ..place.clone() });
        }
        // Swizzled vectors are not evenly spaced; pick them apart through a copy.
        if !evenly_spaced(&place.offsets) {
            let value = self.load(place)?;
            let copy = self.fresh(value.registers.len() as u32)?;
            self.copy_all(copy, &value.registers);
            let detached = Place { copy: true, ..Place::whole(copy, value.ty) };
            return self.index_place(&detached, index, element);
        }
        let at = self.expr(index)?.registers[0];
        let last = self.word(count.saturating_sub(1))?;
        let stride = self.word(len)?;
        let (clamped, scaled) = (self.one()?, self.one()?);
        self.emit(Instruction::Binary(Op2::UMin, clamped, at, last));
        self.emit(Instruction::Binary(Op2::IMul, scaled, clamped, stride));
        let index = match place.index {
            None => scaled,
            Some(outer) => {
                let sum = self.one()?;
                self.emit(Instruction::Binary(Op2::IAdd, sum, outer, scaled));
                sum
            }
        };
        let offsets = place.offsets[..len as usize].to_vec();
        Ok(Place { offsets, index: Some(index), ty: element, ..place.clone() })
    }

    /// Offset and length of a member, in scalars.
    pub(super) fn member_range(&self, ty: Type, member: u32) -> Lowered<(u32, u32)> {
        let Some(structure) = self.shader.typed.types.as_struct(ty) else { return self.refuse("this member", None) };
        let mut offset = 0;
        for field in &structure.fields[..member as usize] {
            offset += self.len(field.ty)?;
        }
        Ok((offset, self.len(structure.fields[member as usize].ty)?))
    }

    pub(super) fn load(&mut self, place: &Place) -> Lowered<Value> {
        let mut registers = Vec::with_capacity(place.offsets.len());
        for &offset in &place.offsets {
            registers.push(match place.index {
                None => place.home.at(offset),
                Some(index) => {
                    let to = self.one()?;
                    let from = tail(place.home, offset);
                    self.emit(Instruction::Load { to, from, index });
                    to
                }
            });
        }
        Ok(Value { ty: place.ty, registers })
    }

    pub(super) fn store(&mut self, place: &Place, value: &Value) -> Lowered<()> {
        if place.copy {
            return self.refuse("an assignment to a swizzle indexed at run time", None);
        }
        for (&offset, &from) in place.offsets.iter().zip(&value.registers) {
            self.emit(match place.index {
                None => Instruction::Copy(place.home.at(offset), from),
                Some(index) => Instruction::Store { to: tail(place.home, offset), index, from },
            });
        }
        Ok(())
    }
}

/// The part of a run from an offset on.
fn tail(run: Registers, offset: u32) -> Registers {
    Registers { start: run.at(offset), len: run.len - offset }
}

fn evenly_spaced(offsets: &[u32]) -> bool {
    offsets.windows(2).all(|pair| pair[1] == pair[0] + 1)
}
