//! The checker's results for a tree: types, constants, name resolution, scopes.
//!
//! Facts about expressions are in a table beside the tree, indexed by [`ExprId`]; the tree itself never changes.

use std::collections::BTreeMap;

use crate::ast::{DeclId, ExprId, StmtId};
use crate::builtin;
use crate::constant::{Constant, ConstantPool};
use crate::qualifier::Qualifiers;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::types::{Precision, StructId, Type, TypeTable};

/// A variable, parameter, or member of an unnamed block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// A user-defined function (one signature).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// An interface block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// A scope; [`ScopeId::GLOBAL`] is the outermost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The scope of global declarations.
    pub const GLOBAL: ScopeId = ScopeId(0);
}

/// The kind of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// Declared at global scope.
    Global,
    /// Declared in a function.
    Local,
    /// A parameter of a function.
    Parameter(FunctionId, u32),
    /// Built-in.
    Builtin,
    /// A member of a block without an instance name.
    Member(BlockId, u32),
    /// The instance name of a block.
    Instance(BlockId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Symbol,
    /// Its type; arrays sized by use have their final size after checking.
    pub ty: Type,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// Its kind.
    pub kind: VariableKind,
    /// The name in its declaration; `None` for built-ins.
    pub declared: Option<TokenIndex>,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// The first token at which it is visible.
    pub visible_from: TokenIndex,
    /// Its value, for constants.
    pub constant: Option<Constant>,
    /// Its initializer.
    pub init: Option<ExprId>,
    /// The largest constant index used on it while it is unsized.
    pub max_index: Option<u32>,
    /// Whether an expression reads it (static use, reachable or not).
    pub read: bool,
    /// Whether an expression writes it.
    pub written: bool,
}

/// A parameter of a user-defined function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable in the body; `None` in a prototype or if it is unnamed.
    pub variable: Option<VarId>,
    /// Its type.
    pub ty: Type,
    /// Its qualifiers; `storage` is the direction.
    pub qualifiers: Qualifiers,
}

/// A user-defined function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Return type.
    pub result: Type,
    /// Precision of the result, in ES.
    pub result_precision: Option<Precision>,
    /// Parameters.
    pub params: Vec<Parameter>,
    /// The name in its first declaration.
    pub first_declared: TokenIndex,
    /// The name in its definition; without one, in its first declaration.
    pub declared: TokenIndex,
    /// The declaration with the body.
    pub definition: Option<DeclId>,
    /// The body.
    pub body: Option<StmtId>,
    /// Subroutine types it implements; empty for ordinary functions.
    pub implements: Vec<FunctionId>,
    /// Whether it is a subroutine type.
    pub subroutine_type: bool,
    /// Its `subroutine` index, if declared in a layout.
    pub index: Option<u32>,
    /// The functions it calls, with the first call of each; a subroutine type represents calls through its uniforms.
    pub calls: Vec<(FunctionId, ExprId)>,
    /// The global variables it mentions, each once.
    pub uses: Vec<VarId>,
}

/// An interface block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The block's name.
    pub name: Symbol,
    /// Its members.
    pub structure: StructId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// The variable named after it, if it has an instance name.
    pub instance: Option<VarId>,
    /// The variables of its members, if it has no instance name.
    pub members: Vec<VarId>,
    /// The type of the instance (including array brackets).
    pub ty: Type,
    /// The block's name in its declaration; `None` for built-ins.
    pub declared: Option<TokenIndex>,
    /// Whether it redeclares a built-in block (`gl_PerVertex`).
    pub builtin: bool,
}

/// A part of a shader in which declarations are visible.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The enclosing scope.
    pub parent: ScopeId,
    /// The tokens it covers.
    pub tokens: TokenSpan,
}

/// The components selected by a swizzle, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swizzle {
    components: [u8; 4],
    len: u8,
}

impl Swizzle {
    /// Parses `.xyzw`, `.rgba` or `.stpq`; `None` if the letters are from different sets or there are more than four.
    #[must_use]
    pub fn parse(text: &str) -> Option<Swizzle> {
        const SETS: [&[u8; 4]; 3] = [b"xyzw", b"rgba", b"stpq"];
        let text = text.as_bytes();
        if text.is_empty() || text.len() > 4 {
            return None;
        }
        let set = SETS.iter().find(|set| set.contains(&text[0]))?;
        let mut components = [0; 4];
        for (slot, letter) in components.iter_mut().zip(text) {
            *slot = set.iter().position(|l| l == letter)? as u8;
        }
        Some(Swizzle { components, len: text.len() as u8 })
    }

