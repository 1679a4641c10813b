//! Harnesses that the tests of several crates share.
//!
//! Development only: product crates name this crate in `[dev-dependencies]` alone, and `cargo xtask tidy` checks that.
//! Every module is a feature of the same name.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "driver")]
pub mod driver;
#[cfg(feature = "filetest")]
pub mod filetest;
