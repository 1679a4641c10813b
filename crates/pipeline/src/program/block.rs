//! Uniform and storage blocks, and their binding points.

use emulator::host::Space;
use shader::link::{Linked, LinkedBlock};
use shader::typed::BlockId;
use shader::version::Stage;

use super::{Program, StageProgram};

/// The binding points by block of [`Linked::blocks`] and instance.
pub(super) fn initial(linked: &Linked) -> Vec<Vec<u32>> {
    let bindings = |block: &LinkedBlock| {
        let count = block.count.min(1 << 16);
        match block.binding {
            Some(first) => (0..count).map(|i| first.saturating_add(i)).collect(),
            None => vec![0; count as usize],
        }
    };
    linked.blocks.iter().map(bindings).collect()
}

/// The space, block and instance of every slot of a stage. `units` are the stage's shaders.
pub(super) fn slots(linked: &Linked, units: &[usize], program: &emulator::ir::Program) -> Vec<(Space, usize, usize)> {
    let mut slots = Vec::new();
    for row in &program.blocks {
        let Some(&unit) = units.get(row.unit) else { continue };
        let found = linked.blocks.iter().position(|b| b.declared.contains(&(unit, BlockId(row.block))));
        let first = row.first as usize;
        slots.resize(slots.len().max(first + row.count as usize), (row.space, usize::MAX, 0));
        for instance in 0..row.count as usize {
            slots[first + instance] = (row.space, found.unwrap_or(usize::MAX), instance);
        }
    }
    slots
}

impl Program {
    /// The block with this name (`Lights`, or `Lights[2]` in an array of blocks) and its instance.
    fn find_block(&self, name: &str) -> Option<(usize, usize)> {
        let (base, tail) = name.split_at(name.find('[').unwrap_or(name.len()));
        let index = self.linked.blocks.iter().position(|b| b.name == base)?;
        let (unit, block) = self.linked.blocks[index].declared[0];
        let typed = &self.shaders[unit].typed;
        let mut ty = typed.block(block).ty;
        // Arrays of arrays are numbered consecutively.
        let mut instance = 0usize;
        let mut numbers = tail.split(['[', ']']).filter(|part| !part.is_empty());
        while let Some(array) = typed.types.as_array(ty) {
            let number: usize = numbers.next().map_or(Some(0), |n| n.parse().ok())?;
            instance = instance.checked_mul(array.size? as usize)?.checked_add(number)?;
            ty = array.element;
        }
        (instance < self.block_bindings[index].len()).then_some((index, instance))
    }

    /// A uniform or storage block by name, with its layout.
    #[must_use]
    pub fn block(&self, name: &str) -> Option<&LinkedBlock> {
        self.find_block(name).map(|(index, _)| &self.linked.blocks[index])
    }

    /// The binding point of a block; `Lights[2]` names an element of an array of blocks.
    #[must_use]
    pub fn block_binding(&self, name: &str) -> Option<u32> {
        self.find_block(name).map(|(index, instance)| self.block_bindings[index][instance])
    }

    /// `glUniformBlockBinding`, `glShaderStorageBlockBinding`. Returns false if there is no such block.
    pub fn set_block_binding(&mut self, name: &str, binding: u32) -> bool {
        let found = self.find_block(name);
        if let Some((index, instance)) = found {
            self.block_bindings[index][instance] = binding;
        }
        found.is_some()
    }

    /// The binding point of each slot of a stage; empty if there is no such stage. A slot whose block no longer exists
    /// has [`u32::MAX`].
    #[must_use]
    pub fn bindings(&self, stage: Stage) -> Vec<(Space, u32)> {
        self.stage(stage).map_or(Vec::new(), |stage| self.slot_bindings(stage))
    }

    pub(crate) fn slot_bindings(&self, stage: &StageProgram) -> Vec<(Space, u32)> {
        let binding = |&(space, block, instance): &(Space, usize, usize)| {
            let of_block = self.block_bindings.get(block).and_then(|b| b.get(instance));
            (space, of_block.copied().unwrap_or(u32::MAX))
        };
        stage.slots.iter().map(binding).collect()
    }
}
