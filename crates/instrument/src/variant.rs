//! A shader that answers a question, and how to read its answers.

mod decode;
mod order;

use moment::glsl::Value;
use moment::{Marker, Moment};
use serde::{Deserialize, Serialize};
use shader::ast::NodeId;
use shader::types::{Type, TypeTable};

use crate::device::Transport;
use crate::stream::Facts;

/// Names that a variant adds to a program, for whoever runs it. All are `uniform`s unless said otherwise; those that a
/// variant does not use are not active.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Controls {
    /// `int`: 0 switches every probe off. It is 0 until somebody sets it.
    pub on: String,
    /// `ivec4`: whose answers are wanted, compared with the identity of [`crate::stream`]; -1 stands for any.
    pub pick: String,
    /// `int`: the first word of the window.
    pub base: String,
    /// The storage block's name.
    pub block: String,
    /// Where the text binds the storage block, as ES cannot set it from outside; `None` where the language cannot say
    /// it, and it is to be bound by its name.
    pub binding: Option<u32>,
    /// `int`: how many regions the storage block has. Only GLSL 1.10, which cannot ask, uses it.
    pub regions: String,
    /// Only those take a region of the storage block that have something to tell.
    pub late: bool,
    /// The shader counts rows of pixels from the top; [`Controls::pick`] and identities are as it counts.
    pub upper_left: bool,
    /// A `float` attribute that must be given the number of each vertex, where the language has no name for it.
    pub vertex: Option<String>,
    /// `ivec2`: columns and rows of the target of [`Transport::PointGrid`]; vertex n is at column n mod columns of row
    /// n / columns.
    pub grid: String,
    /// Fragment outputs to be bound to colour numbers 0, 1, … (none where the language has only its own), or varyings to be captured interleaved, in order:
    /// an `ivec4` with the identity, then the window. Of [`Transport::Memory`] the global arrays of integers and of
    /// floats in which each word is, in one or the other.
    pub outputs: Vec<String>,
}

impl Controls {
    /// The arrays that a [recomputation](crate::Question::Recomputation) in memory takes words from, beside those of
    /// [`Controls::outputs`].
    #[must_use]
    pub fn given(&self) -> Vec<String> {
        self.outputs.iter().map(|name| format!("{name}_given")).collect()
    }
}

/// A shader that answers a question.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Text for `glShaderSource`.
    pub strings: Vec<String>,
    /// Text of the fragment shader that must run with it in the place of the program's own, if any: what
    /// [`Transport::PointGrid`] brings answers out with.
    pub fragment: Option<Vec<String>>,
    /// How answers come out.
    pub transport: Transport,
    /// What they mean.
    pub layout: Layout,
    /// What whoever runs it needs to know.
    pub controls: Controls,
}

/// What the records of a stream are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// By number; 0 is never used.
    pub sites: Vec<Site>,
    /// The types that values are of.
    pub types: TypeTable,
    /// Where all records are when nothing in the stream says so.
    pub moment: Option<Moment>,
}

/// What a record is about.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    /// What it says.
    pub what: What,
    /// The type of its value; [`Type::Void`] if it has none.
    pub ty: Type,
    /// How many words that is.
    pub words: u32,
}

/// What a record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The invocation passes a marker.
    Marker(Marker),
    /// An expression came to a value; an assignment is an expression.
    Value(NodeId),
    /// A variable was given a value by its declaration, or a parameter by a call.
    Variable(NodeId, String),
    /// An input, or its derivative in x or y.
    Input(String, Slope),
    /// An output had a value, at the end or where the next [`What::Emit`] emits it.
    Output(String),
    /// A vertex is emitted to this stream, with the outputs just before.
    Emit(u32),
    /// The primitive of this stream is ended.
    Cut(u32),
    /// A number: how often, or which way.
    Count(NodeId, u32),
}

/// Whether a value is an input itself or how it changes from pixel to pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slope {
    /// The value.
    None,
    /// Its `dFdx`.
    X,
    /// Its `dFdy`.
    Y,
    /// The `dFdy` of its `dFdx`.
    Both,
}

/// One record of a stream.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// What it says.
    pub what: What,
    /// When; markers are at the moment they lead to.
    pub moment: Option<Moment>,
    /// The value, if it has one.
    pub value: Option<Value>,
}

/// What one invocation answered.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// Facts about it.
    pub facts: Facts,
    /// What it said, in order.
    pub records: Vec<Record>,
    /// How many words did not fit.
    pub lost: u32,
}

/// Why there is no variant, in one sentence that names the construct.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The question is wrong: an expression that does not compile in its place.
    #[error("{0}")]
    Wrong(String),
    /// Nothing of the shader is at this moment.
    #[error("the shader has no such moment: {0}")]
    NoMoment(String),
    /// The device, or the language version, has no way to do it.
    #[error("{0}")]
    Impossible(String),
}
