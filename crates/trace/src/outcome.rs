//! What came of calls that returned only after their chunk had been written.

use crate::batch::{Batch, New, Place};
use crate::bytes::{Cut, Malformed, put_number};

/// Outcomes and their payloads.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    pub list: Vec<Late>,
    /// Holds payloads only.
    store: Batch,
}

/// What came of one call.
#[derive(Clone, Copy, Debug)]
pub struct Late {
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

    /// Whether there is room for so many more payloads with so many inline bytes.
    pub fn has_room(&self, payloads: usize, bytes: usize) -> bool {
        self.list.len() < crate::batch::MAX_CALLS && self.store.has_room(0, payloads, bytes)
    }

    /// Adds an output of the outcome that is pushed next.
    pub fn add(&mut self, param: u8, new: New<'_>) {
        self.store.add(param, new);
    }

    pub fn push(&mut self, number: u64, result: u64, before: u64, output_count: u8) {
        let first_output = self.store.payloads.len() as u32 - u32::from(output_count);
        self.list.push(Late { number, result, before, first_output, output_count });
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        for late in &self.list {
            put_number(out, late.number);
            put_number(out, late.result);
            put_number(out, late.before);
            out.push(late.output_count);
            for stored in self.outputs(late) {
                out.push(stored.param);
                match stored.place {
                    Place::Inline { at, size } => {
                        out.push(0);
                        put_number(out, u64::from(size));
                        out.extend_from_slice(&self.store.bytes[at as usize..][..size as usize]);
                    }
                    Place::Blob { number, size } => {
                        out.push(1);
                        put_number(out, size);
                        put_number(out, u64::from(number));
                    }
                    Place::Digest { at, size } => {
                        out.push(2);
                        put_number(out, size);
                        out.extend_from_slice(&self.store.digests[at as usize]);
                    }
                }
            }
        }
    }

    /// Adds `count` outcomes from bytes.
    pub fn read(&mut self, cut: &mut Cut<'_>, count: u32) -> Result<(), Malformed> {
        for _ in 0..count {
            let (number, result, before) = (cut.number()?, cut.number()?, cut.number()?);
            let output_count = cut.byte()?;
            for _ in 0..output_count {
                let [param, kind] = cut.array()?;
                let size = cut.number()?;
                let new = match kind {
                    0 => New::Inline(cut.take(usize::try_from(size).map_err(|_| Malformed("it ends too early"))?)?),
                    1 => New::Blob { number: cut.small()?, size },
                    2 => New::Digest { hash: cut.array()?, size },
                    _ => return Err(Malformed("a payload is of an unknown kind")),
                };
                self.store.add(param, new);
            }
            self.push(number, result, before, output_count);
        }
        Ok(())
    }

    /// Makes them findable by [`Outcomes::attach`].
    pub fn sort(&mut self) {
        self.list.sort_by_key(|late| late.number);
    }

    /// Gives the calls of a batch what came of them.
    pub fn attach(&self, batch: &mut Batch) {
        let begin = self.list.partition_point(|late| late.number < batch.first);
        for late in &self.list[begin..] {
            let Some(at) = late.number.checked_sub(batch.first).filter(|_| late.number < batch.end()) else { break };
            let at = at as usize;
            if batch.entries[at].returned {
                continue;
            }
            for stored in self.outputs(late) {
                let new = match stored.place {
                    Place::Inline { at, size } => New::Inline(&self.store.bytes[at as usize..][..size as usize]),
                    Place::Blob { number, size } => New::Blob { number, size },
                    Place::Digest { at, size } => New::Digest { hash: self.store.digests[at as usize], size },
                };
                batch.add(stored.param, new);
            }
            batch.leave(at, late.result, late.before, late.output_count);
        }
    }

    fn outputs(&self, late: &Late) -> &[crate::batch::Stored] {
        &self.store.payloads[late.first_output as usize..][..usize::from(late.output_count)]
    }
}
