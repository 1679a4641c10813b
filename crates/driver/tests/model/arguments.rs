//! Random arguments that commands often take.

use api::{Meaning, Scalar, Value, enums};
use testing::random::Random;

/// A value for a parameter, as a word. Mostly it is one that the command knows.
pub fn value(random: &mut Random, value: Value) -> u64 {
    match (value.meaning, value.scalar) {
        (Meaning::Enum(group), _) => name(random, group),
        (Meaning::Boolean, _) => random.below(2),
        (_, scalar) => number(random, scalar),
    }
}

fn name(random: &mut Random, group: api::Group) -> u64 {
    let known = enums::group(group).values;
    match random.below(12) {
        0 => random.pick(&[0, 1, 0x1234, 0x0B57, 0xFFFF_FFFF, 0x0302, 0x2901]),
        1 => random.pick(&[0x0404, 0x0405, 0x0408, 0x0BE2, 0x0B71, 0x1E00, 0x8006]),
        _ if known.is_empty() || group.0 == 0 => 0x1234,
        _ => random.pick(known).0.cast_unsigned(),
    }
}

/// A number of a type, as a word.
pub fn number(random: &mut Random, scalar: Scalar) -> u64 {
    const FLOATS: &[f64] = &[
        0.0, 1.0, -1.0, 0.5, -0.5, 0.2, 2.0, 3.7, -3.5, 100.0, 1.0e6, 0.3, 1.5, 2.5, 4.0, 8.0, 64.0, 128.0, 90.0,
        180.0, 45.0, 30.0, -2.0, 7425.0, 36001.0, 36002.0, 1.0e10,
    ];
    const INTEGERS: &[i64] = &[
        -1,
        0,
        0,
        1,
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        9,
        15,
        16,
        17,
        31,
        32,
        64,
        100,
        255,
        256,
        300,
        4096,
        20000,
        65536,
        -5,
        0x7FFF_FFFF,
        -0x8000_0000,
        131_072,
        98_304,
        36001,
        36002,
    ];
    match scalar {
        Scalar::F32 => u64::from((random.pick(FLOATS) as f32).to_bits()),
        Scalar::F64 => random.pick(FLOATS).to_bits(),
        Scalar::I8 => i64::from(random.pick(INTEGERS) as i8).cast_unsigned(),
        Scalar::U8 => u64::from(random.pick(INTEGERS) as u8),
        Scalar::I16 => i64::from(random.pick(INTEGERS) as i16).cast_unsigned(),
        Scalar::U16 => u64::from(random.pick(INTEGERS) as u16),
        Scalar::U32 => u64::from(random.pick(INTEGERS) as u32),
        Scalar::I32 => i64::from(random.pick(INTEGERS) as i32).cast_unsigned(),
        _ => random.pick(INTEGERS).cast_unsigned(),
    }
}
