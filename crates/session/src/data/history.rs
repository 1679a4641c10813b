//! What a pixel was made of. These types are also what `afterimage history --json` prints (`docs/json.md`).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::choice::Choice;
use super::number::{self, Number};
use super::picture::PictureCheck;
use crate::parse::ParseError;

/// Which pixel's history is asked for, and how far it is followed.
#[derive(Clone, PartialEq, Debug)]
pub struct HistoryRequest {
    /// The pixel, from the lower left.
    pub pixel: [u32; 2],
    /// When the pixel is looked at.
    pub when: When,
    /// The plane of the framebuffer.
    pub plane: Plane,
    /// The sample, if pixels have several.
    pub sample: u32,
    /// Whether to list everything that wrote to the pixel in its frame, or tried to.
    pub rows: bool,
    /// Whether to follow what the pixel was made of.
    pub nodes: bool,
    /// Texels with less influence on the pixel than this are not followed.
    pub min_weight: f64,
    /// How many passes back to follow; all without one.
    pub depth: Option<u32>,
    /// How many nodes to find at most.
    pub max_nodes: usize,
    /// Whether to follow fragments to their vertices, and invocations to buffers and uniforms.
    pub vertices: bool,
    /// Whether to compute all nodes from the leaves to the pixel, each from what was computed for those before it.
    pub sequence: bool,
    /// For how many of the first nodes to read back the texels around them.
    pub surroundings: usize,
    /// Whether to find out first which blocks of its target each draw touches; where it helps without one.
    pub maps: Option<bool>,
}

impl HistoryRequest {
    /// Everything that a pixel was made of.
    #[must_use]
    pub fn new(pixel: [u32; 2], when: When) -> HistoryRequest {
        HistoryRequest {
            pixel,
            when,
            plane: Plane::Colour(0),
            sample: 0,
            rows: false,
            nodes: true,
            min_weight: 0.0,
            depth: None,
            max_nodes: 100_000,
            vertices: true,
            sequence: false,
            surroundings: 0,
            maps: None,
        }
    }
}

/// When a pixel is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// When a frame is complete: before it is presented, or after its last draw if it is not. Without a frame, the last
    /// that was presented.
    Shown(Option<usize>),
    /// After a command.
    After(u64),
}

/// A plane of a framebuffer: `colour`, `colour:N`, `depth` or `stencil` as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// A colour buffer, by its draw buffer.
    Colour(usize),
    /// The depth buffer.
    Depth,
    /// The stencil buffer.
    Stencil,
}

impl fmt::Display for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plane::Colour(buffer) => write!(f, "colour:{buffer}"),
            Plane::Depth => f.write_str("depth"),
            Plane::Stencil => f.write_str("stencil"),
        }
    }
}

impl Serialize for Plane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Plane {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Plane, ParseError> {
        let plane = match text.split_once(':') {
            None if text == "colour" || text == "color" => Some(Plane::Colour(0)),
            None if text == "depth" => Some(Plane::Depth),
            None if text == "stencil" => Some(Plane::Stencil),
            Some(("colour" | "color", number)) => number.parse().ok().map(Plane::Colour),
            _ => None,
        };
        plane.ok_or_else(|| ParseError::Plane { text: text.to_owned() })
    }
}

/// What a pixel was made of: a graph without cycles, whose edges lead from what read to what was read.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct History {
    /// Whether the history explains what the picture shows; if not, nothing that follows can be relied on.
    pub picture: PictureCheck,
    /// The image that the pixel belongs to.
    pub target: String,
    /// The pixel.
    pub pixel: [u32; 2],
    /// The command before which it is looked at.
    pub before_command: u64,
    /// What it holds there, if that can be read back.
    pub value: Option<TexelValue>,
    /// What wrote to it or tried to, in the order of the trace.
    pub rows: Vec<HistoryNode>,
    /// Events, from the pixel backwards; the first is the last that wrote it.
    pub nodes: Vec<HistoryNode>,
    /// What they were made of.
    pub edges: Vec<HistoryEdge>,
    /// What the bounds of the request left out.
    pub left_out: LeftOut,
    /// What is not as it should be, as sentences.
    pub notes: Vec<String>,
    /// The nodes computed from the leaves to the pixel, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Sequence>,
    /// The texels around the first nodes, as many as were asked for. Not part of JSON.
    #[serde(skip)]
    pub surroundings: Vec<Surroundings>,
}

