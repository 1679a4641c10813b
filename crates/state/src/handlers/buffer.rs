//! Buffers: their storage, maps and where they are bound.

use super::Table;

pub fn register(_table: &mut Table) {}
