//! The shared memory between a recorded program and its recorder: one block, mapped by both, with one ring per thread
//! of the program.
//!
//! The program's end ([`Producer`]) runs inside hooks of a program that knows nothing of it: no heap, no locks, no
//! descriptors. What it has published survives its death, because the recorder maps the same memory. The recorder's end
//! ([`Consumer`]) copies bytes before it parses them and trusts nothing: a faulty program may have overwritten the
//! whole block.
//!
//! This crate is *not* a file format: nothing of it is ever written to disk, and both ends are from the same build.

#![allow(unsafe_code, reason = "memory that two processes share has no safe interface")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod block;
mod clock;
pub mod consumer;
mod futex;
pub mod handshake;
pub mod layout;
pub mod producer;
pub mod record;

pub use block::{Block, Mapping, Settings, StopReason};
pub use clock::Clock;
pub use consumer::{Consumer, Corrupted};
pub use producer::{Payload, Producer, Stream};
pub use record::{Record, Records};
