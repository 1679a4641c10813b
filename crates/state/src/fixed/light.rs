//! Lights and materials.

/// A light.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Light {
    /// `GL_AMBIENT`, `GL_DIFFUSE` and `GL_SPECULAR`.
    pub colours: [[f32; 4]; 3],
    /// Its position in eye coordinates.
    pub position: [f32; 4],
    /// Its spot direction in eye coordinates.
    pub direction: [f32; 3],
    /// `GL_SPOT_EXPONENT`.
    pub exponent: f32,
    /// `GL_SPOT_CUTOFF`.
    pub cutoff: f32,
    /// Constant, linear and quadratic.
    pub attenuation: [f32; 3],
}

/// A material.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Material {
    /// `GL_AMBIENT`, `GL_DIFFUSE`, `GL_SPECULAR` and `GL_EMISSION`.
    pub colours: [[f32; 4]; 4],
    /// `GL_SHININESS`.
    pub shininess: f32,
    /// `GL_COLOR_INDEXES`.
    pub indexes: [f32; 3],
}

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

impl Light {
    /// Returns the initial state. The first light differs (GL 4.6 compatibility, table 12.1).
    #[must_use]
    pub fn new(number: usize) -> Light {
        let colour = if number == 0 { [1.0; 4] } else { BLACK };
        Light {
            colours: [BLACK, colour, colour],
            position: [0.0, 0.0, 1.0, 0.0],
            direction: [0.0, 0.0, -1.0],
            exponent: 0.0,
            cutoff: 180.0,
            attenuation: [1.0, 0.0, 0.0],
        }
    }
}

impl Default for Material {
    fn default() -> Material {
        Material {
            colours: [[0.2, 0.2, 0.2, 1.0], [0.8, 0.8, 0.8, 1.0], BLACK, BLACK],
            shininess: 0.0,
            indexes: [0.0, 1.0, 1.0],
        }
    }
}
