//! The description of a command.

use crate::operation::{Attribute, Operation, Trait, Traits};

/// A command by its place in the tables of this build. Not stable between builds: files name commands by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommandId(pub u16);

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name, such as `glClear`.
    pub name: &'static str,
    /// Where it comes from.
    pub library: Library,
    /// The vendor's suffix of its name, such as `ARB`; empty when it has none.
    pub vendor: &'static str,
    /// Its parameters in order.
    pub params: &'static [Param],
    /// What it returns; [`Scalar::Void`] when nothing.
    pub result: Value,
    /// What it is for.
    pub role: Role,
    /// What it does.
    pub operation: Operation,
    /// Its properties.
    pub traits: Traits,
    /// The groups of `glPushAttrib` that save what it sets; 0 when `overlay.toml` does not say.
    pub saved_with: u32,
}

impl Command {
    /// Whether it has a property.
    #[must_use]
    pub const fn has(&self, one: Trait) -> bool {
        self.traits.has(one)
    }

    /// Whether a call with these arguments, between `glBegin` and `glEnd`, makes a vertex: it gives a position, or
    /// generic attribute 0, which is the position there (GL 4.6 compatibility, 10.2.1).
    #[must_use]
    pub fn makes_vertex(&self, args: &[u64]) -> bool {
        match self.operation {
            Operation::SetCurrent(Attribute::Position, _) => true,
            Operation::SetCurrent(Attribute::Generic | Attribute::Aliased, _) => args.first() == Some(&0),
            _ => false,
        }
    }

    /// The place of the parameter of a name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.name == name)
    }
}

/// Which library has a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// OpenGL and OpenGL ES: `gl…`.
    Gl,
    /// EGL: `egl…`.
    Egl,
    /// GLX: `glX…`.
    Glx,
    /// Not a command of any library, but something that capture writes into a trace in the form of a command, such as
    /// the size of a window or bytes the program wrote through a mapped pointer. Their names begin with `afi`.
    Capture,
}

/// What a command is for, in the detail that listing and replaying need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Draws primitives from arrays, or ends an immediate-mode primitive (`glEnd`), or calls display lists.
    Draw,
    /// Runs a compute shader.
    Dispatch,
    /// Clears part of a framebuffer.
    Clear,
    /// Moves texels or bytes: uploads, copies, blits, mipmap generation.
    Transfer,
    /// Ends a frame.
    Present,
    /// Only asks; changes nothing but the memory it is told to write to.
    Query,
    /// Changes what the calling thread's current context is.
    Current,
    /// Anything else.
    Other,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in the registry.
    pub name: &'static str,
    /// What is passed.
    pub value: Value,
    /// What is behind it, when it is a pointer that is followed during the call.
    pub memory: Option<Memory>,
}

/// A value: how it is stored and what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// How it is stored.
    pub scalar: Scalar,
    /// What it means.
    pub meaning: Meaning,
}

/// How a value is stored and passed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// Nothing.
    Void,
    /// 8-bit signed.
    I8,
    /// 8-bit unsigned.
    U8,
    /// 16-bit signed.
    I16,
    /// 16-bit unsigned.
    U16,
    /// 32-bit signed.
    I32,
    /// 32-bit unsigned.
    U32,
    /// 64-bit signed.
    I64,
    /// 64-bit unsigned.
    U64,
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// An address or an opaque handle of pointer size.
    Pointer,
}

/// What a value means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A number, or nothing more is known.
    Number,
    /// True or false.
    Boolean,
    /// One of the names of a group.
    Enum(Group),
    /// A set of the names of a group.
    Bits(Group),
    /// The name of an object.
    Name(Namespace),
    /// A character of text.
    Character,
}

/// A group of enum values, by its place in the generated table; group 0 is "any value of the library".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Group(pub u16);

/// What kind of object a name stands for; the same number in two namespaces is two objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum Namespace {
    Buffer,
    Texture,
    Framebuffer,
    Renderbuffer,
    VertexArray,
    Sampler,
    Query,
    /// Programs and shaders share their names.
    Program,
    ProgramPipeline,
    TransformFeedback,
    DisplayList,
    /// `GLsync`, a pointer.
    Sync,
    /// `ARB_vertex_program` and `ARB_fragment_program`.
    AssemblyProgram,
    AtiFragmentShader,
    PerfMonitor,
    MemoryObject,
    Semaphore,
    /// A uniform location: belongs to a program.
    UniformLocation,
    /// `ARB_bindless_texture` handles.
    TextureHandle,
    /// `ARB_bindless_texture` image handles.
    ImageHandle,
    EglDisplay,
    EglConfig,
    EglContext,
    EglSurface,
    EglImage,
    EglSync,
    GlxContext,
    GlxConfig,
    GlxDrawable,
    /// `NV_fence` and `APPLE_fence`.
    Fence,
    /// `NV_path_rendering`.
    Path,
    /// `INTEL_performance_query`.
    PerfQuery,
}

/// Memory behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Who touches it.
    pub access: Access,
    /// What one element is.
    pub element: Value,
    /// How many elements there are.
    pub count: Count,
}

/// What a command does with memory of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it: recorded when the call is entered.
    Read,
    /// Writes it: recorded when the call has returned.
    Write,
    /// Reads and then writes it.
    Both,
}

/// Not a parameter: under this index a call by capture that specifies a vertex array says, as a little-endian `u64`, how
/// many bytes lie between its pointer and the payload of that. Draws do not look at them, and they need not be memory.
pub const SKIPPED: u8 = 255;

/// How many elements are behind a pointer. Parameters are named by their index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Always so many.
    Fixed(u32),
    /// As many as a parameter says, times a factor.
    Param {
        /// Which parameter.
        index: u8,
        /// Elements for each.
        times: u32,
    },
    /// As many as a parameter says in bytes.
    Bytes(u8),
    /// Text that ends with a zero.
    Text,
    /// Text of as many characters as a parameter says, or ending with a zero when that is negative.
    TextOf(u8),
    /// An array of pointers to texts. Recorded as one payload: for each text its length as a little-endian `u32` and
    /// its bytes, without a final zero.
    Texts {
        /// The parameter that says how many.
        count: u8,
        /// The parameter that is an array of their lengths, if there is one (it may be null).
        lengths: Option<u8>,
    },
    /// A list of pairs (attribute, value) that ends with this attribute; the terminator is part of the list.
    Until(i64),
    /// Worked out by a rule of `overlay.toml`, from parameters and from what the context is set to; see
    /// `api::extent`.
    Rule(u16),
    /// The pointer is kept and followed later, by draws: nothing is recorded with this call.
    Kept,
    /// Nobody has said; the call is recorded without this memory, and the trace says so.
    Unknown,
}
