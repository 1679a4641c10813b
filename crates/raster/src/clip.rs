//! Clipping in homogeneous space.
//!
//! Clipping computes positions only. A clipped vertex stores its weights with respect to the corners of its primitive,
//! so that varyings are interpolated once, from the original vertices.

use crate::state::{ClipSwizzle, Pipeline, Vertex};

/// How far triangles may extend beyond the view volume before their sides are clipped, as a multiple of w. Pixels
/// outside the viewport are skipped by rasterisation; clipping at its edges would only move edges to snapped corners.
pub(crate) const GUARD_BAND: f64 = 2.0;

/// A vertex during clipping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipVertex {
    pub position: [f64; 4],
    distances: [f64; 8],
    /// Weights of the corners, linear in clip space.
    pub weights: [f64; 3],
    /// Weights that are linear in window space, times w: the product is linear in clip space, and has no pole where an
    /// edge passes through w = 0.
    scaled: [f64; 3],
}

impl ClipVertex {
    /// A corner of a primitive.
    pub fn corner(vertex: &Vertex, corner: usize) -> ClipVertex {
        let mut weights = [0.0; 3];
        weights[corner] = 1.0;
        ClipVertex {
            position: vertex.position.map(f64::from),
            distances: vertex.clip_distances.map(f64::from),
            weights,
            scaled: weights.map(|v| v * f64::from(vertex.position[3])),
        }
    }

    /// Permutes the coordinates by a viewport swizzle.
    pub fn swizzled(mut self, by: &[ClipSwizzle; 4]) -> ClipVertex {
        let position = self.position;
        self.position = by.map(|from| {
            let value = position[usize::from(from.coordinate & 3)];
            if from.negative { -value } else { value }
        });
        self.scaled = self.weights.map(|v| v * self.position[3]);
        self
    }

    fn between(a: &ClipVertex, b: &ClipVertex, t: f64) -> ClipVertex {
        ClipVertex {
            position: mix(&a.position, &b.position, t),
            distances: mix(&a.distances, &b.distances, t),
            weights: mix(&a.weights, &b.weights, t),
            scaled: mix(&a.scaled, &b.scaled, t),
        }
    }

    /// Weights of the corners, linear in window space.
    pub fn linear(&self) -> [f64; 3] {
        self.scaled.map(|v| v / self.position[3])
    }
}

/// A clip plane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plane {
    /// Inside where the dot product with the position is not negative.
    Volume([f64; 4]),
    /// Inside where this clip distance is not negative.
    Distance(usize),
}

impl Plane {
    fn distance(&self, vertex: &ClipVertex) -> f64 {
        match self {
            Plane::Volume(p) => (0..4).map(|i| p[i] * vertex.position[i]).sum(),
            Plane::Distance(i) => vertex.distances[*i],
        }
    }
}

/// The clip planes of a pipeline, with the sides at the given multiple of w.
pub(crate) fn planes(pipeline: &Pipeline, side: f64) -> Vec<Plane> {
    let mut planes = depth_planes(pipeline);
    for axis in 0..2 {
        for sign in [1.0, -1.0] {
            let mut plane = [0.0, 0.0, 0.0, side];
            plane[axis] = sign;
            planes.push(Plane::Volume(plane));
        }
    }
    planes.extend((0..8).filter(|i| pipeline.clip_distances >> i & 1 == 1).map(Plane::Distance));
    planes
}

fn depth_planes(pipeline: &Pipeline) -> Vec<Plane> {
    if pipeline.depth_clamp {
        return Vec::new();
    }
    let near = if pipeline.zero_to_one { [0.0, 0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0, 1.0] };
    vec![Plane::Volume(near), Plane::Volume([0.0, 0.0, -1.0, 1.0])]
}

/// Whether a point is visible: points are clipped by their centres.
pub(crate) fn keeps_point(planes: &[Plane], vertex: &ClipVertex) -> bool {
    planes.iter().all(|plane| plane.distance(vertex) >= 0.0)
}

/// The visible part of a line.
pub(crate) fn clip_line(planes: &[Plane], mut line: [ClipVertex; 2]) -> Option<[ClipVertex; 2]> {
    for plane in planes {
        let [a, b] = [plane.distance(&line[0]), plane.distance(&line[1])];
        match (a >= 0.0, b >= 0.0) {
            (true, true) => {}
            (true, false) => line[1] = ClipVertex::between(&line[0], &line[1], a / (a - b)),
            (false, true) => line[0] = ClipVertex::between(&line[1], &line[0], b / (b - a)),
            (false, false) => return None,
        }
    }
    Some(line)
}

