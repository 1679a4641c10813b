//! Linking: what only several shaders together can get wrong, and what they make together.
//!
//! The rules are those of GL 4.6, 7.3 and 7.4, GLSL 4.60 and their GLSL ES counterparts. Where an implementation may
//! choose, the choice is Mesa's. Like the rest of the crate this never fails: a program that cannot link still gets the
//! lists, as far as they make sense.
//!
//! Things of different shaders are matched by spelling. Types and variables stay those of the shader that declares them,
//! so everything listed here says which shader that is.

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
mod per_vertex;
mod stages;
mod subroutines;
mod uniforms;
mod varyings;

use crate::analyze::Shader;
use crate::diagnostic::{Diagnostic, Severity};
use crate::layout::BlockLayout;
use crate::typed::{BlockId, FunctionId, Primitive, VarId};
use crate::types::Type;
use crate::version::Stage;

/// How to link.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// The program is to be combined with others in a pipeline (`GL_PROGRAM_SEPARABLE`): stages may be missing.
    pub separable: bool,
    /// Values of implementation limits (`gl_MaxVertexAttribs`, …) that differ from the table's.
    pub limits: Vec<(String, i32)>,
    /// What the application says a geometry shader takes, for GL_ARB_geometry_shader4 and its like, where the shader
    /// cannot say it.
    pub geometry_input: Option<Primitive>,
}

/// A finding, and the shader its labels point into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkDiagnostic {
    /// Index into the shaders handed to [`link`]; `None` when the program as a whole is at fault.
    pub shader: Option<usize>,
    /// The finding. Without a shader it has no labels; what another shader has to do with it stands in the notes.
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
    /// Which stage.
    pub stage: Stage,
    /// Its compilation units: indices of shaders.
    pub units: Vec<usize>,
    /// Its entry point.
    pub main: Option<Defined>,
    /// All functions that `main` reaches, itself included, each after those it calls unless they call each other.
    pub reached: Vec<Defined>,
}

/// A uniform outside any block.
#[derive(Clone, Debug)]
pub struct Uniform {
    /// Its name as declared.
    pub name: String,
    /// Where it is declared, once for each shader that does.
    pub declared: Vec<Declared>,
    /// Elements of the outermost dimension, all shaders considered; `None` if it is no array.
    pub array_size: Option<u32>,
    /// The stages that use it, one bit each ([`Stage::bit`]); none if it is not active.
    pub stages: u8,
    /// Its first location. Inactive uniforms and counters have none unless they say so themselves.
    pub location: Option<u32>,
    /// How many locations it takes.
    pub locations: u32,
    /// Texture or image unit, or counter buffer, if given.
    pub binding: Option<u32>,
}

/// A uniform or storage block.
#[derive(Clone, Debug)]
pub struct LinkedBlock {
    /// Name of the block.
    pub name: String,
    /// True for a storage block.
    pub buffer: bool,
    /// Where it is declared, once for each shader that does.
    pub declared: Vec<(usize, BlockId)>,
    /// The stages that use it, one bit each.
    pub stages: u8,
    /// Its first binding, if given.
    pub binding: Option<u32>,
    /// Number of blocks: more than one for an array of them.
    pub count: u32,
    /// Where its members lie; types are those of the first declaration. `None` if that is an error, or if the blocks
    /// before it have a million members.
    pub layout: Option<BlockLayout>,
}

/// An input of the first stage or an output of the last.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub declared: Declared,
    /// Its first location; `None` if it is not used and has none of its own, or belongs to the language.
    pub location: Option<u32>,
    /// Number of locations.
    pub locations: u32,
    /// First component in that location.
    pub component: u32,
    /// Second source of blending, for outputs of a fragment shader.
    pub index: u32,
    /// The stage mentions it.
    pub used: bool,
}

/// A value that one stage hands to the next.
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
    /// The member, when both are blocks.
    pub member: Option<u32>,
    /// First location, given or chosen.
    pub location: u32,
    /// First component there.
    pub component: u32,
    /// Number of locations.
    pub locations: u32,
}

/// A value that transform feedback captures.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The output, or the block that holds it.
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

/// Transform feedback as laid out in the shaders themselves.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// What is captured, in order of buffer and offset.
    pub captured: Vec<Captured>,
    /// Bytes from vertex to vertex, for every buffer that has any.
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
    /// Its index, given or chosen.
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
    /// Its location, given or chosen.
    pub location: u32,
    /// Number of elements.
    pub count: u32,
    /// Indices of the subroutines it can select.
    pub compatible: Vec<u32>,
}

/// A program as far as the front end is concerned.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// What is wrong with the combination.
    pub diagnostics: Vec<LinkDiagnostic>,
    /// The stages there are, in pipeline order.
    pub stages: Vec<LinkedStage>,
    /// Uniforms outside blocks, counters included.
    pub uniforms: Vec<Uniform>,
    /// Uniform and storage blocks.
    pub blocks: Vec<LinkedBlock>,
    /// Inputs of the first stage.
    pub inputs: Vec<Attachment>,
    /// Outputs of the last stage.
    pub outputs: Vec<Attachment>,
    /// What goes from stage to stage.
    pub varyings: Vec<Varying>,
    /// Transform feedback.
    pub feedback: Feedback,
    /// Subroutines by stage and index.
    pub subroutines: Vec<Subroutine>,
    /// Subroutine uniforms.
    pub subroutine_uniforms: Vec<SubroutineUniform>,
}

impl Linked {
    /// Whether a linker would refuse it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.diagnostic.severity == Severity::Error)
    }
}

/// Links shaders into a program that is used alone.
#[must_use]
pub fn link(shaders: &[&Shader]) -> Linked {
    link_with(shaders, &LinkOptions::default())
}

/// Links shaders into a program. Shaders with errors of their own are linked as far as they were understood.
#[must_use]
pub fn link_with(shaders: &[&Shader], options: &LinkOptions) -> Linked {
    linker::Linker::new(shaders, options).run()
}
