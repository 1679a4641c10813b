//! Whether uniforms or varyings fit into vectors, as WebGL packs them (GLSL ES 1.00, appendix A, section 7).
//!
//! The vectors are rows of a grid with four columns. Wide variables come first; arrays and matrices stay in one piece.
//! Whatever fits this way fits in every implementation, and browsers refuse the rest.

use crate::measure::MAX_DEPTH;
use crate::types::{Type, TypeTable};

/// A rectangle of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    columns: u8,
    rows: u64,
}

/// Variables to pack.
pub(super) struct Pieces {
    all: Vec<Piece>,
    /// More pieces than this do not fit.
    most: usize,
}

impl Pieces {
    /// `rows` is the size of the grid.
    pub(super) fn new(rows: u32) -> Pieces {
        Pieces { all: Vec::new(), most: (rows as usize).saturating_mul(4) }
    }

    /// Adds a variable, a structure by its members. Handles take no room.
    pub(super) fn add(&mut self, types: &TypeTable, ty: Type, count: u64) {
        self.add_nested(types, ty, count, 0);
    }

    fn add_nested(&mut self, types: &TypeTable, ty: Type, count: u64, depth: u32) {
        if self.all.len() > self.most || depth > MAX_DEPTH {
            return;
        }
        match ty {
            Type::Array(_) => {
                let Some(array) = types.as_array(ty) else { return };
                let size = count.saturating_mul(u64::from(array.size.unwrap_or(1)));
                self.add_nested(types, array.element, size, depth + 1);
            }
            Type::Struct(_) => {
                let Some(structure) = types.as_struct(ty) else { return };
                for _ in 0..count {
                    let before = self.all.len();
                    for field in &structure.fields {
                        self.add_nested(types, field.ty, 1, depth + 1);
                    }
                    // Structures of handles alone would go on for ever.
                    if self.all.len() == before || self.all.len() > self.most {
                        return;
                    }
                }
            }
            _ => {
                let (columns, rows) = match ty {
                    Type::Scalar(_) => (1, 1),
                    Type::Vector(_, size) => (size, 1),
                    // A matrix of two columns and rows takes two whole rows.
                    Type::Matrix(_, 2, 2) => (4, 2),
                    Type::Matrix(_, columns, rows) => (rows, u64::from(columns)),
                    _ => return,
                };
                self.all.push(Piece { columns, rows: count.saturating_mul(rows) });
            }
        }
    }

    /// Whether all fit into a grid of so many rows.
    pub(super) fn fit(mut self, rows: u32) -> bool {
        if self.all.len() > self.most {
            return false;
        }
        self.all.sort_by_key(|piece| std::cmp::Reverse((piece.columns, piece.rows)));
        let sum = |columns: u8| {
            let of_width = self.all.iter().filter(|piece| piece.columns == columns);
            of_width.fold(0u64, |sum, piece| sum.saturating_add(piece.rows))
        };
        let beside = sum(3);
        let Some(below) = u64::from(rows).checked_sub(sum(4)).and_then(|rest| rest.checked_sub(beside)) else {
            return false;
        };
        // Pairs fill the left half from the top, then the right half from the bottom.
        let (mut left, mut right) = (below, below);
        for piece in self.all.iter().filter(|piece| piece.columns == 2) {
            let half = if piece.rows <= left { &mut left } else { &mut right };
            let Some(rest) = half.checked_sub(piece.rows) else { return false };
            *half = rest;
        }
        // The last column is also free beside the pieces of three columns.
        let mut columns = [left, left, right, right.saturating_add(beside)];
        for piece in self.all.iter().filter(|piece| piece.columns == 1) {
            let Some(column) = columns.iter_mut().filter(|free| **free >= piece.rows).min() else { return false };
            *column -= piece.rows;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[(u8, u64)], rows: u32, fits: bool) {
        let all = pieces.iter().map(|&(columns, rows)| Piece { columns, rows }).collect();
        assert_eq!(Pieces { all, most: 1 << 20 }.fit(rows), fits, "{pieces:?} in {rows}");
    }

    #[test]
    fn pieces_are_packed() {
        check(&[(4, 8)], 8, true);
        check(&[(4, 9)], 8, false);
        // Scalars go beside vectors of three.
        check(&[(3, 8), (1, 8)], 8, true);
        check(&[(3, 8), (1, 4), (1, 4)], 8, true);
        check(&[(3, 8), (1, 8), (1, 1)], 8, false);
        check(&[(3, 1); 9], 8, false);
        check(&[(2, 8), (2, 8)], 8, true);
        check(&[(2, 5), (2, 5), (2, 5)], 8, false);
        check(&[(1, 9)], 8, false);
        check(&[(1, 1); 32], 8, true);
        check(&[(1, 1); 33], 8, false);
        check(&[(4, u64::MAX), (4, u64::MAX)], 8, false);
    }
}
