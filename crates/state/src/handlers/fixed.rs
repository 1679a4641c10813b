//! Fixed functions: matrices, lights, materials, texture environments.

use super::Table;
use crate::context::Context;

pub fn register(_table: &mut Table) {}

/// Gives materials the current colour, where `glColorMaterial` says so.
pub fn track_material(_context: &mut Context) {}
