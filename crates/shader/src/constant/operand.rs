//! A scalar, vector or matrix constant, loaded from the pool for computation.

use crate::constant::{Constant, ConstantPool, convert};
use crate::types::{Scalar, Type};

/// Up to sixteen components and their type.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub ty: Type,
    pub scalar: Scalar,
    pub len: usize,
    words: [u64; 16],
}

impl Operand {
    /// Reads a constant; `None` for arrays and structures.
    pub fn load(pool: &ConstantPool, constant: Constant) -> Option<Operand> {
        let scalar = constant.ty.scalar()?;
        let from = pool.components(constant);
        let mut words = [0; 16];
        words.get_mut(..from.len())?.copy_from_slice(from);
        let len = constant.ty.components() as usize;
        (len == from.len()).then_some(Operand { ty: constant.ty, scalar, len, words })
    }

    /// A result to fill in; `None` when the type has no components.
    pub fn zero(ty: Type) -> Option<Operand> {
        let len = ty.components() as usize;
        (len <= 16).then_some(Operand { ty, scalar: ty.scalar()?, len, words: [0; 16] })
    }

    /// A component; a scalar returns its only one for every index.
    pub fn get(&self, index: usize) -> u64 {
        if self.len == 1 { self.words[0] } else { self.words.get(index).copied().unwrap_or(0) }
    }

    /// Sets a component.
    pub fn set(&mut self, index: usize, word: u64) {
        if let Some(slot) = self.words.get_mut(index) {
            *slot = word;
        }
    }

    /// All components.
    pub fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }

    /// The same shape with components of another type.
    pub fn converted(mut self, to: Scalar) -> Operand {
        if self.scalar != to {
            for word in &mut self.words[..self.len] {
                *word = convert(self.scalar, to, *word);
            }
            self.scalar = to;
            self.ty = self.ty.with_scalar(to);
        }
        self
    }

    /// Computes every component of a result of this type.
    pub fn fill(ty: Type, mut component: impl FnMut(usize) -> u64) -> Option<Operand> {
        let mut result = Operand::zero(ty)?;
        for index in 0..result.len {
            result.words[index] = component(index);
        }
        Some(result)
    }

    /// Writes it to the pool.
    pub fn store(&self, pool: &mut ConstantPool) -> Constant {
        pool.push(self.ty, self.words())
    }
}
