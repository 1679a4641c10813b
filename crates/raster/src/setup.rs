//! Transforms clipped vertices to window coordinates.

use crate::SUBPIXEL_BITS;
use crate::clip::ClipVertex;
use crate::state::{Pipeline, Viewport};

/// The number of snapping units per pixel.
pub(crate) const SUBPIXELS: i64 = 1 << SUBPIXEL_BITS;

/// Window coordinates are clamped to this many pixels, so that edge functions cannot overflow. The largest viewports
/// have 32768 pixels, and the guard band doubles that.
const FARTHEST: f32 = 1_048_576.0;

/// A vertex in window coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowVertex {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub inverse_w: f64,
    /// Weights of the primitive's corners, linear in clip space.
    pub weights: [f64; 3],
    /// Weights of the primitive's corners, linear in window space.
    pub linear: [f64; 3],
    /// x and y in 1/256 of a pixel.
    pub snapped: (i64, i64),
}

/// Divides by w and applies the viewport, in the precision of hardware. `None` for a vertex without a finite position,
/// which clipping leaves only in degenerate primitives.
pub(crate) fn project(vertex: &ClipVertex, viewport: &Viewport, pipeline: &Pipeline) -> Option<WindowVertex> {
    let [x, y, z, w] = vertex.position.map(|v| v as f32);
    if w.is_nan() || w <= 0.0 {
        return None;
    }
    let inverse = 1.0 / w;
    let (half_width, half_height) = (viewport.width * 0.5, viewport.height * 0.5);
    let x = x * inverse * half_width + (viewport.x + half_width);
    let y = y * inverse * half_height + (viewport.y + half_height);
    let range = viewport.far - viewport.near;
    let z = match pipeline.zero_to_one {
        true => z * inverse * range + viewport.near,
        false => z * inverse * (range * 0.5) + (viewport.far + viewport.near) * 0.5,
    };
    if !(x.is_finite() && y.is_finite() && inverse.is_finite()) {
        return None;
    }
    let (x, y) = (x.clamp(-FARTHEST, FARTHEST), y.clamp(-FARTHEST, FARTHEST));
    let (weights, linear) = (vertex.weights, vertex.linear());
    let inverse_w = 1.0 / vertex.position[3];
    Some(WindowVertex { x, y, z, inverse_w, weights, linear, snapped: (snap(x), snap(y)) })
}

/// The nearest multiple of 1/256 of a pixel.
pub(crate) fn snap(coordinate: f32) -> i64 {
    (f64::from(coordinate) * SUBPIXELS as f64).round_ties_even() as i64
}

/// Twice the signed area of a triangle of snapped positions; positive if counter-clockwise.
pub(crate) fn area(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Vertex;

    #[test]
    fn viewport_transformation_and_snapping() {
        let viewport = Viewport { x: 10.0, y: 20.0, width: 100.0, height: 50.0, near: 0.25, far: 0.75 };
        let mut pipeline = Pipeline::new(1, 1);
        let place = |position, pipeline: &Pipeline| {
            let vertex = Vertex::new(position, Vec::new());
            project(&ClipVertex::corner(&vertex, 0), &viewport, pipeline).map(|v| (v.x, v.y, v.z, v.snapped))
        };
        assert_eq!(place([0.0, 2.0, -2.0, 2.0], &pipeline), Some((60.0, 70.0, 0.25, (60 * 256, 70 * 256))));
        assert_eq!(place([0.0, 0.0, 1.0, 0.0], &pipeline), None);
        assert_eq!(place([0.0, 0.0, 1.0, -1.0], &pipeline), None);
        pipeline.zero_to_one = true;
        assert_eq!(place([-1.0, 0.0, 0.5, 1.0], &pipeline).map(|v| v.2), Some(0.5));
    }

    #[test]
    fn areas_have_signs() {
        assert_eq!(area((0, 0), (4, 0), (0, 4)), 16);
        assert_eq!(area((0, 0), (0, 4), (4, 0)), -16);
    }
}
