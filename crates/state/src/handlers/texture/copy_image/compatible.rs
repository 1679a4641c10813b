//! Compatible formats for copies of texels.

use api::constant as c;

use crate::context::{Client, Facts};
use crate::objects::format::Format;

/// Returns whether texels of one format can be copied without conversion to an image of another (GL 4.6, 18.3.2): the
/// formats are equal, or compatible for views, or a block of one has as many bits as a texel of the other.
pub fn are_compatible(facts: &Facts, one: u32, other: u32) -> bool {
    let same_class = || class(facts, one).is_some_and(|found| class(facts, other) == Some(found));
    if one == other || same_class() {
        return true;
    }
    let is_compressed = |name: u32| Format::named(name).is_some_and(Format::is_compressed);
    match (is_compressed(one), is_compressed(other)) {
        (true, false) => block_fits(one, other),
        (false, true) => block_fits(other, one),
        _ => false,
    }
}

/// Returns whether a block of 128 or 64 bits matches texels of that size (GL 4.6, table 18.4).
fn block_fits(compressed: u32, plain: u32) -> bool {
    let bytes = Format::named(compressed).map_or(0, |format| format.block.2);
    CLASSES
        .iter()
        .any(|(bits, formats)| matches!(bits, 128 | 64) && *bits == u32::from(bytes) * 8 && formats.contains(&plain))
}

/// Returns the view class of a format: formats of one class are compatible (GL 4.6, table 8.22).
fn class(facts: &Facts, name: u32) -> Option<usize> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let plain = CLASSES.iter().position(|(_, formats)| formats.contains(&name));
    let compressed = || COMPRESSED.iter().position(|formats| formats.contains(&name)).map(|at| at + CLASSES.len());
    let es = || ETC2.iter().position(|formats| formats.contains(&name)).map(|at| at + CLASSES.len() + COMPRESSED.len());
    plain.or_else(compressed).or_else(|| if desktop { None } else { es() })
}

/// Bits per texel, and the formats of that size.
const CLASSES: &[(u32, &[u32])] = &[
    (128, &[c::GL_RGBA32F, c::GL_RGBA32UI, c::GL_RGBA32I]),
    (96, &[c::GL_RGB32F, c::GL_RGB32UI, c::GL_RGB32I]),
    (
        64,
        &[
            c::GL_RGBA16F,
            c::GL_RG32F,
            c::GL_RGBA16UI,
            c::GL_RG32UI,
            c::GL_RGBA16I,
            c::GL_RG32I,
            c::GL_RGBA16,
            c::GL_RGBA16_SNORM,
        ],
    ),
    (48, &[c::GL_RGB16, c::GL_RGB16_SNORM, c::GL_RGB16F, c::GL_RGB16UI, c::GL_RGB16I]),
    (
        32,
        &[
            c::GL_RG16F,
            c::GL_R11F_G11F_B10F,
            c::GL_R32F,
            c::GL_RGB10_A2UI,
            c::GL_RGBA8UI,
            c::GL_RG16UI,
            c::GL_R32UI,
            c::GL_RGBA8I,
            c::GL_RG16I,
            c::GL_R32I,
            c::GL_RGB10_A2,
            c::GL_RGBA8,
            c::GL_RG16,
            c::GL_RGBA8_SNORM,
            c::GL_RG16_SNORM,
            c::GL_SRGB8_ALPHA8,
            c::GL_RGB9_E5,
        ],
    ),
    (24, &[c::GL_RGB8, c::GL_RGB8_SNORM, c::GL_SRGB8, c::GL_RGB8UI, c::GL_RGB8I]),
    (
        16,
        &[
            c::GL_R16F,
            c::GL_RG8UI,
            c::GL_R16UI,
            c::GL_RG8I,
            c::GL_R16I,
            c::GL_RG8,
            c::GL_R16,
            c::GL_RG8_SNORM,
            c::GL_R16_SNORM,
        ],
    ),
    (8, &[c::GL_R8UI, c::GL_R8I, c::GL_R8, c::GL_R8_SNORM]),
];

/// Compressed formats that are compatible with each other.
const COMPRESSED: &[&[u32]] = &[
    &[c::GL_COMPRESSED_RED_RGTC1, c::GL_COMPRESSED_SIGNED_RED_RGTC1],
    &[c::GL_COMPRESSED_RG_RGTC2, c::GL_COMPRESSED_SIGNED_RG_RGTC2],
    &[c::GL_COMPRESSED_RGBA_BPTC_UNORM, c::GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM],
    &[c::GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, c::GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT],
    &[c::GL_COMPRESSED_RGB_S3TC_DXT1_EXT, c::GL_COMPRESSED_SRGB_S3TC_DXT1_EXT],
    &[c::GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT],
    &[c::GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT],
    &[c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, c::GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT],
];

/// Compatible compressed formats of OpenGL ES.
const ETC2: &[&[u32]] = &[
    &[c::GL_COMPRESSED_R11_EAC, c::GL_COMPRESSED_SIGNED_R11_EAC],
    &[c::GL_COMPRESSED_RG11_EAC, c::GL_COMPRESSED_SIGNED_RG11_EAC],
    &[c::GL_COMPRESSED_RGB8_ETC2, c::GL_COMPRESSED_SRGB8_ETC2],
    &[c::GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, c::GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2],
    &[c::GL_COMPRESSED_RGBA8_ETC2_EAC, c::GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_compatible_with_texels_of_the_same_size() {
        let facts = Facts::default();
        assert!(are_compatible(&facts, c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, c::GL_RGBA32UI));
        assert!(are_compatible(&facts, c::GL_RG32F, c::GL_COMPRESSED_RED_RGTC1));
        assert!(!are_compatible(&facts, c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, c::GL_RGBA16UI));
        assert!(!are_compatible(&facts, c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, c::GL_COMPRESSED_RGBA_S3TC_DXT3_EXT));
    }

    #[test]
    fn unsized_formats_are_compatible_only_with_themselves() {
        let facts = Facts::default();
        assert!(are_compatible(&facts, c::GL_RGBA, c::GL_RGBA));
        assert!(!are_compatible(&facts, c::GL_RGBA, c::GL_RGBA8));
        assert!(are_compatible(&facts, c::GL_R32F, c::GL_RGBA8));
    }
}
