//! Generators and oracles for fuzzing the front end and the reader of traces; the targets in `fuzz_targets/` only put
//! them together.

pub mod input;
pub mod laws;
pub mod mutate;
pub mod trace_laws;
pub mod trace_mutate;
