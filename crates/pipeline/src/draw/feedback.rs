//! Transform feedback.

use raster::assemble;
use raster::assemble::PrimitiveKind;

use super::{Stats, Stream};
use crate::host::Resources;
use crate::program::Program;
use crate::state::State;

/// Captures the primitives of all streams; primitives that do not fit completely are dropped (GL 4.6, 13.3.2).
pub(super) fn run(
    state: &mut State,
    resources: &mut Resources,
    program: &Program,
    streams: &[Stream],
    stats: &mut Stats,
) {
    let Some(feedback) = state.feedback.as_mut().filter(|f| !f.paused) else { return };
    let provoking = state.raster.provoking;
    for (number, stream) in (0u32..).zip(streams) {
        let strides = program.capture.buffers.iter().enumerate();
        let strides: Vec<(u32, u32)> = strides
            .filter_map(|(buffer, row)| row.filter(|row| row.1 == number).map(|row| (buffer as u32, row.0)))
            .collect();
        if strides.is_empty() {
            continue;
        }
        let all: Vec<u32>;
        let order = match &stream.indices {
            Some(indices) => indices,
            None => {
                all = (0..stream.records.len() as u32).collect();
                &all
            }
        };
        for primitive in assemble(stream.topology, order, stream.restart, provoking) {
            let count = match primitive.kind {
                PrimitiveKind::Point => 1,
                PrimitiveKind::Line => 2,
                PrimitiveKind::Triangle => 3,
            };
            let room = |&(buffer, stride): &(u32, u32)| {
                let Some(range) = feedback.buffers.get(&buffer) else { return false };
                let bytes = resources.buffers.get(range.buffer.0 as usize).map_or(0, Vec::len);
                let bound = bytes.saturating_sub(range.offset as usize);
                let bound = range.size.map_or(bound, |size| bound.min(size as usize));
                let used = feedback.written.get(&buffer).copied().unwrap_or(0);
                used as usize + stride as usize * count as usize <= bound
            };
            if !strides.iter().all(room) {
                continue;
            }
            for &corner in &primitive.corners[..count as usize] {
                let record = stream.records.of(corner as usize);
                for word in program.capture.words.iter().filter(|w| strides.iter().any(|s| s.0 == w.buffer)) {
                    let Some(range) = feedback.buffers.get(&word.buffer) else { continue };
                    let used = feedback.written.get(&word.buffer).copied().unwrap_or(0);
                    let at = range.offset as usize + used as usize + word.offset as usize;
                    let bytes = resources.buffers.get_mut(range.buffer.0 as usize).and_then(|b| b.get_mut(at..at + 4));
                    let value = record.get(word.record as usize).copied().unwrap_or(0);
                    if let Some(bytes) = bytes {
                        bytes.copy_from_slice(&value.to_le_bytes());
                    }
                }
                for &(buffer, stride) in &strides {
                    *feedback.written.entry(buffer).or_default() += stride;
                }
            }
            stats.captured += 1;
        }
    }
}
