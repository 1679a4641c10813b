//! Records the vertices that draw calls fetch from the program's memory.
//!
//! Right before such a draw call, capture specifies the arrays again, each with the bytes that the call fetches from
//! it. Bytes between the pointer and the first vertex are left out ([`api::SKIPPED`] gives their number): GL does not
//! read them, and they need not even be mapped.

use api::{CommandId, constant as c, id};
use ring::Payload;

use super::action::{self, Action};
use super::arrays::{Array, Slot};
use super::draws::{self, Fetched, List};
use super::indices::{self, Span};
use super::payload::{is_readable, report_once};
use super::{PerContext, driver};
use crate::call::Call;
use crate::context::Context;
use crate::thread::Thread;

/// Bytes of an array that are recorded for a primitive whose vertices are given one by one.
const WINDOW: u64 = 64 << 10;

/// Arrays of this size are checked for readability before they are copied, even if just specified.
const DOUBTFUL: u64 = 1 << 20;

/// The state of a primitive between `glBegin` and `glEnd`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Immediate {
    /// Its type.
    mode: Option<u32>,
    /// Whether `glArrayElement` was ever used in the context: then arrays are recorded at `glBegin`, because they
    /// cannot be specified between that and `glEnd`.
    expected: bool,
    /// Whether arrays were recorded for the primitive.
    prepared: bool,
}

/// Runs before a draw call.
pub fn before_draw(call: &mut Call<'_>) {
    let Some(context) = call.context.as_mut() else { return };
    if !context.memory.arrays.any() || context.memory.bindings.vertex_array != 0 {
        return;
    }
    let fetched = match draws::layout(call.command) {
        Some(layout) => {
            let restart = layout.indices.and_then(|(kind, _)| {
                let kind = call.args.get(usize::from(kind)).map_or(0, |word| *word as u32);
                restart_index(call.thread, &context.memory, kind)
            });
            let mut unread = false;
            let look = |list| {
                let found = span(call.thread, context, list, restart);
                unread |= found == Err(Unreadable);
                found.ok().flatten()
            };
            // SAFETY: the arrays behind the arguments are those that GL reads for this draw call.
            let fetched = unsafe { layout.fetched(call.args, look) };
            if unread {
                report_missing(call.thread, call.command, "its indices cannot be read");
            }
            fetched
        }
        None if is_fed_back(call.command) => {
            report_missing(call.thread, call.command, "only the driver knows how many vertices it has");
            None
        }
        None => indirect(call.thread, context, call.command, call.args),
    };
    if let Some(fetched) = fetched {
        emit(call.thread, &context.memory, |array, divisor| array.bytes(fetched.of_array(divisor)));
        context.memory.arrays.note_draw();
    }
}

/// Reports that vertices of a draw call are not in the trace.
#[cold]
fn report_missing(thread: &mut Thread, command: CommandId, why: &str) {
    report_once(thread, command, || {
        let name = api::command(command).name;
        format!("{name} is recorded without the vertices in the program's memory: {why}")
    });
}

/// Returns whether a command draws as many vertices as transform feedback has written.
fn is_fed_back(command: CommandId) -> bool {
    matches!(
        command,
        id::glDrawTransformFeedback
            | id::glDrawTransformFeedbackNV
            | id::glDrawTransformFeedbackStream
            | id::glDrawTransformFeedbackInstanced
            | id::glDrawTransformFeedbackStreamInstanced
    )
}

/// Runs before `glBegin`, `glEnd` or `glArrayElement`.
pub fn immediate(call: &mut Call<'_>) {
    let first = call.args.first().map_or(0, |word| *word as u32);
    let Some(context) = call.context.as_mut() else { return };
    let shadow = &mut context.memory;
    let uses_arrays = shadow.arrays.any() && shadow.bindings.vertex_array == 0;
    match action::of(call.command) {
        Action::Begin => {
            shadow.immediate.mode = Some(first);
            shadow.immediate.prepared = uses_arrays && shadow.immediate.expected;
            if shadow.immediate.prepared {
                emit(call.thread, shadow, |array, _| (0, window(array, 0)));
            }
        }
        Action::End => shadow.immediate.mode = None,
        _ => {
            shadow.immediate.expected = true;
            if !uses_arrays || shadow.immediate.prepared && shadow.immediate.mode.is_some() {
                return;
            }
            let mode = shadow.immediate.mode;
            // Within a primitive, arrays cannot be specified. The first time this happens, most likely nothing has been
            // drawn yet, and a primitive that ends without vertices has no effect.
            if mode.is_some() {
                call.thread.emit(id::glEnd, &[], &[]);
            }
            emit(call.thread, shadow, |array, _| (0, window(array, first)));
            if let Some(mode) = mode {
                call.thread.emit(id::glBegin, &[u64::from(mode)], &[]);
                shadow.immediate.prepared = true;
            }
        }
    }
}

