//! Query objects and syncs.

use super::Table;

pub fn register(_table: &mut Table) {}
