//! The fixed-function pipeline: matrices, lights, materials, texture environments, current attributes, evaluators,
//! stacks.

mod attributes;
mod clip;
mod current;
mod environment;
mod evaluator;
mod generator;
mod light;
mod material;
mod matrix;
mod raster;
mod unit;

use api::constant as c;

use super::Table;
use super::plain::most;
use crate::answer::Answer;
use crate::context::Facts;
use crate::fault::Fault;
use crate::step::Step;
use crate::variable::{self as var, NumberType};

pub use material::track as track_material;
pub use unit::enabled as unit_enabled;

pub fn register(table: &mut Table) {
    matrix::register(table);
    light::register(table);
    material::register(table);
    clip::register(table);
    unit::register(table);
    environment::register(table);
    generator::register(table);
    current::register(table);
    raster::register(table);
    evaluator::register(table);
    attributes::register(table);
}

/// The type of a command's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Floats.
    Float,
    /// Doubles.
    Double,
    /// 32-bit integers.
    Integer,
    /// 16.16 fixed point.
    Fixed,
}

/// Converts an integer to a colour component: the smallest becomes -1, the largest 1 (GL 4.6 compatibility, 2.3.5.1).
pub fn normalized(number: i32) -> f32 {
    (2.0 * number as f32 + 1.0) * (1.0 / 4_294_967_294.0)
}

/// Returns the numbers that a parameter points to, as floats.
pub fn input(step: &Step<'_>, param: u8, number: Number) -> Vec<f32> {
    let Some(bytes) = step.input(param) else { return Vec::new() };
    let words = || bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
    match number {
        Number::Float => words().map(f32::from_bits).collect(),
        Number::Integer => words().map(|word| word as i32 as f32).collect(),
        Number::Fixed => words().map(crate::step::fixed).collect(),
        Number::Double => {
            bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap_or_default()) as f32).collect()
        }
    }
}

/// Returns the integers that a parameter points to.
pub fn input_integers(step: &Step<'_>, param: u8) -> Vec<i32> {
    step.input_names(param).into_iter().map(|word| word as i32).collect()
}

/// Returns an argument as a float.
pub fn argument(step: &Step<'_>, index: usize, number: Number) -> f32 {
    match number {
        Number::Float => step.float(index),
        Number::Double => step.double(index) as f32,
        Number::Integer => step.int(index) as f32,
        Number::Fixed => step.fixed(index),
    }
}

/// Returns the first numbers of a list, padded with zeros.
pub fn first<const N: usize>(numbers: &[f32]) -> [f32; N] {
    std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(0.0))
}

/// Converts numbers to the type of answers.
pub fn wide<const N: usize>(numbers: [f32; N]) -> [f64; N] {
    numbers.map(f64::from)
}

/// Returns the number of fixed-function texture units.
pub fn coordinate_units(facts: &Facts) -> u32 {
    most(facts, c::GL_MAX_TEXTURE_COORDS, most(facts, c::GL_MAX_TEXTURE_UNITS, 1)).min(8)
}

/// Returns the active texture unit, if it has fixed-function state.
pub fn active_unit(step: &Step<'_>) -> Result<usize, Fault> {
    let unit = step.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if unit < coordinate_units(step.facts()) {
        Ok(unit as usize)
    } else {
        Err(Fault::invalid_operation("the texture unit has no fixed-function state"))
    }
}

/// Returns numbers that a query for integers truncates.
pub fn plain_numbers(numbers: &[f64], integers: bool) -> Answer {
    if integers {
        let whole: Vec<f64> = numbers.iter().map(|number| crate::answer::cut(number.trunc())).collect();
        Answer::numbers(NumberType::Integer, &whole)
    } else {
        Answer::numbers(NumberType::Float, numbers)
    }
}
