//! What depends on the implementation: limits, and other answers that never change.

use std::collections::BTreeMap;

use api::reflection::answers::{self, AnswerValues};

use crate::answer::Values;

/// Answers of the recorded driver to queries for what never changes, by the value's name (`GL_MAX_TEXTURE_SIZE`) and,
/// for indexed ones, its index.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    answers: BTreeMap<(u32, u32), Values>,
}

impl Eq for Limits {}

impl Limits {
    /// Reads what `afiLimits` brings; nothing is known when it cannot be understood.
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

    /// Notes an answer.
    pub fn insert(&mut self, name: u32, index: u32, values: Values) {
        self.answers.insert((name, index), values);
    }

    /// All answers, by name and index.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), &Values)> {
        self.answers.iter().map(|(place, values)| (*place, values))
    }

    /// The answer for a value, where one was recorded.
    #[must_use]
    pub fn get(&self, name: u32, index: u32) -> Option<&Values> {
        self.answers.get(&(name, index))
    }

    /// The answer as one integer, or what to take for it where none was recorded.
    #[must_use]
    pub fn integer(&self, name: u32, otherwise: i64) -> i64 {
        match self.get(name, 0) {
            Some(Values::Numbers(numbers)) => numbers.first().map_or(otherwise, |number| *number as i64),
            Some(Values::Long(numbers)) => numbers.first().copied().unwrap_or(otherwise),
            _ => otherwise,
        }
    }

    /// The answer as two numbers, or what to take for each where none was recorded.
    #[must_use]
    pub fn pair(&self, name: u32, otherwise: f64) -> (f64, f64) {
        match self.get(name, 0) {
            Some(Values::Numbers(numbers)) if numbers.len() >= 2 => (numbers[0], numbers[1]),
            Some(Values::Long(numbers)) if numbers.len() >= 2 => (numbers[0] as f64, numbers[1] as f64),
            _ => (otherwise, otherwise),
        }
    }
}
