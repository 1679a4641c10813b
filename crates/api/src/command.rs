//! The description of a command.

use crate::operation::{Attribute, Operation, Trait, Traits};

/// A command, as its place in the tables of this build. Ids differ between builds, so files identify commands by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommandId(pub u16);

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name, such as `glClear`.
    pub name: &'static str,
    /// Where it comes from.
    pub library: Library,
    /// The length of the vendor suffix of its name; see [`Command::vendor`].
    pub suffix: u8,
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
    /// Returns the vendor suffix of its name, such as `ARB`; empty when it has none.
    #[must_use]
    pub fn vendor(&self) -> &'static str {
        &self.name[self.name.len() - usize::from(self.suffix)..]
    }

    /// Returns whether it has a property.
    #[must_use]
    pub const fn has(&self, one: Trait) -> bool {
        self.traits.has(one)
    }

    /// Returns whether a call with these arguments, between `glBegin` and `glEnd`, makes a vertex: it gives a position,
    /// or generic attribute 0, which is the position there (GL 4.6 compatibility, 10.7.2).
    #[must_use]
    pub fn makes_vertex(&self, args: &[u64]) -> bool {
        match self.operation {
            Operation::SetCurrent(Attribute::Position, _) => true,
            Operation::SetCurrent(Attribute::Generic | Attribute::Aliased, _) => args.first() == Some(&0),
            _ => false,
        }
    }

    /// Returns the index of a parameter, by name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.name == name)
    }
}

/// The library that a command belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// OpenGL and OpenGL ES: `gl…`.
    Gl,
    /// EGL: `egl…`.
    Egl,
    /// GLX: `glX…`.
    Glx,
    /// No library: what capture records in the form of a command, such as the size of a window or bytes that the
    /// program wrote through a mapped pointer. The names begin with `afi`.
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
    /// Only reads: changes nothing but the memory that it is given for the answer.
    Query,
    /// Changes the current context of the calling thread.
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
    /// The memory that it points to, when the call follows the pointer.
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
    /// A number, or a value whose meaning is not described.
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

/// A group of enum values, as its place in the generated table; group 0 is any value of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Group(pub u16);

/// The kind of object that a name belongs to; the same number in two namespaces names two objects.
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
    /// A uniform location, which belongs to a program.
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

/// The memory that a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// How the command uses it.
    pub access: Access,
    /// The type and meaning of one element.
    pub element: Value,
    /// How many elements there are.
    pub count: Count,
}

/// How a command uses memory of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it; it is recorded when the call begins.
    Read,
    /// Writes it; it is recorded when the call has returned.
    Write,
    /// Reads and then writes it.
    Both,
}

/// Not a parameter: in calls that capture inserts to specify a vertex array, the payload of this index is the number of
/// bytes between the pointer and its payload, as a little-endian `u64`. Draws do not read these bytes, and they need
/// not be readable.
pub const SKIPPED: u8 = 255;

/// The number of elements that a pointer points to. Parameters are given by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// A constant.
    Fixed(u32),
    /// The value of a parameter, times a factor.
    Param {
        /// The parameter.
        index: u8,
        /// The factor.
        times: u32,
    },
    /// The value of a parameter, in bytes.
    Bytes(u8),
    /// A zero-terminated string.
    Text,
    /// A string whose length is a parameter, or a zero-terminated one when that is negative.
    TextOf(u8),
    /// An array of pointers to strings. Recorded as one payload: for each string its length as a little-endian `u32`
    /// and its bytes, without the final zero.
    Texts {
        /// The parameter that is the number of strings.
        count: u8,
        /// The parameter that is an array of their lengths, if there is one (the pointer may be null).
        lengths: Option<u8>,
    },
    /// A list of pairs (attribute, value) that ends with this attribute, which is part of the list.
    Until(i64),
    /// Computed by a rule of `overlay.toml` from parameters and context state; see `api::extent`.
    Rule(u16),
    /// GL keeps the pointer and later draws follow it: nothing is recorded with this call.
    Kept,
    /// Not described; the call is recorded without this memory, and the trace says so.
    Unknown,
}
