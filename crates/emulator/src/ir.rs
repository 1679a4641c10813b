//! The program an emulated shader is: functions of blocks of instructions over scalar registers.
//!
//! A register holds 32 bits for every lane; a component of 64 bits is two registers in a row, the low half first.
//! Vectors, matrices, structures and arrays are runs of registers; taking a component costs nothing. GLSL (and SPIR-V) have no recursion, so each function has its registers
//! for itself and a call copies arguments in and results out. Control flow is an arbitrary graph: where diverged lanes
//! meet again is found from post-dominators ([`flow`]), never from the shape of the source.
//!
//! [`Marker`]s say where the run is in terms of the source; they are what moments are made from. They stand in order
//! with the instructions around them and nothing moves across them.

pub mod flow;
pub mod text;

mod bulk;
mod effect;
mod memory;
mod note;
mod resource;
mod source;

use lanes::{Op1, Op2, Op3, Op4, Test1, Test2};
use shader::typed::VarId;
use shader::types::{Type, TypeTable};

pub use moment::{Marker, SiteId, SiteKind};

pub use memory::{Address, AtomicOp, BlockSlots, Pointer};
pub use note::{Note, NoteKind, Operand};
pub use resource::{Detail, GroupOp, ImageAccess, ImageOp, ImageOpId, Lookup, LookupId, LookupKind, Query};
pub use source::{SourceMap, SourceSite};

/// A register: one component in every lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u32);

/// A run of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Registers {
    /// The first.
    pub start: Register,
    /// How many.
    pub len: u32,
}

impl Registers {
    /// The register at a place in the run.
    #[must_use]
    pub fn at(self, index: u32) -> Register {
        debug_assert!(index < self.len);
        Register(self.start.0 + index)
    }

    /// The registers in order.
    pub fn iter(self) -> impl Iterator<Item = Register> {
        (self.start.0..self.start.0 + self.len).map(Register)
    }
}

/// A block of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// A function of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// Direction of a derivative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Instruction {
    /// The same bits in every lane.
    Constant(Register, u32),
    /// Zeros in every lane, where the language promises no value.
    Undefine(Registers),
    /// A copy.
    Copy(Register, Register),
    /// An operation on one register.
    Unary(Op1, Register, Register),
    /// An operation on two.
    Binary(Op2, Register, Register, Register),
    /// An operation on three.
    Ternary(Op3, Register, Register, Register, Register),
    /// An operation on four.
    Quaternary(Op4, Register, [Register; 4]),
    /// A question about one register.
    Ask(Test1, Register, Register),
    /// A question about two.
    Compare(Test2, Register, Register, Register),
    /// [`Instruction::Unary`] on 64-bit components.
    WideUnary(Op1, Register, Register),
    /// [`Instruction::Binary`] on 64-bit components.
    WideBinary(Op2, Register, Register, Register),
    /// [`Instruction::Ternary`] on 64-bit components.
    WideTernary(Op3, Register, Register, Register, Register),
    /// [`Instruction::Ask`] about a 64-bit component; the answer has 32 bits.
    WideAsk(Test1, Register, Register),
    /// [`Instruction::Compare`] of 64-bit components; the answer has 32 bits.
    WideCompare(Test2, Register, Register, Register),
    /// A component of the first type as one of the second.
    Convert(lanes::Scalar, lanes::Scalar, Register, Register),
    /// A component (second) with no more than the precision it is promised, as [`lanes::reduce`] makes it.
    Reduce(lanes::Precision, lanes::Use, Register, Register),
    /// The third where the second is not zero, else the fourth; into the first.
    Select(Register, Register, Register, Register),
    /// An index (second) kept within an array of so many elements: beyond them it is the last one's.
    Bound(Register, Register, u32),
    /// Reads the register that lies `index` after the first of a run; zero outside it.
    Load {
        /// Result.
        to: Register,
        /// The run.
        from: Registers,
        /// How far into it, lane by lane.
        index: Register,
    },
    /// Writes the register that lies `index` after the first of a run; nothing outside it.
    Store {
        /// The run.
        to: Registers,
        /// How far into it, lane by lane.
        index: Register,
        /// What to write.
        from: Register,
    },
    /// The difference to the neighbour in the quad.
    Derivative(Axis, Register, Register),
    /// Runs a function.
    Call(FunctionId),
    /// Ends the lane: a fragment thrown away.
    Discard,
    /// The fragment is thrown away, the lane goes on as a helper.
    Demote,
    /// Whether the lane is a helper, which writes nothing.
    IsHelper(Register),
    /// Reads a word of memory; zero where there is none.
    Read(Register, Address),
    /// Writes a word of memory, where there is one.
    Write(Address, Register),
    /// Changes a word of memory and gives back what was there; lanes go one after the other. The operands are the value
    /// and, for [`AtomicOp::CompareSwap`], what to compare with.
    Atomic(AtomicOp, Register, Address, [Register; 2]),
    /// [`Instruction::Atomic`] on 64 bits.
    WideAtomic(AtomicOp, Register, Address, [Register; 2]),
    /// How many bytes the buffer of an address has.
    Bytes(Register, Address),
    /// A texture look-up.
    Lookup(LookupId),
    /// An access to an image.
    Image(ImageOpId),
    /// A question about what is bound to a sampler or image, by its value; into a run of registers.
    Query(Query, Registers, Register, Register),
    /// An operation across the lanes of the wave; the operand after the first is a lane's number where one is needed.
    Group(GroupOp, Register, Register, Register),
    /// What the host's clock shows, low half first; another reading shows more.
    Clock(Registers),
    /// Waits until the other waves of the workgroup or patch are here.
    Barrier,
    /// `EmitStreamVertex` with the stream.
    Emit(Register),
    /// `EndStreamPrimitive` with the stream.
    EndPrimitive(Register),
    /// An input (second) at the centroid, into the first.
    AtCentroid(Register, Register),
    /// An input (second) at a sample (third).
    AtSample(Register, Register, Register),
    /// An input (second) at an offset in x (third) and y (fourth).
    AtOffset(Register, Register, Register, Register),
    /// Where the run is.
    Marker(Marker),
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Terminator {
    /// On to another block.
    Jump(BlockId),
    /// One way where the register is not zero, the other way where it is.
    Branch(Register, BlockId, BlockId),
    /// Back to the caller.
    Return,
}

