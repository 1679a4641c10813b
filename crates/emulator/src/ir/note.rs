//! What a stretch of instructions is in terms of the source. Nothing of it runs: it is there for observers.

use shader::ast::ExprId;
use shader::types::Type;

use super::{Instruction, Program, Register, Registers};

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
    pub expr: ExprId,
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

impl Instruction {
    /// Calls `each` with every register the instruction writes.
    pub fn results(&self, program: &Program, mut each: impl FnMut(Register)) {
        use super::ImageAccess;
        let mut run = |registers: Registers| registers.iter().for_each(&mut each);
        let wide = |first: Register| Registers { start: first, len: 2 };
        let one = |register: Register| Registers { start: register, len: 1 };
        match *self {
            Instruction::Constant(to, _)
            | Instruction::Copy(to, _)
            | Instruction::Unary(_, to, _)
            | Instruction::Binary(_, to, ..)
            | Instruction::Ternary(_, to, ..)
            | Instruction::Quaternary(_, to, _)
            | Instruction::Ask(_, to, _)
            | Instruction::Compare(_, to, ..)
            | Instruction::WideAsk(_, to, _)
            | Instruction::WideCompare(_, to, ..)
            | Instruction::Select(to, ..)
            | Instruction::Bound(to, ..)
            | Instruction::Load { to, .. }
            | Instruction::Derivative(_, to, _)
            | Instruction::IsHelper(to)
            | Instruction::Read(to, _)
            | Instruction::Atomic(_, to, ..)
            | Instruction::Bytes(to, _)
            | Instruction::Group(_, to, ..)
            | Instruction::AtCentroid(to, _)
            | Instruction::AtSample(to, ..)
            | Instruction::AtOffset(to, ..) => run(one(to)),
            Instruction::WideUnary(_, to, _)
            | Instruction::WideBinary(_, to, ..)
            | Instruction::WideTernary(_, to, ..)
            | Instruction::WideAtomic(_, to, ..) => run(wide(to)),
            Instruction::Convert(_, into, to, _) => run(if into.is_wide() { wide(to) } else { one(to) }),
            Instruction::Undefine(to) | Instruction::Query(_, to, ..) => run(to),
            // Which one is known at run time only.
            Instruction::Store { to, .. } => run(to),
            Instruction::Lookup(id) => {
                let lookup = &program.lookups[id.0 as usize];
                run(lookup.to);
                lookup.residency.map(one).into_iter().for_each(run);
            }
            Instruction::Image(id) => match program.image_ops[id.0 as usize].access {
                ImageAccess::Load(to) => run(to),
                ImageAccess::Atomic(to, ..) => run(one(to)),
                ImageAccess::Store(_) => {}
            },
            Instruction::Call(_)
            | Instruction::Discard
            | Instruction::Demote
            | Instruction::Write(..)
            | Instruction::Barrier
            | Instruction::Emit(_)
            | Instruction::EndPrimitive(_)
            | Instruction::Marker(_) => {}
        }
    }
}
