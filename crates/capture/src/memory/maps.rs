//! Buffers that are mapped into the program's memory.
//!
//! A plain map gives the program the driver's own pointer. Its contents are copied when it is made and compared when it
//! ends. A map that invalidates needs no copy, because everything in it counts as written; with explicit flushes the
//! program itself reports what it wrote.
//!
//! A persistent map stays while GL uses the buffer, so nothing tells when the program writes. The program gets memory
//! of capture ([`Pages`]) that tracks which pages were written. Before GL can read it, changes go to the driver's
//! pointer and into the trace; after the program has waited for GL, what GL has written comes back.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};

use api::{CommandId, constant as c, id};
use ring::Payload;

use super::changes;
use super::pages::{self, PAGE, Pages};
use crate::thread::Thread;

/// Equal bytes between two changes that are cheaper to record than another range.
const GAP: usize = 96;

/// The number of persistent maps, and of all maps.
static PERSISTENT: AtomicU32 = AtomicU32::new(0);
static LIVE: AtomicU32 = AtomicU32::new(0);

/// The number of buffers whose storage was created without contents.
static UNDEFINED: AtomicU32 = AtomicU32::new(0);

/// Returns whether any map of the process is persistent.
#[inline]
pub fn any_persistent() -> bool {
    PERSISTENT.load(Relaxed) != 0
}

/// Returns whether anything is mapped in the process.
#[inline]
pub fn any() -> bool {
    LIVE.load(Relaxed) != 0
}

/// Whether GL may have written to any buffer by itself.
static WRITTEN_BY_GL: AtomicBool = AtomicBool::new(false);

/// Notes that GL may write to buffers from now on.
#[inline]
pub fn note_writer() {
    if !WRITTEN_BY_GL.load(Relaxed) {
        WRITTEN_BY_GL.store(true, Relaxed);
    }
}

/// Returns whether a buffer's new storage with contents must be tracked.
#[inline]
pub fn tracks_storage() -> bool {
    any() || UNDEFINED.load(Relaxed) != 0
}

/// Receives what was written to maps (`afiMemory`) and what can be read from them (`afiMapped`).
pub trait Sink {
    /// Records bytes of a map that starts at `address`.
    fn note(&mut self, command: CommandId, address: usize, offset: usize, bytes: &[u8]);
}

impl Sink for Thread {
    fn note(&mut self, command: CommandId, address: usize, offset: usize, bytes: &[u8]) {
        let args = [address as u64, offset as u64, bytes.len() as u64, bytes.as_ptr() as u64];
        self.emit(command, &args, &[Payload { param: 3, bytes }]);
    }
}

/// The arguments of a map call.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The buffer's name.
    pub buffer: u32,
    /// The offset of the map in the buffer.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// Bits of `glMapBufferRange`.
    pub access: u32,
    /// Whether the map covers the whole buffer.
    pub whole: bool,
}

/// The maps of all contexts of a share group.
#[derive(Default)]
pub struct Maps {
    list: Vec<Map>,
    /// Buffers whose storage was created without contents. What the driver has there is arbitrary: that the program has
    /// written the same bytes does not mean that a replay finds them there.
    undefined: Vec<u32>,
    /// The process's fault count when [`LARGE`] maps were last scanned.
    faults: i64,
    /// Buffers that were almost entirely rewritten last time, and how many maps of them to record without comparing.
    rewritten: Vec<(u32, u8)>,
    /// Buffers of old copies, for reuse.
    spare: Vec<Vec<u8>>,
}

/// Persistent maps of this size are scanned only when the process had a page fault since the last time, because the
/// kernel has to look at every page of them.
const LARGE: usize = 4 << 20;

/// Number of maps of a buffer that is always rewritten that are recorded in full before one is compared again.
const REUSED_MAPS: u8 = 31;

/// Number of buffers remembered as always rewritten.
const REMEMBERED: usize = 64;

/// Number of copies kept for reuse, so that mapping does not need fresh memory.
const SPARES: usize = 4;

struct Map {
    request: Request,
    /// The driver's pointer.
    real: usize,
    /// The contents when last compared. Empty when nothing is to be compared.
    copy: Vec<u8>,
    /// The memory that the program got instead of the driver's pointer.
    shadow: Option<Shadow>,
    /// Whether it was filled with zeros when it was made, which the trace must contain.
    zeroed: bool,
}

struct Shadow {
    pages: Pages,
    /// The offset of the map in the pages: its alignment within a page is as in the buffer.
    inset: usize,
}

