//! The library that is preloaded into a program: it hooks GL, EGL and GLX and writes the program's calls into memory
//! shared with the recorder.
//!
//! - [`hook`] is what every hook does, [`word`] converts arguments, `generated` contains the hooks;
//! - [`thread`] is the state of a thread, [`call`] what other modules see of a call, [`nesting`] detects calls inside
//!   calls;
//! - [`loader`] and [`lookup`] return hooks to programs that look functions up, [`real`] finds the functions behind
//!   them, with [`elf`] and [`library`]; [`trampoline`] distinguishes two implementations in one process, [`unknown`]
//!   is for functions that are in no registry;
//! - [`window`] tracks contexts, surfaces and frames, [`memory`] what calls read and write, [`facts`] what the driver
//!   reports about contexts and programs, [`binaries`] hides what would leave a trace without texts;
//! - [`tracer`] runs third-party tracers; [`process`] attaches to the recorder, [`exit`] detects the program's end,
//!   [`guard`] contains our own faults.
//!
//! This crate is *not* the recorder: it compresses, hashes and writes nothing, because it runs on the program's time.

#![allow(unsafe_code, reason = "hooks are called by C programs and call C libraries")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
#![cfg_attr(test, allow(dead_code, unused_imports, unused_macros, reason = "tests have no hooks, which use all this"))]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod binaries;
pub mod call;
pub mod context;
pub mod elf;
pub mod exit;
pub mod facts;
pub mod trampoline;
// Tests have no hooks: these would hook what the test program itself uses.
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
