//! Expands a prototype with generic types to its overloads.

use super::function::{Direction, Function, Param, Row};
use super::type_name;
use crate::types::{Dim, Opaque, OpaqueKind, Scalar, Type};

/// A type in a row, before generic ones are substituted.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    Fixed(Type),
    /// A vector, or also a scalar if `from` is one.
    Sized {
        scalar: Scalar,
        from: u8,
    },
    Matrix(Scalar),
    /// The same with `float`, `int` and `uint` components.
    Texel(Type),
    /// An image of any shape and its coordinates.
    Image(Option<Scalar>),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    pattern: Pattern,
    param: Param,
    optional: bool,
}

/// The substitution of a row's generic types in one overload.
#[derive(Clone, Copy)]
struct Choice {
    texel: Scalar,
    /// Components of a vector, or columns of a matrix.
    size: u8,
    rows: u8,
    image: Shape,
}

/// Shape of an image: dimension, layers, samples, number of coordinates.
type Shape = (Dim, bool, bool, u8);

const SHAPES: [Shape; 11] = [
    (Dim::D1, false, false, 1),
    (Dim::D2, false, false, 2),
    (Dim::D3, false, false, 3),
    (Dim::Rect, false, false, 2),
    (Dim::Cube, false, false, 3),
    (Dim::Buffer, false, false, 1),
    (Dim::D1, true, false, 2),
    (Dim::D2, true, false, 3),
    (Dim::Cube, true, false, 3),
    (Dim::D2, false, true, 2),
    (Dim::D2, true, true, 3),
];

/// The overloads of a row.
pub(super) fn expand(row: &Row) -> Result<Vec<Function>, String> {
    let (head, params) = row.text.split_once('(').ok_or("no parameter list")?;
    let (result, _) = head.rsplit_once(' ').ok_or("no result type")?;
    let result = pattern(result)?;
    let params = params.strip_suffix(')').ok_or("unclosed parameter list")?;
    let slots = if params.is_empty() { Ok(Vec::new()) } else { params.split(',').map(slot).collect() }?;

    let patterns = || slots.iter().map(|slot| slot.pattern).chain([result]);
    let texels: &[Scalar] = if patterns().any(|p| matches!(p, Pattern::Texel(_) | Pattern::Image(None))) {
        &[Scalar::Float, Scalar::Int, Scalar::Uint]
    } else {
        &[Scalar::Float]
    };
    let images = if patterns().any(|p| matches!(p, Pattern::Image(_))) { &SHAPES[..] } else { &SHAPES[..1] };
    let smallest = patterns().filter_map(|p| if let Pattern::Sized { from, .. } = p { Some(from) } else { None }).max();
    let sizes: Vec<(u8, u8)> = if patterns().any(|p| matches!(p, Pattern::Matrix(_))) {
        (2..=4).flat_map(|columns| (2..=4).map(move |rows| (columns, rows))).collect()
    } else if let Some(from) = smallest {
        (from..=4).map(|n| (n, n)).collect()
    } else {
        vec![(1, 1)]
    };
    let forms = if slots.iter().any(|slot| slot.optional) { &[false, true][..] } else { &[true][..] };

    let mut overloads = Vec::with_capacity(texels.len() * images.len() * sizes.len() * forms.len());
    for &texel in texels {
        for &image in images {
            for &(size, rows) in &sizes {
                for &long in forms {
                    let choice = Choice { texel, size, rows, image };
                    let mut params = Vec::with_capacity(slots.len() + 2);
                    for slot in slots.iter().filter(|slot| long || !slot.optional) {
                        params.push(Param { ty: resolve(slot.pattern, choice), ..slot.param });
                        if let Pattern::Image(_) = slot.pattern {
                            coordinates(image, &mut params);
                        }
                    }
                    overloads.push(Function {
                        name: row.symbol,
                        result: resolve(result, choice),
                        params: params.into_boxed_slice(),
                        when: row.when,
                        effect: row.effect,
                    });
                }
            }
        }
    }
    Ok(overloads)
}

