//! Harnesses that the tests of several crates and `workbench` share.
//!
//! Development only: product crates name this crate in `[dev-dependencies]` alone, and `cargo xtask tidy` checks that.
//! A module that needs another crate of the workspace is a feature of the same name.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "driver")]
pub mod driver;
#[cfg(feature = "filetest")]
pub mod filetest;
#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "trace")]
pub mod mutate;
pub mod programs;
pub mod random;
#[cfg(feature = "trace")]
pub mod trace;
#[cfg(feature = "twin")]
pub mod twin;
