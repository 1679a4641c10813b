//! Current vertex attributes.

/// Maximum number of generic attributes.
pub const GENERIC: usize = 32;

/// The attributes of a vertex that no array supplies.
#[derive(Clone, PartialEq, Debug)]
pub struct Current {
    /// `GL_CURRENT_COLOR`.
    pub colour: [f32; 4],
    /// `GL_CURRENT_SECONDARY_COLOR`.
    pub secondary: [f32; 4],
    /// `GL_CURRENT_NORMAL`.
    pub normal: [f32; 3],
    /// `GL_CURRENT_FOG_COORD`.
    pub fog: f32,
    /// `GL_CURRENT_INDEX`.
    pub index: f32,
    /// `GL_EDGE_FLAG`.
    pub edge: bool,
    /// `GL_CURRENT_TEXTURE_COORDS` by unit.
    pub texture: [[f32; 4]; 8],
    /// Generic attributes as bits: four floats, four integers, or four doubles of which each takes two words.
    pub generic: [[u32; 8]; GENERIC],
}

impl Default for Current {
    fn default() -> Current {
        let one = 1.0f32.to_bits();
        Current {
            colour: [1.0; 4],
            secondary: [0.0, 0.0, 0.0, 1.0],
            normal: [0.0, 0.0, 1.0],
            fog: 0.0,
            index: 1.0,
            edge: true,
            texture: [[0.0, 0.0, 0.0, 1.0]; 8],
            generic: [[0, 0, 0, one, 0, 0, 0, 0]; GENERIC],
        }
    }
}
