//! Fixed functions: matrices, lights, materials, texture environments, current attributes, evaluators, stacks.

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
use crate::variable::{self as var, Kind};

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

/// How commands give numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Floats.
    Float,
    /// Doubles.
    Double,
    /// Integers of 32 bits.
    Integer,
    /// 16 bits before and 16 bits behind the point.
    Fixed,
}

/// An integer as a colour component: the smallest is -1, the largest 1 (GL 4.6 compatibility, 2.3.5).
pub fn normalized(number: i32) -> f32 {
    (2.0 * number as f32 + 1.0) * (1.0 / 4_294_967_294.0)
}

/// The numbers that a parameter points to, as floats.
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

/// The integers that a parameter points to.
pub fn input_integers(step: &Step<'_>, param: u8) -> Vec<i32> {
    step.input_names(param).into_iter().map(|word| word as i32).collect()
}

/// An argument as a float.
pub fn argument(step: &Step<'_>, index: usize, number: Number) -> f32 {
    match number {
        Number::Float => step.float(index),
        Number::Double => step.double(index) as f32,
        Number::Integer => step.int(index) as f32,
        Number::Fixed => step.fixed(index),
    }
}

/// The first numbers of a list; zeros where it has fewer.
pub fn first<const N: usize>(numbers: &[f32]) -> [f32; N] {
    std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(0.0))
}

/// Numbers as they are answered.
pub fn wide<const N: usize>(numbers: [f32; N]) -> [f64; N] {
    numbers.map(f64::from)
}

/// How many texture units fixed functions have.
pub fn coordinate_units(facts: &Facts) -> u32 {
    most(facts, c::GL_MAX_TEXTURE_COORDS, most(facts, c::GL_MAX_TEXTURE_UNITS, 1)).min(8)
}

/// The active texture unit, when fixed functions have it.
pub fn active_unit(step: &Step<'_>) -> Result<usize, Fault> {
    let unit = step.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if unit < coordinate_units(step.facts()) {
        Ok(unit as usize)
    } else {
        Err(Fault::invalid_operation("fixed functions have no such texture unit"))
    }
}

/// Numbers that a query for integers gives without what is behind the point.
pub fn plain_numbers(numbers: &[f64], integers: bool) -> Answer {
    if integers {
        let whole: Vec<f64> = numbers.iter().map(|number| crate::answer::cut(number.trunc())).collect();
        Answer::numbers(Kind::Integer, &whole)
    } else {
        Answer::numbers(Kind::Float, numbers)
    }
}
