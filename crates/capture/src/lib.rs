//! The library that is preloaded into a program: it stands in front of GL, EGL and GLX and writes what the program calls
//! into memory it shares with the recorder.
//!
//! This crate is *not* the recorder: it compresses, hashes and writes nothing, because its time is the program's.

#![allow(unsafe_code, reason = "hooks stand between C programs and C libraries")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod call;
pub mod context;
pub mod memory;
pub mod thread;
