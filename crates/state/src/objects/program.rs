//! Shaders and programs; they share their names.

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

/// What the driver made of something: only it can say.
#[derive(Clone, Debug, Default)]
pub enum Told<T> {
    /// It was never asked to.
    #[default]
    Never,
    /// It was, but the trace does not say what came of it.
    Untold,
    /// This.
    Told(Arc<T>),
}

/// A shader object.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Its type, such as `GL_VERTEX_SHADER`.
    pub kind: u32,
    /// Its text; nothing when it was never given any.
    pub source: Option<Arc<[u8]>>,
    /// The text it was compiled from last; nothing when it was made of something else.
    pub compiled_text: Option<Arc<[u8]>>,
    /// What compiling it came to.
    pub compiled: Told<Compiled>,
    /// Whether it is deleted as soon as no program has it any more.
    pub deleted: bool,
    /// How many programs it is attached to.
    pub attached: u32,
}

/// What compiling a shader came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Whether it succeeded.
    pub status: bool,
    /// The information log.
    pub log: Vec<u8>,
    /// `GL_INFO_LOG_LENGTH`.
    pub log_length: i32,
    /// `GL_SPIR_V_BINARY`.
    pub spirv: bool,
}

/// A shader that a program was linked from, as it was then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its type, such as `GL_VERTEX_SHADER`.
    pub kind: u32,
    /// The text it was compiled from; nothing when it was made of something else.
    pub text: Option<Arc<[u8]>>,
}

/// A program object.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether it is deleted as soon as nothing uses it any more.
    pub deleted: bool,
    /// How many contexts and stages of pipelines use it.
    pub uses: u32,
    /// What the next linking will go by.
    pub setup: Arc<Setup>,
    /// What the last linking came to.
    pub linked: Told<Linked>,
    /// What is run: what the last successful linking made, as long as the program is in use.
    pub executable: Option<Arc<Linked>>,
    /// What the last linking was of; empty when it was of a binary.
    pub parts: Arc<Vec<Part>>,
    /// What is run was linked from these.
    pub executable_parts: Arc<Vec<Part>>,
    /// What the last validation came to, since it was linked.
    pub validation: Option<Arc<Validation>>,
    /// Values of uniforms outside of blocks, as words; [`Uniform::offset`] says where.
    pub values: Arc<Vec<u32>>,
    /// What blocks are bound to.
    pub bindings: Arc<Bindings>,
}

/// What linking a program goes by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Shaders in the order in which they were attached.
    pub attached: Vec<u32>,
    /// `glBindAttribLocation`.
    pub attributes: BTreeMap<Vec<u8>, u32>,
    /// `glBindFragDataLocationIndexed`: colour and index.
    pub outputs: BTreeMap<Vec<u8>, (u32, u32)>,
    /// `glTransformFeedbackVaryings`: names of varyings.
    pub varyings: Vec<Vec<u8>>,
    /// `GL_TRANSFORM_FEEDBACK_BUFFER_MODE`.
    pub varyings_mode: u32,
    /// `GL_PROGRAM_SEPARABLE`.
    pub separable: bool,
    /// `GL_PROGRAM_BINARY_RETRIEVABLE_HINT` as it is set.
    pub retrievable: bool,
    /// The same as it was when the program was linked last.
    pub retrievable_when_linked: bool,
    /// Whether any of this was changed since the program was linked.
    pub touched: bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            attached: Vec::new(),
            attributes: BTreeMap::new(),
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

/// What validating a program came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Validation {
    /// Whether it succeeded; nothing when the trace does not say.
    pub status: Option<bool>,
    /// The information log that came of it.
    pub log: Vec<u8>,
    /// `GL_INFO_LOG_LENGTH`.
    pub log_length: i32,
}

/// What the blocks of a program are bound to, by index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bindings {
    /// Uniform blocks.
    pub uniform: Vec<u32>,
    /// Shader storage blocks.
    pub storage: Vec<u32>,
}

impl Program {
    /// What the last linking made, where it succeeded and the trace says so.
    #[inline]
    #[must_use]
    pub fn interface(&self) -> Option<&Arc<Linked>> {
        match &self.linked {
            Told::Told(linked) if linked.status => Some(linked),
            _ => None,
        }
    }

    /// Whether the last linking succeeded; nothing when the trace does not say.
    #[must_use]
    pub fn is_linked(&self) -> Option<bool> {
        match &self.linked {
            Told::Never => Some(false),
            Told::Untold => None,
            Told::Told(linked) => Some(linked.status),
        }
    }

    /// Takes on what a program has of its binary rather than of calls.
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

    /// Takes note of what the driver says of it.
    pub fn told(&mut self, reflection: Reflection) {
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
        self.linked = Told::Told(linked);
    }
}
