//! Built-in functions of constant arguments (GLSL 4.60, chapter 8).
//!
//! Addition, multiplication, division and square roots are those of the type itself; a function composed of them is
//! computed step by step in that type, as a shader would. Transcendental functions of `float` are computed in `f64`
//! and rounded once.

mod common;
mod geometric;
mod integer;
mod matrix;
mod packing;
mod real;
mod relational;

use crate::constant::operand::Operand;
use crate::constant::{Constant, ConstantPool};
use crate::types::{Scalar, Type};

/// The value of a call to built-in function `name` whose overload returns `result`.
///
/// `None` when the function has no constant value (texture access, atomics, functions with output parameters), or
/// when the arguments do not fit. Arguments may still be of the types they were written with.
pub fn call(pool: &mut ConstantPool, name: &str, args: &[Constant], result: Type) -> Option<Constant> {
    let blank = Operand::zero(Type::INT)?;
    let mut operands = [blank; 4];
    let operands = operands.get_mut(..args.len())?;
    for (operand, &arg) in operands.iter_mut().zip(args) {
        *operand = Operand::load(pool, arg)?;
    }
    let operands = &*operands;
    let value = common::call(name, operands, result)
        .or_else(|| relational::call(name, operands, result))
        .or_else(|| geometric::call(name, operands, result))
        .or_else(|| matrix::call(name, operands, result))
        .or_else(|| integer::call(name, operands, result))
        .or_else(|| packing::call(name, operands, result))?;
    Some(value.store(pool))
}

/// Converts all arguments to one component type and checks that each is a scalar or has the size of the result.
fn alike(args: &[Operand], scalar: Scalar, result: Type) -> Option<[Operand; 4]> {
    let mut converted = [Operand::zero(Type::INT)?; 4];
    let len = result.components() as usize;
    for (to, from) in converted.get_mut(..args.len())?.iter_mut().zip(args) {
        if from.len != 1 && from.len != len {
            return None;
        }
        *to = from.converted(scalar);
    }
    Some(converted)
}
