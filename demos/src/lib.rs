//! What the demo programs have in common: a context, a table of GL functions, frames, a little geometry.
//!
//! Each program in `src/bin` draws the same frames every time: there is no clock and no chance in any of them. GL is
//! loaded when the program runs, so a machine without it gets a sentence, not a loader error. This crate is no
//! framework: it wraps what these programs use, and leaves GL's own names as they are in the manual.
#![allow(unsafe_code, reason = "GL and EGL are C libraries, loaded when the program runs")]
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
pub use stage::{Kind, Stage, play};
