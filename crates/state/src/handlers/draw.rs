//! Draws, dispatches, clears and copies between framebuffers.

use super::Table;

pub fn register(_table: &mut Table) {}
