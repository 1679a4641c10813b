//! What is damaged in a trace whose index is whole.
//!
//! Opening a file reads its index and not its chunks, so damage inside of one shows only when something reads it. Here all
//! of them are compared with their checksums, without being unpacked.

use std::ops::Range;

use super::Reader;
use super::unpack::Unpacker;
use crate::call::Data;
use crate::error::ReadError;

/// What a trace has lost: replays leave it out, so what they draw is not what was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Damage {
    /// Calls that cannot be read.
    pub calls: Vec<Range<u64>>,
    /// The first call that can be read, but not the memory that it reads.
    pub first_starved: Option<Starved>,
    /// How many such calls there are.
    pub starved: u64,
}

/// A call whose memory is lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Starved {
    /// The call.
    pub call: u64,
    /// The name of its command.
    pub name: String,
    /// The blob that is lost.
    pub blob: u32,
}

/// Blobs that cannot be read, as ranges of their numbers, in order.
struct LostBlobs(Vec<Range<u64>>);

impl Reader {
    /// Compares everything in the file with its checksums, and returns what is lost. That takes about as long as reading the
    /// file; only if something is damaged, the calls are read as well.
    pub fn damage(&self) -> Damage {
        let mut unpacker = Unpacker::default();
        let mut is_damaged = |location| unpacker.check(&*self.source, self.identity, location).is_err();
        let mut damage = Damage::default();
        // Whether calls are missing is found out when the file is opened.
        let mut next = 0;
        for location in &self.calls {
            if is_damaged(location) {
                damage.lose(location.first..location.last());
            } else if location.first > next {
                damage.lose(next..location.first);
            }
            next = location.last();
        }
        if next < self.end {
            damage.lose(next..self.end);
        }
        let mut blobs = LostBlobs(Vec::new());
        let mut next = 0;
        for location in &self.blobs {
            if location.first > next {
                blobs.0.push(next..location.first);
            }
            if is_damaged(location) {
                blobs.0.push(location.first..location.last());
            }
            next = location.last();
        }
        let has_all = blobs.0.is_empty() && self.losses.is_empty();
        blobs.0.push(next..u64::MAX);
        if !has_all {
            self.starve(&blobs, &mut damage);
        }
        damage
    }

    /// Finds the calls that read blobs which are lost.
    fn starve(&self, blobs: &LostBlobs, damage: &mut Damage) {
        let mut calls = self.calls();
        loop {
            match calls.next() {
                Ok(None) => return,
                Ok(Some(call)) => {
                    let lost = call.inputs.iter().find_map(|payload| match payload.data {
                        Data::Blob { number, .. } if blobs.has(number) => Some(number),
                        _ => None,
                    });
                    if let Some(blob) = lost {
                        damage.starved += 1;
                        let starved = || Starved { call: call.number, name: call.name().to_owned(), blob };
                        damage.first_starved.get_or_insert_with(starved);
                    }
                }
                // The cursor goes on after calls that are lost.
                Err(ReadError::Lost { .. }) => {}
                Err(_) => return,
            }
        }
    }
}

impl LostBlobs {
    fn has(&self, number: u32) -> bool {
        let number = u64::from(number);
        let after = self.0.partition_point(|range| range.start <= number);
        // A large blob may be in several chunks, so that ranges overlap.
        self.0[..after].iter().rev().take(2).any(|range| range.contains(&number))
    }
}

impl Damage {
    /// Returns whether nothing is lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.starved == 0
    }

    /// Returns what is lost, a clause for each sort; `None` if nothing is.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let clauses = [self.lost_calls(), self.lost_memory()].into_iter().flatten();
        clauses.reduce(|one, other| format!("{one}; {other}"))
    }

    fn lost_calls(&self) -> Option<String> {
        let first = self.calls.first()?;
        let more = more(self.calls.len() as u64);
        Some(match first.end - first.start {
            1 => format!("command {} is lost{more}", first.start),
            _ => format!("commands {} to {} are lost{more}", first.start, first.end - 1),
        })
    }

    /// Returns which memory of calls is lost; `None` if none is.
    #[must_use]
    pub fn lost_memory(&self) -> Option<String> {
        let Starved { call, name, blob } = self.first_starved.as_ref()?;
        let others = match self.starved {
            0 | 1 => String::new(),
            2 => ", and another command lacks what it reads".to_owned(),
            count => format!(", and {} other commands lack what they read", count - 1),
        };
        Some(format!("blob {blob} is lost, which command {call}, {name}, reads{others}"))
    }

    fn lose(&mut self, calls: Range<u64>) {
        match self.calls.last_mut() {
            Some(last) if last.end == calls.start => last.end = calls.end,
            _ => self.calls.push(calls),
        }
    }
}

fn more(count: u64) -> String {
    if count > 1 { format!(", and {} more such ranges", count - 1) } else { String::new() }
}
