//! Decodes words to records.

use moment::Tracker;
use moment::glsl::Value;

use super::{Layout, Reading, Record, Site, What};
use crate::inspect::InspectError;
use crate::stream::{Facts, HEADER};

impl Layout {
    /// Decodes the answer of one invocation. The stream may be shorter than its length says: the rest counts as lost,
    /// and an incomplete record is omitted.
    ///
    /// # Errors
    /// When the words do not match this layout.
    pub fn decode(&self, stream: &[u32]) -> Result<Reading, InspectError> {
        let [length, facts, ..] = *stream else {
            return garbled(format!("{} words are too few for a stream", stream.len()));
        };
        let known = Facts::RAN | Facts::REACHED | Facts::DISCARDED | Facts::HELPER;
        if length < HEADER || facts & Facts::RAN == 0 || facts & !known != 0 {
            return garbled(format!("invalid header: length {length}, facts {facts:#x}"));
        }
        let there = stream.len().min(length as usize);
        let lost = length - there as u32;
        let mut rest = &stream[HEADER as usize..there];
        let (mut tracker, mut records) = (Tracker::new(), Vec::new());
        while let Some((&number, tail)) = rest.split_first() {
            if number == 0 && lost > 0 {
                break;
            }
            let Some(site) = self.sites.get(number as usize).filter(|_| number != 0) else {
                return garbled(format!("unknown site {number}"));
            };
            let Some((words, tail)) = tail.split_at_checked(site.words as usize) else {
                if lost == 0 {
                    return garbled(format!("the last record, of site {number}, is truncated"));
                }
                break;
            };
            records.push(self.record(site, words, &mut tracker));
            rest = tail;
        }
        Ok(Reading { facts: Facts(facts), records, lost: lost + rest.len() as u32 })
    }

    fn record(&self, site: &Site, words: &[u32], tracker: &mut Tracker) -> Record {
        let passed = tracker.statement().is_some();
        let moment = match &site.what {
            What::Marker(marker) => {
                tracker.pass(*marker);
                tracker.moment()
            }
            What::Value(node) | What::Variable(node, _) | What::Count(node, _) if passed => {
                Some(tracker.at((*node).into()))
            }
            What::Value(_) | What::Variable(..) | What::Count(..) | What::Input(..) => self.moment.clone(),
            What::Output(_) | What::Emit(_) | What::Cut(_) => tracker.moment(),
        };
        let value = (site.words > 0).then(|| Value::of_words(&self.types, site.ty, words.iter().copied()));
        Record { what: site.what.clone(), moment, value }
    }
}

fn garbled<T>(what: String) -> Result<T, InspectError> {
    Err(InspectError::Garbled(what))
}

#[cfg(test)]
mod tests {
    use moment::{Marker, Moment};
    use shader::ast::{ExprId, NodeId, StmtId};
    use shader::types::{Type, TypeTable};

    use super::*;

    fn layout() -> Layout {
        let site = |what, ty: Type, words| Site { what, ty, words };
        let marker = |marker| site(What::Marker(marker), Type::Void, 0);
        let sites = vec![
            marker(Marker::Leave),
            marker(Marker::Statement(StmtId(4).into())),
            marker(Marker::Loop(StmtId(4).into())),
            marker(Marker::Iterate),
            site(What::Value(NodeId::Expr(ExprId(7))), Type::Vector(shader::types::Scalar::Float, 2), 2),
            site(What::Value(NodeId::Expr(ExprId(8))), Type::DOUBLE, 2),
        ];
        Layout { sites, types: TypeTable::default(), moment: None }
    }

    #[test]
    fn records_have_moments() {
        let (one, two) = (1.0f32.to_bits(), 2.0f32.to_bits());
        let stream = [12, 3, 1, 2, 3, 4, one, two, 3, 4, two, one];
        let reading = layout().decode(&stream).expect("a reading");
        let moments: Vec<String> =
            reading.records.iter().map(|r| r.moment.as_ref().map(Moment::to_string).unwrap_or_default()).collect();
        assert_eq!(moments, ["s4", "s4:loop@4#0", "s4:loop@4#0", "e7:loop@4#0", "s4:loop@4#1", "e7:loop@4#1"]);
        assert_eq!(reading.records[3].value.as_ref().map(Value::numbers), Some(vec![1.0, 2.0]));
        assert!(reading.facts.has(Facts::RAN | Facts::REACHED) && reading.lost == 0);
    }

    #[test]
    fn lost_words_are_counted() {
        let reading = layout().decode(&[11, 1, 1, 5, 1, 0x3ff0_0000, 5, 9]).expect("a reading");
        assert_eq!((reading.records.len(), reading.lost), (2, 5));
        assert_eq!(reading.records[1].value.as_ref().map(Value::numbers), Some(vec![1.000_000_000_000_000_2]));
        let reading = layout().decode(&[11, 1, 1, 5, 1, 0x3ff0_0000, 0, 0]).expect("a reading");
        assert_eq!((reading.records.len(), reading.lost), (2, 5));
    }

    #[test]
    fn malformed_streams_are_rejected() {
        let cases: [&[u32]; 7] = [&[], &[5], &[0, 0], &[1, 1], &[2, 17], &[3, 1, 0], &[3, 1, 6]];
        for stream in cases {
            assert!(matches!(layout().decode(stream), Err(InspectError::Garbled(_))), "{stream:?}");
        }
        assert!(matches!(layout().decode(&[4, 1, 4, 0]), Err(InspectError::Garbled(_))));
    }

    #[test]
    fn any_words_are_decoded_without_panic() {
        let layout = layout();
        let mut random = testing::random::Random::new(1);
        let mut random = move || random.word() >> 9;
        let mut read = 0;
        for _ in 0..20_000 {
            let len = random() % 20;
            let mut stream: Vec<u32> = (0..len).map(|_| random() % 8).collect();
            if random() % 4 > 0 && len > 2 {
                (stream[0], stream[1]) = (random() % 24, 1);
            }
            if random() % 8 == 0 && len > 0 {
                stream[(random() % len) as usize] = u32::MAX - random() % 4;
            }
            if let Ok(reading) = layout.decode(&stream) {
                assert_eq!(reading.facts.0 & Facts::RAN, Facts::RAN);
                read += 1;
            }
        }
        assert!(read > 1000, "{read}");
    }
}
