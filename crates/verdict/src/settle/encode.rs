//! Recordings as streams, to take values from.

use instrument::Layout;
use instrument::variant::{Reading, Record};

/// A recording as a stream. What was not measured has the number 0, which no place has.
#[must_use]
pub fn encode(reading: &Reading, layout: &Layout) -> Vec<u32> {
    let mut words = vec![0, reading.facts.0];
    for record in &reading.records {
        let number = number(record, layout);
        let room = layout.sites.get(number as usize).map_or(0, |site| site.words as usize);
        match &record.value {
            Some(value) => {
                words.push(number);
                words.extend(value.words(&layout.types));
            }
            None if room == 0 => words.push(number),
            None => words.extend(std::iter::repeat_n(0, 1 + room)),
        }
    }
    words[0] = words.len() as u32;
    words
}

fn number(record: &Record, layout: &Layout) -> u32 {
    layout.sites.iter().skip(1).position(|site| site.what == record.what).map_or(0, |at| at as u32 + 1)
}
