//! Chooses column encodings by trying them.

use std::collections::HashMap;

use super::column::{self, Method};
use super::encode::write_planes;

/// Number of batches for which a choice is reused.
const REUSED_BATCHES: u8 = 24;
/// Columns with fewer values than this are not tried.
const MIN_VALUES: usize = 64;
/// Bytes of inline payloads to try.
const SAMPLE: usize = 64 << 10;

/// Remembers the best encoding by command and column.
pub struct Methods {
    known: HashMap<(u16, u16), (Method, u8)>,
    signature: u16,
    column: u16,
    packer: zstd::bulk::Compressor<'static>,
    tried: Vec<u8>,
    packed: Vec<u8>,
    differences: Vec<u64>,
}

impl Methods {
    pub fn new(level: i32) -> std::io::Result<Self> {
        Ok(Methods {
            known: HashMap::new(),
            signature: 0,
            column: 0,
            packer: zstd::bulk::Compressor::new(level)?,
            tried: Vec::new(),
            packed: Vec::new(),
            differences: Vec::new(),
        })
    }

    /// Starts the columns of calls of this command.
    pub fn begin(&mut self, signature: u16) {
        self.signature = signature;
        self.column = 0;
    }

    /// Appends the next column.
    pub fn write(&mut self, out: &mut Vec<u8>, values: &[u64]) {
        let key = (self.signature, self.column);
        self.column += 1;
        let method = match self.remembered(key) {
            Some(method) => method,
            None if values.len() < MIN_VALUES || values.iter().all(|value| *value == values[0]) => Method::Words,
            None => {
                let sizes = Method::ALL.map(|method| (self.size(values, method), method));
                let best = sizes.iter().min_by_key(|(size, _)| *size).map_or(Method::Words, |(_, method)| *method);
                self.known.insert(key, (best, REUSED_BATCHES));
                best
            }
        };
        column::write(out, values, &mut self.differences, || method);
    }

    /// Returns whether inline payloads of the same size, which are the next column, are better written as planes.
    pub fn in_planes<'a>(&mut self, payloads: impl Iterator<Item = &'a [u8]>) -> bool {
        let key = (self.signature, self.column);
        self.column += 1;
        if let Some(method) = self.remembered(key) {
            return method == Method::Planes;
        }
        let mut sample = Vec::new();
        let mut starts = Vec::new();
        for payload in payloads {
            starts.push(sample.len() as u64);
            sample.extend_from_slice(payload);
            if sample.len() >= SAMPLE {
                break;
            }
        }
        let plain = self.packed_size(&sample);
        let mut planes = Vec::new();
        write_planes(&mut planes, &sample, &starts, sample.len() / starts.len().max(1));
        let method = if self.packed_size(&planes) < plain { Method::Planes } else { Method::Words };
        // A few payloads are no good sample of later ones.
        if starts.len() >= MIN_VALUES {
            self.known.insert(key, (method, REUSED_BATCHES));
        }
        method == Method::Planes
    }

    fn remembered(&mut self, key: (u16, u16)) -> Option<Method> {
        let (method, left) = self.known.get_mut(&key)?;
        let method = *method;
        match left.checked_sub(1) {
            Some(less) => *left = less,
            None => {
                self.known.remove(&key);
            }
        }
        Some(method)
    }

    /// Returns how small a method makes a column.
    fn size(&mut self, values: &[u64], method: Method) -> usize {
        let mut tried = std::mem::take(&mut self.tried);
        tried.clear();
        column::write(&mut tried, values, &mut self.differences, || method);
        let size = self.packed_size(&tried);
        self.tried = tried;
        size
    }

    fn packed_size(&mut self, bytes: &[u8]) -> usize {
        self.packed.clear();
        self.packed.resize(zstd::zstd_safe::compress_bound(bytes.len()), 0);
        self.packer.compress_to_buffer(bytes, &mut self.packed[..]).unwrap_or(usize::MAX)
    }
}
