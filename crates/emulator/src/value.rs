//! Values of variables and expressions, with their type.

use std::fmt::Write as _;

use crate::ir::{Operand, Register, Registers, Scalar, ScalarKind, Type, TypeId, Types, Width};
use crate::wave::WaveState;

/// A value of one lane: its type and the bits of every scalar in it, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its type, in the program's table.
    pub ty: TypeId,
    /// The bits of every scalar; those of 32 bits or less are in the low half.
    pub scalars: Vec<u64>,
}

impl Value {
    /// Returns the value made of words in order; a scalar of 64 bits takes two, the low half first.
    #[must_use]
    pub fn of_words(types: &Types, ty: TypeId, words: impl IntoIterator<Item = u32>) -> Value {
        let mut words = words.into_iter().map(u64::from);
        let kinds = types.scalars(ty);
        let scalars = kinds.iter().map_while(|kind| {
            let low = words.next()?;
            Some(if kind.is_wide() { low | words.next()? << 32 } else { low })
        });
        Value { ty, scalars: scalars.collect() }
    }

    /// Returns the value of a variable, or of part of one, that lies in a run of registers of a wave.
    #[must_use]
    pub fn of_registers<const W: usize>(wave: &WaveState<W>, ty: TypeId, home: Registers, lane: usize) -> Value {
        Value::of_words(&wave.program().types, ty, home.iter().map(|register| wave.register(register)[lane]))
    }

    /// Returns the value of an operand of an instruction of a wave.
    #[must_use]
    pub fn of_operand<const W: usize>(wave: &WaveState<W>, operand: &Operand, lane: usize) -> Value {
        let kinds = wave.program().types.scalars(operand.ty);
        let word = |register: Register| u64::from(wave.register(register)[lane]);
        let scalars = operand.registers.iter().zip(kinds.iter().map(Some).chain(std::iter::repeat(None)));
        let scalars = scalars.map(|(&register, kind)| match kind {
            Some(kind) if kind.is_wide() => word(register) | word(Register(register.0 + 1)) << 32,
            _ => word(register),
        });
        Value { ty: operand.ty, scalars: scalars.collect() }
    }

    /// Returns the words of the value in order, as they lie in registers.
    #[must_use]
    pub fn words(&self, types: &Types) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.scalars.len());
        for (kind, &bits) in types.scalars(self.ty).iter().zip(&self.scalars) {
            words.push(bits as u32);
            if kind.is_wide() {
                words.push((bits >> 32) as u32);
            }
        }
        words
    }

    /// Returns the scalars as numbers, for types made of one kind of scalar; empty for others.
    #[must_use]
    pub fn numbers(&self, types: &Types) -> Vec<f64> {
        let Some(scalar) = types.scalar(self.ty) else { return Vec::new() };
        self.scalars.iter().map(|&bits| number(scalar, bits)).collect()
    }

    /// Returns the value as a constructor call with the names of its types, such as `vec2(1.0, 0.5)`. Suffixes tell apart
    /// the kinds of numbers: `7u`, `7l`, `7ul`, `0.5lf`. Numbers without a literal are written `inf` and `NaN`.
    #[must_use]
    pub fn text(&self, types: &Types) -> String {
        let mut out = String::new();
        write(&mut out, types, self.ty, &mut &self.scalars[..]);
        out
    }

    /// Returns each scalar as text that keeps every bit.
    #[must_use]
    pub fn components(&self, types: &Types) -> Vec<String> {
        let kinds = types.scalars(self.ty);
        let text = |(&bits, &kind): (&u64, &Scalar)| match (kind.kind, kind.width) {
            (ScalarKind::Float, Width::W64) => f64::from_bits(bits).to_string(),
            (ScalarKind::Float, _) => float(kind.width, bits).to_string(),
            (ScalarKind::Int, _) => integer(kind.width, bits).to_string(),
            (ScalarKind::Bool, _) => (bits != 0).to_string(),
            (ScalarKind::Uint, _) => bits.to_string(),
        };
        self.scalars.iter().zip(&kinds).map(text).collect()
    }
}

