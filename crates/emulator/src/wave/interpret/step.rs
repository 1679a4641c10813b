//! One block after another. These are the interpreter's methods of a wave.

use lanes::Mask;
use moment::SiteId;

use super::super::state::Path;
use super::super::{Flow, Stop, WaveState};
use super::{Code, Watched};
use crate::host::{At, Host};
use crate::ir::{Axis, BlockId, Instruction, Register, Registers, Terminator};

/// How a block is left.
enum Step {
    /// By all lanes, to another of the function's blocks.
    On(BlockId),
    /// In another way: what comes next is on the stack of paths.
    Elsewhere,
    /// The run stops.
    Stop(Stop),
}

impl<const W: usize> WaveState<W> {
    /// Runs from where the wave is. The budget counts blocks.
    pub(super) fn interpret<const ON: bool>(
        &mut self,
        code: Code<'_>,
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
        budget: &mut u64,
    ) -> Stop {
        while let Some(path) = self.paths.last().copied() {
            let mask = path.mask.and(&self.alive);
            let Some(block) = path.block.filter(|b| Some(*b) != path.until && mask.any()) else {
                self.paths.pop();
                continue;
            };
            if path.next == 0 {
                match budget.checked_sub(1) {
                    Some(left) => *budget = left,
                    None => return Stop::Spent,
                }
            }
            if let Some(stop) = self.follow(code, &path, (block, &mask), host, watched, budget) {
                return stop;
            }
        }
        Stop::Done
    }

    /// Runs blocks from where a path is, for as long as its lanes stay together: to the path's end, its next call or its
    /// next stop.
    fn follow<const ON: bool>(
        &mut self,
        code: Code<'_>,
        path: &Path<W>,
        (block, mask): (BlockId, &Mask<W>),
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
        budget: &mut u64,
    ) -> Option<Stop> {
        let full = mask.all();
        let (mut at, mut next) = (block, path.next);
        loop {
            match self.block(code, path, (at, next), (mask, full), host, watched) {
                Step::On(to) => at = to,
                Step::Elsewhere => return None,
                Step::Stop(stop) => return Some(stop),
            }
            if Some(at) == path.until {
                return None;
            }
            match budget.checked_sub(1) {
                Some(left) => *budget = left,
                None => return Some(Stop::Spent),
            }
            next = 0;
        }
    }

    /// Runs a block from where its path is to its end, its next call or its next stop.
    #[inline(always)]
    fn block<const ON: bool>(
        &mut self,
        code: Code<'_>,
        path: &Path<W>,
        (block, next): (BlockId, usize),
        (mask, full): (&Mask<W>, bool),
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
    ) -> Step {
        let row = &code.program.functions[path.function.0 as usize].blocks[block.0 as usize];
        let top = self.paths.len() - 1;
        for (at, instruction) in row.instructions.iter().enumerate().skip(next) {
            match *instruction {
                Instruction::Call(function) => {
                    self.paths[top].next = at + 1;
                    let mask = mask.and(&self.alive);
                    self.paths.push(Path { function, block: Some(BlockId(0)), next: 0, until: None, mask });
                    return Step::Elsewhere;
                }
                Instruction::Discard => {
                    self.alive = self.alive.without(mask);
                    self.paths[top].next = at + 1;
                    return Step::Elsewhere;
                }
                Instruction::Barrier => {
                    self.announce(top, at, instruction, row.origins[at], mask, watched);
                    self.paths[top].next = at + 1;
                    return Step::Stop(Stop::Barrier);
                }
                Instruction::Marker(marker) => {
                    if watched.wants_markers() && watched.observer.marker(self, marker, mask) == Flow::Pause {
                        self.paths[top].next = at + 1;
                        return Step::Stop(Stop::Paused);
                    }
                }
                ref other => {
                    self.announce(top, at, other, row.origins[at], mask, watched);
                    self.observed(code, other, row.origins[at], (mask, full), host, watched);
                }
            }
        }
        self.paths[top].next = row.instructions.len();
        let to = match row.terminator {
            Terminator::Jump(to) => to,
            Terminator::Return => {
                self.paths[top].block = None;
                self.paths[top].next = 0;
                return Step::Elsewhere;
            }
            Terminator::Branch(condition, yes, no) => {
                let chosen = Mask::from_bools(&self.registers[condition.0 as usize]);
                let (on, off) = (mask.and(&chosen), mask.without(&chosen));
                if watched.wants_markers() {
                    watched.observer.branch(self, row.origins.last().copied().flatten(), &on, &off);
                }
                if !off.any() {
                    yes
                } else if !on.any() {
                    no
                } else {
                    self.paths[top].block = row.meets;
                    self.paths[top].next = 0;
                    // A side that begins where the lanes reconverge has nothing to do.
                    for (to, mask) in [(no, off), (yes, on)] {
                        if Some(to) != row.meets {
                            self.paths.push(Path { block: Some(to), next: 0, until: row.meets, mask, ..*path });
                        }
                    }
                    return Step::Elsewhere;
                }
            }
        };
        self.paths[top].block = Some(to);
        self.paths[top].next = 0;
        Step::On(to)
    }

