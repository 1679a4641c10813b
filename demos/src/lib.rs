//! Common parts of the demo programs: a context, a table of GL functions, frames, some geometry.
//!
//! Each program in `src/bin` draws the same frames every time: there is no clock and no randomness in any of them. GL
//! is loaded at run time, so a machine without it gets a sentence, not a loader error. This crate is not a framework:
//! it wraps what these programs use, under GL's own names.
#![allow(unsafe_code, reason = "GL and EGL are C libraries, loaded at run time")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

pub mod counter;
mod egl;
pub mod gl;
pub mod hostile;
mod library;
pub mod math;
pub mod mesh;
pub mod options;
pub mod program;
pub mod stage;
pub mod target;
mod x11;

pub use gl::Gl;
pub use options::Options;
pub use stage::{ContextKind, Stage, play};
