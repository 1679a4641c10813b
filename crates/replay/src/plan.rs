//! How to execute a command, derived once from its description: which arguments are names, which are pointers, and which
//! commands need special treatment.

use api::{Access, Command, CommandId, Count, Library, Meaning, Namespace, Operation, Role, Scalar, Trait, id};

use crate::gl::Gl;

/// How to execute a command.
pub struct Plan {
    pub id: CommandId,
    pub command: &'static Command,
    pub way: Executor,
    /// Whether the GL has it.
    pub exists: bool,
    /// Translations of arguments before the call. Empty for commands that take plain numbers only.
    pub steps: Box<[Step]>,
    /// The meaning of the result.
    pub outcome: Outcome,
    /// The command's effect on the state of the replay.
    pub special: Special,
    /// Whether it changes nothing but the memory it writes to.
    pub query: bool,
    /// Whether it creates the names it returns.
    pub creates: bool,
    /// Whether it deletes the objects it is given.
    pub deletes: bool,
    /// Whether it may change pixels of the bound framebuffer.
    pub draws: bool,
    /// Why it is not replayed although it has an effect on GL.
    pub lost: Option<&'static str>,
}

/// Commands of window systems that import data into GL, or bypass it.
const LOST: [CommandId; 5] = [
    id::eglStreamConsumerGLTextureExternalKHR,
    id::glXBindVideoImageNV,
    id::glXCopyContext,
    id::glXCopyImageSubDataNV,
    id::glXUseXFont,
];

/// How a command is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Executor {
    /// By the driver.
    Driver,
    /// By the player: commands that capture inserted.
    Capture,
    /// By the player: EGL images.
    Image,
    /// By the player: what ANGLE adds to GL, with the driver's own commands.
    Angle,
    /// By the player: effects of window systems on surfaces that GL can observe.
    Surface,
    /// Not at all: `afi…` commands describe windows and contexts, and there is no program for callbacks to call.
    Skipped,
}

/// The translation of one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It is a name.
    Name { arg: u8, space: Namespace },
    /// It is the name of an object whose kind is in the argument before.
    Labelled { arg: u8 },
    /// It is a location or an index that belongs to a program.
    Place { arg: u8, kind: PlaceKind, program: Owner },
    /// It points to memory that the call reads.
    Input { arg: u8, content: Content },
    /// It points to memory that the call writes.
    Output { arg: u8, names: Option<Namespace> },
    /// It points to memory that draws will read.
    Kept { arg: u8 },
    /// It is a pointer to unknown memory.
    Opaque { arg: u8 },
}

/// The contents of memory that a call reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Bytes that mean the same everywhere.
    Plain,
    /// Text that ends with a zero.
    Text,
    /// Several texts.
    Texts,
    /// Several arrays of indices, or of offsets into a bound buffer.
    Arrays,
    /// Names of objects.
    Names(Namespace),
}

/// Kinds of locations and indices in programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlaceKind {
    Uniform,
    UniformBlock,
    StorageBlock,
}

/// The program that a location or index belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The program in this argument.
    Arg(u8),
    /// The program that receives uniforms now.
    Current,
}

/// The meaning of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing.
    Ignored,
    /// It is the name of a new object.
    Creates(Namespace),
    /// It is a location in the program of the first argument; the second is the name.
    Place(PlaceKind),
    /// It is a location in the program of the first argument; the second is its kind, and the third the name.
    Resource,
    /// It is an error code.
    Error,
}

/// Commands that change the state of the replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    None,
    /// `glUseProgram` and its predecessor.
    UseProgram,
    /// `glBindProgramPipeline`.
    BindPipeline,
    /// `glActiveShaderProgram`.
    ActiveProgram,
    /// `glLinkProgram`, `glProgramBinary`: locations may change.
    Link,
    /// Maps a buffer.
    Map,
    /// `glGenLists`: lists keep their recorded names.
    GenLists,
    /// `glBegin`, `glEnd`.
    Begin,
    End,
    /// `glNewList`, `glEndList`.
    NewList,
    EndList,
    /// `glBindVertexArray` and its predecessors.
    BindVertexArray,
    /// `glClientActiveTexture`.
    ClientActiveTexture,
    /// `glGetAttribLocation`: programs use attribute locations globally, so the recorded ones are enforced.
    AttributeLocation,
    /// `glBindFramebuffer` and its predecessor.
    BindFramebuffer,
    /// Selects the draw or read buffers.
    ChooseBuffer {
        draws: bool,
        /// Whether it takes a list of them.
        list: bool,
        /// Whether its first argument is their framebuffer.
        named: bool,
    },
    /// `glPushAttrib`, `glPopAttrib`: those buffers are among the attributes.
    PushAttributes,
    PopAttributes,
    /// `glEnable` and `glDisable`: ANGLE has capabilities that other drivers' OpenGL ES lacks.
    Capability,
    /// `glTexStorage2D` and `glTexParameteri`: ANGLE has formats and parameters of its own.
    Storage,
    Parameter,
    /// Writes to the program's memory.
    Readback,
    /// `glFeedbackBuffer`, `glSelectBuffer`: GL writes there until `glRenderMode` is called.
    ResultBuffer,
    /// `glRenderMode`.
    RenderMode,
}

