//! Matrices of fixed functions.

/// A 4x4 matrix in column-major order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Matrix(pub [f32; 16]);

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix::IDENTITY
    }
}

impl Matrix {
    /// The identity matrix.
    pub const IDENTITY: Matrix =
        Matrix([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);

    /// The product of this matrix and `other`.
    #[must_use]
    pub fn times(&self, other: &Matrix) -> Matrix {
        Matrix(std::array::from_fn(|i| {
            let (column, row) = (i / 4, i % 4);
            (0..4).map(|k| self.0[k * 4 + row] * other.0[column * 4 + k]).sum()
        }))
    }

    /// The transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Matrix {
        Matrix(std::array::from_fn(|i| self.0[i % 4 * 4 + i / 4]))
    }

    /// The inverse matrix; the identity if it is singular.
    #[must_use]
    pub fn inverse(&self) -> Matrix {
        // Gauss-Jordan elimination, with the largest element of each column as the pivot.
        let mut rows: [[f64; 8]; 4] = std::array::from_fn(|r| {
            std::array::from_fn(|c| if c < 4 { f64::from(self.0[c * 4 + r]) } else { f64::from(u8::from(c - 4 == r)) })
        });
        for column in 0..4 {
            let best = (column..4).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
            let best = best.unwrap_or(column);
            if rows[best][column] == 0.0 {
                return Matrix::IDENTITY;
            }
            rows.swap(column, best);
            let pivot = rows[column][column];
            rows[column].iter_mut().for_each(|v| *v /= pivot);
            let source = rows[column];
            for (r, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != column) {
                let factor = row[column];
                debug_assert!(r != column);
                row.iter_mut().zip(source).for_each(|(v, s)| *v -= factor * s);
            }
        }
        Matrix(std::array::from_fn(|i| rows[i % 4][4 + i / 4] as f32))
    }

    /// The upper left 3x3 matrix in column-major order.
    #[must_use]
    pub fn upper(&self) -> [f32; 9] {
        std::array::from_fn(|i| self.0[i / 3 * 4 + i % 3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_identity() {
        let m = Matrix([2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 6.0, 7.0, 1.0]);
        assert_eq!(m.times(&m.inverse()), Matrix::IDENTITY);
        assert_eq!(m.transposed().transposed(), m);
        assert_eq!(m.upper(), [2.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 1.0, 0.0]);
    }
}
