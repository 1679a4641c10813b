//! Generators and oracles for fuzzing the front end and the trace reader; the targets in `fuzz_targets/` only combine
//! them.

pub mod input;
pub mod laws;
pub mod mutate;
pub mod trace_laws;
pub mod trace_mutate;
