//! What has to be done to execute a command, worked out once from its description: which arguments are names, which
//! point to something, and which commands need more than that.

use std::ffi::{CString, c_void};

use api::{Access, Command, CommandId, Count, Library, Meaning, Namespace, Operation, Role, Scalar, Trait, id};
use driver::Screen;

/// A command made ready.
pub struct Plan {
    pub id: CommandId,
    pub command: &'static Command,
    pub way: Way,
    /// The driver's function; null when it has none.
    pub function: *const c_void,
    /// What to do to arguments before the call. Empty for commands that take plain numbers only.
    pub steps: Box<[Step]>,
    /// What to do with the result.
    pub outcome: Outcome,
    /// What the command means for whoever replays it.
    pub special: Special,
    /// Whether it changes nothing but the memory it writes to.
    pub query: bool,
    /// Whether it makes the names it returns.
    pub creates: bool,
    /// Whether it deletes the objects it is given.
    pub deletes: bool,
    /// Whether it may change pixels of the framebuffer that is bound.
    pub draws: bool,
    /// Whether it has an effect on GL, and is not replayed.
    pub lost: bool,
}

/// Commands of window systems that bring something into GL from outside, or around it.
const LOST: [CommandId; 5] = [
    id::eglStreamConsumerGLTextureExternalKHR,
    id::glXBindVideoImageNV,
    id::glXCopyContext,
    id::glXCopyImageSubDataNV,
    id::glXUseXFont,
];

/// Who executes a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The driver.
    Driver,
    /// The replayer: what capture wrote.
    Capture,
    /// The replayer, in its own way: EGL's images.
    Image,
    /// The replayer, in its own way: what window systems do with surfaces and GL can see.
    Surface,
    /// Nobody: windows and contexts are what `afi…` commands say, callbacks have nobody to call.
    Nobody,
}

/// What to do to one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It is a name.
    Name { arg: u8, space: Namespace },
    /// It is a location or an index that belongs to a program.
    Place { arg: u8, kind: PlaceKind, program: Owner },
    /// It points to memory that the call reads.
    Input { arg: u8, content: Content },
    /// It points to memory that the call writes.
    Output { arg: u8, names: Option<Namespace> },
    /// It points to memory that draws will read.
    Kept { arg: u8 },
    /// It is a pointer of which nothing is known.
    Opaque { arg: u8 },
}

/// What is in memory that a call reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Bytes that mean the same everywhere.
    Plain,
    /// Text that ends with a zero.
    Text,
    /// Several texts.
    Texts,
    /// Several arrays of indices, or of offsets into a buffer that is bound.
    Arrays,
    /// Names of objects.
    Names(Namespace),
}

/// What kind of place in a program a number is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlaceKind {
    Uniform,
    UniformBlock,
    StorageBlock,
}

/// Whose place it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// That of the program in this argument.
    Arg(u8),
    /// That of the program which takes uniforms now.
    Current,
}

/// What to do with a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing.
    Ignored,
    /// It is the name of a new object.
    Creates(Namespace),
    /// It is a place in the program of the first argument, of what the second names.
    Place(PlaceKind),
    /// It is a place in the program of the first argument, of the kind that the second says and the third names.
    Resource,
    /// It is an error code.
    Error,
}

/// Commands that the replayer must understand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    None,
    /// `glUseProgram` and its forerunner.
    UseProgram,
    /// `glBindProgramPipeline`.
    BindPipeline,
    /// `glActiveShaderProgram`.
    ActiveProgram,
    /// `glLinkProgram`, `glProgramBinary`: places may be others now.
    Link,
    /// Maps a buffer by target, or by name.
    Map {
        /// Which argument has the length, if one has.
        length: Option<u8>,
        named: bool,
    },
    /// Unmaps a buffer by target, or by name.
    Unmap {
        named: bool,
    },
    /// `glGenLists`: list names stay what they were.
    GenLists,
    /// `glBegin`, `glEnd`.
    Begin,
    End,
    /// `glNewList`, `glEndList`.
    NewList,
    EndList,
    /// `glBindVertexArray` and its forerunners.
    BindVertexArray,
    /// `glClientActiveTexture`.
    ClientActiveTexture,
    /// `glGetAttribLocation`: places of attributes are global, so they are made what they were.
    AttributeLocation,
    /// `glBindFramebuffer` and its forerunner.
    BindFramebuffer,
    /// Chooses buffers to draw to or to read from.
    ChooseBuffer {
        draws: bool,
        /// Whether it takes a list of them.
        list: bool,
        /// Whether its first argument is the framebuffer they are of.
        named: bool,
    },
    /// `glPushAttrib`, `glPopAttrib`: those buffers are among the attributes.
    PushAttributes,
    PopAttributes,
    /// Ends up as bytes in the program's memory.
    Readback,
    /// `glFeedbackBuffer`, `glSelectBuffer`: GL writes there until `glRenderMode` is called.
    ResultBuffer,
    /// `glRenderMode`.
    RenderMode,
}

impl Plan {
    /// Works out what a command needs.
    pub fn new(id: CommandId, screen: &Screen) -> Plan {
        let command = api::command(id);
        let way = way(id, command);
        let function = match (way, CString::new(command.name)) {
            (Way::Driver, Ok(name)) => screen.address(&name),
            _ => std::ptr::null(),
        };
        let creates = command.operation == Operation::CreateObjects;
        Plan {
            id,
            command,
            way,
            function,
            steps: steps(id, command),
            outcome: outcome(id, command, creates),
            special: special(id, command),
            query: command.role == Role::Query,
            creates,
            deletes: matches!(command.operation, Operation::DeleteObjects | Operation::DeleteSync),
            draws: matches!(command.role, Role::Draw | Role::Clear) || command.has(Trait::ToFramebuffer),
            lost: LOST.contains(&id),
        }
    }
}

fn way(id: CommandId, command: &Command) -> Way {
    match (id, command.library) {
        (
            id::glDebugMessageCallback
            | id::glDebugMessageCallbackAMD
            | id::glDebugMessageCallbackARB
            | id::glDebugMessageCallbackKHR,
            _,
        ) => Way::Nobody,
        (id::eglCreateImage | id::eglCreateImageKHR | id::eglDestroyImage | id::eglDestroyImageKHR, _) => Way::Image,
        // These do something with the pixels of surfaces.
        (id::eglBindTexImage | id::eglCreatePbufferSurface | id::eglPostSubBufferNV | id::glXCopySubBufferMESA, _) => {
            Way::Surface
        }
        (_, Library::Gl) => Way::Driver,
        (_, Library::Capture) => Way::Capture,
        (_, Library::Egl | Library::Glx) => Way::Nobody,
    }
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
        _ => {}
    }
    match command.operation {
        Operation::UseProgram => Special::UseProgram,
        Operation::Map { named } => {
            let length = command.param("length").and_then(|place| u8::try_from(place).ok());
            Special::Map { length, named }
        }
        Operation::Unmap { named } => Special::Unmap { named },
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
        // Handles of bindless textures are made by asking for them.
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
            // Lists are called by numbers that shaders of no kind could translate: bytes, sums with a base. They keep
            // their recorded names.
            (_, _, Meaning::Name(Namespace::DisplayList)) => continue,
            (_, _, Meaning::Name(space)) => Step::Name { arg, space },
            _ if param.value.scalar != Scalar::Pointer => continue,
            _ => pointer(arg, param.memory),
        };
        if matches!(step, Step::Place { .. }) { places.push(step) } else { others.push(step) }
    }
    // Places are looked up by the recorded name of their program, so they come before that is replaced.
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