impl Shadow {
    /// Returns the number of bytes that the kernel tracks.
    fn watched(&self) -> usize {
        if self.pages.is_tracked() { self.pages.size() } else { 0 }
    }
}

impl Drop for Maps {
    fn drop(&mut self) {
        UNDEFINED.fetch_sub(self.undefined.len() as u32, SeqCst);
    }
}

impl Map {
    /// Returns the address of the map as seen by the program.
    fn address(&self) -> usize {
        match &self.shadow {
            Some(shadow) => shadow.pages.start() as usize + shadow.inset,
            None => self.real,
        }
    }

    fn has(&self, bit: u32) -> bool {
        self.request.access & bit != 0
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, SeqCst);
        if self.shadow.is_some() {
            PERSISTENT.fetch_sub(1, SeqCst);
        }
    }
}

impl Maps {
    /// Adds a map; `real` is the driver's pointer. Returns the pointer for the program. `old` fills a slice with the
    /// contents of the buffer, if it can do so without reading through the new pointer.
    ///
    /// # Safety
    /// `real` must be valid for the requested size until the map ends.
    pub unsafe fn begin(&mut self, request: Request, real: usize, old: impl FnOnce(&mut [u8]) -> bool) -> usize {
        // The driver allows a new map although one is known: that one ended unnoticed.
        self.forget(request.buffer);
        let writable = request.access & c::GL_MAP_WRITE_BIT != 0;
        let persistent = request.access & c::GL_MAP_PERSISTENT_BIT != 0;
        let invalidates = request.access & (c::GL_MAP_INVALIDATE_RANGE_BIT | c::GL_MAP_INVALIDATE_BUFFER_BIT) != 0;
        let undefined = self.undefined.contains(&request.buffer);
        let rewritten = request.access & c::GL_MAP_READ_BIT == 0 && self.is_rewritten(request.buffer);
        let compared =
            writable && !invalidates && !undefined && !rewritten && request.access & c::GL_MAP_FLUSH_EXPLICIT_BIT == 0;
        let mut map = Map { request, real, copy: Vec::new(), shadow: None, zeroed: false };
        LIVE.fetch_add(1, SeqCst);
        if persistent {
            map.shadow = shadow(&request);
        }
        if map.shadow.is_some() {
            PERSISTENT.fetch_add(1, SeqCst);
        }
        if compared || map.shadow.is_some() {
            let mut copy = self.spare.pop().unwrap_or_default();
            if copy.len() < request.size {
                copy.resize(request.size, 0);
            }
            if undefined && writable {
                // Undefined contents may as well be zeros, which are the same in a replay.
                copy.fill(0);
                // SAFETY: guaranteed by the caller; the program may write there, so capture may too.
                unsafe { copy_bytes(copy.as_ptr() as usize, real, request.size) };
            } else if map.shadow.is_none()
                || request.access & c::GL_MAP_READ_BIT != 0
                || !old(copy.get_mut(..request.size).unwrap_or_default())
            {
                // SAFETY: guaranteed by the caller; the copy has as many bytes.
                unsafe { copy_bytes(real, copy.as_mut_ptr() as usize, request.size) };
            }
            map.copy = copy;
            map.zeroed = undefined && writable;
        }
        let address = map.address();
        if let Some(shadow) = &mut map.shadow {
            // SAFETY: the pages have room for inset and size, and no one else has their address yet.
            unsafe { copy_bytes(map.copy.as_ptr() as usize, address, request.size) };
            shadow.pages.track();
        }
        self.list.push(map);
        address
    }

    /// Records what the program finds in a new map.
    pub fn record_begin(&self, sink: &mut impl Sink, buffer: u32) {
        let Some(map) = self.find(buffer) else { return };
        if map.zeroed {
            // SAFETY: the map exists, so this many bytes are readable.
            unsafe { record(sink, id::afiMemory, map.address(), 0, map.request.size) };
        }
        if map.has(c::GL_MAP_READ_BIT) {
            // SAFETY: the map exists, so this many bytes are readable.
            unsafe { record(sink, id::afiMapped, map.address(), 0, map.request.size) };
        }
    }

