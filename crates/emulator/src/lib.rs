//! Shaders on the CPU: a front end lowers a shader to a small program ([`ir`]) that runs on waves of lanes ([`wave`]).
//!
//! The crate knows no GL, no files and no clock; the same program and inputs give the same bits everywhere. Programs belong
//! to no language; [`glsl`] is the only module that knows one.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod glsl;
pub mod host;
pub mod ir;
pub mod observe;
pub mod sanitize;
pub mod travel;
pub mod value;
pub mod wave;

pub use host::Host;
pub use travel::Travel;
pub use value::Value;
pub use wave::{Engine, Interpreter, Wave, WaveState};