fn coordinates((_, _, multisample, n): Shape, params: &mut Vec<Param>) {
    params.push(plain(Type::vector(Scalar::Int, n)));
    if multisample {
        params.push(plain(Type::INT));
    }
}

fn plain(ty: Type) -> Param {
    Param { ty, array: None, direction: Direction::In, constant: false, memory: false, interpolant: false }
}

fn resolve(pattern: Pattern, choice: Choice) -> Type {
    match pattern {
        Pattern::Fixed(ty) => ty,
        Pattern::Sized { scalar, .. } => Type::vector(scalar, choice.size),
        Pattern::Matrix(scalar) => Type::Matrix(scalar, choice.size, choice.rows),
        Pattern::Texel(Type::Opaque(opaque)) => Type::Opaque(Opaque { texel: choice.texel, ..opaque }),
        Pattern::Texel(ty) => ty.with_scalar(choice.texel),
        Pattern::Image(texel) => {
            let (dim, array, multisample, _) = choice.image;
            let texel = texel.unwrap_or(choice.texel);
            Type::Opaque(Opaque { kind: OpaqueKind::Image, texel, dim, array, shadow: false, multisample })
        }
    }
}

fn slot(text: &str) -> Result<Slot, String> {
    let text = text.trim();
    let (text, optional) = match text.strip_prefix('[') {
        Some(rest) => (rest.strip_suffix(']').ok_or("unclosed optional parameter")?, true),
        None => (text, false),
    };
    let mut param = plain(Type::Void);
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        match word {
            "out" => param.direction = Direction::Out,
            "inout" => param.direction = Direction::InOut,
            "const" => param.constant = true,
            "memory" => param.memory = true,
            "interpolant" => param.interpolant = true,
            _ if words.peek().is_some() => return Err(format!("unknown qualifier {word}")),
            ty => {
                let (ty, size) = ty.split_once('[').unwrap_or((ty, ""));
                if !size.is_empty() {
                    let size = size.strip_suffix(']').and_then(|n| n.parse().ok());
                    param.array = Some(size.ok_or("bad array size")?);
                }
                return Ok(Slot { pattern: pattern(ty)?, param, optional });
            }
        }
    }
    Err("parameter without a type".to_string())
}

fn pattern(name: &str) -> Result<Pattern, String> {
    let sized = |scalar, from| Ok(Pattern::Sized { scalar, from });
    match name {
        "genType" => sized(Scalar::Float, 1),
        "genIType" => sized(Scalar::Int, 1),
        "genUType" => sized(Scalar::Uint, 1),
        "genBType" => sized(Scalar::Bool, 1),
        "genDType" => sized(Scalar::Double, 1),
        "genI64Type" => sized(Scalar::Int64, 1),
        "genU64Type" => sized(Scalar::Uint64, 1),
        "vec" => sized(Scalar::Float, 2),
        "ivec" => sized(Scalar::Int, 2),
        "uvec" => sized(Scalar::Uint, 2),
        "bvec" => sized(Scalar::Bool, 2),
        "dvec" => sized(Scalar::Double, 2),
        "i64vec" => sized(Scalar::Int64, 2),
        "u64vec" => sized(Scalar::Uint64, 2),
        "mat" => Ok(Pattern::Matrix(Scalar::Float)),
        "dmat" => Ok(Pattern::Matrix(Scalar::Double)),
        "image" => Ok(Pattern::Image(Some(Scalar::Float))),
        "iimage" => Ok(Pattern::Image(Some(Scalar::Int))),
        "uimage" => Ok(Pattern::Image(Some(Scalar::Uint))),
        "gimage" => Ok(Pattern::Image(None)),
        _ => {
            let fixed = type_name::parse(name).map(Pattern::Fixed);
            let texel = || name.strip_prefix('g').and_then(type_name::parse).map(Pattern::Texel);
            fixed.or_else(texel).ok_or_else(|| format!("unknown type {name}"))
        }
    }
}
