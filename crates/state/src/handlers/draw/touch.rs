//! What draws and dispatches read and write. Who is in doubt says too much: what is forgotten here is skipped by replay.

use api::constant as c;
use api::reflection::kind::{image_target, sampler_target};

use super::super::framebuffer::{Plane, framebuffer_things};
use super::super::texture::layers;
use super::super::{buffer, query, transform_feedback};
use super::program::{COMPUTE, named, stages};
use crate::notes::{Source, Thing};
use crate::objects::buffer::{BufferRange, BufferRef, Point};
use crate::objects::program::{Linked, Program};
use crate::objects::texture::{Bound, Target};
use crate::objects::vertex_array::SLOTS;
use crate::records::Origin;
use crate::step::Step;
use crate::variable as var;

/// What a draw fetches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetch {
    /// The first vertex and the first behind the last; nothing when only GL knows.
    pub vertices: Option<(u64, u64)>,
    /// The same of instances.
    pub instances: Option<(u64, u64)>,
    /// The first byte of the indices and the first behind the last, where there are indices: in the buffer that is bound
    /// for them, or else in the program's memory.
    pub indices: Option<(u64, u64)>,
    /// The transform feedback object that says how many vertices there are.
    pub feedback: Option<u64>,
}

/// Notes what a draw does.
pub fn draw(step: &mut Step<'_>, fetch: &Fetch) {
    query::condition(step);
    let programs = stages(step.context, step.group);
    let shown = step.context.vars.get(var::RASTERIZER_DISCARD) == 0.0;
    if step.notes.is_some() {
        if let Some(object) = fetch.feedback {
            step.reads(Thing::Object { object });
        }
        vertices(step, fetch);
        if shown {
            pixels(step);
        }
        counted(step);
    }
    shaders(step, &programs[..COMPUTE]);
    if transform_feedback::is_running(step.context)
        && let Some(feedback) = transform_feedback::bound(step.context)
    {
        let (ranges, object) = (feedback.buffers, feedback.object);
        for range in ranges.iter().filter(|range| !range.buffer.is_none()) {
            write_range(step, *range);
        }
        // How many vertices there are is part of the object, for those who draw from it.
        step.reads(Thing::Object { object });
        step.writes(Thing::Object { object }, Source::Gpu);
    }
}

/// Notes what a compute shader does.
pub fn dispatch(step: &mut Step<'_>) {
    let programs = stages(step.context, step.group);
    if step.notes.is_some() {
        counted(step);
    }
    shaders(step, &programs[COMPUTE..]);
}

fn vertices(step: &mut Step<'_>, fetch: &Fetch) {
    let Some(array) = step.context.vertex_arrays.get(&step.context.vertex_array).cloned() else { return };
    step.reads(Thing::Object { object: array.object });
    if let Some((from, to)) = fetch.indices {
        buffer::read(step, array.elements, from, to);
    }
    for (slot, attrib) in array.attribs.iter().enumerate().filter(|(_, attrib)| attrib.enabled) {
        let source = &array.bindings[usize::from(attrib.binding) % SLOTS];
        if source.buffer.is_none() {
            step.reads(Thing::ClientArray { object: array.object, slot: slot as u8 });
            continue;
        }
        let first = source.offset.max(0).cast_unsigned() + u64::from(attrib.relative);
        let stride = u64::from(source.stride.max(0).cast_unsigned());
        let range = match (source.divisor, fetch.vertices, fetch.instances) {
            (0, Some((least, end)), _) => Some((least, end)),
            (1, _, Some((least, end))) => Some((least, end)),
            _ => None,
        };
        let (from, to) = match range {
            Some((least, end)) if end > least => {
                (first + least * stride, first + (end - 1) * stride + u64::from(attrib.bytes()))
            }
            _ => (first, u64::MAX),
        };
        buffer::read(step, source.buffer, from, to);
    }
}