    /// The components, zero to three each.
    #[must_use]
    pub fn components(&self) -> &[u8] {
        &self.components[..self.len as usize]
    }

    /// Whether a component occurs twice, so that it is not an l-value.
    #[must_use]
    pub fn repeats(&self) -> bool {
        let c = self.components();
        c.iter().enumerate().any(|(i, x)| c[..i].contains(x))
    }
}

/// What an expression refers to.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Nothing in particular.
    None,
    /// A variable.
    Variable(VarId),
    /// Call of a user-defined function.
    Function(FunctionId),
    /// Call of a built-in function.
    Builtin(&'static builtin::Function),
    /// A constructor of this type.
    Constructor(Type),
    /// `.length()`
    Length,
    /// A member of a structure or block.
    Member(u32),
    /// A swizzle.
    Swizzle(Swizzle),
    /// Call through a subroutine uniform.
    Subroutine(FunctionId),
}

/// Facts about an expression.
#[derive(Clone, Copy, Debug)]
pub struct ExprFacts {
    /// Its type before any implicit conversion; [`Type::Error`] if it is erroneous.
    pub ty: Type,
    /// Its value, if it is a constant expression.
    pub constant: Option<Constant>,
    /// What it refers to.
    pub target: Target,
    /// Whether evaluating it may have side effects: it assigns, or calls something that may.
    pub side_effects: bool,
    /// The scope that contains it.
    pub scope: ScopeId,
}

/// All results of the checker.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// Structures and arrays.
    pub types: TypeTable,
    /// Values of constants.
    pub constants: ConstantPool,
    /// All variables.
    pub variables: Vec<Variable>,
    /// All user-defined functions.
    pub functions: Vec<Function>,
    /// All interface blocks.
    pub blocks: Vec<Block>,
    /// All scopes.
    pub scopes: Vec<Scope>,
    /// Facts by expression.
    pub exprs: Vec<ExprFacts>,
    /// `layout(…) in;` and similar declarations.
    pub stage: StageLayout,
    /// Calls of user-defined functions in global initializers.
    pub global_calls: Vec<(FunctionId, ExprId)>,
    /// The largest constant index used on unsized members, by structure and member.
    pub member_max_index: BTreeMap<(StructId, u32), u32>,
}

impl Typed {
    /// Facts about an expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &ExprFacts {
        &self.exprs[id.0 as usize]
    }

    /// A variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A user-defined function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// A block.
    #[must_use]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }
}

/// Primitive types of geometry and tessellation layouts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are GLSL's own")]
pub enum Primitive {
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    LineStrip,
    TriangleStrip,
    Quads,
    Isolines,
}

impl Primitive {
    /// The number of vertices of a geometry shader's input primitive.
    #[must_use]
    pub fn vertices(self) -> Option<u32> {
        match self {
            Primitive::Points => Some(1),
            Primitive::Lines => Some(2),
            Primitive::Triangles => Some(3),
            Primitive::LinesAdjacency => Some(4),
            Primitive::TrianglesAdjacency => Some(6),
            Primitive::LineStrip | Primitive::TriangleStrip | Primitive::Quads | Primitive::Isolines => None,
        }
    }
}

/// How invocations of a compute shader are arranged for derivatives (GL_NV_compute_shader_derivatives).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DerivativeGroup {
    /// Two by two in x and y.
    Quads,
    /// Four consecutive invocations.
    Linear,
}

/// The layout of the whole stage, from `layout(…) in;` and `layout(…) out;`.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "each is the layout qualifier of that name")]
pub struct StageLayout {
    pub input_primitive: Option<Primitive>,
    pub output_primitive: Option<Primitive>,
    pub max_vertices: Option<u32>,
    pub invocations: Option<u32>,
    pub stream: Option<u32>,
    pub vertices: Option<u32>,
    pub spacing: Option<Symbol>,
    pub vertex_order: Option<Symbol>,
    pub point_mode: bool,
    pub local_size: [Option<u32>; 3],
    pub variable_local_size: bool,
    pub derivative_group: Option<DerivativeGroup>,
    /// Whether `gl_Layer` is relative to the viewport's number, if it is redeclared.
    pub viewport_relative: Option<bool>,
    pub early_fragment_tests: bool,
    pub depth: Option<Symbol>,
    pub origin_upper_left: bool,
    pub pixel_center_integer: bool,
    pub xfb_strides: Vec<(u32, u32)>,
    pub blend_support: Vec<Symbol>,
}
