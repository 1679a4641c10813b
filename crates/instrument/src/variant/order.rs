//! Recordings of devices that evaluate in another order.

use super::{Reading, Record, What};

impl Reading {
    /// The same records in the order in which another recording of the same shader has them, as far as that is the same
    /// run. The language leaves the order to the device in which the operands of an operator are evaluated (GLSL 4.60,
    /// 5.9), and devices make use of it; so between two markers records are matched by what they are about.
    #[must_use]
    pub fn in_order_of(mut self, other: &Reading) -> Reading {
        let is_marker = |record: &Record| matches!(record.what, What::Marker(_));
        let mut rest = std::mem::take(&mut self.records).into_iter().peekable();
        let mut others = other.records.iter().peekable();
        loop {
            let mut part = Vec::new();
            while let Some(record) = rest.next_if(|record| !is_marker(record)) {
                part.push(record);
            }
            while let Some(wanted) = others.next_if(|record| !is_marker(record)) {
                if let Some(place) = part.iter().position(|record| record.what == wanted.what) {
                    self.records.push(part.remove(place));
                }
            }
            self.records.append(&mut part);
            match (rest.next(), others.next()) {
                (Some(marker), Some(wanted)) if marker.what == wanted.what => self.records.push(marker),
                (Some(marker), _) => {
                    // From here on it is another run.
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
    fn operands_are_put_back_into_order() {
        let ours = reading(&[1, 2, 3, -1, 4, 5, -1, 6]);
        assert_eq!(reading(&[2, 1, 3, -1, 5, 4, -1, 6]).in_order_of(&ours), ours);
        // What the other has not comes last, and another way is left as it is.
        assert_eq!(reading(&[7, 2, 1, 3]).in_order_of(&ours), reading(&[1, 2, 3, 7]));
        let other = reading(&[2, 1, -1, -1, 9, 5, 4]);
        assert_eq!(other.in_order_of(&ours).records[..3], reading(&[1, 2, -1]).records[..]);
    }
}
