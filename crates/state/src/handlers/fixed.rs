//! Fixed functions: matrices, lights, materials, texture environments.

use super::Table;

pub fn register(_table: &mut Table) {}
