//! How much memory a copy of the model adds to another: what a budget for snapshots counts.
//!
//! Copies share what did not change between them, so the cost of a snapshot is the memory of the parts that it does not
//! share with its predecessor. The figure is an estimate from above: a changed entry of a map is charged with a whole
//! node of the map's tree, and an object with everything it owns, even where part of that is shared.

use std::mem::size_of;
use std::sync::Arc;

use imbl::OrdMap;

use crate::context::Context;
use crate::model::Model;
use crate::objects::buffer::Buffer;
use crate::objects::list::{List, Stored};
use crate::objects::program::{Linked, Program, ShaderOrProgram};
use crate::objects::texture::{Level, Texture};
use crate::share::ShareGroup;
use crate::vars::Vars;

/// Entries of one node of a persistent map.
const NODE: usize = 32;

/// Allocations have a header and are rounded up.
const ALLOCATION: usize = 32;

impl Model {
    /// Returns about how many bytes of memory this copy of the model holds that `other` does not share with it.
    #[must_use]
    pub fn added_bytes(&self, other: &Model) -> u64 {
        let mut bytes = size_of::<Model>();
        for (at, context) in self.contexts.iter().enumerate() {
            let before = other.contexts.get(at).and_then(Option::as_ref);
            bytes += size_of::<Option<Arc<Context>>>();
            match (context, before) {
                (Some(context), Some(before)) if Arc::ptr_eq(context, before) => {}
                (Some(context), before) => bytes += context_bytes(context, before.map(Arc::as_ref)),
                (None, _) => {}
            }
        }
        for (at, group) in self.groups.iter().enumerate() {
            bytes += size_of::<Arc<ShareGroup>>();
            match other.groups.get(at) {
                Some(before) if Arc::ptr_eq(group, before) => {}
                before => bytes += group_bytes(group, before.map(Arc::as_ref)),
            }
        }
        bytes += map_bytes(&self.surfaces, Some(&other.surfaces), |new, old| new == old, |_| 0);
        (bytes + self.seats.len() * size_of::<crate::Seat>()) as u64
    }
}

impl Model {
    /// Returns about how many bytes of memory the model holds, with everything that [`Model::added_bytes`] leaves out
    /// because snapshots share it in all but odd cases: texts, descriptions of programs, stacks.
    pub(crate) fn held_bytes(&self) -> u64 {
        let contexts = self.contexts.iter().flatten().map(|context| private_heap(context));
        let groups = self.groups.iter().map(|group| {
            let programs = group.programs.values().map(|object| text_heap(object));
            let lists = group.lists.values().map(|list| stored_heap(&list.calls));
            size_of_val(&group.default_textures[..]) * 16 + programs.chain(lists).sum::<usize>()
        });
        let more: usize = contexts.chain(groups).sum();
        self.added_bytes(&Model::default()) + more as u64
    }
}

/// Returns the memory of a context that [`context_bytes`] leaves out.
fn private_heap(context: &Context) -> usize {
    let Context { fixed, facts, compiling, .. } = context;
    let points: usize = fixed.evaluators.iter().map(|map| size_of_val(&map.points[..])).sum();
    let maps: usize = fixed.pixel_maps.iter().map(|map| size_of_val(&map[..])).sum();
    let saved = (fixed.attributes.len() + fixed.client_attributes.len())
        * (size_of::<crate::fixed::Saved>() + size_of::<crate::fixed::Fixed>() + size_of::<[f64; Vars::NUMBERS]>());
    let extensions: usize = facts.extension_list.iter().map(|name| 2 * (name.len() + 2 * ALLOCATION)).sum();
    let compiling = compiling.as_ref().map_or(0, |list| {
        let own = list.calls.iter().map(|call| size_of_val(call) + size_of_val(&call.args[..]) + ALLOCATION);
        own.sum::<usize>() + stored_heap(&list.calls)
    });
    points + maps + saved + extensions + compiling + size_of_val(&fixed.names[..])
}

/// Returns the memory of a shader or program that [`program_heap`] leaves out.
fn text_heap(object: &ShaderOrProgram) -> usize {
    let text = |text: &Option<Arc<[u8]>>| text.as_ref().map_or(0, |text| text.len());
    match object {
        ShaderOrProgram::Shader(shader) => {
            let log = shader.compiled.recorded().map_or(0, |compiled| compiled.log.len());
            text(&shader.source) + text(&shader.compiled_text) + log
        }
        ShaderOrProgram::Program(program) => {
            let parts = program.parts.iter().chain(program.executable_parts.iter()).map(|part| text(&part.text));
            let linked = program.linked.recorded().into_iter().chain(program.executable.as_deref());
            let setup = &program.setup;
            let names = setup.attributes.keys().chain(setup.outputs.keys()).chain(&setup.varyings);
            parts.sum::<usize>()
                + linked.map(linked_heap).sum::<usize>()
                + names.map(|name| name.len() + 2 * ALLOCATION).sum::<usize>()
                + size_of_val(&setup.attached[..])
        }
    }
}

