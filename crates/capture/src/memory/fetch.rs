//! Records the vertices that draw calls fetch from the program's memory.
//!
//! Right before such a draw call, capture specifies the arrays again, each with the bytes that the call fetches from
//! it. Bytes between the pointer and the first vertex are left out ([`api::SKIPPED`] gives their number): GL does not
//! read them, and they need not even be mapped.

use api::fetch::{self, DrawMemory, Fetched, List, Span};
use api::{CommandId, constant as c, id};
use ring::Payload;

use super::action::{self, Action};
use super::arrays::{Array, Slot};
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
    let fetched = match fetch::layout(call.command) {
        Some(layout) => {
            let restart = layout.indices.and_then(|(kind, _)| {
                let kind = call.args.get(usize::from(kind)).map_or(0, |word| *word as u32);
                restart_index(call.thread, &context.memory, kind)
            });
            let mut memory = ProgramMemory { thread: call.thread, context, args: call.args, restart, unread: false };
            let fetched = layout.fetched(call.args, &mut memory);
            if memory.unread {
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

/// The memory of the program behind the arguments of a draw call.
struct ProgramMemory<'a> {
    thread: &'a Thread,
    context: &'a Context,
    args: &'a [u64],
    restart: Option<u32>,
    /// Whether GL can read indices that capture cannot.
    unread: bool,
}

impl ProgramMemory<'_> {
    /// Returns an element of the array behind a parameter, or its default when the parameter is null.
    fn element<T: Copy + Default>(&self, param: u8, index: usize) -> T {
        let base = self.args.get(usize::from(param)).map_or(std::ptr::null(), |word| *word as *const T);
        if base.is_null() {
            return T::default();
        }
        // SAFETY: GL reads as many elements for this draw call as it has draws, and `index` is below that.
        unsafe { base.wrapping_add(index).read_unaligned() }
    }
}

impl DrawMemory for ProgramMemory<'_> {
    fn integer(&self, param: u8, index: usize) -> i32 {
        self.element(param, index)
    }

    fn pointer(&self, param: u8, index: usize) -> u64 {
        self.element::<usize>(param, index) as u64
    }

    fn span(&mut self, list: List) -> Option<Span> {
        let found = span(self.thread, self.context, list, self.restart);
        self.unread |= found == Err(Unreadable);
        found.ok().flatten()
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
    let fixed = if facts.es { facts.version >= (3, 0) } else { facts.version >= (4, 3) };
    if fixed && driver::enabled(thread, c::GL_PRIMITIVE_RESTART_FIXED_INDEX) {
        return Some(fetch::fixed_restart(kind));
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
    let bytes = fetch::size(list.kind).and_then(|size| list.count.checked_mul(size));
    let Some(bytes) = bytes else { return Ok(None) };
    if context.memory.bindings.elements() == 0 {
        if list.address < 4096 || !is_readable(list.address, bytes) {
            return Ok(None);
        }
        // SAFETY: the kernel has confirmed that the list is readable.
        let list_bytes = unsafe { std::slice::from_raw_parts(list.address as *const u8, bytes) };
        return Ok(fetch::span(list.kind, list_bytes, restart));
    }
    let Ok(offset) = usize::try_from(list.address) else { return Ok(None) };
    let copy = read_elements(thread, &context.memory, offset, bytes).ok_or(Unreadable)?;
    Ok(fetch::span(list.kind, &copy, restart))
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
    let found = fetch::indirect(command, args)?;
    let copy;
    let bytes = if context.memory.bindings.name(c::GL_DRAW_INDIRECT_BUFFER) == 0 {
        if found.place < 4096 || !is_readable(found.place, found.size) {
            return None;
        }
        // SAFETY: the kernel has confirmed that the structures are readable.
        unsafe { std::slice::from_raw_parts(found.place as *const u8, found.size) }
    } else {
        let offset = usize::try_from(found.place).ok()?;
        if offset.checked_add(found.size)? > driver::bound_buffer_size(thread, c::GL_DRAW_INDIRECT_BUFFER) {
            return None;
        }
        let mut room = vec![0_u8; found.size];
        let at = room.as_mut_ptr();
        // SAFETY: the room has this many bytes.
        unsafe { driver::read_bound_buffer(thread, c::GL_DRAW_INDIRECT_BUFFER, offset, found.size, at) };
        copy = room;
        &copy[..]
    };
    let restart = found.kind.and_then(|kind| restart_index(thread, &context.memory, kind));
    found.fetched(bytes, |list| span(thread, context, list, restart).ok().flatten())
}
