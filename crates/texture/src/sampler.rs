//! Sampler state (GL 4.6, 8.2 and table 23.18).

use crate::value::Value;
use crate::wrap::Wrap;

/// How texels of one level are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The texel the coordinate lies in.
    Nearest,
    /// Weighted between the two nearest texels along every axis.
    Linear,
}

/// How levels are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MipFilter {
    /// Only the base level is used.
    None,
    /// The level nearest to the level of detail.
    Nearest,
    /// Weighted between two levels.
    Linear,
}

/// `TEXTURE_COMPARE_FUNC`: how the reference is compared with the stored depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Reference <= texel.
    LessEqual,
    /// Reference >= texel.
    GreaterEqual,
    /// Reference < texel.
    Less,
    /// Reference > texel.
    Greater,
    /// Reference = texel.
    Equal,
    /// Reference /= texel.
    NotEqual,
    /// Always 1.
    Always,
    /// Always 0.
    Never,
}

impl Compare {
    /// One where the comparison holds, else zero (GL 4.6, 8.23.1).
    #[must_use]
    pub fn apply(self, reference: f32, texel: f32) -> f32 {
        let holds = match self {
            Compare::LessEqual => reference <= texel,
            Compare::GreaterEqual => reference >= texel,
            Compare::Less => reference < texel,
            Compare::Greater => reference > texel,
            Compare::Equal => reference == texel,
            Compare::NotEqual => reference != texel,
            Compare::Always => true,
            Compare::Never => false,
        };
        f32::from(u8::from(holds))
    }
}

/// How a device does the arithmetic of filters, which the specification leaves to it within bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Filtering {
    /// In floats, as the equations of the specification are written.
    #[default]
    Exact,
    /// In floats, but with so many bits of the place between two texels: eight in much hardware. What has no weight is left
    /// out, so that nothing is heard of a NaN in there.
    WeightBits(u8),
    /// As Mesa's llvmpipe: colours of eight bits in whole numbers where wrap modes are simple, the logarithm of the
    /// level of detail from straight lines. The `llvmpipe` module has the particulars.
    Llvmpipe {
        /// Whether the upper row of a square of pixels comes first, as in surfaces, which Mesa has upside down.
        flipped: bool,
    },
}

/// All state that says how a texture is sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// Filter within a level when the texture is minified.
    pub min_filter: Filter,
    /// Filter when the texture is magnified.
    pub mag_filter: Filter,
    /// Filter between levels.
    pub mip_filter: MipFilter,
    /// Wrapping along s, t and r.
    pub wrap: [Wrap; 3],
    /// `TEXTURE_BORDER_COLOR`, of the type of the texture.
    pub border: Value,
    /// `TEXTURE_LOD_BIAS`, to which a texture unit's own is to be added.
    pub lod_bias: f32,
    /// `TEXTURE_MIN_LOD`.
    pub min_lod: f32,
    /// `TEXTURE_MAX_LOD`.
    pub max_lod: f32,
    /// `TEXTURE_COMPARE_FUNC` when the mode is `COMPARE_REF_TO_TEXTURE`; none when it is `NONE`.
    pub compare: Option<Compare>,
    /// `TEXTURE_MAX_ANISOTROPY`; one and less mean none.
    pub max_anisotropy: f32,
    /// Filter across the edges of cube maps: a context's `TEXTURE_CUBE_MAP_SEAMLESS` or the sampler's own; always
    /// true in OpenGL ES 3 and later.
    pub seamless_cube: bool,
    /// `TEXTURE_SRGB_DECODE_EXT` is `DECODE_EXT`.
    pub decode_srgb: bool,
    /// How the device at hand does the arithmetic of filters.
    pub filtering: Filtering,
}

impl Default for Sampler {
    /// The initial state of a sampler object, in a context with seamless cube maps.
    fn default() -> Sampler {
        Sampler {
            min_filter: Filter::Nearest,
            mag_filter: Filter::Linear,
            mip_filter: MipFilter::Linear,
            wrap: [Wrap::Repeat; 3],
            border: Value::Float([0.0; 4]),
            lod_bias: 0.0,
            min_lod: -1000.0,
            max_lod: 1000.0,
            compare: None,
            max_anisotropy: 1.0,
            seamless_cube: true,
            decode_srgb: true,
            filtering: Filtering::Exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_have_the_reference_on_the_left() {
        let results = |compare: Compare| [0.0, 0.5, 1.0].map(|reference| compare.apply(reference, 0.5));
        assert_eq!(results(Compare::LessEqual), [1.0, 1.0, 0.0]);
        assert_eq!(results(Compare::GreaterEqual), [0.0, 1.0, 1.0]);
        assert_eq!(results(Compare::Less), [1.0, 0.0, 0.0]);
        assert_eq!(results(Compare::Greater), [0.0, 0.0, 1.0]);
        assert_eq!(results(Compare::Equal), [0.0, 1.0, 0.0]);
        assert_eq!(results(Compare::NotEqual), [1.0, 0.0, 1.0]);
        assert_eq!(results(Compare::Always), [1.0; 3]);
        assert_eq!(results(Compare::Never), [0.0; 3]);
    }
}