    /// Records what was written through a map that is about to end, and removes it.
    pub fn end(&mut self, sink: &mut impl Sink, buffer: u32) {
        let Some(index) = self.list.iter().position(|map| map.request.buffer == buffer) else { return };
        let mut map = self.list.swap_remove(index);
        if map.request.whole && map.has(c::GL_MAP_WRITE_BIT) && !map.has(c::GL_MAP_FLUSH_EXPLICIT_BIT) {
            self.define(buffer);
        }
        if map.shadow.is_some() {
            map.publish(sink);
        } else if map.has(c::GL_MAP_WRITE_BIT) && !map.has(c::GL_MAP_FLUSH_EXPLICIT_BIT) {
            let (real, size) = (map.real, map.request.size);
            if map.copy.is_empty() {
                // SAFETY: the map exists until the call that ends it is made.
                unsafe { record(sink, id::afiMemory, real, 0, size) };
            } else {
                let mut changed = 0;
                let note = |offset: usize, size: usize| {
                    changed += size;
                    // SAFETY: the range lies within the map, which exists until the call that ends it is made.
                    unsafe { record(sink, id::afiMemory, real, offset, size) };
                };
                // SAFETY: as above, and the copy has as many bytes.
                unsafe { changes::roughly_changed(map.copy.as_ptr(), real as *const u8, size, GAP, note) };
                if changed >= size - size / 8 && self.rewritten.len() < REMEMBERED {
                    self.rewritten.push((buffer, REUSED_MAPS));
                }
            }
        }
        self.keep_spare(&mut map);
    }

    /// Records a range of a map with explicit flushes that the program has written.
    pub fn flush(&mut self, sink: &mut impl Sink, buffer: u32, offset: usize, size: usize) {
        let Some(map) = self.list.iter_mut().find(|map| map.request.buffer == buffer) else { return };
        if map.shadow.is_some() {
            map.publish(sink);
            return;
        }
        let inside = offset.checked_add(size).is_some_and(|end| end <= map.request.size);
        if inside && map.has(c::GL_MAP_FLUSH_EXPLICIT_BIT) {
            // SAFETY: the range lies within the map, which exists.
            unsafe { record(sink, id::afiMemory, map.real, offset, size) };
        }
    }

    /// Handles new storage of a buffer: a map of it has ended, and what was written through that is lost.
    pub fn replace(&mut self, buffer: u32, has_contents: bool) {
        self.forget(buffer);
        self.define(buffer);
        if !has_contents {
            self.undefined.push(buffer);
            UNDEFINED.fetch_add(1, SeqCst);
        }
    }

    /// Returns whether a buffer is likely to be rewritten as before. Comparing contents that all differ costs more than
    /// recording a few bytes that do not.
    fn is_rewritten(&mut self, buffer: u32) -> bool {
        let Some(index) = self.rewritten.iter().position(|(name, _)| *name == buffer) else { return false };
        match self.rewritten.get_mut(index) {
            Some((_, left)) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => {
                self.rewritten.swap_remove(index);
                false
            }
        }
    }

    /// Marks all contents of a buffer as defined in the trace.
    fn define(&mut self, buffer: u32) {
        if let Some(index) = self.undefined.iter().position(|name| *name == buffer) {
            self.undefined.swap_remove(index);
            UNDEFINED.fetch_sub(1, SeqCst);
        }
    }

    /// Removes a map; what was written through it is lost.
    pub fn forget(&mut self, buffer: u32) {
        if let Some(index) = self.list.iter().position(|map| map.request.buffer == buffer) {
            let mut map = self.list.swap_remove(index);
            self.keep_spare(&mut map);
        }
    }

    /// Sends the program's writes to persistent maps to the driver, before GL may read them.
    pub fn publish(&mut self, sink: &mut impl Sink) {
        let watched: usize = self.list.iter().filter_map(|map| map.shadow.as_ref()).map(Shadow::watched).sum();
        let mut idle = false;
        if watched >= LARGE {
            let faults = pages::faults();
            idle = faults == self.faults;
            self.faults = faults;
        }
        for map in &mut self.list {
            if map.shadow.as_ref().is_some_and(|shadow| !idle || shadow.watched() == 0) {
                map.publish(sink);
            }
        }
    }

    /// Copies GL's writes to persistent maps to the program, after it has waited for GL. Programs can see them even
    /// through maps that are not for reading, though GL does not promise it.
    pub fn receive(&mut self, sink: &mut impl Sink) {
        let written = WRITTEN_BY_GL.load(Relaxed);
        for map in &mut self.list {
            if map.shadow.is_some() && (written || map.has(c::GL_MAP_READ_BIT)) {
                map.receive(sink);
            }
        }
    }

