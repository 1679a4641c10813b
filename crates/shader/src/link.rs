//! The linker: checks shaders against each other, and collects the resources of the program.
//!
//! The rules are those of GL 4.6, 7.3 and 7.4, GLSL 4.60 and their GLSL ES counterparts. Where implementations may
//! choose, this follows Mesa. Like the rest of the crate it never fails: a program that does not link still gets the
//! lists, as far as they make sense.
//!
//! Names of different shaders are matched by spelling. Types and variables stay those of the shader that declares them,
//! so every list entry names its shader.

mod blocks;
mod compare;
mod feedback;
mod functions;
mod geometry;
mod globals;
mod limits;
mod linker;
mod locations;
mod matching;
mod names;
mod packing;
mod per_vertex;
mod separable;
mod stages;
mod subroutines;
mod uniforms;
mod varyings;

pub use separable::match_separable;

use crate::analyze::Shader;
use crate::diagnostic::{Diagnostic, Severity};
use crate::layout::BlockLayout;
use crate::typed::{BlockId, FunctionId, Primitive, VarId};
use crate::types::Type;
use crate::version::Stage;

/// How to link.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// The program will be combined with others in a pipeline (`GL_PROGRAM_SEPARABLE`): stages may be missing.
    pub separable: bool,
    /// Enforce WebGL's rules: variables are packed into vectors as GLSL ES 1.00, appendix A describes, invariance given
    /// by a pragma must agree, and so must the precisions of a block's members.
    pub webgl: bool,
    /// Values of implementation limits (`gl_MaxVertexAttribs`, …) that differ from the table's.
    pub limits: Vec<(String, i32)>,
    /// The input primitive of a geometry shader that the application sets, for GL_ARB_geometry_shader4 and similar
    /// extensions, where the shader cannot declare it.
    pub geometry_input: Option<Primitive>,
}

/// A diagnostic, and the shader its labels refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkDiagnostic {
    /// The index in the shaders passed to [`link`]; `None` if it concerns the program as a whole.
    pub shader: Option<usize>,
    /// The diagnostic. Without a shader it has no labels; details about other shaders are in the notes.
    pub diagnostic: Diagnostic,
}

/// A variable of one of the shaders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Declared {
    /// Index of the shader.
    pub shader: usize,
    /// The variable in that shader's tables.
    pub variable: VarId,
}

/// A function of one of the shaders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Defined {
    /// Index of the shader.
    pub shader: usize,
    /// The function in that shader's tables.
    pub function: FunctionId,
}

/// The shaders of one stage.
#[derive(Clone, Debug)]
pub struct LinkedStage {
    /// The stage.
    pub stage: Stage,
    /// Its compilation units: indices of shaders.
    pub units: Vec<usize>,
    /// Its entry point.
    pub main: Option<Defined>,
    /// All functions reachable from `main`, including itself, each after those it calls unless they are mutually
    /// recursive.
    pub reached: Vec<Defined>,
}

/// A uniform outside any block.
#[derive(Clone, Debug)]
pub struct Uniform {
    /// Its name as declared.
    pub name: String,
    /// Its declarations, one for each shader that declares it.
    pub declared: Vec<Declared>,
    /// The number of elements of the outermost dimension, in all shaders; `None` if it is not an array.
    pub array_size: Option<u32>,
    /// The stages that use it, one bit each ([`Stage::bit`]); none if it is not active.
    pub stages: u8,
    /// Its first location. Inactive uniforms and counters have none unless they declare it.
    pub location: Option<u32>,
    /// The number of locations it takes.
    pub locations: u32,
    /// The texture or image unit, or the counter buffer, if declared.
    pub binding: Option<u32>,
}

/// A uniform or storage block.
#[derive(Clone, Debug)]
pub struct LinkedBlock {
    /// Name of the block.
    pub name: String,
    /// True for a storage block.
    pub buffer: bool,
    /// Its declarations, one for each shader that declares it.
    pub declared: Vec<(usize, BlockId)>,
    /// The stages that use it, one bit each.
    pub stages: u8,
    /// Its first binding, if declared.
    pub binding: Option<u32>,
    /// The number of blocks: more than one for an array.
    pub count: u32,
    /// The layout of its members; types are those of the first declaration. `None` if that is erroneous, or if the
    /// blocks before it have a million members.
    pub layout: Option<BlockLayout>,
}

