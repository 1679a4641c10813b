//! Internal formats and their memory layouts.

/// The type that a look-up returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Floating-point or normalised: `sampler*`.
    Float,
    /// Signed integers: `isampler*`.
    Int,
    /// Unsigned integers: `usampler*`.
    Uint,
}

/// The components of a format; missing ones are filled in by GL 4.6 compatibility, table 16.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// (r, 0, 0, 1)
    Red,
    /// (r, g, 0, 1)
    Rg,
    /// (r, g, b, 1)
    Rgb,
    /// (r, g, b, a)
    Rgba,
    /// (0, 0, 0, a)
    Alpha,
    /// (l, l, l, 1)
    Luminance,
    /// (l, l, l, a)
    LuminanceAlpha,
    /// (i, i, i, i)
    Intensity,
    /// (d, 0, 0, 1); the compatibility profile's `DEPTH_TEXTURE_MODE` is a swizzle on top of it.
    Depth,
    /// A depth and a stencil value, of which the texture's mode selects one.
    DepthStencil,
    /// (s, 0, 0, 1), an unsigned integer.
    Stencil,
}

impl Base {
    /// The number of stored components.
    #[must_use]
    pub fn components(self) -> usize {
        match self {
            Base::Red | Base::Alpha | Base::Luminance | Base::Intensity | Base::Depth | Base::Stencil => 1,
            Base::Rg | Base::LuminanceAlpha | Base::DepthStencil => 2,
            Base::Rgb => 3,
            Base::Rgba => 4,
        }
    }

    /// The component of RGBA that a stored component is taken from (GL 4.6 compatibility, table 8.18: luminance and
    /// intensity come from red, alpha from alpha).
    pub(crate) fn source(self, component: usize) -> usize {
        match self {
            Base::Alpha => 3,
            Base::LuminanceAlpha if component == 1 => 3,
            _ => component,
        }
    }
}

/// The storage of one component of an array-like format, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    Unorm8,
    /// Twelve bits in the lower part of sixteen.
    Unorm12,
    Unorm16,
    Unorm32,
    Snorm8,
    Snorm16,
    Half,
    Float,
    Int8,
    Int16,
    Int32,
    Uint8,
    Uint16,
    Uint32,
    /// Eight sRGB-encoded bits; a fourth component and the alpha of luminance-alpha are linear.
    Srgb8,
}

impl Channel {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Channel::Unorm8 | Channel::Snorm8 | Channel::Int8 | Channel::Uint8 | Channel::Srgb8 => 1,
            Channel::Unorm12 | Channel::Unorm16 | Channel::Snorm16 => 2,
            Channel::Half | Channel::Int16 | Channel::Uint16 => 2,
            Channel::Unorm32 | Channel::Float | Channel::Int32 | Channel::Uint32 => 4,
        }
    }
}

/// Fields of a little-endian word: shift and width of red, green, blue and alpha; width zero for missing ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed {
    pub(crate) bytes: usize,
    pub(crate) fields: [(u32, u32); 4],
    pub(crate) integer: bool,
}

/// The storage of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Array(Channel),
    Word(Packed),
    R11fG11fB10f,
    Rgb9E5,
    /// Depth in the upper 24 bits of 32, stencil in the lower eight.
    Depth24Stencil8,
    /// A float, then 32 bits with the stencil in the lower eight.
    Depth32fStencil8,
}

const fn word(bytes: usize, fields: [(u32, u32); 4]) -> Storage {
    Storage::Word(Packed { bytes, fields, integer: false })
}

use Base::{Alpha, Depth, DepthStencil, Intensity, Luminance, LuminanceAlpha, Red, Rg, Rgb, Rgba, Stencil};
use Channel::{
    Float, Half, Int8, Int16, Int32, Snorm8, Snorm16, Srgb8, Uint8, Uint16, Uint32, Unorm8, Unorm12, Unorm16, Unorm32,
};
use Storage::{Array, Depth24Stencil8, Depth32fStencil8, R11fG11fB10f, Rgb9E5};