    /// Tells the observer which instruction comes next, and where.
    #[inline(always)]
    fn announce<const ON: bool>(
        &mut self,
        top: usize,
        at: usize,
        instruction: &Instruction,
        origin: Option<SiteId>,
        mask: &Mask<W>,
        watched: &mut Watched<'_, W, ON>,
    ) {
        if watched.wants_instructions() {
            self.paths[top].next = at;
            watched.observer.before(self, instruction, origin, mask);
        }
    }

    #[inline(always)]
    fn observed<const ON: bool>(
        &mut self,
        code: Code<'_>,
        instruction: &Instruction,
        origin: Option<SiteId>,
        (mask, full): (&Mask<W>, bool),
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
    ) {
        if !self.compute(code, instruction, mask, full) {
            self.reach_out(code, instruction, mask, host, watched);
        }
        if watched.wants_instructions() {
            watched.observer.after(self, instruction, origin, mask);
        }
    }

    /// Instructions on registers alone; false for others.
    #[inline(always)]
    fn compute(&mut self, code: Code<'_>, instruction: &Instruction, mask: &Mask<W>, full: bool) -> bool {
        let r = |register: Register| &self.registers[register.0 as usize];
        let n = code.numerics;
        // Each arm writes its own result: a value passed on through a common place would be copied once more.
        match *instruction {
            Instruction::Constant(to, bits) => self.put(to, &[bits; W], mask, full),
            Instruction::Copy(to, from) => {
                let value = *r(from);
                self.put(to, &value, mask, full);
            }
            Instruction::Unary(op, to, a) => {
                let value = lanes::op1(op, r(a), n);
                self.put(to, &value, mask, full);
            }
            Instruction::Binary(op, to, a, b) => {
                let value = lanes::op2(op, r(a), r(b), n);
                self.put(to, &value, mask, full);
            }
            Instruction::Ternary(op, to, a, b, c) => {
                let value = lanes::op3(op, r(a), r(b), r(c), n);
                self.put(to, &value, mask, full);
            }
            Instruction::Compare(test, to, a, b) => {
                let value = lanes::test2(test, r(a), r(b), n);
                self.put(to, &value, mask, full);
            }
            Instruction::Select(to, condition, yes, no) => {
                let value = lanes::select(r(condition), r(yes), r(no));
                self.put(to, &value, mask, full);
            }
            _ => return self.compute_seldom(code, instruction, mask),
        }
        true
    }

    /// Writes a register: all of it if every lane is on, which is the same for a whole block.
    #[inline(always)]
    fn put(&mut self, to: Register, value: &[u32; W], mask: &Mask<W>, full: bool) {
        let register = &mut self.registers[to.0 as usize];
        if full {
            *register = *value;
        } else {
            lanes::assign(register, value, mask);
        }
    }

