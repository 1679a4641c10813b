//! The inputs and outputs of stages as words, and how the outputs of one stage become the inputs of the next.

use emulator::ir;
use shader::layout;
use shader::link::{Declared, Linked};
use shader::qualifier::{Qualifiers, Storage};
use shader::typed::{ScopeId, VarId, VariableKind};
use shader::types::Type;
use shader::version::Stage;

use super::view::View;
use crate::words;

/// An input or output variable of a stage, or a member of an interface block.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The name of the variable, `Block.member`, or the plain name of a built-in variable.
    pub name: String,
    /// The linker's id of the variable or its block, and the member, for each shader of the stage that mentions it.
    pub declared: Vec<(Declared, Option<u32>)>,
    /// Its type in `unit`, without the per-vertex dimension.
    pub ty: Type,
    /// The shader of the stage that declares it.
    pub unit: usize,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
    /// Its first location, if it or its block has one.
    pub location: Option<u32>,
    /// Whether an expression writes it.
    pub written: bool,
    /// Whether it is built-in.
    pub builtin: bool,
    /// The positions of its words for the first vertex: register numbers or, for outputs of a tessellation control
    /// shader, word indices in memory.
    pub words: Vec<u32>,
    /// The number of registers between vertices; zero if there is only one vertex.
    pub stride: u32,
    /// The number of vertices it has values for.
    pub vertices: u32,
    /// Its first word in a vertex's record of all outputs.
    pub record: u32,
}

/// A word that is copied from a vertex's record to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feed {
    /// The word of the record.
    pub from: u32,
    /// The register, for the first vertex.
    pub to: u32,
    /// The number of registers between vertices.
    pub stride: u32,
    /// The maximum number of vertices.
    pub vertices: u32,
    /// Whether the word is per-patch rather than per-vertex.
    pub patch: bool,
}

/// The inputs or outputs that a stage's program mentions.
pub(crate) fn slots(views: &[View<'_>], storages: &[Storage]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for view in views {
        for slot in slots_of(view, storages) {
            match slots.iter_mut().find(|s| s.name == slot.name && s.builtin == slot.builtin) {
                Some(known) => known.declared.extend(slot.declared),
                None => slots.push(slot),
            }
        }
    }
    // Per-patch outputs have a separate record.
    let (mut record, mut patch) = (0, 0);
    for slot in &mut slots {
        let next = if slot.qualifiers.flags.patch { &mut patch } else { &mut record };
        slot.record = *next;
        *next += slot.words.len() as u32;
    }
    slots
}

fn slots_of(view: &View<'_>, storages: &[Storage]) -> Vec<Slot> {
    let (typed, types) = (&view.shader.typed, view.types);
    let name = |symbol| view.name(symbol).to_owned();
    let mut slots = Vec::new();
    for (index, row) in typed.variables.iter().enumerate() {
        let (id, storage) = (VarId(index as u32), row.qualifiers.storage);
        if row.scope != ScopeId::GLOBAL || !storages.contains(&storage) {
            continue;
        }
        let Some(home) = view.home(id).or_else(|| memory(view, id)) else { continue };
        let (name_here, declared, builtin) = match row.kind {
            VariableKind::Local | VariableKind::Parameter(..) => continue,
            VariableKind::Global => {
                let text = name(row.name);
                // Redeclared built-in variables keep their meaning.
                let builtin = text.starts_with("gl_");
                (text, (id, None), builtin)
            }
            VariableKind::Builtin => (name(row.name), (id, None), true),
            VariableKind::Member(block, member) => {
                let block = typed.block(block);
                let first = block.members.first().copied().unwrap_or(id);
                let text =
                    if block.builtin { name(row.name) } else { format!("{}.{}", name(block.name), name(row.name)) };
                (text, (first, Some(member)), block.builtin)
            }
            VariableKind::Instance(block) => {
                let block = typed.block(block);
                let arrayed = is_per_vertex(view.shader.stage, storage, &row.qualifiers, "gl_in");
                members(view, home, id, block, arrayed, &mut slots);
                continue;
            }
        };
        let arrayed = is_per_vertex(view.shader.stage, storage, &row.qualifiers, if builtin { &name_here } else { "" });
        let (ty, vertices) = match types.as_array(view.ty(id)).filter(|_| arrayed) {
            Some(array) => (array.element, array.size.unwrap_or(1)),
            None => (view.ty(id), 1),
        };
        let len = words::count(types, ty).unwrap_or(0).min(home.len);
        let start = home.start.0;
        slots.push(Slot {
            name: name_here,
            declared: vec![(view.declared(declared.0), declared.1)],
            ty,
            unit: view.number,
            qualifiers: row.qualifiers,
            location: match row.kind {
                VariableKind::Member(block, member) => member_location(view, typed.block(block), member as usize),
                _ => row.qualifiers.layout.location,
            },
            written: row.written,
            builtin,
            words: (start..start + len).collect(),
            stride: if arrayed { len } else { 0 },
            vertices,
            record: 0,
        });
    }
    slots
}

/// Outputs of a tessellation control shader are in memory; their words are numbered like registers.
fn memory(view: &View<'_>, id: VarId) -> Option<ir::Registers> {
    let pointer = view.pointer(id).filter(|p| p.space == emulator::host::Space::Patch)?;
    let len = words::count(view.types, view.ty(id))?;
    Some(ir::Registers { start: ir::Register(pointer.offset / 4), len })
}

