//! Tasks that need nothing but the standard library, for `cargo xtask` and for crate `workbench`, which has all others.
//!
//! This crate has no dependencies: cargo builds it in about a second, and it says what it does before anything else is built.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a task prints its report")]

pub mod error;
pub mod package;
pub mod process;
pub mod setup;
mod system;
pub mod tasks;
