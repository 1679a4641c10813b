//! Encodes batches: calls of the same form are grouped, and each argument of a group is a column.
//!
//! ```text
//! number of forms; for each its signature, thread, flags, number of inputs, number of outputs
//! for each call the number of its form: one byte, or two when there are more than 256 forms
//! for each form: a column for each argument; if its calls returned, columns of results and of `before`;
//!     for each payload columns of parameter, kind, size and blob; then the payloads' bytes
//! ```

use std::collections::HashMap;

use super::method::Methods;
use super::{Batch, PayloadLocation, ResolvedSignature, Stored};
use crate::bytes::put_number;

pub const BY_CAPTURE: u8 = 1;
pub const RETURNED: u8 = 2;

pub const INLINE: u64 = 0;
pub const BLOB: u64 = 1;
pub const DIGEST: u64 = 2;

/// Inline payloads stored one after the other.
pub const SEQUENTIAL: u8 = 0;
/// Inline payloads of the same size, stored as planes of bytes.
pub const IN_PLANES: u8 = 1;

/// What the calls of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    pub thread: u32,
    pub signature: u16,
    pub flags: u8,
    pub inputs: u8,
    pub outputs: u8,
}

/// Encodes batches and reuses its memory between them.
pub struct Encoder {
    forms: Vec<Form>,
    numbers: HashMap<Form, u16>,
    /// By signature, the form of its last call.
    last: Vec<u16>,
    of_call: Vec<u16>,
    /// Calls sorted by form, and the index of each form's first call among them.
    sorted: Vec<u32>,
    starts: Vec<u32>,
    values: Vec<u64>,
    methods: Methods,
}

impl Encoder {
    /// Creates an encoder whose output will be compressed with zstd at this level.
    pub fn new(level: i32) -> std::io::Result<Self> {
        Ok(Encoder {
            forms: Vec::new(),
            numbers: HashMap::new(),
            last: Vec::new(),
            of_call: Vec::new(),
            sorted: Vec::new(),
            starts: Vec::new(),
            values: Vec::new(),
            methods: Methods::new(level)?,
        })
    }

    /// Appends a batch.
    pub fn encode(&mut self, batch: &Batch, signatures: &[ResolvedSignature], out: &mut Vec<u8>) {
        self.find_forms(batch, signatures.len());
        sort(&self.of_call, self.forms.len(), &mut self.starts, &mut self.sorted);
        put_number(out, self.forms.len() as u64);
        for form in &self.forms {
            put_number(out, u64::from(form.signature));
            put_number(out, u64::from(form.thread));
            out.extend_from_slice(&[form.flags, form.inputs, form.outputs]);
        }
        if self.forms.len() <= 256 {
            out.extend(self.of_call.iter().map(|form| *form as u8));
        } else {
            out.extend(self.of_call.iter().flat_map(|form| form.to_le_bytes()));
        }
        for (number, form) in self.forms.iter().enumerate() {
            let rows = &self.sorted[self.starts[number] as usize..self.starts[number + 1] as usize];
            self.methods.begin(form.signature);
            let mut table = Table { batch, rows, values: &mut self.values, methods: &mut self.methods, out };
            for param in 0..signatures[usize::from(form.signature)].signature.params.len() {
                table.column(|call, _| batch.words[batch.entries[call].words as usize + param]);
            }
            if form.flags & RETURNED != 0 {
                table.column(|call, _| batch.entries[call].result);
                table.column(|call, number| batch.entries[call].before.wrapping_sub(number + 1));
            }
            for slot in 0..u32::from(form.inputs) {
                table.payloads(|call| batch.payloads[(batch.entries[call].inputs + slot) as usize]);
            }
            for slot in 0..u32::from(form.outputs) {
                table.payloads(|call| batch.payloads[(batch.entries[call].outputs + slot) as usize]);
            }
        }
    }

    fn find_forms(&mut self, batch: &Batch, signatures: usize) {
        self.forms.clear();
        self.numbers.clear();
        self.of_call.clear();
        self.last.clear();
        self.last.resize(signatures, u16::MAX);
        for entry in &batch.entries {
            let mut flags = 0;
            if entry.by_capture {
                flags |= BY_CAPTURE;
            }
            if entry.returned {
                flags |= RETURNED;
            }
            let form = Form {
                thread: entry.thread,
                signature: entry.signature,
                flags,
                inputs: entry.input_count,
                outputs: entry.output_count,
            };
            let last = &mut self.last[usize::from(entry.signature)];
            if self.forms.get(usize::from(*last)) != Some(&form) {
                *last = *self.numbers.entry(form).or_insert_with(|| {
                    self.forms.push(form);
                    self.forms.len() as u16 - 1
                });
            }
            self.of_call.push(*last);
        }
    }
}