/// Returns the bits of a scalar as a number.
#[must_use]
pub fn number(scalar: Scalar, bits: u64) -> f64 {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, Width::W64) => f64::from_bits(bits),
        (ScalarKind::Float, width) => f64::from(float(width, bits)),
        (ScalarKind::Int, width) => integer(width, bits) as f64,
        (ScalarKind::Bool | ScalarKind::Uint, _) => bits as f64,
    }
}

/// A float of 32 bits or less.
fn float(width: Width, bits: u64) -> f32 {
    match width {
        Width::W8 | Width::W16 => lanes::pack::f32_from_half(bits as u32 & 0xffff),
        Width::W32 | Width::W64 => f32::from_bits(bits as u32),
    }
}

fn integer(width: Width, bits: u64) -> i64 {
    match width {
        Width::W8 => i64::from(bits as i8),
        Width::W16 => i64::from(bits as i16),
        Width::W32 => i64::from(bits as i32),
        Width::W64 => bits as i64,
    }
}

fn write(out: &mut String, types: &Types, ty: TypeId, rest: &mut &[u64]) {
    let parts: Vec<TypeId> = match types.get(ty) {
        Type::Void => return,
        Type::Scalar(scalar) => return write_scalar(out, *scalar, take(rest)),
        Type::Opaque(_) | Type::Function => return write_scalar(out, Scalar::U32, take(rest)),
        Type::Pointer { .. } => return out.push_str(&format!("{:#x}", take(rest))),
        Type::Struct(members) => members.iter().map(|member| member.ty).collect(),
        // All components of a matrix stand side by side.
        Type::Matrix { column, columns } => {
            let (component, rows) = types.elements(*column).unwrap_or((*column, 0));
            vec![component; (columns * rows) as usize]
        }
        Type::Vector { .. } | Type::Array { .. } => {
            types.elements(ty).map_or(Vec::new(), |(element, count)| vec![element; count as usize])
        }
    };
    out.push_str(types.name(ty));
    out.push('(');
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, types, part, rest);
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
    let _ = match (scalar.kind, scalar.width) {
        (ScalarKind::Float, Width::W64) => write!(out, "{:?}lf", f64::from_bits(bits)),
        (ScalarKind::Float, width) => write!(out, "{:?}", float(width, bits)),
        (ScalarKind::Int, Width::W64) => write!(out, "{}l", bits as i64),
        (ScalarKind::Int, width) => write!(out, "{}", integer(width, bits)),
        (ScalarKind::Uint, Width::W64) => write!(out, "{bits}ul"),
        (ScalarKind::Uint, _) => write!(out, "{}u", bits as u32),
        (ScalarKind::Bool, _) => write!(out, "{}", bits != 0),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Member, Space};

    #[test]
    fn values_are_written_with_the_names_of_their_types() {
        let mut types = Types::default();
        let byte = types.add(Type::Scalar(Scalar::I8), "char");
        let wide = types.add(Type::Scalar(Scalar::U64), "ulong");
        let half = types.add(Type::Scalar(Scalar::F16), "half");
        let vector = types.add(Type::Vector { component: half, size: 2 }, "half2");
        let matrix = types.add(Type::Matrix { column: vector, columns: 2 }, "half2x2");
        let pointer = types.add(Type::Pointer { space: Space::Private, target: byte }, "char*");
        let members = [("b", byte), ("w", wide), ("m", matrix), ("p", pointer)];
        let members = members.map(|(name, ty)| Member { name: name.to_owned(), ty }).to_vec();
        let structure = types.add(Type::Struct(members), "S");
        let words = [0xff, 1, 2, 0x3c00, 0xc000, 0x7c00, 0, 8, 1];
        let value = Value::of_words(&types, structure, words);
        assert_eq!(value.text(&types), "S(-1, 8589934593ul, half2x2(1.0, -2.0, inf, 0.0), 0x100000008)");
        assert_eq!(value.words(&types), words);
        assert_eq!(value.components(&types)[..4], ["-1", "8589934593", "1", "-2"]);
        let numbers = Value { ty: matrix, scalars: vec![0x3c00, 0xc000, 0x3800, 0] }.numbers(&types);
        assert_eq!(numbers, [1.0, -2.0, 0.5, 0.0]);
    }
}
