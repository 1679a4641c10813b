//! Names of types.

use super::{Dim, Opaque, OpaqueKind, Scalar, Type, TypeTable};
use crate::symbol::{Symbol, Symbols};

impl TypeTable {
    /// A type as it would be written in source: `vec3`, `Light[4]`, `sampler2D`.
    #[must_use]
    pub fn name(&self, symbols: &Symbols, ty: Type) -> String {
        let mut sizes = String::new();
        let mut element = ty;
        while let Some(array) = self.as_array(element) {
            match array.size {
                Some(n) => sizes.push_str(&format!("[{n}]")),
                None => sizes.push_str("[]"),
            }
            element = array.element;
        }
        let name = match self.as_struct(element) {
            Some(row) if row.name == Symbol::EMPTY => "struct".to_owned(),
            Some(row) => symbols.name(row.name).to_owned(),
            None => basic_name(element),
        };
        name + &sizes
    }
}

/// The name of a type that is neither array nor structure.
fn basic_name(ty: Type) -> String {
    let prefix = |s: Scalar| match s {
        Scalar::Bool => "b",
        Scalar::Int => "i",
        Scalar::Uint => "u",
        Scalar::Float => "",
        Scalar::Double => "d",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
    };
    match ty {
        Type::Error => "(error)".to_owned(),
        Type::Void => "void".to_owned(),
        Type::Scalar(s) => match s {
            Scalar::Bool => "bool",
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::Int64 => "int64_t",
            Scalar::Uint64 => "uint64_t",
        }
        .to_owned(),
        Type::Vector(s, n) => format!("{}vec{n}", prefix(s)),
        Type::Matrix(s, c, r) if c == r => format!("{}mat{c}", prefix(s)),
        Type::Matrix(s, c, r) => format!("{}mat{c}x{r}", prefix(s)),
        Type::Opaque(opaque) => opaque_name(opaque),
        Type::Struct(_) | Type::Array(_) => "aggregate".to_owned(),
        Type::Subroutine(_) => "subroutine".to_owned(),
    }
}

fn opaque_name(opaque: Opaque) -> String {
    let base = match opaque.kind {
        OpaqueKind::AtomicUint => return "atomic_uint".to_owned(),
        OpaqueKind::Sampler => "sampler",
        OpaqueKind::Image => "image",
    };
    let prefix = match opaque.texel {
        Scalar::Int => "i",
        Scalar::Uint => "u",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
        Scalar::Bool | Scalar::Float | Scalar::Double => "",
    };
    let dim = match opaque.dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::External => "ExternalOES",
        Dim::Subpass => "Subpass",
    };
    let samples = if opaque.multisample { "MS" } else { "" };
    let array = if opaque.array { "Array" } else { "" };
    let shadow = if opaque.shadow { "Shadow" } else { "" };
    format!("{prefix}{base}{dim}{samples}{array}{shadow}")
}
