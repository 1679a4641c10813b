//! Below the language: the instructions that run, the memory they see, and where they can be stopped.

use emulator::host::Space;
use emulator::ir::{Instruction, text};
use moment::Marker;

use crate::data::machine::{ListedInstruction, MemoryPlace};
use crate::error::SessionError;
use crate::open::{Pass, Session};

impl Session {
    /// The instructions that the emulator runs for a pass of the stack, by address.
    ///
    /// # Errors
    /// When there is no such pass.
    pub fn instructions(&self, pass: usize) -> Result<Vec<ListedInstruction>, SessionError> {
        let bench = &self.passes.get(pass).ok_or(SessionError::NoInvocation)?.bench;
        let program = bench.lowered();
        let mut all = Vec::new();
        for (address, line) in (0..).zip(text::listing(program)) {
            let function = &program.functions[line.function];
            let block = &function.blocks[line.block];
            let site = line.instruction.and_then(|at| match block.instructions[at] {
                Instruction::Marker(Marker::Statement(id) | Marker::Loop(id)) => Some(id),
                Instruction::Marker(Marker::Enter(id)) => Some(id),
                _ => block.origins.get(at).copied().flatten(),
            });
            // Only the first shader of a stage has its text here.
            let location = site.filter(|_| function.unit == 0).map(|site| bench.location(site));
            let name = format!("{} block {}", function.name, line.block);
            all.push(ListedInstruction { address, block: name, text: line.text, location });
        }
        Ok(all)
    }

    /// The address of the statement that a frame of the stack is at, in what [`Session::instructions`] lists.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn address(&self, frame: usize) -> Result<Option<u64>, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let program = pass.bench.lowered();
        let is_here = |instruction: &Instruction| match *instruction {
            Instruction::Marker(Marker::Statement(site) | Marker::Enter(site)) => site == moment.site,
            _ => false,
        };
        let mut address = 0;
        for block in program.functions.iter().flat_map(|function| &function.blocks) {
            if let Some(place) = block.instructions.iter().position(is_here) {
                return Ok(Some(address + place as u64));
            }
            address += block.instructions.len() as u64 + 1;
        }
        Ok(None)
    }

    /// Where a variable begins in a buffer, if it lies in one: a member of a block, or an instance of one.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn memory_of(&self, frame: usize, name: &str) -> Result<Option<MemoryPlace>, SessionError> {
        let (pass, moment) = self.frame(frame)?;
        let number = self.passes.iter().position(|other| std::ptr::eq(other, pass)).unwrap_or(0);
        let shader = pass.bench.shader();
        let is_it =
            |id: &shader::typed::VarId| shader.preprocessed.symbols.name(shader.typed.variable(*id).name) == name;
        let found = shader.visible_variables(moment.site.into()).into_iter().find(is_it);
        let pointer = found.and_then(|id| pass.bench.lowered().variable(emulator::glsl::variable(id)).pointer());
        Ok(pointer.map(|pointer| MemoryPlace {
            pass: number,
            space: space_name(pointer.space).to_owned(),
            slot: pointer.slot,
            offset: pointer.offset,
        }))
    }

    /// Everything that lies in the memory of a place, as it is now; the place's offset is in it.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn memory(&self, place: &MemoryPlace) -> Result<Vec<u8>, SessionError> {
        let pass: &Pass = self.passes.get(place.pass).ok_or(SessionError::NoInvocation)?;
        let space = SPACES.into_iter().find(|space| space_name(*space) == place.space);
        let space = space.ok_or_else(|| SessionError::NoSuchMemory { space: place.space.clone() })?;
        let slot = place.slot;
        pass.held.ask(move |run| run.memory(space, slot))
    }

    /// The lines of a text, of some, at which a breakpoint can stand.
    #[must_use]
    pub fn breakpoint_lines(&self, source: &str, first: u32, last: u32) -> Vec<u32> {
        let Some(bench) = self.bench_of(source) else { return Vec::new() };
        let mut lines = Vec::new();
        let mut line = first;
        while let Some((_, found)) =
            crate::locate::statement_from(bench.shader(), line).filter(|(_, found)| *found <= last)
        {
            lines.push(found);
            line = found + 1;
        }
        lines
    }
}

const SPACES: [Space; 5] = [Space::Uniform, Space::Storage, Space::Counter, Space::Workgroup, Space::Patch];

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Uniform => "uniform",
        Space::Storage => "storage",
        Space::Counter => "counter",
        Space::Workgroup => "shared",
        Space::Patch => "patch",
        Space::Private => "private",
        Space::Generic => "generic",
    }
}
