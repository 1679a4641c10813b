//! Locations, components and captured bytes of types.

use std::collections::BTreeMap;

use crate::measure::{MAX_DEPTH, measure};
use crate::types::{Scalar, StructId, Type, TypeTable};

/// The number of locations that an input or output of this type takes (GLSL 4.60, 4.4.1); `None` for unsized arrays and
/// errors.
///
/// The language does not count the per-vertex array of a geometry or tessellation input: pass its element type.
#[must_use]
pub fn locations(types: &TypeTable, ty: Type, vertex_input: bool) -> Option<u32> {
    let vector = |scalar: Scalar, n: u8| if scalar.is_64_bit() && n > 2 && !vertex_input { 2 } else { 1 };
    sum(types, ty, &|leaf| match leaf {
        Type::Scalar(_) | Type::Opaque(_) => Some(1),
        Type::Vector(scalar, n) => Some(vector(scalar, n)),
        Type::Matrix(scalar, columns, rows) => Some(u64::from(columns) * vector(scalar, rows)),
        Type::Error | Type::Void | Type::Subroutine(_) | Type::Struct(_) | Type::Array(_) => None,
    })
}

/// The number of 32-bit components of an input or output of this type, for limits such as `gl_MaxVaryingComponents`.
#[must_use]
pub fn components_used(types: &TypeTable, ty: Type) -> Option<u32> {
    sum(types, ty, &|leaf| match leaf {
        Type::Opaque(_) => Some(2),
        _ => leaf.scalar().map(|scalar| u64::from(leaf.components()) * if scalar.is_64_bit() { 2 } else { 1 }),
    })
}

/// The number of locations that a default-block uniform of this type takes: one for every scalar, vector, matrix or
/// handle; array elements are counted separately (GL 4.6, 7.6).
#[must_use]
pub fn uniform_locations(types: &TypeTable, ty: Type) -> Option<u32> {
    sum(types, ty, &|leaf| if matches!(leaf, Type::Error | Type::Void | Type::Subroutine(_)) { None } else { Some(1) })
}

/// The number of bytes that transform feedback writes for an output of this type (GLSL 4.60, 4.4.2).
///
/// Components are aligned to their own size; an output with a 64-bit component takes a multiple of eight bytes.
#[must_use]
pub fn xfb_size(types: &TypeTable, ty: Type) -> Option<u32> {
    let run = Capture { types, known: BTreeMap::new() }.run(ty, 0, 0)?;
    u32::try_from(if run.wide { run.bytes.checked_next_multiple_of(8)? } else { run.bytes }).ok()
}

fn sum(types: &TypeTable, ty: Type, leaf: &dyn Fn(Type) -> Option<u64>) -> Option<u32> {
    u32::try_from(measure(types, ty, leaf)?).ok()
}

/// The size of a captured type, starting at an offset that is 0 or 4 modulo 8.
#[derive(Clone, Copy)]
struct Run {
    bytes: u64,
    /// Has 64-bit components.
    wide: bool,
}

struct Capture<'a> {
    types: &'a TypeTable,
    known: BTreeMap<(StructId, u64), Run>,
}

impl Capture<'_> {
    fn run(&mut self, ty: Type, phase: u64, depth: u32) -> Option<Run> {
        if depth > MAX_DEPTH {
            return None;
        }
        match ty {
            Type::Array(_) => {
                let array = self.types.as_array(ty)?;
                let count = u64::from(array.size?);
                if count == 0 {
                    return Some(Run { bytes: 0, wide: false });
                }
                // There are only two phases, so from the second element on the sizes repeat or alternate.
                let first = self.run(array.element, phase, depth + 1)?;
                let second = self.run(array.element, (phase + first.bytes) % 8, depth + 1)?;
                let alternates = (first.bytes + second.bytes).is_multiple_of(8);
                let repeats = if alternates { count / 2 } else { count - 1 };
                let bytes = second
                    .bytes
                    .checked_mul(repeats)?
                    .checked_add(first.bytes.checked_mul(if alternates { count.div_ceil(2) } else { 1 })?)?;
                Some(Run { bytes, wide: first.wide })
            }
            Type::Struct(id) => {
                if let Some(&known) = self.known.get(&(id, phase)) {
                    return Some(known);
                }
                let types = self.types;
                let mut run = Run { bytes: 0, wide: false };
                for field in &types.as_struct(ty)?.fields {
                    let next = self.run(field.ty, (phase + run.bytes) % 8, depth + 1)?;
                    run.bytes = run.bytes.checked_add(next.bytes)?;
                    run.wide |= next.wide;
                }
                self.known.insert((id, phase), run);
                Some(run)
            }
            Type::Error
            | Type::Void
            | Type::Subroutine(_)
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix(..)
            | Type::Opaque(_) => {
                let wide = ty.scalar()?.is_64_bit();
                let components = u64::from(ty.components());
                let bytes = if wide { phase + components * 8 } else { components * 4 };
                Some(Run { bytes, wide })
            }
        }
    }
}
