//! A small exact rasteriser: everything GL does between the last vertex processing stage and the pixels, except
//! fragment shading.
//!
//! [`draw`] takes vertices with clip-space positions, assembles, clips and rasterises primitives, passes 2x2 quads of
//! fragments to a callback and merges its results into a [`Framebuffer`]. It has no notion of shaders, textures or
//! buffers; nor does it support antialiasing, stippling or conservative rasterisation. A [`Tessellator`] subdivides
//! patches before that.
//!
//! Window coordinates are GL's: the origin is the lower left corner and pixel (x, y) has its centre at (x + 0.5, y +
//! 0.5). Positions are snapped to 1/256 of a pixel and coverage is computed in integers, so that primitives that share
//! an edge neither overlap nor leave gaps. Depth and varyings are evaluated in `f64` from the positions before snapping
//! and rounded once.
//!
//! The crate is pure: no I/O, no clock, no threads; the result is deterministic.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod assemble;
mod blend;
mod clip;
mod draw;
pub mod format;
mod framebuffer;
mod interpolate;
mod line;
mod merge;
mod polygon;
mod quad;
mod setup;
pub mod state;
pub mod tessellate;

pub use assemble::{Primitive, Provoking, Topology, assemble};
pub use draw::{Draw, Stats, draw, draw_watched};
pub use format::{Color, DepthFormat, PixelFormat};
pub use framebuffer::{Area, Clear, ColorSurface, Framebuffer};
pub use interpolate::Barycentrics;
pub use merge::{IncomingSample, SampleEvent, Verdict, merge_sample};
pub use quad::{Fragment, FragmentOutput, Quad, QuadOutput};
pub use state::{Pipeline, Vertex};
pub use tessellate::{Tessellation, Tessellator};

/// The number of subpixel bits of positions, for coverage.
pub const SUBPIXEL_BITS: u32 = 8;

/// The maximum number of colour targets of a framebuffer.
pub const MAX_TARGETS: usize = 8;

/// The positions of the samples in a pixel, in sixteenths of a pixel from its lower left corner.
///
/// These are the standard positions of Direct3D and Vulkan; GL leaves them to the implementation.
#[must_use]
pub fn sample_positions(samples: u32) -> &'static [(u8, u8)] {
    match samples {
        0 | 1 => &[(8, 8)],
        2 => &[(12, 12), (4, 4)],
        3 | 4 => &[(6, 2), (14, 6), (2, 10), (10, 14)],
        _ => &[(9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)],
    }
}
