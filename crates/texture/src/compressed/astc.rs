//! ASTC: two-dimensional blocks of all sizes (Khronos Data Format specification, chapter "ASTC Compressed Texture Image
//! Formats"; section titles here refer to that chapter).

mod endpoints;
mod integers;
mod layout;

use endpoints::Endpoints;
use layout::{Content, Layout};

/// How texels are decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Profile {
    /// To 8 bits per component, with red, green and blue sRGB-encoded. No high dynamic range.
    Srgb,
    /// To half floats, without high dynamic range.
    Ldr,
    /// To half floats.
    Hdr,
}

/// The number of texels in the largest block.
pub(super) const MAX_TEXELS: usize = 144;

/// Block sizes, in the order of GL's enumerants.
pub(super) const SIZES: [(u8, u8); 14] = [
    (4, 4),
    (5, 4),
    (5, 5),
    (6, 5),
    (6, 6),
    (8, 5),
    (8, 6),
    (8, 8),
    (10, 5),
    (10, 6),
    (10, 8),
    (10, 10),
    (12, 10),
    (12, 12),
];

/// Decodes a block. Texels are four half floats, or four bytes for [`Profile::Srgb`], little-endian.
pub(super) fn unpack(block: u128, size: (u8, u8), profile: Profile, texels: &mut [[u8; 8]]) {
    let size = (u32::from(size.0), u32::from(size.1));
    let hdr = profile == Profile::Hdr;
    match layout::read(block, size) {
        Some(Content::Colour { words, hdr: false }) => texels.fill(profile.bytes(words, [false; 4])),
        // The block contains half floats already.
        Some(Content::Colour { words, hdr: true }) if hdr => texels.fill(halves(words)),
        Some(Content::Weighted(layout)) => weighted(block, size, &layout, profile, texels),
        Some(Content::Colour { .. }) | None => texels.fill(profile.error()),
    }
}

impl Profile {
    /// Section "Error colour": magenta, or NaN where the format has it.
    fn error(self) -> [u8; 8] {
        match self {
            Profile::Srgb => [0xff, 0, 0xff, 0xff, 0, 0, 0, 0],
            Profile::Ldr => halves([0x3c00, 0, 0x3c00, 0x3c00]),
            Profile::Hdr => [0xff; 8],
        }
    }

    /// The texel with these interpolated components.
    fn bytes(self, components: [u16; 4], hdr: [bool; 4]) -> [u8; 8] {
        if self == Profile::Srgb {
            let mut texel = [0; 8];
            texel.iter_mut().zip(components).for_each(|(byte, component)| *byte = (component >> 8) as u8);
            return texel;
        }
        halves(std::array::from_fn(|i| match hdr[i] {
            true => half_of_logarithm(components[i]),
            false => half_of_unorm(components[i]),
        }))
    }

    /// Expands endpoints to sixteen bits, section "Weight application". Alpha is never sRGB-encoded.
    fn expand(self, component: usize, value: i32, hdr: bool) -> u32 {
        let value = value.cast_unsigned();
        match (hdr, self) {
            (true, _) => value << 4,
            (false, Profile::Srgb) if component < 3 => (value << 8) | 0x80,
            (false, _) => value * 257,
        }
    }
}

fn halves(components: [u16; 4]) -> [u8; 8] {
    let mut texel = [0; 8];
    for (bytes, component) in texel.chunks_exact_mut(2).zip(components) {
        bytes.copy_from_slice(&component.to_le_bytes());
    }
    texel
}

/// A multiple of 1/65536 as a half float, rounded towards zero; only the largest is one.
fn half_of_unorm(value: u16) -> u16 {
    let value = u32::from(value);
    match value {
        0xffff => 0x3c00,
        // Below 2^-14, the least normal number, the unit is 2^-24.
        0..4 => (value << 8) as u16,
        _ => {
            let log = 31 - value.leading_zeros();
            let mantissa = ((value << (16 - log)) >> 6) & 0x3ff;
            (((log - 1) << 10) | mantissa) as u16
        }
    }
}

/// Five bits of exponent and eleven of a logarithm, which is mapped to a mantissa by three linear pieces; never
/// infinite.
fn half_of_logarithm(value: u16) -> u16 {
    let (exponent, logarithm) = (value >> 11, u32::from(value & 0x7ff));
    let mantissa = match logarithm {
        0..512 => 3 * logarithm,
        512..1536 => 4 * logarithm - 512,
        _ => 5 * logarithm - 2048,
    };
    ((exponent << 10) + (mantissa >> 3) as u16).min(0x7bff)
}

