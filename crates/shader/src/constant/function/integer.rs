//! Integer functions (8.8) and those of `INTEL_shader_integer_functions2`.

use crate::constant::function::alike;
use crate::constant::operand::Operand;
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let scalar = result.scalar()?;
    if !scalar.is_integer() {
        return None;
    }
    match (name, args) {
        ("bitfieldExtract", [value, offset, bits]) => {
            let field = Field::read(offset, bits)?;
            let [value, ..] = alike(&[*value], scalar, result)?;
            Operand::fill(result, |i| u64::from(field.extract(value.get(i) as u32, scalar == Scalar::Int)))
        }
        ("bitfieldInsert", [base, insert, offset, bits]) => {
            let field = Field::read(offset, bits)?;
            let [base, insert, ..] = alike(&[*base, *insert], scalar, result)?;
            Operand::fill(result, |i| u64::from(field.insert(base.get(i) as u32, insert.get(i) as u32)))
        }
        (_, [value]) if value.scalar.is_integer() && value.len == result.components() as usize => {
            let function = one(name, value.scalar)?;
            Operand::fill(result, |i| u64::from(function(value.get(i) as u32)))
        }
        (_, [_, _]) => {
            let [a, b, ..] = alike(args, args[0].scalar, result)?;
            if name == "multiply32x16" {
                // Only the low 16 bits of the second operand are used.
                let half = |b: u64| if scalar == Scalar::Int { b as i16 as u32 } else { u32::from(b as u16) };
                return Operand::fill(result, |i| u64::from((a.get(i) as u32).wrapping_mul(half(b.get(i)))));
            }
            let function = two(name)?;
            Operand::fill(result, |i| {
                let value = function(a.signed(i), b.signed(i));
                limited(name, a.scalar, value)
            })
        }
        _ => None,
    }
}

fn one(name: &str, from: Scalar) -> Option<fn(u32) -> u32> {
    Some(match name {
        "bitfieldReverse" => u32::reverse_bits,
        "bitCount" => u32::count_ones,
        "findLSB" => |x| if x == 0 { u32::MAX } else { x.trailing_zeros() },
        // For a negative number the highest zero bit is found (8.8).
        "findMSB" if from == Scalar::Int => |x| highest(if (x as i32) < 0 { !x } else { x }),
        "findMSB" => highest,
        "countLeadingZeros" => u32::leading_zeros,
        "countTrailingZeros" => u32::trailing_zeros,
        _ => return None,
    })
}

fn highest(x: u32) -> u32 {
    // Zero has no highest bit: the result is -1.
    31u32.wrapping_sub(x.leading_zeros())
}

fn two(name: &str) -> Option<fn(i128, i128) -> i128> {
    Some(match name {
        "absoluteDifference" => |a, b| (a - b).abs(),
        "addSaturate" => |a, b| a + b,
        "subtractSaturate" => |a, b| a - b,
        "average" => |a, b| (a + b).div_euclid(2),
        "averageRounded" => |a, b| (a + b + 1).div_euclid(2),
        _ => return None,
    })
}

/// Clamps an exact result to the range of its type; only the saturating functions exceed it.
fn limited(name: &str, scalar: Scalar, value: i128) -> u64 {
    if name == "absoluteDifference" {
        return value as u64;
    }
    match scalar {
        Scalar::Int => u64::from(value.clamp(i32::MIN.into(), i32::MAX.into()) as u32),
        Scalar::Uint => value.clamp(0, u32::MAX.into()) as u64,
        Scalar::Int64 => value.clamp(i64::MIN.into(), i64::MAX.into()) as u64,
        _ => value.clamp(0, u64::MAX.into()) as u64,
    }
}

impl Operand {
    /// An integer component as a number.
    fn signed(&self, index: usize) -> i128 {
        let word = self.get(index);
        match self.scalar {
            Scalar::Int => i128::from(word as u32 as i32),
            Scalar::Int64 => i128::from(word as i64),
            _ => i128::from(word),
        }
    }
}

/// A range of bits in a 32-bit word.
struct Field {
    offset: u32,
    bits: u32,
}

impl Field {
    /// `None` if the range exceeds the word, for which the result is undefined (8.8).
    fn read(offset: &Operand, bits: &Operand) -> Option<Field> {
        if offset.len != 1 || bits.len != 1 || !offset.scalar.is_integer() || !bits.scalar.is_integer() {
            return None;
        }
        let (offset, bits) = (offset.get(0), bits.get(0));
        (offset <= 32 && bits <= 32 && offset + bits <= 32)
            .then_some(Field { offset: offset as u32, bits: bits as u32 })
    }

    fn extract(&self, value: u32, signed: bool) -> u32 {
        if self.bits == 0 {
            return 0;
        }
        let top = value << (32 - self.bits - self.offset);
        let down = 32 - self.bits;
        if signed { ((top as i32) >> down) as u32 } else { top >> down }
    }

    fn insert(&self, base: u32, insert: u32) -> u32 {
        let mask = ((((1u64 << self.bits) - 1) << self.offset) & u64::from(u32::MAX)) as u32;
        let shifted = (u64::from(insert) << self.offset) as u32;
        (base & !mask) | (shifted & mask)
    }
}
