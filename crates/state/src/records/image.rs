//! Which calls wrote the texels of an image: one layer of a level, a renderbuffer, a plane of a surface.

use imbl::Vector;

use crate::observer::ContentsRef;

/// A rectangle of texels; rows are numbered as in GL, upwards in framebuffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Region {
    /// Its first texel.
    pub at: [u32; 2],
    /// One past the last texel in both directions.
    pub end: [u32; 2],
}

impl Region {
    /// All of an image, whatever its size.
    pub const ALL: Region = Region { at: [0; 2], end: [u32::MAX; 2] };

    /// Creates a rectangle from a corner and a size. Parts at negative positions are cut off.
    #[must_use]
    pub fn new(at: [i32; 2], size: [i32; 2]) -> Region {
        let end = [0, 1].map(|axis| at[axis].saturating_add(size[axis].max(0)).max(0).cast_unsigned());
        Region { at: at.map(|place| place.max(0).cast_unsigned()), end }
    }

    /// Returns all of an image of this size.
    #[must_use]
    pub fn whole(size: [u32; 2]) -> Region {
        Region { at: [0; 2], end: size }
    }

    /// Returns its width and height.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.end[axis].saturating_sub(self.at[axis]))
    }

    /// Returns whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size().contains(&0)
    }

    /// Returns whether it contains another.
    #[must_use]
    pub fn covers(&self, other: &Region) -> bool {
        (0..2).all(|axis| self.at[axis] <= other.at[axis] && self.end[axis] >= other.end[axis])
    }

    /// Returns the intersection with another.
    #[must_use]
    pub fn meet(&self, other: &Region) -> Option<Region> {
        let at = [0, 1].map(|axis| self.at[axis].max(other.at[axis]));
        let end = [0, 1].map(|axis| self.end[axis].min(other.end[axis]));
        let met = Region { at, end };
        (!met.is_empty()).then_some(met)
    }

    /// Returns the bounding rectangle of both.
    #[must_use]
    pub fn join(&self, other: &Region) -> Region {
        let at = [0, 1].map(|axis| self.at[axis].min(other.at[axis]));
        let end = [0, 1].map(|axis| self.end[axis].max(other.end[axis]));
        Region { at, end }
    }

    /// Iterates over the rest without another: below, left, right and above.
    pub fn without(&self, other: &Region) -> impl Iterator<Item = Region> {
        let hole = self.meet(other).unwrap_or(Region { at: self.at, end: self.at });
        let ([left, below], [right, above]) = (hole.at, hole.end);
        let rest = [
            Region { at: self.at, end: [self.end[0], below] },
            Region { at: [self.at[0], below], end: [left, above] },
            Region { at: [right, below], end: [self.end[0], above] },
            Region { at: [self.at[0], above], end: self.end },
        ];
        rest.into_iter().filter(|part| !part.is_empty())
    }
}

/// An aspect of texels that have depth and stencil.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aspect {
    /// All aspects.
    All,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl Aspect {
    fn covers(self, other: Aspect) -> bool {
        self == Aspect::All || self == other
    }

    /// Returns whether the aspects overlap.
    #[must_use]
    pub fn meets(self, other: Aspect) -> bool {
        self.covers(other) || other.covers(self)
    }
}

/// The layout of pixels in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// Their format; 0 for compressed ones.
    pub format: u32,
    /// Their type; the internal format of compressed ones.
    pub kind: u32,
    /// Offset of the first pixel from the pointer.
    pub first: u64,
    /// The row stride in bytes; for compressed formats, of rows of blocks.
    pub row: u64,
    /// The layer stride in bytes.
    pub image: u64,
    /// Whether the bytes of each element are swapped (`GL_UNPACK_SWAP_BYTES`).
    pub swapped: bool,
}

/// The value of a clear.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ClearValue {
    /// A colour.
    Floats([f32; 4]),
    /// A colour of signed integers.
    Integers([i32; 4]),
    /// A colour of unsigned integers.
    Unsigned([u32; 4]),
    /// A depth.
    Depth(f64),
    /// A stencil value.
    Stencil(i32),
    /// The pixel that a parameter of the call points to.
    Pixel {
        /// The parameter.
        param: u8,
        /// The format.
        format: u32,
        /// The type.
        kind: u32,
    },
    /// Zeros.
    Zero,
}