fn weighted(block: u128, size: (u32, u32), layout: &Layout, profile: Profile, texels: &mut [[u8; 8]]) {
    let values = integers::colours(block >> layout.colours_at, layout.colour_bits, layout.colour_count());
    let mut rest = &values[..];
    let mut partitions = [Endpoints::default(); 4];
    for (endpoints, &mode) in partitions.iter_mut().zip(&layout.modes[..layout.partitions as usize]) {
        let (own, others) = rest.split_at((2 * (mode / 4 + 1) as usize).min(rest.len()));
        rest = others;
        *endpoints = Endpoints::new(mode, own);
    }
    let planes = if layout.second_plane.is_some() { 2 } else { 1 };
    let weights = integers::weights(block.reverse_bits(), layout.weights, layout.weight_count());
    let small = size.0 * size.1 < 31;
    for (i, texel) in texels.iter_mut().enumerate() {
        let (x, y) = (i as u32 % size.0, i as u32 / size.0);
        let partition = partition(layout.seed, (x, y), layout.partitions, small);
        let Endpoints { low, high, hdr } = partitions[partition];
        if profile != Profile::Hdr && hdr != [false; 4] {
            *texel = profile.error();
            continue;
        }
        let of_plane = [0, 1].map(|plane| interpolate(&weights, size, layout.grid, (x, y), planes, plane));
        let components = std::array::from_fn(|c| {
            let weight = of_plane[usize::from(layout.second_plane == Some(c as u32))];
            let ends = [low[c], high[c]].map(|end| profile.expand(c, end, hdr[c]));
            ((ends[0] * (64 - weight) + ends[1] * weight + 32) >> 6) as u16
        });
        *texel = profile.bytes(components, hdr);
    }
}

/// A texel's weight, interpolated from the weight grid, section "Weight infill".
fn interpolate(
    weights: &[u8; integers::MAX_VALUES],
    size: (u32, u32),
    grid: (u32, u32),
    (x, y): (u32, u32),
    planes: usize,
    plane: usize,
) -> u32 {
    if plane >= planes {
        return 0;
    }
    let along = |at: u32, size: u32, grid: u32| {
        let scale = (1024 + size / 2) / (size - 1);
        (scale * at * (grid - 1) + 32) >> 6
    };
    let (s, t) = (along(x, size.0, grid.0), along(y, size.1, grid.1));
    let (fs, ft) = (s & 15, t & 15);
    let first = (s >> 4) + (t >> 4) * grid.0;
    // Neighbours outside of the grid have no weight.
    let at = |offset: u32| u32::from(weights.get((first + offset) as usize * planes + plane).copied().unwrap_or(0));
    let both = (fs * ft + 8) >> 4;
    let sum = at(0) * (16 + both - fs - ft) + at(1) * (fs - both) + at(grid.0) * (ft - both) + at(grid.0 + 1) * both;
    (sum + 8) >> 4
}

/// The partition of a texel, section "Partition pattern generation". The constants are part of the format.
fn partition(seed: u32, (x, y): (u32, u32), partitions: u32, small: bool) -> usize {
    if partitions == 1 {
        return 0;
    }
    let (x, y) = if small { (2 * x, 2 * y) } else { (x, y) };
    let seed = seed + (partitions - 1) * 1024;
    let random = scramble(seed);
    let finer = if seed & 2 != 0 { 4 } else { 5 };
    let coarser = if partitions == 3 { 6 } else { 5 };
    let shifts = if seed & 1 != 0 { [finer, coarser] } else { [coarser, finer] };
    // Eight small numbers; each pair contains one partition's slopes in x and y.
    let slope = |i: u32| {
        let nibble = (random >> (4 * i)) & 15;
        (nibble * nibble) >> shifts[i as usize % 2]
    };
    let height = |i: u32| {
        if i < partitions { (slope(2 * i) * x + slope(2 * i + 1) * y + (random >> (14 - 4 * i))) & 63 } else { 0 }
    };
    let heights = [0, 1, 2, 3].map(height);
    // The largest wins; among equals the first.
    let mut best = 0;
    for i in 1..4 {
        if heights[i] > heights[best] {
            best = i;
        }
    }
    best
}

fn scramble(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ (p >> 17)
}

#[cfg(test)]
mod tests;
