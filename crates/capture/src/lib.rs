//! The library that is preloaded into a program: it stands in front of GL, EGL and GLX and writes what the program calls
//! into memory it shares with the recorder.
//!
//! - [`hook`] is what every hook does, [`word`] how values travel, `generated` the hooks themselves;
//! - [`thread`] is what is kept for a thread, [`call`] what others see of a call, [`nesting`] calls inside calls;
//! - [`loader`] and [`lookup`] give the program hooks where it looks functions up, [`real`] finds what is behind them,
//!   with [`elf`] and [`library`]; [`door`] tells two implementations in one process apart, [`unknown`] is for
//!   functions that are in no registry;
//! - [`window`] knows contexts, surfaces and frames, [`memory`] what calls read and write, [`facts`] what the driver says
//!   of contexts and programs;
//! - [`tracer`] lets others take part; [`process`] attaches, [`exit`] sees the end, [`guard`] keeps our faults from the program.
//!
//! This crate is *not* the recorder: it compresses, hashes and writes nothing, because its time is the program's.

#![allow(unsafe_code, reason = "hooks stand between C programs and C libraries")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
#![cfg_attr(test, allow(dead_code, unused_imports, unused_macros, reason = "tests have no hooks, which use all this"))]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod call;
pub mod context;
pub mod door;
pub mod elf;
pub mod exit;
pub mod facts;
// Tests have no hooks: they would stand in front of what the test program itself uses.
#[cfg(not(test))]
#[rustfmt::skip]
#[allow(unused_imports, reason = "every file of hooks imports the same")]
mod generated;
pub mod guard;
pub mod hook;
pub mod library;
pub mod loader;
pub mod lookup;
pub mod memory;
pub mod nesting;
pub mod process;
pub mod real;
pub mod thread;
pub mod tracer;
pub mod unknown;
pub mod window;
pub mod word;
