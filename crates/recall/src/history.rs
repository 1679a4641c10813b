//! A history: who wrote a texel, and what that was made of.

use std::sync::Arc;

use chronicle::graph::Cell;
use open_trace::Replaced;
use raster::Color;
use reenact::fragment_ops::Fate;
use shader::version::Stage;

use crate::{Cut, TexelRef};

/// Which node; nodes are numbered in the order in which they were found, from the pixel backwards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A graph without cycles: readers come later than writers.
#[derive(Clone, PartialEq, Debug)]
pub struct History {
    /// The texel.
    pub place: TexelRef,
    /// The call before which it is looked at.
    pub until: u64,
    /// What it holds there, if that can be seen.
    pub value: Option<Value>,
    /// Who wrote it, or tried to, from the last clear or the beginning of the frame on, in the order of the trace.
    pub rows: Vec<Node>,
    /// Events.
    pub nodes: Vec<Node>,
    /// What they were made of.
    pub edges: Vec<Edge>,
    /// What bounds left out.
    pub cut: Cut,
    /// What is not as it should be.
    pub notes: Vec<String>,
}

/// Something that wrote to a place, or tried to.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Which.
    pub id: NodeId,
    /// What it is.
    pub kind: EventKind,
    /// The call.
    pub call: u64,
    /// The frame, from 0.
    pub frame: Option<u64>,
    /// Where it wrote, or would have.
    pub place: TexelRef,
    /// How many passes lie between it and the pixel.
    pub depth: u32,
    /// What it is about, where that is not a texel.
    pub subject: Subject,
    /// The fragment, of draws.
    pub fragment: Option<Fragment>,
    /// What the texel really held before the call, and after it.
    pub before: Option<Value>,
    /// What it really held after the call.
    pub after: Option<Value>,
    /// What the emulator says it held after this node.
    pub emulated: Option<Value>,
    /// Whether that is so.
    pub verdict: Verdict,
    /// How much of the pixel comes from here: the sum over all ways.
    pub weight: f64,
    /// How many texels it stands for: events that end a way have one node for all that was read of an image.
    pub texels: u32,
}

/// What a node is about. Those that are not about texels have the place that they were asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Subject {
    /// The texel of its place.
    #[default]
    Texel,
    /// A vertex of a draw.
    Vertex(Vertex),
    /// An invocation of a stage between vertices and fragments.
    Run(StageRun),
    /// Bytes of a buffer.
    Bytes(ByteRange),
    /// A uniform of a program.
    Uniform {
        /// The program.
        program: u32,
        /// Its name.
        name: Arc<str>,
    },
    /// A value that is the same for all vertices that follow, or that one vertex between `glBegin` and `glEnd` is given.
    Attribute {
        /// Its name.
        name: Arc<str>,
    },
    /// State of fixed functions, which shaders read through built-in uniforms.
    State {
        /// What it is, for people: `front material, diffuse`.
        name: Arc<str>,
    },
    /// An invocation of a compute shader, by its number among all.
    Invocation([u32; 3]),
}

/// A vertex of a draw: an invocation of the vertex shader.
#[derive(Clone, PartialEq, Debug)]
pub struct Vertex {
    /// `gl_VertexID`.
    pub number: i32,
    /// `gl_InstanceID`.
    pub instance: i32,
    /// Which of the draws that the call is, from 0; most are one.
    pub part: u32,
    /// What it was given, measured.
    pub inputs: Vec<(String, Vec<f64>)>,
    /// What it gives on, emulated.
    pub outputs: Vec<(String, Vec<f64>)>,
}

/// An invocation of a tessellation or geometry shader.
#[derive(Clone, PartialEq, Debug)]
pub struct StageRun {
    /// Which shader.
    pub stage: Stage,
    /// The number of the primitive, or patch, that it works on.
    pub primitive: i32,
    /// `gl_InvocationID`, of control and geometry shaders.
    pub invocation: Option<i32>,
    /// Where in the patch it is, of evaluation shaders: the first two of `gl_TessCoord`.
    pub coords: Option<[f32; 2]>,
    /// What it was given, measured.
    pub inputs: Vec<(String, Vec<f64>)>,
    /// What it gives on: of a geometry shader with the vertices that were read, measured; of others emulated.
    pub outputs: Vec<(String, Vec<f64>)>,
}

/// Bytes of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ByteRange {
    /// The buffer.
    pub cell: Cell,
    /// The first byte.
    pub from: u64,
    /// The first byte behind them.
    pub to: u64,
}

