//! Calls of any command with slices in place of addresses.
//!
//! A call may come from a damaged or forged trace, so its claims about memory are not trusted: the number of bytes that GL
//! will access behind each pointer is computed from the arguments and the context's state, as capture does. A slice that
//! is too short is copied to memory that is long enough. Memory that GL accesses after the call belongs to this crate,
//! which does not free it while a context could use it.

mod draws;
mod entry;
mod extents;
mod kept;
mod maps;

use std::cell::OnceCell;
use std::collections::HashSet;

use api::call::{ArrayPointer, CallMemory, KeptMemory, MapHandle, PointerArgument, Refusal};
use api::extent::{Extent, extent};
use api::{CommandId, Count, Meaning, Namespace, constant as c, id};

use crate::egl::Egl;
use crate::memory::{self, Guarded};
use crate::screen::Screen;
use draws::ArraySummary;
use entry::{Effect, Entry};
pub(crate) use extents::ContextFacts;
use extents::{ContextState, PixelCache};
use kept::Arena;
use maps::Maps;

/// Pointers below this are numbers: offsets into buffers. No memory of a 64-bit process lies there, so a wrong offset
/// can end the process and cannot make GL read or write anything.
const LOWEST_ADDRESS: u64 = 1 << 32;

/// Commands have fewer parameters than this.
const MOST_PARAMS: usize = 32;

/// Maximum number of bytes behind one pointer: as many as the largest texture of drivers has.
const LONGEST: usize = 1 << 30;

/// Queries get memory for at least this many bytes: a driver may write more values for a name than this build knows of.
const ROOM: usize = 1 << 12;

/// Zeros behind inputs whose length is not known.
const PADDING: usize = 1 << 12;

/// The address, for [`extent`], of the memory behind a parameter is this plus the parameter's index.
const MARK: u64 = 1 << 40;

/// State of [`Screen::call`].
pub(crate) struct Calls {
    egl: &'static Egl,
    /// By command.
    entries: Box<[OnceCell<Entry>]>,
    kept: Arena,
    maps: Maps,
    /// Sync objects that exist.
    syncs: HashSet<u64>,
    /// Addresses that vertex arrays had, see [`ArrayPointer::Memory`].
    array_pointers: Vec<u64>,
    arrays: ArraySummary,
    /// Why the last call was not made.
    refusal: Option<Refusal>,
    pixels: PixelCache,
    /// Room for what queries write.
    room: Box<[u8]>,
    /// Memory that lives for one call.
    copies: Vec<Vec<u8>>,
    tables: Vec<Vec<u64>>,
    guards: Vec<Guarded>,
    /// Whether memory of calls is followed by an inaccessible page: `AFTERIMAGE_GUARD` is set, to test that
    /// [`extent`] is right about how much drivers access.
    is_guarded: bool,
}

/// Outputs of a call that are not written to the caller's slice, by their place among its pointers.
#[derive(Default)]
struct Redirected {
    /// The one that is written to [`Calls::room`].
    room: Option<usize>,
    /// Those that are written to one of [`Calls::copies`].
    copies: Vec<(usize, usize)>,
    /// Those that are written to one of [`Calls::guards`].
    guards: Vec<(usize, usize)>,
}

/// The first integers that a query writes, aligned for values of any size.
#[repr(C, align(16))]
struct Answer([i32; 16]);

impl Calls {
    pub(crate) fn new(egl: &'static Egl) -> Calls {
        Calls {
            egl,
            entries: api::COMMANDS.iter().map(|_| OnceCell::new()).collect(),
            kept: Arena::default(),
            maps: Maps::default(),
            syncs: HashSet::new(),
            array_pointers: Vec::new(),
            arrays: ArraySummary::default(),
            refusal: None,
            pixels: PixelCache::default(),
            room: vec![0; ROOM].into_boxed_slice(),
            copies: Vec::new(),
            tables: Vec::new(),
            guards: Vec::new(),
            is_guarded: std::env::var_os("AFTERIMAGE_GUARD").is_some(),
        }
    }

    #[inline]
    fn entry(&self, command: CommandId) -> &Entry {
        self.entries[usize::from(command.0)].get_or_init(|| Entry::new(command, self.egl))
    }

    /// Drops what depends on the current context.
    pub(crate) fn context_changed(&mut self) {
        self.pixels.clear();
    }

