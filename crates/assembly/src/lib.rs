//! Translates assembly programs to shaders.
//!
//! [`translate`] parses a program of ARB_vertex_program or ARB_fragment_program and writes an equivalent GLSL 1.20
//! shader, so that everything that works on shaders works on such programs. Each instruction becomes one statement on
//! one line, followed by the line number and source of the instruction in a comment; names are kept where GLSL allows
//! them.
//!
//! State bindings are read through the built-in uniforms of the compatibility profile (GLSL 1.20, 7.5). What GLSL has
//! no built-ins for - program environment and local parameters, program matrices - becomes uniforms, listed in
//! [`Translation::parameters`].
//!
//! Invalid programs are rejected by the extensions' grammars and semantic restrictions, with the error position that GL
//! would report. Implementation limits on instructions and registers are not checked: programs come from drivers that
//! accepted them.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe; the output is deterministic. It draws nothing.

#![warn(missing_docs)]

mod declaration;
mod instruction;
mod operand;
mod option;
mod parser;
mod reserved;
mod state;
mod token;
mod writer;

pub use option::Fog;
pub use parser::translate;

use std::collections::BTreeSet;

/// The kind of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// `GL_VERTEX_PROGRAM_ARB`.
    Vertex,
    /// `GL_FRAGMENT_PROGRAM_ARB`.
    Fragment,
}

impl Target {
    /// The uniforms for environment and local parameters. They differ by target, because the stages of a linked program
    /// share uniforms of the same name, but assembly programs do not share parameters.
    fn uniforms(self) -> [&'static str; 2] {
        match self {
            Target::Vertex => ["vertexEnvironment", "vertexLocal"],
            Target::Fragment => ["fragmentEnvironment", "fragmentLocal"],
        }
    }
}

/// Implementation limits on indices in programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of generic vertex attributes.
    pub attributes: u32,
    /// The number of texture coordinate sets.
    pub coordinates: u32,
    /// The number of texture image units.
    pub units: u32,
    /// The number of lights.
    pub lights: u32,
    /// The number of clip planes.
    pub clip_planes: u32,
    /// The number of program matrices.
    pub matrices: u32,
    /// The number of environment parameters.
    pub environment: u32,
    /// The number of local parameters.
    pub local: u32,
    /// The number of colour outputs.
    pub colours: u32,
    /// The largest offset from an address register.
    pub offset: u32,
}

impl Default for Limits {
    /// Mesa's limits.
    fn default() -> Limits {
        Limits {
            attributes: 16,
            coordinates: 8,
            units: 16,
            lights: 8,
            clip_planes: 8,
            matrices: 8,
            environment: 256,
            local: 4096,
            colours: 8,
            offset: 4096,
        }
    }
}

/// A translated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The shader's source.
    pub text: String,
    /// Its samplers, each with the texture unit it must be set to.
    pub samplers: Vec<(String, u32)>,
    /// Its other uniforms.
    pub parameters: Vec<Parameter>,
    /// Its attributes that are not built-in, with their numbers.
    pub attributes: Vec<(String, u32)>,
    /// The built-in variables that it writes; elements of arrays are listed separately.
    pub written: BTreeSet<String>,
}

/// A uniform array of `vec4`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub source: Source,
    /// The number of elements.
    pub count: u32,
}

/// The contents of a uniform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// Environment parameters, starting with the first.
    Environment,
    /// Local parameters, starting with the first.
    Local,
    /// The rows of a program matrix.
    Matrix {
        /// Its number.
        number: u32,
        /// The form in which it is used.
        form: Form,
    },
}

/// The form in which a matrix is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// The matrix itself.
    Plain,
    /// Its inverse.
    Inverse,
    /// Its transpose.
    Transpose,
    /// The transpose of its inverse.
    InverseTranspose,
}

/// Why a program is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Fault {
    /// The byte offset of the error, `GL_PROGRAM_ERROR_POSITION_ARB`.
    pub position: usize,
    /// Its line, counted from 1.
    pub line: usize,
    /// The error message.
    pub message: String,
}
