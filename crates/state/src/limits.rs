//! Implementation-dependent values: limits and other constants of a context.

use std::collections::BTreeMap;

use api::reflection::answers::{self, AnswerValues};

use crate::answer::Values;

/// The recorded driver's answers to queries for constant values, by parameter name (`GL_MAX_TEXTURE_SIZE`) and, for
/// indexed ones, index.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    answers: BTreeMap<(u32, u32), Values>,
}

impl Eq for Limits {}

impl Limits {
    /// Reads the data of `afiLimits`; empty when it is invalid.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Limits {
        let mut limits = Limits::default();
        for (name, index, given) in answers::decode(bytes).unwrap_or_default() {
            let values = match given {
                AnswerValues::Integers(integers) => Values::Long(integers),
                AnswerValues::Floats(floats) => Values::Numbers(floats),
                AnswerValues::Text(text) => Values::Text(String::from_utf8_lossy(&text).into_owned()),
            };
            limits.insert(name, index, values);
        }
        limits
    }

    /// Adds an answer.
    pub fn insert(&mut self, name: u32, index: u32, values: Values) {
        self.answers.insert((name, index), values);
    }

    /// Iterates over all answers, by name and index.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), &Values)> {
        self.answers.iter().map(|(place, values)| (*place, values))
    }

    /// Returns the answer for a parameter, if one was recorded.
    #[must_use]
    pub fn get(&self, name: u32, index: u32) -> Option<&Values> {
        self.answers.get(&(name, index))
    }

    /// Returns the answer as one integer, or a default if none was recorded.
    #[must_use]
    pub fn integer(&self, name: u32, otherwise: i64) -> i64 {
        match self.get(name, 0) {
            Some(Values::Numbers(numbers)) => numbers.first().map_or(otherwise, |number| *number as i64),
            Some(Values::Long(numbers)) => numbers.first().copied().unwrap_or(otherwise),
            _ => otherwise,
        }
    }

    /// Returns the answer as two numbers, or a default for each if none was recorded.
    #[must_use]
    pub fn pair(&self, name: u32, otherwise: f64) -> (f64, f64) {
        match self.get(name, 0) {
            Some(Values::Numbers(numbers)) if numbers.len() >= 2 => (numbers[0], numbers[1]),
            Some(Values::Long(numbers)) if numbers.len() >= 2 => (numbers[0] as f64, numbers[1] as f64),
            _ => (otherwise, otherwise),
        }
    }
}
