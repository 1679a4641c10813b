//! One block after another.

use lanes::Mask;

use super::{Observer, Path, Trap, Wave};
use crate::ir::{Axis, BlockId, FunctionId, Instruction, Registers, Terminator};

impl<const W: usize> Wave<'_, W> {
    pub(super) fn run(
        &mut self,
        function: FunctionId,
        mask: Mask<W>,
        budget: u64,
        observer: &mut impl Observer<W>,
    ) -> Result<(), Trap> {
        self.paths.clear();
        self.paths.push(Path { function, block: Some(BlockId(0)), next: 0, until: None, mask });
        let mut left = budget;
        while let Some(path) = self.paths.last().copied() {
            let mask = path.mask.and(&self.alive);
            let Some(block) = path.block.filter(|b| Some(*b) != path.until && mask.any()) else {
                self.paths.pop();
                continue;
            };
            if path.next == 0 {
                left = left.checked_sub(1).ok_or(Trap::Endless(budget))?;
            }
            self.block(path, block, &mask, observer);
        }
        Ok(())
    }

    /// Runs a block from where its path stands to its end or its next call.
    fn block(&mut self, path: Path<W>, block: BlockId, mask: &Mask<W>, observer: &mut impl Observer<W>) {
        let program = self.program;
        let row = &program.functions[path.function.0 as usize].blocks[block.0 as usize];
        let top = self.paths.len() - 1;
        for (offset, instruction) in row.instructions[path.next..].iter().enumerate() {
            match *instruction {
                Instruction::Call(function) => {
                    self.paths[top].next = path.next + offset + 1;
                    let mask = mask.and(&self.alive);
                    self.paths.push(Path { function, block: Some(BlockId(0)), next: 0, until: None, mask });
                    return;
                }
                Instruction::Discard => {
                    self.alive = self.alive.without(mask);
                    return;
                }
                Instruction::Marker(marker) => observer.marker(self, marker, mask),
                ref other => self.instruction(other, mask),
            }
        }
        self.paths[top].next = 0;
        match row.terminator {
            Terminator::Jump(to) => self.paths[top].block = Some(to),
            Terminator::Return => self.paths[top].block = None,
            Terminator::Branch(condition, yes, no) => {
                let chosen = Mask::from_bools(&self.registers[condition.0 as usize]);
                let (on, off) = (mask.and(&chosen), mask.without(&chosen));
                if !off.any() {
                    self.paths[top].block = Some(yes);
                } else if !on.any() {
                    self.paths[top].block = Some(no);
                } else {
                    self.paths[top].block = row.meets;
                    let side = |block, mask| Path { block: Some(block), next: 0, until: row.meets, mask, ..path };
                    self.paths.push(side(no, off));
                    self.paths.push(side(yes, on));
                }
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, mask: &Mask<W>) {
        let r = |register: crate::ir::Register| &self.registers[register.0 as usize];
        let n = &self.numerics;
        let (to, value) = match *instruction {
            Instruction::Constant(to, bits) => (to, [bits; W]),
            Instruction::Copy(to, from) => (to, *r(from)),
            Instruction::Unary(op, to, a) => (to, lanes::op1(op, r(a), n)),
            Instruction::Binary(op, to, a, b) => (to, lanes::op2(op, r(a), r(b), n)),
            Instruction::Ternary(op, to, a, b, c) => (to, lanes::op3(op, r(a), r(b), r(c), n)),
            Instruction::Quaternary(op, to, [a, b, c, d]) => (to, lanes::op4(op, [r(a), r(b), r(c), r(d)])),
            Instruction::Ask(test, to, a) => (to, lanes::test1(test, r(a))),
            Instruction::Compare(test, to, a, b) => (to, lanes::test2(test, r(a), r(b), n)),
            Instruction::Convert(from, into, to, a) => (to, lanes::convert(from, into, r(a), n)),
            Instruction::Select(to, condition, yes, no) => (to, lanes::select(r(condition), r(yes), r(no))),
            Instruction::Load { to, from, index } => (to, self.gather(from, r(index))),
            Instruction::Store { to, index, from } => return self.scatter(to, index, from, mask),
            Instruction::Derivative(axis, to, from) => (to, derivative(axis, r(from))),
            Instruction::Call(_) | Instruction::Discard | Instruction::Marker(_) => return,
        };
        lanes::assign(&mut self.registers[to.0 as usize], &value, mask);
    }

    fn gather(&self, from: Registers, index: &[u32; W]) -> [u32; W] {
        std::array::from_fn(|lane| {
            let index = index[lane];
            if index < from.len { self.registers[from.at(index).0 as usize][lane] } else { 0 }
        })
    }

    fn scatter(&mut self, to: Registers, index: crate::ir::Register, from: crate::ir::Register, mask: &Mask<W>) {
        let index = self.registers[index.0 as usize];
        let value = self.registers[from.0 as usize];
        for lane in 0..W {
            if mask.words()[lane] != 0 && index[lane] < to.len {
                self.registers[to.at(index[lane]).0 as usize][lane] = value[lane];
            }
        }
    }
}

/// The difference across the quad, the same for both lanes of a row or column.
fn derivative<const W: usize>(axis: Axis, value: &[u32; W]) -> [u32; W] {
    let bit = match axis {
        Axis::X => 1,
        Axis::Y => 2,
    };
    std::array::from_fn(|lane| {
        let (low, high) = (lane & !bit, lane | bit);
        match value.get(high) {
            Some(&high) => (f32::from_bits(high) - f32::from_bits(value[low])).to_bits(),
            None => 0,
        }
    })
}
