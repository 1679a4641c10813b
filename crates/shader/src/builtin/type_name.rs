//! The names of basic types.

use crate::types::{Dim, Opaque, OpaqueKind, Scalar, Type};

const ATOMIC_COUNTER: Type = Type::Opaque(Opaque {
    kind: OpaqueKind::AtomicUint,
    texel: Scalar::Uint,
    dim: Dim::Buffer,
    array: false,
    shadow: false,
    multisample: false,
});

/// The basic type with this name, in any version.
pub(super) fn parse(name: &str) -> Option<Type> {
    Some(match name {
        "void" => Type::Void,
        "atomic_uint" => ATOMIC_COUNTER,
        _ => return scalar(name).or_else(|| vector(name)).or_else(|| matrix(name)).or_else(|| opaque(name)),
    })
}

fn scalar(name: &str) -> Option<Type> {
    Some(Type::Scalar(match name {
        "bool" => Scalar::Bool,
        "int" | "int32_t" => Scalar::Int,
        "uint" | "uint32_t" => Scalar::Uint,
        "float" | "float32_t" => Scalar::Float,
        "double" | "float64_t" => Scalar::Double,
        "int64_t" => Scalar::Int64,
        "uint64_t" => Scalar::Uint64,
        _ => return None,
    }))
}

fn vector(name: &str) -> Option<Type> {
    let (prefix, size) = name.split_once("vec")?;
    let scalar = match prefix {
        "" => Scalar::Float,
        "b" => Scalar::Bool,
        "i" => Scalar::Int,
        "u" => Scalar::Uint,
        "d" => Scalar::Double,
        "i64" => Scalar::Int64,
        "u64" => Scalar::Uint64,
        _ => return None,
    };
    Some(Type::Vector(scalar, dimension(size)?))
}

fn matrix(name: &str) -> Option<Type> {
    let (prefix, size) = name.split_once("mat")?;
    let scalar = match prefix {
        "" => Scalar::Float,
        "d" => Scalar::Double,
        _ => return None,
    };
    let (columns, rows) = size.split_once('x').unwrap_or((size, size));
    Some(Type::Matrix(scalar, dimension(columns)?, dimension(rows)?))
}

fn dimension(text: &str) -> Option<u8> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}

fn opaque(name: &str) -> Option<Type> {
    let (texel, rest) = match name.split_at_checked(1)? {
        ("i", rest) if !name.starts_with("image") => (Scalar::Int, rest),
        ("u", rest) => (Scalar::Uint, rest),
        _ => (Scalar::Float, name),
    };
    let (kind, rest) = if let Some(rest) = rest.strip_prefix("sampler") {
        (OpaqueKind::Sampler, rest)
    } else {
        (OpaqueKind::Image, rest.strip_prefix("image")?)
    };
    let (rest, shadow) = strip(rest, "Shadow");
    let (rest, array) = strip(rest, "Array");
    let (rest, multisample) = strip(rest, "MS");
    let dim = match rest {
        "1D" => Dim::D1,
        "2D" => Dim::D2,
        "3D" => Dim::D3,
        "Cube" => Dim::Cube,
        "2DRect" => Dim::Rect,
        "Buffer" => Dim::Buffer,
        "ExternalOES" if name == "samplerExternalOES" => Dim::External,
        _ => return None,
    };
    Some(Type::Opaque(Opaque { kind, texel, dim, array, shadow, multisample }))
}

fn strip<'a>(name: &'a str, suffix: &str) -> (&'a str, bool) {
    name.strip_suffix(suffix).map_or((name, false), |rest| (rest, true))
}
