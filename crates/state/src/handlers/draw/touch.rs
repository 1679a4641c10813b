//! What draw calls and dispatches read and write. When in doubt, too much is reported: replay skips what is missing
//! here.

use api::constant as c;

use super::super::framebuffer::{Plane, framebuffer_things};
use super::super::texture::layers;
use super::super::{buffer, query, transform_feedback};
use crate::objects::buffer::{BufferRange, BufferRef, Point};
use crate::objects::texture::{Bound, Target};
use crate::objects::vertex_array::SLOTS;
use crate::observer::{ContentsRef, Source};
use crate::reach::{self, Use, WorkKind};
use crate::records::{Aspect, ImageWrite, Job, Origin, Texels};
use crate::step::Step;
use crate::variable as var;

/// What a draw call fetches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetch {
    /// The range of vertices; `None` when only GL knows.
    pub vertices: Option<(u64, u64)>,
    /// The range of instances; `None` when only GL knows.
    pub instances: Option<(u64, u64)>,
    /// The byte range of the indices, if there are indices: in the element array buffer, or in the program's memory
    /// when none is bound.
    pub indices: Option<(u64, u64)>,
    /// The transform feedback object that determines the number of vertices.
    pub feedback: Option<u64>,
}

/// Records what a draw call reads and writes.
pub fn draw(step: &mut Step<'_>, fetch: &Fetch) {
    query::condition(step);
    if step.context.fixed.matrices.any_unanalysed() {
        step.context.fixed_mut().matrices.mark_analysed();
    }
    let shown = step.context.vars.get(var::RASTERIZER_DISCARD) == 0.0;
    let accesses = step.wants_accesses();
    if accesses {
        if let Some(object) = fetch.feedback {
            step.reads(ContentsRef::Object { object });
        }
        vertices(step, fetch);
    }
    if shown && step.observer.is_some() {
        pixels(step);
    }
    if accesses {
        counted(step);
    }
    shaders(step, WorkKind::Draw);
    if transform_feedback::is_running(step.context)
        && let Some(feedback) = transform_feedback::bound(step.context)
    {
        let (ranges, object) = (feedback.buffers, feedback.object);
        for range in ranges.iter().filter(|range| !range.buffer.is_none()) {
            write_range(step, *range);
        }
        // The number of vertices is part of the object, for draw calls from it.
        step.reads(ContentsRef::Object { object });
        step.writes(ContentsRef::Object { object }, Source::Gpu);
    }
}

/// Records what a dispatch reads and writes.
pub fn dispatch(step: &mut Step<'_>) {
    if step.wants_accesses() {
        counted(step);
    }
    shaders(step, WorkKind::Dispatch);
}

