//! GLSL: preprocess, parse, type, link; a source map; span-based editing of the original text.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ast;
pub mod builtin;
pub mod constant;
pub mod diagnostic;
pub mod edit;
pub mod layout;
mod measure;
mod lexer;
pub mod number;
pub mod preprocess;
pub mod qualifier;
pub mod source;
pub mod symbol;
pub mod token;
pub mod types;
pub mod version;
