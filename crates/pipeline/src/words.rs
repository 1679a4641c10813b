//! Values as words: one for each 32-bit component, two for each 64-bit one, in the language's order.

use shader::symbol::Symbols;
use shader::types::{Scalar, Type, TypeTable};

/// Larger values are rejected.
const MOST: u32 = 1 << 22;

/// The number of words of a value; `None` for types without values, unsized arrays, and excessive sizes.
pub(crate) fn count(types: &TypeTable, ty: Type) -> Option<u32> {
    let words = match ty {
        Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => ty.components() * width(s),
        Type::Opaque(_) | Type::Subroutine(_) => 1,
        Type::Struct(_) => {
            let fields = &types.as_struct(ty)?.fields;
            let mut sum = 0;
            for field in fields {
                sum += count(types, field.ty)?;
                if sum > MOST {
                    return None;
                }
            }
            sum
        }
        Type::Array(_) => {
            let array = types.as_array(ty)?;
            array.size?.checked_mul(count(types, array.element)?)?
        }
        Type::Error | Type::Void => return None,
    };
    (words <= MOST).then_some(words)
}

/// The number of words of a component.
pub(crate) fn width(scalar: Scalar) -> u32 {
    if scalar.is_64_bit() { 2 } else { 1 }
}

/// The offset of a structure's member in words, and its type.
pub(crate) fn member(types: &TypeTable, ty: Type, member: usize) -> Option<(u32, Type)> {
    let fields = &types.as_struct(ty)?.fields;
    let field = fields.get(member)?;
    let before = fields[..member].iter().map(|f| count(types, f.ty)).sum::<Option<u32>>()?;
    Some((before, field.ty))
}

/// Calls `found` for each scalar, vector, matrix or opaque value in a type, in order, with its offset in words.
pub(crate) fn leaves(types: &TypeTable, ty: Type, at: u32, found: &mut dyn FnMut(u32, Type)) {
    match ty {
        Type::Struct(_) => {
            let mut at = at;
            for field in types.as_struct(ty).map_or(&[][..], |s| &s.fields) {
                leaves(types, field.ty, at, found);
                at += count(types, field.ty).unwrap_or(0);
            }
        }
        Type::Array(_) => {
            let Some(array) = types.as_array(ty) else { return };
            let (size, step) = (array.size.unwrap_or(0), count(types, array.element).unwrap_or(0));
            // Elements without words have no leaves either.
            (0..if step == 0 { 0 } else { size }).for_each(|i| leaves(types, array.element, at + i * step, found));
        }
        _ => found(at, ty),
    }
}

/// A part of a value: its type and offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Its type.
    pub ty: Type,
    /// Its offset in words.
    pub offset: u32,
    /// The number of elements from here to the end of the array that contains it; one for anything else.
    pub elements: u32,
}

/// Follows a path such as `[2].colour` into a value. An array as a whole means its first element.
pub(crate) fn follow(types: &TypeTable, symbols: &Symbols, ty: Type, path: &str) -> Option<Part> {
    let mut part = Part { ty, offset: 0, elements: 1 };
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let structure = types.as_struct(part.ty)?;
            let at = structure.fields.iter().position(|f| symbols.name(f.name) == &tail[..end])?;
            let (before, ty) = member(types, part.ty, at)?;
            part = Part { ty, offset: part.offset + before, elements: 1 };
            rest = &tail[end..];
        } else {
            let (number, tail) = rest.strip_prefix('[')?.split_once(']')?;
            let array = types.as_array(part.ty)?;
            let number: u32 = number.parse().ok()?;
            let left = array.size?.checked_sub(number).filter(|left| *left > 0)?;
            let step = count(types, array.element)?;
            part = Part { ty: array.element, offset: part.offset + number * step, elements: left };
            rest = tail;
        }
    }
    if let Some(array) = types.as_array(part.ty) {
        part = Part { ty: array.element, elements: array.size?, ..part };
    }
    Some(part)
}
