//! The framebuffer of a draw.

use serde::{Deserialize, Serialize};

/// The framebuffer that a draw draws to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Target {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Samples of a pixel; 0 without multisampling.
    pub samples: u32,
    /// Layers; 0 if it is not layered.
    pub layers: u32,
    /// Whether it belongs to a window or another surface.
    pub surface: bool,
    /// Bits of depth and of stencil.
    pub bits: [u32; 2],
    /// Whether depth is a float.
    pub float_depth: bool,
}
