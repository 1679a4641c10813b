//! The memory layout of blocks, and the number of locations of types.
//!
//! The memory rules are those of GL 4.6, 7.6.2.2 (std140 and std430) with the explicit offsets and alignments of GLSL
//! 4.60, 4.4.5. The layout of `shared` and `packed` blocks is implementation-defined; here, as in Mesa, uniform blocks
//! use std140 and storage blocks std430.

mod count;
mod size;

use crate::qualifier::{MatrixOrder, Packing};
use crate::symbol::Symbols;
use crate::types::{Field, Type, TypeTable};

pub use count::{components_used, locations, uniform_locations, xfb_size};
use size::{Sizer, round_up};
pub use size::{matrix_stride, size_align};

/// The packing that is used for a block with this packing, or none.
#[must_use]
pub fn chosen_packing(packing: Option<Packing>, buffer: bool) -> Packing {
    match packing {
        Some(Packing::Std140 | Packing::Std430) => packing.unwrap_or(Packing::Std140),
        _ if buffer => Packing::Std430,
        _ => Packing::Std140,
    }
}

/// The parameters of a block's layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRules {
    /// The packing.
    pub packing: Packing,
    /// The matrix order of members that do not specify one.
    pub matrix: MatrixOrder,
    /// True for a shader storage block, which names only the first element of a top-level array of aggregates
    /// (GL 4.6, 7.3.1.1) and may end in an unsized array.
    pub buffer: bool,
    /// The maximum number of active variables to list; offsets and sizes are always complete.
    pub most: usize,
}

/// An active variable of a block: a scalar, vector or matrix, or an array of those.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberLayout {
    /// Its name in OpenGL, without the block's: `a[0].b`.
    pub name: String,
    /// Its type; an array type where the name ends in `[0]`.
    pub ty: Type,
    /// Bytes from the start of the block.
    pub offset: u32,
    /// Bytes between elements; zero if it is not an array.
    pub array_stride: u32,
    /// Bytes between columns (or rows); zero if it is not a matrix.
    pub matrix_stride: u32,
    /// True for a matrix stored by rows.
    pub row_major: bool,
    /// For a storage block's member that is an array of aggregates, the number of its elements, zero if it is unsized.
    /// Otherwise one.
    pub top_level_array_size: u32,
    /// Bytes between those elements; otherwise zero.
    pub top_level_array_stride: u32,
    /// The block's member that it belongs to.
    pub field: usize,
}

/// Memory layout of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockLayout {
    /// The minimum size of a buffer, with an unsized array at the end counted as one element.
    pub size: u32,
    /// The active variables, in order of declaration.
    pub members: Vec<MemberLayout>,
    /// False if there are too many active variables to list, and `members` is incomplete.
    pub members_complete: bool,
    /// Offset of each member as declared.
    pub field_offsets: Vec<u32>,
}

/// Why a member cannot be laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutProblem {
    /// The offset is not a multiple of the type's base alignment.
    Misaligned {
        /// That alignment.
        alignment: u32,
    },
    /// The offset is before the end of the previous member.
    Overlap {
        /// The first free offset.
        free: u32,
    },
    /// `align` is not a power of two.
    AlignNotPowerOfTwo,
    /// Structures nest too deeply.
    TooDeep,
    /// It does not fit into two gigabytes.
    TooBig,
    /// The type has no memory layout: an unsized array that is not last, or an erroneous type.
    NoLayout,
}

impl std::fmt::Display for LayoutProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LayoutProblem::Misaligned { alignment } => write!(f, "must be at a multiple of {alignment}"),
            LayoutProblem::Overlap { free } => write!(f, "overlaps the one before, which ends at {free}"),
            LayoutProblem::AlignNotPowerOfTwo => write!(f, "has an `align` that is not a power of two"),
            LayoutProblem::TooDeep => write!(f, "is nested too deeply"),
            LayoutProblem::TooBig => write!(f, "does not fit into two gigabytes"),
            LayoutProblem::NoLayout => write!(f, "has no memory layout"),
        }
    }
}

/// Why a block has no layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutError {
    /// The member that caused it.
    pub field: usize,
    /// The problem.
    pub problem: LayoutProblem,
}

/// The maximum number of active variables, and of bytes in their names, that are listed for a block.
pub(crate) const MAX_MEMBERS: usize = 1 << 16;
const MAX_NAME_BYTES: usize = 1 << 22;
/// The maximum size of a block; sizes are signed in the API.
const MAX_SIZE: u64 = i32::MAX as u64;