/// Returns how much of an array to record when it is not known which vertices will be used: at least those up to
/// `index`, then what is readable.
fn window(array: &Array, index: u32) -> u64 {
    const PAGE: u64 = 4096;
    let (_, needed) = array.bytes(Span { least: index, most: index });
    let start = array.address();
    let mut end = (start + needed).next_multiple_of(PAGE);
    while end < start + WINDOW && is_readable(end, PAGE as usize) {
        end += PAGE;
    }
    (end - start).min(WINDOW.max(needed))
}

/// Specifies the used arrays by capture; `range` returns the byte range that is fetched.
fn emit(thread: &mut Thread, shadow: &PerContext, range: impl Fn(&Array, u32) -> (u64, u64)) {
    let bound = shadow.bindings.array();
    if bound != 0 {
        thread.emit(id::glBindBuffer, &[u64::from(c::GL_ARRAY_BUFFER), 0], &[]);
    }
    let mut unit = shadow.arrays.unit;
    for (slot, array, divisor) in shadow.arrays.used() {
        let (from, to) = range(array, divisor);
        let address = array.address();
        let certain = shadow.arrays.is_fresh(slot) && to - from < DOUBTFUL;
        if !certain && !is_readable(address.wrapping_add(from), (to - from) as usize) {
            continue;
        }
        select_unit(thread, slot, array, &mut unit);
        let Some(args) = array.args.get(..usize::from(array.count)) else { continue };
        // SAFETY: the kernel has confirmed that the range is readable.
        let bytes =
            unsafe { std::slice::from_raw_parts(address.wrapping_add(from) as *const u8, (to - from) as usize) };
        let skipped = from.to_le_bytes();
        let payloads =
            [Payload { param: array.pointer, bytes }, Payload { param: api::SKIPPED, bytes: skipped.as_slice() }];
        let count = if from == 0 { 1 } else { 2 };
        thread.emit(array.command, args, payloads.get(..count).unwrap_or_default());
    }
    if unit != shadow.arrays.unit {
        thread.emit(id::glClientActiveTexture, &[u64::from(c::GL_TEXTURE0 + shadow.arrays.unit)], &[]);
    }
    if bound != 0 {
        thread.emit(id::glBindBuffer, &[u64::from(c::GL_ARRAY_BUFFER), u64::from(bound)], &[]);
    }
}

/// Activates the texture unit of an array, if the command that specifies it depends on the active unit.
fn select_unit(thread: &mut Thread, slot: Slot, array: &Array, active: &mut u32) {
    if let Some(unit) = slot.texture_unit()
        && unit != *active
        && array.command != id::glMultiTexCoordPointerEXT
    {
        thread.emit(id::glClientActiveTexture, &[u64::from(c::GL_TEXTURE0 + unit)], &[]);
        *active = unit;
    }
}

/// Returns the primitive restart index, if there is one.
fn restart_index(thread: &Thread, shadow: &PerContext, kind: u32) -> Option<u32> {
    let facts = &shadow.facts;
    let all_ones = match kind {
        c::GL_UNSIGNED_BYTE => 0xff,
        c::GL_UNSIGNED_SHORT => 0xffff,
        _ => u32::MAX,
    };
    let fixed = if facts.es { facts.version >= (3, 0) } else { facts.version >= (4, 3) };
    if fixed && driver::enabled(thread, c::GL_PRIMITIVE_RESTART_FIXED_INDEX) {
        return Some(all_ones);
    }
    if !facts.es && facts.version >= (3, 1) && driver::enabled(thread, c::GL_PRIMITIVE_RESTART) {
        return Some(driver::integer(thread, c::GL_PRIMITIVE_RESTART_INDEX).cast_unsigned());
    }
    facts.restart_nv.then(|| driver::integer(thread, c::GL_PRIMITIVE_RESTART_INDEX_NV).cast_unsigned())
}

/// Indices that GL can read and capture cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Unreadable;

/// Returns the span of a list of indices, in the program's memory or in a buffer; `None` when it has no vertices or the
/// draw call is an error.
fn span(thread: &Thread, context: &Context, list: List, restart: Option<u32>) -> Result<Option<Span>, Unreadable> {
    let bytes = indices::size(list.kind).and_then(|size| list.count.checked_mul(size));
    let Some(bytes) = bytes else { return Ok(None) };
    if context.memory.bindings.elements() == 0 {
        if list.address < 4096 || !is_readable(list.address, bytes) {
            return Ok(None);
        }
        // SAFETY: the kernel has confirmed that the list is readable.
        return Ok(unsafe { indices::span(list.kind, list.address as *const u8, list.count, restart) });
    }
    let Ok(offset) = usize::try_from(list.address) else { return Ok(None) };
    let copy = read_elements(thread, &context.memory, offset, bytes).ok_or(Unreadable)?;
    // SAFETY: the copy has as many bytes as the indices need.
    Ok(unsafe { indices::span(list.kind, copy.as_ptr(), list.count, restart) })
}

