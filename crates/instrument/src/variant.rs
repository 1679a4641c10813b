//! A shader that answers a question, and the layout of its answers.

mod decode;
mod order;

use moment::glsl::Value;
use moment::{Marker, Moment};
use serde::{Deserialize, Serialize};
use shader::ast::NodeId;
use shader::types::{Type, TypeTable};

use crate::device::Transport;
use crate::stream::Facts;

pub use decode::Records;

/// Names that a variant adds to a program, for the code that runs it. All are `uniform`s unless stated otherwise; those
/// that a variant does not use are inactive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Controls {
    /// `int`: 0 disables every probe. It is initially 0.
    pub on: String,
    /// `ivec4`: the selected invocation, compared with the identity of [`crate::stream`]; -1 matches any value.
    pub pick: String,
    /// `int`: the first word of the window.
    pub base: String,
    /// The name of the storage block.
    pub block: String,
    /// The binding point of the storage block in the source, because ES cannot set it through the API; `None` if the
    /// language cannot declare it, and it must be bound by name.
    pub binding: Option<u32>,
    /// `int`: the number of regions in the storage block. Only used by GLSL 1.10, which cannot query it.
    pub regions: String,
    /// Whether only invocations with something to report take a region of the storage block.
    pub late: bool,
    /// Whether the shader counts rows of pixels from the top; [`Controls::pick`] and identities use its convention.
    pub upper_left: bool,
    /// A `float` attribute with the number of each vertex, if the language has no variable for it.
    pub vertex: Option<String>,
    /// `ivec2`: the size of the target of [`Transport::PointGrid`]; vertex n is at column n mod columns of row n /
    /// columns.
    pub grid: String,
    /// Fragment outputs to bind to colour numbers 0, 1, … (none if the language has only built-in ones), or varyings to
    /// capture interleaved, in order: an `ivec4` with the identity, then the window. For [`Transport::Memory`], the
    /// global arrays of integers and of floats; each word is in one or the other.
    pub outputs: Vec<String>,
}

impl Controls {
    /// The arrays that a [recomputation](crate::Question::Recomputation) in memory takes words from, besides those of
    /// [`Controls::outputs`].
    #[must_use]
    pub fn given(&self) -> Vec<String> {
        self.outputs.iter().map(|name| format!("{name}_given")).collect()
    }
}

/// A shader that answers a question.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The source for `glShaderSource`.
    pub strings: Vec<String>,
    /// The source of the fragment shader that must replace the program's own, if any: used by [`Transport::PointGrid`]
    /// to export answers.
    pub fragment: Option<Vec<String>>,
    /// How answers are exported.
    pub transport: Transport,
    /// The layout of answers.
    pub layout: Layout,
    /// What the caller needs to know to run it.
    pub controls: Controls,
}

/// The records of a stream.
#[derive(Clone, Debug)]
pub struct Layout {
    /// By number; 0 is never used.
    pub sites: Vec<Site>,
    /// The types of values.
    pub types: TypeTable,
    /// The moment of all records, if the stream has no markers.
    pub moment: Option<Moment>,
    /// Which slots the stream begins with; `None` if all records follow each other.
    pub slots: Option<SlotLayout>,
}

/// Slots at the beginning of a stream: each record has a place of its own, and is zero if it was not reached. The records of
/// loops follow them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotLayout {
    /// The first slot, in the order of all slots of the recording.
    pub first: u32,
    /// Their number, each a word.
    pub count: u32,
    /// Whether the records of a loop have their numbers in the order of all records of the loop.
    pub numbered: bool,
}

/// A kind of record.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    /// Its contents.
    pub what: What,
    /// The type of its value; [`Type::Void`] if it has none.
    pub ty: Type,
    /// The number of words of its value.
    pub words: u32,
}

/// The contents of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The invocation passed a marker.
    Marker(Marker),
    /// The value of an expression; an assignment is an expression.
    Value(NodeId),
    /// The value of a variable after its declaration, or of a parameter after a call.
    Variable(NodeId, String),
    /// An input, or one of its derivatives.
    Input(String, Slope),
    /// The value of an output, at the end or for the next [`What::Emit`].
    Output(String),
    /// A vertex is emitted to this stream, with the preceding outputs.
    Emit(u32),
    /// The primitive of this stream is ended.
    Cut(u32),
    /// A number: how often, or which way.
    Count(NodeId, u32),
    /// In a slot: the word of the stream at which the records of a loop begin.
    Loop,
}

/// Whether a value is an input itself or one of its derivatives.
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

/// A record of a stream.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Its contents.
    pub what: What,
    /// Its moment; markers have the moment they lead to.
    pub moment: Option<Moment>,
    /// The value, if it has one.
    pub value: Option<Value>,
}

/// The answer of one invocation.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// Facts about it.
    pub facts: Facts,
    /// Its records, in order.
    pub records: Vec<Record>,
    /// The number of words that did not fit.
    pub lost: u32,
}

/// Why no variant could be made; the message names the construct.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The question is invalid, such as an expression that does not compile at its position.
    #[error("{0}")]
    Wrong(String),
    /// The shader has no such moment.
    #[error("the shader has no such moment: {0}")]
    NoMoment(String),
    /// The device or the language version cannot do it.
    #[error("{0}")]
    Impossible(String),
}
