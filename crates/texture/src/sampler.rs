//! Sampler state (GL 4.6, 8.2 and table 23.18).

use crate::bounds::Bound;
use crate::value::Value;
use crate::wrap::Wrap;

/// Filtering within a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The texel that contains the coordinate.
    Nearest,
    /// A weighted average of the two nearest texels along every axis.
    Linear,
}

/// Filtering between levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MipFilter {
    /// Only the base level is used.
    None,
    /// The level nearest to the level of detail.
    Nearest,
    /// A weighted average of two levels.
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
    /// One if the comparison holds, otherwise zero (GL 4.6, 8.23.1).
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

/// A device's filter arithmetic, which the specification leaves open within bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Filtering {
    /// In floats, as in the equations of the specification.
    #[default]
    Exact,
    /// In floats, but with this many fractional bits of the position between two texels: eight on most hardware. Texels
    /// of weight zero are skipped, so that a NaN in one of them has no effect.
    WeightBits(u8),
    /// Like Mesa's llvmpipe: 8-bit colours in integers where wrap modes are simple, and a piecewise linear logarithm
    /// for the level of detail. See the `llvmpipe` module for details.
    Llvmpipe {
        /// Whether the upper row of a quad comes first, as in surfaces, which Mesa stores upside down.
        flipped: bool,
        /// Whether anisotropic filters average ellipses, as from Mesa 21.3 to 24.1. Other versions have filters of their
        /// own, and get those of the specification.
        ellipses: bool,
    },
}

/// The complete sampler state.
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
    /// `TEXTURE_BORDER_COLOR`, in the type of the texture.
    pub border: Value,
    /// `TEXTURE_LOD_BIAS`; a texture unit's own bias is to be added.
    pub lod_bias: f32,
    /// `TEXTURE_MIN_LOD`.
    pub min_lod: f32,
    /// `TEXTURE_MAX_LOD`.
    pub max_lod: f32,
    /// `TEXTURE_COMPARE_FUNC` if the mode is `COMPARE_REF_TO_TEXTURE`; `None` if it is `NONE`.
    pub compare: Option<Compare>,
    /// `TEXTURE_MAX_ANISOTROPY`; disabled if at most one.
    pub max_anisotropy: f32,
    /// Filter across the edges of cube maps: the context's `TEXTURE_CUBE_MAP_SEAMLESS` or the sampler's own; always
    /// true in OpenGL ES 3 and later.
    pub seamless_cube: bool,
    /// Whether `TEXTURE_SRGB_DECODE_EXT` is `DECODE_EXT`.
    pub decode_srgb: bool,
    /// The filter arithmetic of the device.
    pub filtering: Filtering,
    /// Return a bound of filters that are not known exactly, rather than what they give.
    pub bound: Option<Bound>,
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
            bound: None,
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
