//! Sums over all scalar, vector, matrix and opaque leaves of a type.
//!
//! A dozen nested structures of arrays can have an astronomical number of leaves, so the sum is computed once per
//! structure and memoised, never by visiting each leaf.

use std::collections::BTreeMap;

use crate::types::{StructId, Type, TypeTable};

/// The maximum nesting depth of structures and arrays that can be measured.
pub(crate) const MAX_DEPTH: u32 = 128;

/// Sums `leaf` over all leaves of `ty`; `None` if a leaf has no measure, an array is unsized, the nesting is too deep,
/// or the sum overflows.
pub(crate) fn measure(types: &TypeTable, ty: Type, leaf: &dyn Fn(Type) -> Option<u64>) -> Option<u64> {
    Walk { types, leaf, known: BTreeMap::new() }.measure(ty, 0)
}

struct Walk<'a> {
    types: &'a TypeTable,
    leaf: &'a dyn Fn(Type) -> Option<u64>,
    known: BTreeMap<StructId, u64>,
}

impl Walk<'_> {
    fn measure(&mut self, ty: Type, depth: u32) -> Option<u64> {
        if depth > MAX_DEPTH {
            return None;
        }
        match ty {
            Type::Array(_) => {
                let array = self.types.as_array(ty)?;
                self.measure(array.element, depth + 1)?.checked_mul(u64::from(array.size?))
            }
            Type::Struct(id) => {
                if let Some(&known) = self.known.get(&id) {
                    return Some(known);
                }
                let mut sum = 0u64;
                for field in &self.types.as_struct(ty)?.fields {
                    sum = sum.checked_add(self.measure(field.ty, depth + 1)?)?;
                }
                self.known.insert(id, sum);
                Some(sum)
            }
            Type::Error
            | Type::Void
            | Type::Subroutine(_)
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix(..)
            | Type::Opaque(_) => (self.leaf)(ty),
        }
    }
}