impl History {
    /// Returns a node by its id.
    #[must_use]
    pub fn node(&self, id: u32) -> Option<&HistoryNode> {
        // Ids are places in the list.
        self.nodes.get(id as usize)
    }
}

/// How many texels were not followed.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct LeftOut {
    /// Those with too little influence.
    pub light: u64,
    /// Those too many passes back.
    pub deep: u64,
    /// The share that these have in the pixel together.
    pub deep_weight: f64,
    /// Those beyond the number of nodes.
    pub many: u64,
    /// Those that were left when as much had been done as may be for one question.
    pub costly: u64,
}

impl LeftOut {
    /// Returns what was left out, as sentences.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let deep = match self.deep_weight {
            weight if weight < 0.001 => "too many passes back".to_owned(),
            weight => format!("too many passes back, together x{:.3} of the pixel", weight.min(1.0)),
        };
        let all = [
            (self.light, "too little influence"),
            (self.deep, &deep),
            (self.many, "no room"),
            (self.costly, "too much work"),
        ];
        let left = all.into_iter().filter(|(count, _)| *count > 0);
        let what = |count| if count == 1 { "1 texel was".to_owned() } else { format!("{count} texels were") };
        left.map(|(count, why)| format!("{} not followed: {why}", what(count))).collect()
    }
}

/// An event: something that wrote to a texel or a buffer, gave a value, or tried to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HistoryNode {
    /// What edges call it: its place in the list.
    pub id: u32,
    /// What kind of event it is.
    pub kind: NodeKind,
    /// The command. Of a uniform that was never set, the one that linked its program.
    pub command: u64,
    /// The frame, from 0; nothing where it is in none.
    pub frame: Option<u64>,
    /// The debug groups that are open there, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The image that it wrote to. A node that is not about a texel has the one it was asked for.
    pub image: Arc<str>,
    /// Column and row in the image.
    pub at: [u32; 2],
    /// The sample.
    pub sample: u32,
    /// The layer or face of the image.
    #[serde(skip_serializing_if = "is_zero")]
    pub layer: u32,
    /// How many passes lie between it and the pixel.
    pub passes: u32,
    /// What it is about; `None` if that is the texel.
    pub subject: Option<Subject>,
    /// The fragment, of draws.
    pub fragment: Option<HistoryFragment>,
    /// What the texel held before the command.
    pub before: Option<TexelValue>,
    /// What it held after the command.
    pub after: Option<TexelValue>,
    /// What the emulator says it held after this node.
    pub emulated: Option<TexelValue>,
    /// Whether the emulator is right.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How much of the pixel comes from here; uniforms have no share.
    pub weight: f64,
    /// How many texels it stands for: clears and uploads have one node for all texels that were read of an image.
    pub texels: u32,
}