    /// Returns the first integers that a query writes, whose last parameter is where it writes them; zeros when the
    /// driver has no such command.
    fn query(&self, command: CommandId, words: &[u64]) -> [i32; 16] {
        let mut answer = Answer([0; 16]);
        let mut args = [0; MOST_PARAMS];
        args[..words.len()].copy_from_slice(words);
        args[words.len()] = answer.0.as_mut_ptr() as u64;
        let entry = self.entry(command);
        if entry.is_callable() && entry.command.params.len() == words.len() + 1 {
            // SAFETY: all words but the last are numbers, and the last is where the query writes: every caller in this
            // module asks for something that has at most 16 integers.
            unsafe { entry.invoke(&args[..=words.len()]) };
        }
        answer.0
    }

    /// Returns whether the current context is one of the compatibility profile, which exists from GL 3.2 on.
    pub(crate) fn is_compatible(&self, facts: ContextFacts) -> bool {
        let compatible = c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT.cast_signed();
        let mask = || self.query(id::glGetIntegerv, &[u64::from(c::GL_CONTEXT_PROFILE_MASK)])[0];
        facts.is_desktop && facts.version >= (3, 2) && mask() & compatible != 0
    }

    /// Returns whether a capability of the current context is enabled, which it must have.
    fn is_enabled(&self, capability: u32) -> bool {
        let entry = self.entry(id::glIsEnabled);
        // SAFETY: the command takes one number, and there is a word for it.
        entry.is_callable() && unsafe { entry.invoke(&[u64::from(capability)]) } & 0xFF != 0
    }
}

impl Screen {
    /// Returns whether the driver has a command.
    #[must_use]
    pub fn has(&self, command: CommandId) -> bool {
        self.calls.entry(command).is_callable()
    }

