//! A program for unobserved runs: the same results in fewer instructions and blocks.
//!
//! What a debugger needs is left out - markers, notes, a copy for every assignment - so such a program has no moments.
//! Lanes still reconverge where they did, and every variable is where it was.

use super::{Address, Base, flow};
use super::{
    Block, BlockId, Detail, ImageAccess, Instruction, LookupKind, Program, Register, Registers, Terminator, Variable,
    Width,
};

/// How far back the search for the instruction goes whose result is copied.
const REACH: usize = 96;

impl Program {
    /// Returns the same program without what only observers need.
    #[must_use]
    pub fn bulk(&self) -> Program {
        let mut program = self.clone();
        for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
            block.instructions.retain(|i| !matches!(i, Instruction::Marker(_)));
            block.notes.clear();
        }
        let uses = Uses::count(&program);
        preset_constants(&mut program, &uses);
        for f in 0..program.functions.len() {
            for b in 0..program.functions[f].blocks.len() {
                let mut instructions = std::mem::take(&mut program.functions[f].blocks[b].instructions);
                write_at_once(&mut instructions, &uses, &program);
                program.functions[f].blocks[b].instructions = instructions;
            }
            join_blocks(&mut program.functions[f].blocks);
        }
        for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
            block.origins = vec![None; block.instructions.len()];
        }
        program
    }
}

/// How often each register is written and read; variables are also read from outside.
struct Uses {
    writes: Vec<u32>,
    reads: Vec<u32>,
    variable: Vec<bool>,
}

impl Uses {
    fn count(program: &Program) -> Uses {
        let count = program.registers as usize;
        let mut uses = Uses { writes: vec![0; count], reads: vec![0; count], variable: vec![false; count] };
        let homes = program.variables.iter().filter_map(Variable::registers);
        for register in homes.flat_map(Registers::iter) {
            uses.variable[register.0 as usize] = true;
        }
        for block in program.functions.iter().flat_map(|f| &f.blocks) {
            for instruction in &block.instructions {
                for register in instruction.results(program).into_iter().flatten().flat_map(Registers::iter) {
                    uses.writes[register.0 as usize] += 1;
                }
                instruction.operands(program, &mut |run| {
                    run.iter().for_each(|register| uses.reads[register.0 as usize] += 1);
                });
            }
            if let Terminator::Branch(condition, ..) = block.terminator {
                uses.reads[condition.0 as usize] += 1;
            }
        }
        uses
    }

    /// Whether a register is written once and belongs to no variable.
    fn is_temporary(&self, register: Register) -> bool {
        self.writes[register.0 as usize] == 1 && !self.variable[register.0 as usize]
    }
}

/// Puts constants into their registers before the run begins.
fn preset_constants(program: &mut Program, uses: &Uses) {
    let mut presets = Vec::new();
    for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instructions.retain(|instruction| match *instruction {
            Instruction::Constant(to, bits) if uses.is_temporary(to) => {
                presets.push((to, bits));
                false
            }
            _ => true,
        });
    }
    program.presets.extend(presets);
}

/// Writes results that are only copied to a variable directly to the variable.
fn write_at_once(instructions: &mut Vec<Instruction>, uses: &Uses, program: &Program) {
    let mut gone = vec![false; instructions.len()];
    for at in 0..instructions.len() {
        let Instruction::Copy(home, from) = instructions[at] else { continue };
        if !uses.is_temporary(from) || uses.reads[from.0 as usize] != 1 {
            continue;
        }
        for earlier in (at.saturating_sub(REACH)..at).rev().filter(|earlier| !gone[*earlier]) {
            if let Some(to) = instructions[earlier].result_mut().filter(|to| **to == from) {
                *to = home;
                gone[at] = true;
                break;
            }
            if !stays_clear(&instructions[earlier], home, program) {
                break;
            }
        }
    }
    let mut gone = gone.into_iter();
    instructions.retain(|_| !gone.next().unwrap_or(false));
}

/// Returns whether an instruction neither reads nor writes a register, and cannot end the block early.
fn stays_clear(instruction: &Instruction, home: Register, program: &Program) -> bool {
    use Instruction as I;
    if matches!(instruction, I::Call(_) | I::Discard | I::Demote | I::Barrier | I::Emit(_) | I::EndPrimitive(_)) {
        return false;
    }
    let contains = |run: Registers| (run.start.0..run.start.0 + run.len).contains(&home.0);
    let mut clear = !instruction.results(program).into_iter().flatten().any(contains);
    instruction.operands(program, &mut |run| clear &= !contains(run));
    clear
}