macro_rules! formats {
    ($($variant:ident $name:literal $gl:literal $base:ident $storage:expr;)*) => {
        /// A sized internal format.
        ///
        /// Texels are stored without padding, components in the order red, green, blue, alpha, each little-endian.
        /// Formats packed into a word have the layout of the matching packed pixel type: `UNSIGNED_BYTE_3_3_2`,
        /// `UNSIGNED_SHORT_5_6_5`, `_4_4_4_4`, `_5_5_5_1`, `UNSIGNED_INT_2_10_10_10_REV`, `_10F_11F_11F_REV`,
        /// `_5_9_9_9_REV`, `_24_8` and `FLOAT_32_UNSIGNED_INT_24_8_REV`. Where GL has no packed type, the bits of a
        /// missing component are unused (`RGB4` is stored as 4444, `RGB10` as `2_10_10_10_REV`, `DEPTH_COMPONENT24` as
        /// `24_8`), `RGBA2` is a byte with red in the top bits, and 12-bit components occupy the lower bits of sixteen.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Format {
            $(#[doc = concat!("`GL_", $name, "`")] $variant,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$variant,)*];

            /// The format with this GL enumerant.
            #[must_use]
            pub fn from_gl(enumerant: u32) -> Option<Format> {
                match enumerant {
                    $($gl => Some(Format::$variant),)*
                    _ => None,
                }
            }

            /// The GL enumerant.
            #[must_use]
            pub fn gl(self) -> u32 {
                match self { $(Format::$variant => $gl,)* }
            }

            /// The GL name without its prefix.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Format::$variant => $name,)* }
            }

            /// The components of the format.
            #[must_use]
            pub fn base(self) -> Base {
                match self { $(Format::$variant => $base,)* }
            }

            pub(crate) fn storage(self) -> Storage {
                match self { $(Format::$variant => const { $storage },)* }
            }
        }
    };
}

