//! What instructions write, and whether other lanes matter.

use super::{ImageAccess, Instruction, Program, Register, Registers};

impl Program {
    /// Returns whether the other lanes of a wave, or earlier runs with the same host, can make a difference: whether memory
    /// or images are written, other lanes or the clock are read, or barriers are waited at.
    #[must_use]
    pub fn minds_company(&self) -> bool {
        let minds = |instruction: &Instruction| {
            matches!(
                instruction,
                Instruction::Write(..)
                    | Instruction::Atomic(..)
                    | Instruction::WideAtomic(..)
                    | Instruction::Image(_)
                    | Instruction::Group(..)
                    | Instruction::IsHelper(_)
                    | Instruction::Demote
                    | Instruction::Clock(_)
                    | Instruction::Barrier
            )
        };
        let blocks = self.functions.iter().flat_map(|function| &function.blocks);
        blocks.flat_map(|block| &block.instructions).any(minds)
    }
}

impl Instruction {
    /// Returns the registers it may write, as far as is known before it runs: for [`Instruction::Store`] the whole run. The
    /// second are those of the residency code of a look-up.
    #[must_use]
    pub fn results(&self, program: &Program) -> [Option<Registers>; 2] {
        use Instruction as I;
        let one = |start: Register| Some(Registers { start, len: 1 });
        let two = |start: Register| Some(Registers { start, len: 2 });
        let first = match *self {
            I::Constant(to, _)
            | I::Copy(to, _)
            | I::Unary(_, to, _)
            | I::Binary(_, to, ..)
            | I::Ternary(_, to, ..)
            | I::Quaternary(_, to, _)
            | I::Ask(_, to, _)
            | I::Compare(_, to, ..)
            | I::WideAsk(_, to, _)
            | I::WideCompare(_, to, ..)
            | I::Reduce(_, _, to, _)
            | I::Select(to, ..)
            | I::Bound(to, ..)
            | I::Load { to, .. }
            | I::Derivative(_, to, _)
            | I::IsHelper(to)
            | I::Atomic(_, to, ..)
            | I::Bytes(to, _)
            | I::Group(_, to, ..)
            | I::AtCentroid(to, _)
            | I::AtSample(to, ..)
            | I::AtOffset(to, ..) => one(to),
            I::WideUnary(_, to, _)
            | I::WideBinary(_, to, ..)
            | I::WideTernary(_, to, ..)
            | I::WideAtomic(_, to, ..) => two(to),
            I::Read(access, to, _) => Some(Registers { start: to, len: access.width.registers() }),
            I::PointerTo(to, _) => two(to),
            I::Convert(_, into, to, _) if into.is_wide() => two(to),
            I::Convert(_, _, to, _) => one(to),
            I::Undefine(to) | I::Store { to, .. } | I::Query(_, to, ..) | I::Clock(to) => Some(to),
            I::Lookup(id) => {
                let lookup = &program.lookups[id.0 as usize];
                return [Some(lookup.to), lookup.residency.and_then(one)];
            }
            I::Image(id) => match program.image_ops[id.0 as usize].access {
                ImageAccess::Load(to) => Some(to),
                ImageAccess::Atomic(to, ..) => one(to),
                ImageAccess::Store(_) => None,
            },
            I::Call(_)
            | I::Discard
            | I::Demote
            | I::Write(..)
            | I::Barrier
            | I::Emit(_)
            | I::EndPrimitive(_)
            | I::Marker(_) => None,
        };
        [first, None]
    }
}
