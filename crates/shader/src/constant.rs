//! Values of constant expressions.
//!
//! A [`Constant`] is a type and a range of a [`ConstantPool`], so it is cheap to copy. The pool holds one 64-bit word
//! per scalar component, in order: matrices column by column, arrays element by element, structures member by member.
//! Taking an element or a member therefore copies nothing.
//!
//! The word is the bit pattern of the scalar: zero or one for `bool`, 32 bits zero-extended for `int`, `uint` and
//! `float`, all 64 for the others. Nothing here normalises NaNs or negative zeros.

mod construct;
mod convert;
mod function;
mod operand;
mod operator;

use crate::measure::measure;
use crate::types::{Scalar, Type, TypeTable};

pub use construct::{coerce, construct};
pub use convert::convert;
pub use function::call;
pub use operator::{binary, common_scalar, unary};

/// A value known at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    start: u32,
    len: u32,
}

/// Storage of the constants of one shader.
#[derive(Clone, Debug, Default)]
pub struct ConstantPool {
    bits: Vec<u64>,
}

/// Why an operation on constants has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldError {
    /// An integer was divided by zero.
    DivisionByZero,
    /// The operands do not fit the operator or the result type; the type checker has reported why.
    Mismatch,
}

/// The maximum number of scalars in a constant. A look-up table written out in a shader has a few thousand; the limit
/// is for arrays built from arrays, which double with every line of source.
pub const MAX_SCALARS: u32 = 1 << 16;

/// The maximum number of words for all aggregates of a shader.
const MAX_POOL: usize = 1 << 22;

impl ConstantPool {
    /// The words of a constant, one per scalar component.
    #[must_use]
    pub fn components(&self, constant: Constant) -> &[u64] {
        let start = constant.start as usize;
        self.bits.get(start..start + constant.len as usize).unwrap_or(&[])
    }

    /// A constant of any type from its words, one per scalar.
    pub fn push(&mut self, ty: Type, words: &[u64]) -> Constant {
        let start = self.bits.len() as u32;
        self.bits.extend_from_slice(words);
        Constant { ty, start, len: words.len() as u32 }
    }

    /// An `int`.
    pub fn int(&mut self, value: i32) -> Constant {
        self.push(Type::INT, &[u64::from(value as u32)])
    }

    /// A `uint`.
    pub fn uint(&mut self, value: u32) -> Constant {
        self.push(Type::UINT, &[u64::from(value)])
    }

    /// A `float`.
    pub fn float(&mut self, value: f32) -> Constant {
        self.push(Type::FLOAT, &[u64::from(value.to_bits())])
    }

    /// A `double`.
    pub fn double(&mut self, value: f64) -> Constant {
        self.push(Type::DOUBLE, &[value.to_bits()])
    }

    /// A `bool`.
    pub fn bool(&mut self, value: bool) -> Constant {
        self.push(Type::BOOL, &[u64::from(value)])
    }

    /// An `int64_t`.
    pub fn int64(&mut self, value: i64) -> Constant {
        self.push(Type::Scalar(Scalar::Int64), &[value as u64])
    }

    /// A `uint64_t`.
    pub fn uint64(&mut self, value: u64) -> Constant {
        self.push(Type::Scalar(Scalar::Uint64), &[value])
    }

    /// The value of an integer scalar, unless it is a `uint64_t` that does not fit.
    #[must_use]
    pub fn as_i64(&self, constant: Constant) -> Option<i64> {
        let &[word] = self.components(constant) else { return None };
        match constant.ty {
            Type::Scalar(Scalar::Int) => Some(i64::from(word as u32 as i32)),
            Type::Scalar(Scalar::Uint) => Some(i64::from(word as u32)),
            Type::Scalar(Scalar::Int64) => Some(word as i64),
            Type::Scalar(Scalar::Uint64) => i64::try_from(word).ok(),
            _ => None,
        }
    }

    /// The value of a `bool`.
    #[must_use]
    pub fn as_bool(&self, constant: Constant) -> Option<bool> {
        match (constant.ty, self.components(constant)) {
            (Type::BOOL, &[word]) => Some(word != 0),
            _ => None,
        }
    }

    /// The value of a `float` or `double`.
    #[must_use]
    pub fn as_f64(&self, constant: Constant) -> Option<f64> {
        match (constant.ty, self.components(constant)) {
            (Type::FLOAT, &[word]) => Some(f64::from(f32::from_bits(word as u32))),
            (Type::DOUBLE, &[word]) => Some(f64::from_bits(word)),
            _ => None,
        }
    }

    /// Reserves space for an aggregate; `None` if the shader's constants exceed the limit.
    fn reserve(&self, scalars: u32) -> Option<()> {
        (scalars <= MAX_SCALARS && self.bits.len() + scalars as usize <= MAX_POOL).then_some(())
    }
}

/// Number of scalars in a value of this type; `None` for types without constants (opaque, unsized) and for
/// those too large to be worth folding.
#[must_use]
pub fn flat_len(types: &TypeTable, ty: Type) -> Option<u32> {
    let leaf = |ty: Type| ty.scalar().map(|_| u64::from(ty.components()));
    let scalars = u32::try_from(measure(types, ty, &leaf)?).ok()?;
    (scalars <= MAX_SCALARS).then_some(scalars)
}

/// The selected components of a vector or scalar, as in `.xxy`; `None` if one does not exist.
pub fn swizzle(pool: &mut ConstantPool, constant: Constant, selection: &[u8]) -> Option<Constant> {
    let (Type::Scalar(scalar) | Type::Vector(scalar, _)) = constant.ty else { return None };
    if selection.is_empty() || selection.len() > 4 {
        return None;
    }
    let words = pool.components(constant);
    let mut chosen = [0; 4];
    for (to, &from) in chosen.iter_mut().zip(selection) {
        *to = *words.get(usize::from(from))?;
    }
    let ty = Type::vector(scalar, selection.len() as u8);
    Some(pool.push(ty, &chosen[..selection.len()]))
}

/// Element of an array, column of a matrix or component of a vector; `None` when out of bounds.
#[must_use]
pub fn index(types: &TypeTable, constant: Constant, index: u32) -> Option<Constant> {
    let (ty, count) = match constant.ty {
        Type::Vector(scalar, n) => (Type::Scalar(scalar), u32::from(n)),
        Type::Matrix(scalar, columns, rows) => (Type::vector(scalar, rows), u32::from(columns)),
        Type::Array(_) => {
            let array = types.as_array(constant.ty)?;
            (array.element, array.size?)
        }
        Type::Error | Type::Void | Type::Subroutine(_) | Type::Scalar(_) | Type::Opaque(_) | Type::Struct(_) => {
            return None;
        }
    };
    if index >= count {
        return None;
    }
    let len = constant.len / count;
    Some(Constant { ty, start: constant.start + index * len, len })
}

/// A member of a structure by index; `None` if it does not exist.
#[must_use]
pub fn field(types: &TypeTable, constant: Constant, field: usize) -> Option<Constant> {
    let fields = &types.as_struct(constant.ty)?.fields;
    let ty = fields.get(field)?.ty;
    let mut before = 0;
    for field in &fields[..field] {
        before += flat_len(types, field.ty)?;
    }
    field_at(types, constant, ty, before)
}

/// The part of a structure's value with this type, after `before` scalars.
pub(crate) fn field_at(types: &TypeTable, constant: Constant, ty: Type, before: u32) -> Option<Constant> {
    let len = flat_len(types, ty)?;
    (before.checked_add(len)? <= constant.len).then_some(Constant { ty, start: constant.start + before, len })
}

#[cfg(test)]
mod tests;