    /// Returns the program's pointer for the driver's, when they differ.
    pub fn translate(&self, real: usize) -> Option<usize> {
        self.list.iter().find(|map| map.shadow.is_some() && map.real == real).map(Map::address)
    }

    fn find(&self, buffer: u32) -> Option<&Map> {
        self.list.iter().find(|map| map.request.buffer == buffer)
    }

    fn keep_spare(&mut self, map: &mut Map) {
        if self.spare.len() < SPARES && map.copy.capacity() > 0 {
            self.spare.push(std::mem::take(&mut map.copy));
        }
    }
}

impl Map {
    /// Copies the program's writes to the driver and into the trace.
    fn publish(&mut self, sink: &mut impl Sink) {
        let address = self.address();
        let (real, size) = (self.real, self.request.size);
        // Bytes that GL writes between two bytes of the program must be preserved.
        let exact = self.has(c::GL_MAP_READ_BIT) || WRITTEN_BY_GL.load(Relaxed);
        let kept = self.copy.as_mut_ptr() as usize;
        let Some(shadow) = &mut self.shadow else { return };
        let inset = shadow.inset;
        shadow.pages.written(|start, length| {
            let from = start.saturating_sub(inset);
            let to = (start + length).saturating_sub(inset).min(size);
            if from >= to {
                return;
            }
            let new = address + from;
            let old = (kept + from) as *const u8;
            let take = |offset: usize, length: usize| {
                // SAFETY: the range lies within the shadow, here and below.
                unsafe { record(sink, id::afiMemory, address, from + offset, length) };
                // SAFETY: the range lies within the map, which the program may write to.
                unsafe { copy_bytes(new + offset, real + from + offset, length) };
                // SAFETY: the range lies within the copy, which is as long as the map.
                unsafe { copy_bytes(new + offset, kept + from + offset, length) };
            };
            if exact {
                // SAFETY: both have the bytes from `from` to `to`.
                unsafe { changes::changed(old, new as *const u8, to - from, take) };
            } else {
                // SAFETY: as above.
                unsafe { changes::roughly_changed(old, new as *const u8, to - from, GAP, take) };
            }
        });
    }

    /// Copies GL's writes to the program and into the trace.
    fn receive(&mut self, sink: &mut impl Sink) {
        self.publish(sink);
        let address = self.address();
        let (real, size) = (self.real, self.request.size);
        let kept = self.copy.as_mut_ptr() as usize;
        // Only what GL has written is copied, but the recorded range may have a few more bytes and join several ranges.
        let mut noted: Option<(usize, usize)> = None;
        let take = |offset: usize, length: usize| {
            // SAFETY: the range lies within the map, which is readable, and within its copy.
            unsafe { copy_bytes(real + offset, kept + offset, length) };
            // SAFETY: the range lies within the shadow.
            unsafe { copy_bytes(kept + offset, address + offset, length) };
            let end = offset + length;
            match &mut noted {
                Some((_, last)) if offset - *last <= GAP => *last = end,
                _ => {
                    if let Some((from, to)) = noted.replace((offset, end)) {
                        // SAFETY: as above.
                        unsafe { record(sink, id::afiMapped, address, from, to - from) };
                    }
                }
            }
        };
        // SAFETY: the map exists and is readable, and the copy is as long.
        unsafe { changes::changed(kept as *const u8, real as *const u8, size, take) };
        if let Some((from, to)) = noted {
            // SAFETY: as above.
            unsafe { record(sink, id::afiMapped, address, from, to - from) };
        }
    }
}

/// Returns memory for a persistent map. `None` when out of memory: the program then gets the driver's pointer.
fn shadow(request: &Request) -> Option<Shadow> {
    let inset = request.offset % PAGE;
    Some(Shadow { pages: Pages::new(request.size.checked_add(inset)?)?, inset })
}

/// Copies bytes from one address to another.
///
/// `size` bytes must be readable at `from` and writable at `to`, and the ranges must not overlap.
/// `size` bytes must be readable at `from` and written at `to`, and these ranges do not overlap.
unsafe fn copy_bytes(from: usize, to: usize, size: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, size) };
}

/// Records bytes of a map.
///
/// # Safety
/// `size` bytes must be readable at `address + offset`.
unsafe fn record(sink: &mut impl Sink, command: CommandId, address: usize, offset: usize, size: usize) {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { std::slice::from_raw_parts((address + offset) as *const u8, size) };
    sink.note(command, address, offset, bytes);
}

#[cfg(test)]
mod tests;
