//! Rules that `overlay.toml` names: functions from a few numbers to an extent.

use super::{Extent, Surroundings, bytes};
use crate::Access;
use crate::generated::rules::RULES;

/// A function and where its numbers come from.
pub struct Rule {
    /// What works it out.
    pub function: fn(&Asked) -> Extent,
    /// Its numbers.
    pub args: &'static [Arg],
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A parameter of the command.
    Param(u8),
    /// Always the same.
    Value(i64),
}

/// Most numbers that a rule has.
const MOST: usize = 8;

/// What a rule is asked.
pub struct Asked<'a> {
    values: [i64; MOST],
    count: usize,
    /// What the command does with the memory.
    pub access: Access,
    /// Bytes of an element.
    pub element: usize,
    /// What the context is set to.
    pub around: &'a dyn Surroundings,
}

impl Asked<'_> {
    /// The numbers.
    pub fn values(&self) -> &[i64] {
        &self.values[..self.count]
    }

    /// One number, 0 when there are not so many.
    pub fn value(&self, index: usize) -> i64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// One number as an enum.
    pub fn name(&self, index: usize) -> u32 {
        self.value(index) as u32
    }

    /// So many elements.
    pub fn elements(&self, count: i64) -> Extent {
        bytes(count, self.element)
    }
}

/// Applies a rule of the generated table.
pub fn apply(rule: u16, args: &[u64], access: Access, element: usize, around: &dyn Surroundings) -> Extent {
    let Some(rule) = RULES.get(usize::from(rule)) else { return Extent::Unknown };
    let mut values = [0; MOST];
    for (value, arg) in values.iter_mut().zip(rule.args) {
        *value = match arg {
            Arg::Param(index) => args.get(usize::from(*index)).map_or(0, |word| word.cast_signed()),
            Arg::Value(value) => *value,
        };
    }
    (rule.function)(&Asked { values, count: rule.args.len().min(MOST), access, element, around })
}

/// As many elements as all numbers multiplied.
pub fn product(asked: &Asked) -> Extent {
    if asked.values().iter().any(|value| *value < 0) {
        return Extent::Nothing;
    }
    asked.elements(asked.values().iter().fold(1i64, |product, value| product.saturating_mul(*value)))
}
