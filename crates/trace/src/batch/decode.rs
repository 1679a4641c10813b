//! Decodes batches. The bytes are untrusted.

use super::encode::{BLOB, BY_CAPTURE, DIGEST, Form, IN_PLANES, INLINE, RETURNED, SEQUENTIAL, sort};
use super::{
    Batch, Entry, MAX_CALLS, MAX_INLINE, MAX_PAYLOADS, MAX_THREADS, MAX_WORDS, PayloadLocation, ResolvedSignature,
    Stored, column,
};
use crate::bytes::{ByteReader, Malformed};

/// Decodes batches and reuses its memory between them.
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
    /// Decodes `count` calls, the first numbered `first`, replacing the contents of `batch`.
    pub fn decode(
        &mut self,
        input: &mut ByteReader<'_>,
        (first, count): (u64, usize),
        signatures: &[ResolvedSignature],
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        batch.clear(first);
        if count > MAX_CALLS || first.checked_add(count as u64).is_none() {
            return Err(Malformed("the chunk has too many calls"));
        }
        self.read_forms(input, signatures)?;
        self.read_calls(input, count)?;
        sort(&self.of_call, self.forms.len(), &mut self.starts, &mut self.sorted);
        self.lay_out(signatures, batch)?;
        for number in 0..self.forms.len() {
            self.read_table(input, number, signatures, batch)?;
        }
        if !input.is_empty() {
            return Err(Malformed("there is data after the last call"));
        }
        Ok(())
    }

    fn read_forms(&mut self, input: &mut ByteReader<'_>, signatures: &[ResolvedSignature]) -> Result<(), Malformed> {
        self.forms.clear();
        let count = input.count()?;
        if count > MAX_CALLS {
            return Err(Malformed("the chunk has too many call forms"));
        }
        for _ in 0..count {
            let signature = input.small::<u16>()?;
            let thread = input.small::<u32>()?;
            if thread >= MAX_THREADS {
                return Err(Malformed("a thread number is too large"));
            }
            let [flags, inputs, outputs] = input.array()?;
            if usize::from(signature) >= signatures.len() {
                return Err(Malformed("the signature of a call is missing"));
            }
            let unreturned_outputs = flags & RETURNED == 0 && outputs > 0;
            if flags > (BY_CAPTURE | RETURNED) || unreturned_outputs {
                return Err(Malformed("a call form has unknown flags"));
            }
            self.forms.push(Form { thread, signature, flags, inputs, outputs });
        }
        Ok(())
    }

    fn read_calls(&mut self, input: &mut ByteReader<'_>, count: usize) -> Result<(), Malformed> {
        self.of_call.clear();
        if self.forms.len() <= 256 {
            self.of_call.extend(input.take(count)?.iter().map(|byte| u16::from(*byte)));
        } else {
            let pairs = input.take(2 * count)?.chunks_exact(2);
            self.of_call.extend(pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
        }
        if self.of_call.iter().any(|form| usize::from(*form) >= self.forms.len()) {
            return Err(Malformed("a call refers to a form that does not exist"));
        }
        Ok(())
    }

    /// Assigns each call its range of words and payloads.
    fn lay_out(&self, signatures: &[ResolvedSignature], batch: &mut Batch) -> Result<(), Malformed> {
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
            return Err(Malformed("the calls have too many arguments"));
        }
        batch.words.resize(words, 0);
        batch.payloads.resize(payloads, Stored { param: 0, location: PayloadLocation::Inline { at: 0, size: 0 } });
        Ok(())
    }

    fn read_table(
        &mut self,
        input: &mut ByteReader<'_>,
        number: usize,
        signatures: &[ResolvedSignature],
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        let form = self.forms[number];
        let range = self.starts[number] as usize..self.starts[number + 1] as usize;
        let count = range.len();
        for param in 0..signatures[usize::from(form.signature)].signature.params.len() {
            column::read(input, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                batch.words[batch.entries[*call as usize].words as usize + param] = *value;
            }
        }
        if form.flags & RETURNED != 0 {
            column::read(input, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                batch.entries[*call as usize].result = *value;
            }
            column::read(input, count, &mut self.values)?;
            for (call, value) in self.sorted[range.clone()].iter().zip(&self.values) {
                let before = (batch.first + u64::from(*call) + 1).wrapping_add(*value);
                batch.entries[*call as usize].before = before;
            }
        }
        for slot in 0..u32::from(form.inputs) + u32::from(form.outputs) {
            self.read_payloads(input, range.clone(), slot, batch)?;
        }
        Ok(())
    }

    /// Inputs and outputs of a call are stored together here; slots number both.
    fn read_payloads(
        &mut self,
        input: &mut ByteReader<'_>,
        range: std::ops::Range<usize>,
        slot: u32,
        batch: &mut Batch,
    ) -> Result<(), Malformed> {
        let count = range.len();
        let rows = &self.sorted[range];
        column::read(input, count, &mut self.values)?;
        for (call, value) in rows.iter().zip(&self.values) {
            let param = u8::try_from(*value).map_err(|_| Malformed("a payload refers to no parameter"))?;
            batch.payloads[(batch.entries[*call as usize].inputs + slot) as usize].param = param;
        }
        column::read(input, count, &mut self.kinds)?;
        column::read(input, count, &mut self.sizes)?;
        self.values.clear();
        if self.kinds.contains(&BLOB) {
            column::read(input, count, &mut self.values)?;
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
        // So far at most `MAX_CALLS` times `MAX_INLINE`, which cannot overflow a 64-bit `usize`.
        if batch.bytes.len() + inline_bytes > MAX_INLINE {
            return Err(Malformed("the payloads are too large"));
        }
        let mut at = batch.bytes.len();
        if inline > 0 {
            read_inline(input, inline, inline_bytes, batch)?;
        }
        for (row, call) in rows.iter().enumerate() {
            let size = self.sizes[row];
            let location = match self.kinds[row] {
                INLINE => {
                    let location = PayloadLocation::Inline { at: at as u32, size: size as u32 };
                    at += size as usize;
                    location
                }
                BLOB => {
                    let number =
                        u32::try_from(self.values[row]).map_err(|_| Malformed("a blob number is too large"))?;
                    PayloadLocation::Blob { number, size }
                }
                DIGEST => {
                    batch.digests.push(input.array()?);
                    PayloadLocation::Digest { at: batch.digests.len() as u32 - 1, size }
                }
                _ => return Err(Malformed("a payload has an unknown kind")),
            };
            batch.payloads[(batch.entries[*call as usize].inputs + slot) as usize].location = location;
        }
        Ok(())
    }
}

/// Reads the bytes of `count` payloads with a total size of `total` bytes.
fn read_inline(input: &mut ByteReader<'_>, count: usize, total: usize, batch: &mut Batch) -> Result<(), Malformed> {
    match input.byte()? {
        SEQUENTIAL => batch.bytes.extend_from_slice(input.take(total)?),
        IN_PLANES => {
            let size = total / count;
            if size * count != total {
                return Err(Malformed("payloads in planes differ in size"));
            }
            let kinds = input.take(size.div_ceil(4))?;
            let begin = batch.bytes.len();
            batch.bytes.resize(begin + total, 0);
            for plane in 0..size {
                let slots = batch.bytes[begin + plane..].iter_mut().step_by(size);
                match kinds[plane / 4] >> (2 * (plane % 4)) & 3 {
                    0 => {}
                    1 => {
                        let byte = input.byte()?;
                        slots.for_each(|slot| *slot = byte);
                    }
                    2 => slots.zip(input.take(count)?).for_each(|(slot, byte)| *slot = *byte),
                    _ => return Err(Malformed("unknown plane encoding")),
                }
            }
        }
        _ => return Err(Malformed("the payloads have an unknown layout")),
    }
    Ok(())
}