/// The members of a block, or array of blocks, with an instance name.
fn members(
    view: &View<'_>,
    home: ir::Registers,
    instance: VarId,
    block: &shader::typed::Block,
    arrayed: bool,
    slots: &mut Vec<Slot>,
) {
    let types = view.types;
    let mut ty = view.ty(instance);
    let mut vertices = 1;
    if let Some(array) = types.as_array(ty).filter(|_| arrayed) {
        (ty, vertices) = (array.element, array.size.unwrap_or(1));
    }
    let stride = if arrayed { words::count(types, ty).unwrap_or(0) } else { 0 };
    let mut copies = 1;
    while let Some(array) = types.as_array(ty) {
        copies *= array.size.unwrap_or(1);
        ty = array.element;
    }
    let (Some(size), Some(structure)) = (words::count(types, ty), types.as_struct(ty)) else { return };
    let written = view.shader.typed.variable(instance).written;
    let mut offset = 0;
    for (member, field) in structure.fields.iter().enumerate() {
        let Some(len) = words::count(types, field.ty) else { return };
        let copy = |i: u32| (0..len).map(move |word| home.start.0 + i * size + offset + word);
        let words = (0..copies).flat_map(copy).filter(|word| *word < home.start.0 + home.len).collect();
        let text = view.name(field.name);
        slots.push(Slot {
            name: if block.builtin { text.to_owned() } else { format!("{}.{text}", view.name(block.name)) },
            declared: vec![(view.declared(instance), Some(member as u32))],
            ty: field.ty,
            unit: view.number,
            qualifiers: field.qualifiers,
            location: member_location(view, block, member),
            written,
            builtin: block.builtin,
            words,
            stride,
            vertices,
            record: 0,
        });
        offset += len;
    }
}

/// A member without a location follows the previous one; the first has the block's location (GLSL 4.60, 4.4.1).
fn member_location(view: &View<'_>, block: &shader::typed::Block, member: usize) -> Option<u32> {
    let fields = &view.types.structs[block.structure.0 as usize].fields;
    let mut next = block.qualifiers.layout.location;
    for field in fields.iter().take(member) {
        let here = field.qualifiers.layout.location.or(next)?;
        next = Some(here.saturating_add(layout::locations(view.types, field.ty, false)?));
    }
    fields.get(member)?.qualifiers.layout.location.or(next)
}

/// Whether a variable is an array with one element for each vertex of a primitive or patch. Built-in ones are the
/// blocks, and the arrays of GL_ARB_geometry_shader4; `builtin` is the name of a built-in variable.
fn is_per_vertex(stage: Stage, storage: Storage, qualifiers: &Qualifiers, builtin: &str) -> bool {
    let of_vertices = matches!(
        (stage, storage),
        (Stage::TessControl, Storage::In | Storage::Out) | (Stage::TessEvaluation | Stage::Geometry, Storage::In)
    );
    let named = match builtin {
        "" | "gl_in" => true,
        "gl_PrimitiveIDIn" | "gl_VerticesIn" | "gl_PatchVerticesIn" => false,
        name => name.ends_with("In"),
    };
    of_vertices && named && !qualifiers.flags.patch
}

/// The words of the producer's record, and the registers of the consumer they are copied to.
pub(crate) fn feeds(linked: &Linked, outputs: &[Slot], stage: Stage, inputs: &[Slot]) -> Vec<Feed> {
    let mut all = Vec::new();
    for input in inputs {
        let Some(output) = source(linked, outputs, stage, input) else { continue };
        let words = (0..output.words.len() as u32).zip(&input.words);
        let feed = |(word, &to): (u32, &u32)| Feed {
            from: output.record + word,
            to,
            stride: input.stride,
            vertices: input.vertices,
            patch: output.qualifiers.flags.patch,
        };
        all.extend(words.map(feed));
    }
    all
}

/// The output that provides an input's values.
pub(crate) fn source<'a>(linked: &Linked, outputs: &'a [Slot], stage: Stage, input: &Slot) -> Option<&'a Slot> {
    if input.builtin {
        let name = input.name.strip_suffix("In").filter(|_| stage == Stage::Geometry).unwrap_or(&input.name);
        return outputs.iter().find(|o| o.builtin && o.name == name);
    }
    // If several shaders declare it, the linker lists one of the declarations; the name is then the same.
    let is = |slot: &Slot, at: Declared, member: Option<u32>| slot.declared.contains(&(at, member));
    let mut varyings = linked.varyings.iter().filter(|v| v.consumer == stage);
    let varying =
        varyings.clone().find(|v| is(input, v.input, v.member)).or_else(|| varyings.find(|v| v.name == input.name));
    let Some(varying) = varying else {
        // Between separable programs, members of a block match variables by location.
        let place = |slot: &Slot| Some((slot.location?, slot.qualifiers.layout.component, slot.qualifiers.flags.patch));
        return outputs.iter().find(|o| !o.builtin && place(input).is_some() && place(o) == place(input));
    };
    let declared = outputs.iter().find(|o| is(o, varying.output, varying.member));
    declared.or_else(|| outputs.iter().find(|o| !o.builtin && o.name == input.name))
}
