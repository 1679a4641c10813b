//! Harnesses that the tests of several crates share.
//!
//! Development only: product crates name this crate in `[dev-dependencies]` alone, and `cargo xtask tidy` checks that.
//! [`filetest`] reads the headers of the shaders in `filetests/`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod filetest;
