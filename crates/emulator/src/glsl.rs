//! GLSL as a source language of programs.
//!
//! This module alone knows crate `shader`; the rest of the crate runs programs of any language. What it cannot lower yet it
//! refuses by name ([`Unsupported`]); it never guesses.

pub mod evaluate;
mod lower;
mod sanitize;
mod source;
#[cfg(test)]
pub(crate) mod testing;
mod types;

pub use evaluate::Evaluator;
pub use lower::{LowerOptions, Stage, Unit, Unsupported, lower, lower_stage, lower_with};
pub use sanitize::{Sanitizer, diagnostic};
pub use source::source_map;
pub use types::{glsl_scalar, ir_scalar, variable};
