//! Decodes words to records.

use moment::Tracker;
use moment::glsl::Value;

use super::{Layout, Reading, Record, Site, What};
use crate::inspect::InspectError;
use crate::stream::{Facts, HEADER};

/// The records of an answer, or of parts of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Records {
    facts: Facts,
    lost: u32,
    all: Vec<RawRecord>,
}

#[derive(Clone, PartialEq, Debug)]
struct RawRecord {
    /// Its place in the order of execution: its slot or that of its loop, and its number there.
    place: (u32, u32),
    site: u32,
    words: Vec<u32>,
}

/// A loop: the word of the stream at which its records begin, and its slot.
struct Begin {
    at: u32,
    slot: u32,
}

impl Records {
    /// Adds another part of the same recording.
    ///
    /// # Errors
    /// When it cannot be of the same invocation.
    pub fn append(&mut self, next: Records) -> Result<(), InspectError> {
        if self.facts.has(Facts::HELPER) != next.facts.has(Facts::HELPER) {
            return garbled("two parts of a recording are of different invocations".to_owned());
        }
        self.facts.0 |= next.facts.0;
        self.lost = self.lost.saturating_add(next.lost);
        self.all.extend(next.all);
        Ok(())
    }

    /// Those before a slot.
    #[must_use]
    pub fn before(&self, slot: u32) -> Records {
        let all = self.all.iter().filter(|record| record.place.0 < slot).cloned().collect();
        Records { all, ..*self }
    }
}

impl Layout {
    /// Decodes the answer of one invocation. The stream may be shorter than its length says: the rest counts as lost,
    /// and an incomplete record is omitted.
    ///
    /// # Errors
    /// When the words do not match this layout.
    pub fn decode(&self, stream: &[u32]) -> Result<Reading, InspectError> {
        Ok(self.reading(self.records(stream)?))
    }

    /// The records of an answer.
    ///
    /// # Errors
    /// As for [`Layout::decode`].
    pub fn records(&self, stream: &[u32]) -> Result<Records, InspectError> {
        let [length, facts, ..] = *stream else {
            return garbled(format!("{} words are too few for a stream", stream.len()));
        };
        let known = Facts::RAN | Facts::REACHED | Facts::DISCARDED | Facts::HELPER;
        let slots = self.slots.map_or(0, |slots| slots.count);
        if length < HEADER.saturating_add(slots) || facts & Facts::RAN == 0 || facts & !known != 0 {
            return garbled(format!("invalid header: length {length}, facts {facts:#x}"));
        }
        let there = stream.len().min(length as usize);
        let lost = length - there as u32;
        let first = (HEADER as usize).saturating_add(slots as usize).min(there);
        let (mut all, loops) = self.in_slots(&stream[HEADER as usize..first], lost)?;
        let (rest, cut) = self.in_order(&stream[first..there], lost, (first, &loops))?;
        all.extend(rest);
        Ok(Records { facts: Facts(facts), lost: lost + cut, all })
    }

    /// The records in slots, and where the records of each loop begin that was reached.
    fn in_slots(&self, slots: &[u32], lost: u32) -> Result<(Vec<RawRecord>, Vec<Begin>), InspectError> {
        let first = self.slots.map_or(0, |slots| slots.first);
        let (mut all, mut loops, mut rest) = (Vec::new(), Vec::new(), slots);
        while let Some((&number, tail)) = rest.split_first() {
            let slot = first + (slots.len() - rest.len()) as u32;
            if number == 0 {
                rest = tail;
                continue;
            }
            let site = self.site(number)?;
            let Some((words, tail)) = tail.split_at_checked(site.words as usize) else {
                if lost == 0 {
                    return garbled(format!("the record in the last slot, of site {number}, is truncated"));
                }
                break;
            };
            match (&site.what, words) {
                (What::Loop, [begin]) => loops.push(Begin { at: *begin, slot }),
                _ => all.push(RawRecord { place: (slot, 0), site: number, words: words.to_vec() }),
            }
            rest = tail;
        }
        Ok((all, loops))
    }

    fn site(&self, number: u32) -> Result<&Site, InspectError> {
        let site = self.sites.get(number as usize).filter(|_| number != 0);
        site.ok_or_else(|| InspectError::Garbled(format!("unknown site {number}")))
    }

    /// Records that follow each other, the first at a word of the stream; and the number of words after the last complete one.
    fn in_order(
        &self,
        words: &[u32],
        lost: u32,
        (begin, loops): (usize, &[Begin]),
    ) -> Result<(Vec<RawRecord>, u32), InspectError> {
        let numbered = self.slots.is_some_and(|slots| slots.numbered);
        let (mut records, mut rest) = (Vec::new(), words);
        while let Some((&number, tail)) = rest.split_first() {
            if number == 0 && lost > 0 {
                break;
            }
            let at = (begin + words.len() - rest.len()) as u32;
            let count = self.site(number)?.words as usize + usize::from(numbered);
            let Some((words, tail)) = tail.split_at_checked(count) else {
                if lost == 0 {
                    return garbled(format!("the last record, of site {number}, is truncated"));
                }
                break;
            };
            let (order, words) = if numbered { (words[0], &words[1..]) } else { (at, words) };
            // Loops begin in the order of their slots.
            let slot = match loops.partition_point(|begin| begin.at <= at) {
                0 if self.slots.is_some() => return garbled(format!("the record at word {at} belongs to no loop")),
                0 => 0,
                after => loops[after - 1].slot,
            };
            records.push(RawRecord { place: (slot, order), site: number, words: words.to_vec() });
            rest = tail;
        }
        Ok((records, rest.len() as u32))
    }

    /// The answer with these records.
    #[must_use]
    pub fn reading(&self, mut records: Records) -> Reading {
        records.all.sort_by_key(|record| record.place);
        let mut tracker = Tracker::new();
        let made = |raw: &RawRecord| Some(self.record(self.sites.get(raw.site as usize)?, &raw.words, &mut tracker));
        Reading { facts: records.facts, records: records.all.iter().filter_map(made).collect(), lost: records.lost }
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
            What::Output(_) | What::Emit(_) | What::Cut(_) | What::Loop => tracker.moment(),
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
        Layout { sites, types: TypeTable::default(), moment: None, slots: None }
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
