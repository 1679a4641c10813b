//! What a wave is.

use std::sync::Arc;

use lanes::Mask;

use super::ProgramCounter;
use crate::ir::{Address, Base, BlockId, FunctionId, Pointer, Program, Register, Space};

/// Lanes on their way through one stretch of control flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Path<const W: usize> {
    pub function: FunctionId,
    /// `None` at the function's end.
    pub block: Option<BlockId>,
    /// The next instruction of the block.
    pub next: usize,
    /// Where the path ends.
    pub until: Option<BlockId>,
    pub mask: Mask<W>,
}

/// `W` invocations of a program at one point of their run: plain data, of which a copy is a checkpoint.
#[derive(Clone)]
pub struct WaveState<const W: usize> {
    pub(super) program: Arc<Program>,
    pub(super) registers: Vec<[u32; W]>,
    /// [`Space::Private`] memory, in words.
    pub(super) private: Vec<[u32; W]>,
    /// The innermost path is the last.
    pub(super) paths: Vec<Path<W>>,
    pub(super) alive: Mask<W>,
    pub(super) helpers: Mask<W>,
}

/// Where an access goes in one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResolvedAddress {
    /// The space; not [`Space::Generic`].
    pub space: Space,
    /// The buffer.
    pub slot: u32,
    /// The first byte; `None` if it does not fit 32 bits.
    pub offset: Option<u32>,
}

impl<const W: usize> WaveState<W> {
    /// Returns invocations with all registers zero, before anything has run.
    #[must_use]
    pub fn new(program: &Arc<Program>) -> WaveState<W> {
        let mut registers = vec![[0; W]; program.registers as usize];
        for (register, bits) in &program.presets {
            registers[register.0 as usize] = [*bits; W];
        }
        WaveState {
            program: Arc::clone(program),
            registers,
            private: vec![[0; W]; program.private_bytes.div_ceil(4) as usize],
            paths: Vec::new(),
            alive: Mask::from_bits(u64::MAX),
            helpers: Mask::NONE,
        }
    }

    /// Returns the program it runs.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns what a register holds, lane by lane.
    #[must_use]
    pub fn register(&self, register: Register) -> &[u32; W] {
        &self.registers[register.0 as usize]
    }

    /// Sets a register: how inputs and uniforms get in.
    pub fn set(&mut self, register: Register, values: [u32; W]) {
        self.registers[register.0 as usize] = values;
    }

    /// Returns the private memory of a lane.
    #[must_use]
    pub fn private_memory(&self, lane: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.private.iter().flat_map(|word| word[lane].to_le_bytes()).collect();
        bytes.truncate(self.program.private_bytes as usize);
        bytes
    }

    /// Returns everything that is held lane by lane: registers, then private memory.
    pub(crate) fn words_mut(&mut self) -> [&mut Vec<[u32; W]>; 2] {
        [&mut self.registers, &mut self.private]
    }

    /// Returns the lanes that were not discarded.
    #[must_use]
    pub fn alive(&self) -> &Mask<W> {
        &self.alive
    }

    /// Returns the helper invocations: lanes that run only for the derivatives of others, or were demoted. They write
    /// nothing.
    #[must_use]
    pub fn helpers(&self) -> &Mask<W> {
        &self.helpers
    }

    /// Makes lanes helper invocations; call it before the run.
    pub fn set_helpers(&mut self, helpers: Mask<W>) {
        self.helpers = helpers;
    }

    /// Becomes equal to another wave of the same program, without allocating.
    pub fn reset_to(&mut self, other: &Self) {
        self.registers.copy_from_slice(&other.registers);
        self.private.copy_from_slice(&other.private);
        self.paths.clone_from(&other.paths);
        (self.alive, self.helpers) = (other.alive, other.helpers);
    }

    /// Returns whether both are at the same point with the same values.
    #[must_use]
    pub fn same_state(&self, other: &Self) -> bool {
        (&self.registers, &self.private, &self.paths, self.alive, self.helpers)
            == (&other.registers, &other.private, &other.paths, other.alive, other.helpers)
    }

    /// Returns roughly how many bytes a copy takes.
    #[must_use]
    pub fn copy_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.registers[..])
            + size_of_val(&self.private[..])
            + size_of_val(&self.paths[..])
    }

    /// Returns a copy that is about to run another program's entry function on the same registers and additional ones
    /// after them.
    pub(crate) fn diverted(&self, program: &Arc<Program>, lanes: Mask<W>) -> WaveState<W> {
        let mut copy = self.clone();
        copy.program = Arc::clone(program);
        copy.registers.resize(program.registers as usize, [0; W]);
        copy.start(lanes);
        copy
    }

    /// Puts these lanes at the beginning of the entry function.
    pub fn start(&mut self, mask: Mask<W>) {
        self.begin(self.program.entry, mask);
    }

    pub(super) fn begin(&mut self, function: FunctionId, mask: Mask<W>) {
        self.alive = mask;
        self.paths.clear();
        self.paths.push(Path { function, block: Some(BlockId(0)), next: 0, until: None, mask });
    }

    /// Returns where the lanes are that run next; `None` when all are done.
    #[must_use]
    pub fn program_counter(&self) -> Option<ProgramCounter<W>> {
        let path = self.paths.last()?;
        Some(ProgramCounter {
            function: path.function,
            block: path.block?,
            next: path.next,
            mask: path.mask.and(&self.alive),
            depth: self.paths.len(),
        })
    }

    /// Returns where an address leads in a lane; `None` if it is a pointer to nothing, or to another space.
    #[must_use]
    pub fn resolve(&self, address: &Address, lane: usize) -> Option<ResolvedAddress> {
        let word = |register: Option<Register>| register.map_or(0, |r| self.registers[r.0 as usize][lane]);
        let offset = address.offset.checked_add(word(address.index));
        match address.base {
            Base::Slot(slot, index) => {
                let slot = slot.wrapping_add(word(index));
                Some(ResolvedAddress { space: address.space, slot, offset })
            }
            Base::Pointer(register) => {
                let half = |i: u32| u64::from(self.registers[(register.0 + i) as usize][lane]);
                let pointer = Pointer::from_bits(half(0) | half(1) << 32)?;
                let matches = address.space == Space::Generic || address.space == pointer.space;
                let offset = offset.and_then(|offset| pointer.offset.checked_add(offset));
                matches.then_some(ResolvedAddress { space: pointer.space, slot: pointer.slot, offset })
            }
        }
    }
}
