//! Programs and what linking makes of them.

use super::Table;

pub fn register(_table: &mut Table) {}
