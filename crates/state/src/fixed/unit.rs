//! Fixed-function texture units.

use api::constant as c;

/// A texture unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// Enabled targets: one bit for each of [`TARGETS`].
    pub enabled: u8,
    /// Generators of S, T, R and Q.
    pub generators: [Generator; 4],
    /// Enabled generators, one bit each.
    pub generated: u8,
    /// `GL_TEXTURE_ENV_MODE`.
    pub mode: u32,
    /// `GL_TEXTURE_ENV_COLOR`, not clamped.
    pub colour: [f32; 4],
    /// `GL_COMBINE_RGB`.
    pub combine_rgb: u32,
    /// `GL_COMBINE_ALPHA`.
    pub combine_alpha: u32,
    /// `GL_SOURCE0_RGB` and so on.
    pub source_rgb: [u32; 4],
    /// `GL_SOURCE0_ALPHA` and so on.
    pub source_alpha: [u32; 4],
    /// `GL_OPERAND0_RGB` and so on.
    pub operand_rgb: [u32; 4],
    /// `GL_OPERAND0_ALPHA` and so on.
    pub operand_alpha: [u32; 4],
    /// Powers of two: `GL_RGB_SCALE` and `GL_ALPHA_SCALE`.
    pub scale_shift: [u8; 2],
    /// `GL_COORD_REPLACE`.
    pub coord_replace: bool,
}

/// Generation of a texture coordinate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Generator {
    /// `GL_TEXTURE_GEN_MODE`.
    pub mode: u32,
    /// `GL_OBJECT_PLANE`.
    pub object_plane: [f32; 4],
    /// `GL_EYE_PLANE`, in eye coordinates.
    pub eye_plane: [f32; 4],
}

/// The targets that can be enabled, in the order of bits.
pub const TARGETS: [u32; 6] = [
    c::GL_TEXTURE_1D,
    c::GL_TEXTURE_2D,
    c::GL_TEXTURE_3D,
    c::GL_TEXTURE_CUBE_MAP,
    c::GL_TEXTURE_RECTANGLE,
    c::GL_TEXTURE_EXTERNAL_OES,
];

impl Default for Unit {
    fn default() -> Unit {
        let generator = |plane| Generator { mode: c::GL_EYE_LINEAR, object_plane: plane, eye_plane: plane };
        Unit {
            enabled: 0,
            generators: [
                generator([1.0, 0.0, 0.0, 0.0]),
                generator([0.0, 1.0, 0.0, 0.0]),
                generator([0.0; 4]),
                generator([0.0; 4]),
            ],
            generated: 0,
            mode: c::GL_MODULATE,
            colour: [0.0; 4],
            combine_rgb: c::GL_MODULATE,
            combine_alpha: c::GL_MODULATE,
            source_rgb: [c::GL_TEXTURE, c::GL_PREVIOUS, c::GL_CONSTANT, c::GL_CONSTANT],
            source_alpha: [c::GL_TEXTURE, c::GL_PREVIOUS, c::GL_CONSTANT, c::GL_CONSTANT],
            operand_rgb: [c::GL_SRC_COLOR, c::GL_SRC_COLOR, c::GL_SRC_ALPHA, c::GL_SRC_ALPHA],
            operand_alpha: [c::GL_SRC_ALPHA; 4],
            scale_shift: [0; 2],
            coord_replace: false,
        }
    }
}
