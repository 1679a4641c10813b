//! Matrix functions (8.6).

use crate::constant::convert;
use crate::constant::function::alike;
use crate::constant::operand::Operand;
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let scalar = result.scalar()?;
    if !scalar.is_floating() {
        return None;
    }
    match (name, args) {
        ("matrixCompMult", [_, _]) => {
            let [a, b, ..] = alike(args, scalar, result)?;
            Operand::fill(result, |i| multiply(scalar, a.get(i), b.get(i)))
        }
        ("outerProduct", &[column, row]) => {
            let (column, row) = (column.converted(scalar), row.converted(scalar));
            if Type::Matrix(scalar, row.len as u8, column.len as u8) != result {
                return None;
            }
            Operand::fill(result, |i| multiply(scalar, column.get(i % column.len), row.get(i / column.len)))
        }
        ("transpose", &[a]) => {
            let Type::Matrix(_, columns, rows) = a.ty else { return None };
            if result != Type::Matrix(scalar, rows, columns) {
                return None;
            }
            let (columns, rows, a) = (usize::from(columns), usize::from(rows), a.converted(scalar));
            Operand::fill(result, |i| a.get(i % columns * rows + i / columns))
        }
        ("determinant", &[a]) if result.components() == 1 => {
            let square = Square::read(&a)?;
            Operand::fill(result, |_| convert(Scalar::Double, scalar, square.determinant().to_bits()))
        }
        ("inverse", &[a]) if result == a.ty => {
            let square = Square::read(&a)?;
            let determinant = square.determinant();
            Operand::fill(result, |i| {
                let (column, row) = (i / square.n, i % square.n);
                let value = square.cofactor(row, column) / determinant;
                convert(Scalar::Double, scalar, value.to_bits())
            })
        }
        _ => None,
    }
}

fn multiply(scalar: Scalar, a: u64, b: u64) -> u64 {
    if scalar == Scalar::Float {
        u64::from((f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits())
    } else {
        (f64::from_bits(a) * f64::from_bits(b)).to_bits()
    }
}

/// A square matrix in `f64`: because of cancellation, determinants use double precision even for `float` matrices.
#[derive(Clone, Copy)]
struct Square {
    n: usize,
    /// By column, then row.
    at: [[f64; 4]; 4],
}

impl Square {
    fn read(operand: &Operand) -> Option<Square> {
        let Type::Matrix(_, columns, rows) = operand.ty else { return None };
        if columns != rows {
            return None;
        }
        let (n, wide) = (usize::from(rows), operand.converted(Scalar::Double));
        let mut at = [[0.0; 4]; 4];
        for (i, &word) in wide.words().iter().enumerate() {
            at[i / n][i % n] = f64::from_bits(word);
        }
        Some(Square { n, at })
    }

    fn determinant(&self) -> f64 {
        if self.n == 1 {
            return self.at[0][0];
        }
        (0..self.n).map(|column| self.at[column][0] * self.cofactor(column, 0)).sum()
    }

    /// The signed determinant of the matrix without one column and one row.
    fn cofactor(&self, without_column: usize, without_row: usize) -> f64 {
        let mut minor = Square { n: self.n - 1, at: [[0.0; 4]; 4] };
        for (to, column) in (0..self.n).filter(|&c| c != without_column).enumerate() {
            for (to_row, row) in (0..self.n).filter(|&r| r != without_row).enumerate() {
                minor.at[to][to_row] = self.at[column][row];
            }
        }
        let sign = if (without_column + without_row).is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * minor.determinant()
    }
}
