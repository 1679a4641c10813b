//! The program an emulated shader is: functions of blocks of instructions over scalar registers.
//!
//! A register holds one 32-bit component for every lane. Vectors, matrices, structures and arrays are runs of
//! registers; taking a component costs nothing. GLSL (and SPIR-V) have no recursion, so each function has its registers
//! for itself and a call copies arguments in and results out. Control flow is an arbitrary graph: where diverged lanes
//! meet again is found from post-dominators ([`flow`]), never from the shape of the source.
//!
//! [`Marker`]s say where the run is in terms of the source; they are what moments are made from. They stand in order
//! with the instructions around them and nothing moves across them.

pub mod flow;

use lanes::{Op1, Op2, Op3, Op4, Test1, Test2};
use shader::ast::{ExprId, StmtId};
use shader::typed::VarId;

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

/// Where the run is, in terms of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marker {
    /// A statement begins.
    Statement(StmtId),
    /// A call is entered.
    Enter(ExprId),
    /// The innermost call is left.
    Leave,
    /// A loop begins.
    Loop(StmtId),
    /// The innermost loop begins another iteration.
    Iterate,
    /// The innermost loop is left.
    Done,
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Instruction {
    /// The same bits in every lane.
    Constant(Register, u32),
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
    /// A component of the first type as one of the second.
    Convert(lanes::Scalar, lanes::Scalar, Register, Register),
    /// The third where the second is not zero, else the fourth; into the first.
    Select(Register, Register, Register, Register),
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

/// A run of instructions with one way in and one end.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// In order.
    pub instructions: Vec<Instruction>,
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
    /// Blocks; the first is where it begins.
    pub blocks: Vec<Block>,
}

/// A shader ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
    /// `main`.
    pub entry: FunctionId,
    /// Evaluates global initializers before `main`.
    pub globals: FunctionId,
    /// Number of registers.
    pub registers: u32,
    /// Where each variable of the shader lives, by [`VarId`]; `None` for those nothing mentions.
    pub variables: Vec<Option<Registers>>,
}

impl Program {
    /// Where a variable lives.
    #[must_use]
    pub fn variable(&self, id: VarId) -> Option<Registers> {
        self.variables.get(id.0 as usize).copied().flatten()
    }
}
