//! Interpolation between the corners of a primitive.

use crate::setup::WindowVertex;
use crate::state::{Interpolation, Vertex};

/// A position on a primitive, relative to its original, unclipped corners.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Barycentrics {
    /// Weights of the corners for perspective-correct interpolation.
    pub perspective: [f64; 3],
    /// Weights of the corners for interpolation that is linear in window space.
    pub linear: [f64; 3],
    /// 1 / w.
    pub inverse_w: f64,
    /// Depth in window space, with offset but not clamped: outside of the primitive it may exceed the depth range.
    pub depth: f64,
}

/// Evaluates a point, line or triangle at any position, also outside of it.
#[derive(Clone, Debug)]
pub(crate) struct Interpolator {
    corners: [WindowVertex; 3],
    /// The gradients of the second and third corner's weights in x and y.
    gradients: [[f64; 2]; 2],
    /// Added to each depth.
    offset: f64,
}

impl Interpolator {
    /// For a filled triangle.
    pub fn triangle(corners: [WindowVertex; 3]) -> Interpolator {
        let [a, b, c] = corners;
        let delta = |v: &WindowVertex| (f64::from(v.x) - f64::from(a.x), f64::from(v.y) - f64::from(a.y));
        let (mut e, mut f) = (delta(&b), delta(&c));
        if e.0 * f.1 - e.1 * f.0 == 0.0 {
            // The triangle has an area only after snapping.
            let snapped = |v: &WindowVertex| {
                let at = |p: i64, q: i64| (p - q) as f64 / crate::setup::SUBPIXELS as f64;
                (at(v.snapped.0, a.snapped.0), at(v.snapped.1, a.snapped.1))
            };
            (e, f) = (snapped(&b), snapped(&c));
        }
        let scale = 1.0 / (e.0 * f.1 - e.1 * f.0);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let gradients = [[f.1 * scale, -f.0 * scale], [-e.1 * scale, e.0 * scale]];
        Interpolator { corners, gradients, offset: 0.0 }
    }

    /// For a multisampled line: values are those of the nearest point on it (GL 4.6, 14.5.1).
    pub fn rectangle(from: WindowVertex, to: WindowVertex) -> Interpolator {
        let (dx, dy) = (f64::from(to.x) - f64::from(from.x), f64::from(to.y) - f64::from(from.y));
        Interpolator::along(from, to, [dx, dy], dx * dx + dy * dy)
    }

    /// For a line of single samples: values are those where the line crosses the column. The specification uses the
    /// nearest point here too, but drivers step along one axis, so that a wide line has the same values across.
    pub fn line(from: WindowVertex, to: WindowVertex) -> Interpolator {
        let (dx, dy) = (f64::from(to.x) - f64::from(from.x), f64::from(to.y) - f64::from(from.y));
        if dx.abs() >= dy.abs() {
            Interpolator::along(from, to, [1.0, 0.0], dx)
        } else {
            Interpolator::along(from, to, [0.0, 1.0], dy)
        }
    }

    fn along(from: WindowVertex, to: WindowVertex, direction: [f64; 2], length: f64) -> Interpolator {
        let gradient = direction.map(|d| if length == 0.0 { 0.0 } else { d / length });
        Interpolator { corners: [from, to, to], gradients: [gradient, [0.0; 2]], offset: 0.0 }
    }

    /// For a point: constant.
    pub fn point(at: WindowVertex) -> Interpolator {
        Interpolator { corners: [at; 3], gradients: [[0.0; 2]; 2], offset: 0.0 }
    }

    /// With an offset added to each depth.
    pub fn raised(self, offset: f64) -> Interpolator {
        Interpolator { offset, ..self }
    }

    /// The larger of the slopes of depth in x and y, for polygon offset.
    pub fn slope(&self) -> f64 {
        let z = self.corners.map(|v| f64::from(v.z));
        let along =
            |axis: usize| ((z[1] - z[0]) * self.gradients[0][axis] + (z[2] - z[0]) * self.gradients[1][axis]).abs();
        along(0).max(along(1))
    }

