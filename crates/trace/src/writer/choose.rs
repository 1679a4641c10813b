//! Chooses filters for blobs by trying some on a sample.

use std::collections::HashMap;

use crate::filter::Filter;

/// Bytes of a blob to try filters on.
const SAMPLE: usize = 4096;
/// Blobs of a class that get the same filter before it is chosen again.
const REUSED_BLOBS: u32 = 48;
/// Blob classes remembered.
const MAX_CLASSES: usize = 4096;
/// Typical strides of vertices, indices and texels.
const STRIDES: [u8; 20] = [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64];
/// Vertices per primitive, and 1 for numbers that increase steadily.
const ROWS: [u8; 5] = [1, 2, 3, 4, 6];
/// A compressor takes as long for this many bytes of a match as for one literal byte.
const MATCH_DISCOUNT: usize = 16;

/// Where blobs come from; those of one class are probably alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlobClass {
    pub signature: u16,
    pub param: u8,
    pub size: usize,
}

/// Remembers the best filter by class.
pub struct Chooser {
    filters: HashMap<BlobClass, (Filter, u32)>,
    packer: zstd::bulk::Compressor<'static>,
    filtered: Vec<u8>,
    packed: Vec<u8>,
}

impl Chooser {
    pub fn new(level: i32) -> std::io::Result<Self> {
        let packer = zstd::bulk::Compressor::new(level)?;
        Ok(Chooser { filters: HashMap::new(), packer, filtered: Vec::new(), packed: Vec::new() })
    }

    /// Returns a filter for a blob.
    pub fn choose(&mut self, class: BlobClass, bytes: &[u8]) -> Filter {
        if let Some((filter, left)) = self.filters.get_mut(&class)
            && *left > 0
        {
            *left -= 1;
            return *filter;
        }
        let middle = bytes.len().saturating_sub(SAMPLE) / 2;
        let filter = self.try_filters(&bytes[middle..bytes.len().min(middle + SAMPLE)]);
        if self.filters.len() >= MAX_CLASSES {
            self.filters.clear();
        }
        self.filters.insert(class, (filter, REUSED_BLOBS));
        filter
    }

    fn try_filters(&mut self, sample: &[u8]) -> Filter {
        let mut best = (Filter::NONE, self.cost(Filter::NONE, sample));
        // Bytes that hardly compress, such as noise or a compressed texture, are not worth a filter that gains little.
        let worth = best.1 - best.1 / 10;
        for stride in likely_strides(sample) {
            for number in [0, 1, 2, 4] {
                for rows in [0, self.likely_rows(stride, number, sample)] {
                    let Ok(filter) = (Filter { stride, number, rows }).check() else { continue };
                    if filter == (Filter { stride: 1, number: 0, rows: 0 }) {
                        continue;
                    }
                    let cost = self.cost(filter, sample);
                    if cost < best.1 && cost < worth {
                        best = (filter, cost);
                    }
                }
            }
        }
        best.0
    }

    /// Returns the estimated size on disk of a sample with a filter.
    fn cost(&mut self, filter: Filter, sample: &[u8]) -> usize {
        self.filtered.clear();
        filter.apply(sample, &mut self.filtered);
        self.packed.clear();
        self.packed.resize(zstd::zstd_safe::compress_bound(self.filtered.len()), 0);
        match self.packer.compress_to_buffer(&self.filtered, &mut self.packed[..]) {
            Ok(packed) => packed + self.filtered.len() / MATCH_DISCOUNT,
            Err(_) => usize::MAX,
        }
    }

    /// Returns the rows per primitive that leave out the most blocks.
    fn likely_rows(&mut self, stride: u8, number: u8, sample: &[u8]) -> u8 {
        let length = |rows: &u8| {
            self.filtered.clear();
            if let Ok(filter) = (Filter { stride, number, rows: *rows }).check() {
                filter.apply(sample, &mut self.filtered);
            }
            self.filtered.len()
        };
        ROWS.into_iter().min_by_key(length).unwrap_or(0)
    }
}

/// Returns the two strides at which most bytes repeat.
fn likely_strides(sample: &[u8]) -> [u8; 2] {
    let repeats = |stride: u8| {
        let later = sample.get(usize::from(stride)..).unwrap_or_default();
        sample.iter().zip(later).filter(|(a, b)| a == b).count()
    };
    let (mut first, mut second) = ((0, STRIDES[0]), (0, STRIDES[1]));
    for stride in STRIDES {
        // A multiple of a stride repeats as well, but must not beat it.
        let this = (repeats(stride), stride);
        if this.0 > first.0 {
            second = std::mem::replace(&mut first, this);
        } else if this.0 > second.0 {
            second = this;
        }
    }
    [first.1, second.1]
}
