//! Checks that draws fetch no vertices from outside of the memory of their arrays.
//!
//! GL follows the pointers of arrays in the program's memory wherever indices and strides lead. Arrays have
//! [`REACH`] bytes each (see `kept`), so a draw is safe when no vertex is further than that from the start of an array. Most
//! draws are, by their counts and the largest stride of any array so far. For the others, GL is asked whether any array in
//! memory is enabled at all, and then the indices are read.

use api::call::{CallMemory, PointerArgument, Refusal};
use api::fetch::{self, DrawMemory, Fetched, Layout, List, Span};
use api::{CommandId, Trait, constant as c, id};

use super::extents::ContextState;
use super::{Calls, LOWEST_ADDRESS};
use crate::memory::REACH;
use crate::screen::Screen;

/// The largest element of an array, and of what `glInterleavedArrays` specifies.
const LARGEST_ELEMENT: u64 = 64;

/// With strides up to this, 32-bit indices lead from a number below [`LOWEST_ADDRESS`] to no address at which the kernel
/// puts anything.
const USUAL_STRIDE: u64 = 4096;

/// Attributes of a context that are looked at; no driver has more.
const MOST_ATTRIBUTES: u32 = 64;

/// Units of texture coordinates that are looked at; no driver has more.
const MOST_UNITS: u32 = 32;

/// How a command fetches vertices from arrays.
#[derive(Clone, Copy, Debug)]
pub enum VertexFetch {
    /// Its counts are parameters.
    Counted(Layout),
    /// Its counts are in memory.
    Indirect,
    /// One vertex, whose number is the first parameter.
    One,
    /// Only the GPU knows.
    Uncounted,
}

impl VertexFetch {
    /// Returns how a command fetches vertices; `None` if it does not.
    pub fn of(command: CommandId) -> Option<VertexFetch> {
        let described = api::command(command);
        if let Some(layout) = fetch::layout(command) {
            return Some(VertexFetch::Counted(layout));
        }
        match command {
            id::glArrayElement | id::glArrayElementEXT => Some(VertexFetch::One),
            // A driver may copy the arrays.
            id::glLockArraysEXT => Some(VertexFetch::Counted(Layout { first: Some(0), count: 1, ..Layout::default() })),
            _ if !described.has(Trait::FromArrays) => None,
            _ if described.has(Trait::Indirect) && !described.has(Trait::CountFromBuffer) => {
                Some(VertexFetch::Indirect)
            }
            _ => Some(VertexFetch::Uncounted),
        }
    }
}

/// What is known of all arrays that were specified so far, in all contexts.
#[derive(Clone, Copy, Default, Debug)]
pub struct ArraySummary {
    /// The largest distance in bytes from one element to the next.
    stride: u64,
    /// Whether any is in memory.
    in_memory: bool,
}

impl ArraySummary {
    /// Notes the stride of an array or a binding. GL rejects negative ones.
    pub fn note_stride(&mut self, stride: u64) {
        self.stride = self.stride.max(u64::from(stride as u32));
    }

    /// Notes that an array was given memory.
    pub fn note_memory(&mut self) {
        self.in_memory = true;
    }

    /// Returns whether draws need no check.
    #[inline]
    pub fn is_harmless(&self) -> bool {
        !self.in_memory && self.stride <= USUAL_STRIDE
    }

    /// Returns whether all vertices of a draw are within reach.
    fn reaches(&self, fetched: &Fetched) -> bool {
        let (first, count) = fetched.instances;
        // Arrays that advance per instance get no further than one that has a divisor of 1.
        let most = u64::from(fetched.vertices.most.max(first.saturating_add(count)));
        let stride = self.stride.max(LARGEST_ELEMENT);
        !fetched.wraps && (most + 1).saturating_mul(stride) <= REACH as u64
    }
}

