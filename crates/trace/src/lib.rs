//! The bytes of a trace on disk (`.aftr`): the only place that defines them. `docs/trace-format.md` is their
//! specification.
//!
//! A trace is a list of calls in the order in which they were entered, whatever thread made them. This crate knows how
//! calls are stored, not what they do.

pub mod call;

pub use call::{Call, Data, Outcome, Payload};
