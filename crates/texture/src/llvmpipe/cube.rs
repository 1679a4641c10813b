//! Cube maps: the rounding of llvmpipe's projection, and its weights at corners.

use crate::cube::{AXES, Projection};

/// Projects a direction and its derivatives. Of equal components, y takes precedence over x, and z over both.
pub(crate) fn project(direction: [f32; 3], derivatives: [[f32; 3]; 2]) -> Projection {
    let [x, y, z] = direction.map(f32::abs);
    let axis = match (z >= x.max(y), x > y) {
        (true, _) => 2,
        (false, true) => 0,
        (false, false) => 1,
    };
    let face = 2 * axis + u32::from(direction[axis as usize].is_sign_negative());
    let axes = AXES[face as usize];
    let pick = |v: [f32; 3], (axis, negative): (usize, bool)| if negative { -v[axis] } else { v[axis] };
    let inverse = 1.0 / pick(direction, axes[2]);
    let half = 0.5 * inverse;
    let on_face = [pick(direction, axes[0]), pick(direction, axes[1])];
    let coords = on_face.map(|c| if half.is_finite() { c * half.abs() } else { 0.0 } + 0.5);
    let derivatives = derivatives.map(|d| {
        let along = pick(d, axes[2]) * inverse;
        [0, 1].map(|i| (pick(d, axes[i]) - along * on_face[i]) * half)
    });
    Projection { face, coords, derivatives }
}

/// The weights of the texels (0, 0), (1, 0), (0, 1) and (1, 1) around a position, one of which lies beyond a corner: the
/// others share its weight.
pub(crate) fn corner_weights([s, t]: [f32; 2], missing: usize) -> [f32; 4] {
    let (s0, t0) = (1.0 - s, 1.0 - t);
    let mut weights = [s0 * t0, s * t0, s0 * t, s * t];
    let third = weights[missing] * (1.0 / 3.0);
    weights.iter_mut().for_each(|weight| *weight += third);
    weights[missing] = 0.0;
    weights
}