/// Lays out a block.
///
/// # Errors
/// For the first member that cannot be laid out.
pub fn block_layout(
    types: &TypeTable,
    symbols: &Symbols,
    fields: &[Field],
    rules: BlockRules,
) -> Result<BlockLayout, LayoutError> {
    let mut sizer = Sizer::new(types, rules.packing);
    let mut field_offsets = Vec::with_capacity(fields.len());
    let mut list = Listing {
        types,
        symbols,
        buffer: rules.buffer,
        members: Vec::new(),
        name: String::new(),
        name_bytes: 0,
        steps: rules.most.min(MAX_MEMBERS) * 4,
        most: rules.most.min(MAX_MEMBERS),
        complete: true,
    };
    let mut free = 0u64;
    for (index, field) in fields.iter().enumerate() {
        let error = |problem| LayoutError { field: index, problem };
        let layout = &field.qualifiers.layout;
        let row_major = layout.matrix.unwrap_or(rules.matrix) == MatrixOrder::RowMajor;
        // Only the last member of a storage block may be unsized; it counts as one element.
        let (ty, unsized_last) = match types.as_array(field.ty) {
            Some(array) if array.size.is_none() && rules.buffer && index + 1 == fields.len() => (array.element, true),
            _ => (field.ty, false),
        };
        let mut place = sizer.size_align(ty, row_major, 0).map_err(error)?;
        if unsized_last {
            place = sizer.array(place, 1).map_err(error)?;
        }
        let mut offset = free;
        if let Some(explicit) = layout.offset {
            if u64::from(explicit) % u64::from(place.align) != 0 {
                return Err(error(LayoutProblem::Misaligned { alignment: place.align }));
            }
            if u64::from(explicit) < free {
                return Err(error(LayoutProblem::Overlap { free: free as u32 }));
            }
            offset = u64::from(explicit);
        }
        let mut align = place.align;
        if let Some(explicit) = layout.align {
            if !explicit.is_power_of_two() {
                return Err(error(LayoutProblem::AlignNotPowerOfTwo));
            }
            align = align.max(explicit);
        }
        offset = round_up(offset, align);
        free = offset + place.size;
        if free > MAX_SIZE {
            return Err(error(LayoutProblem::TooBig));
        }
        field_offsets.push(offset as u32);
        list.top(&mut sizer, index, field, offset, row_major).map_err(error)?;
    }
    // As in drivers, the size is a multiple of a vec4 whatever the packing.
    let size = round_up(free, 16);
    if size > MAX_SIZE {
        return Err(LayoutError { field: fields.len().saturating_sub(1), problem: LayoutProblem::TooBig });
    }
    Ok(BlockLayout { size: size as u32, members: list.members, members_complete: list.complete, field_offsets })
}

/// The active variables listed so far.
struct Listing<'a> {
    types: &'a TypeTable,
    symbols: &'a Symbols,
    buffer: bool,
    members: Vec<MemberLayout>,
    /// The name of the variable being listed.
    name: String,
    name_bytes: usize,
    steps: usize,
    most: usize,
    complete: bool,
}

/// What all active variables of a block's member have in common.
#[derive(Clone, Copy)]
struct Top {
    field: usize,
    row_major: bool,
    array_size: u32,
    array_stride: u32,
}

impl Listing<'_> {
    fn top(
        &mut self,
        sizer: &mut Sizer<'_>,
        index: usize,
        field: &Field,
        offset: u64,
        row_major: bool,
    ) -> Result<(), LayoutProblem> {
        self.name.clear();
        self.name.push_str(self.symbols.name(field.name));
        let mut top = Top { field: index, row_major, array_size: 1, array_stride: 0 };
        match self.types.as_array(field.ty) {
            Some(array) if self.buffer && matches!(array.element, Type::Struct(_) | Type::Array(_)) => {
                top.array_size = array.size.unwrap_or(0);
                top.array_stride = sizer.stride(array.element, row_major)? as u32;
                self.name.push_str("[0]");
                self.list(sizer, array.element, offset, top, 0)
            }
            _ => self.list(sizer, field.ty, offset, top, 0),
        }
    }

    fn list(
        &mut self,
        sizer: &mut Sizer<'_>,
        ty: Type,
        offset: u64,
        top: Top,
        depth: u32,
    ) -> Result<(), LayoutProblem> {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 || self.members.len() >= self.most || self.name_bytes > MAX_NAME_BYTES {
            self.complete = false;
            return Ok(());
        }
        let (types, symbols, len) = (self.types, self.symbols, self.name.len());
        match ty {
            Type::Struct(_) => {
                let fields = types.as_struct(ty).map_or(&[][..], |structure| &structure.fields);
                let mut at = offset;
                for field in fields {
                    let place = sizer.size_align(field.ty, top.row_major, depth + 1)?;
                    at = round_up(at, place.align);
                    self.name.push('.');
                    self.name.push_str(symbols.name(field.name));
                    self.list(sizer, field.ty, at, top, depth + 1)?;
                    self.name.truncate(len);
                    at += place.size;
                    if !self.complete {
                        break;
                    }
                }
            }
            Type::Array(_) => {
                let array = types.as_array(ty).ok_or(LayoutProblem::NoLayout)?;
                let stride = sizer.stride(array.element, top.row_major)?;
                if !matches!(array.element, Type::Struct(_) | Type::Array(_)) {
                    self.name.push_str("[0]");
                    self.leaf(sizer, ty, offset, stride as u32, top);
                    self.name.truncate(len);
                    return Ok(());
                }
                for element in 0..array.size.unwrap_or(1) {
                    self.name.push_str(&format!("[{element}]"));
                    self.list(sizer, array.element, offset + u64::from(element) * stride, top, depth + 1)?;
                    self.name.truncate(len);
                    if !self.complete {
                        break;
                    }
                }
            }
            Type::Error
            | Type::Void
            | Type::Subroutine(_)
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix(..)
            | Type::Opaque(_) => {
                self.leaf(sizer, ty, offset, 0, top);
            }
        }
        Ok(())
    }

    fn leaf(&mut self, sizer: &Sizer<'_>, ty: Type, offset: u64, array_stride: u32, top: Top) {
        let element = self.types.as_array(ty).map_or(ty, |array| array.element);
        let matrix_stride = sizer.matrix_stride(element, top.row_major);
        self.name_bytes += self.name.len();
        self.members.push(MemberLayout {
            name: self.name.clone(),
            ty,
            offset: offset as u32,
            array_stride,
            matrix_stride,
            row_major: top.row_major && matrix_stride != 0,
            top_level_array_size: top.array_size,
            top_level_array_stride: top.array_stride,
            field: top.field,
        });
    }
}

#[cfg(test)]
mod tests;
