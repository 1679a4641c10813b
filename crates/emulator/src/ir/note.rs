//! What a stretch of instructions is in terms of the source. Nothing of it runs: it is there for observers.

use moment::SiteId;
use shader::types::Type;

use super::Register;

/// A value in registers: its type and the register of each scalar, of a 64-bit scalar the first of its two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// Its scalars in the order of the language.
    pub registers: Vec<Register>,
}

/// What holds before an instruction of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The instruction; or their number, for the end of the block.
    pub at: usize,
    /// The expression it is about.
    pub site: SiteId,
    /// What holds.
    pub kind: NoteKind,
}

/// What holds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoteKind {
    /// The value of a variable, or of part of one, was read: it is this.
    Read(Operand),
    /// An operator or built-in function begins, with these operands.
    Begin(Vec<Operand>),
    /// It ended, with this result.
    End(Operand),
    /// A function of the shader returned this.
    Returned(Operand),
}