/// What is drawn to. What was there before may shine through, so it counts as read by those who follow.
fn pixels(step: &mut Step<'_>) {
    let vars = &step.context.vars;
    let (depth, stencil) = (vars.get(var::DEPTH_TEST) != 0.0, vars.get(var::STENCIL_TEST) != 0.0);
    let depth_written = depth && vars.get(var::DEPTH_WRITEMASK) != 0.0;
    let stencil_written = vars.get(var::STENCIL_WRITEMASK) != 0.0 || vars.get(var::STENCIL_BACK_WRITEMASK) != 0.0;
    if let Some(object) = step.context.framebuffers.get(&step.context.targets.draw).map(|found| found.object) {
        step.reads(Thing::Object { object });
    }
    for thing in framebuffer_things(step, Plane::Colours) {
        step.writes(thing, Source::Gpu);
    }
    for (used, written, plane) in [(depth, depth_written, Plane::Depth), (stencil, stencil_written, Plane::Stencil)] {
        if !used {
            continue;
        }
        for thing in framebuffer_things(step, plane) {
            step.reads(thing);
            if written {
                step.writes(thing, Source::Gpu);
            }
        }
    }
}

/// Queries that count what is drawn.
fn counted(step: &mut Step<'_>) {
    for at in 0..step.context.active_queries.active.len() {
        let (_, _, name) = step.context.active_queries.active[at];
        if let Some(object) = step.context.queries.get(&name).map(|query| query.object) {
            step.reads(Thing::Result { object });
            step.writes(Thing::Result { object }, Source::Gpu);
        }
    }
}

/// What shaders use: their buffers, textures and images.
fn shaders(step: &mut Step<'_>, programs: &[u32]) {
    let mut seen = 0;
    for (place, name) in programs.iter().enumerate() {
        if *name == 0 || programs[..place].contains(name) {
            continue;
        }
        seen += 1;
        let Some(program) = named(step.group, *name) else { continue };
        // Without anybody who wants to know, only what changes records is of interest.
        if step.notes.is_none() && program.executable.as_deref().is_some_and(|linked| !may_write(program, linked)) {
            continue;
        }
        let program = program.clone();
        step.reads(Thing::Object { object: program.object });
        match program.executable.clone() {
            Some(linked) => one(step, &program, &linked),
            None => everything(step),
        }
    }
    // Fixed functions take what is bound; assembly programs may.
    if seen == 0 {
        textures(step);
    }
}

/// Whether a program may write to buffers or images.
fn may_write(program: &Program, linked: &Linked) -> bool {
    let counters = linked.reflection.interface(c::GL_ATOMIC_COUNTER_BUFFER);
    !program.bindings.storage.is_empty()
        || counters.is_some_and(|interface| !interface.resources.is_empty())
        || linked.uniforms.iter().any(|uniform| image_target(uniform.kind).is_some())
}

fn one(step: &mut Step<'_>, program: &Program, linked: &Linked) {
    let bound = |step: &Step<'_>, point: Point, binding: u32| {
        let ranges = step.context.buffers.ranges(point)?;
        ranges.get(binding as usize).copied().filter(|range| !range.buffer.is_none())
    };
    for binding in program.bindings.uniform.iter() {
        if let Some(range) = bound(step, Point::Uniform, *binding) {
            read_range(step, range);
        }
    }
    for binding in program.bindings.storage.iter() {
        if let Some(range) = bound(step, Point::ShaderStorage, *binding) {
            read_range(step, range);
            write_range(step, range);
        }
    }
    if let Some(interface) = linked.reflection.interface(c::GL_ATOMIC_COUNTER_BUFFER) {
        for index in 0..interface.resources.len() {
            let binding = interface.value(index, c::GL_BUFFER_BINDING).unwrap_or(0).cast_unsigned();
            if let Some(range) = bound(step, Point::AtomicCounter, binding) {
                read_range(step, range);
                write_range(step, range);
            }
        }
    }
    for uniform in &linked.uniforms {
        let target = sampler_target(uniform.kind);
        if target.is_none() && image_target(uniform.kind).is_none() {
            continue;
        }
        for element in 0..uniform.size {
            let place = (uniform.offset + element * uniform.stride) as usize;
            let unit = program.values.get(place).copied().unwrap_or(0) as usize;
            match target.and_then(Target::named) {
                Some(target) => {
                    let texture = step.context.units.units.get(unit).map(|unit| unit.textures[target as usize]);
                    texture.into_iter().for_each(|texture| read_texture(step, texture));
                }
                None => image(step, unit),
            }
        }
    }
}