    /// The weights at a position in the window.
    pub fn at(&self, x: f64, y: f64) -> Barycentrics {
        let [a, b, c] = &self.corners;
        let (x, y) = (x - f64::from(a.x), y - f64::from(a.y));
        let share = |g: [f64; 2]| g[0] * x + g[1] * y;
        let (s, t) = (share(self.gradients[0]), share(self.gradients[1]));
        let r = 1.0 - s - t;
        let sum = |of: fn(&WindowVertex, usize) -> f64, i: usize| r * of(a, i) + s * of(b, i) + t * of(c, i);
        let inverse_w = sum(|v, _| v.inverse_w, 0);
        let z = f64::from(a.z) + s * (f64::from(b.z) - f64::from(a.z)) + t * (f64::from(c.z) - f64::from(a.z));
        let linear = std::array::from_fn(|i| sum(|v, i| v.linear[i], i));
        // If w is constant, perspective has no effect.
        let perspective = match a.inverse_w == b.inverse_w && b.inverse_w == c.inverse_w {
            true => linear,
            false => std::array::from_fn(|i| sum(|v, i| v.inverse_w * v.weights[i], i) / inverse_w),
        };
        Barycentrics { perspective, linear, inverse_w, depth: z + self.offset }
    }
}

/// A word of the varyings at a position.
pub(crate) fn varying(
    interpolation: Interpolation,
    word: usize,
    at: &Barycentrics,
    corners: [&Vertex; 3],
    provoking: &Vertex,
) -> f32 {
    let value = |vertex: &Vertex| vertex.varyings.get(word).copied().unwrap_or(0.0);
    let [a, b, c] = corners.map(value);
    let weights = match interpolation {
        Interpolation::Flat => return value(provoking),
        Interpolation::Smooth => at.perspective,
        Interpolation::NoPerspective => at.linear,
    };
    // A value that is equal at all corners is constant, even if it is infinite.
    if a.to_bits() == b.to_bits() && b.to_bits() == c.to_bits() {
        return a;
    }
    let [a, b, c] = [a, b, c].map(f64::from);
    (a + weights[1] * (b - a) + weights[2] * (c - a)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f32, y: f32, z: f32, w: f64, corner: usize) -> WindowVertex {
        let mut weights = [0.0; 3];
        weights[corner] = 1.0;
        let snapped = (crate::setup::snap(x), crate::setup::snap(y));
        WindowVertex { x, y, z, inverse_w: 1.0 / w, weights, linear: weights, snapped }
    }

    #[test]
    fn perspective_favours_the_near_corner() {
        let line = Interpolator::line(vertex(0.0, 0.0, 0.0, 1.0, 0), vertex(10.0, 0.0, 1.0, 3.0, 1));
        let at = line.at(5.0, 7.0);
        assert_eq!(at.linear, [0.5, 0.5, 0.0]);
        assert!((at.perspective[1] - 0.25).abs() < 1e-15);
        assert!((1.0 / at.inverse_w - 1.5).abs() < 1e-15);
        assert_eq!(at.depth, 0.5);
    }

    #[test]
    fn lines_vary_along_an_axis_or_along_themselves() {
        let ends = (vertex(0.0, 0.0, 0.0, 1.0, 0), vertex(8.0, 4.0, 1.0, 1.0, 1));
        assert_eq!(Interpolator::line(ends.0, ends.1).at(4.0, 7.0).linear[1], 0.5);
        assert_eq!(Interpolator::rectangle(ends.0, ends.1).at(4.0, 7.0).linear[1], (4.0 * 8.0 + 7.0 * 4.0) / 80.0);
    }

    #[test]
    fn values_at_corners_are_exact() {
        let corners = [vertex(1.0, 2.0, 0.1, 1.0, 0), vertex(9.0, 3.0, 0.2, 2.0, 1), vertex(4.0, 8.0, 0.9, 5.0, 2)];
        let triangle = Interpolator::triangle(corners);
        for (i, corner) in corners.iter().enumerate() {
            let at = triangle.at(f64::from(corner.x), f64::from(corner.y));
            assert!((at.perspective[i] - 1.0).abs() < 1e-12);
            assert!((at.linear[i] - 1.0).abs() < 1e-12);
            assert!((at.depth - f64::from(corner.z)).abs() < 1e-12);
        }
    }

    #[test]
    fn flat_words_keep_their_bits() {
        let [a, b] = [0xffff_ffff_u32, 7].map(|bits| Vertex::new([0.0; 4], vec![f32::from_bits(bits)]));
        let at = Barycentrics::default();
        assert_eq!(varying(Interpolation::Flat, 0, &at, [&b, &b, &b], &a).to_bits(), 0xffff_ffff);
        assert_eq!(varying(Interpolation::Flat, 3, &at, [&b, &b, &b], &a), 0.0);
    }

    #[test]
    fn equal_infinities_are_kept() {
        let v = Vertex::new([0.0; 4], vec![f32::INFINITY]);
        let at = Barycentrics { perspective: [0.5, 0.25, 0.25], ..Barycentrics::default() };
        assert_eq!(varying(Interpolation::Smooth, 0, &at, [&v, &v, &v], &v), f32::INFINITY);
    }
}