impl Plan {
    /// Derives the plan of a command.
    pub fn new(id: CommandId, gl: &dyn Gl) -> Plan {
        let command = api::command(id);
        let way = way(id, command);
        let creates = command.operation == Operation::CreateObjects;
        Plan {
            id,
            command,
            way,
            exists: way == Executor::Driver && gl.has(id),
            steps: steps(id, command),
            outcome: outcome(id, command, creates),
            special: special(id, command),
            query: command.role == Role::Query,
            creates,
            deletes: matches!(command.operation, Operation::DeleteObjects | Operation::DeleteSync),
            draws: matches!(command.role, Role::Draw | Role::Clear) || command.has(Trait::ToFramebuffer),
            lost: lost(id, command),
        }
    }
}

fn lost(id: CommandId, command: &Command) -> Option<&'static str> {
    if command.has(Trait::Native) {
        return Some("it takes a handle or an address of the recorded process");
    }
    LOST.contains(&id).then_some("its data is missing")
}

fn way(id: CommandId, command: &Command) -> Executor {
    match (id, command.library) {
        _ if command.has(Trait::Native) => Executor::Skipped,
        (
            id::glDebugMessageCallback
            | id::glDebugMessageCallbackAMD
            | id::glDebugMessageCallbackARB
            | id::glDebugMessageCallbackKHR,
            _,
        ) => Executor::Skipped,
        (id::eglCreateImage | id::eglCreateImageKHR | id::eglDestroyImage | id::eglDestroyImageKHR, _) => {
            Executor::Image
        }
        (
            id::glBindUniformLocationCHROMIUM
            | id::glCopySubTextureCHROMIUM
            | id::glCopyTextureCHROMIUM
            | id::glRequestExtensionANGLE,
            _,
        ) => Executor::Angle,
        // These access the pixels of surfaces.
        (id::eglBindTexImage | id::eglCreatePbufferSurface | id::eglPostSubBufferNV | id::glXCopySubBufferMESA, _) => {
            Executor::Surface
        }
        (_, Library::Gl) => Executor::Driver,
        (_, Library::Capture) => Executor::Capture,
        (_, Library::Egl | Library::Glx) => Executor::Skipped,
    }
}

/// Returns whether `--verify` has anything to compare of a command with the recording.
#[must_use]
pub fn is_compared(id: CommandId) -> bool {
    let command = api::command(id);
    let special = special(id, command);
    matches!(id, id::afiImage | id::afiMapped)
        || matches!(special, Special::Readback | Special::RenderMode)
        || matches!(outcome(id, command, false), Outcome::Error)
}

fn special(id: CommandId, command: &Command) -> Special {
    let choose = |draws, list, named| Special::ChooseBuffer { draws, list, named };
    match id {
        id::glBindProgramPipeline | id::glBindProgramPipelineEXT => return Special::BindPipeline,
        id::glActiveShaderProgram | id::glActiveShaderProgramEXT => return Special::ActiveProgram,
        id::glLinkProgram | id::glLinkProgramARB | id::glProgramBinary | id::glProgramBinaryOES => {
            return Special::Link;
        }
        id::glGenLists => return Special::GenLists,
        id::glBegin => return Special::Begin,
        id::glEnd => return Special::End,
        id::glGetAttribLocation | id::glGetAttribLocationARB => return Special::AttributeLocation,
        id::glDrawBuffer => return choose(true, false, false),
        id::glNamedFramebufferDrawBuffer | id::glFramebufferDrawBufferEXT => return choose(true, false, true),
        id::glNamedFramebufferDrawBuffers | id::glFramebufferDrawBuffersEXT => return choose(true, true, true),
        id::glNamedFramebufferReadBuffer | id::glFramebufferReadBufferEXT => return choose(false, false, true),
        id::glFeedbackBuffer | id::glSelectBuffer => return Special::ResultBuffer,
        id::glRenderMode => return Special::RenderMode,
        id::glTexStorage2D | id::glTexStorage2DEXT => return Special::Storage,
        id::glTexParameteri => return Special::Parameter,
        id::glEnable | id::glDisable => return Special::Capability,
        _ => {}
    }
    match command.operation {
        Operation::UseProgram => Special::UseProgram,
        Operation::Map { .. } => Special::Map,
        Operation::NewList => Special::NewList,
        Operation::EndList => Special::EndList,
        Operation::BindVertexArray => Special::BindVertexArray,
        Operation::ClientActiveTexture => Special::ClientActiveTexture,
        Operation::BindFramebuffer => Special::BindFramebuffer,
        Operation::ChooseBuffers { read } => choose(!read, !read, false),
        Operation::PushAttributes { client: false } => Special::PushAttributes,
        Operation::PopAttributes { client: false } => Special::PopAttributes,
        _ if command.has(Trait::ReadsBack) => Special::Readback,
        _ => Special::None,
    }
}

