//! Generators and oracles for fuzzing the front end; the targets in `fuzz_targets/` only put them together.

pub mod input;
pub mod laws;
pub mod mutate;