fn linked_heap(linked: &Linked) -> usize {
    let reflection = &linked.reflection;
    let resources = reflection.interfaces.iter().flat_map(|interface| &interface.resources).map(|resource| {
        size_of_val(resource)
            + resource.name.len()
            + size_of_val(&resource.values[..])
            + size_of_val(&resource.list[..])
            + 3 * ALLOCATION
    });
    let values = reflection.values.iter().map(|value| size_of_val(value) + value.bytes.len() + ALLOCATION);
    reflection.log.len()
        + size_of_val(&reflection.parameters[..])
        + size_of_val(&reflection.stages[..])
        + size_of_val(&linked.uniforms[..])
        + linked.slot_bytes()
        + resources.chain(values).sum::<usize>()
}

/// Returns the bytes that calls of display lists keep.
fn stored_heap(calls: &[Stored]) -> usize {
    let memory = calls.iter().flat_map(|call| &call.memory);
    memory.map(|kept| size_of_val(kept) + kept.1.bytes.as_ref().map_or(0, Vec::len) + ALLOCATION).sum()
}

fn context_bytes(context: &Context, before: Option<&Context>) -> usize {
    macro_rules! map {
        ($field:ident) => {
            map_bytes(&context.$field, before.map(|before| &before.$field), Arc::ptr_eq, |object| {
                shared_bytes(object, |_| 0)
            })
        };
    }
    let unshared = |same: bool, size: usize| if same { 0 } else { size + ALLOCATION };
    let units = context.units.units.iter().enumerate().map(|(at, unit)| {
        let same = before.is_some_and(|before| before.units.units.get(at).is_some_and(|old| Arc::ptr_eq(unit, old)));
        size_of::<usize>() + unshared(same, size_of_val(&**unit))
    });
    let same = |test: fn(&Context, &Context) -> bool| before.is_some_and(|before| test(context, before));
    size_of::<Context>()
        + ALLOCATION
        + unshared(same(|a, b| a.vars.is_shared_with(&b.vars)), size_of::<[f64; Vars::NUMBERS]>())
        + unshared(same(|a, b| Arc::ptr_eq(&a.fixed, &b.fixed)), size_of_val(&*context.fixed))
        + unshared(same(|a, b| Arc::ptr_eq(&a.current, &b.current)), size_of_val(&*context.current))
        + unshared(same(|a, b| Arc::ptr_eq(&a.assembly, &b.assembly)), size_of_val(&*context.assembly))
        + units.sum::<usize>()
        + map!(framebuffers)
        + map!(vertex_arrays)
        + map!(queries)
        + map!(pipelines)
        + map!(transform_feedbacks)
}

fn group_bytes(group: &ShareGroup, before: Option<&ShareGroup>) -> usize {
    macro_rules! map {
        ($field:ident, $heap:expr) => {
            map_bytes(&group.$field, before.map(|before| &before.$field), Arc::ptr_eq, |object| {
                shared_bytes(object, $heap)
            })
        };
    }
    size_of::<ShareGroup>()
        + ALLOCATION
        + map!(buffers, buffer_heap)
        + map!(nameless_buffers, buffer_heap)
        + map!(textures, texture_heap)
        + map!(lingering_textures, texture_heap)
        + map!(programs, program_heap)
        + map!(lists, list_heap)
        + map!(samplers, |_| 0)
        + map!(renderbuffers, |_| 0)
        + map!(syncs, |_| 0)
        + map!(assembly, |_| 0)
        + map_bytes(&group.maps, before.map(|before| &before.maps), |new, old| new == old, |_| 0)
        + map_bytes(&group.labels, before.map(|before| &before.labels), Arc::ptr_eq, |label| label.len())
        + map_bytes(&group.includes, before.map(|before| &before.includes), Arc::ptr_eq, |text| text.len())
}

/// Returns the memory of the nodes and values of a map that an earlier version of it does not share.
fn map_bytes<K: Ord, V>(
    map: &OrdMap<K, V>,
    before: Option<&OrdMap<K, V>>,
    same: impl Fn(&V, &V) -> bool,
    value: impl Fn(&V) -> usize,
) -> usize {
    if before.is_some_and(|before| map.ptr_eq(before)) {
        return 0;
    }
    let entry = size_of::<K>() + size_of::<V>();
    let (mut changed, mut bytes) = (0, 0);
    for (key, new) in map {
        if !before.and_then(|before| before.get(key)).is_some_and(|old| same(new, old)) {
            changed += 1;
            bytes += value(new);
        }
    }
    // Each change copies a leaf and the node above it, but never more than the whole map.
    bytes + (2 * (changed + 1) * NODE * entry).min(2 * map.len() * entry + NODE * entry)
}

fn shared_bytes<T>(object: &Arc<T>, heap: impl Fn(&T) -> usize) -> usize {
    size_of::<T>() + ALLOCATION + heap(object)
}

fn buffer_heap(buffer: &Buffer) -> usize {
    buffer.records.len() * 2 * size_of::<(u64, crate::records::Write)>()
}

fn texture_heap(texture: &Texture) -> usize {
    texture.levels.len() * size_of::<Option<Level>>()
}

fn list_heap(list: &List) -> usize {
    list.calls.iter().map(|call| size_of_val(call) + size_of_val(&call.args[..]) + ALLOCATION).sum()
}

fn program_heap(object: &ShaderOrProgram) -> usize {
    match object {
        ShaderOrProgram::Shader(_) => 0,
        ShaderOrProgram::Program(Program { values, .. }) => size_of_val(&values[..]) + ALLOCATION,
    }
}
