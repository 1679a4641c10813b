//! The inputs and outputs of fragment shading.

use crate::assemble::Primitive;
use crate::format::Color;
use crate::framebuffer::Framebuffer;
use crate::interpolate::{Barycentrics, Interpolator, varying};
use crate::state::{Interpolation, Pipeline, Vertex};
use crate::{MAX_TARGETS, sample_positions};

/// One pixel of a quad.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Fragment {
    /// Column.
    pub x: u32,
    /// Row, from the bottom.
    pub y: u32,
    /// Covered samples, as bits; zero for a helper invocation.
    pub coverage: u32,
    /// `gl_FragCoord`: the shaded position, depth and 1 / w.
    pub coord: [f32; 4],
    /// Weights of the primitive's corners at that position.
    pub barycentrics: Barycentrics,
    /// `gl_PointCoord`, for points.
    pub point_coord: [f32; 2],
}

impl Fragment {
    /// Whether it is a helper invocation, shaded only for derivatives.
    #[must_use]
    pub fn is_helper(&self) -> bool {
        self.coverage == 0
    }
}

/// Four pixels that are shaded together: lower left, lower right, upper left, upper right.
pub struct Quad<'a> {
    /// The four pixels.
    pub fragments: [Fragment; 4],
    /// The words of the varyings, each for the four pixels.
    pub varyings: &'a [[f32; 4]],
    /// `gl_FrontFacing`.
    pub front_facing: bool,
    /// The primitive: its corners, provoking vertex and `gl_PrimitiveID`.
    pub primitive: Primitive,
    /// `gl_Layer`.
    pub layer: u32,
    /// `gl_ViewportIndex`.
    pub viewport: u32,
    /// `gl_SampleID`, if each sample is shaded separately.
    pub sample: Option<u32>,
    pub(crate) interpolator: &'a Interpolator,
    pub(crate) vertices: &'a [Vertex],
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) samples: u32,
    pub(crate) framebuffer: &'a Framebuffer,
}

impl Quad<'_> {
    /// The current contents of a colour target at a fragment, for framebuffer fetch. With several samples, that of the
    /// shaded sample, or of the first covered one.
    #[must_use]
    pub fn stored(&self, target: usize, lane: usize) -> Option<Color> {
        let fragment = &self.fragments[lane];
        let first = fragment.coverage.trailing_zeros() % self.framebuffer.samples.max(1);
        let layer = self.framebuffer.drawn_layer(self.layer);
        let at = self.framebuffer.index(fragment.x, fragment.y, layer, self.sample.unwrap_or(first))?;
        self.framebuffer.colors.get(target)?.as_ref()?.texels.get(at).copied()
    }

    /// The weights at an offset from a pixel's centre, for `interpolateAtOffset`.
    #[must_use]
    pub fn barycentrics_at(&self, lane: usize, offset: [f32; 2]) -> Barycentrics {
        let fragment = &self.fragments[lane];
        let x = f64::from(fragment.x) + 0.5 + f64::from(offset[0]);
        let y = f64::from(fragment.y) + 0.5 + f64::from(offset[1]);
        self.interpolator.at(x, y)
    }

    /// A word of the varyings at an offset from a pixel's centre.
    #[must_use]
    pub fn varying_at(&self, word: usize, lane: usize, offset: [f32; 2]) -> f32 {
        let how = self.pipeline.varyings.get(word).copied().unwrap_or_default();
        self.interpolate(how.interpolation, word, &self.barycentrics_at(lane, offset))
    }

    /// The offset of a sample from the pixel's centre, for `interpolateAtSample`.
    #[must_use]
    pub fn sample_offset(&self, sample: u32) -> [f32; 2] {
        offset(self.samples, sample)
    }

    /// The offset from the pixel's centre at which centroid varyings are evaluated, for `interpolateAtCentroid`.
    #[must_use]
    pub fn centroid_offset(&self, lane: usize) -> [f32; 2] {
        centroid(self.samples, self.fragments[lane].coverage)
    }

    fn interpolate(&self, interpolation: Interpolation, word: usize, at: &Barycentrics) -> f32 {
        let corners = self.primitive.corners.map(|corner| &self.vertices[corner as usize]);
        varying(interpolation, word, at, corners, &self.vertices[self.primitive.provoking as usize])
    }
}

/// The outputs of the shader for one pixel.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FragmentOutput {
    /// The colours, by target.
    pub colors: [Color; MAX_TARGETS],
    /// The second colour of the first target, for dual-source blending.
    pub second: Color,
    /// `gl_FragDepth`, if written.
    pub depth: Option<f32>,
    /// `gl_FragStencilRefARB`, if written.
    pub stencil: Option<u8>,
    /// `gl_SampleMask`, if written.
    pub sample_mask: Option<u32>,
    /// Whether it was discarded.
    pub discard: bool,
}

impl FragmentOutput {
    /// The same colour for every target.
    #[must_use]
    pub fn color(color: [f32; 4]) -> FragmentOutput {
        FragmentOutput { colors: [Color::Float(color); MAX_TARGETS], ..FragmentOutput::default() }
    }
}

/// The outputs of the shader for the pixels of a quad; those of helper invocations are ignored.
pub type QuadOutput = [FragmentOutput; 4];

/// The offset of a sample from the pixel's centre.
pub(crate) fn offset(samples: u32, sample: u32) -> [f32; 2] {
    let (x, y) = sample_positions(samples).get(sample as usize).copied().unwrap_or((8, 8));
    [(f32::from(x) - 8.0) / 16.0, (f32::from(y) - 8.0) / 16.0]
}

/// The centre if all samples or none are covered, otherwise the first covered sample.
pub(crate) fn centroid(samples: u32, coverage: u32) -> [f32; 2] {
    let all = u32::MAX >> (32 - samples.clamp(1, 32));
    if coverage == 0 || coverage & all == all { [0.0; 2] } else { offset(samples, coverage.trailing_zeros()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centroids_lie_on_covered_samples() {
        assert_eq!(centroid(4, 0b1111), [0.0, 0.0]);
        assert_eq!(centroid(4, 0b0110), offset(4, 1));
        assert_eq!(centroid(1, 1), [0.0, 0.0]);
        assert_eq!(offset(4, 1), [0.375, -0.125]);
    }
}