pub(super) fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl HistoryNode {
    /// Returns the invocation that it is, if a shader made it: [`crate::Session::enter`] goes there.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        let command = self.command;
        match (&self.subject, &self.fragment) {
            (Some(Subject::Vertex { vertex, instance, .. }), _) => Some(Choice::Vertex {
                command,
                vertex: (*vertex).max(0).cast_unsigned(),
                instance: Some((*instance).max(0).cast_unsigned()),
            }),
            (Some(Subject::Invocation { invocation }), _) => Some(Choice::Thread { command, id: *invocation }),
            (None, Some(fragment)) => {
                let ([x, y], layer) = (self.at, (self.layer > 0).then_some(self.layer));
                Some(Choice::Fragment { command, x, y, primitive: fragment.primitive, sample: None, layer })
            }
            _ => None,
        }
    }

    /// Returns the node as an edge leads to it: of a node that stands for many texels, the one that was read.
    #[must_use]
    pub fn as_read(&self, edge: &HistoryEdge) -> Cow<'_, HistoryNode> {
        if self.texels <= 1 {
            return Cow::Borrowed(self);
        }
        let HistoryEdge { at, sample, value: after, .. } = *edge;
        Cow::Owned(HistoryNode { at, sample, after, texels: 1, ..self.clone() })
    }

    /// Returns a short name of what it is about: `3,4 of texture 5`, or `vertex 7 of instance 0`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.subject {
            None => {
                let [x, y] = self.at;
                format!("{x},{y} of {}", self.image)
            }
            Some(Subject::Vertex { vertex, instance, .. }) => format!("vertex {vertex} of instance {instance}"),
            Some(Subject::Stage { stage, primitive, .. }) => format!("{stage} shader of primitive {primitive}"),
            Some(Subject::Bytes { buffer, from, to }) => format!("bytes {from}..{to} of {buffer}"),
            Some(Subject::Uniform { program, uniform }) => format!("uniform {uniform} of program {program}"),
            Some(Subject::Attribute { attribute }) => format!("attribute {attribute}"),
            Some(Subject::State { state }) => format!("state of the {state}"),
            Some(Subject::Invocation { invocation: [x, y, z] }) => format!("invocation {x},{y},{z}"),
        }
    }

    /// Returns what it is about, with the inputs of a vertex and the outputs of other invocations.
    #[must_use]
    pub fn subject_text(&self) -> String {
        let list = |values: &[(String, Vec<f64>)]| {
            let one = |(name, numbers): &(String, Vec<f64>)| {
                let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
                format!("{name} {}", numbers.join(" "))
            };
            values.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        match &self.subject {
            None => {
                let [x, y] = self.at;
                format!("at {x}, {y} of {}", self.image)
            }
            Some(Subject::Vertex { vertex, instance, part, inputs, .. }) => {
                let instance = if *instance > 0 { format!(" of instance {instance}") } else { String::new() };
                let part = if *part > 0 { format!(" of part {part}") } else { String::new() };
                format!("{vertex}{instance}{part}: {}", list(inputs))
            }
            Some(Subject::Stage { primitive, invocation, coords, outputs, .. }) => {
                let which = match (invocation, coords) {
                    (_, Some([Number(x), Number(y)])) => format!(" at {x:.4} {y:.4}"),
                    (Some(invocation), _) if *invocation > 0 => format!(" invocation {invocation}"),
                    _ => String::new(),
                };
                format!("of primitive {primitive}{which}: {}", list(outputs))
            }
            Some(Subject::Bytes { buffer, from, to }) => format!("bytes {from}..{to} of {buffer}"),
            Some(Subject::Uniform { program, uniform }) => format!("of {uniform} of program {program}"),
            Some(Subject::Attribute { attribute }) => format!("of {attribute}"),
            Some(Subject::State { state }) => format!("of the {state}"),
            Some(Subject::Invocation { invocation: [x, y, z] }) => format!("by invocation {x}, {y}, {z}"),
        }
    }
}

/// What a node is about, if it is not about a texel.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A vertex of a draw: an invocation of the vertex shader.
    Vertex {
        /// `gl_VertexID`.
        vertex: i32,
        /// `gl_InstanceID`.
        instance: i32,
        /// Which of the draws that the call makes, from 0; most make one.
        part: u32,
        /// Its inputs, measured.
        #[serde(serialize_with = "number::by_name")]
        inputs: Vec<(String, Vec<f64>)>,
        /// Its outputs, emulated.
        #[serde(serialize_with = "number::by_name")]
        outputs: Vec<(String, Vec<f64>)>,
    },
    /// An invocation of a tessellation or geometry shader, or of a fragment shader that stored something.
    Stage {
        /// The stage.
        stage: &'static str,
        /// The primitive or patch.
        primitive: i32,
        /// `gl_InvocationID`, of control and geometry shaders.
        invocation: Option<i32>,
        /// The first two of `gl_TessCoord`, of evaluation shaders; the pixel, of fragment shaders.
        coords: Option<[Number; 2]>,
        /// Its inputs, measured.
        #[serde(serialize_with = "number::by_name")]
        inputs: Vec<(String, Vec<f64>)>,
        /// Its outputs: of a geometry shader those of the vertices that were read, measured; of others emulated.
        #[serde(serialize_with = "number::by_name")]
        outputs: Vec<(String, Vec<f64>)>,
    },
    /// Bytes of a buffer.
    Bytes {
        /// The buffer.
        buffer: Arc<str>,
        /// The first byte.
        from: u64,
        /// The first byte after them.
        to: u64,
    },
    /// A uniform.
    Uniform {
        /// The recorded name of its program.
        program: u32,
        /// Its name.
        uniform: Arc<str>,
    },
    /// An attribute that has no array.
    Attribute {
        /// Its name.
        attribute: Arc<str>,
    },
    /// State of fixed functions.
    State {
        /// What it is.
        state: Arc<str>,
    },
    /// An invocation of a compute shader.
    Invocation {
        /// `gl_GlobalInvocationID`.
        invocation: [u32; 3],
    },
}

