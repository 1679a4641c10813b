//! Size and base alignment of types in memory (GL 4.6, 7.6.2.2).

use std::collections::BTreeMap;

use crate::layout::{LayoutProblem, MAX_SIZE};
use crate::measure::MAX_DEPTH;
use crate::qualifier::Packing;
use crate::types::{Scalar, StructId, Type, TypeTable};

/// Size and base alignment in bytes of a type in a block; `None` if it has no memory layout.
#[must_use]
pub fn size_align(types: &TypeTable, ty: Type, packing: Packing, row_major: bool) -> Option<(u32, u32)> {
    let place = Sizer::new(types, packing).size_align(ty, row_major, 0).ok()?;
    Some((place.size as u32, place.align))
}

/// Bytes between the columns of a matrix, or between its rows if it is row-major; zero for other types.
#[must_use]
pub fn matrix_stride(types: &TypeTable, ty: Type, packing: Packing, row_major: bool) -> u32 {
    Sizer::new(types, packing).matrix_stride(ty, row_major)
}

/// Size and base alignment.
#[derive(Clone, Copy)]
pub(super) struct SizeAlign {
    pub size: u64,
    pub align: u32,
}

/// Measures types under one set of rules, each structure once.
pub(super) struct Sizer<'a> {
    types: &'a TypeTable,
    /// std430 does not round the alignment of arrays and structures up to that of a vec4.
    tight: bool,
    known: BTreeMap<(StructId, bool), SizeAlign>,
}

impl Sizer<'_> {
    pub fn new(types: &TypeTable, packing: Packing) -> Sizer<'_> {
        Sizer { types, tight: packing == Packing::Std430, known: BTreeMap::new() }
    }

    pub fn size_align(&mut self, ty: Type, row_major: bool, depth: u32) -> Result<SizeAlign, LayoutProblem> {
        if depth > MAX_DEPTH {
            return Err(LayoutProblem::TooDeep);
        }
        match ty {
            Type::Scalar(scalar) => Ok(vector(scalar, 1)),
            Type::Vector(scalar, n) => Ok(vector(scalar, n)),
            Type::Matrix(scalar, columns, rows) => {
                // Rules 5 and 7: an array of columns, or of rows.
                let (count, n) = if row_major { (rows, columns) } else { (columns, rows) };
                self.array(vector(scalar, n), u32::from(count))
            }
            // A bindless handle is a 64-bit integer (ARB_bindless_texture).
            Type::Opaque(_) => Ok(SizeAlign { size: 8, align: 8 }),
            Type::Array(_) => {
                let array = self.types.as_array(ty).ok_or(LayoutProblem::NoLayout)?;
                let count = array.size.ok_or(LayoutProblem::NoLayout)?;
                let element = self.size_align(array.element, row_major, depth + 1)?;
                self.array(element, count)
            }
            Type::Struct(id) => {
                if let Some(&known) = self.known.get(&(id, row_major)) {
                    return Ok(known);
                }
                let structure = self.types.as_struct(ty).ok_or(LayoutProblem::NoLayout)?;
                let (mut size, mut align) = (0, if self.tight { 1 } else { 16 });
                for field in &structure.fields {
                    let place = self.size_align(field.ty, row_major, depth + 1)?;
                    size = round_up(size, place.align) + place.size;
                    align = align.max(place.align);
                    if size > MAX_SIZE {
                        return Err(LayoutProblem::TooBig);
                    }
                }
                let place = SizeAlign { size: round_up(size, align), align };
                self.known.insert((id, row_major), place);
                Ok(place)
            }
            Type::Error | Type::Void | Type::Subroutine(_) => Err(LayoutProblem::NoLayout),
        }
    }

    /// Rules 4, 6, 8 and 10: the stride keeps each element aligned.
    pub fn array(&self, element: SizeAlign, count: u32) -> Result<SizeAlign, LayoutProblem> {
        let align = self.array_align(element);
        let size = round_up(element.size, align) * u64::from(count);
        if size > MAX_SIZE { Err(LayoutProblem::TooBig) } else { Ok(SizeAlign { size, align }) }
    }

    /// Bytes between elements of an array.
    pub fn stride(&mut self, element: Type, row_major: bool) -> Result<u64, LayoutProblem> {
        let element = self.size_align(element, row_major, 0)?;
        Ok(round_up(element.size, self.array_align(element)))
    }

    pub fn matrix_stride(&self, ty: Type, row_major: bool) -> u32 {
        let Type::Matrix(scalar, columns, rows) = ty else { return 0 };
        let line = vector(scalar, if row_major { columns } else { rows });
        round_up(line.size, self.array_align(line)) as u32
    }

    fn array_align(&self, element: SizeAlign) -> u32 {
        if self.tight { element.align } else { element.align.max(16) }
    }
}

pub(super) fn round_up(value: u64, align: u32) -> u64 {
    value.next_multiple_of(u64::from(align.max(1)))
}

/// Rules 1 to 3: three components are aligned like four.
fn vector(scalar: Scalar, n: u8) -> SizeAlign {
    let unit = if scalar.is_64_bit() { 8 } else { 4 };
    let aligned = if n == 3 { 4 } else { u32::from(n) };
    SizeAlign { size: u64::from(unit * u32::from(n)), align: unit * aligned }
}
