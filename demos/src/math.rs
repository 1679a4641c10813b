//! Vectors and matrices in GL's column-major order.

/// Three numbers.
pub type Vec3 = [f32; 3];

/// A column-major matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat4(pub [f32; 16]);

impl Mat4 {
    /// The identity matrix.
    pub const IDENTITY: Mat4 = Mat4([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]);

    /// Returns a translation.
    pub fn translate(by: Vec3) -> Mat4 {
        let mut matrix = Mat4::IDENTITY;
        matrix.0[12..15].copy_from_slice(&by);
        matrix
    }

    /// Returns a scale.
    pub fn scale(by: Vec3) -> Mat4 {
        let mut matrix = Mat4::IDENTITY;
        for (axis, factor) in by.into_iter().enumerate() {
            matrix.0[axis * 5] = factor;
        }
        matrix
    }

    /// Returns a rotation about an axis of length 1, in radians.
    pub fn rotate(angle: f32, [x, y, z]: Vec3) -> Mat4 {
        let (sin, cos) = angle.sin_cos();
        let rest = 1. - cos;
        Mat4([
            x * x * rest + cos,
            x * y * rest + z * sin,
            x * z * rest - y * sin,
            0.,
            x * y * rest - z * sin,
            y * y * rest + cos,
            y * z * rest + x * sin,
            0.,
            x * z * rest + y * sin,
            y * z * rest - x * sin,
            z * z * rest + cos,
            0.,
            0.,
            0.,
            0.,
            1.,
        ])
    }

    /// Returns a perspective projection; `field` is the vertical field of view in radians.
    pub fn perspective(field: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
        let f = 1. / (field / 2.).tan();
        let mut matrix = Mat4([0.; 16]);
        matrix.0[0] = f / aspect;
        matrix.0[5] = f;
        matrix.0[10] = (far + near) / (near - far);
        matrix.0[11] = -1.;
        matrix.0[14] = 2. * far * near / (near - far);
        matrix
    }

    /// Returns a parallel projection of a box around the origin, `half` to each side.
    pub fn orthographic(half: f32, near: f32, far: f32) -> Mat4 {
        let mut matrix = Mat4::scale([1. / half, 1. / half, 2. / (near - far)]);
        matrix.0[14] = (far + near) / (near - far);
        matrix
    }

    /// Returns the view from `eye` towards `target`, with y upwards.
    pub fn look_at(eye: Vec3, target: Vec3) -> Mat4 {
        let back = normalize(sub(eye, target));
        let right = normalize(cross([0., 1., 0.], back));
        let up = cross(back, right);
        let mut matrix = Mat4::IDENTITY;
        for axis in 0..3 {
            matrix.0[axis * 4] = right[axis];
            matrix.0[axis * 4 + 1] = up[axis];
            matrix.0[axis * 4 + 2] = back[axis];
        }
        matrix.0[12] = -dot(right, eye);
        matrix.0[13] = -dot(up, eye);
        matrix.0[14] = -dot(back, eye);
        matrix
    }

    /// Returns the inverse of an invertible matrix.
    pub fn inverse(&self) -> Mat4 {
        // Gauss-Jordan elimination, on rows of the matrix beside the identity.
        let mut rows = [[0f32; 8]; 4];
        for (r, row) in rows.iter_mut().enumerate() {
            row[..4].copy_from_slice(&[0, 4, 8, 12].map(|column| self.0[column + r]));
            row[4 + r] = 1.;
        }
        for c in 0..4 {
            let pivot = (c..4).max_by(|&a, &b| rows[a][c].abs().total_cmp(&rows[b][c].abs())).unwrap_or(c);
            rows.swap(c, pivot);
            let factor = 1. / rows[c][c];
            rows[c].iter_mut().for_each(|value| *value *= factor);
            let row = rows[c];
            for (_, other) in rows.iter_mut().enumerate().filter(|(r, _)| *r != c) {
                let factor = other[c];
                other.iter_mut().zip(row).for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
        let mut inverse = Mat4([0.; 16]);
        for (r, row) in rows.iter().enumerate() {
            for c in 0..4 {
                inverse.0[c * 4 + r] = row[4 + c];
            }
        }
        inverse
    }
}

impl std::ops::Mul for Mat4 {
    type Output = Mat4;

    fn mul(self, other: Mat4) -> Mat4 {
        let mut product = Mat4([0.; 16]);
        for column in 0..4 {
            for row in 0..4 {
                product.0[column * 4 + row] = (0..4).map(|i| self.0[i * 4 + row] * other.0[column * 4 + i]).sum();
            }
        }
        product
    }
}

/// `a - b`.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the dot product.
pub fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross product.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Returns the vector with length 1.
pub fn normalize(a: Vec3) -> Vec3 {
    let length = dot(a, a).sqrt();
    [a[0] / length, a[1] / length, a[2] / length]
}

/// Returns a pseudo-random number from 0 to 1 that depends only on the seed.
pub fn noise(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9E37_79B9) ^ 0x5bd1_e995;
    x = (x ^ (x >> 15)).wrapping_mul(0x85EB_CA6B);
    x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE35);
    (x >> 8) as f32 / 16_777_216.
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let matrix = Mat4::perspective(1., 1.5, 0.1, 50.) * Mat4::look_at([3., 2., 5.], [0., 1., 0.]);
        let product = matrix * matrix.inverse();
        for (value, expected) in product.0.iter().zip(Mat4::IDENTITY.0) {
            assert!((value - expected).abs() < 1e-3, "{product:?}");
        }
    }
}