/// What kind of event a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A fragment of a draw.
    Draw,
    /// An invocation of a vertex shader.
    Vertex,
    /// An invocation of a tessellation control shader.
    Control,
    /// An invocation of a tessellation evaluation shader.
    Evaluation,
    /// An invocation of a geometry shader.
    Geometry,
    /// A uniform, state of fixed functions, or an attribute that has no array, and the call that gave it its value.
    Value,
    /// A clear.
    Clear,
    /// A copy from another image.
    Copy,
    /// A copy that scales or mirrors.
    Blit,
    /// A copy that makes one sample of several.
    Resolve,
    /// Pixels from memory.
    Upload,
    /// A level made of a larger one.
    Mipmap,
    /// A store by a shader.
    Store,
    /// A present.
    Present,
    /// A call that is named, but not followed.
    Other,
    /// Nothing wrote it: the image is new, or was invalidated.
    Undefined,
}

impl NodeKind {
    /// Returns its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Draw => "draw",
            NodeKind::Vertex => "vertex",
            NodeKind::Control => "control",
            NodeKind::Evaluation => "evaluation",
            NodeKind::Geometry => "geometry",
            NodeKind::Value => "value",
            NodeKind::Clear => "clear",
            NodeKind::Copy => "copy",
            NodeKind::Blit => "blit",
            NodeKind::Resolve => "resolve",
            NodeKind::Upload => "upload",
            NodeKind::Mipmap => "mipmap",
            NodeKind::Store => "store",
            NodeKind::Present => "present",
            NodeKind::Other => "other",
            NodeKind::Undefined => "undefined",
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A fragment of a draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HistoryFragment {
    /// Its place among the fragments of the draw at its pixel, in drawing order.
    pub order: u32,
    /// The primitive, if the shader's language has it.
    pub primitive: Option<u32>,
    /// The depth that is tested.
    pub depth: Number,
    /// Whether it is of the front face.
    pub front: bool,
    /// What became of it: `written`, or the test or mask that stopped it.
    pub fate: &'static str,
    /// The colour that the device's shader returned.
    pub measured: Option<TexelValue>,
    /// The colour that the emulated shader returned.
    pub emulated: Option<TexelValue>,
    /// Whether fixed functions made it, for which a generated shader stands in.
    pub fixed: bool,
    /// Whether an assembly program made it, for which a translated shader stands in.
    pub assembly: bool,
}

/// What a texel holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TexelValue {
    /// A colour of floats or normalised integers.
    Float([f32; 4]),
    /// A colour of signed integers.
    Int([i32; 4]),
    /// A colour of unsigned integers.
    Uint([u32; 4]),
    /// A depth.
    Depth(f32),
    /// A stencil value.
    Stencil(u8),
}

impl TexelValue {
    /// Returns whether a channel is NaN.
    #[must_use]
    pub fn has_nan(&self) -> bool {
        match self {
            TexelValue::Float(channels) => channels.iter().any(|channel| channel.is_nan()),
            TexelValue::Depth(depth) => depth.is_nan(),
            TexelValue::Int(_) | TexelValue::Uint(_) | TexelValue::Stencil(_) => false,
        }
    }

    /// Returns whether a channel is NaN or infinite.
    #[must_use]
    pub fn is_nonfinite(&self) -> bool {
        match self {
            TexelValue::Float(channels) => channels.iter().any(|channel| !channel.is_finite()),
            TexelValue::Depth(depth) => !depth.is_finite(),
            TexelValue::Int(_) | TexelValue::Uint(_) | TexelValue::Stencil(_) => false,
        }
    }
}

impl fmt::Display for TexelValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TexelValue::Float(channels) => f.write_str(&channels.map(|channel| format!("{channel:.4}")).join(", ")),
            TexelValue::Int(channels) => f.write_str(&channels.map(|channel| channel.to_string()).join(", ")),
            TexelValue::Uint(channels) => f.write_str(&channels.map(|channel| channel.to_string()).join(", ")),
            TexelValue::Depth(depth) => write!(f, "depth {depth}"),
            TexelValue::Stencil(value) => write!(f, "stencil {value}"),
        }
    }
}

impl Serialize for TexelValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TexelValue::Float(channels) => channels.map(Number).serialize(serializer),
            TexelValue::Int(channels) => channels.serialize(serializer),
            TexelValue::Uint(channels) => channels.serialize(serializer),
            TexelValue::Depth(depth) => Number(*depth).serialize(serializer),
            TexelValue::Stencil(value) => value.serialize(serializer),
        }
    }
}

