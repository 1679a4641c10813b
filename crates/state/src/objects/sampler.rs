//! Sampler objects, and sampling parameters of textures.

use api::constant as c;

/// A sampler object.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Its parameters.
    pub sampling: Sampling,
}

/// The parameters that samplers and textures have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Sampling {
    /// `GL_TEXTURE_MIN_FILTER`.
    pub min_filter: u32,
    /// `GL_TEXTURE_MAG_FILTER`.
    pub mag_filter: u32,
    /// `GL_TEXTURE_WRAP_S`, `_T` and `_R`.
    pub wrap: [u32; 3],
    /// `GL_TEXTURE_BORDER_COLOR` as bits: floats, or the integers that were given.
    pub border: [u32; 4],
    /// `GL_TEXTURE_MIN_LOD`.
    pub min_lod: f32,
    /// `GL_TEXTURE_MAX_LOD`.
    pub max_lod: f32,
    /// `GL_TEXTURE_LOD_BIAS`.
    pub lod_bias: f32,
    /// `GL_TEXTURE_MAX_ANISOTROPY`.
    pub max_anisotropy: f32,
    /// `GL_TEXTURE_COMPARE_MODE`.
    pub compare_mode: u32,
    /// `GL_TEXTURE_COMPARE_FUNC`.
    pub compare_func: u32,
    /// `GL_TEXTURE_CUBE_MAP_SEAMLESS`.
    pub seamless: bool,
    /// `GL_TEXTURE_SRGB_DECODE_EXT`.
    pub srgb_decode: u32,
    /// `GL_TEXTURE_REDUCTION_MODE_EXT`.
    pub reduction: u32,
}

impl Default for Sampling {
    /// Returns GL's initial state (GL 4.6, table 23.18).
    fn default() -> Sampling {
        Sampling {
            min_filter: c::GL_NEAREST_MIPMAP_LINEAR,
            mag_filter: c::GL_LINEAR,
            wrap: [c::GL_REPEAT; 3],
            border: [0; 4],
            min_lod: -1000.0,
            max_lod: 1000.0,
            lod_bias: 0.0,
            max_anisotropy: 1.0,
            compare_mode: c::GL_NONE,
            compare_func: c::GL_LEQUAL,
            seamless: false,
            srgb_decode: c::GL_DECODE_EXT,
            reduction: c::GL_WEIGHTED_AVERAGE_ARB,
        }
    }
}