/// Sorts calls by form, keeping their order within one.
pub fn sort(of_call: &[u16], forms: usize, starts: &mut Vec<u32>, sorted: &mut Vec<u32>) {
    starts.clear();
    starts.resize(forms + 1, 0);
    for form in of_call {
        starts[usize::from(*form) + 1] += 1;
    }
    for form in 0..forms {
        starts[form + 1] += starts[form];
    }
    sorted.clear();
    sorted.resize(of_call.len(), 0);
    // `starts[f]` advances through the rows of its form and ends where form f + 1 begins; it is reset afterwards.
    for (call, form) in of_call.iter().enumerate() {
        let next = &mut starts[usize::from(*form)];
        sorted[*next as usize] = call as u32;
        *next += 1;
    }
    starts.copy_within(0..forms, 1);
    starts[0] = 0;
}

/// The calls of one form.
struct Table<'a> {
    batch: &'a Batch,
    rows: &'a [u32],
    values: &'a mut Vec<u64>,
    methods: &'a mut Methods,
    out: &'a mut Vec<u8>,
}

impl Table<'_> {
    fn column(&mut self, value: impl Fn(usize, u64) -> u64) {
        let first = self.batch.first;
        self.values.clear();
        self.values.extend(self.rows.iter().map(|call| value(*call as usize, first + u64::from(*call))));
        self.methods.write(self.out, self.values);
    }

    fn payloads(&mut self, payload: impl Fn(usize) -> Stored) {
        self.column(|call, _| u64::from(payload(call).param));
        self.column(|call, _| match payload(call).location {
            PayloadLocation::Inline { .. } => INLINE,
            PayloadLocation::Blob { .. } => BLOB,
            PayloadLocation::Digest { .. } => DIGEST,
        });
        self.column(|call, _| match payload(call).location {
            PayloadLocation::Inline { size, .. } => u64::from(size),
            PayloadLocation::Blob { size, .. } | PayloadLocation::Digest { size, .. } => size,
        });
        let mut blobs = 0;
        let mut inline = 0;
        let mut same = Some(None);
        for call in self.rows {
            match payload(*call as usize).location {
                PayloadLocation::Inline { size, .. } => {
                    inline += 1;
                    if same == Some(None) {
                        same = Some(Some(size));
                    } else if same != Some(Some(size)) {
                        same = None;
                    }
                }
                PayloadLocation::Blob { .. } => blobs += 1,
                PayloadLocation::Digest { .. } => {}
            }
        }
        if blobs > 0 {
            self.column(|call, _| match payload(call).location {
                PayloadLocation::Blob { number, .. } => u64::from(number),
                PayloadLocation::Inline { .. } | PayloadLocation::Digest { .. } => 0,
            });
        }
        if inline > 0 {
            self.inline(&payload, same.flatten().filter(|_| inline > 1));
        }
        for call in self.rows {
            if let PayloadLocation::Digest { at, .. } = payload(*call as usize).location {
                self.out.extend_from_slice(&self.batch.digests[at as usize]);
            }
        }
    }

    fn inline(&mut self, payload: impl Fn(usize) -> Stored, same: Option<u32>) {
        let rows = self.rows;
        let starts = rows.iter().filter_map(|call| match payload(*call as usize).location {
            PayloadLocation::Inline { at, size } => Some((at as usize, size as usize)),
            PayloadLocation::Blob { .. } | PayloadLocation::Digest { .. } => None,
        });
        let bytes = &self.batch.bytes;
        let size = same.filter(|_| self.methods.in_planes(starts.clone().map(|(at, size)| &bytes[at..at + size])));
        let Some(size) = size else {
            self.out.push(SEQUENTIAL);
            for (at, size) in starts {
                self.out.extend_from_slice(&bytes[at..at + size]);
            }
            return;
        };
        self.out.push(IN_PLANES);
        self.values.clear();
        self.values.extend(starts.map(|(at, _)| at as u64));
        write_planes(self.out, bytes, self.values, size as usize);
    }
}

/// Appends payloads of the same size that start at these offsets, as planes.
pub fn write_planes(out: &mut Vec<u8>, bytes: &[u8], starts: &[u64], size: usize) {
    let kinds = out.len();
    out.resize(kinds + size.div_ceil(4), 0);
    for plane in 0..size {
        let first = bytes[starts[0] as usize + plane];
        let begin = out.len();
        let mut differing = 0;
        out.extend(starts.iter().map(|at| {
            let byte = bytes[*at as usize + plane];
            differing |= byte ^ first;
            byte
        }));
        let kind = match (differing, first) {
            (0, 0) => {
                out.truncate(begin);
                0
            }
            (0, _) => {
                out.truncate(begin + 1);
                1
            }
            _ => 2,
        };
        out[kinds + plane / 4] |= kind << (2 * (plane % 4));
    }
}