impl Terminator {
    /// The blocks that may come next; none after a return.
    pub fn successors(self) -> impl Iterator<Item = BlockId> {
        let (first, second) = match self {
            Terminator::Jump(to) => (Some(to), None),
            Terminator::Branch(_, yes, no) => (Some(yes), Some(no)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A run of instructions with one way in and one end.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// In order.
    pub instructions: Vec<Instruction>,
    /// The expression each instruction belongs to.
    pub origins: Vec<Option<SiteId>>,
    /// What its instructions are in terms of the source, in order.
    pub notes: Vec<Note>,
    /// What comes next.
    pub terminator: Terminator,
    /// Where lanes that part here meet again; `None` at the function's end.
    pub meets: Option<BlockId>,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The shader it comes from, of those the stage is made of: what its markers and expressions belong to.
    pub unit: usize,
    /// Blocks; the first is where it begins.
    pub blocks: Vec<Block>,
}

/// Where the variables of a further shader live, if a stage is made of several.
#[derive(Clone, Debug)]
pub struct Unit {
    /// As [`Program::variables`].
    pub variables: Vec<Option<Registers>>,
    /// As [`Program::pointers`].
    pub pointers: Vec<Option<Pointer>>,
    /// As [`Program::types`].
    pub types: TypeTable,
    /// As [`Program::variable_types`].
    pub variable_types: Vec<Type>,
}

/// A function that a subroutine uniform can select.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subroutine {
    /// The function of the shader.
    pub function: shader::typed::FunctionId,
    /// What the uniform holds to mean it.
    pub index: u32,
}

/// A shader ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
    /// `main`.
    pub entry: FunctionId,
    /// Evaluates global initializers before `main`.
    pub globals: FunctionId,
    /// Number of registers.
    pub registers: u32,
    /// The shaders of the stage after the first, which the other fields are about.
    pub units: Vec<Unit>,
    /// Where each variable of the shader lives, by [`VarId`]; `None` for those nothing mentions.
    pub variables: Vec<Option<Registers>>,
    /// Where variables live that are not in registers: members of blocks that lie in buffers, `shared` variables,
    /// outputs of tessellation control shaders.
    pub pointers: Vec<Option<Pointer>>,
    /// Uniform and storage blocks, by slot.
    pub blocks: Vec<BlockSlots>,
    /// Bytes of `shared` variables.
    pub shared_bytes: u32,
    /// Bytes of the outputs of a tessellation control shader.
    pub patch_bytes: u32,
    /// The shader's types, with sizes for the arrays that get theirs from the stage: inputs of a geometry shader and the
    /// like.
    pub types: TypeTable,
    /// The type of each variable, in these types.
    pub variable_types: Vec<Type>,
    /// Texture look-ups.
    pub lookups: Vec<Lookup>,
    /// Image accesses.
    pub image_ops: Vec<ImageOp>,
    /// Functions that subroutine uniforms can select: such a uniform's register holds an index from here.
    pub subroutines: Vec<Subroutine>,
    /// What registers hold before anything runs, where it is not zero.
    pub presets: Vec<(Register, u32)>,
}

impl Program {
    /// Where a variable lives.
    #[must_use]
    pub fn variable(&self, id: VarId) -> Option<Registers> {
        self.variables.get(id.0 as usize).copied().flatten()
    }

    /// Where a variable lives in memory, if it does.
    #[must_use]
    pub fn pointer(&self, id: VarId) -> Option<Pointer> {
        self.pointers.get(id.0 as usize).copied().flatten()
    }
}
