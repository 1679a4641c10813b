//! Recordings of devices with a different order of evaluation.

use super::{Reading, Record, What};

impl Reading {
    /// Reorders the records to match another recording of the same shader, as far as the runs agree. The language does
    /// not specify the order in which an operator's operands are evaluated, and devices differ; so between two markers,
    /// records are matched by their site. NVIDIA's compiler evaluates the operands of an operator on matrices once for
    /// every column; repeated records are dropped.
    #[must_use]
    pub fn in_order_of(self, other: &Reading) -> Reading {
        self.arranged(other, false)
    }

    /// The same with exactly the records of the other recording, as far as the runs agree: missing records are added
    /// without a value, and additional ones are dropped. Compilers may find that an operand is not needed, and omit its
    /// evaluation with its record, or evaluate it twice.
    #[must_use]
    pub fn beside(self, other: &Reading) -> Reading {
        self.arranged(other, true)
    }

    fn arranged(mut self, other: &Reading, exactly: bool) -> Reading {
        let is_marker = |record: &Record| matches!(record.what, What::Marker(_));
        let mut rest = std::mem::take(&mut self.records).into_iter().peekable();
        let mut others = other.records.iter().peekable();
        loop {
            let (mut part, begin) = (Vec::new(), self.records.len());
            while let Some(record) = rest.next_if(|record| !is_marker(record)) {
                part.push(record);
            }
            while let Some(wanted) = others.next_if(|record| !is_marker(record)) {
                match part.iter().position(|record| record.what == wanted.what) {
                    Some(place) => self.records.push(part.remove(place)),
                    None if exactly => self.records.push(Record { value: None, ..wanted.clone() }),
                    None => {}
                }
            }
            let said = self.records.len();
            for record in part.into_iter().filter(|_| !exactly) {
                if !self.records[begin..said].contains(&record) {
                    self.records.push(record);
                }
            }
            match (rest.next(), others.next()) {
                (Some(marker), Some(wanted)) if marker.what == wanted.what => self.records.push(marker),
                (Some(marker), _) => {
                    // From here on the runs differ.
                    self.records.push(marker);
                    self.records.extend(rest);
                    return self;
                }
                (None, _) => return self,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use moment::Marker;
    use shader::ast::{ExprId, NodeId};

    use super::*;
    use crate::stream::Facts;

    fn reading(numbers: &[i32]) -> Reading {
        let what = |number: &i32| match *number {
            -1 => What::Marker(Marker::Leave),
            number => What::Value(NodeId::Expr(ExprId(number.cast_unsigned()))),
        };
        let records = numbers.iter().map(|number| Record { what: what(number), moment: None, value: None }).collect();
        Reading { facts: Facts::default(), records, lost: 0 }
    }

    #[test]
    fn missing_records_have_no_value() {
        let with_value = |numbers: &[i32]| {
            let mut reading = reading(numbers);
            let value = moment::glsl::Value { ty: shader::types::Type::INT, scalars: vec![7] };
            reading.records.iter_mut().for_each(|record| record.value = Some(value.clone()));
            reading
        };
        let beside = with_value(&[3, 1, 1, -1, 5]).beside(&with_value(&[1, 2, 3, -1, 4, 5]));
        let whats: Vec<What> = beside.records.iter().map(|record| record.what.clone()).collect();
        let expected: Vec<What> = reading(&[1, 2, 3, -1, 4, 5]).records.into_iter().map(|record| record.what).collect();
        assert_eq!(whats, expected);
        let measured: Vec<bool> = beside.records.iter().map(|record| record.value.is_some()).collect();
        assert_eq!(measured, [true, false, true, true, false, true]);
    }

    #[test]
    fn operands_are_reordered() {
        let ours = reading(&[1, 2, 3, -1, 4, 5, -1, 6]);
        assert_eq!(reading(&[2, 1, 3, -1, 5, 4, -1, 6]).in_order_of(&ours), ours);
        // Additional records come last, and different runs stay unchanged.
        assert_eq!(reading(&[7, 2, 1, 3]).in_order_of(&ours), reading(&[1, 2, 3, 7]));
        // Repeated records are kept once.
        assert_eq!(reading(&[1, 2, 1, 2, 3, 1, 2, -1, 4, 5, -1, 6]).in_order_of(&ours), ours);
        let other = reading(&[2, 1, -1, -1, 9, 5, 4]);
        assert_eq!(other.in_order_of(&ours).records[..3], reading(&[1, 2, -1]).records[..]);
    }
}