/// Work that only a driver can repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Job {
    /// A draw call, whatever its shaders.
    Draw,
    /// A dispatch of compute shaders.
    Dispatch,
    /// Mipmap generation.
    Mipmap,
    /// A clear that masks or conditions keep from parts.
    Clear,
    /// Pixels changed by pixel transfer (`glPixelTransfer`), or from a display list.
    Transfer,
    /// More writes than are kept separately.
    Several,
}

/// The origin of texels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Texels {
    /// Pixels in the memory that a parameter of the call points to.
    Memory {
        /// The parameter.
        param: u8,
        /// Their layout.
        pixels: Pixels,
    },
    /// Pixels in a buffer as it was before the call.
    Buffer {
        /// The buffer; see [`crate::ShareGroup::next_object`].
        object: u64,
        /// The offset that the call gave.
        from: u64,
        /// Their layout from there on.
        pixels: Pixels,
    },
    /// Another image as it was before the call.
    Image {
        /// The image.
        of: ContentsRef,
        /// The first copied texel.
        from: [u32; 2],
        /// Whether texels were copied unchanged: nothing was scaled, mirrored, resolved, cut off or converted.
        exact: bool,
    },
    /// One value everywhere.
    Clear(ClearValue),
    /// Work that only a driver can repeat.
    Gpu(Job),
    /// Undefined: new storage, or invalidated.
    Undefined,
}

impl Texels {
    /// Returns whether nothing of the earlier contents stays visible.
    fn is_opaque(&self) -> bool {
        match self {
            Texels::Memory { .. } | Texels::Buffer { .. } | Texels::Clear(_) | Texels::Undefined => true,
            Texels::Image { exact, .. } => *exact,
            Texels::Gpu(job) => matches!(job, Job::Mipmap | Job::Transfer),
        }
    }

    /// Returns the origin of the next layer; `rows` means that layers are rows of the source.
    #[must_use]
    pub fn next_layer(self, rows: bool) -> Texels {
        let next = |pixels: Pixels| {
            let step = if rows { pixels.row } else { pixels.image };
            Pixels { first: pixels.first.saturating_add(step), ..pixels }
        };
        match self {
            Texels::Memory { param, pixels } => Texels::Memory { param, pixels: next(pixels) },
            Texels::Buffer { object, from, pixels } => Texels::Buffer { object, from, pixels: next(pixels) },
            Texels::Image { of, from, exact } if rows => Texels::Image { of, from: [from[0], from[1] + 1], exact },
            Texels::Image { of: ContentsRef::Image { object, level, layer }, from, exact } => {
                Texels::Image { of: ContentsRef::Image { object, level, layer: layer + 1 }, from, exact }
            }
            other => other,
        }
    }
}

/// A write to an image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ImageWrite {
    /// The region.
    pub region: Region,
    /// The aspect.
    pub aspect: Aspect,
    /// The origin of the texels.
    pub texels: Texels,
}

impl ImageWrite {
    /// Returns a write to all of an image.
    #[must_use]
    pub fn whole(aspect: Aspect, texels: Texels) -> ImageWrite {
        ImageWrite { region: Region::ALL, aspect, texels }
    }

    /// Returns whether nothing of the earlier contents is left in a rectangle.
    #[must_use]
    pub fn hides(&self, region: &Region, aspect: Aspect) -> bool {
        self.texels.is_opaque() && self.region.covers(region) && self.aspect.covers(aspect)
    }
}

/// A write that is still visible.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecordedWrite {
    /// The number of the call; the first of several consecutive GPU writes.
    pub call: u64,
    /// The number of the last of these calls.
    pub last: u64,
    /// The write.
    pub write: ImageWrite,
}

/// Maximum number of writes kept for an image. Beyond that, the older half is merged into one entry for several writes;
/// a text atlas that is filled glyph by glyph stays below.
const MAX_WRITES: usize = 4096;

/// Which calls wrote which texels of an image: a list in order, without overwritten entries. Consecutive draw calls are
/// one entry, because only a driver can tell them apart. Copies share what did not change.
#[derive(Clone, Debug)]
pub struct ImageRecords {
    size: [u32; 2],
    /// Whether depth and stencil are written separately.
    combined: bool,
    writes: Vector<RecordedWrite>,
}

