//! Values of GLSL variables and expressions, as a device measures them.

use std::fmt::Write as _;

use shader::symbol::Symbols;
use shader::types::{Scalar, Type, TypeTable};

/// A value of one invocation: its type and the bits of every scalar in it, in the order of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// The bits of every scalar; those of 32 bits are in the low half.
    pub scalars: Vec<u64>,
}

impl Value {
    /// Returns the value made of words in order; a scalar of 64 bits takes two, the low half first.
    #[must_use]
    pub fn of_words(types: &TypeTable, ty: Type, words: impl IntoIterator<Item = u32>) -> Value {
        let mut words = words.into_iter().map(u64::from);
        let kinds = scalars(types, ty);
        let scalars = kinds.iter().map_while(|kind| {
            let low = words.next()?;
            Some(if kind.is_64_bit() { low | words.next()? << 32 } else { low })
        });
        Value { ty, scalars: scalars.collect() }
    }

    /// Returns the words of the value in order, as they lie in registers or memory.
    #[must_use]
    pub fn words(&self, types: &TypeTable) -> Vec<u32> {
        let kinds = scalars(types, self.ty);
        let mut words = Vec::with_capacity(self.scalars.len());
        for (kind, &bits) in kinds.iter().zip(&self.scalars) {
            words.push(bits as u32);
            if kind.is_64_bit() {
                words.push((bits >> 32) as u32);
            }
        }
        words
    }

    /// Returns the scalars as numbers, for types made of one kind of scalar; empty for others.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        let Some(scalar) = self.ty.scalar() else { return Vec::new() };
        self.scalars.iter().map(|&bits| number(scalar, bits)).collect()
    }

    /// Returns the value as a GLSL expression; numbers without a literal are written `inf` and `NaN`.
    #[must_use]
    pub fn text(&self, types: &TypeTable, symbols: &Symbols) -> String {
        let mut out = String::new();
        let mut rest = &self.scalars[..];
        write(&mut out, (types, symbols), self.ty, &mut rest);
        out
    }

    /// Returns each scalar as text that keeps every bit.
    #[must_use]
    pub fn components(&self, types: &TypeTable) -> Vec<String> {
        let kinds = scalars(types, self.ty);
        let text = |(&bits, kind): (&u64, &Scalar)| match kind {
            Scalar::Float => f32::from_bits(bits as u32).to_string(),
            Scalar::Double => f64::from_bits(bits).to_string(),
            Scalar::Int => (bits as u32 as i32).to_string(),
            Scalar::Int64 => (bits as i64).to_string(),
            Scalar::Bool => (bits != 0).to_string(),
            Scalar::Uint | Scalar::Uint64 => bits.to_string(),
        };
        self.scalars.iter().zip(&kinds).map(text).collect()
    }
}

/// Returns the bits of a scalar as a number.
#[must_use]
pub fn number(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::Float => f64::from(f32::from_bits(bits as u32)),
        Scalar::Double => f64::from_bits(bits),
        Scalar::Int => f64::from(bits as u32 as i32),
        Scalar::Int64 => bits as i64 as f64,
        Scalar::Bool | Scalar::Uint | Scalar::Uint64 => bits as f64,
    }
}

/// Returns every scalar of a type, in order. Samplers, images and subroutines count as `uint`.
#[must_use]
pub fn scalars(types: &TypeTable, ty: Type) -> Vec<Scalar> {
    let mut all = Vec::new();
    collect(types, ty, &mut all);
    all
}

fn collect(types: &TypeTable, ty: Type, all: &mut Vec<Scalar>) {
    if let Some(scalar) = ty.scalar() {
        all.extend(std::iter::repeat_n(scalar, ty.components() as usize));
    } else if let Some(array) = types.as_array(ty) {
        let first = all.len();
        let count = array.size.unwrap_or(0) as usize;
        if count > 0 {
            collect(types, array.element, all);
            let element = all[first..].to_vec();
            (1..count).for_each(|_| all.extend_from_slice(&element));
        }
    } else if let Some(structure) = types.as_struct(ty) {
        structure.fields.iter().for_each(|field| collect(types, field.ty, all));
    } else if matches!(ty, Type::Opaque(_) | Type::Subroutine(_)) {
        all.push(Scalar::Uint);
    }
}

fn write(out: &mut String, (types, symbols): (&TypeTable, &Symbols), ty: Type, rest: &mut &[u64]) {
    let parts: Vec<Type> = match ty {
        Type::Vector(scalar, n) => vec![Type::Scalar(scalar); usize::from(n)],
        Type::Matrix(scalar, columns, rows) => vec![Type::Scalar(scalar); usize::from(columns) * usize::from(rows)],
        Type::Array(_) => types.as_array(ty).map_or(Vec::new(), |a| vec![a.element; a.size.unwrap_or(0) as usize]),
        Type::Struct(_) => types.as_struct(ty).map_or(Vec::new(), |s| s.fields.iter().map(|f| f.ty).collect()),
        Type::Scalar(scalar) => return write_scalar(out, scalar, take(rest)),
        Type::Opaque(_) | Type::Subroutine(_) => return write_scalar(out, Scalar::Uint, take(rest)),
        Type::Void | Type::Error => return,
    };
    out.push_str(&types.name(symbols, ty));
    out.push('(');
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, (types, symbols), part, rest);
    }
    out.push(')');
}

fn take(rest: &mut &[u64]) -> u64 {
    match rest.split_first() {
        Some((&first, tail)) => {
            *rest = tail;
            first
        }
        None => 0,
    }
}

fn write_scalar(out: &mut String, scalar: Scalar, bits: u64) {
    // Writing to memory does not fail.
    let _ = match scalar {
        Scalar::Float => write!(out, "{:?}", f32::from_bits(bits as u32)),
        Scalar::Double => write!(out, "{:?}lf", f64::from_bits(bits)),
        Scalar::Int => write!(out, "{}", bits as u32 as i32),
        Scalar::Uint => write!(out, "{}u", bits as u32),
        Scalar::Int64 => write!(out, "{}l", bits as i64),
        Scalar::Uint64 => write!(out, "{bits}ul"),
        Scalar::Bool => write!(out, "{}", bits != 0),
    };
}