formats! {
    R8 "R8" 0x8229 Red Array(Unorm8);
    Rg8 "RG8" 0x822B Rg Array(Unorm8);
    Rgb8 "RGB8" 0x8051 Rgb Array(Unorm8);
    Rgba8 "RGBA8" 0x8058 Rgba Array(Unorm8);
    R16 "R16" 0x822A Red Array(Unorm16);
    Rg16 "RG16" 0x822C Rg Array(Unorm16);
    Rgb16 "RGB16" 0x8054 Rgb Array(Unorm16);
    Rgba16 "RGBA16" 0x805B Rgba Array(Unorm16);
    R8Snorm "R8_SNORM" 0x8F94 Red Array(Snorm8);
    Rg8Snorm "RG8_SNORM" 0x8F95 Rg Array(Snorm8);
    Rgb8Snorm "RGB8_SNORM" 0x8F96 Rgb Array(Snorm8);
    Rgba8Snorm "RGBA8_SNORM" 0x8F97 Rgba Array(Snorm8);
    R16Snorm "R16_SNORM" 0x8F98 Red Array(Snorm16);
    Rg16Snorm "RG16_SNORM" 0x8F99 Rg Array(Snorm16);
    Rgb16Snorm "RGB16_SNORM" 0x8F9A Rgb Array(Snorm16);
    Rgba16Snorm "RGBA16_SNORM" 0x8F9B Rgba Array(Snorm16);
    R16F "R16F" 0x822D Red Array(Half);
    Rg16F "RG16F" 0x822F Rg Array(Half);
    Rgb16F "RGB16F" 0x881B Rgb Array(Half);
    Rgba16F "RGBA16F" 0x881A Rgba Array(Half);
    R32F "R32F" 0x822E Red Array(Float);
    Rg32F "RG32F" 0x8230 Rg Array(Float);
    Rgb32F "RGB32F" 0x8815 Rgb Array(Float);
    Rgba32F "RGBA32F" 0x8814 Rgba Array(Float);
    R8I "R8I" 0x8231 Red Array(Int8);
    Rg8I "RG8I" 0x8237 Rg Array(Int8);
    Rgb8I "RGB8I" 0x8D8F Rgb Array(Int8);
    Rgba8I "RGBA8I" 0x8D8E Rgba Array(Int8);
    R16I "R16I" 0x8233 Red Array(Int16);
    Rg16I "RG16I" 0x8239 Rg Array(Int16);
    Rgb16I "RGB16I" 0x8D89 Rgb Array(Int16);
    Rgba16I "RGBA16I" 0x8D88 Rgba Array(Int16);
    R32I "R32I" 0x8235 Red Array(Int32);
    Rg32I "RG32I" 0x823B Rg Array(Int32);
    Rgb32I "RGB32I" 0x8D83 Rgb Array(Int32);
    Rgba32I "RGBA32I" 0x8D82 Rgba Array(Int32);
    R8Ui "R8UI" 0x8232 Red Array(Uint8);
    Rg8Ui "RG8UI" 0x8238 Rg Array(Uint8);
    Rgb8Ui "RGB8UI" 0x8D7D Rgb Array(Uint8);
    Rgba8Ui "RGBA8UI" 0x8D7C Rgba Array(Uint8);
    R16Ui "R16UI" 0x8234 Red Array(Uint16);
    Rg16Ui "RG16UI" 0x823A Rg Array(Uint16);
    Rgb16Ui "RGB16UI" 0x8D77 Rgb Array(Uint16);
    Rgba16Ui "RGBA16UI" 0x8D76 Rgba Array(Uint16);
    R32Ui "R32UI" 0x8236 Red Array(Uint32);
    Rg32Ui "RG32UI" 0x823C Rg Array(Uint32);
    Rgb32Ui "RGB32UI" 0x8D71 Rgb Array(Uint32);
    Rgba32Ui "RGBA32UI" 0x8D70 Rgba Array(Uint32);
    Sr8 "SR8_EXT" 0x8FBD Red Array(Srgb8);
    Srg8 "SRG8_EXT" 0x8FBE Rg Array(Srgb8);
    Srgb8 "SRGB8" 0x8C41 Rgb Array(Srgb8);
    Srgb8Alpha8 "SRGB8_ALPHA8" 0x8C43 Rgba Array(Srgb8);
    R3G3B2 "R3_G3_B2" 0x2A10 Rgb word(1, [(5, 3), (2, 3), (0, 2), (0, 0)]);
    Rgb4 "RGB4" 0x804F Rgb word(2, [(12, 4), (8, 4), (4, 4), (0, 0)]);
    Rgb5 "RGB5" 0x8050 Rgb word(2, [(11, 5), (6, 5), (1, 5), (0, 0)]);
    Rgb565 "RGB565" 0x8D62 Rgb word(2, [(11, 5), (5, 6), (0, 5), (0, 0)]);
    Rgb10 "RGB10" 0x8052 Rgb word(4, [(0, 10), (10, 10), (20, 10), (0, 0)]);
    Rgb12 "RGB12" 0x8053 Rgb Array(Unorm12);
    Rgba2 "RGBA2" 0x8055 Rgba word(1, [(6, 2), (4, 2), (2, 2), (0, 2)]);
    Rgba4 "RGBA4" 0x8056 Rgba word(2, [(12, 4), (8, 4), (4, 4), (0, 4)]);
    Rgb5A1 "RGB5_A1" 0x8057 Rgba word(2, [(11, 5), (6, 5), (1, 5), (0, 1)]);
    Rgb10A2 "RGB10_A2" 0x8059 Rgba word(4, [(0, 10), (10, 10), (20, 10), (30, 2)]);
    Rgb10A2Ui "RGB10_A2UI" 0x906F Rgba Storage::Word(Packed {
        bytes: 4,
        fields: [(0, 10), (10, 10), (20, 10), (30, 2)],
        integer: true,
    });
    Rgba12 "RGBA12" 0x805A Rgba Array(Unorm12);
    R11fG11fB10f "R11F_G11F_B10F" 0x8C3A Rgb R11fG11fB10f;
    Rgb9E5 "RGB9_E5" 0x8C3D Rgb Rgb9E5;
    Depth16 "DEPTH_COMPONENT16" 0x81A5 Depth Array(Unorm16);
    Depth24 "DEPTH_COMPONENT24" 0x81A6 Depth Depth24Stencil8;
    Depth32 "DEPTH_COMPONENT32" 0x81A7 Depth Array(Unorm32);
    Depth32F "DEPTH_COMPONENT32F" 0x8CAC Depth Array(Float);
    Depth24Stencil8 "DEPTH24_STENCIL8" 0x88F0 DepthStencil Depth24Stencil8;
    Depth32FStencil8 "DEPTH32F_STENCIL8" 0x8CAD DepthStencil Depth32fStencil8;
    Stencil8 "STENCIL_INDEX8" 0x8D48 Stencil Array(Uint8);
    Alpha8 "ALPHA8" 0x803C Alpha Array(Unorm8);
    Alpha16 "ALPHA16" 0x803E Alpha Array(Unorm16);
    Luminance8 "LUMINANCE8" 0x8040 Luminance Array(Unorm8);
    Luminance16 "LUMINANCE16" 0x8042 Luminance Array(Unorm16);
    Luminance8Alpha8 "LUMINANCE8_ALPHA8" 0x8045 LuminanceAlpha Array(Unorm8);
    Luminance16Alpha16 "LUMINANCE16_ALPHA16" 0x8048 LuminanceAlpha Array(Unorm16);
    Intensity8 "INTENSITY8" 0x804B Intensity Array(Unorm8);
    Intensity16 "INTENSITY16" 0x804D Intensity Array(Unorm16);
    Sluminance8 "SLUMINANCE8" 0x8C47 Luminance Array(Srgb8);
    Sluminance8Alpha8 "SLUMINANCE8_ALPHA8" 0x8C45 LuminanceAlpha Array(Srgb8);
    Alpha8Snorm "ALPHA8_SNORM" 0x9014 Alpha Array(Snorm8);
    Luminance8Snorm "LUMINANCE8_SNORM" 0x9015 Luminance Array(Snorm8);
    Luminance8Alpha8Snorm "LUMINANCE8_ALPHA8_SNORM" 0x9016 LuminanceAlpha Array(Snorm8);
    Intensity8Snorm "INTENSITY8_SNORM" 0x9017 Intensity Array(Snorm8);
    Alpha16Snorm "ALPHA16_SNORM" 0x9018 Alpha Array(Snorm16);
    Luminance16Snorm "LUMINANCE16_SNORM" 0x9019 Luminance Array(Snorm16);
    Luminance16Alpha16Snorm "LUMINANCE16_ALPHA16_SNORM" 0x901A LuminanceAlpha Array(Snorm16);
    Intensity16Snorm "INTENSITY16_SNORM" 0x901B Intensity Array(Snorm16);
    Alpha16F "ALPHA16F_ARB" 0x881C Alpha Array(Half);
    Luminance16F "LUMINANCE16F_ARB" 0x881E Luminance Array(Half);
    LuminanceAlpha16F "LUMINANCE_ALPHA16F_ARB" 0x881F LuminanceAlpha Array(Half);
    Intensity16F "INTENSITY16F_ARB" 0x881D Intensity Array(Half);
    Alpha32F "ALPHA32F_ARB" 0x8816 Alpha Array(Float);
    Luminance32F "LUMINANCE32F_ARB" 0x8818 Luminance Array(Float);
    LuminanceAlpha32F "LUMINANCE_ALPHA32F_ARB" 0x8819 LuminanceAlpha Array(Float);
    Intensity32F "INTENSITY32F_ARB" 0x8817 Intensity Array(Float);
    Alpha8I "ALPHA8I_EXT" 0x8D90 Alpha Array(Int8);
    Luminance8I "LUMINANCE8I_EXT" 0x8D92 Luminance Array(Int8);
    LuminanceAlpha8I "LUMINANCE_ALPHA8I_EXT" 0x8D93 LuminanceAlpha Array(Int8);
    Intensity8I "INTENSITY8I_EXT" 0x8D91 Intensity Array(Int8);
    Alpha16I "ALPHA16I_EXT" 0x8D8A Alpha Array(Int16);
    Luminance16I "LUMINANCE16I_EXT" 0x8D8C Luminance Array(Int16);
    LuminanceAlpha16I "LUMINANCE_ALPHA16I_EXT" 0x8D8D LuminanceAlpha Array(Int16);
    Intensity16I "INTENSITY16I_EXT" 0x8D8B Intensity Array(Int16);
    Alpha32I "ALPHA32I_EXT" 0x8D84 Alpha Array(Int32);
    Luminance32I "LUMINANCE32I_EXT" 0x8D86 Luminance Array(Int32);
    LuminanceAlpha32I "LUMINANCE_ALPHA32I_EXT" 0x8D87 LuminanceAlpha Array(Int32);
    Intensity32I "INTENSITY32I_EXT" 0x8D85 Intensity Array(Int32);
    Alpha8Ui "ALPHA8UI_EXT" 0x8D7E Alpha Array(Uint8);
    Luminance8Ui "LUMINANCE8UI_EXT" 0x8D80 Luminance Array(Uint8);
    LuminanceAlpha8Ui "LUMINANCE_ALPHA8UI_EXT" 0x8D81 LuminanceAlpha Array(Uint8);
    Intensity8Ui "INTENSITY8UI_EXT" 0x8D7F Intensity Array(Uint8);
    Alpha16Ui "ALPHA16UI_EXT" 0x8D78 Alpha Array(Uint16);
    Luminance16Ui "LUMINANCE16UI_EXT" 0x8D7A Luminance Array(Uint16);
    LuminanceAlpha16Ui "LUMINANCE_ALPHA16UI_EXT" 0x8D7B LuminanceAlpha Array(Uint16);
    Intensity16Ui "INTENSITY16UI_EXT" 0x8D79 Intensity Array(Uint16);
    Alpha32Ui "ALPHA32UI_EXT" 0x8D72 Alpha Array(Uint32);
    Luminance32Ui "LUMINANCE32UI_EXT" 0x8D74 Luminance Array(Uint32);
    LuminanceAlpha32Ui "LUMINANCE_ALPHA32UI_EXT" 0x8D75 LuminanceAlpha Array(Uint32);
    Intensity32Ui "INTENSITY32UI_EXT" 0x8D73 Intensity Array(Uint32);
}

