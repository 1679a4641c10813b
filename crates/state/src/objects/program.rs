//! Shaders and programs, which share a namespace.

mod linked;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::constant as c;
use api::reflection::Reflection;

pub use linked::{Linked, Slot, Uniform, find as find_resource};

/// A shader or a program.
#[derive(Clone, Debug)]
pub enum ShaderOrProgram {
    /// A shader.
    Shader(Shader),
    /// A program.
    Program(Program),
}

/// A result that only the driver knows.
#[derive(Clone, Debug, Default)]
pub enum DriverResult<T> {
    /// The operation was never requested.
    #[default]
    NotRequested,
    /// It was requested, but the trace does not record the result.
    NotRecorded,
    /// The recorded result.
    Recorded(Arc<T>),
}

impl<T> DriverResult<T> {
    /// Returns the recorded result.
    #[must_use]
    pub fn recorded(&self) -> Option<&T> {
        match self {
            DriverResult::Recorded(result) => Some(result),
            DriverResult::NotRequested | DriverResult::NotRecorded => None,
        }
    }
}

/// A shader object.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Its type, such as `GL_VERTEX_SHADER`.
    pub kind: u32,
    /// Its source; `None` when it was never set.
    pub source: Option<Arc<[u8]>>,
    /// The source of its last compilation; `None` when it was made from something else.
    pub compiled_text: Option<Arc<[u8]>>,
    /// The result of compiling it.
    pub compiled: DriverResult<Compiled>,
    /// Whether it is deleted once it is attached to no program.
    pub deleted: bool,
    /// The number of programs that it is attached to.
    pub attached: u32,
}

/// The result of compiling a shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Whether it succeeded.
    pub status: bool,
    /// The info log.
    pub log: Vec<u8>,
    /// `GL_INFO_LOG_LENGTH`.
    pub log_length: i32,
    /// `GL_SPIR_V_BINARY`.
    pub spirv: bool,
}

/// A shader that a program was linked from, as it was at that time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its type, such as `GL_VERTEX_SHADER`.
    pub kind: u32,
    /// The source it was compiled from; `None` when it was made from something else.
    pub text: Option<Arc<[u8]>>,
}

/// A program object.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether it is deleted once nothing uses it.
    pub deleted: bool,
    /// The number of contexts and pipeline stages that use it.
    pub uses: u32,
    /// The settings for the next linking.
    pub setup: Arc<Setup>,
    /// The result of the last linking.
    pub linked: DriverResult<Linked>,
    /// The executable: the result of the last successful linking, as long as the program is in use.
    pub executable: Option<Arc<Linked>>,
    /// The shaders of the last linking; empty when it was from a binary.
    pub parts: Arc<Vec<Part>>,
    /// The shaders of the executable.
    pub executable_parts: Arc<Vec<Part>>,
    /// The result of the last validation since it was linked.
    pub validation: Option<Arc<Validation>>,
    /// Values of uniforms outside of blocks, as words; see [`Uniform::offset`].
    pub values: Arc<Vec<u32>>,
    /// Bindings of blocks.
    pub bindings: Arc<Bindings>,
}

/// Settings for linking a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Shaders in the order in which they were attached.
    pub attached: Vec<u32>,
    /// `glBindAttribLocation`.
    pub attributes: BTreeMap<Vec<u8>, u32>,
    /// `glBindUniformLocationCHROMIUM`, by location.
    pub uniforms: BTreeMap<i32, Vec<u8>>,
    /// `glBindFragDataLocationIndexed`: colour and index.
    pub outputs: BTreeMap<Vec<u8>, (u32, u32)>,
    /// `glTransformFeedbackVaryings`: names of varyings.
    pub varyings: Vec<Vec<u8>>,
    /// `GL_TRANSFORM_FEEDBACK_BUFFER_MODE`.
    pub varyings_mode: u32,
    /// `GL_PROGRAM_SEPARABLE`.
    pub separable: bool,
    /// The current `GL_PROGRAM_BINARY_RETRIEVABLE_HINT`.
    pub retrievable: bool,
    /// `GL_PROGRAM_BINARY_RETRIEVABLE_HINT` at the last linking.
    pub retrievable_when_linked: bool,
    /// Whether any of this has changed since the program was linked.
    pub touched: bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            attached: Vec::new(),
            attributes: BTreeMap::new(),
            uniforms: BTreeMap::new(),
            outputs: BTreeMap::new(),
            varyings: Vec::new(),
            varyings_mode: c::GL_INTERLEAVED_ATTRIBS,
            separable: false,
            retrievable: false,
            retrievable_when_linked: false,
            touched: false,
        }
    }
}

