//! What instructions mean in terms of the source. Notes do not run: they are for observers.

use moment::SiteId;

use super::{Register, TypeId};

/// A value in registers: its type and the register of each scalar; for a 64-bit scalar the first of its two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its type.
    pub ty: TypeId,
    /// The registers of its scalars, in order.
    pub registers: Vec<Register>,
}

/// Something that holds before an instruction of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The position of the instruction, or the number of instructions for the end of the block.
    pub at: usize,
    /// The expression it concerns.
    pub site: SiteId,
    /// What holds.
    pub kind: NoteKind,
}

/// What a note says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoteKind {
    /// This is the value of a variable, or of part of one, that was read.
    Read(Operand),
    /// An operator or built-in function begins, with these operands.
    Begin(Vec<Operand>),
    /// It ended, with this result.
    End(Operand),
    /// A function of the program returned this.
    Returned(Operand),
}
