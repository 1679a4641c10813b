//! What has to be done to execute a command, worked out once from its description: which arguments are names, which
//! point to something, and which commands need more than that.

use std::ffi::{CString, c_void};

use api::{Access, Command, CommandId, Count, Library, Meaning, Namespace, Role, Scalar};
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
const LOST: [&str; 5] = [
    "eglStreamConsumerGLTextureExternalKHR",
    "glXBindVideoImageNV",
    "glXCopyContext",
    "glXCopyImageSubDataNV",
    "glXUseXFont",
];

/// Commands of window systems that do something with the pixels of surfaces.
const SURFACES: [&str; 4] =
    ["eglBindTexImage", "eglCreatePbufferSurface", "eglPostSubBufferNV", "glXCopySubBufferMESA"];

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
        let way = way(command);
        let function = match (way, CString::new(command.name)) {
            (Way::Driver, Ok(name)) => screen.address(&name),
            _ => std::ptr::null(),
        };
        let base = base_name(command.name);
        let special = special(command, base);
        let creates = base.starts_with("glGen") && base != "glGenerateMipmap" || base.starts_with("glCreate");
        let deletes = base.starts_with("glDelete");
        let outcome = outcome(command, base, creates);
        let steps = steps(command, base);
        Plan {
            id,
            command,
            way,
            function,
            steps,
            outcome,
            special,
            query: command.role == Role::Query,
            creates,
            deletes,
            draws: matches!(command.role, Role::Draw | Role::Clear) || base.starts_with("glBlit") || base == "glAccum",
            lost: LOST.contains(&command.name),
        }
    }
}

fn way(command: &Command) -> Way {
    match command.library {
        Library::Gl if command.name.starts_with("glDebugMessageCallback") => Way::Nobody,
        Library::Gl => Way::Driver,
        Library::Capture => Way::Capture,
        Library::Egl if matches!(base_name(command.name), "eglCreateImage" | "eglDestroyImage") => Way::Image,
        Library::Egl | Library::Glx if SURFACES.contains(&command.name) => Way::Surface,
        Library::Egl | Library::Glx => Way::Nobody,
    }
}

/// The name without what says whose extension it is from.
pub fn base_name(name: &str) -> &str {
    const VENDORS: [&str; 16] = [
        "ARB", "EXT", "OES", "KHR", "NV", "AMD", "ATI", "APPLE", "MESA", "INTEL", "ANGLE", "SGIS", "SGIX", "NVX",
        "IMG", "QCOM",
    ];
    VENDORS.iter().find_map(|vendor| name.strip_suffix(vendor)).unwrap_or(name)
}

fn special(command: &Command, base: &str) -> Special {
    let length = |name: &str| {
        let place = command.params.iter().position(|param| param.name == name);
        place.and_then(|place| u8::try_from(place).ok())
    };
    match base {
        "glUseProgram" | "glUseProgramObject" => Special::UseProgram,
        "glBindProgramPipeline" => Special::BindPipeline,
        "glActiveShaderProgram" => Special::ActiveProgram,
        "glLinkProgram" | "glProgramBinary" => Special::Link,
        "glMapBuffer" | "glMapBufferRange" => Special::Map { length: length("length"), named: false },
        "glMapNamedBuffer" | "glMapNamedBufferRange" => Special::Map { length: length("length"), named: true },
        "glUnmapBuffer" => Special::Unmap { named: false },
        "glUnmapNamedBuffer" => Special::Unmap { named: true },
        "glGenLists" => Special::GenLists,
        "glBegin" => Special::Begin,
        "glEnd" => Special::End,
        "glNewList" => Special::NewList,
        "glEndList" => Special::EndList,
        "glBindVertexArray" => Special::BindVertexArray,
        "glClientActiveTexture" => Special::ClientActiveTexture,
        "glGetAttribLocation" => Special::AttributeLocation,
        "glBindFramebuffer" => Special::BindFramebuffer,
        "glDrawBuffer" => Special::ChooseBuffer { draws: true, list: false, named: false },
        "glDrawBuffers" => Special::ChooseBuffer { draws: true, list: true, named: false },
        "glReadBuffer" => Special::ChooseBuffer { draws: false, list: false, named: false },
        "glNamedFramebufferDrawBuffer" | "glFramebufferDrawBuffer" => {
            Special::ChooseBuffer { draws: true, list: false, named: true }
        }
        "glNamedFramebufferDrawBuffers" | "glFramebufferDrawBuffers" => {
            Special::ChooseBuffer { draws: true, list: true, named: true }
        }
        "glNamedFramebufferReadBuffer" | "glFramebufferReadBuffer" => {
            Special::ChooseBuffer { draws: false, list: false, named: true }
        }
        "glPushAttrib" => Special::PushAttributes,
        "glPopAttrib" => Special::PopAttributes,
        "glFeedbackBuffer" | "glSelectBuffer" => Special::ResultBuffer,
        "glRenderMode" => Special::RenderMode,
        "glReadPixels"
        | "glReadnPixels"
        | "glGetTexImage"
        | "glGetnTexImage"
        | "glGetTextureImage"
        | "glGetTextureSubImage"
        | "glGetCompressedTexImage"
        | "glGetnCompressedTexImage"
        | "glGetCompressedTextureImage"
        | "glGetCompressedTextureSubImage"
        | "glGetMultiTexImage"
        | "glGetBufferSubData"
        | "glGetNamedBufferSubData" => Special::Readback,
        _ => Special::None,
    }
}

fn outcome(command: &Command, base: &str, creates: bool) -> Outcome {
    match (base, command.result.meaning) {
        ("glGetError", _) => Outcome::Error,
        ("glGetUniformLocation", _) => Outcome::Place(PlaceKind::Uniform),
        ("glGetUniformBlockIndex", _) => Outcome::Place(PlaceKind::UniformBlock),
        ("glGetProgramResourceIndex" | "glGetProgramResourceLocation", _) => Outcome::Resource,
        (_, Meaning::Name(Namespace::Sync)) => Outcome::Creates(Namespace::Sync),
        (_, Meaning::Name(space)) if creates => Outcome::Creates(space),
        // Handles of bindless textures are made by asking for them.
        (_, Meaning::Name(space @ (Namespace::TextureHandle | Namespace::ImageHandle))) => Outcome::Creates(space),
        _ => Outcome::Ignored,
    }
}

fn steps(command: &Command, base: &str) -> Box<[Step]> {
    let of_program = |space: Meaning| space == Meaning::Name(Namespace::Program);
    let owner = match command.params.first() {
        Some(first) if of_program(first.value.meaning) => Owner::Arg(0),
        _ => Owner::Current,
    };
    let mut places = Vec::new();
    let mut others = Vec::new();
    for (arg, param) in (0u8..).zip(command.params) {
        let place = |kind| Step::Place { arg, kind, program: owner };
        let step = match (base, param.name, param.value.meaning) {
            (_, _, Meaning::Name(Namespace::UniformLocation)) => place(PlaceKind::Uniform),
            ("glUniformBlockBinding", "uniformBlockIndex", _) => place(PlaceKind::UniformBlock),
            ("glShaderStorageBlockBinding", "storageBlockIndex", _) => place(PlaceKind::StorageBlock),
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