/// Reads part of the element array buffer. `None` when the range is out of bounds or cannot be read.
fn read_elements(thread: &Thread, shadow: &PerContext, offset: usize, size: usize) -> Option<Vec<u8>> {
    let target = c::GL_ELEMENT_ARRAY_BUFFER;
    if offset.checked_add(size)? > driver::bound_buffer_size(thread, target) {
        return None;
    }
    let mut copy = vec![0_u8; size];
    let read = if !shadow.facts.es {
        // SAFETY: the copy has room for this many bytes.
        unsafe { driver::read_bound_buffer(thread, target, offset, size, copy.as_mut_ptr()) }
    } else {
        let es3 = shadow.facts.version >= (3, 0);
        (es3 || driver::has_extension(thread, "GL_EXT_map_buffer_range"))
            && driver::by_name(thread, id::glGetBufferParameteriv, target, c::GL_BUFFER_MAPPED) == 0
            // SAFETY: the copy has room for this many bytes, and the buffer is not mapped.
            && unsafe { driver::map_and_read(thread, es3, target, offset, size, copy.as_mut_ptr()) }
    };
    read.then_some(copy)
}

/// Returns what an indirect draw call fetches; its counts are in a buffer, or in the program's memory when none is
/// bound.
fn indirect(thread: &Thread, context: &Context, command: CommandId, args: &[u64]) -> Option<Fetched> {
    let word = |index: usize| args.get(index).copied().unwrap_or(0);
    let (kind, place, draws, stride) = match command {
        id::glDrawArraysIndirect => (None, word(1), 1, 0),
        id::glMultiDrawArraysIndirect | id::glMultiDrawArraysIndirectAMD | id::glMultiDrawArraysIndirectEXT => {
            (None, word(1), word(2) as i32, word(3) as u32)
        }
        id::glDrawElementsIndirect => (Some(word(1) as u32), word(2), 1, 0),
        id::glMultiDrawElementsIndirect | id::glMultiDrawElementsIndirectAMD | id::glMultiDrawElementsIndirectEXT => {
            (Some(word(1) as u32), word(2), word(3) as i32, word(4) as u32)
        }
        _ => return None,
    };
    let draws = usize::try_from(draws).ok()?;
    let words = if kind.is_some() { 5 } else { 4 };
    let stride = if stride == 0 { words * 4 } else { stride as usize };
    let size = stride.checked_mul(draws.checked_sub(1)?)?.checked_add(words * 4)?;
    let mut copy = Vec::new();
    let base = if context.memory.bindings.name(c::GL_DRAW_INDIRECT_BUFFER) == 0 {
        if place < 4096 || !is_readable(place, size) {
            return None;
        }
        place as *const u8
    } else {
        let offset = usize::try_from(place).ok()?;
        if offset.checked_add(size)? > driver::bound_buffer_size(thread, c::GL_DRAW_INDIRECT_BUFFER) {
            return None;
        }
        copy.resize(size, 0_u8);
        // SAFETY: the copy has room for this many bytes.
        unsafe { driver::read_bound_buffer(thread, c::GL_DRAW_INDIRECT_BUFFER, offset, size, copy.as_mut_ptr()) };
        copy.as_ptr()
    };
    let restart = kind.and_then(|kind| restart_index(thread, &context.memory, kind));
    let mut all: Option<Fetched> = None;
    for draw in 0..draws {
        let field = |index: usize| {
            let place = base.wrapping_add(draw * stride + index * 4).cast::<u32>();
            // SAFETY: the structures lie within `size` bytes, which are readable.
            unsafe { place.read_unaligned() }
        };
        let (count, instances) = (field(0), field(1));
        if count == 0 || instances == 0 {
            continue;
        }
        let (vertices, base_instance) = match kind {
            None => (Span { least: field(2), most: field(2).saturating_add(count - 1) }, field(3)),
            Some(kind) => {
                let index_size = indices::size(kind)? as u64;
                let list = List { kind, address: u64::from(field(2)) * index_size, count: count as usize };
                let Ok(Some(span)) = span(thread, context, list, restart) else { continue };
                let moved = |index: u32| index.wrapping_add(field(3));
                (Span { least: moved(span.least), most: moved(span.most) }, field(4))
            }
        };
        let one = Fetched { vertices, instances: (base_instance, instances) };
        all = Some(match all {
            None => one,
            Some(known) => {
                let first = known.instances.0.min(base_instance);
                let end =
                    (known.instances.0.saturating_add(known.instances.1)).max(base_instance.saturating_add(instances));
                Fetched { vertices: known.vertices.join(vertices), instances: (first, end - first) }
            }
        });
    }
    all
}
