//! Vertex arrays: what vertices are made of.

use super::Table;

pub fn register(_table: &mut Table) {}
