//! A batch from bytes that anybody may have written.

use super::encode::{BLOB, BY_CAPTURE, DIGEST, Form, IN_A_ROW, IN_PLANES, INLINE, RETURNED, sort};
use super::{Batch, Entry, Known, MAX_CALLS, MAX_INLINE, MAX_PAYLOADS, MAX_THREADS, MAX_WORDS, Place, Stored, column};
use crate::bytes::{Cut, Malformed};

/// Decodes batches; keeps its memory between them.
#[derive(Debug, Default)]
pub struct Decoder {
    forms: Vec<Form>,
    of_call: Vec<u16>,
    sorted: Vec<u32>,
    starts: Vec<u32>,
    values: Vec<u64>,
    kinds: Vec<u64>,
    sizes: Vec<u64>,
}

impl Decoder {
    /// Reads `count` calls of which the first has the number `first`, replacing what is in `batch`.
    pub fn decode(
        &mut self,
        cut: &mut Cut<'_>,
        (first, count): (u64, usize),
        signatures: &[Known],
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        batch.clear(first);
        if count > MAX_CALLS || first.checked_add(count as u64).is_none() {
            return Err(Malformed("it has too many calls"));
        }
        self.read_forms(cut, signatures)?;
        self.read_calls(cut, count)?;
        sort(&self.of_call, self.forms.len(), &mut self.starts, &mut self.sorted);
        self.lay_out(signatures, batch)?;
        for number in 0..self.forms.len() {
            self.read_table(cut, number, signatures, batch)?;
        }
        if !cut.is_empty() {
            return Err(Malformed("something follows the last call"));
        }
        Ok(())
    }

    fn read_forms(&mut self, cut: &mut Cut<'_>, signatures: &[Known]) -> Result<(), Malformed> {
        self.forms.clear();
        let count = cut.count()?;
        if count > MAX_CALLS {
            return Err(Malformed("it has too many forms of calls"));
        }
        for _ in 0..count {
            let signature = cut.small::<u16>()?;
            let thread = cut.small::<u32>()?;
            if thread >= MAX_THREADS {
                return Err(Malformed("a thread has too large a number"));
            }
            let [flags, inputs, outputs] = cut.array()?;
            if usize::from(signature) >= signatures.len() {
                return Err(Malformed("what its commands are called is not in the trace"));
            }
            let unreturned_outputs = flags & RETURNED == 0 && outputs > 0;
            if flags > (BY_CAPTURE | RETURNED) || unreturned_outputs {
                return Err(Malformed("a form of call is unknown"));
            }
            self.forms.push(Form { thread, signature, flags, inputs, outputs });
        }
        Ok(())
    }

