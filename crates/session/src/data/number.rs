//! Floats as JSON has them.

use serde::{Serialize, Serializer};

/// A float. JSON gets the shortest decimal that reads back as it, or one of the strings `NaN`, `Infinity` and `-Infinity`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number(pub f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f32::INFINITY => serializer.serialize_str("Infinity"),
            f32::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            // The digits of the float, and not all those of a double.
            value => serializer.serialize_f64(value.to_string().parse().unwrap_or_else(|_| f64::from(value))),
        }
    }
}

/// Serialises lists of numbers as an object with their names as keys.
pub(super) fn by_name<S: Serializer>(list: &[(String, Vec<f64>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|(name, numbers)| (name, all(numbers))))
}

/// Serialises a list of numbers.
pub(super) fn list<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    all(numbers).serialize(serializer)
}

/// Serialises a list of lists of numbers.
pub(super) fn lists<S: Serializer>(lists: &[Vec<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lists.iter().map(|numbers| all(numbers)))
}

/// Values of shaders are measured as floats, so that is their precision.
fn all(numbers: &[f64]) -> Vec<Number> {
    numbers.iter().map(|number| Number(*number as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_decimal_are_strings() {
        let all = [0.1, -0.0, 1e20, f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(Number);
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"[0.1,-0.0,1e+20,"NaN","Infinity","-Infinity"]"#);
    }
}
