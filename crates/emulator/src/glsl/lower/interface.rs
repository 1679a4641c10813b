//! Sizes of arrays that come from the stage instead of the declaration.

use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{Block, VariableKind};
use shader::types::{Type, TypeTable};
use shader::version::Stage;

/// `gl_MaxPatchVertices`, the size of arrays with an element per vertex of a patch.
const MAX_PATCH_VERTICES: u32 = 32;

/// Returns the shader's types and the type of each of its variables; every array of inputs and outputs has a size.
pub(super) fn sized(shader: &Shader) -> (TypeTable, Vec<Type>) {
    let mut types = shader.typed.types.clone();
    for block in &shader.typed.blocks {
        let members = types.structs[block.structure.0 as usize].fields.len();
        // The last member of a storage block gets its size from the buffer.
        let open = usize::from(block.qualifiers.storage == Storage::Buffer && !block.builtin);
        size_members(shader, &mut types, block, members.saturating_sub(open));
    }
    let mut all = Vec::with_capacity(shader.typed.variables.len());
    for variable in &shader.typed.variables {
        let open = types.as_array(variable.ty).filter(|array| array.size.is_none());
        let ty = match open {
            Some(array) if variable.qualifiers.storage != Storage::Buffer => {
                let by_use = variable.max_index.map_or(1, |index| index + 1);
                let patch = variable.qualifiers.flags.patch;
                let size = by_stage(shader, variable.qualifiers.storage).filter(|_| !patch).unwrap_or(by_use);
                types.array(array.element, Some(size))
            }
            Some(_) => match variable.kind {
                VariableKind::Member(block, member) => {
                    let structure = shader.typed.block(block).structure;
                    types.structs[structure.0 as usize].fields[member as usize].ty
                }
                _ => variable.ty,
            },
            None => variable.ty,
        };
        all.push(ty);
    }
    (types, all)
}

/// Returns the number of vertices for which an array of inputs or outputs has elements.
fn by_stage(shader: &Shader, storage: Storage) -> Option<u32> {
    let layout = &shader.typed.stage;
    match (shader.stage, storage) {
        (Stage::Geometry, Storage::In) => layout.input_primitive.and_then(shader::typed::Primitive::vertices),
        (Stage::TessControl | Stage::TessEvaluation, Storage::In) => Some(MAX_PATCH_VERTICES),
        (Stage::TessControl, Storage::Out) => layout.vertices,
        _ => None,
    }
}

/// Gives members without a size that of their largest constant index (GLSL 4.60, 4.1.9 and 7.1).
fn size_members(shader: &Shader, types: &mut TypeTable, block: &Block, count: usize) {
    let id = block.structure;
    for member in 0..count {
        let ty = types.structs[id.0 as usize].fields[member].ty;
        let Some(array) = types.as_array(ty).filter(|array| array.size.is_none()) else { continue };
        let of_variable = block.members.get(member).and_then(|&v| shader.typed.variable(v).max_index);
        let used = shader.typed.member_max_index.get(&(id, member as u32)).copied().max(of_variable);
        let sized = types.array(array.element, Some(used.map_or(1, |index| index + 1)));
        types.structs[id.0 as usize].fields[member].ty = sized;
    }
}