    /// Calls a command in the current context, with one word for each parameter and the memory behind its pointers.
    ///
    /// Returns the result as a word: a sync object, a [`MapHandle`], or 1 for any other pointer that is not null. Returns
    /// 0 without calling the driver when this screen has no current context, the driver has no such command, the
    /// number of words is not that of its parameters, or GL would access memory that it must not; then
    /// [`Screen::take_refusal`] says why.
    #[inline]
    pub fn call(&mut self, command: CommandId, words: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64 {
        // What an earlier call was refused for is not said of this one.
        self.calls.refusal = None;
        if !self.enter() {
            return 0;
        }
        let entry = self.calls.entry(command);
        if !entry.is_callable() || words.len() != entry.command.params.len() {
            return 0;
        }
        if entry.is_plain {
            // SAFETY: none of the command's parameters is a pointer, and there is a word for each.
            return unsafe { entry.invoke(words) };
        }
        let entry = *entry;
        let result = if entry.has_pointers {
            self.call_with_memory(command, &entry, words, pointers)
        } else {
            self.call_with_numbers(command, &entry, words)
        };
        result.unwrap_or_else(|refusal| {
            self.calls.refusal = Some(refusal);
            0
        })
    }

    /// Returns why the last call was not made, if it was refused, and forgets that.
    #[inline]
    pub fn take_refusal(&mut self) -> Option<Refusal> {
        self.calls.refusal.take()
    }

    fn call_with_numbers(&mut self, command: CommandId, entry: &Entry, words: &[u64]) -> Result<u64, Refusal> {
        self.before(command, entry, words, &[])?;
        // SAFETY: none of the command's parameters is a pointer, and there is a word for each. If it draws, `before` has
        // checked what it reads.
        let result = unsafe { entry.invoke(words) };
        Ok(self.after(entry, words, result))
    }

    fn call_with_memory(
        &mut self,
        command: CommandId,
        entry: &Entry,
        words: &[u64],
        pointers: &mut [PointerArgument<'_>],
    ) -> Result<u64, Refusal> {
        let mut args = [0; MOST_PARAMS];
        let args = &mut args[..words.len()];
        args.copy_from_slice(words);
        self.check_numbers(entry, args);
        let mut asked = [0; MOST_PARAMS];
        let asked = &mut asked[..words.len()];
        asked.copy_from_slice(args);
        for pointer in pointers.iter() {
            if entry.has_pointer(pointer.param) {
                asked[usize::from(pointer.param)] = MARK + u64::from(pointer.param);
            }
        }
        self.calls.copies.clear();
        self.calls.tables.clear();
        self.calls.guards.clear();
        let mut redirected = Redirected::default();
        for at in 0..pointers.len() {
            let param = pointers[at].param;
            // Lengths of texts are known from the texts.
            if !entry.has_pointer(param) || entry.lengths == Some(param) {
                continue;
            }
            let behind = self.extent(command, param, asked, pointers);
            let address = self.pointer_address(entry, (at, behind), pointers, (args, &mut redirected));
            args[usize::from(param)] = address.ok_or(Refusal::Length { param })?;
        }
        if entry.effect == Effect::WriteLater && !self.has_room_for_results(args[0], pointers) {
            return Err(Refusal::Results);
        }
        self.before(command, entry, args, pointers)?;
        // SAFETY: there is a word for each parameter. Every pointer among them was made by `check_numbers` or `pointer_address`:
        // it is no address at all, a handle that the driver gave out and still knows, or the address of memory that is as
        // long as the command accesses during the call and, if GL keeps it, memory of the arena. If the command draws,
        // `before` has checked what it reads of that.
        let result = unsafe { entry.invoke(args) };
        self.copy_back(&redirected, pointers);
        Ok(self.after(entry, args, result))
    }

    /// Returns how much memory GL will access behind a parameter.
    fn extent(&mut self, command: CommandId, param: u8, asked: &[u64], pointers: &[PointerArgument<'_>]) -> Extent {
        let context = self.current_facts();
        let around = ContextState { calls: &self.calls, context, pointers };
        extent(command, usize::from(param), asked, &around)
    }

    /// Replaces numbers for pointers by null, unless they are offsets or valid handles.
    fn check_numbers(&self, entry: &Entry, args: &mut [u64]) {
        for (param, word) in entry.command.params.iter().zip(args) {
            if param.value.scalar != api::Scalar::Pointer {
                continue;
            }
            let known = *word < LOWEST_ADDRESS || self.calls.syncs.contains(word);
            if !known || param.value.meaning == Meaning::Name(Namespace::EglImage) {
                *word = 0;
            }
        }
    }

    /// Returns the address of memory for a pointer; `None` if GL would access too much.
    fn pointer_address(
        &mut self,
        entry: &Entry,
        (at, behind): (usize, Extent),
        pointers: &mut [PointerArgument<'_>],
        (args, redirected): (&mut [u64], &mut Redirected),
    ) -> Option<u64> {
        let param = usize::from(pointers[at].param);
        let described = entry.command.params[param];
        let is_kept = matches!(behind, Extent::Kept);
        let is_image = described.value.meaning == Meaning::Name(Namespace::EglImage);
        if let Extent::Arrays { .. } = behind {
            return self.lists(at, behind, pointers);
        }
        match &mut pointers[at].memory {
            CallMemory::Image(image) => Some(if is_image { self.image_address(*image) } else { 0 }),
            CallMemory::Kept(memory) if is_kept => {
                self.calls.arrays.note_memory();
                Some(self.calls.kept.address(*memory).unwrap_or(0))
            }
            CallMemory::ArrayPointer(pointer) => Some(if is_kept { self.array_address(*pointer) } else { 0 }),
            CallMemory::Zeros => {
                self.calls.arrays.note_memory();
                (length(behind) <= memory::REACH).then(|| memory::zeros() as u64)
            }
            CallMemory::Discarded => (length(behind) <= memory::SCRATCH).then(|| memory::scratch() as u64),
            CallMemory::Kept(_) => Some(0),
            // GL would use the caller's memory after the call.
            _ if is_kept || is_image => Some(0),
            CallMemory::Input(bytes) => self.input(bytes, behind),
            CallMemory::Text(text) => match behind {
                Extent::Bytes(_) | Extent::TextOf(_) => self.input(text, behind),
                _ => self.input(text, Extent::Text),
            },
            CallMemory::Output(bytes) => {
                let is_exact = !matches!(described.memory.map(|memory| memory.count), Some(Count::Rule(_)));
                let size = match behind {
                    Extent::Nothing => 0,
                    Extent::Bytes(size) | Extent::TextOf(size) => size,
                    // It is not known how much is written; an inaccessible page follows the scratch memory.
                    _ => return Some(memory::scratch() as u64),
                };
                let wanted = if is_exact { size } else { size.max(ROOM) };
                (size <= LONGEST).then(|| self.output(bytes, wanted, at, redirected))
            }
            CallMemory::Offsets(offsets) => {
                let count = if let Extent::Bytes(size) = behind { size / 8 } else { 0 };
                let mut table: Vec<u64> =
                    offsets.iter().map(|offset| if *offset < LOWEST_ADDRESS { *offset } else { 0 }).collect();
                table.resize(count.max(table.len()) + 1, 0);
                (count <= LONGEST / 8).then(|| self.table(table))
            }
            CallMemory::Inputs(texts) => {
                let Extent::Texts { count, .. } = behind else { return Some(0) };
                self.texts(texts, count, (entry.lengths, args))
            }
        }
    }

    /// Returns the address of bytes that are read: the slice itself if it is long enough.
    fn input(&mut self, bytes: &[u8], behind: Extent) -> Option<u64> {
        let (size, end) = match behind {
            Extent::Bytes(size) | Extent::TextOf(size) if size > LONGEST => return None,
            Extent::Bytes(size) | Extent::TextOf(size) => (size, None),
            Extent::Nothing => (0, None),
            Extent::Text if bytes.last() == Some(&0) => (0, None),
            Extent::Text => (bytes.len() + 1, None),
            Extent::Until { terminator, .. } => (0, Some(terminator)),
            _ => (bytes.len() + PADDING, None),
        };
        if self.calls.is_guarded && matches!(behind, Extent::Bytes(_) | Extent::TextOf(_)) {
            return self.guard(bytes, size);
        }
        if size <= bytes.len() && end.is_none() && !bytes.is_empty() {
            return Some(bytes.as_ptr() as u64);
        }
        let mut copy = bytes.to_vec();
        if let Some(end) = end {
            // A pair, whatever the size of an element.
            copy.extend(end.to_ne_bytes());
            copy.extend(end.to_ne_bytes());
        }
        copy.resize(size.max(copy.len()).max(8), 0);
        self.calls.copies.push(copy);
        self.calls.copies.last().map(|copy| copy.as_ptr() as u64)
    }

    /// Returns the address of a copy that ends where an inaccessible page begins.
    fn guard(&mut self, bytes: &[u8], size: usize) -> Option<u64> {
        let guarded = Guarded::copy(bytes, size)?;
        let address = guarded.address() as u64;
        self.calls.guards.push(guarded);
        Some(address)
    }

    /// Returns the address of room for what is written: the slice itself if it is long enough.
    fn output(&mut self, bytes: &mut [u8], size: usize, at: usize, redirected: &mut Redirected) -> u64 {
        if self.calls.is_guarded
            && let Some(address) = self.guard(bytes, size)
        {
            redirected.guards.push((at, self.calls.guards.len() - 1));
            return address;
        }
        if size <= bytes.len() {
            return bytes.as_mut_ptr() as u64;
        }
        if redirected.room.is_none() && size <= self.calls.room.len() {
            self.calls.room[..bytes.len()].copy_from_slice(bytes);
            redirected.room = Some(at);
            return self.calls.room.as_mut_ptr() as u64;
        }
        let mut copy = bytes.to_vec();
        copy.resize(size, 0);
        let address = copy.as_mut_ptr() as u64;
        redirected.copies.push((at, self.calls.copies.len()));
        self.calls.copies.push(copy);
        address
    }

    /// Copies redirected outputs to the caller's slices.
    fn copy_back(&self, redirected: &Redirected, pointers: &mut [PointerArgument<'_>]) {
        let copies = redirected.copies.iter().map(|(at, place)| (*at, &self.calls.copies[*place][..]));
        for (at, written) in redirected.room.map(|at| (at, &self.calls.room[..])).into_iter().chain(copies) {
            if let CallMemory::Output(bytes) = &mut pointers[at].memory {
                bytes.copy_from_slice(&written[..bytes.len()]);
            }
        }
        for (at, place) in &redirected.guards {
            if let CallMemory::Output(bytes) = &mut pointers[*at].memory {
                self.calls.guards[*place].copy_to(bytes);
            }
        }
    }

    /// Returns whether kept memory among the pointers has room for `count` results of 4 bytes.
    fn has_room_for_results(&self, count: u64, pointers: &[PointerArgument<'_>]) -> bool {
        let size = usize::try_from(count as u32 as i32).unwrap_or(0).saturating_mul(4);
        pointers.iter().all(|pointer| match pointer.memory {
            CallMemory::Kept(memory) => self.calls.kept.size(memory) >= size,
            _ => true,
        })
    }

    /// Returns the address of an array of texts, and of their lengths where the command takes them.
    fn texts(&mut self, texts: &[&[u8]], count: usize, (lengths, args): (Option<u8>, &mut [u64])) -> Option<u64> {
        if count > LONGEST / 8 {
            return None;
        }
        let mut table = Vec::with_capacity(count + 1);
        for text in texts.iter().take(count) {
            if lengths.is_some() && !text.is_empty() {
                table.push(text.as_ptr() as u64);
                continue;
            }
            let mut copy = text.to_vec();
            copy.push(0);
            table.push(copy.as_ptr() as u64);
            self.calls.copies.push(copy);
        }
        let empty = memory::zeros() as u64;
        table.resize(count + 1, empty);
        if let Some(param) = lengths {
            let mut sizes: Vec<u8> = Vec::with_capacity(4 * count);
            for at in 0..count {
                let size = texts.get(at).map_or(0, |text| i32::try_from(text.len()).unwrap_or(i32::MAX));
                sizes.extend(size.to_ne_bytes());
            }
            args[usize::from(param)] = sizes.as_ptr() as u64;
            self.calls.copies.push(sizes);
        }
        Some(self.table(table))
    }

    /// Returns the address of an array of lists of indices, each as long as the array of counts says.
    fn lists(&mut self, at: usize, behind: Extent, pointers: &[PointerArgument<'_>]) -> Option<u64> {
        let Extent::Arrays { count, counts, element } = behind else { return Some(0) };
        let counts = match pointers.iter().find(|pointer| MARK + u64::from(pointer.param) == counts) {
            Some(PointerArgument { memory: CallMemory::Input(bytes), .. }) => *bytes,
            _ => return None,
        };
        let CallMemory::Inputs(lists) = &pointers[at].memory else { return None };
        let mut table = Vec::new();
        if count > LONGEST / 8 {
            return None;
        }
        for place in 0..count {
            let wanted = counts.get(4 * place..4 * place + 4).and_then(|bytes| bytes.first_chunk());
            let wanted = wanted.map_or(0, |bytes| i32::from_ne_bytes(*bytes));
            let size = usize::try_from(wanted).unwrap_or(0).saturating_mul(element);
            let list = lists.get(place).copied().unwrap_or_default();
            table.push(self.input(list, Extent::Bytes(size))?);
        }
        table.push(0);
        Some(self.table(table))
    }

    fn table(&mut self, table: Vec<u64>) -> u64 {
        let address = table.as_ptr() as u64;
        self.calls.tables.push(table);
        address
    }

    /// Drops what the call makes invalid, and checks what it reads and keeps besides the memory behind its pointers.
    fn before(
        &mut self,
        command: CommandId,
        entry: &Entry,
        args: &[u64],
        pointers: &[PointerArgument<'_>],
    ) -> Result<(), Refusal> {
        if let Some(how) = entry.vertices
            && !self.calls.arrays.is_harmless()
        {
            self.check_vertices(command, how, args, pointers)?;
        }
        if let Some(param) = entry.stride {
            self.note_strides(entry, param, args, pointers)?;
        }
        match entry.effect {
            Effect::PixelState => self.calls.pixels.clear(),
            // The driver would use memory of this process as the storage of the buffer.
            Effect::Replace { named: false } if args[0] as u32 == c::GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD => {
                return Err(Refusal::Address);
            }
            Effect::Replace { named } => self.calls.forget_map(args[0], named, self.share_group()),
            Effect::DeleteBuffers => {
                self.calls.pixels.clear();
                self.calls.forget_deleted(args, self.share_group());
            }
            Effect::DeleteSync => {
                self.calls.syncs.remove(&args[0]);
            }
            Effect::None | Effect::Map { .. } | Effect::WriteLater => {}
        }
        Ok(())
    }

    /// Notes the strides that a call gives to vertex arrays. Refuses an array that is in no buffer and given by its
    /// offset, which is an address then.
    fn note_strides(
        &mut self,
        entry: &Entry,
        param: u8,
        args: &[u64],
        pointers: &[PointerArgument<'_>],
    ) -> Result<(), Refusal> {
        match pointers.iter().find(|pointer| pointer.param == param).map(|pointer| &pointer.memory) {
            Some(CallMemory::Input(strides)) => {
                for stride in strides.as_chunks().0 {
                    self.calls.arrays.note_stride(u64::from(u32::from_ne_bytes(*stride)));
                }
            }
            _ if entry.has_pointer(param) => {}
            _ => self.calls.arrays.note_stride(args[usize::from(param)]),
        }
        // Others have a pointer, which is checked as such.
        if !matches!(entry.command.operation, api::Operation::NamedVertexArray(_)) {
            return Ok(());
        }
        let word = |name: &str| entry.command.param(name).map(|at| args[at]);
        match (word("buffer"), word("offset")) {
            (Some(buffer), Some(offset)) if buffer as u32 == 0 && offset != 0 => Err(Refusal::Address),
            _ => Ok(()),
        }
    }

    /// Records handles that the call returned, and returns the result for the caller.
    fn after(&mut self, entry: &Entry, args: &[u64], result: u64) -> u64 {
        if entry.command.result.scalar != api::Scalar::Pointer || result == 0 {
            return result;
        }
        if entry.command.result.meaning == Meaning::Name(Namespace::Sync) {
            self.calls.syncs.insert(result);
            return result;
        }
        match entry.effect {
            Effect::Map { named, length } => {
                let group = self.share_group();
                self.calls.add_map(result, args, (named, length), group).0
            }
            _ => 1,
        }
    }

    /// Returns a string of the current context, or one of a list of strings; empty when there is none.
    #[must_use]
    pub fn string(&mut self, name: u32, index: Option<u32>) -> String {
        let (command, words) = match index {
            None => (id::glGetString, vec![u64::from(name)]),
            Some(index) => (id::glGetStringi, vec![u64::from(name), u64::from(index)]),
        };
        if !self.enter() {
            return String::new();
        }
        let entry = self.calls.entry(command);
        if !entry.is_callable() {
            return String::new();
        }
        // SAFETY: both commands take numbers only, and there is one for each parameter.
        let word = unsafe { entry.invoke(&words) };
        // SAFETY: the word is what GL returned just now: null, or a text that lives as long as the context.
        unsafe { memory::text(word) }
    }

    /// Copies bytes to memory that GL may use after a call, and that lives as long as this screen: over the contents of `slot`,
    /// or to new memory, `skipped` bytes behind its start. Returns the memory; `None` if the system has not enough.
    #[must_use]
    pub fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8], skipped: u64) -> Option<KeptMemory> {
        self.calls.kept.keep(slot, bytes, skipped)
    }

    /// Returns a copy of the first bytes of kept memory; `None` if it has fewer.
    #[must_use]
    pub fn read_kept(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>> {
        self.calls.kept.read(memory, size)
    }

    /// Writes to a mapped buffer. Returns false when it is no longer mapped, or not all bytes lie in the mapped range.
    #[must_use]
    pub fn write_map(&mut self, map: MapHandle, offset: usize, bytes: &[u8]) -> bool {
        self.calls.maps.get(map).is_some_and(|mapped| mapped.write(offset, bytes))
    }

    /// Returns bytes of a mapped buffer; `None` if it is no longer mapped, or not all bytes lie in the mapped range.
    #[must_use]
    pub fn read_map(&self, map: MapHandle, offset: usize, size: usize) -> Option<Vec<u8>> {
        self.calls.maps.get(map).and_then(|mapped| mapped.read(offset, size))
    }

    /// Returns the pointer of a generic vertex attribute's array, to be specified again with
    /// [`CallMemory::ArrayPointer`].
    pub fn array_pointer(&mut self, index: u32) -> ArrayPointer {
        if !self.enter() {
            return ArrayPointer::Offset(0);
        }
        let words = [u64::from(index), u64::from(c::GL_VERTEX_ATTRIB_ARRAY_POINTER)];
        let [low, high, ..] = self.calls.query(id::glGetVertexAttribPointerv, &words);
        let address = u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32;
        if address < LOWEST_ADDRESS {
            return ArrayPointer::Offset(address);
        }
        let known = &mut self.calls.array_pointers;
        let place = known.iter().position(|known| *known == address).unwrap_or_else(|| {
            known.push(address);
            known.len() - 1
        });
        ArrayPointer::Memory(u32::try_from(place).unwrap_or(u32::MAX))
    }

    fn array_address(&self, pointer: ArrayPointer) -> u64 {
        match pointer {
            ArrayPointer::Offset(offset) if offset < LOWEST_ADDRESS => offset,
            ArrayPointer::Offset(_) => 0,
            ArrayPointer::Memory(place) => self.calls.array_pointers.get(place as usize).copied().unwrap_or(0),
        }
    }
}

/// Returns how many bytes are accessed, as far as that is known.
fn length(behind: Extent) -> usize {
    match behind {
        Extent::Bytes(size) | Extent::TextOf(size) => size,
        _ => 0,
    }
}
