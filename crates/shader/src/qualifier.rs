//! Qualifiers of variables, members and parameters.

use crate::types::Precision;

/// The storage of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Storage {
    /// An ordinary global or local variable, or a by-value parameter.
    #[default]
    Plain,
    /// `const`
    Const,
    /// Input of the stage (`in`, `attribute`, `varying` in a fragment shader), or an `in` parameter.
    In,
    /// Output of the stage (`out`, `varying` in a vertex shader), or an `out` parameter.
    Out,
    /// `inout`: a parameter, or a framebuffer-fetch output.
    InOut,
    /// `uniform`
    Uniform,
    /// `buffer`
    Buffer,
    /// `shared`
    Shared,
}

/// How an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Interpolation {
    Smooth,
    Flat,
    NoPerspective,
}

/// Matrix order of a block or member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum MatrixOrder {
    ColumnMajor,
    RowMajor,
}

/// Memory layout of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Packing {
    Shared,
    Packed,
    Std140,
    Std430,
}

/// The values given in `layout(…)` that belong to a variable, block or member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "each is the layout qualifier of that name")]
pub struct Layout {
    pub location: Option<u32>,
    pub component: Option<u32>,
    pub index: Option<u32>,
    pub binding: Option<u32>,
    pub offset: Option<u32>,
    pub align: Option<u32>,
    pub stream: Option<u32>,
    pub xfb_buffer: Option<u32>,
    pub xfb_offset: Option<u32>,
    pub xfb_stride: Option<u32>,
    pub packing: Option<Packing>,
    pub matrix: Option<MatrixOrder>,
    /// Image format, by its row in the image-format table.
    pub format: Option<u8>,
}

/// Boolean qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, clippy::struct_excessive_bools, reason = "each is the qualifier of that name")]
pub struct Flags {
    pub invariant: bool,
    pub precise: bool,
    pub centroid: bool,
    pub sample: bool,
    pub patch: bool,
    pub coherent: bool,
    pub volatile: bool,
    pub restrict: bool,
    pub readonly: bool,
    pub writeonly: bool,
    pub subroutine: bool,
}

/// All qualifiers of one declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Qualifiers {
    /// Its storage.
    pub storage: Storage,
    /// Interpolation, if written.
    pub interpolation: Option<Interpolation>,
    /// Precision, written or defaulted.
    pub precision: Option<Precision>,
    /// The boolean ones.
    pub flags: Flags,
    /// The layout.
    pub layout: Layout,
}
