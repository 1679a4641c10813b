//! Decoders for block-compressed formats (GL 4.6, appendix D and 8.7; Khronos Data Format specification, parts on S3TC,
//! RGTC, BPTC, ETC2 and ASTC).

mod astc;

use crate::format::Format;
use astc::Profile;

/// A compressed format. Textures hold uncompressed levels; this type names the format that blocks are decoded to, and
/// decodes them.
///
/// 8-bit components are kept as they are. The finer ones of RGTC and 11-bit EAC become 16 bits, those of floating-point
/// BPTC and ASTC become half floats; sRGB ASTC has 8 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compression {
    kind: Encoding,
    srgb: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Bc1Rgb,
    Bc1Rgba,
    Bc2,
    Bc3,
    /// RGTC, signed or not, one or two components.
    Rgtc {
        signed: bool,
        components: usize,
    },
    /// Floating-point BPTC, signed or not.
    Bc6 {
        signed: bool,
    },
    Bc7,
    Etc2Rgb,
    Etc2Rgba1,
    Etc2Rgba8,
    /// EAC with eleven bits, signed or not, one or two components.
    Eac {
        signed: bool,
        components: usize,
    },
    /// ASTC, with the width and height of a block.
    Astc {
        size: (u8, u8),
        profile: Profile,
    },
}

/// No texel has more than eight bytes.
type Texels = [[u8; 8]];

impl Compression {
    /// The compressed format with this GL enumerant.
    #[must_use]
    pub fn from_gl(enumerant: u32) -> Option<Compression> {
        let (kind, srgb) = match enumerant {
            0x83F0 => (Encoding::Bc1Rgb, false),
            0x83F1 => (Encoding::Bc1Rgba, false),
            0x83F2 => (Encoding::Bc2, false),
            0x83F3 => (Encoding::Bc3, false),
            0x8C4C => (Encoding::Bc1Rgb, true),
            0x8C4D => (Encoding::Bc1Rgba, true),
            0x8C4E => (Encoding::Bc2, true),
            0x8C4F => (Encoding::Bc3, true),
            0x8DBB => (Encoding::Rgtc { signed: false, components: 1 }, false),
            0x8DBC => (Encoding::Rgtc { signed: true, components: 1 }, false),
            0x8DBD => (Encoding::Rgtc { signed: false, components: 2 }, false),
            0x8DBE => (Encoding::Rgtc { signed: true, components: 2 }, false),
            0x8E8C => (Encoding::Bc7, false),
            0x8E8D => (Encoding::Bc7, true),
            0x8E8E => (Encoding::Bc6 { signed: true }, false),
            0x8E8F => (Encoding::Bc6 { signed: false }, false),
            0x9270 => (Encoding::Eac { signed: false, components: 1 }, false),
            0x9271 => (Encoding::Eac { signed: true, components: 1 }, false),
            0x9272 => (Encoding::Eac { signed: false, components: 2 }, false),
            0x9273 => (Encoding::Eac { signed: true, components: 2 }, false),
            // ETC1 is ETC2 without the modes added later.
            0x8D64 | 0x9274 => (Encoding::Etc2Rgb, false),
            0x9275 => (Encoding::Etc2Rgb, true),
            0x9276 => (Encoding::Etc2Rgba1, false),
            0x9277 => (Encoding::Etc2Rgba1, true),
            0x9278 => (Encoding::Etc2Rgba8, false),
            0x9279 => (Encoding::Etc2Rgba8, true),
            0x93B0..=0x93BD => {
                (Encoding::Astc { size: astc::SIZES[enumerant as usize - 0x93B0], profile: Profile::Ldr }, false)
            }
            0x93D0..=0x93DD => {
                (Encoding::Astc { size: astc::SIZES[enumerant as usize - 0x93D0], profile: Profile::Srgb }, true)
            }
            _ => return None,
        };
        Some(Compression { kind, srgb })
    }

    /// Decodes ASTC like an implementation with `KHR_texture_compression_astc_hdr`; without it, blocks with a high
    /// dynamic range are errors. The error colour is magenta without it and NaN with it. Other formats are not
    /// affected.
    #[must_use]
    pub fn with_hdr(self) -> Compression {
        match self.kind {
            Encoding::Astc { size, profile: Profile::Ldr } => {
                Compression { kind: Encoding::Astc { size, profile: Profile::Hdr }, ..self }
            }
            _ => self,
        }
    }