    /// The rarer ones, kept out of the loop.
    #[inline(never)]
    fn compute_seldom(&mut self, code: Code<'_>, instruction: &Instruction, mask: &Mask<W>) -> bool {
        let r = |register: Register| &self.registers[register.0 as usize];
        let w = |register: Register| lanes::join(r(register), r(Register(register.0 + 1)));
        let n = code.numerics;
        let (to, value) = match *instruction {
            Instruction::Undefine(run) => {
                for register in run.iter() {
                    self.assign(register, &[0; W], mask);
                }
                return true;
            }
            Instruction::Quaternary(op, to, [a, b, c, d]) => (to, lanes::op4(op, [r(a), r(b), r(c), r(d)])),
            Instruction::Ask(test, to, a) => (to, lanes::test1(test, r(a))),
            Instruction::WideAsk(test, to, a) => (to, lanes::test1(test, &w(a))),
            Instruction::WideCompare(test, to, a, b) => (to, lanes::test2(test, &w(a), &w(b), n)),
            Instruction::WideUnary(op, to, a) => {
                let value = lanes::op1(op, &w(a), n);
                return self.assign_wide(to, &value, mask);
            }
            Instruction::WideBinary(op, to, a, b) => {
                let value = lanes::op2(op, &w(a), &w(b), n);
                return self.assign_wide(to, &value, mask);
            }
            Instruction::WideTernary(op, to, a, b, c) => {
                let value = lanes::op3(op, &w(a), &w(b), &w(c), n);
                return self.assign_wide(to, &value, mask);
            }
            Instruction::Convert(from, into, to, a) => match (from.is_wide(), into.is_wide()) {
                (false, false) => (to, lanes::convert(from, into, r(a), n)),
                (true, false) => (to, lanes::convert(from, into, &w(a), n)),
                (false, true) => {
                    let value = lanes::convert(from, into, r(a), n);
                    return self.assign_wide(to, &value, mask);
                }
                (true, true) => {
                    let value = lanes::convert(from, into, &w(a), n);
                    return self.assign_wide(to, &value, mask);
                }
            },
            Instruction::Reduce(precision, of, to, a) => (to, lanes::reduce(r(a), precision, of)),
            Instruction::Bound(to, index, count) => (to, r(index).map(|i| i.min(count.saturating_sub(1)))),
            Instruction::Load { to, from, index } => (to, self.gather(from, r(index))),
            Instruction::Store { to, index, from } => {
                self.scatter(to, index, from, mask);
                return true;
            }
            Instruction::Derivative(axis, to, from) => (to, derivative(axis, r(from))),
            _ => return false,
        };
        lanes::assign(&mut self.registers[to.0 as usize], &value, mask);
        true
    }

    pub(super) fn assign_wide(&mut self, to: Register, value: &[u64; W], mask: &Mask<W>) -> bool {
        let (low, high) = lanes::split(value);
        self.assign(to, &low, mask);
        self.assign(Register(to.0 + 1), &high, mask);
        true
    }

    pub(super) fn assign(&mut self, to: Register, value: &[u32; W], mask: &Mask<W>) {
        lanes::assign(&mut self.registers[to.0 as usize], value, mask);
    }