/// The visible part of a convex polygon; empty if there is none.
pub(crate) fn clip_polygon(planes: &[Plane], corners: [ClipVertex; 3]) -> Vec<ClipVertex> {
    let mut polygon = corners.to_vec();
    for plane in planes {
        let distances: Vec<f64> = polygon.iter().map(|v| plane.distance(v)).collect();
        if distances.iter().all(|d| *d >= 0.0) {
            continue;
        }
        let mut next = Vec::with_capacity(polygon.len() + 1);
        for i in 0..polygon.len() {
            let j = (i + 1) % polygon.len();
            let (a, b) = (distances[i], distances[j]);
            if a >= 0.0 {
                next.push(polygon[i]);
            }
            // Always computed from inside to outside, whatever the direction of the edge, so that triangles that share
            // the edge get bit-identical points.
            if a >= 0.0 && b < 0.0 {
                next.push(ClipVertex::between(&polygon[i], &polygon[j], a / (a - b)));
            } else if a < 0.0 && b >= 0.0 {
                next.push(ClipVertex::between(&polygon[j], &polygon[i], b / (b - a)));
            }
        }
        polygon = next;
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}

/// Whether cull distances cull a primitive: one of them is negative at all its vertices.
pub(crate) fn is_culled(pipeline: &Pipeline, vertices: &[&Vertex]) -> bool {
    (0..8)
        .filter(|i| pipeline.cull_distances >> i & 1 == 1)
        .any(|i| vertices.iter().all(|v| v.cull_distances[i] < 0.0 || v.cull_distances[i].is_nan()))
}

fn mix<const N: usize>(a: &[f64; N], b: &[f64; N], t: f64) -> [f64; N] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(positions: [[f32; 4]; 3]) -> [ClipVertex; 3] {
        std::array::from_fn(|i| ClipVertex::corner(&Vertex::new(positions[i], Vec::new()), i))
    }

    #[track_caller]
    fn check(pipeline: &Pipeline, positions: [[f32; 4]; 3], expected: usize) {
        let polygon = clip_polygon(&planes(pipeline, 1.0), corners(positions));
        assert_eq!(polygon.len(), expected, "{polygon:?}");
        for v in &polygon {
            let again: [f64; 4] =
                std::array::from_fn(|k| (0..3).map(|i| v.weights[i] * f64::from(positions[i][k])).sum());
            assert!((0..4).all(|k| (again[k] - v.position[k]).abs() < 1e-12), "the weights reproduce the position");
            assert!((v.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((v.linear().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn triangles_are_clipped() {
        let pipeline = Pipeline::new(8, 8);
        check(&pipeline, [[0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]], 3);
        check(&pipeline, [[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]], 4);
        check(&pipeline, [[2.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 1.0], [2.0, 0.5, 0.0, 1.0]], 0);
        check(&pipeline, [[-9.0, -9.0, 0.0, 1.0], [9.0, -9.0, 0.0, 1.0], [0.0, 9.0, 0.0, 1.0]], 4);
        check(&pipeline, [[0.0, 0.0, 0.0, -1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]], 5);
        check(&pipeline, [[f32::NAN, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]], 0);
    }

    #[test]
    fn depth_is_clipped_unless_clamped() {
        let mut pipeline = Pipeline::new(8, 8);
        let positions = [[0.0, 0.0, -0.5, 1.0], [0.5, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0]];
        check(&pipeline, positions, 3);
        pipeline.zero_to_one = true;
        check(&pipeline, positions, 4);
        pipeline.depth_clamp = true;
        check(&pipeline, positions, 3);
    }

    #[test]
    fn linear_weights_are_linear_on_the_screen() {
        let line = [[-1.0, 0.0, 0.0, 1.0], [6.0, 0.0, 0.0, 3.0]];
        let line = line.map(|p| Vertex::new(p, Vec::new()));
        let line = [ClipVertex::corner(&line[0], 0), ClipVertex::corner(&line[1], 1)];
        let [_, end] = clip_line(&planes(&Pipeline::new(8, 8), 1.0), line).expect("half of it is inside");
        // From -1 to 2 on the screen; cut at 1.
        assert!((end.linear()[1] - 2.0 / 3.0).abs() < 1e-12);
        assert!((end.position[0] / end.position[3] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn cull_distances_need_all_vertices() {
        let mut pipeline = Pipeline::new(8, 8);
        let mut outside = Vertex::default();
        outside.cull_distances[1] = -1.0;
        let inside = Vertex::default();
        assert!(!is_culled(&pipeline, &[&outside, &outside]));
        pipeline.cull_distances = 2;
        assert!(is_culled(&pipeline, &[&outside, &outside]));
        assert!(!is_culled(&pipeline, &[&outside, &inside]));
    }
}