    /// The format of the levels that [`Compression::decode`] returns.
    #[must_use]
    pub fn format(self) -> Format {
        match (self.kind, self.srgb) {
            (Encoding::Bc1Rgb | Encoding::Etc2Rgb, false) => Format::Rgb8,
            (Encoding::Bc1Rgb | Encoding::Etc2Rgb, true) => Format::Srgb8,
            (Encoding::Rgtc { signed, components } | Encoding::Eac { signed, components }, _) => {
                match (signed, components) {
                    (false, 1) => Format::R16,
                    (false, _) => Format::Rg16,
                    (true, 1) => Format::R16Snorm,
                    (true, _) => Format::Rg16Snorm,
                }
            }
            (Encoding::Bc6 { .. }, _) => Format::Rgb16F,
            (Encoding::Astc { .. }, false) => Format::Rgba16F,
            (_, false) => Format::Rgba8,
            (_, true) => Format::Srgb8Alpha8,
        }
    }

    /// The size of a block in bytes.
    #[must_use]
    pub fn block_bytes(self) -> usize {
        match self.kind {
            Encoding::Bc1Rgb | Encoding::Bc1Rgba | Encoding::Etc2Rgb | Encoding::Etc2Rgba1 => 8,
            Encoding::Rgtc { components, .. } | Encoding::Eac { components, .. } => 8 * components,
            Encoding::Bc2
            | Encoding::Bc3
            | Encoding::Bc6 { .. }
            | Encoding::Bc7
            | Encoding::Etc2Rgba8
            | Encoding::Astc { .. } => 16,
        }
    }

    /// The width and height of a block in texels.
    #[must_use]
    pub fn block_size(self) -> (u32, u32) {
        match self.kind {
            Encoding::Astc { size, .. } => (u32::from(size.0), u32::from(size.1)),
            _ => (4, 4),
        }
    }

    /// Decodes a level with the given number of slices (or layers, or faces) for [`crate::Level::data`]. Missing blocks
    /// are zero, and a level that does not fit into memory is empty.
    #[must_use]
    pub fn decode(self, width: u32, height: u32, slices: u32, data: &[u8]) -> Vec<u8> {
        let texel = self.format().bytes();
        let (wide, high) = self.block_size();
        let mut out = Vec::new();
        let row = width as usize * texel;
        let length = row.checked_mul(height as usize).and_then(|slice| slice.checked_mul(slices as usize));
        let Some(length) = length.filter(|length| out.try_reserve_exact(*length).is_ok()) else { return out };
        out.resize(length, 0);
        let mut blocks = data.chunks_exact(self.block_bytes());
        let mut storage = [[0; 8]; astc::MAX_TEXELS];
        let texels = &mut storage[..(wide * high) as usize];
        for slice in 0..slices as usize {
            for top in (0..height).step_by(high as usize) {
                for left in (0..width).step_by(wide as usize) {
                    let Some(block) = blocks.next() else { return out };
                    self.unpack(block, texels);
                    for y in 0..high.min(height - top) {
                        let line = slice * height as usize + (top + y) as usize;
                        let start = line * row + left as usize * texel;
                        for x in 0..wide.min(width - left) {
                            let from = &texels[(y * wide + x) as usize][..texel];
                            let at = start + x as usize * texel;
                            out[at..at + texel].copy_from_slice(from);
                        }
                    }
                }
            }
        }
        out
    }

    fn unpack(self, block: &[u8], texels: &mut Texels) {
        let mut colour = [0u32; 16];
        let half = block.len() / 2;
        match self.kind {
            Encoding::Bc1Rgb => texture2ddecoder::decode_bc1_block(block, &mut colour),
            Encoding::Bc1Rgba => texture2ddecoder::decode_bc1a_block(block, &mut colour),
            Encoding::Bc2 | Encoding::Bc3 => bc1_opaque(&block[half..], &mut colour),
            Encoding::Bc7 => texture2ddecoder::decode_bc7_block(block, &mut colour),
            Encoding::Etc2Rgb => texture2ddecoder::decode_etc2_rgb_block(block, &mut colour),
            Encoding::Etc2Rgba1 => texture2ddecoder::decode_etc2_rgba1_block(block, &mut colour),
            Encoding::Etc2Rgba8 => texture2ddecoder::decode_etc2_rgb_block(&block[half..], &mut colour),
            Encoding::Rgtc { signed, .. } => {
                for (component, part) in block.chunks_exact(8).enumerate() {
                    for (texel, value) in texels.iter_mut().zip(rgtc(word(part), signed)) {
                        texel[2 * component..2 * component + 2].copy_from_slice(&value.to_le_bytes());
                    }
                }
                return;
            }
            Encoding::Eac { signed, .. } => {
                for (component, part) in block.chunks_exact(8).enumerate() {
                    for (texel, value) in texels.iter_mut().zip(eac(part, |base, step| eac_16(base, step, signed))) {
                        texel[2 * component..2 * component + 2].copy_from_slice(&value.to_le_bytes());
                    }
                }
                return;
            }
            Encoding::Bc6 { signed } => {
                let mut halves = [0u16; 48];
                bcdec_rs::bc6h_half(block, &mut halves, 12, signed);
                for (texel, colour) in texels.iter_mut().zip(halves.chunks_exact(3)) {
                    texel
                        .chunks_exact_mut(2)
                        .zip(colour)
                        .for_each(|(to, half)| to.copy_from_slice(&half.to_le_bytes()));
                }
                return;
            }
            Encoding::Astc { size, profile } => {
                let block = block.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
                return astc::unpack(block, size, profile, texels);
            }
        }
        for (texel, colour) in texels.iter_mut().zip(colour) {
            texel[..4].copy_from_slice(&rgba(colour));
            // Required by ETC2; S3TC's transparent colour is black already, and BC7's alpha is not a mask.
            if self.kind == Encoding::Etc2Rgba1 && texel[3] == 0 {
                *texel = [0; 8];
            }
        }
        // The colour crate's decoders for these alphas keep 64 bits in a usize, which loses half of them on wasm32.
        let alphas: [u16; 16] = match self.kind {
            Encoding::Bc2 => std::array::from_fn(|i| (word(block) >> (4 * i)) as u16 & 15).map(|a| a * 17),
            Encoding::Bc3 => rgtc(word(block), false).map(|a| ((u32::from(a) * 255 + 32767) / 65535) as u16),
            Encoding::Etc2Rgba8 => eac(&block[..half], |base, step| {
                (i32::from(base) + step.modifier * step.multiplier).clamp(0, 255) as u16
            }),
            _ => return,
        };
        texels.iter_mut().zip(alphas).for_each(|(texel, alpha)| texel[3] = alpha as u8);
    }
}