/// Joins blocks that always follow one another, and skips empty ones.
fn join_blocks(blocks: &mut [Block]) {
    let targets: Vec<BlockId> = (0..blocks.len() as u32).map(|b| past_empty(blocks, BlockId(b))).collect();
    for block in blocks.iter_mut() {
        block.terminator = match block.terminator {
            Terminator::Jump(to) => Terminator::Jump(targets[to.0 as usize]),
            Terminator::Branch(condition, yes, no) => {
                Terminator::Branch(condition, targets[yes.0 as usize], targets[no.0 as usize])
            }
            Terminator::Return => Terminator::Return,
        };
    }
    let mut ways_in = vec![0u32; blocks.len()];
    let reached = reached(blocks);
    for (block, _) in blocks.iter().zip(&reached).filter(|(_, reached)| **reached) {
        block.terminator.successors().for_each(|to| ways_in[to.0 as usize] += 1);
    }
    for at in (0..blocks.len()).filter(|at| reached[*at]) {
        while let Terminator::Jump(to) = blocks[at].terminator {
            let next = to.0 as usize;
            if next == 0 || next == at || ways_in[next] != 1 {
                break;
            }
            let (more, terminator) = (std::mem::take(&mut blocks[next].instructions), blocks[next].terminator);
            // Nothing leads to it any more; a return keeps it out of the graph.
            blocks[next].terminator = Terminator::Return;
            blocks[at].instructions.extend(more);
            blocks[at].terminator = terminator;
            ways_in[next] = 0;
        }
    }
    flow::find_meeting_points(blocks);
}

/// Returns the first block that is not empty, from a block on.
fn past_empty(blocks: &[Block], from: BlockId) -> BlockId {
    let mut at = from;
    // An endless loop of empty blocks has none; otherwise there are no more steps than blocks.
    for _ in 0..blocks.len() {
        match &blocks[at.0 as usize] {
            Block { instructions, terminator: Terminator::Jump(to), .. } if instructions.is_empty() => at = *to,
            _ => return at,
        }
    }
    from
}

fn reached(blocks: &[Block]) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut open = vec![BlockId(0)];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at.0 as usize], true) {
            continue;
        }
        open.extend(blocks[at.0 as usize].terminator.successors());
    }
    reached
}

impl Instruction {
    /// Returns the register, if the instruction computes a single one of 32 bits.
    fn result_mut(&mut self) -> Option<&mut Register> {
        use Instruction as I;
        match self {
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
            | I::Derivative(_, to, _) => Some(to),
            I::Read(access, to, _) if access.width != Width::W64 => Some(to),
            I::Convert(_, into, to, _) if !into.is_wide() => Some(to),
            _ => None,
        }
    }