fn vertices(step: &mut Step<'_>, fetch: &Fetch) {
    let Some(array) = step.context.vertex_arrays.get(&step.context.vertex_array).cloned() else { return };
    step.reads(ContentsRef::Object { object: array.object });
    if let Some((from, to)) = fetch.indices {
        buffer::read(step, array.elements, from, to);
    }
    for (slot, attrib) in array.attribs.iter().enumerate().filter(|(_, attrib)| attrib.enabled) {
        let source = &array.bindings[usize::from(attrib.binding) % SLOTS];
        if source.buffer.is_none() {
            step.reads(ContentsRef::ClientArray { object: array.object, slot: slot as u8 });
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

/// Records writes to the framebuffer. Its previous contents may stay visible, so they still count as read by later
/// readers.
fn pixels(step: &mut Step<'_>) {
    let vars = &step.context.vars;
    let (depth, stencil) = (vars.get(var::DEPTH_TEST) != 0.0, vars.get(var::STENCIL_TEST) != 0.0);
    let depth_written = depth && vars.get(var::DEPTH_WRITEMASK) != 0.0;
    let stencil_written = vars.get(var::STENCIL_WRITEMASK) != 0.0 || vars.get(var::STENCIL_BACK_WRITEMASK) != 0.0;
    if let Some(object) = step.context.framebuffers.get(&step.context.targets.draw).map(|found| found.object) {
        step.reads(ContentsRef::Object { object });
    }
    for thing in framebuffer_things(step, Plane::Colours) {
        step.writes_image(thing, Source::Gpu, ImageWrite::whole(Aspect::All, Texels::Gpu(Job::Draw)));
    }
    for (used, written, plane) in [(depth, depth_written, Plane::Depth), (stencil, stencil_written, Plane::Stencil)] {
        if !used {
            continue;
        }
        for thing in framebuffer_things(step, plane) {
            step.tests(thing);
            if written {
                step.writes_image(thing, Source::Gpu, ImageWrite::whole(plane.aspect(), Texels::Gpu(Job::Draw)));
            }
        }
    }
}

/// Records writes to active queries.
fn counted(step: &mut Step<'_>) {
    for at in 0..step.context.active_queries.active.len() {
        let (_, _, name) = step.context.active_queries.active[at];
        if let Some(object) = step.context.queries.get(&name).map(|query| query.object) {
            step.reads(ContentsRef::Result { object });
            step.writes(ContentsRef::Result { object }, Source::Gpu);
        }
    }
}

/// Records accesses by shaders: to their buffers, textures and images.
fn shaders(step: &mut Step<'_>, work: WorkKind) {
    // Unless reads are of interest, only changes to write records and images matter.
    if !step.wants_accesses() && !reach::has_side_effects(step.context, step.group, work) {
        return;
    }
    let mut uses = Vec::new();
    reach::reach(step.context, step.group, work, &mut |used| uses.push(used));
    // Fixed functions use what is bound; assembly programs may.
    if uses.is_empty() {
        textures(step);
    }
    for used in uses {
        touch(step, used, work);
    }
}

fn touch(step: &mut Step<'_>, used: Use, work: WorkKind) {
    let (point, binding) = match used {
        Use::Program { object } => return step.reads(ContentsRef::Object { object }),
        Use::Texture { unit, target } => {
            let Some(target) = Target::named(target) else { return };
            if let Some(unit) = step.context.units.units.get(unit as usize) {
                read_texture(step, unit.textures[target as usize]);
            }
            return;
        }
        Use::Image { unit } => return image(step, unit as usize, work),
        Use::Anything => return everything(step, work),
        Use::UniformBuffer { binding } => (Point::Uniform, binding),
        Use::StorageBuffer { binding } => (Point::ShaderStorage, binding),
        Use::CounterBuffer { binding } => (Point::AtomicCounter, binding),
    };
    let ranges = step.context.buffers.ranges(point).unwrap_or_default();
    let Some(range) = ranges.get(binding as usize).copied().filter(|range| !range.buffer.is_none()) else { return };
    read_range(step, range);
    if used.is_written() {
        write_range(step, range);
    }
}

/// Records accesses to everything that is bound, for programs whose resources the trace does not record.
fn everything(step: &mut Step<'_>, work: WorkKind) {
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
        image(step, unit, work);
    }
}

/// Records reads of all bound textures.
fn textures(step: &mut Step<'_>) {
    if !step.wants_accesses() {
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
    if !step.wants_accesses() {
        return;
    }
    let Some(texture) = step.group.texture(bound) else { return };
    let Some(target) = texture.target else { return };
    // A default texture without texels is no dependency.
    if bound.name == 0 && texture.levels.is_empty() {
        return;
    }
    let mut things = vec![ContentsRef::Object { object: texture.object }];
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

/// Records accesses to an image unit: its texture is read, and written if the access allows it.
fn image(step: &mut Step<'_>, unit: usize, work: WorkKind) {
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
    let things: Vec<ContentsRef> = all.map(|layer| texture.image(level, layer)).collect();
    let job = match work {
        WorkKind::Draw => Job::Draw,
        WorkKind::Dispatch => Job::Dispatch,
    };
    for thing in things {
        step.writes_image(thing, Source::Gpu, ImageWrite::whole(Aspect::All, Texels::Gpu(job)));
    }
}

/// Returns the byte range of a bound range.
fn bytes(range: BufferRange) -> (u64, u64) {
    let from = range.offset.max(0).cast_unsigned();
    (from, if range.size == 0 { u64::MAX } else { from.saturating_add(range.size.cast_unsigned()) })
}

fn read_range(step: &mut Step<'_>, range: BufferRange) {
    let (from, to) = bytes(range);
    buffer::read(step, range.buffer, from, to);
}

fn write_range(step: &mut Step<'_>, range: BufferRange) {
    let (from, to) = bytes(range);
    buffer::write(step, range.buffer, from, to, Origin::Gpu);
}
