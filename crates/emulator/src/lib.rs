//! Shaders on the CPU: a typed shader is lowered to a small program ([`ir`]) that runs on waves of lanes ([`wave`]).
//!
//! The crate knows no GL, no files and no clock; the same program and inputs give the same bits everywhere. What it
//! cannot run yet it refuses by name ([`lower::Unsupported`]); it never guesses.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod evaluate;
pub mod glsl;
pub mod host;
pub mod ir;
mod locate;
pub mod lower;
pub mod observe;
pub mod sanitize;
pub mod travel;
pub mod value;
pub mod wave;

pub use evaluate::Evaluator;
pub use host::Host;
pub use locate::{locate, outputs, words};
pub use lower::{LowerOptions, Unsupported, lower, lower_stage, lower_with};
pub use sanitize::Sanitizer;
pub use travel::Travel;
pub use value::Value;
pub use wave::Wave;
