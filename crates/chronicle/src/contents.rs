//! Bytes of buffers, found by following who wrote them.

use state::objects::buffer::Buffer;
use state::records::Write;
use state::{Model, Origin};
use trace::{Bytes, ReadError};

use crate::chronicle::{Chronicle, ChronicleError};

/// Copies of copies are followed to this depth; beyond it, bytes count as written by the GPU.
const DEPTH: u32 = 64;

/// Bytes of contents that are put together at a time. A buffer that is filled with one value may have any size.
pub(crate) const MOST_BYTES: u64 = 1 << 28;

/// Part of a buffer: the call that wrote it, and its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its first byte.
    pub from: u64,
    /// The first byte behind it.
    pub to: u64,
    /// The call that wrote it; `None` if there is none.
    pub call: Option<u64>,
    /// Its bytes.
    pub found: PieceContents,
}

/// Bytes of a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PieceContents {
    /// Known bytes.
    Bytes(Vec<u8>),
    /// Only a driver can say: the work of shaders or fixed functions.
    Gpu,
    /// No call wrote them, so they are undefined.
    Unwritten,
    /// The trace does not have them: they were not kept, or are lost.
    Lost,
}

impl Chronicle {
    /// What is in a buffer of a share group from byte `from` up to and without `to`, piece by piece.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn contents(
        &self,
        model: &Model,
        group: usize,
        object: u64,
        from: u64,
        to: u64,
    ) -> Result<Vec<Piece>, ChronicleError> {
        let mut pieces = Vec::new();
        self.find(model, group, object, (from, to), DEPTH, &mut pieces)?;
        Ok(pieces)
    }

    fn find(
        &self,
        model: &Model,
        group: usize,
        object: u64,
        (from, to): (u64, u64),
        depth: u32,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), ChronicleError> {
        let Some(buffer) = model.groups.get(group).and_then(|group| group.buffer_numbered(object)) else {
            pieces.push(Piece { from, to, call: None, found: PieceContents::Lost });
            return Ok(());
        };
        let mut place = from;
        for (first, end, write) in writes(buffer, from, to) {
            if place < first {
                pieces.push(Piece { from: place, to: first, call: None, found: PieceContents::Unwritten });
            }
            place = end;
            let call = Some(write.call);
            // Where the piece begins, counted from the first byte that the call wrote.
            let into = first - write.began;
            match write.origin {
                Origin::Memory { param, skip } => {
                    let found = self.memory(write.call, param, skip.saturating_add(into), end - first)?;
                    pieces.push(Piece { from: first, to: end, call, found });
                }
                Origin::Buffer { object, from } if depth > 0 => {
                    let before = self.before(write.call)?;
                    let begin = from.saturating_add(into);
                    let source = (begin, begin.saturating_add(end - first));
                    let mut copied = Vec::new();
                    self.find(&before, group, object, source, depth - 1, &mut copied)?;
                    pieces.extend(copied.into_iter().map(|piece| Piece {
                        from: piece.from - source.0 + first,
                        to: piece.to - source.0 + first,
                        call,
                        found: piece.found,
                    }));
                }
                Origin::Fill(_) if end - first > MOST_BYTES => {
                    pieces.push(Piece { from: first, to: end, call, found: PieceContents::Lost });
                }
                Origin::Fill(pattern) => {
                    let bytes = pattern.bytes();
                    let at = |index: u64| bytes[((into + index) % bytes.len() as u64) as usize];
                    let found = PieceContents::Bytes((0..end - first).map(at).collect());
                    pieces.push(Piece { from: first, to: end, call, found });
                }
                Origin::Undefined => pieces.push(Piece { from: first, to: end, call, found: PieceContents::Unwritten }),
                Origin::Buffer { .. } | Origin::Gpu => {
                    pieces.push(Piece { from: first, to: end, call, found: PieceContents::Gpu });
                }
            }
        }
        if place < to {
            pieces.push(Piece { from: place, to, call: None, found: PieceContents::Unwritten });
        }
        Ok(())
    }

    /// Bytes of the memory behind a parameter of a call.
    pub(crate) fn memory(&self, call: u64, param: u8, from: u64, size: u64) -> Result<PieceContents, ChronicleError> {
        let held = match self.reader().call_at(call) {
            Ok(held) => held,
            Err(ReadError::Lost { .. }) => return Ok(PieceContents::Lost),
            Err(error) => return Err(error.into()),
        };
        let Some(data) = held.call().input(param) else { return Ok(PieceContents::Lost) };
        let bytes = match self.reader().bytes(data) {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(ReadError::LostBlob { .. }) => return Ok(PieceContents::Lost),
            Err(error) => return Err(error.into()),
        };
        let bytes: &[u8] = match &bytes {
            Bytes::Inline(bytes) => bytes,
            Bytes::Blob(bytes) => bytes,
        };
        let range = from as usize..from.saturating_add(size) as usize;
        Ok(bytes.get(range).map_or(PieceContents::Lost, |bytes| PieceContents::Bytes(bytes.to_vec())))
    }
}

fn writes(buffer: &Buffer, from: u64, to: u64) -> Vec<(u64, u64, Write)> {
    buffer.records.within(from, to).map(|(first, end, write)| (first, end, *write)).collect()
}
