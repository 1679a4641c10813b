//! Values out of the registers of a run.

use shader::types::{Type, TypeTable};

pub use moment::glsl::value::{Value, number, scalars};

use crate::ir::{Operand, Register, Registers};
use crate::wave::Wave;

/// What an operand holds in a lane.
#[must_use]
pub fn of_operand<const W: usize>(wave: &Wave<'_, W>, types: &TypeTable, operand: &Operand, lane: usize) -> Value {
    let kinds = scalars(types, operand.ty);
    let word = |register: Register| u64::from(wave.register(register)[lane]);
    let scalars = operand.registers.iter().zip(kinds.iter().map(Some).chain(std::iter::repeat(None)));
    let scalars = scalars.map(|(&register, kind)| match kind {
        Some(kind) if kind.is_64_bit() => word(register) | word(Register(register.0 + 1)) << 32,
        _ => word(register),
    });
    Value { ty: operand.ty, scalars: scalars.collect() }
}

/// What a variable, or part of one, that lies in a run of registers holds in a lane.
#[must_use]
pub fn of_registers<const W: usize>(
    wave: &Wave<'_, W>,
    types: &TypeTable,
    ty: Type,
    home: Registers,
    lane: usize,
) -> Value {
    Value::of_words(types, ty, home.iter().map(|register| wave.register(register)[lane]))
}