    /// Calls back for the registers it may read, as far as is known before it runs.
    fn operands(&self, program: &Program, each: &mut dyn FnMut(Registers)) {
        use Instruction as I;
        let mut read = |start: Register, len: u32| each(Registers { start, len });
        let address = |a: &Address, read: &mut dyn FnMut(Register, u32)| {
            match a.base {
                Base::Slot(_, index) => index.into_iter().for_each(|register| read(register, 1)),
                Base::Pointer(pointer) => read(pointer, 2),
            }
            a.index.into_iter().for_each(|register| read(register, 1));
        };
        match *self {
            I::Constant(..) | I::Undefine(_) | I::Call(_) | I::Discard | I::Demote | I::IsHelper(_) => {}
            I::Barrier | I::Clock(_) | I::Marker(_) => {}
            I::Copy(_, a) | I::Unary(_, _, a) | I::Ask(_, _, a) | I::Reduce(_, _, _, a) | I::Bound(_, a, _) => {
                read(a, 1)
            }
            I::Derivative(_, _, a) | I::AtCentroid(_, a) | I::Emit(a) | I::EndPrimitive(a) => read(a, 1),
            I::Binary(_, _, a, b) | I::Compare(_, _, a, b) | I::AtSample(_, a, b) | I::Group(_, _, a, b) => {
                [a, b].into_iter().for_each(|r| read(r, 1));
            }
            I::Query(_, _, a, b) => [a, b].into_iter().for_each(|r| read(r, 1)),
            I::Ternary(_, _, a, b, c) | I::Select(_, a, b, c) | I::AtOffset(_, a, b, c) => {
                [a, b, c].into_iter().for_each(|r| read(r, 1));
            }
            I::Quaternary(_, _, operands) => operands.into_iter().for_each(|r| read(r, 1)),
            I::WideUnary(_, _, a) | I::WideAsk(_, _, a) => read(a, 2),
            I::WideBinary(_, _, a, b) | I::WideCompare(_, _, a, b) => [a, b].into_iter().for_each(|r| read(r, 2)),
            I::WideTernary(_, _, a, b, c) => [a, b, c].into_iter().for_each(|r| read(r, 2)),
            I::Convert(from, _, _, a) => read(a, if from.is_wide() { 2 } else { 1 }),
            I::Load { from, index, .. } => {
                read(from.start, from.len);
                read(index, 1);
            }
            I::Store { to, index, from } => {
                // What it does not write keeps its value, so the old values count.
                read(to.start, to.len);
                read(index, 1);
                read(from, 1);
            }
            I::Read(_, _, ref a) | I::Bytes(_, ref a) | I::PointerTo(_, ref a) => address(a, &mut read),
            I::Write(width, ref a, from) => {
                address(a, &mut read);
                read(from, width.registers());
            }
            I::Atomic(_, _, ref a, operands) => {
                address(a, &mut read);
                operands.into_iter().for_each(|r| read(r, 1));
            }
            I::WideAtomic(_, _, ref a, operands) => {
                address(a, &mut read);
                operands.into_iter().for_each(|r| read(r, 2));
            }
            I::Lookup(id) => {
                let lookup = &program.lookups[id.0 as usize];
                let single = [lookup.reference, lookup.sample, lookup.min_lod].into_iter().flatten();
                let gather = if let LookupKind::Gather(component) = lookup.kind { Some(component) } else { None };
                single.chain(gather).chain([lookup.handle]).for_each(|r| read(r, 1));
                lookup.coords.iter().chain(&lookup.offset).for_each(|r| read(*r, 1));
                match &lookup.detail {
                    Detail::Implicit(bias) => bias.iter().for_each(|r| read(*r, 1)),
                    Detail::Level(level) => read(*level, 1),
                    Detail::Gradient(x, y) => x.iter().chain(y).for_each(|r| read(*r, 1)),
                    Detail::Base => {}
                }
            }
            I::Image(id) => {
                let op = &program.image_ops[id.0 as usize];
                op.coords.iter().copied().chain(op.sample).chain([op.handle]).for_each(|r| read(r, 1));
                match op.access {
                    ImageAccess::Load(_) => {}
                    ImageAccess::Store(values) => values.into_iter().for_each(|r| read(r, 1)),
                    ImageAccess::Atomic(_, _, operands) => operands.into_iter().for_each(|r| read(r, 1)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lanes::{Mask, Numerics};

    use crate::Wave;
    use crate::glsl::testing::Source;
    use crate::ir::{Instruction, Program};

    /// Runs a body on four lanes as it is lowered and in bulk; returns the numbers of instructions.
    #[track_caller]
    fn check(body: &str) -> (usize, usize) {
        let text = format!("#version 450\nin float x; flat in int lane; out vec4 colour;\n{body}");
        let program = Source::fragment(&text).program;
        let bulk = Arc::new(program.bulk());
        let run = |program: &Arc<Program>| {
            let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
            wave.initialize(Mask::ALL).expect("initializers end");
            if let Some((_, home)) = program.locate("x") {
                wave.set(home.start, [0.25f32, 1.5, -2.0, 3.0].map(f32::to_bits));
            }
            if let Some((_, home)) = program.locate("lane") {
                wave.set(home.start, [0, 1, 2, 3]);
            }
            wave.main(Mask::ALL, 10_000, &mut (), &mut ()).expect("an end");
            let (_, home) = program.locate("colour").expect("a colour");
            home.iter().map(|register| *wave.register(register)).collect::<Vec<_>>()
        };
        assert_eq!(run(&program), run(&bulk));
        let count = |program: &Program| {
            let blocks = program.functions.iter().flat_map(|f| &f.blocks);
            blocks.flat_map(|b| &b.instructions).filter(|i| !matches!(i, Instruction::Marker(_))).count()
        };
        (count(&program), count(&bulk))
    }

    #[test]
    fn results_stay_and_copies_disappear() {
        let (before, after) =
            check("void main() { float y = x * 2.0; y = y + 1.0; colour = vec4(y, y * x, 0.5, 1.0); }");
        assert!(after + 7 <= before, "{before} {after}");
    }

    #[test]
    fn what_is_read_before_it_is_overwritten_is_read() {
        check("void main() { vec3 v = vec3(x, 1.0, 2.0); v = vec3(v.y - v.x, v.x + v.z, v.y); colour = v.xyzx; }");
        check(
            "void main() { vec2 v = vec2(x, lane); for (int i = 0; i < 5; i++) v = v.yx + float(i); colour = v.xyyx; }",
        );
    }

    #[test]
    fn lanes_diverge_and_reconverge_as_before() {
        check(
            "float f(float a) { if (a > 1.0) return a * 2.0; return a - 1.0; }
            void main() {
                float sum = 0.0;
                for (int i = 0; i < lane + 2; i++) { if (i == 2) continue; sum += f(x) + float(i); if (sum > 9.0) break; }
                switch (lane) { case 1: sum += 1.0; case 2: sum *= 2.0; break; default: sum -= 4.0; }
                if (lane == 3) discard;
                colour = vec4(sum);
            }",
        );
    }

    #[test]
    fn globals_that_functions_change_are_written_in_order() {
        check(
            "float g = 1.0; float f() { g += 1.0; return g; } void main() { float a = g + 0.0; f(); g = a * 3.0 + f(); colour = vec4(g, a, f(), x); }",
        );
    }
}