impl Screen {
    /// Returns an error if a draw would, or might, fetch vertices from outside of its arrays.
    pub(super) fn check_vertices(
        &mut self,
        command: CommandId,
        how: VertexFetch,
        args: &[u64],
        pointers: &[PointerArgument<'_>],
    ) -> Result<(), Refusal> {
        let summary = self.calls.arrays;
        let context = self.current_facts();
        let mut memory = CallIndices { state: ContextState { calls: &self.calls, context, pointers }, guess: true };
        let fetched = match how {
            VertexFetch::Counted(layout) => layout.fetched(args, &mut memory),
            VertexFetch::One => {
                let most = u32::try_from(args[0] as i32).unwrap_or(u32::MAX);
                let one = Fetched { vertices: Span { least: most, most }, instances: (0, 1), wraps: false };
                // GL cannot be asked anything within a primitive.
                return if summary.reaches(&one) { Ok(()) } else { Err(Refusal::Vertices) };
            }
            VertexFetch::Indirect | VertexFetch::Uncounted => Some(EVERYTHING),
        };
        if fetched.is_none_or(|fetched| summary.reaches(&fetched)) {
            return Ok(());
        }
        let Some(advance) = memory.state.arrays_in_memory() else { return Ok(()) };
        memory.guess = false;
        let fetched = match how {
            VertexFetch::Counted(layout) => layout.fetched(args, &mut memory),
            VertexFetch::Indirect => memory.indirect(command, args),
            VertexFetch::One | VertexFetch::Uncounted => return Err(Refusal::UncountedVertices),
        };
        let instances = |fetched: Fetched| if advance == Advance::PerVertex { (0, 1) } else { fetched.instances };
        let fetched = fetched.map(|fetched| Fetched { instances: instances(fetched), ..fetched });
        if fetched.is_none_or(|fetched| summary.reaches(&fetched)) { Ok(()) } else { Err(Refusal::Vertices) }
    }
}

/// When arrays in memory advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Advance {
    /// All of them for each vertex.
    PerVertex,
    /// Some of them for each instance.
    PerInstance,
}

const EVERYTHING: Fetched =
    Fetched { vertices: Span { least: 0, most: u32::MAX }, instances: (0, u32::MAX), wraps: true };

/// The indices and counts of a call.
struct CallIndices<'a> {
    state: ContextState<'a>,
    /// Whether any index is assumed that its type can have, instead of reading the list.
    guess: bool,
}

impl CallIndices<'_> {
    fn memory(&self, param: u8) -> Option<&CallMemory<'_>> {
        self.state.pointers.iter().find(|pointer| pointer.param == param).map(|pointer| &pointer.memory)
    }

    /// Returns the list of indices in the memory of the call, if it is not in a buffer.
    fn list(&self, draw: usize) -> &[u8] {
        let lists = self.state.pointers.iter().find_map(|pointer| match &pointer.memory {
            CallMemory::Inputs(lists) => Some(lists.get(draw).copied().unwrap_or_default()),
            _ => None,
        });
        // Commands that make one draw have no other input.
        lists.or_else(|| self.state.pointers.iter().find_map(input)).unwrap_or_default()
    }

    /// Returns what an indirect draw fetches. What cannot be read counts as everything.
    fn indirect(&mut self, command: CommandId, args: &[u64]) -> Option<Fetched> {
        let found = fetch::indirect(command, args)?;
        let copy;
        let bytes = if self.state.buffer(c::GL_DRAW_INDIRECT_BUFFER) == 0 {
            self.state.pointers.iter().find_map(input).unwrap_or_default()
        } else {
            let Some(read) = self.state.read_buffer(c::GL_DRAW_INDIRECT_BUFFER, found.place, found.size) else {
                return Some(EVERYTHING);
            };
            copy = read;
            &copy[..]
        };
        let restart = found.kind.and_then(|kind| self.state.restart(kind));
        let state = &self.state;
        found.fetched(bytes, |list| state.span_in_buffer(list, restart))
    }
}

fn input<'a>(pointer: &'a PointerArgument<'_>) -> Option<&'a [u8]> {
    if let CallMemory::Input(bytes) = &pointer.memory { Some(bytes) } else { None }
}