/// An input of the first stage or an output of the last.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub declared: Declared,
    /// Its first location; `None` if it is unused and declares none, or is built-in.
    pub location: Option<u32>,
    /// Number of locations.
    pub locations: u32,
    /// First component in that location.
    pub component: u32,
    /// The index of the colour for dual-source blending, for outputs of a fragment shader.
    pub index: u32,
    /// Whether the stage mentions it.
    pub used: bool,
}

/// A value that is passed from one stage to the next.
#[derive(Clone, Debug)]
pub struct Varying {
    /// Name of the input, or `Block.member`.
    pub name: String,
    /// The stage that writes it.
    pub producer: Stage,
    /// The stage that reads it.
    pub consumer: Stage,
    /// The output.
    pub output: Declared,
    /// The input.
    pub input: Declared,
    /// The member, if both are blocks.
    pub member: Option<u32>,
    /// Its first location, declared or assigned.
    pub location: u32,
    /// Its first component there.
    pub component: u32,
    /// Number of locations.
    pub locations: u32,
}

/// A value that transform feedback captures.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The output, or the block that contains it.
    pub output: Declared,
    /// The member of that block.
    pub member: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its type, in the tables of its shader.
    pub ty: Type,
    /// Buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// Bytes written.
    pub size: u32,
}

/// Transform feedback as declared in the shaders.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// The captured values, in order of buffer and offset.
    pub captured: Vec<Captured>,
    /// The stride of each buffer that captures anything.
    pub strides: Vec<(u32, u32)>,
}

/// A function that implements a subroutine type.
#[derive(Clone, Debug)]
pub struct Subroutine {
    /// Its stage.
    pub stage: Stage,
    /// Its name.
    pub name: String,
    /// The function.
    pub function: Defined,
    /// Its index, declared or assigned.
    pub index: u32,
    /// Names of the types it implements.
    pub types: Vec<String>,
}

/// A uniform that selects a subroutine.
#[derive(Clone, Debug)]
pub struct SubroutineUniform {
    /// Its stage.
    pub stage: Stage,
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub declared: Declared,
    /// Its location, declared or assigned.
    pub location: u32,
    /// Number of elements.
    pub count: u32,
    /// Indices of the subroutines it can select.
    pub compatible: Vec<u32>,
}

/// A program as far as the front end is concerned.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// The diagnostics.
    pub diagnostics: Vec<LinkDiagnostic>,
    /// The stages, in pipeline order.
    pub stages: Vec<LinkedStage>,
    /// Uniforms outside blocks, counters included.
    pub uniforms: Vec<Uniform>,
    /// Uniform and storage blocks.
    pub blocks: Vec<LinkedBlock>,
    /// Inputs of the first stage.
    pub inputs: Vec<Attachment>,
    /// Outputs of the last stage.
    pub outputs: Vec<Attachment>,
    /// The values passed between stages.
    pub varyings: Vec<Varying>,
    /// Transform feedback.
    pub feedback: Feedback,
    /// Subroutines by stage and index.
    pub subroutines: Vec<Subroutine>,
    /// Subroutine uniforms.
    pub subroutine_uniforms: Vec<SubroutineUniform>,
}

impl Linked {
    /// Whether a linker would reject it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.diagnostic.severity == Severity::Error)
    }
}

/// Links shaders into a complete program.
#[must_use]
pub fn link(shaders: &[&Shader]) -> Linked {
    link_with(shaders, &LinkOptions::default())
}

/// Links shaders into a program. Shaders with errors are linked as far as they were understood.
#[must_use]
pub fn link_with(shaders: &[&Shader], options: &LinkOptions) -> Linked {
    linker::Linker::new(shaders, options).run()
}
