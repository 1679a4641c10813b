//! The layout of a block, sections "Block mode" to "Void-extent blocks".

use super::integers::{self, Range};

/// A well-formed block.
pub(super) enum Content {
    /// A constant colour.
    Colour {
        /// Red, green, blue and alpha.
        words: [u16; 4],
        /// Whether they are half floats instead of normalised integers.
        hdr: bool,
    },
    Weighted(Layout),
}

/// A block with endpoints and weights.
pub(super) struct Layout {
    /// The size of the weight grid.
    pub(super) grid: (u32, u32),
    /// The range of weights.
    pub(super) weights: Range,
    /// The component that has its own weight grid.
    pub(super) second_plane: Option<u32>,
    /// The number of partitions, one to four.
    pub(super) partitions: u32,
    /// The number of the partition pattern.
    pub(super) seed: u32,
    /// The endpoint mode of each partition.
    pub(super) modes: [u32; 4],
    /// The offset of the endpoint integers in bits.
    pub(super) colours_at: u32,
    /// The number of bits available for them.
    pub(super) colour_bits: u32,
}

impl Layout {
    pub(super) fn weight_count(&self) -> usize {
        let planes = if self.second_plane.is_some() { 2 } else { 1 };
        (self.grid.0 * self.grid.1 * planes) as usize
    }

    pub(super) fn colour_count(&self) -> usize {
        self.modes[..self.partitions as usize].iter().map(|mode| 2 * (mode / 4 + 1) as usize).sum()
    }
}

/// Reads the layout of a block; `None` if it is invalid.
pub(super) fn read(block: u128, size: (u32, u32)) -> Option<Content> {
    let bits = |at: u32, count: u32| (block >> at) as u32 & ((1 << count) - 1);
    if bits(0, 9) == 0b1_1111_1100 {
        return void_extent(block);
    }
    let (grid, weights, dual) = block_mode(bits(0, 11))?;
    if grid.0 > size.0 || grid.1 > size.1 {
        return None;
    }
    let count = grid.0 * grid.1 * if dual { 2 } else { 1 };
    let weight_bits = weights.bits(count);
    let partitions = bits(11, 2) + 1;
    if count > integers::MAX_VALUES as u32 || !(24..=96).contains(&weight_bits) || (dual && partitions == 4) {
        return None;
    }
    // From here on, data from the bottom meets data from the top, which contains at most 96 bits of weights.
    let mut top = 128 - weight_bits;
    let (seed, modes, colours_at) = if partitions == 1 {
        (0, [bits(13, 4); 4], 17)
    } else {
        let mut field = bits(23, 6);
        let class = field & 3;
        let modes = if class == 0 {
            [field >> 2; 4]
        } else {
            // Three bits for each partition; those that do not fit are stored below the weights.
            let more = 3 * partitions - 4;
            top -= more;
            field = (field >> 2) | (bits(top, more) << 4);
            std::array::from_fn(|i| {
                let i = i as u32;
                if i >= partitions {
                    return 0;
                }
                let upper = (field >> i) & 1;
                let lower = (field >> (partitions + 2 * i)) & 3;
                ((class - 1 + upper) << 2) | lower
            })
        };
        (bits(13, 10), modes, 29)
    };
    let second_plane = if dual {
        top -= 2;
        Some(bits(top, 2))
    } else {
        None
    };
    let colour_bits = top.checked_sub(colours_at)?;
    let layout = Layout { grid, weights, second_plane, partitions, seed, modes, colours_at, colour_bits };
    let colours = layout.colour_count();
    // At least six values per endpoint range.
    let enough = colours <= 18 && integers::colour_range(colour_bits, colours).is_some();
    enough.then_some(Content::Weighted(layout))
}

/// The size of the weight grid, the range of weights, and whether there are two planes.
fn block_mode(mode: u32) -> Option<((u32, u32), Range, bool)> {
    let bits = |at: u32, count: u32| (mode >> at) & ((1 << count) - 1);
    let (a, b) = (bits(5, 2), bits(7, 2));
    let (mut fine, mut dual) = (bits(9, 1), bits(10, 1) == 1);
    let (grid, range) = if bits(0, 2) != 0 {
        let grid = match bits(2, 2) {
            0 => (b + 4, a + 2),
            1 => (b + 8, a + 2),
            2 => (a + 2, b + 8),
            _ if b < 2 => (a + 2, b + 6),
            _ => ((b & 1) + 2, a + 2),
        };
        (grid, bits(0, 2))
    } else {
        if bits(2, 2) == 0 {
            return None;
        }
        let grid = match b {
            0 => (12, a + 2),
            1 => (a + 2, 12),
            2 => {
                // The two bits that otherwise give the precision of weights and the number of planes.
                (fine, dual) = (0, false);
                (a + 6, bits(9, 2) + 6)
            }
            _ if a == 0 => (6, 10),
            _ if a == 1 => (10, 6),
            _ => return None,
        };
        (grid, bits(2, 2))
    };
    let range = 2 * range + bits(4, 1);
    // The values zero and one of the three bits are reserved, and were rejected above.
    let weights = *Range::ALL.get((range + 6 * fine).checked_sub(2)? as usize)?;
    Some((grid, weights, dual))
}

fn void_extent(block: u128) -> Option<Content> {
    const REST: u32 = 0x1fff;
    let at = |start: u32| (block >> start) as u32 & REST;
    let (s, t) = ([at(12), at(25)], [at(38), at(51)]);
    let everywhere = s == [REST; 2] && t == [REST; 2];
    let reserved = (block >> 10) & 3;
    if reserved != 3 || (!everywhere && (s[0] >= s[1] || t[0] >= t[1])) {
        return None;
    }
    let words = [64, 80, 96, 112].map(|start| (block >> start) as u16);
    Some(Content::Colour { words, hdr: (block >> 9) & 1 == 1 })
}
