//! Texture reads, and who made what they read.

use serde::{Deserialize, Serialize};

use super::place::Location;

/// A texture look-up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Read {
    /// What to call it by: a place in the list it came in.
    pub number: usize,
    /// The look-up.
    pub location: Option<Location>,
    /// The sampler's unit.
    pub unit: u32,
    /// The texture, as the recorded program named it: `texture 5`.
    pub texture: String,
    /// The texels that it reads, those with the largest shares first.
    pub texels: Vec<TexelRead>,
}

/// A texel that was read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TexelRead {
    /// Column and row.
    pub at: [u32; 2],
    /// Level of detail.
    pub level: u32,
    /// Layer, face, or slice.
    pub layer: u32,
    /// Sample.
    pub sample: u32,
    /// Its share in what the look-up gives.
    pub weight: f32,
    /// What it holds: red, green, blue, alpha.
    pub value: Option<[f64; 4]>,
}
