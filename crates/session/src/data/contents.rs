//! What objects of the recorded program hold.

use serde::{Deserialize, Serialize};

/// An object that has contents, by the name that the recorded program gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentsOf {
    /// A buffer.
    Buffer(u32),
    /// A texture, with all its levels and faces.
    Texture(u32),
    /// A renderbuffer.
    Renderbuffer(u32),
}

/// One image of a texture or renderbuffer, as the driver returned it without loss.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Image {
    /// The target: `GL_TEXTURE_2D`, or the face of a cube.
    pub target: String,
    /// The level of detail. Where pixels have several samples, it is their number.
    pub level: u32,
    /// Width, height and depth or layers.
    pub size: [u32; 3],
    /// The format of pixels, such as `GL_RGBA`; empty for compressed images.
    pub format: String,
    /// The type of pixels, such as `GL_FLOAT`; the internal format of compressed images.
    pub pixel_type: String,
    /// How many numbers a pixel has, and of what type; nothing for compressed images and for types that put several
    /// components into one number.
    pub elements: Option<(u32, ElementType)>,
    /// The pixels: row by row from below, layer by layer, without padding.
    pub bytes: Vec<u8>,
}

/// The type of the numbers of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementType {
    /// 8 bits, signed.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits.
    U32,
    /// A float of 32 bits.
    F32,
}

impl ElementType {
    /// Returns its size in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 => 1,
            ElementType::I16 | ElementType::U16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
        }
    }
}
