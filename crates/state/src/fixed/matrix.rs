//! Matrices with Mesa's arithmetic: single precision, in the same order of operations.

use super::circle::sine_and_cosine;
use super::history::{MatrixHistory, MatrixOp};
use std::f64::consts::PI;

/// A matrix in column-major order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Matrix {
    /// Its numbers.
    pub m: [f32; 16],
    /// Whether its last row is known to be 0, 0, 0, 1. Products of such matrices skip terms that are zero, so that the
    /// signs of zeros are the same.
    affine: bool,
}

/// A stack of matrices.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixStack {
    below: Vec<(Matrix, MatrixHistory)>,
    top: (Matrix, MatrixHistory),
    most: usize,
}

pub(super) const ONE: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

impl Matrix {
    /// The identity matrix.
    pub const IDENTITY: Matrix = Matrix { m: ONE, affine: true };

    /// Creates a matrix.
    #[must_use]
    pub fn new(m: [f32; 16]) -> Matrix {
        Matrix { m, affine: false }
    }

    /// Returns the transposed matrix.
    #[must_use]
    pub fn transposed(m: [f32; 16]) -> [f32; 16] {
        std::array::from_fn(|at| m[at % 4 * 4 + at / 4])
    }

    /// Returns this matrix multiplied by another.
    #[must_use]
    pub fn times(&self, other: &Matrix) -> Matrix {
        let (a, b) = (&self.m, &other.m);
        let mut m = [0.0; 16];
        if self.affine && other.affine {
            for row in 0..3 {
                let (a0, a1, a2, a3) = (a[row], a[row + 4], a[row + 8], a[row + 12]);
                for column in 0..3 {
                    m[row + 4 * column] = a0 * b[4 * column] + a1 * b[4 * column + 1] + a2 * b[4 * column + 2];
                }
                m[row + 12] = a0 * b[12] + a1 * b[13] + a2 * b[14] + a3;
            }
            m[15] = 1.0;
            return Matrix { m, affine: true };
        }
        for row in 0..4 {
            let (a0, a1, a2, a3) = (a[row], a[row + 4], a[row + 8], a[row + 12]);
            for column in 0..4 {
                let b = &b[4 * column..4 * column + 4];
                m[row + 4 * column] = a0 * b[0] + a1 * b[1] + a2 * b[2] + a3 * b[3];
            }
        }
        Matrix { m, affine: false }
    }

    /// Returns this matrix multiplied by a translation.
    #[must_use]
    pub fn translated(&self, [x, y, z]: [f32; 3]) -> Matrix {
        let mut m = self.m;
        for row in 0..4 {
            m[12 + row] += m[row] * x + m[4 + row] * y + m[8 + row] * z;
        }
        Matrix { m, affine: self.affine }
    }

    /// Returns this matrix multiplied by a scale.
    #[must_use]
    pub fn scaled(&self, factors: [f32; 3]) -> Matrix {
        let mut m = self.m;
        for (column, factor) in factors.into_iter().enumerate() {
            for row in 0..4 {
                m[column * 4 + row] *= factor;
            }
        }
        Matrix { m, affine: self.affine }
    }

    /// Returns this matrix multiplied by a rotation in degrees around an axis.
    #[must_use]
    pub fn rotated(&self, angle: f32, [x, y, z]: [f32; 3]) -> Matrix {
        let (mut sine, cosine) = sine_and_cosine((f64::from(angle) * PI / 180.0) as f32);
        let mut m = ONE;
        // Rotations around a coordinate axis are common, and exact.
        let around = |m: &mut [f32; 16], first: usize, second: usize, sine: f32| {
            m[first * 5] = cosine;
            m[second * 5] = cosine;
            m[second * 4 + first] = -sine;
            m[first * 4 + second] = sine;
        };
        if x == 0.0 && y == 0.0 && z != 0.0 {
            sine = if z < 0.0 { -sine } else { sine };
            around(&mut m, 0, 1, sine);
        } else if x == 0.0 && y != 0.0 && z == 0.0 {
            sine = if y < 0.0 { -sine } else { sine };
            around(&mut m, 2, 0, sine);
        } else if x != 0.0 && y == 0.0 && z == 0.0 {
            sine = if x < 0.0 { -sine } else { sine };
            around(&mut m, 1, 2, sine);
        } else {
            let length = (x * x + y * y + z * z).sqrt();
            if length <= 1.0e-4 {
                return *self;
            }
            let (x, y, z) = (x / length, y / length, z / length);
            let rest = 1.0 - cosine;
            let (xs, ys, zs) = (x * sine, y * sine, z * sine);
            let (xy, yz, zx) = (x * y, y * z, z * x);
            m[0] = rest * (x * x) + cosine;
            m[4] = rest * xy - zs;
            m[8] = rest * zx + ys;
            m[1] = rest * xy + zs;
            m[5] = rest * (y * y) + cosine;
            m[9] = rest * yz - xs;
            m[2] = rest * zx - ys;
            m[6] = rest * yz + xs;
            m[10] = rest * (z * z) + cosine;
        }
        self.times(&Matrix { m, affine: true })
    }

