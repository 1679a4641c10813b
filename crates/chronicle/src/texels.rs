//! Texels of images, found by following who wrote them. Nothing is converted: pixels are given as the program gave them.

use api::extent::pixels::{pixel, type_size};
use state::objects::format::Format;
use state::records::{Aspect, ClearValue, Job, Pixels, RecordedWrite, Texels};
use state::{ContentsRef, Region};

use crate::chronicle::{Chronicle, ChronicleError};
use crate::contents::{MOST_BYTES, PieceContents};

/// Copies of copies are followed to this depth; beyond it, texels count as written by the GPU.
const DEPTH: u32 = 32;

/// Part of an image: the call that wrote it, and its texels.
#[derive(Clone, PartialEq, Debug)]
pub struct TexelPiece {
    /// Where it is.
    pub region: Region,
    /// The call that wrote it; `None` if there is none.
    pub call: Option<u64>,
    /// Its texels.
    pub found: FoundTexels,
}

/// Texels of a piece.
#[derive(Clone, PartialEq, Debug)]
pub enum FoundTexels {
    /// Pixels of a format and a type, row by row without gaps. Of compressed ones these are blocks, the format is 0 and the
    /// type the internal format; they may have more texels than were asked for, as blocks do.
    Pixels {
        /// The format.
        format: u32,
        /// The type.
        kind: u32,
        /// Their bytes.
        bytes: Vec<u8>,
    },
    /// One value everywhere.
    Cleared(ClearValue),
    /// Only a driver can say.
    Gpu(Job),
    /// They were copied from elsewhere and changed on the way: scaled, resolved or converted, as only a driver can say.
    Changed,
    /// No call wrote them, so they are undefined.
    Unwritten,
    /// The trace does not have them: they were not kept, or are lost.
    Lost,
}

/// What is looked for.
#[derive(Clone, Copy)]
struct TexelQuery {
    group: usize,
    image: ContentsRef,
    region: Region,
    aspect: Aspect,
}

impl Chronicle {
    /// What is in a region of an image of a share group before a call, piece by piece, in no particular order. Where an
    /// image has both depth and stencil, `aspect` says which is meant; they may have been written apart.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn texels(
        &self,
        number: u64,
        (group, image): (usize, ContentsRef),
        region: Region,
        aspect: Aspect,
    ) -> Result<Vec<TexelPiece>, ChronicleError> {
        self.find_texels(number, TexelQuery { group, image, region, aspect }, DEPTH)
    }

    fn find_texels(&self, number: u64, wanted: TexelQuery, depth: u32) -> Result<Vec<TexelPiece>, ChronicleError> {
        let (_, images) = self.moment(number)?;
        let Some(records) = images.records(wanted.group, wanted.image) else {
            return Ok(vec![TexelPiece { region: wanted.region, call: None, found: FoundTexels::Lost }]);
        };
        let (mut pieces, mut open) = (Vec::new(), vec![wanted.region]);
        // The newest writes are on top; each takes what it has of that which none took so far.
        for recorded in records.writes().rev().filter(|recorded| recorded.write.aspect.meets(wanted.aspect)) {
            let mut rest = Vec::new();
            for region in open {
                match region.meet(&recorded.write.region) {
                    None => rest.push(region),
                    Some(met) => {
                        rest.extend(region.without(&met));
                        pieces.extend(self.resolve(recorded, TexelQuery { region: met, ..wanted }, depth)?);
                    }
                }
            }
            open = rest;
        }
        pieces.extend(open.into_iter().map(|region| TexelPiece { region, call: None, found: FoundTexels::Unwritten }));
        Ok(pieces)
    }

    /// What one write put into part of its region.
    fn resolve(
        &self,
        recorded: &RecordedWrite,
        wanted: TexelQuery,
        depth: u32,
    ) -> Result<Vec<TexelPiece>, ChronicleError> {
        let (region, call) = (wanted.region, recorded.call);
        let into = [0, 1].map(|axis| region.at[axis] - recorded.write.region.at[axis]);
        let found = match recorded.write.texels {
            Texels::Memory { param, pixels } => match part(&pixels, into, region.size()) {
                Some(part) => self.memory(call, param, part.from, part.length())?.texels(&pixels, &part),
                None => FoundTexels::Lost,
            },
            Texels::Buffer { object, from, pixels } => match part(&pixels, into, region.size()) {
                Some(part) => {
                    let before = self.before(call)?;
                    let first = from.saturating_add(part.from);
                    let end = first.saturating_add(part.length());
                    let pieces = self.contents(&before, wanted.group, object, first, end)?;
                    let bytes = pieces.into_iter().map(|piece| piece.found).reduce(PieceContents::join);
                    bytes.unwrap_or(PieceContents::Lost).texels(&pixels, &part)
                }
                None => FoundTexels::Lost,
            },
            Texels::Image { of, from, exact: true } if depth > 0 => {
                let at = [0, 1].map(|axis| from[axis] + into[axis]);
                let source = Region { at, end: [0, 1].map(|axis| at[axis] + region.size()[axis]) };
                let there = self.find_texels(call, TexelQuery { image: of, region: source, ..wanted }, depth - 1)?;
                let moved = |region_of: Region| Region {
                    at: [0, 1].map(|axis| region_of.at[axis] - at[axis] + region.at[axis]),
                    end: [0, 1].map(|axis| region_of.end[axis] - at[axis] + region.at[axis]),
                };
                let here = |piece: TexelPiece| TexelPiece { region: moved(piece.region), call: Some(call), ..piece };
                return Ok(there.into_iter().map(here).collect());
            }
            Texels::Image { .. } => FoundTexels::Changed,
            Texels::Clear(ClearValue::Pixel { param, format, kind }) => {
                self.filled(call, param, format, kind, region)?
            }
            Texels::Clear(value) => FoundTexels::Cleared(value),
            Texels::Gpu(job) => FoundTexels::Gpu(job),
            Texels::Undefined => FoundTexels::Unwritten,
        };
        // Of several draws, the last is the one to look at first.
        let call = if matches!(found, FoundTexels::Gpu(_)) { recorded.last } else { call };
        Ok(vec![TexelPiece { region, call: Some(call), found }])
    }

    /// One pixel of a call's memory, everywhere.
    fn filled(
        &self,
        call: u64,
        param: u8,
        format: u32,
        kind: u32,
        region: Region,
    ) -> Result<FoundTexels, ChronicleError> {
        let Some(size) = pixel(format, kind) else { return Ok(FoundTexels::Lost) };
        let texels = region.size().iter().fold(1, |all: u64, side| all.saturating_mul(u64::from(*side)));
        if texels.saturating_mul(size as u64) > MOST_BYTES {
            return Ok(FoundTexels::Lost);
        }
        Ok(match self.memory(call, param, 0, size as u64)? {
            PieceContents::Bytes(bytes) => FoundTexels::Pixels { format, kind, bytes: bytes.repeat(texels as usize) },
            _ => FoundTexels::Lost,
        })
    }
}