/// Reorders components from the decoders' order.
fn rgba(colour: u32) -> [u8; 4] {
    let [b, g, r, a] = colour.to_le_bytes();
    [r, g, b, a]
}

/// BC2 and BC3 always have four colours, whichever endpoint is greater.
fn bc1_opaque(block: &[u8], colour: &mut [u32; 16]) {
    let ends = [u16::from_le_bytes([block[0], block[1]]), u16::from_le_bytes([block[2], block[3]])];
    if ends[0] > ends[1] {
        return texture2ddecoder::decode_bc1_block(block, colour);
    }
    if ends[0] == ends[1] {
        // All four colours are equal then.
        let all_first = [block[0], block[1], block[2], block[3], 0, 0, 0, 0];
        return texture2ddecoder::decode_bc1_block(&all_first, colour);
    }
    // With swapped endpoints, the other index of each pair is meant.
    let flip = |byte: u8| byte ^ 0x55;
    let [a, b] = ends.map(u16::to_le_bytes);
    let swapped = [b[0], b[1], a[0], a[1], flip(block[4]), flip(block[5]), flip(block[6]), flip(block[7])];
    texture2ddecoder::decode_bc1_block(&swapped, colour);
}

fn word(block: &[u8]) -> u64 {
    block.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// One component of an RGTC block, as 16-bit normalised integers.
fn rgtc(block: u64, signed: bool) -> [u16; 16] {
    let end = |shift: u32| match (block >> shift) as u8 {
        byte if signed => i32::from(byte.cast_signed()).max(-127),
        byte => i32::from(byte),
    };
    let (a, b) = (end(0), end(8));
    let (low, high, scale) = if signed { (-127, 127, 32767) } else { (0, 255, 65535) };
    // Numerator and denominator, so that rounding happens only at the end.
    let value = |index: i32| match index {
        0 => (a, 1),
        1 => (b, 1),
        i if a > b => (a * (8 - i) + b * (i - 1), 7),
        6 => (low, 1),
        7 => (high, 1),
        i => (a * (6 - i) + b * (i - 1), 5),
    };
    std::array::from_fn(|i| {
        let (numerator, denominator) = value((block >> (16 + 3 * i)) as i32 & 7);
        let exact = f64::from(numerator) / f64::from(denominator * high) * f64::from(scale);
        (exact.round() as i32) as u16
    })
}

#[derive(Clone, Copy)]
struct Step {
    modifier: i32,
    multiplier: i32,
}

/// An EAC block: a base and, for each texel, an offset from it. Texels are in column order, and bits start at the top.
fn eac(block: &[u8], value: impl Fn(u8, Step) -> u16) -> [u16; 16] {
    let bits = block.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    let (base, multiplier, table) = ((bits >> 56) as u8, (bits >> 52) as i32 & 15, (bits >> 48) as usize & 15);
    std::array::from_fn(|i| {
        let in_columns = (i % 4) * 4 + i / 4;
        let index = (bits >> (45 - 3 * in_columns)) as usize & 7;
        value(base, Step { modifier: i32::from(EAC[table][index]), multiplier })
    })
}

/// Expands eleven bits to sixteen by repeating the upper ones.
fn eac_16(base: u8, step: Step, signed: bool) -> u16 {
    let change = if step.multiplier == 0 { step.modifier } else { step.modifier * step.multiplier * 8 };
    if signed {
        let value = (i32::from(base.cast_signed()).max(-127) * 8 + change).clamp(-1023, 1023);
        let magnitude = (value.abs() << 5) | (value.abs() >> 5);
        return (magnitude * value.signum()) as u16;
    }
    let value = (i32::from(base) * 8 + 4 + change).clamp(0, 2047);
    ((value << 5) | (value >> 6)) as u16
}

const EAC: [[i8; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(enumerant: u32, block: &[u8], first: &[u8]) {
        let compression = Compression::from_gl(enumerant).expect("a format");
        let out = compression.decode(4, 4, 1, block);
        assert_eq!(&out[..first.len()], first, "{enumerant:#x}");
    }

    #[test]
    fn s3tc_ends_and_alpha() {
        // Red and blue ends; the first texel has index 1, the others index 0.
        let colours = [0x00, 0xf8, 0x1f, 0x00, 0x01, 0, 0, 0];
        check(0x83F0, &colours, &[0, 0, 255, 255, 0, 0]);
        check(0x83F1, &[0, 0, 0xff, 0xff, 3, 0, 0, 0], &[0, 0, 0, 0, 0, 0, 0, 255]);
        let bc2 = [[0x1f, 0, 0, 0, 0, 0, 0, 0], colours].concat();
        check(0x83F2, &bc2, &[0, 0, 255, 255, 255, 0, 0, 17]);
        let bc3 = [[200, 100, 0b10, 0, 0, 0, 0, 0], colours].concat();
        check(0x83F3, &bc3, &[0, 0, 255, 186, 255, 0, 0, 200]);
        // Endpoints in the other order still give four colours: the first texel is a third of the way from blue to red.
        let swapped = [[255; 8], [0x1f, 0x00, 0x00, 0xf8, 0x02, 0, 0, 0]].concat();
        check(0x83F3, &swapped, &[85, 0, 170]);
    }

    #[test]
    fn rgtc_and_eac_become_sixteen_bits() {
        check(0x8DBB, &[255, 0, 0b010, 0, 0, 0, 0, 0], &(65535u16 / 7 * 6 + 1).to_le_bytes());
        check(0x8DBC, &[0x80, 0x7f, 0b111_000, 0, 0, 0, 0, 0], &[0x01, 0x80, 0xff, 0x7f]);
        // Base 128, multiplier 0, table 13, index 4: offset zero.
        check(0x9270, &[128, 0x0d, 0x80, 0, 0, 0, 0, 0], &(((1028u16) << 5) | (1028 >> 6)).to_le_bytes());
    }

    #[test]
    fn floats_of_bptc() {
        // One region with ten bits: the first red is the largest number, everything else zero.
        let half = |bits: u16| bits.to_le_bytes();
        let unsigned = (0x3ffu128 << 5 | 3).to_le_bytes();
        check(0x8E8F, &unsigned, &[half(0x7bff), [0; 2], [0; 2], half(0x7bff)].concat());
        let signed = (0x200u128 << 5 | 3).to_le_bytes();
        check(0x8E8E, &signed, &[half(0xfbff), [0; 2], [0; 2]].concat());
        // A reserved mode.
        check(0x8E8F, &[0b10011; 16], &[0; 96]);
    }

    #[test]
    fn parts_of_blocks_and_missing_blocks() {
        let compression = Compression::from_gl(0x83F0).expect("a format");
        let block = [0xff, 0xff, 0, 0, 0, 0, 0, 0];
        assert_eq!(compression.decode(2, 1, 1, &block), [255; 6]);
        assert_eq!(compression.decode(5, 1, 1, &block), [[255; 12].as_slice(), &[0; 3]].concat());
        assert!(Compression::from_gl(0x8058).is_none());
    }

    #[test]
    fn any_bytes_are_decoded() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        for compression in (0x83F0..0x9400).filter_map(Compression::from_gl) {
            let (width, height) = compression.block_size();
            for _ in 0..500 {
                let block: Vec<u8> = (0..compression.block_bytes()).map(|_| random()).collect();
                let size = (width * height) as usize * compression.format().bytes();
                assert_eq!(compression.decode(width, height, 1, &block).len(), size);
                assert_eq!(compression.with_hdr().decode(width, height, 1, &block).len(), size);
            }
        }
    }

    #[test]
    fn levels_that_exceed_memory_are_empty() {
        let compression = Compression::from_gl(0x93B0).expect("a format");
        assert!(compression.decode(u32::MAX, u32::MAX, u32::MAX, &[0; 64]).is_empty());
    }
}