/// Whether what the emulator computed is what is there.
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
    /// Returns its name, as in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Within(_) => "within",
            Verdict::Differs(_) => "differs",
            Verdict::Unchecked(_) => "unchecked",
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Document<'a> {
            /// Whether what the emulator computed is what is there: `equal`, `within` rounding, `differs` or `unchecked`.
            /// Of a vertex: whether its outputs, interpolated, are the inputs of its fragments, or are what was captured.
            /// Of a geometry or tessellation shader: also whether its outputs are what the device has. Of a store: whether
            /// the words it wrote are those that were read later.
            verdict: &'static str,
            /// How many units of the format it is off (of a vertex, units in the last place), or why it was not compared;
            /// `None` if it is equal.
            detail: Option<Detail<'a>>,
        }
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Detail<'a> {
            Units(u64),
            Reason(&'a str),
        }
        let detail = match self {
            Verdict::Equal => None,
            Verdict::Within(units) | Verdict::Differs(units) => Some(Detail::Units(*units)),
            Verdict::Unchecked(why) => Some(Detail::Reason(why)),
        };
        Document { verdict: self.name(), detail }.serialize(serializer)
    }
}

/// Why one node depends on another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HistoryEdge {
    /// The node that read.
    pub from: u32,
    /// The node that made what was read.
    pub to: u32,
    /// The texel that was read.
    pub at: [u32; 2],
    /// The sample of it.
    pub sample: u32,
    /// What the texel held; left out where the node stands for one texel, or it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<TexelValue>,
    /// The share of it in what was made of it.
    pub weight: f64,
    /// How it was read.
    #[serde(flatten)]
    pub why: Why,
}

/// How one node reads another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Why {
    /// A texture read.
    Texel {
        /// The sampler as the shader spells it, and its unit: `shadows (unit 0)`.
        sampler: Arc<str>,
        /// The line of the read, if it is known.
        line: Option<u32>,
    },
    /// Through blending, a mask or a logical operation.
    Blended,
    /// The same, but only its alpha.
    BlendedAlpha,
    /// By a copy.
    Copied,
    /// By making a smaller level of it.
    Filtered,
    /// By interpolation of an input, or by transform feedback.
    Interpolated {
        /// `gl_VertexID`; of a geometry shader the number of the emitted vertex.
        vertex: i32,
    },
    /// As a vertex of the primitive or patch.
    Assembled {
        /// Which vertex of it, from 0.
        vertex: u32,
    },
    /// As an attribute.
    Attribute {
        /// Its name.
        name: Arc<str>,
    },
    /// As a uniform, which has no share of its own.
    Uniform {
        /// Its name.
        name: Arc<str>,
    },
    /// As state of fixed functions, which has no share of its own.
    State {
        /// What it is.
        name: Arc<str>,
    },
    /// As bytes of a block.
    Bytes {
        /// The kind of block and its binding.
        block: Arc<str>,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Texel { sampler, line: Some(line) } => write!(f, "texel of {sampler} in line {line}"),
            Why::Texel { sampler, line: None } => write!(f, "texel of {sampler}"),
            Why::Blended => f.write_str("blended"),
            Why::BlendedAlpha => f.write_str("blended, in alpha only"),
            Why::Copied => f.write_str("copied"),
            Why::Filtered => f.write_str("filtered"),
            Why::Interpolated { vertex } => write!(f, "interpolated from vertex {vertex}"),
            Why::Assembled { vertex } => write!(f, "vertex {vertex} of the primitive"),
            Why::Attribute { name } => write!(f, "attribute {name}"),
            Why::Uniform { name } => write!(f, "uniform {name}"),
            Why::State { name } => write!(f, "state: {name}"),
            Why::Bytes { block } => write!(f, "bytes of {block}"),
        }
    }
}

/// A history as one program: every node in the order of execution, computed from the leaves to the pixel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sequence {
    /// All nodes, the first that wrote first.
    pub steps: Vec<SequenceStep>,
    /// What was computed for the pixel.
    pub value: Option<TexelValue>,
    /// Whether that is what is there.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What had to be taken from the device.
    pub notes: Vec<String>,
}

/// A node of a sequence.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SequenceStep {
    /// The node.
    pub node: u32,
    /// What was computed for it; `None` if it cannot be computed from others.
    pub computed: Option<TexelValue>,
}

/// The texels around a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Surroundings {
    /// The node.
    pub node: u32,
    /// Column and row of the lower left texel.
    pub corner: [u32; 2],
    /// Columns and rows.
    pub size: [u32; 2],
    /// The texels after the node, row by row from below; `None` outside the image.
    pub texels: Vec<Option<TexelValue>>,
}