/// Where part of an image lies in memory.
struct Part {
    from: u64,
    rows: u64,
    /// Bytes from one row to the next.
    stride: u64,
    /// Bytes of a row.
    row: u64,
}

impl Part {
    /// Returns it, unless it has more bytes than are looked at.
    fn checked(self) -> Option<Part> {
        (self.rows.checked_mul(self.row)? <= MOST_BYTES).then_some(self)
    }

    /// How many bytes there are from the first to the end of the last.
    fn length(&self) -> u64 {
        self.rows.saturating_sub(1).saturating_mul(self.stride).saturating_add(self.row)
    }
}

/// Where part of pixels lies in memory: `into` is its first texel, counted from theirs. Nothing when that cannot be said.
fn part(pixels: &Pixels, into: [u32; 2], size: [u32; 2]) -> Option<Part> {
    let ([x, y], [width, height]) = (into.map(u64::from), size.map(u64::from));
    if pixels.format != 0 {
        let texel = pixel(pixels.format, pixels.kind)? as u64;
        let from = pixels.first.checked_add(y.checked_mul(pixels.row)?)?.checked_add(x * texel)?;
        return Part { from, rows: height, stride: pixels.row, row: width * texel }.checked();
    }
    let block = Format::named(pixels.kind)?.block;
    let (wide, high, bytes) = (u64::from(block.0), u64::from(block.1), u64::from(block.2));
    // Where it begins or ends within a block, the whole block is given.
    let (left, below) = (x / wide, y / high);
    let (right, above) = ((x + width).div_ceil(wide), (y + height).div_ceil(high));
    let from = pixels.first.checked_add(below.checked_mul(pixels.row)?)?.checked_add(left * bytes)?;
    Part { from, rows: above - below, stride: pixels.row, row: (right - left) * bytes }.checked()
}

impl PieceContents {
    /// Appends this to earlier texels: bytes if both are known, otherwise the less certain of the two.
    fn join(self, next: PieceContents) -> PieceContents {
        match (self, next) {
            (PieceContents::Bytes(mut bytes), PieceContents::Bytes(more)) => {
                bytes.extend(more);
                PieceContents::Bytes(bytes)
            }
            (PieceContents::Bytes(_), other) | (other, _) => other,
        }
    }

    /// The same as texels.
    fn texels(self, pixels: &Pixels, part: &Part) -> FoundTexels {
        let all = match self {
            PieceContents::Bytes(bytes) => bytes,
            PieceContents::Gpu => return FoundTexels::Gpu(Job::Transfer),
            PieceContents::Unwritten => return FoundTexels::Unwritten,
            PieceContents::Lost => return FoundTexels::Lost,
        };
        let mut bytes = Vec::with_capacity((part.rows * part.row) as usize);
        for row in 0..part.rows {
            let first = (row * part.stride) as usize;
            let Some(row) = all.get(first..first + part.row as usize) else { return FoundTexels::Lost };
            bytes.extend_from_slice(row);
        }
        if pixels.swapped
            && let Some((size, _)) = type_size(pixels.kind)
        {
            bytes.chunks_exact_mut(size as usize).for_each(<[u8]>::reverse);
        }
        FoundTexels::Pixels { format: pixels.format, kind: pixels.kind, bytes }
    }
}
