//! Types of GLSL values.
//!
//! A [`Type`] is a small copyable value; only structures, blocks and arrays refer to a [`TypeTable`]. Arrays are
//! interned, so two types are equal exactly when they compare equal.

mod name;

use std::collections::BTreeMap;

use crate::qualifier::Qualifiers;
use crate::source::Span;
use crate::symbol::Symbol;

/// Component types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Double,
    Int64,
    Uint64,
}

impl Scalar {
    /// Signed or unsigned integer of any width.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64)
    }

    /// Floating point of any width.
    #[must_use]
    pub fn is_floating(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    /// Takes eight bytes in memory.
    #[must_use]
    pub fn is_64_bit(self) -> bool {
        matches!(self, Scalar::Double | Scalar::Int64 | Scalar::Uint64)
    }
}

/// Shape of a texture or image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    /// `samplerExternalOES`.
    External,
    /// `subpassInput`, for Vulkan GLSL.
    Subpass,
}

/// The kind of an opaque type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpaqueKind {
    /// `sampler2D` and the like: texture and sampler together.
    Sampler,
    /// `image2D` and the like.
    Image,
    /// `atomic_uint`.
    AtomicUint,
}

/// A complete description of an opaque type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Opaque {
    /// Sampler, image or counter.
    pub kind: OpaqueKind,
    /// Component type of a texel.
    pub texel: Scalar,
    /// Shape.
    pub dim: Dim,
    /// Whether it has layers.
    pub array: bool,
    /// Whether it does depth comparison.
    pub shadow: bool,
    /// Whether it has several samples per texel.
    pub multisample: bool,
}

/// Row of [`TypeTable::structs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StructId(pub u32);

/// Row of [`TypeTable::arrays`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayId(pub u32);

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// An error that has been reported; compatible with everything.
    Error,
    /// No value.
    Void,
    /// `float`, `int`, ….
    Scalar(Scalar),
    /// Two to four components.
    Vector(Scalar, u8),
    /// Columns, then rows; `float` or `double`.
    Matrix(Scalar, u8, u8),
    /// Samplers, images, counters.
    Opaque(Opaque),
    /// A structure or an interface block.
    Struct(StructId),
    /// An array.
    Array(ArrayId),
    /// A subroutine uniform; the index of the subroutine type among the shader's functions.
    Subroutine(u32),
}

impl Type {
    /// `bool`
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `int`
    pub const INT: Type = Type::Scalar(Scalar::Int);
    /// `uint`
    pub const UINT: Type = Type::Scalar(Scalar::Uint);
    /// `float`
    pub const FLOAT: Type = Type::Scalar(Scalar::Float);
    /// `double`
    pub const DOUBLE: Type = Type::Scalar(Scalar::Double);

    /// Component type of a scalar, vector or matrix.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => Some(s),
            Type::Error | Type::Void | Type::Opaque(_) | Type::Struct(_) | Type::Array(_) | Type::Subroutine(_) => None,
        }
    }

    /// Number of components of a scalar, vector or matrix; zero for anything else.
    #[must_use]
    pub fn components(self) -> u32 {
        match self {
            Type::Scalar(_) => 1,
            Type::Vector(_, n) => u32::from(n),
            Type::Matrix(_, c, r) => u32::from(c) * u32::from(r),
            Type::Error | Type::Void | Type::Opaque(_) | Type::Struct(_) | Type::Array(_) | Type::Subroutine(_) => 0,
        }
    }

    /// The same shape with another component type.
    #[must_use]
    pub fn with_scalar(self, scalar: Scalar) -> Type {
        match self {
            Type::Scalar(_) => Type::Scalar(scalar),
            Type::Vector(_, n) => Type::Vector(scalar, n),
            Type::Matrix(_, c, r) => Type::Matrix(scalar, c, r),
            Type::Error | Type::Void | Type::Opaque(_) | Type::Struct(_) | Type::Array(_) | Type::Subroutine(_) => self,
        }
    }

    /// A scalar for one component, a vector for more.
    #[must_use]
    pub fn vector(scalar: Scalar, n: u8) -> Type {
        if n == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, n) }
    }
}

/// Precision as written or by default.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Precision {
    Low,
    Medium,
    High,
}

/// One array type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// Type of an element.
    pub element: Type,
    /// The number of elements; `None` if unsized.
    pub size: Option<u32>,
}

/// A member of a structure or block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// Its qualifiers (for block members including the block's).
    pub qualifiers: Qualifiers,
    /// Its declaration; `None` for built-ins.
    pub declared: Option<Span>,
}

/// A structure, or an interface block treated as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StructType {
    /// Its name; [`Symbol::EMPTY`] for an anonymous structure.
    pub name: Symbol,
    /// True for an interface block.
    pub block: bool,
    /// Members in order.
    pub fields: Vec<Field>,
}

/// The structures and arrays of one shader.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    /// Structures and blocks.
    pub structs: Vec<StructType>,
    /// Array types, each once.
    pub arrays: Vec<ArrayType>,
    index: BTreeMap<(Type, Option<u32>), ArrayId>,
}

impl TypeTable {
    /// The type "array of `size` `element`s"; `None` for an unsized array.
    pub fn array(&mut self, element: Type, size: Option<u32>) -> Type {
        let next = ArrayId(self.arrays.len() as u32);
        let id = *self.index.entry((element, size)).or_insert(next);
        if id == next {
            self.arrays.push(ArrayType { element, size });
        }
        Type::Array(id)
    }

    /// Element type and size, if `ty` is an array.
    #[must_use]
    pub fn as_array(&self, ty: Type) -> Option<ArrayType> {
        match ty {
            Type::Array(id) => Some(self.arrays[id.0 as usize]),
            _ => None,
        }
    }

    /// The structure, if `ty` is one.
    #[must_use]
    pub fn as_struct(&self, ty: Type) -> Option<&StructType> {
        match ty {
            Type::Struct(id) => Some(&self.structs[id.0 as usize]),
            _ => None,
        }
    }
}