    /// Returns this matrix multiplied by a parallel projection.
    #[must_use]
    pub fn with_ortho(&self, [left, right, bottom, top, near, far]: [f32; 6]) -> Matrix {
        let mut m = ONE;
        m[0] = 2.0 / (right - left);
        m[12] = -(right + left) / (right - left);
        m[5] = 2.0 / (top - bottom);
        m[13] = -(top + bottom) / (top - bottom);
        m[10] = -2.0 / (far - near);
        m[14] = -(far + near) / (far - near);
        self.times(&Matrix { m, affine: true })
    }

    /// Returns this matrix multiplied by a perspective projection.
    #[must_use]
    pub fn with_frustum(&self, [left, right, bottom, top, near, far]: [f32; 6]) -> Matrix {
        let mut m = [0.0; 16];
        m[0] = (2.0 * near) / (right - left);
        m[5] = (2.0 * near) / (top - bottom);
        m[8] = (right + left) / (right - left);
        m[9] = (top + bottom) / (top - bottom);
        m[10] = -(far + near) / (far - near);
        m[14] = -(2.0 * far * near) / (far - near);
        m[11] = -1.0;
        self.times(&Matrix { m, affine: false })
    }

    /// Transforms a point.
    #[must_use]
    pub fn point(&self, p: [f32; 4]) -> [f32; 4] {
        let m = &self.m;
        std::array::from_fn(|row| m[row] * p[0] + m[row + 4] * p[1] + m[row + 8] * p[2] + m[row + 12] * p[3])
    }

    /// Transforms a direction.
    #[must_use]
    pub fn direction(&self, d: [f32; 3]) -> [f32; 3] {
        let m = &self.m;
        std::array::from_fn(|row| d[0] * m[row] + d[1] * m[row + 4] + d[2] * m[row + 8])
    }

    /// Returns the inverse; `None` when the matrix is singular.
    #[must_use]
    pub fn inverse(&self) -> Option<[f32; 16]> {
        // Gaussian elimination with partial pivoting, in the precision of the result.
        let mut rows: [[f32; 8]; 4] = std::array::from_fn(|row| {
            std::array::from_fn(|column| match column {
                0..4 => self.m[column * 4 + row],
                _ => f32::from(u8::from(column - 4 == row)),
            })
        });
        for column in 0..4 {
            let mut best = column;
            for row in column + 1..4 {
                if rows[row][column].abs() > rows[best][column].abs() {
                    best = row;
                }
            }
            rows.swap(column, best);
            let pivot = rows[column][column];
            if pivot == 0.0 {
                return None;
            }
            for row in column + 1..4 {
                let factor = rows[row][column] / pivot;
                let above = rows[column];
                for (number, above) in rows[row].iter_mut().zip(above).skip(column + 1) {
                    *number -= factor * above;
                }
                rows[row][column] = 0.0;
            }
        }
        for column in (0..4).rev() {
            let scale = 1.0 / rows[column][column];
            for number in &mut rows[column][4..] {
                *number *= scale;
            }
            let below = rows[column];
            for row in &mut rows[..column] {
                let factor = row[column];
                for (number, below) in row[4..].iter_mut().zip(&below[4..]) {
                    *number -= factor * below;
                }
            }
        }
        Some(std::array::from_fn(|at| rows[at % 4][4 + at / 4]))
    }
}

impl MatrixStack {
    /// Creates a stack of one matrix with a capacity of `most`.
    #[must_use]
    pub fn new(most: usize) -> MatrixStack {
        MatrixStack { below: Vec::new(), top: (Matrix::IDENTITY, MatrixHistory::default()), most }
    }

    /// Returns the top matrix.
    #[must_use]
    pub fn top(&self) -> &Matrix {
        &self.top.0
    }

    /// Returns the history of the top matrix.
    #[must_use]
    pub fn top_history(&self) -> &MatrixHistory {
        &self.top.1
    }

    /// Iterates over the histories of all matrices, lowest first. Matrices with equal histories are equal.
    pub fn histories(&self) -> impl Iterator<Item = &MatrixHistory> {
        self.below.iter().chain([&self.top]).map(|(_, origin)| origin)
    }

    /// Applies an operation to the top matrix.
    pub fn apply(&mut self, op: MatrixOp) {
        let (matrix, origin) = &self.top;
        self.top = (op.of(matrix), origin.then(op, matrix));
    }

    /// Returns the number of matrices.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.below.len() + 1
    }

    /// Duplicates the top matrix; returns false when the stack is full.
    pub fn push(&mut self) -> bool {
        let room = self.depth() < self.most;
        if room {
            self.apply(MatrixOp::Use);
            self.below.push(self.top.clone());
        }
        room
    }

    /// Removes the top matrix; returns false when it is the last one.
    pub fn pop(&mut self) -> bool {
        let below = self.below.pop();
        let popped = below.is_some();
        if let Some(below) = below {
            self.top = below;
        }
        popped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let matrix = Matrix::IDENTITY.translated([1.0, 2.0, 3.0]).scaled([2.0, 4.0, 8.0]);
        let product = matrix.times(&Matrix::new(matrix.inverse().unwrap()));
        assert_eq!(product.m, ONE);
        assert!(Matrix::new([0.0; 16]).inverse().is_none());
    }

    #[test]
    fn a_stack_has_a_bottom_and_a_top() {
        let mut stack = MatrixStack::new(2);
        assert!(stack.push());
        assert!(!stack.push());
        stack.apply(MatrixOp::Scale([2.0; 3]));
        assert!(stack.pop());
        assert!(!stack.pop());
        assert_eq!(stack.top(), &Matrix::IDENTITY);
    }
}