impl DrawMemory for CallIndices<'_> {
    fn integer(&self, param: u8, index: usize) -> i32 {
        let Some(CallMemory::Input(bytes)) = self.memory(param) else { return 0 };
        let bytes = bytes.get(4 * index..).and_then(|rest| rest.first_chunk());
        // The call gets zeros behind what there is.
        bytes.map_or(0, |bytes| i32::from_ne_bytes(*bytes))
    }

    fn pointer(&self, param: u8, index: usize) -> u64 {
        match self.memory(param) {
            Some(CallMemory::Offsets(offsets)) => offsets.get(index).copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn span(&mut self, list: List) -> Option<Span> {
        if self.guess {
            let most = fetch::fixed_restart(list.kind);
            return Some(Span { least: 0, most });
        }
        let restart = self.state.restart(list.kind);
        if self.state.buffer(c::GL_ELEMENT_ARRAY_BUFFER) != 0 {
            return self.state.span_in_buffer(list, restart);
        }
        let bytes = self.list(list.draw);
        let size = list.count.checked_mul(fetch::size(list.kind)?)?;
        let found = fetch::span(list.kind, &bytes[..size.min(bytes.len())], restart);
        // The call gets zeros behind what there is.
        let zeros = (bytes.len() < size).then_some(Span { least: 0, most: 0 });
        found.map(|found| zeros.map_or(found, |zeros| found.join(zeros))).or(zeros)
    }
}

impl ContextState<'_> {
    /// Returns the index that starts a new primitive, if one does.
    fn restart(&self, kind: u32) -> Option<u32> {
        let enabled = |name: u32| self.is_enabled(name);
        if self.is_at_least((4, 3), (3, 0)) && enabled(c::GL_PRIMITIVE_RESTART_FIXED_INDEX) {
            return Some(fetch::fixed_restart(kind));
        }
        (self.context.is_desktop && self.context.version >= (3, 1) && enabled(c::GL_PRIMITIVE_RESTART))
            .then(|| self.number(c::GL_PRIMITIVE_RESTART_INDEX).cast_unsigned())
    }

    /// Returns the span of a list of indices in the element array buffer. What cannot be read counts as every index.
    fn span_in_buffer(&self, list: List, restart: Option<u32>) -> Option<Span> {
        let size = list.count.checked_mul(fetch::size(list.kind)?)?;
        match self.read_buffer(c::GL_ELEMENT_ARRAY_BUFFER, list.address, size) {
            Some(bytes) => fetch::span(list.kind, &bytes, restart),
            None => Some(Span { least: 0, most: u32::MAX }),
        }
    }

    /// Returns how arrays advance that a draw would fetch from the program's memory, or from address 0 on; `None` if there
    /// are none.
    fn arrays_in_memory(&self) -> Option<Advance> {
        let mut found = None;
        if self.is_at_least((2, 0), (2, 0)) {
            let count = u32::try_from(self.number(c::GL_MAX_VERTEX_ATTRIBS)).unwrap_or(0).min(MOST_ATTRIBUTES);
            let of = |index: u32, name: u32| {
                self.calls.query(id::glGetVertexAttribiv, &[u64::from(index), u64::from(name)])[0] != 0
            };
            let in_memory = |index: &u32| {
                of(*index, c::GL_VERTEX_ATTRIB_ARRAY_ENABLED) && !of(*index, c::GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING)
            };
            let has_divisors = self.is_at_least((3, 3), (3, 0));
            for index in (0..count).filter(in_memory) {
                if has_divisors && of(index, c::GL_VERTEX_ATTRIB_ARRAY_DIVISOR) {
                    return Some(Advance::PerInstance);
                }
                found = Some(Advance::PerVertex);
            }
        }
        if found.is_none() && self.context.has_fixed_functions && self.has_fixed_arrays_in_memory() {
            found = Some(Advance::PerVertex);
        }
        found
    }

    fn has_fixed_arrays_in_memory(&self) -> bool {
        let arrays = [
            (c::GL_VERTEX_ARRAY, c::GL_VERTEX_ARRAY_BUFFER_BINDING, true),
            (c::GL_NORMAL_ARRAY, c::GL_NORMAL_ARRAY_BUFFER_BINDING, true),
            (c::GL_COLOR_ARRAY, c::GL_COLOR_ARRAY_BUFFER_BINDING, true),
            (c::GL_INDEX_ARRAY, c::GL_INDEX_ARRAY_BUFFER_BINDING, false),
            (c::GL_EDGE_FLAG_ARRAY, c::GL_EDGE_FLAG_ARRAY_BUFFER_BINDING, false),
            (c::GL_FOG_COORD_ARRAY, c::GL_FOG_COORD_ARRAY_BUFFER_BINDING, false),
            (c::GL_SECONDARY_COLOR_ARRAY, c::GL_SECONDARY_COLOR_ARRAY_BUFFER_BINDING, false),
        ];
        let buffers = self.is_at_least((1, 5), (1, 1));
        let in_memory = |array: u32, binding: u32| self.is_enabled(array) && !(buffers && self.number(binding) != 0);
        if arrays.iter().any(|(array, binding, es)| (self.context.is_desktop || *es) && in_memory(*array, *binding)) {
            return true;
        }
        let before = self.number(c::GL_CLIENT_ACTIVE_TEXTURE);
        let units = if self.context.is_desktop && self.context.version >= (2, 0) {
            c::GL_MAX_TEXTURE_COORDS
        } else {
            c::GL_MAX_TEXTURE_UNITS
        };
        let count = u32::try_from(self.number(units)).unwrap_or(0).min(MOST_UNITS);
        let any = (0..count).any(|unit| {
            self.calls.set(id::glClientActiveTexture, u64::from(c::GL_TEXTURE0 + unit));
            in_memory(c::GL_TEXTURE_COORD_ARRAY, c::GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING)
        });
        self.calls.set(id::glClientActiveTexture, u64::from(before.cast_unsigned()));
        any
    }

    /// Returns the name of the buffer that is bound to a target.
    fn buffer(&self, target: u32) -> u32 {
        let (desktop, es) = if target == c::GL_DRAW_INDIRECT_BUFFER { ((4, 0), (3, 1)) } else { ((1, 5), (1, 1)) };
        if self.is_at_least(desktop, es) { self.calls.bound_buffer(target) } else { 0 }
    }

    /// Returns bytes of the buffer that is bound to a target; `None` if it has fewer, is mapped or cannot be read.
    fn read_buffer(&self, target: u32, offset: u64, size: usize) -> Option<Vec<u8>> {
        let of = |name: u32| self.calls.query(id::glGetBufferParameteriv, &[u64::from(target), u64::from(name)])[0];
        let end = offset.checked_add(size as u64)?;
        if offset >= LOWEST_ADDRESS || end > u64::try_from(of(c::GL_BUFFER_SIZE)).ok()? || of(c::GL_BUFFER_MAPPED) != 0
        {
            return None;
        }
        if self.context.is_desktop {
            return self.calls.read_buffer(target, offset, size);
        }
        if self.context.version >= (3, 0) { self.calls.map_and_read_buffer(target, offset, size) } else { None }
    }
}

