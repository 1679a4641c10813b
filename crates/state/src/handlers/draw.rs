//! Draws, dispatches and clears: which of them GL refuses, what they read and what they write.

mod program;

use super::Table;

pub use program::feedback_source;

pub fn register(_table: &mut Table) {}