    /// Instructions that need the host, or the state of the lanes.
    fn reach_out<const ON: bool>(
        &mut self,
        code: Code<'_>,
        instruction: &Instruction,
        mask: &Mask<W>,
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
    ) {
        let writers = mask.without(&self.helpers);
        let observer = &mut *watched.observer;
        match *instruction {
            Instruction::Demote => self.helpers = self.helpers.or(mask),
            Instruction::IsHelper(to) => {
                let value = self.helpers.words().map(|word| word & 1);
                self.assign(to, &value, mask);
            }
            Instruction::Read(access, to, address) => self.read(access, to, &address, mask, host, observer),
            Instruction::Write(width, address, from) => self.write(width, &address, from, &writers, host, observer),
            Instruction::Atomic(op, to, address, operands) => {
                self.atomic(op, to, &address, operands, &writers, host, observer);
            }
            Instruction::WideAtomic(op, to, address, operands) => {
                self.wide_atomic(op, to, &address, operands, &writers, host, observer);
            }
            Instruction::Bytes(to, address) => self.bytes(to, &address, mask, host),
            Instruction::PointerTo(to, address) => self.pointer_to(to, &address, mask),
            Instruction::Lookup(id) => self.lookup(&code.program.lookups[id.0 as usize], id, mask, host, watched),
            Instruction::Image(id) => self.image(&code.program.image_ops[id.0 as usize], mask, &writers, host, watched),
            Instruction::Query(query, to, handle, operand) => self.query(query, to, handle, operand, mask, host),
            Instruction::Group(op, to, from, operand) => self.group(code, (op, to), from, operand, mask),
            Instruction::Clock(to) => {
                let now = host.clock();
                self.assign(to.at(0), &[now as u32; W], mask);
                self.assign(to.at(1), &[(now >> 32) as u32; W], mask);
            }
            Instruction::Emit(stream) => {
                for lane in on(&writers) {
                    let stream = self.registers[stream.0 as usize][lane];
                    host.emit(lane, stream, &|register| self.registers[register.0 as usize][lane]);
                }
            }
            Instruction::EndPrimitive(stream) => {
                for lane in on(&writers) {
                    host.end_primitive(lane, self.registers[stream.0 as usize][lane]);
                }
            }
            Instruction::AtCentroid(to, input) => self.interpolate(to, input, mask, host, |_| At::Centroid),
            Instruction::AtSample(to, input, sample) => {
                let samples = self.registers[sample.0 as usize];
                self.interpolate(to, input, mask, host, |lane| At::Sample(samples[lane] as i32));
            }
            Instruction::AtOffset(to, input, x, y) => {
                let (x, y) = (self.registers[x.0 as usize], self.registers[y.0 as usize]);
                let offset = |lane: usize| At::Offset([f32::from_bits(x[lane]), f32::from_bits(y[lane])]);
                self.interpolate(to, input, mask, host, offset);
            }
            _ => {}
        }
    }

    fn interpolate(
        &mut self,
        to: Register,
        input: Register,
        mask: &Mask<W>,
        host: &dyn Host,
        at: impl Fn(usize) -> At,
    ) {
        let mut value = self.registers[input.0 as usize];
        for lane in on(mask) {
            if let Some(word) = host.interpolate(input, lane, at(lane)) {
                value[lane] = word;
            }
        }
        self.assign(to, &value, mask);
    }

    fn gather(&self, from: Registers, index: &[u32; W]) -> [u32; W] {
        std::array::from_fn(|lane| {
            let index = index[lane];
            if index < from.len { self.registers[from.at(index).0 as usize][lane] } else { 0 }
        })
    }

    fn scatter(&mut self, to: Registers, index: Register, from: Register, mask: &Mask<W>) {
        let index = self.registers[index.0 as usize];
        let value = self.registers[from.0 as usize];
        for lane in on(mask) {
            if index[lane] < to.len {
                self.registers[to.at(index[lane]).0 as usize][lane] = value[lane];
            }
        }
    }
}

/// Returns the lanes that are on, in order.
pub(super) fn on<const W: usize>(mask: &Mask<W>) -> impl Iterator<Item = usize> {
    let words = *mask.words();
    (0..W).filter(move |&lane| words[lane] != 0)
}

/// Returns the differences across quads, the same for both lanes of a row or column.
pub(super) fn derivative<const W: usize>(axis: Axis, value: &[u32; W]) -> [u32; W] {
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
