//! The tables that `cargo xtask codegen` writes from the registry and `overlay.toml`.

#[allow(unused_imports, reason = "every list of commands uses only some of the imports")]
#[allow(non_upper_case_globals, reason = "values are named after the groups of the registry")]
pub mod commands;
#[allow(missing_docs, non_upper_case_globals, reason = "the names are the registry's own")]
pub mod constant;
pub mod fingerprint;
pub mod groups;
#[allow(non_upper_case_globals, reason = "the names are the registry's own")]
pub mod id;
pub mod names;
pub mod rules;
