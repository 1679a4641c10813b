//! Uniforms: places and values.

use super::Table;

pub fn register(_table: &mut Table) {}
