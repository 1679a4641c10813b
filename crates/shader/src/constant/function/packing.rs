//! Functions that reinterpret bits or pack several numbers into a word (8.3, 8.4, `ARB_gpu_shader_int64`).

use crate::constant::operand::Operand;
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let &[arg] = args else { return None };
    reinterpret(name, &arg, result).or_else(|| pack(name, &arg, result)).or_else(|| unpack(name, &arg, result))
}

fn reinterpret(name: &str, arg: &Operand, result: Type) -> Option<Operand> {
    let (from, to) = match name {
        "floatBitsToInt" => (Scalar::Float, Scalar::Int),
        "floatBitsToUint" => (Scalar::Float, Scalar::Uint),
        "intBitsToFloat" => (Scalar::Int, Scalar::Float),
        "uintBitsToFloat" => (Scalar::Uint, Scalar::Float),
        "doubleBitsToInt64" => (Scalar::Double, Scalar::Int64),
        "doubleBitsToUint64" => (Scalar::Double, Scalar::Uint64),
        "int64BitsToDouble" => (Scalar::Int64, Scalar::Double),
        "uint64BitsToDouble" => (Scalar::Uint64, Scalar::Double),
        _ => return None,
    };
    if arg.ty.with_scalar(to) != result {
        return None;
    }
    let arg = arg.converted(from);
    Operand::fill(result, |i| arg.get(i))
}

fn pack(name: &str, arg: &Operand, result: Type) -> Option<Operand> {
    let (width, from, to) = match name {
        "packUnorm2x16" | "packSnorm2x16" | "packHalf2x16" => (2, Scalar::Float, Type::UINT),
        "packUnorm4x8" | "packSnorm4x8" => (4, Scalar::Float, Type::UINT),
        "packDouble2x32" => (2, Scalar::Uint, Type::DOUBLE),
        "packInt2x32" => (2, Scalar::Int, Type::Scalar(Scalar::Int64)),
        "packUint2x32" => (2, Scalar::Uint, Type::Scalar(Scalar::Uint64)),
        _ => return None,
    };
    if arg.len != width || result != to {
        return None;
    }
    let arg = arg.converted(from);
    let part = |i: usize| -> u64 {
        let word = arg.get(i);
        let x = f32::from_bits(word as u32);
        let scaled = |low: f32, scale: f32| (x.max(low).min(1.0) * scale).round_ties_even() as i64 as u64;
        match name {
            "packUnorm2x16" => scaled(0.0, 65535.0),
            "packSnorm2x16" => scaled(-1.0, 32767.0) & 0xffff,
            "packUnorm4x8" => scaled(0.0, 255.0),
            "packSnorm4x8" => scaled(-1.0, 127.0) & 0xff,
            "packHalf2x16" => u64::from(half_from_float(x)),
            _ => word,
        }
    };
    let shift = if result.scalar()?.is_64_bit() { 32 } else { 32 / width };
    let packed = (0..width).fold(0, |packed, i| packed | part(i) << (i * shift));
    Operand::fill(result, |_| packed)
}

fn unpack(name: &str, arg: &Operand, result: Type) -> Option<Operand> {
    let (from, to) = match name {
        "unpackUnorm2x16" | "unpackSnorm2x16" | "unpackHalf2x16" => (Scalar::Uint, Type::Vector(Scalar::Float, 2)),
        "unpackUnorm4x8" | "unpackSnorm4x8" => (Scalar::Uint, Type::Vector(Scalar::Float, 4)),
        "unpackDouble2x32" => (Scalar::Double, Type::Vector(Scalar::Uint, 2)),
        "unpackInt2x32" => (Scalar::Int64, Type::Vector(Scalar::Int, 2)),
        "unpackUint2x32" => (Scalar::Uint64, Type::Vector(Scalar::Uint, 2)),
        _ => return None,
    };
    if arg.len != 1 || result != to {
        return None;
    }
    let word = arg.converted(from).get(0);
    Operand::fill(result, |i| {
        let float = |x: f32| u64::from(x.to_bits());
        let (byte, short) = ((word >> (8 * (i % 4))) as u8, (word >> (16 * (i % 2))) as u16);
        match name {
            "unpackUnorm2x16" => float(f32::from(short) / 65535.0),
            "unpackSnorm2x16" => float((f32::from(short as i16) / 32767.0).clamp(-1.0, 1.0)),
            "unpackUnorm4x8" => float(f32::from(byte) / 255.0),
            "unpackSnorm4x8" => float((f32::from(byte as i8) / 127.0).clamp(-1.0, 1.0)),
            "unpackHalf2x16" => float(float_from_half(short)),
            _ => word >> (32 * i) & 0xffff_ffff,
        }
    })
}

/// The nearest half-precision number, ties to even; overflow gives infinity.
fn half_from_float(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00 | (magnitude >> 13 & 0x1ff) as u16;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    // Below the smallest normal half, 2^-14, a unit is 2^-24 whatever the size: scaling by 2^24 leaves an integer to
    // round. Above it, eleven bits of significand remain.
    if magnitude < 0x3880_0000 {
        let units = (f32::from_bits(magnitude) * 16_777_216.0).round_ties_even();
        return sign | units as u16;
    }
    let rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

fn float_from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(half >> 10 & 0x1f), u32::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => (fraction as f32 / 16_777_216.0).to_bits(),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}
