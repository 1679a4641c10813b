//! Linear algebra, expanded to scalars.

use lanes::Op1;
use shader::types::{Scalar, Type};

use super::{Lower, Lowered, Value};
use crate::ir::{Instruction, Register};

impl Lower<'_> {
    /// Emits matrix times matrix, matrix times vector, or vector times matrix (GLSL 4.60, 5.10).
    pub(super) fn multiply_matrices(&mut self, a: &Value, b: &Value, ty: Type) -> Lowered<Value> {
        let (rows, inner) = match a.ty {
            Type::Matrix(_, columns, rows) => (u32::from(rows), u32::from(columns)),
            _ => (1, a.registers.len() as u32),
        };
        let scalar = a.ty.scalar().unwrap_or(Scalar::Float);
        let columns = b.registers.len() as u32 / inner;
        let mut registers = Vec::with_capacity((rows * columns) as usize);
        for column in 0..columns {
            for row in 0..rows {
                let left: Vec<Register> = (0..inner).map(|k| a.registers[(k * rows + row) as usize]).collect();
                let right: Vec<Register> = (0..inner).map(|k| b.registers[(column * inner + k) as usize]).collect();
                registers.push(self.on(scalar).sum_of_products(&left, &right)?);
            }
        }
        Ok(Value { ty, registers })
    }

    pub(super) fn float1(&mut self, op: Op1, a: Register) -> Lowered<Register> {
        let to = self.one()?;
        self.emit(Instruction::Unary(op, to, a));
        Ok(to)
    }

    /// Returns the transpose.
    pub(super) fn transpose(&self, value: &Value, ty: Type) -> Value {
        let (columns, rows) = shape(value.ty);
        let registers = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| value.registers[(column * rows + row) as usize])
            .collect();
        Value { ty, registers }
    }

    /// Emits the determinant, by expansion along the first column.
    pub(super) fn determinant(&mut self, m: &[Register], size: u32, scalar: Scalar) -> Lowered<Register> {
        if size == 1 {
            return Ok(m[0]);
        }
        let mut sum: Option<Register> = None;
        for row in 0..size {
            let minor = minor(m, size, 0, row);
            let minor = self.determinant(&minor, size - 1, scalar)?;
            let term = self.on(scalar).mul(m[row as usize], minor)?;
            sum = Some(match sum {
                None => term,
                Some(before) if row % 2 == 1 => self.on(scalar).sub(before, term)?,
                Some(before) => self.on(scalar).add(before, term)?,
            });
        }
        match sum {
            Some(sum) => Ok(sum),
            None => self.number(0.0, scalar),
        }
    }

    /// Emits the inverse, computed from the adjugate.
    pub(super) fn inverse(&mut self, value: &Value) -> Lowered<Value> {
        let (size, _) = shape(value.ty);
        let scalar = value.ty.scalar().unwrap_or(Scalar::Float);
        let whole = self.determinant(&value.registers, size, scalar)?;
        let mut registers = Vec::with_capacity(value.registers.len());
        for column in 0..size {
            for row in 0..size {
                // Element (column, row) of the inverse is the cofactor of (row, column).
                let minor = minor(&value.registers, size, row, column);
                let mut cofactor = self.determinant(&minor, size - 1, scalar)?;
                if (row + column) % 2 == 1 {
                    cofactor = self.on(scalar).one(Op1::FNeg, cofactor)?;
                }
                registers.push(self.on(scalar).div(cofactor, whole)?);
            }
        }
        Ok(Value { ty: value.ty, registers })
    }
}

/// Returns the numbers of columns and rows.
pub(super) fn shape(ty: Type) -> (u32, u32) {
    match ty {
        Type::Matrix(_, columns, rows) => (u32::from(columns), u32::from(rows)),
        _ => (1, ty.components()),
    }
}

/// Returns a square matrix without one column and one row.
fn minor(m: &[Register], size: u32, without_column: u32, without_row: u32) -> Vec<Register> {
    let kept = |n: &u32, without: u32| *n != without;
    (0..size)
        .filter(|c| kept(c, without_column))
        .flat_map(|c| (0..size).map(move |r| (c, r)))
        .filter(|(_, r)| kept(r, without_row))
        .map(|(c, r)| m[(c * size + r) as usize])
        .collect()
}
