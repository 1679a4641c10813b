//! GLSL: preprocess, parse, type, link; a source map; span-based editing of the original text.
//!
//! [`analyze`] takes the strings of one `glShaderSource` call and returns everything known about the shader: tokens
//! with their positions, the tree, types and constants, and diagnostics. It always returns all of them; a broken shader
//! is normal input.
//!
//! The crate does no I/O, reads no clock, starts no threads and uses no driver: the same text and options give the same
//! result everywhere.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analyze;
pub mod ast;
pub mod builtin;
mod check;
pub mod constant;
pub mod diagnostic;
pub mod dialect;
pub mod edit;
pub mod layout;
mod lexer;
pub mod link;
mod measure;
pub mod number;
pub mod parse;
pub mod preprocess;
pub mod qualifier;
pub mod query;
pub mod query_precision;
pub mod query_rvalue;
pub mod source;
pub mod symbol;
pub mod token;
pub mod typed;
pub mod types;
pub mod version;

pub use analyze::{Shader, analyze};
pub use link::{Linked, link, link_with};