/// The result of validating a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Validation {
    /// Whether it succeeded; `None` when the trace does not record it.
    pub status: Option<bool>,
    /// The info log.
    pub log: Vec<u8>,
    /// `GL_INFO_LOG_LENGTH`.
    pub log_length: i32,
}

/// Bindings of the blocks of a program, by index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bindings {
    /// Uniform blocks.
    pub uniform: Vec<u32>,
    /// Shader storage blocks.
    pub storage: Vec<u32>,
}

impl Program {
    /// Returns the result of the last linking, if it succeeded and is recorded.
    #[inline]
    #[must_use]
    pub fn interface(&self) -> Option<&Arc<Linked>> {
        match &self.linked {
            DriverResult::Recorded(linked) if linked.status => Some(linked),
            _ => None,
        }
    }

    /// Returns whether the last linking succeeded; `None` when the trace does not record it.
    #[must_use]
    pub fn is_linked(&self) -> Option<bool> {
        match &self.linked {
            DriverResult::NotRequested => Some(false),
            DriverResult::NotRecorded => None,
            DriverResult::Recorded(linked) => Some(linked.status),
        }
    }

    /// Applies settings that a program has from its binary rather than from calls.
    fn take_setup(&mut self, reflection: &Reflection) {
        let told = |name| reflection.parameter(name);
        let separable = told(c::GL_PROGRAM_SEPARABLE).map_or(self.setup.separable, |value| value != 0);
        let mode = told(c::GL_TRANSFORM_FEEDBACK_BUFFER_MODE).map_or(self.setup.varyings_mode, i32::cast_unsigned);
        if (separable, mode) != (self.setup.separable, self.setup.varyings_mode) {
            let setup = Arc::make_mut(&mut self.setup);
            setup.separable = separable;
            setup.varyings_mode = mode;
        }
    }

    /// Applies the driver's description.
    pub fn apply_reflection(&mut self, reflection: Reflection) {
        let log_length = reflection.parameter(c::GL_INFO_LOG_LENGTH).unwrap_or(0);
        let validated = reflection.parameter(c::GL_VALIDATE_STATUS).map(|status| status != 0);
        if !reflection.whole {
            let validation = Validation { status: validated, log: reflection.log, log_length };
            self.validation = Some(Arc::new(validation));
            return;
        }
        let linked = Linked::new(reflection);
        if linked.status {
            self.values = Arc::new(linked.first_values());
            let bound = |interface| {
                linked.reflection.interface(interface).map_or_else(Vec::new, |interface| {
                    let binding = |index| interface.value(index, c::GL_BUFFER_BINDING).unwrap_or(0).cast_unsigned();
                    (0..interface.resources.len()).map(binding).collect()
                })
            };
            let (uniform, storage) = (bound(c::GL_UNIFORM_BLOCK), bound(c::GL_SHADER_STORAGE_BLOCK));
            self.bindings = Arc::new(Bindings { uniform, storage });
        }
        let linked = Arc::new(linked);
        if linked.status {
            self.take_setup(&linked.reflection);
            self.executable = Some(Arc::clone(&linked));
            self.executable_parts = Arc::clone(&self.parts);
        }
        self.validation = None;
        self.linked = DriverResult::Recorded(linked);
    }
}
