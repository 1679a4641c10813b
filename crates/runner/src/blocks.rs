//! Uniform blocks: a buffer for each, and values of members by name.

use pipeline::{BufferId, BufferRange, Program, State};
use shader::layout::MemberLayout;
use shader::link::LinkedBlock;
use shader_test::command::{Block, Uniform, Values};

/// What the last `block` commands say about the uniforms that follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blocks {
    array_index: u32,
}

impl Blocks {
    /// Records a command. Only array indices matter: the other commands are for blocks without names, which GLSL does
    /// not have.
    pub(crate) fn set(&mut self, command: Block) {
        if let Block::ArrayIndex(index) = command {
            self.array_index = index;
        }
    }
}

/// The buffers of uniform blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockBuffers {
    /// Buffers by instance, in the order of the [`LinkedBlock`]s; storage blocks have none.
    buffers: Vec<Vec<BufferId>>,
}

/// Creates and binds a buffer for each uniform block, as `shader_runner` does before the first command.
pub(crate) fn make(program: &mut Program, state: &mut State) -> BlockBuffers {
    let mut made = BlockBuffers::default();
    let mut binding = 0;
    let names: Vec<(Vec<String>, u32)> = program.linked().blocks.iter().map(|block| names(program, block)).collect();
    for (instances, size) in names {
        let mut buffers = Vec::new();
        for name in instances {
            let buffer = state.add_buffer(vec![0; size as usize]);
            state.uniform_buffers.insert(binding, BufferRange { buffer, offset: 0, size: None });
            program.set_block_binding(&name, binding);
            binding += 1;
            buffers.push(buffer);
        }
        made.buffers.push(buffers);
    }
    made
}

/// The names of a uniform block's instances, and its size; empty for a storage block.
fn names(program: &Program, block: &LinkedBlock) -> (Vec<String>, u32) {
    let Some(&(shader, id)) = block.declared.first().filter(|_| !block.buffer && block.count <= 256) else {
        return (Vec::new(), 0);
    };
    let typed = &program.shaders()[shader].typed;
    let mut names = vec![block.name.clone()];
    let mut ty = typed.block(id).ty;
    while let Some(array) = typed.types.as_array(ty) {
        let size = array.size.unwrap_or(1);
        names = names.iter().flat_map(|name| (0..size).map(move |i| format!("{name}[{i}]"))).collect();
        ty = array.element;
    }
    (names, block.layout.as_ref().map_or(0, |layout| layout.size))
}

impl BlockBuffers {
    /// Sets the value of a member; returns false if there is no member of that name.
    pub(crate) fn write(&self, program: &Program, state: &mut State, blocks: &Blocks, uniform: &Uniform) -> bool {
        for (block, buffers) in program.linked().blocks.iter().zip(&self.buffers) {
            let Some((member, offset)) = find(program, block, &uniform.name) else { continue };
            let Some(buffer) = buffers.get(blocks.array_index as usize) else { continue };
            let bytes = &mut state.buffers[buffer.0 as usize];
            put(bytes, offset, member, uniform);
            return true;
        }
        false
    }
}

/// The member with the given name, and the offset of its value.
pub(crate) fn find<'b>(program: &Program, block: &'b LinkedBlock, name: &str) -> Option<(&'b MemberLayout, u32)> {
    let &(shader, id) = block.declared.first()?;
    let named = program.shaders()[shader].typed.block(id).instance.is_some();
    let name = if named { name.strip_prefix(block.name.as_str())?.strip_prefix('.')? } else { name };
    let members = &block.layout.as_ref()?.members;
    if let Some(member) = members.iter().find(|m| m.name == name || m.name.strip_suffix("[0]") == Some(name)) {
        return Some((member, member.offset));
    }
    // Only the first element of an array is listed by name.
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let index: u32 = index.parse().ok()?;
    let member = members.iter().find(|m| m.name.strip_suffix("[0]") == Some(array))?;
    Some((member, member.offset + index * member.array_stride))
}

fn put(bytes: &mut [u8], offset: u32, member: &MemberLayout, uniform: &Uniform) {
    let components = components(&uniform.values);
    let size = components.first().map_or(4, Vec::len);
    for (i, value) in components.iter().enumerate() {
        let (column, row) = (i / uniform.rows as usize, i % uniform.rows as usize);
        let stride = member.matrix_stride as usize;
        let at = match (uniform.columns > 1, member.row_major) {
            (false, _) => i * size,
            (true, false) => column * stride + row * size,
            (true, true) => row * stride + column * size,
        };
        let at = offset as usize + at;
        if let Some(place) = bytes.get_mut(at..at + size) {
            place.copy_from_slice(value);
        }
    }
}

/// The bytes of each component.
fn components(values: &Values) -> Vec<Vec<u8>> {
    match values {
        Values::Float(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Double(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Int(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Uint(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Int64(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Uint64(v) => v.iter().map(|n| n.to_le_bytes().to_vec()).collect(),
        Values::Handle(_) => Vec::new(),
    }
}
