//! Who wrote the texels of an image: one layer of a level, a renderbuffer, a plane of a surface.

use imbl::Vector;

use crate::notes::Thing;

/// A rectangle of texels; rows are counted as GL does, upwards in framebuffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Region {
    /// Its first texel.
    pub at: [u32; 2],
    /// The first texel behind it in both directions.
    pub end: [u32; 2],
}

impl Region {
    /// All of an image, whatever its size.
    pub const ALL: Region = Region { at: [0; 2], end: [u32::MAX; 2] };

    /// A rectangle as commands give it: a corner and a size. What lies at negative places is cut off.
    #[must_use]
    pub fn new(at: [i32; 2], size: [i32; 2]) -> Region {
        let end = [0, 1].map(|axis| at[axis].saturating_add(size[axis].max(0)).max(0).cast_unsigned());
        Region { at: at.map(|place| place.max(0).cast_unsigned()), end }
    }

    /// All of something of this size.
    #[must_use]
    pub fn whole(size: [u32; 2]) -> Region {
        Region { at: [0; 2], end: size }
    }

    /// Its width and height.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.end[axis].saturating_sub(self.at[axis]))
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size().contains(&0)
    }

    /// Whether it has all of another.
    #[must_use]
    pub fn covers(&self, other: &Region) -> bool {
        (0..2).all(|axis| self.at[axis] <= other.at[axis] && self.end[axis] >= other.end[axis])
    }

    /// What it has in common with another.
    #[must_use]
    pub fn meet(&self, other: &Region) -> Option<Region> {
        let at = [0, 1].map(|axis| self.at[axis].max(other.at[axis]));
        let end = [0, 1].map(|axis| self.end[axis].min(other.end[axis]));
        let met = Region { at, end };
        (!met.is_empty()).then_some(met)
    }

    /// The smallest that has both.
    #[must_use]
    pub fn join(&self, other: &Region) -> Region {
        let at = [0, 1].map(|axis| self.at[axis].min(other.at[axis]));
        let end = [0, 1].map(|axis| self.end[axis].max(other.end[axis]));
        Region { at, end }
    }

    /// What is left of it without another: below, left, right and above.
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

/// Which part of texels is meant, where they have depth and stencil.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aspect {
    /// All there is.
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

    /// Whether one is part of the other.
    #[must_use]
    pub fn meets(self, other: Aspect) -> bool {
        self.covers(other) || other.covers(self)
    }
}

/// How pixels lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// Their format; 0 for compressed ones.
    pub format: u32,
    /// Their type; the internal format of compressed ones.
    pub kind: u32,
    /// Bytes from the pointer to the first of them.
    pub first: u64,
    /// Bytes from one row to the next; of compressed ones, from one row of blocks to the next.
    pub row: u64,
    /// Bytes from one layer to the next.
    pub image: u64,
    /// Whether the bytes of each element are in the other order (`GL_UNPACK_SWAP_BYTES`).
    pub swapped: bool,
}

/// What was written everywhere.
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
        /// Which parameter.
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
    /// A draw, whatever shaders it ran.
    Draw,
    /// A dispatch of compute shaders.
    Dispatch,
    /// Levels were made of a larger one.
    Mipmap,
    /// A clear of which masks or conditions keep parts away.
    Clear,
    /// Pixels that were changed on their way (`glPixelTransfer`), or come from a display list.
    Transfer,
    /// So many writes that they are not told apart any more.
    Several,
}

/// Where texels come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Texels {
    /// Pixels in the memory that a parameter of the call points to.
    Memory {
        /// Which parameter.
        param: u8,
        /// How they lie there.
        pixels: Pixels,
    },
    /// Pixels in a buffer as it was before the call.
    Buffer {
        /// Which; see [`crate::ShareGroup::next_object`].
        object: u64,
        /// The byte that the call pointed to.
        from: u64,
        /// How they lie from there on.
        pixels: Pixels,
    },
    /// Another image as it was before the call.
    Image {
        /// Which.
        of: Thing,
        /// The texel that was copied first.
        from: [u32; 2],
        /// Whether texels are as they were there: nothing was scaled, mirrored, resolved, cut off or converted.
        exact: bool,
    },
    /// One value everywhere.
    Clear(ClearValue),
    /// Work that only a driver can repeat.
    Gpu(Job),
    /// Nobody: it is new, or was invalidated.
    Nobody,
}