/// What kind of event a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    /// A fragment of a draw.
    Draw,
    /// A vertex of a draw.
    Vertex,
    /// An invocation of a tessellation control shader.
    Control,
    /// An invocation of a tessellation evaluation shader.
    Evaluation,
    /// An invocation of a geometry shader.
    Geometry,
    /// A uniform's value, or that of an attribute which has no array.
    Value,
    /// A clear.
    Clear,
    /// A copy from another image.
    Copy,
    /// A copy that scales or mirrors.
    Blit,
    /// A copy that makes one of several samples.
    Resolve,
    /// Pixels from memory.
    Upload,
    /// Levels made of a larger one.
    Mipmap,
    /// A store of a shader.
    Store,
    /// A present.
    Present,
    /// Something that is named, but not followed.
    Other,
    /// Nothing wrote it: the image is new, or was invalidated.
    Undefined,
}

impl EventKind {
    /// A word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            EventKind::Draw => "draw",
            EventKind::Vertex => "vertex",
            EventKind::Control => "control",
            EventKind::Evaluation => "evaluation",
            EventKind::Geometry => "geometry",
            EventKind::Value => "value",
            EventKind::Clear => "clear",
            EventKind::Copy => "copy",
            EventKind::Blit => "blit",
            EventKind::Resolve => "resolve",
            EventKind::Upload => "upload",
            EventKind::Mipmap => "mipmap",
            EventKind::Store => "store",
            EventKind::Present => "present",
            EventKind::Other => "other",
            EventKind::Undefined => "undefined",
        }
    }
}

/// A fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct Fragment {
    /// Its place among those of the draw at its pixel, in the order in which they were drawn.
    pub order: u32,
    /// The primitive, where the shader's language can tell.
    pub primitive: Option<u32>,
    /// Depth, as it is tested.
    pub depth: f32,
    /// Whether it faces the front.
    pub front: bool,
    /// What became of it.
    pub fate: Fate,
    /// The colour that the device's shader gave out for the place.
    pub measured: Option<Color>,
    /// The colour that the emulated shader gave out.
    pub emulated: Option<Color>,
    /// What made it, if that was no shader of the program's: one that does the same stands in.
    pub stand_in: Option<Replaced>,
}

/// What a texel holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// A colour.
    Colour(Color),
    /// A depth.
    Depth(f32),
    /// A stencil value.
    Stencil(u8),
}

impl Value {
    /// Whether there is a NaN or an infinity in it.
    #[must_use]
    pub fn is_nonfinite(&self) -> bool {
        match self {
            Value::Colour(Color::Float(channels)) => channels.iter().any(|channel| !channel.is_finite()),
            Value::Depth(depth) => !depth.is_finite(),
            _ => false,
        }
    }
}

/// Whether what was emulated is what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is, to the bit.
    Equal,
    /// It is within this many units of the format.
    Within(u64),
    /// It differs by this many units.
    Differs(u64),
    /// It was not compared, for this reason.
    Unchecked(String),
}

impl Verdict {
    /// Whether nothing speaks against it: equal or as good as.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Equal | Verdict::Within(_))
    }
}

/// What a node was made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Who read.
    pub from: NodeId,
    /// Who wrote what was read.
    pub to: NodeId,
    /// The texel that was read.
    pub at: [u32; 2],
    /// The sample of it.
    pub sample: u32,
    /// What the texel held, where the node stands for several.
    pub value: Option<Value>,
    /// In what way.
    pub why: Why,
    /// The share of what was read in what was made of it, as far as filtering and blending say.
    pub weight: f64,
}

/// Why one node depends on another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// A look-up read the texel.
    Texel {
        /// The sampler, as the shader spells it, and its unit.
        sampler: Arc<str>,
        /// The line of the look-up, where it is known.
        line: Option<u32>,
    },
    /// It shines through blending, a mask or a logical operation.
    Blended,
    /// Only its alpha does.
    BlendedAlpha,
    /// It was copied.
    Copied,
    /// A level was made of it.
    Filtered,
    /// An input was interpolated from this vertex, among others, or it was captured.
    Interpolated {
        /// `gl_VertexID`; of a geometry shader which of those that it emitted.
        vertex: i32,
    },
    /// It is this vertex of the primitive or patch that the invocation worked on.
    Assembled {
        /// Which, from 0.
        vertex: u32,
    },
    /// An input of a vertex was fetched from there.
    Attribute {
        /// Its name.
        name: Arc<str>,
    },
    /// The shader uses it. It has no share of its own: how much of a result comes from a uniform is undefined.
    Uniform {
        /// Its name.
        name: Arc<str>,
    },
    /// The shader reads state of fixed functions that the call made. Like a uniform it has no share of its own.
    State {
        /// What it is, for people.
        name: Arc<str>,
    },
    /// The shader read bytes of a block.
    Bytes {
        /// The kind of block and its binding.
        block: Arc<str>,
    },
}