    fn read_calls(&mut self, cut: &mut Cut<'_>, count: usize) -> Result<(), Malformed> {
        self.of_call.clear();
        if self.forms.len() <= 256 {
            self.of_call.extend(cut.take(count)?.iter().map(|byte| u16::from(*byte)));
        } else {
            let pairs = cut.take(2 * count)?.chunks_exact(2);
            self.of_call.extend(pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
        }
        if self.of_call.iter().any(|form| usize::from(*form) >= self.forms.len()) {
            return Err(Malformed("a call has no form"));
        }
        Ok(())
    }

    /// Gives every call its place for words and payloads.
    fn lay_out(&self, signatures: &[Known], batch: &mut Batch) -> Result<(), Malformed> {
        let (mut words, mut payloads) = (0usize, 0usize);
        for form in &self.of_call {
            let form = self.forms[usize::from(*form)];
            batch.entries.push(Entry {
                result: 0,
                before: 0,
                thread: form.thread,
                words: words as u32,
                inputs: payloads as u32,
                outputs: payloads as u32 + u32::from(form.inputs),
                signature: form.signature,
                input_count: form.inputs,
                output_count: form.outputs,
                by_capture: form.flags & BY_CAPTURE != 0,
                returned: form.flags & RETURNED != 0,
            });
            words += signatures[usize::from(form.signature)].signature.params.len();
            payloads += usize::from(form.inputs) + usize::from(form.outputs);
        }
        if words > MAX_WORDS || payloads > MAX_PAYLOADS {
            return Err(Malformed("its calls have too many arguments"));
        }
        batch.words.resize(words, 0);
        batch.payloads.resize(payloads, Stored { param: 0, place: Place::Inline { at: 0, size: 0 } });
        Ok(())
    }

    fn read_table(
        &mut self,
        cut: &mut Cut<'_>,
        number: usize,
        signatures: &[Known],
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        let form = self.forms[number];
        let range = self.starts[number] as usize..self.starts[number + 1] as usize;
        let count = range.len();
        for param in 0..signatures[usize::from(form.signature)].signature.params.len() {
            column::read(cut, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                batch.words[batch.entries[*call as usize].words as usize + param] = *value;
            }
        }
        if form.flags & RETURNED != 0 {
            column::read(cut, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                batch.entries[*call as usize].result = *value;
            }
            column::read(cut, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                let before = (batch.first + u64::from(*call) + 1).wrapping_add(*value);
                batch.entries[*call as usize].before = before;
            }
        }
        for slot in 0..u32::from(form.inputs) + u32::from(form.outputs) {
            self.read_payloads(cut, range.clone(), slot, batch)?;
        }
        Ok(())
    }

    /// Inputs and outputs of a call stand together here, so a slot counts through both.
    fn read_payloads(
        &mut self,
        cut: &mut Cut<'_>,
        range: std::ops::Range<usize>,
        slot: u32,
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        let count = range.len();
        let rows = &self.sorted[range];
        column::read(cut, count, &mut self.values)?;
        for (call, value) in rows.iter().zip(&self.values) {
            let param = u8::try_from(*value).map_err(|_| Malformed("a payload belongs to no parameter"))?;
            batch.payloads[(batch.entries[*call as usize].inputs + slot) as usize].param = param;
        }
        column::read(cut, count, &mut self.kinds)?;
        column::read(cut, count, &mut self.sizes)?;
        self.values.clear();
        if self.kinds.contains(&BLOB) {
            column::read(cut, count, &mut self.values)?;
        }
        let mut inline_bytes = 0usize;
        let mut inline = 0usize;
        for (kind, size) in self.kinds.iter().zip(&self.sizes) {
            if *kind == INLINE {
                let size = usize::try_from(*size).ok().filter(|size| *size <= MAX_INLINE);
                inline_bytes += size.ok_or(Malformed("a payload is too large"))?;
                inline += 1;
            }
        }
        // At most `MAX_CALLS` times `MAX_INLINE` so far, which no `usize` of 64 bits overflows.
        if batch.bytes.len() + inline_bytes > MAX_INLINE {
            return Err(Malformed("its payloads are too large"));
        }
        let mut at = batch.bytes.len();
        if inline > 0 {
            read_inline(cut, inline, inline_bytes, batch)?;
        }
        for (row, call) in rows.iter().enumerate() {
            let size = self.sizes[row];
            let place = match self.kinds[row] {
                INLINE => {
                    let place = Place::Inline { at: at as u32, size: size as u32 };
                    at += size as usize;
                    place
                }
                BLOB => {
                    let number = u32::try_from(self.values[row]).map_err(|_| Malformed("a blob has no number"))?;
                    Place::Blob { number, size }
                }
                DIGEST => {
                    batch.digests.push(cut.array()?);
                    Place::Digest { at: batch.digests.len() as u32 - 1, size }
                }
                _ => return Err(Malformed("a payload is of an unknown kind")),
            };
            batch.payloads[(batch.entries[*call as usize].inputs + slot) as usize].place = place;
        }
        Ok(())
    }
}

/// Reads the bytes of `count` payloads that have `total` bytes together.
fn read_inline(cut: &mut Cut<'_>, count: usize, total: usize, batch: &mut Batch) -> Result<(), Malformed> {
    match cut.byte()? {
        IN_A_ROW => batch.bytes.extend_from_slice(cut.take(total)?),
        IN_PLANES => {
            let size = total / count;
            if size * count != total {
                return Err(Malformed("payloads in planes differ in size"));
            }
            let kinds = cut.take(size.div_ceil(4))?;
            let begin = batch.bytes.len();
            batch.bytes.resize(begin + total, 0);
            for plane in 0..size {
                let slots = batch.bytes[begin + plane..].iter_mut().step_by(size);
                match kinds[plane / 4] >> (2 * (plane % 4)) & 3 {
                    0 => {}
                    1 => {
                        let byte = cut.byte()?;
                        slots.for_each(|slot| *slot = byte);
                    }
                    2 => slots.zip(cut.take(count)?).for_each(|(slot, byte)| *slot = *byte),
                    _ => return Err(Malformed("a plane is unknown")),
                }
            }
        }
        _ => return Err(Malformed("payloads are laid out in an unknown way")),
    }
    Ok(())
}
