//! Assembly programs as shaders.
//!
//! [`translate`] reads a program of ARB_vertex_program or ARB_fragment_program and writes the GLSL 1.20 shader that does
//! the same, so that whatever can be asked of a shader can be asked of such a program. Each instruction is one statement
//! on one line, with the line and the text of the instruction behind it; names stay as they are where GLSL allows that.
//!
//! State that a program binds is read through the built-in uniforms of the compatibility profile (GLSL 1.20, 7.5). What
//! GLSL has no words for - parameters of programs and of their environment, program matrices - is in uniforms of its
//! own, which [`Translation::parameters`] lists.
//!
//! Programs are refused as the extensions' grammars and semantic restrictions say, at the position that GL would tell.
//! Limits of the implementation on instructions and registers are not counted: who translates a program that a driver
//! took knows that it keeps them.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe, the same text every time. It draws nothing.

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

/// What a program does the work of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// `GL_VERTEX_PROGRAM_ARB`.
    Vertex,
    /// `GL_FRAGMENT_PROGRAM_ARB`.
    Fragment,
}

impl Target {
    /// The uniforms that hold environment and local parameters. Stages of a program share uniforms of a name, and these
    /// programs do not share parameters.
    fn uniforms(self) -> [&'static str; 2] {
        match self {
            Target::Vertex => ["vertexEnvironment", "vertexLocal"],
            Target::Fragment => ["fragmentEnvironment", "fragmentLocal"],
        }
    }
}

/// How many there are of things that programs number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Generic vertex attributes.
    pub attributes: u32,
    /// Sets of texture coordinates.
    pub coordinates: u32,
    /// Texture units that are sampled.
    pub units: u32,
    /// Lights.
    pub lights: u32,
    /// Clip planes.
    pub clip_planes: u32,
    /// Program matrices.
    pub matrices: u32,
    /// Environment parameters.
    pub environment: u32,
    /// Local parameters.
    pub local: u32,
    /// Colours that a fragment may have.
    pub colours: u32,
    /// What may be added to an address.
    pub offset: u32,
}

impl Default for Limits {
    /// What Mesa has.
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

/// A program as a shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The shader.
    pub text: String,
    /// Its samplers, and the texture unit that each must be given.
    pub samplers: Vec<(String, u32)>,
    /// Its other uniforms.
    pub parameters: Vec<Parameter>,
    /// Its attributes that are not built in, and their numbers.
    pub attributes: Vec<(String, u32)>,
    /// Built-in variables that it writes; of arrays each element.
    pub written: BTreeSet<String>,
}

/// A uniform: an array of `vec4`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub source: Source,
    /// How many elements it has.
    pub count: u32,
}

/// What a uniform holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// Environment parameters, from the first on.
    Environment,
    /// Local parameters, from the first on.
    Local,
    /// The rows of a program matrix.
    Matrix {
        /// Its number.
        number: u32,
        /// What is made of it.
        form: Form,
    },
}

/// What is made of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// Nothing.
    Plain,
    /// Its inverse.
    Inverse,
    /// Its transpose.
    Transpose,
    /// The transpose of its inverse.
    InverseTranspose,
}

/// Why a program is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Fault {
    /// The byte at which reading it came to an end, `GL_PROGRAM_ERROR_POSITION_ARB`.
    pub position: usize,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}
