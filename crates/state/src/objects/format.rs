//! Image formats: bits of their components, and permitted uses.

mod pixels;
mod table;

use api::constant as c;

pub use pixels::{check_es_pixels, check_pixels, is_colour_format, is_integer_format, stored};
pub use table::FORMATS;

use crate::context::{Client, Facts};

/// An internal format and how it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The internal format.
    pub name: u32,
    /// The result of a query for the internal format: a generic compressed format becomes a specific one.
    pub answered: u32,
    /// Its base format (GL 4.6, table 8.11).
    pub base: u32,
    /// Bits of red, green, blue, alpha, luminance, intensity, depth and stencil.
    pub bits: [u8; 8],
    /// The type of the components.
    pub class: Class,
    /// Whether red, green and blue are stored in the sRGB encoding.
    pub is_srgb: bool,
    /// Width and height in texels and size in bytes of a block; zeros when it is not compressed.
    pub block: (u8, u8, u8),
    /// The preferred format and type for `glReadPixels`.
    pub read: (u32, u32),
    /// Permitted uses in a compatibility context, a core context and OpenGL ES.
    uses: [u8; 3],
}

/// The type of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// None: stencil, or colours in another space.
    None,
    /// Unsigned normalized integers.
    Unorm,
    /// Signed normalized integers.
    Snorm,
    /// Floats.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
}

/// A use of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Use {
    /// `glTexImage…`.
    Image = 1,
    /// `glTexStorage…`.
    Storage = 2,
    /// Renderbuffers.
    Renderbuffer = 4,
    /// Colour attachments.
    Colour = 8,
    /// Not renderable, but a framebuffer with it is unsupported rather than incomplete.
    Unsupported = 16,
    /// Buffer textures.
    Buffer = 32,
    /// Image units.
    Unit = 64,
    /// Multisample textures.
    Multisample = 128,
}

const NO_BLOCK: (u8, u8, u8) = (0, 0, 0);
const NO_READ: (u32, u32) = (0, 0);

impl Class {
    /// Returns the type as `GL_TEXTURE_RED_TYPE` does.
    #[must_use]
    pub fn name(self) -> u32 {
        match self {
            Class::None => c::GL_NONE,
            Class::Unorm => c::GL_UNSIGNED_NORMALIZED,
            Class::Snorm => c::GL_SIGNED_NORMALIZED,
            Class::Float => c::GL_FLOAT,
            Class::Int => c::GL_INT,
            Class::Uint => c::GL_UNSIGNED_INT,
        }
    }

    /// Returns whether components are unnormalized integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Class::Int | Class::Uint)
    }
}

impl Format {
    /// Returns the format of that name.
    #[must_use]
    pub fn named(name: u32) -> Option<&'static Format> {
        let at = FORMATS.binary_search_by_key(&name, |format| format.name).ok()?;
        Some(&FORMATS[at])
    }

    /// Returns whether a use is permitted in a context.
    #[must_use]
    pub fn serves(&self, wanted: Use, facts: &Facts) -> bool {
        let client = match facts.client {
            Client::Compatibility => 0,
            Client::Core => 1,
            Client::Es1 | Client::Es2 => 2,
        };
        self.uses[client] & wanted as u8 != 0
    }

    /// Returns whether it is compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.block.2 != 0
    }

    /// Returns whether it has depth.
    #[must_use]
    pub fn has_depth(&self) -> bool {
        self.bits[6] != 0
    }

    /// Returns whether it has stencil.
    #[must_use]
    pub fn has_stencil(&self) -> bool {
        self.bits[7] != 0
    }

    /// Returns the size in bytes of a compressed image (GL 4.6, 8.7).
    #[must_use]
    pub fn compressed_size(&self, width: i32, height: i32, depth: i32) -> i64 {
        let blocks = |size: i32, block: u8| (i64::from(size) + i64::from(block) - 1) / i64::from(block.max(1));
        blocks(width, self.block.0) * blocks(height, self.block.1) * i64::from(depth) * i64::from(self.block.2)
    }

    /// Returns the total number of bits of all components as stored; 0 when it is compressed.
    #[must_use]
    pub fn texel_bits(&self) -> u32 {
        if self.is_compressed() { 0 } else { self.bits.iter().map(|bits| u32::from(*bits)).sum() }
    }

    /// Returns the same format with sRGB colours.
    const fn srgb(self) -> Format {
        Format { is_srgb: true, ..self }
    }

    /// Returns the same format with another query result.
    const fn answered(self, answered: u32) -> Format {
        Format { answered, ..self }
    }
}

/// Creates a row of the table.
const fn format(
    name: u32,
    base: u32,
    bits: &str,
    class: Class,
    block: (u8, u8, u8),
    read: (u32, u32),
    uses: [&str; 3],
) -> Format {
    let uses = [use_bits(uses[0]), use_bits(uses[1]), use_bits(uses[2])];
    Format { name, answered: name, base, bits: component_bits(bits), class, is_srgb: false, block, read, uses }
}

/// Parses `r8 g8 b8`.
const fn component_bits(text: &str) -> [u8; 8] {
    let (text, mut bits, mut component) = (text.as_bytes(), [0; 8], 0);
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'r' => component = 0,
            b'g' => component = 1,
            b'b' => component = 2,
            b'a' => component = 3,
            b'l' => component = 4,
            b'i' => component = 5,
            b'd' => component = 6,
            b's' => component = 7,
            b' ' => {}
            digit => bits[component] = bits[component] * 10 + (digit - b'0'),
        }
        at += 1;
    }
    bits
}

/// Parses `TSRC`.
const fn use_bits(text: &str) -> u8 {
    let (text, mut uses, mut at) = (text.as_bytes(), 0, 0);
    while at < text.len() {
        uses |= match text[at] {
            b'T' => Use::Image as u8,
            b'S' => Use::Storage as u8,
            b'R' => Use::Renderbuffer as u8,
            b'C' => Use::Colour as u8,
            b'U' => Use::Unsupported as u8,
            b'B' => Use::Buffer as u8,
            b'I' => Use::Unit as u8,
            b'M' => Use::Multisample as u8,
            _ => panic!("unknown format use"),
        };
        at += 1;
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_name() {
        assert!(FORMATS.windows(2).all(|pair| pair[0].name < pair[1].name), "the table is not sorted");
        let format = Format::named(c::GL_RGB565).expect("a format");
        assert_eq!((format.base, format.bits), (c::GL_RGB, [5, 6, 5, 0, 0, 0, 0, 0]));
        assert!(Format::named(c::GL_BLEND).is_none());
    }

    #[test]
    fn blocks_give_the_size_of_compressed_images() {
        let format = Format::named(c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT).expect("a format");
        assert_eq!(format.compressed_size(5, 4, 1), 32);
        assert_eq!(format.compressed_size(64, 64, 2), 8192);
    }
}