impl Texels {
    /// Whether nothing of what was there before shines through.
    fn is_opaque(&self) -> bool {
        match self {
            Texels::Memory { .. } | Texels::Buffer { .. } | Texels::Clear(_) | Texels::Nobody => true,
            Texels::Image { exact, .. } => *exact,
            Texels::Gpu(job) => matches!(job, Job::Mipmap | Job::Transfer),
        }
    }

    /// What the next layer is made of; `rows` says that layers are rows of what they come from.
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
            Texels::Image { of: Thing::Image { object, level, layer }, from, exact } => {
                Texels::Image { of: Thing::Image { object, level, layer: layer + 1 }, from, exact }
            }
            other => other,
        }
    }
}

/// What a call writes to an image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ImageWrite {
    /// Where.
    pub region: Region,
    /// What of the texels.
    pub aspect: Aspect,
    /// From what.
    pub texels: Texels,
}

impl ImageWrite {
    /// Writes to all of an image.
    #[must_use]
    pub fn whole(aspect: Aspect, texels: Texels) -> ImageWrite {
        ImageWrite { region: Region::ALL, aspect, texels }
    }

    /// Whether nothing of what was there before is left in a rectangle.
    #[must_use]
    pub fn hides(&self, region: &Region, aspect: Aspect) -> bool {
        self.texels.is_opaque() && self.region.covers(region) && self.aspect.covers(aspect)
    }
}

/// A write that can still be seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recorded {
    /// The number of the call; the first of several where work of the GPU follows work of the GPU.
    pub call: u64,
    /// The number of the last call that wrote so.
    pub last: u64,
    /// What it wrote.
    pub write: ImageWrite,
}

/// So many writes are kept for an image. With more, the older half becomes one that only says that there were several;
/// a text atlas that is filled glyph by glyph stays below.
const MOST: usize = 4096;

/// Who wrote which texels of an image: a list in the order of writing, without what was written over. Draws that follow
/// each other are one entry, because only a driver can tell them apart. Copies share what did not change.
#[derive(Clone, Debug)]
pub struct ImageRecords {
    size: [u32; 2],
    /// Whether depth and stencil are written apart.
    combined: bool,
    writes: Vector<Recorded>,
}

impl Default for ImageRecords {
    /// An image of which nobody said how large it is.
    fn default() -> ImageRecords {
        ImageRecords { size: [u32::MAX; 2], combined: true, writes: Vector::new() }
    }
}

impl ImageRecords {
    /// Returns about how many bytes its list of writes takes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.writes.len() * size_of::<Recorded>()
    }

    /// An image that a call made. `combined` says whether it has both depth and stencil.
    #[must_use]
    pub fn made(call: u64, size: [u32; 2], combined: bool) -> ImageRecords {
        let mut records = ImageRecords { size, combined, writes: Vector::new() };
        records.write(call, ImageWrite::whole(Aspect::All, Texels::Nobody));
        records
    }

    /// Notes that a call wrote to it. What lies under it is forgotten unless it may shine through.
    pub fn write(&mut self, call: u64, write: ImageWrite) {
        let Some(region) = write.region.meet(&Region::whole(self.size)) else { return };
        let aspect = if self.combined { write.aspect } else { Aspect::All };
        let write = ImageWrite { region, aspect, ..write };
        if write.texels.is_opaque() {
            let hides = |before: &Recorded| write.hides(&before.write.region, before.write.aspect);
            if self.writes.iter().any(hides) {
                self.writes.retain(|before| !hides(before));
                self.merge();
            }
        } else if let Some(before) = self.writes.back_mut().filter(|last| last.write == write) {
            before.last = call;
            return;
        }
        self.writes.push_back(Recorded { call, last: call, write });
        if self.writes.len() > MOST {
            self.bound();
        }
    }

    /// Writes that are still to be seen, the oldest first.
    pub fn writes(&self) -> impl DoubleEndedIterator<Item = &Recorded> {
        self.writes.iter()
    }

    /// The last call that wrote to it; to be new or invalidated is not to have been written.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.writes.iter().rev().find(|recorded| recorded.write.texels != Texels::Nobody).map(|recorded| recorded.last)
    }

    /// Its width and height; nothing when nobody said so.
    #[must_use]
    pub fn size(&self) -> Option<[u32; 2]> {
        (self.size != [u32::MAX; 2]).then_some(self.size)
    }

    /// Entries that have come to lie next to each other and differ in nothing but their calls become one.
    fn merge(&mut self) {
        let mut merged: Vector<Recorded> = Vector::new();
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

    /// Makes one entry of the older half.
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
        let mut writes = Vector::unit(Recorded { call: first.call, last, write });
        writes.append(newer);
        self.writes = writes;
    }
}

#[cfg(test)]
mod tests;
