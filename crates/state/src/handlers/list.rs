//! Display lists and immediate mode.

use super::Table;

pub fn register(_table: &mut Table) {}
