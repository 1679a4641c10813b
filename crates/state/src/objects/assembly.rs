//! Assembly programs (ARB_vertex_program, ARB_fragment_program).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::constant as c;

use crate::share::ShareGroup;

/// The targets, in the order in which arrays are indexed by them.
pub const TARGETS: [u32; 2] = [c::GL_VERTEX_PROGRAM_ARB, c::GL_FRAGMENT_PROGRAM_ARB];

/// Parameters of a program or of a target, by index; missing ones are zero.
pub type Parameters = BTreeMap<u32, [f32; 4]>;

/// An assembly program.
#[derive(Clone, Debug, Default)]
pub struct AssemblyProgram {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// The target that it was first bound to; 0 for a name that was only generated.
    pub target: u32,
    /// Its text.
    pub text: Arc<[u8]>,
    /// The driver's values of `glGetProgramivARB`, by name.
    pub driver_values: Arc<BTreeMap<u32, i64>>,
    /// Local parameters.
    pub locals: Arc<Parameters>,
}

/// Assembly program state of a context, by target of [`TARGETS`].
#[derive(Clone, Debug)]
pub struct AssemblyState {
    /// Names of the bound programs, 0 for the default ones.
    pub bound: [u32; 2],
    /// The default programs.
    pub defaults: [AssemblyProgram; 2],
    /// Environment parameters.
    pub environment: [Arc<Parameters>; 2],
    /// The last text, until the driver's result is known.
    pub pending: Option<Arc<[u8]>>,
    /// `GL_PROGRAM_ERROR_POSITION_ARB`.
    pub error_position: i64,
    /// `GL_PROGRAM_ERROR_STRING_ARB`.
    pub error_text: Arc<str>,
    /// Fragment shaders of ATI_fragment_shader.
    pub ati: AtiState,
}

/// State of ATI_fragment_shader of a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtiState {
    /// The name of the bound shader.
    pub bound: u32,
    /// The shader that is being defined.
    pub writing: Option<AtiShader>,
}

/// A shader of ATI_fragment_shader while it is being defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtiShader {
    /// 0 and 2 during texture instructions, 1 and 3 during arithmetic.
    pub pass: u8,
    /// Registers assigned by texture instructions, by pass.
    pub assigned: [u32; 2],
    /// Swizzles of coordinates, two bits for each unit.
    pub swizzles: u32,
    /// Numbers of arithmetic instructions, by pass.
    pub instructions: [u32; 2],
    /// Whether arithmetic of the first pass reads an interpolated colour.
    pub interpolates_first: bool,
    /// The last arithmetic operation, if it was the last instruction.
    pub last: Option<AtiOperation>,
}

/// An arithmetic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtiOperation {
    /// Whether it operates on colour rather than on alpha.
    pub colour: bool,
    /// The operation.
    pub operation: u32,
}

impl AssemblyState {
    /// Returns the program that is bound to a target of [`TARGETS`].
    #[must_use]
    pub fn program<'s>(&'s self, group: &'s ShareGroup, place: usize) -> &'s AssemblyProgram {
        match self.bound[place] {
            0 => &self.defaults[place],
            name => group.assembly.get(&name).map_or(&self.defaults[place], Arc::as_ref),
        }
    }
}

impl Default for AssemblyState {
    fn default() -> AssemblyState {
        AssemblyState {
            bound: [0; 2],
            defaults: TARGETS.map(|target| AssemblyProgram { target, ..AssemblyProgram::default() }),
            environment: Default::default(),
            pending: None,
            error_position: -1,
            error_text: Arc::from(""),
            ati: AtiState::default(),
        }
    }
}