fn outcome(id: CommandId, command: &Command, creates: bool) -> Outcome {
    match (id, command.result.meaning) {
        (id::glGetError, _) => Outcome::Error,
        (id::glGetUniformLocation | id::glGetUniformLocationARB, _) => Outcome::Place(PlaceKind::Uniform),
        (id::glGetUniformBlockIndex, _) => Outcome::Place(PlaceKind::UniformBlock),
        (id::glGetProgramResourceIndex | id::glGetProgramResourceLocation, _) => Outcome::Resource,
        (_, Meaning::Name(Namespace::Sync)) => Outcome::Creates(Namespace::Sync),
        (_, Meaning::Name(space)) if creates => Outcome::Creates(space),
        // Querying a handle of a bindless texture creates it.
        (_, Meaning::Name(space @ (Namespace::TextureHandle | Namespace::ImageHandle))) => Outcome::Creates(space),
        _ => Outcome::Ignored,
    }
}

fn steps(id: CommandId, command: &Command) -> Box<[Step]> {
    let of_program = |space: Meaning| space == Meaning::Name(Namespace::Program);
    let owner = match command.params.first() {
        Some(first) if of_program(first.value.meaning) => Owner::Arg(0),
        _ => Owner::Current,
    };
    let mut places = Vec::new();
    let mut others = Vec::new();
    for (arg, param) in (0u8..).zip(command.params) {
        let place = |kind| Step::Place { arg, kind, program: owner };
        let step = match (id, arg, param.value.meaning) {
            (_, _, Meaning::Name(Namespace::UniformLocation)) => place(PlaceKind::Uniform),
            (id::glUniformBlockBinding, 1, _) => place(PlaceKind::UniformBlock),
            (id::glShaderStorageBlockBinding, 1, _) => place(PlaceKind::StorageBlock),
            (id::glObjectLabel | id::glObjectLabelKHR | id::glGetObjectLabel | id::glGetObjectLabelKHR, 1, _) => {
                Step::Labelled { arg }
            }
            // Display lists are called by numbers that cannot be translated: bytes, sums with a base. They keep their
            // recorded names.
            (_, _, Meaning::Name(Namespace::DisplayList)) => continue,
            (_, _, Meaning::Name(space)) => Step::Name { arg, space },
            _ if param.value.scalar != Scalar::Pointer => continue,
            _ => pointer(arg, param.memory),
        };
        if matches!(step, Step::Place { .. }) { places.push(step) } else { others.push(step) }
    }
    // Locations are looked up by the recorded name of their program, so they come before it is translated.
    places.extend(others);
    places.into_boxed_slice()
}

fn pointer(arg: u8, memory: Option<api::Memory>) -> Step {
    let Some(memory) = memory else { return Step::Opaque { arg } };
    let names = match memory.element.meaning {
        Meaning::Name(Namespace::DisplayList) => None,
        Meaning::Name(space) => Some(space),
        _ => None,
    };
    match (memory.access, memory.count) {
        (_, Count::Kept) => Step::Kept { arg },
        (Access::Write | Access::Both, _) => Step::Output { arg, names },
        (Access::Read, Count::Texts { .. }) => Step::Input { arg, content: Content::Texts },
        (Access::Read, Count::Rule(_)) if memory.element.scalar == Scalar::Pointer && names.is_none() => {
            Step::Input { arg, content: Content::Arrays }
        }
        (Access::Read, Count::Text | Count::TextOf(_)) => Step::Input { arg, content: Content::Text },
        (Access::Read, _) => Step::Input { arg, content: names.map_or(Content::Plain, Content::Names) },
    }
}