impl Format {
    /// The size of a texel in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self.storage() {
            Storage::Array(channel) => channel.bytes() * self.base().components(),
            Storage::Word(packed) => packed.bytes,
            Storage::R11fG11fB10f | Storage::Rgb9E5 | Storage::Depth24Stencil8 => 4,
            Storage::Depth32fStencil8 => 8,
        }
    }

    /// The type that look-ups return; `stencil` for a depth-stencil texture whose mode is `STENCIL_INDEX`.
    #[must_use]
    pub fn class(self, stencil: bool) -> Class {
        match (self.base(), self.storage()) {
            (Base::Stencil, _) => Class::Uint,
            (Base::DepthStencil, _) if stencil => Class::Uint,
            (_, Storage::Array(Channel::Int8 | Channel::Int16 | Channel::Int32)) => Class::Int,
            (_, Storage::Array(Channel::Uint8 | Channel::Uint16 | Channel::Uint32)) => Class::Uint,
            (_, Storage::Word(packed)) if packed.integer => Class::Uint,
            _ => Class::Float,
        }
    }

    /// The range of a normalised format; `None` for floating-point and integer formats.
    #[must_use]
    pub fn range(self) -> Option<(f32, f32)> {
        match self.storage() {
            Storage::Array(Channel::Unorm8 | Channel::Unorm12 | Channel::Unorm16 | Channel::Unorm32)
            | Storage::Array(Channel::Srgb8)
            | Storage::Depth24Stencil8 => Some((0.0, 1.0)),
            Storage::Array(Channel::Snorm8 | Channel::Snorm16) => Some((-1.0, 1.0)),
            Storage::Word(packed) if !packed.integer => Some((0.0, 1.0)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerants_are_distinct_and_found_again() {
        for &format in Format::ALL {
            assert_eq!(Format::from_gl(format.gl()), Some(format), "{}", format.name());
        }
        assert_eq!(Format::from_gl(0), None);
    }

    #[test]
    fn sizes_and_classes() {
        assert_eq!(Format::Rgb16F.bytes(), 6);
        assert_eq!(Format::Rgb5A1.bytes(), 2);
        assert_eq!(Format::Depth32FStencil8.bytes(), 8);
        assert_eq!(Format::Depth24Stencil8.class(false), Class::Float);
        assert_eq!(Format::Depth24Stencil8.class(true), Class::Uint);
        assert_eq!(Format::Rgb10A2Ui.class(false), Class::Uint);
        assert_eq!(Format::LuminanceAlpha16I.class(false), Class::Int);
    }
}