/// Everything that is bound, for programs of which the trace does not say what they use.
fn everything(step: &mut Step<'_>) {
    for point in [Point::Uniform, Point::ShaderStorage, Point::AtomicCounter] {
        let ranges = step.context.buffers.ranges(point).unwrap_or_default().to_vec();
        for range in ranges.into_iter().filter(|range| !range.buffer.is_none()) {
            read_range(step, range);
            if point != Point::Uniform {
                write_range(step, range);
            }
        }
    }
    textures(step);
    for unit in 0..step.context.units.images.len() {
        image(step, unit);
    }
}

/// All textures that are bound.
fn textures(step: &mut Step<'_>) {
    if step.notes.is_none() {
        return;
    }
    for unit in 0..step.context.units.units.len() {
        let bound = step.context.units.units[unit].textures;
        for texture in bound {
            read_texture(step, texture);
        }
    }
}

fn read_texture(step: &mut Step<'_>, bound: Bound) {
    if step.notes.is_none() {
        return;
    }
    let Some(texture) = step.group.texture(bound) else { return };
    let Some(target) = texture.target else { return };
    // A default texture that nobody gave anything is no dependency.
    if bound.name == 0 && texture.levels.is_empty() {
        return;
    }
    let mut things = vec![Thing::Object { object: texture.object }];
    let faces = target.faces();
    for (place, level) in texture.levels.iter().enumerate() {
        let Some(level) = level else { continue };
        let (number, face) = (place as u32 / faces, place as u32 % faces);
        if faces > 1 {
            things.push(texture.image(number, face));
        } else {
            let count = layers(target, level.size).max(0).cast_unsigned();
            things.extend((0..count).map(|layer| texture.image(number, layer)));
        }
    }
    let store = texture.buffer;
    for thing in things {
        step.reads(thing);
    }
    if let Some(store) = store {
        let size = store.size.unwrap_or(0);
        let buffer = BufferRef { name: store.name, object: store.object };
        read_range(step, BufferRange { buffer, offset: store.offset, size });
    }
}

/// An image unit: its texture is read, and written to where that is allowed.
fn image(step: &mut Step<'_>, unit: usize) {
    let Some(unit) = step.context.units.images.get(unit).copied() else { return };
    read_texture(step, unit.texture);
    if unit.access == c::GL_READ_ONLY {
        return;
    }
    let Some(texture) = step.group.texture(unit.texture) else { return };
    if let Some(store) = texture.buffer {
        let buffer = BufferRef { name: store.name, object: store.object };
        let range = BufferRange { buffer, offset: store.offset, size: store.size.unwrap_or(0) };
        write_range(step, range);
        return;
    }
    let (Some(target), level) = (texture.target, unit.level.max(0).cast_unsigned()) else { return };
    let count = texture.level(level, 0).map_or(0, |found| layers(target, found.size)).max(0).cast_unsigned();
    let all =
        if unit.layered { 0..count } else { unit.layer.max(0).cast_unsigned()..unit.layer.max(0).cast_unsigned() + 1 };
    let things: Vec<Thing> = all.map(|layer| texture.image(level, layer)).collect();
    for thing in things {
        step.writes(thing, Source::Gpu);
    }
}

/// The bytes of a range that is bound.
fn bytes(range: BufferRange) -> (u64, u64) {
    let from = range.offset.max(0).cast_unsigned();
    (from, if range.size == 0 { u64::MAX } else { from + range.size.cast_unsigned() })
}

fn read_range(step: &mut Step<'_>, range: BufferRange) {
    let (from, to) = bytes(range);
    buffer::read(step, range.buffer, from, to);
}

fn write_range(step: &mut Step<'_>, range: BufferRange) {
    let (from, to) = bytes(range);
    buffer::write(step, range.buffer, from, to, Origin::Gpu);
}
