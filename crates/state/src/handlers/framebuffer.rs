//! Framebuffers: attachments, completeness, draw and read buffers.

use super::Table;

pub fn register(_table: &mut Table) {}
