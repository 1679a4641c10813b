//! GLSL as a source language of programs.
//!
//! This module alone knows crate `shader`; the rest of the crate runs programs of any language.

mod source;

pub use source::source_map;