impl Calls {
    /// Calls a command that takes one number.
    fn set(&self, command: CommandId, word: u64) {
        let entry = self.entry(command);
        if entry.is_callable() && entry.command.params.len() == 1 && !entry.has_pointer(0) {
            // SAFETY: there is a word for the only parameter, which is no pointer.
            unsafe { entry.invoke(&[word]) };
        }
    }

    /// Returns bytes of a buffer that has them and is not mapped; `None` if the driver cannot read buffers.
    fn read_buffer(&self, target: u32, offset: u64, size: usize) -> Option<Vec<u8>> {
        let entry = self.entry(id::glGetBufferSubData);
        let mut bytes = vec![0u8; size];
        let words = [u64::from(target), offset, size as u64, bytes.as_mut_ptr() as u64];
        // SAFETY: there is a word for each parameter, and the last is where this many bytes have room.
        entry.is_callable().then(|| unsafe { entry.invoke(&words) })?;
        Some(bytes)
    }

    /// The same where buffers can only be mapped.
    fn map_and_read_buffer(&self, target: u32, offset: u64, size: usize) -> Option<Vec<u8>> {
        let (map, unmap) = (self.entry(id::glMapBufferRange), self.entry(id::glUnmapBuffer));
        if !map.is_callable() || !unmap.is_callable() || size == 0 {
            return None;
        }
        let words = [u64::from(target), offset, size as u64, u64::from(c::GL_MAP_READ_BIT)];
        // SAFETY: there is a word for each parameter, and none is a pointer.
        let address = unsafe { map.invoke(&words) } as *const u8;
        if address.is_null() {
            return None;
        }
        // SAFETY: the driver has mapped this many bytes, and nothing else uses them until they are unmapped below.
        let bytes = unsafe { std::slice::from_raw_parts(address, size) }.to_vec();
        // SAFETY: there is a word for the only parameter, which is no pointer.
        unsafe { unmap.invoke(&[u64::from(target)]) };
        Some(bytes)
    }
}