impl Default for ImageRecords {
    /// Returns the records of an image of unknown size.
    fn default() -> ImageRecords {
        ImageRecords { size: [u32::MAX; 2], combined: true, writes: Vector::new() }
    }
}

impl ImageRecords {
    /// Returns the approximate size in bytes of its list of writes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.writes.len() * size_of::<RecordedWrite>()
    }

    /// Creates the records of an image that a call created. `combined` means that it has both depth and stencil.
    #[must_use]
    pub fn made(call: u64, size: [u32; 2], combined: bool) -> ImageRecords {
        let mut records = ImageRecords { size, combined, writes: Vector::new() };
        records.write(call, ImageWrite::whole(Aspect::All, Texels::Undefined));
        records
    }

    /// Returns what a write does to this image: only what lies within counts.
    fn within(&self, write: ImageWrite) -> Option<ImageWrite> {
        let region = write.region.meet(&Region::whole(self.size))?;
        let aspect = if self.combined { write.aspect } else { Aspect::All };
        Some(ImageWrite { region, aspect, ..write })
    }

    /// Returns whether the last entry is such a write and would only count another call that does the same.
    #[must_use]
    pub fn would_repeat(&self, write: &ImageWrite) -> bool {
        let repeats = |last: &RecordedWrite| !write.texels.is_opaque() && self.within(*write) == Some(last.write);
        self.writes.back().is_some_and(repeats)
    }

    /// Counts another call that does what the last entry says, as [`ImageRecords::write`] does where that
    /// [would](ImageRecords::would_repeat) only repeat it.
    pub fn repeat(&mut self, call: u64) {
        if let Some(last) = self.writes.back_mut() {
            last.last = call;
        }
    }

    /// Records a write. Covered entries are removed unless they may stay visible.
    pub fn write(&mut self, call: u64, write: ImageWrite) {
        let Some(write) = self.within(write) else { return };
        if write.texels.is_opaque() {
            let hides = |before: &RecordedWrite| write.hides(&before.write.region, before.write.aspect);
            if self.writes.iter().all(hides) {
                // A clear of everything, most often: an empty list is made faster than one is emptied.
                self.writes = Vector::new();
            } else if self.writes.iter().any(hides) {
                self.writes.retain(|before| !hides(before));
                self.merge();
            }
        } else if let Some(before) = self.writes.back_mut().filter(|last| last.write == write) {
            before.last = call;
            return;
        }
        self.writes.push_back(RecordedWrite { call, last: call, write });
        if self.writes.len() > MAX_WRITES {
            self.bound();
        }
    }

    /// Iterates over visible writes, oldest first.
    pub fn writes(&self) -> impl DoubleEndedIterator<Item = &RecordedWrite> + ExactSizeIterator {
        self.writes.iter()
    }

    /// Returns the last call that wrote to it; new storage and invalidation do not count.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.writes
            .iter()
            .rev()
            .find(|recorded| recorded.write.texels != Texels::Undefined)
            .map(|recorded| recorded.last)
    }

    /// Returns its width and height, if known.
    #[must_use]
    pub fn size(&self) -> Option<[u32; 2]> {
        (self.size != [u32::MAX; 2]).then_some(self.size)
    }

    /// Merges adjacent entries that differ only in their calls.
    fn merge(&mut self) {
        let mut merged: Vector<RecordedWrite> = Vector::new();
        for recorded in &self.writes {
            match merged.back_mut() {
                Some(before) if before.write == recorded.write && !recorded.write.texels.is_opaque() => {
                    before.last = recorded.last;
                }
                _ => merged.push_back(*recorded),
            }
        }
        self.writes = merged;
    }

    /// Merges the older half into one entry.
    fn bound(&mut self) {
        let newer = self.writes.split_off(self.writes.len() / 2);
        let mut older = self.writes.iter();
        let Some(first) = older.next() else { return };
        let (mut region, mut last) = (first.write.region, first.last);
        for recorded in older {
            region = region.join(&recorded.write.region);
            last = last.max(recorded.last);
        }
        let write = ImageWrite { region, aspect: Aspect::All, texels: Texels::Gpu(Job::Several) };
        let mut writes = Vector::unit(RecordedWrite { call: first.call, last, write });
        writes.append(newer);
        self.writes = writes;
    }
}

#[cfg(test)]
mod tests;
