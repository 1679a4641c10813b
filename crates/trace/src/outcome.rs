//! Outcomes of calls that returned after their chunk had been written.

use crate::batch::{Batch, NewPayload, PayloadLocation};
use crate::bytes::{ByteReader, Malformed, put_number};

/// Outcomes and their payloads.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    pub list: Vec<LateOutcome>,
    /// Only its payloads are used.
    store: Batch,
}

/// The outcome of one call.
#[derive(Clone, Copy, Debug)]
pub struct LateOutcome {
    pub number: u64,
    pub result: u64,
    pub before: u64,
    first_output: u32,
    output_count: u8,
}

impl Outcomes {
    pub fn clear(&mut self) {
        self.list.clear();
        self.store.clear(0);
    }

    /// Returns whether another `payloads` payloads with `bytes` inline bytes fit.
    pub fn has_room(&self, payloads: usize, bytes: usize) -> bool {
        self.list.len() < crate::batch::MAX_CALLS && self.store.has_room(0, payloads, bytes)
    }

    /// Adds an output payload of the outcome that is pushed next.
    pub fn add(&mut self, param: u8, new: NewPayload<'_>) {
        self.store.add(param, new);
    }

    pub fn push(&mut self, number: u64, result: u64, before: u64, output_count: u8) {
        let first_output = self.store.payloads.len() as u32 - u32::from(output_count);
        self.list.push(LateOutcome { number, result, before, first_output, output_count });
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        for late in &self.list {
            put_number(out, late.number);
            put_number(out, late.result);
            put_number(out, late.before);
            out.push(late.output_count);
            for stored in self.outputs(late) {
                out.push(stored.param);
                match stored.location {
                    PayloadLocation::Inline { at, size } => {
                        out.push(0);
                        put_number(out, u64::from(size));
                        out.extend_from_slice(&self.store.bytes[at as usize..][..size as usize]);
                    }
                    PayloadLocation::Blob { number, size } => {
                        out.push(1);
                        put_number(out, size);
                        put_number(out, u64::from(number));
                    }
                    PayloadLocation::Digest { at, size } => {
                        out.push(2);
                        put_number(out, size);
                        out.extend_from_slice(&self.store.digests[at as usize]);
                    }
                }
            }
        }
    }

    /// Reads `count` outcomes and appends them.
    pub fn read(&mut self, input: &mut ByteReader<'_>, count: u32) -> Result<(), Malformed> {
        for _ in 0..count {
            let (number, result, before) = (input.number()?, input.number()?, input.number()?);
            let output_count = input.byte()?;
            for _ in 0..output_count {
                let [param, kind] = input.array()?;
                let size = input.number()?;
                let new = match kind {
                    0 => NewPayload::Inline(
                        input.take(usize::try_from(size).map_err(|_| Malformed("the data ends too early"))?)?,
                    ),
                    1 => NewPayload::Blob { number: input.small()?, size },
                    2 => NewPayload::Digest { hash: input.array()?, size },
                    _ => return Err(Malformed("a payload has an unknown kind")),
                };
                self.store.add(param, new);
            }
            self.push(number, result, before, output_count);
        }
        Ok(())
    }

    /// Sorts the outcomes, as [`Outcomes::attach`] requires.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|late| late.number);
    }

    /// Adds the outcomes of a batch's calls to the batch.
    pub fn attach(&self, batch: &mut Batch) {
        let begin = self.list.partition_point(|late| late.number < batch.first);
        for late in &self.list[begin..] {
            let Some(at) = late.number.checked_sub(batch.first).filter(|_| late.number < batch.end()) else { break };
            let at = at as usize;
            if batch.entries[at].returned {
                continue;
            }
            for stored in self.outputs(late) {
                let new = match stored.location {
                    PayloadLocation::Inline { at, size } => {
                        NewPayload::Inline(&self.store.bytes[at as usize..][..size as usize])
                    }
                    PayloadLocation::Blob { number, size } => NewPayload::Blob { number, size },
                    PayloadLocation::Digest { at, size } => {
                        NewPayload::Digest { hash: self.store.digests[at as usize], size }
                    }
                };
                batch.add(stored.param, new);
            }
            batch.leave(at, late.result, late.before, late.output_count);
        }
    }

    fn outputs(&self, late: &LateOutcome) -> &[crate::batch::Stored] {
        &self.store.payloads[late.first_output as usize..][..usize::from(late.output_count)]
    }
}
