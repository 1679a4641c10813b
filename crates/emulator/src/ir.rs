//! The program the emulator runs: functions of blocks of instructions over scalar registers.
//!
//! The IR belongs to no source language: a front end ([`crate::glsl`] is one) lowers its own tree to it and fills in the
//! tables of types, variables and resources, from which everything a debugger shows is made.
//!
//! A register holds 32 bits for every lane; a component of 64 bits is two consecutive registers, the low half first, and
//! narrower components have a register each. Vectors, matrices, structures and arrays are runs of registers; taking a
//! component costs nothing. There is no recursion, so each function has registers of its own and a call copies arguments
//! in and results out. Control flow is an arbitrary graph: where diverged lanes reconverge is computed from
//! post-dominators ([`flow`]), not from the structure of the source.
//!
//! [`Marker`]s say where the run is in terms of the source; moments are made from them. They stand in order with the
//! instructions around them, and nothing moves across them. What their [`SiteId`]s stand for is said by a [`SourceMap`]
//! that the front end provides.

pub mod flow;
pub mod text;

mod bulk;
mod effect;
mod memory;
mod note;
mod resource;
mod source;
mod types;
mod variable;

use lanes::{Op1, Op2, Op3, Op4, Test1, Test2};

pub use moment::{Marker, SiteId, SiteKind};

pub use memory::{Access, Address, AtomicOp, Base, BlockSlots, Pointer, Space};
pub use note::{Note, NoteKind, Operand};
pub use resource::{Detail, GroupOp, ImageAccess, ImageOp, ImageOpId, Lookup, LookupId, LookupKind, Query};
pub use source::{SourceMap, SourceSite};
pub use types::{Dim, Member, Opaque, OpaqueKind, Scalar, ScalarKind, Type, TypeId, Types, Width};
pub use variable::{Home, Role, Unit, VarId, Variable};

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
    /// Returns the register at a position in the run.
    #[must_use]
    pub fn at(self, index: u32) -> Register {
        debug_assert!(index < self.len);
        Register(self.start.0 + index)
    }

    /// Returns the registers in order.
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
    /// Zeros in every lane, where the language leaves the value undefined.
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
    /// A test of one register.
    Ask(Test1, Register, Register),
    /// A test of two.
    Compare(Test2, Register, Register, Register),
    /// [`Instruction::Unary`] on 64-bit components.
    WideUnary(Op1, Register, Register),
    /// [`Instruction::Binary`] on 64-bit components.
    WideBinary(Op2, Register, Register, Register),
    /// [`Instruction::Ternary`] on 64-bit components.
    WideTernary(Op3, Register, Register, Register, Register),
    /// [`Instruction::Ask`] of a 64-bit component; the result has 32 bits.
    WideAsk(Test1, Register, Register),
    /// [`Instruction::Compare`] of 64-bit components; the result has 32 bits.
    WideCompare(Test2, Register, Register, Register),
    /// A component of the first type converted to the second.
    Convert(lanes::Scalar, lanes::Scalar, Register, Register),
    /// A component (second) rounded to a lower precision, as [`lanes::reduce`] does it.
    Reduce(lanes::Precision, lanes::Use, Register, Register),
    /// The third where the second is not zero, else the fourth; into the first.
    Select(Register, Register, Register, Register),
    /// An index (second) clamped to an array of this many elements.
    Bound(Register, Register, u32),
    /// Reads the register at `index` of a run; zero outside it.
    Load {
        /// Result.
        to: Register,
        /// The run.
        from: Registers,
        /// Position in the run, lane by lane.
        index: Register,
    },
    /// Writes the register at `index` of a run; nothing outside it.
    Store {
        /// The run.
        to: Registers,
        /// Position in the run, lane by lane.
        index: Register,
        /// The value to write.
        from: Register,
    },
    /// The difference between neighbours in the quad.
    Derivative(Axis, Register, Register),
    /// Runs a function.
    Call(FunctionId),
    /// Ends the lane: its fragment is discarded.
    Discard,
    /// The fragment is discarded, and the lane continues as a helper invocation.
    Demote,
    /// Whether the lane is a helper invocation, which writes nothing.
    IsHelper(Register),
    /// Reads memory into a register, or two for 64 bits; zero outside of the memory there is.
    Read(Access, Register, Address),
    /// Writes a register, or two for 64 bits, to memory; nothing outside of the memory there is.
    Write(Width, Address, Register),
    /// Changes a word of memory and returns its old value; lanes take their turns. The operands are the value and, for
    /// [`AtomicOp::CompareSwap`], what to compare with.
    Atomic(AtomicOp, Register, Address, [Register; 2]),
    /// [`Instruction::Atomic`] on 64 bits.
    WideAtomic(AtomicOp, Register, Address, [Register; 2]),
    /// The size in bytes of the buffer of an address.
    Bytes(Register, Address),
    /// An address as a value ([`Pointer::to_bits`]) in two registers.
    PointerTo(Register, Address),
    /// A texture look-up.
    Lookup(LookupId),
    /// An access to an image.
    Image(ImageOpId),
    /// A query about the texture or image bound to a handle; into a run of registers.
    Query(Query, Registers, Register, Register),
    /// An operation across the lanes of the wave; the second operand is the number of a lane where one is needed.
    Group(GroupOp, Register, Register, Register),
    /// The host's clock, low half first; it increases with every reading.
    Clock(Registers),
    /// Waits for the other waves of the workgroup or patch.
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
    /// Continues in another block.
    Jump(BlockId),
    /// Continues in the first block where the register is not zero, in the second where it is.
    Branch(Register, BlockId, BlockId),
    /// Returns to the caller.
    Return,
}

impl Terminator {
    /// Returns the blocks that may come next; none after a return.
    pub fn successors(self) -> impl Iterator<Item = BlockId> {
        let (first, second) = match self {
            Terminator::Jump(to) => (Some(to), None),
            Terminator::Branch(_, yes, no) => (Some(yes), Some(no)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A run of instructions with one entry and one end.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// The site each instruction belongs to.
    pub origins: Vec<Option<SiteId>>,
    /// What its instructions are in terms of the source, in order.
    pub notes: Vec<Note>,
    /// What comes next.
    pub terminator: Terminator,
    /// Where lanes that diverge here reconverge; `None` for the function's end.
    pub meets: Option<BlockId>,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The translation unit it comes from: the one its sites belong to.
    pub unit: usize,
    /// Its blocks; it begins with the first.
    pub blocks: Vec<Block>,
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
    /// The function that a run begins with.
    pub entry: FunctionId,
    /// The function that evaluates initializers of global variables, which runs before.
    pub globals: FunctionId,
    /// Number of registers.
    pub registers: u32,
    /// Bytes of [`Space::Private`] memory per lane.
    pub private_bytes: u32,
    /// Bytes of [`Space::Workgroup`] memory.
    pub workgroup_bytes: u32,
    /// Bytes of [`Space::Patch`] memory.
    pub patch_bytes: u32,
    /// The types of its variables and values.
    pub types: Types,
    /// The variables of all units, unit by unit.
    pub variables: Vec<Variable>,
    /// The translation units it is made of.
    pub units: Vec<Unit>,
    /// The buffers it reads and writes, by slot.
    pub blocks: Vec<BlockSlots>,
    /// Texture look-ups.
    pub lookups: Vec<Lookup>,
    /// Image accesses.
    pub image_ops: Vec<ImageOp>,
    /// Initial values of registers, where they are not zero.
    pub presets: Vec<(Register, u32)>,
}
