//! Buffers that are mapped into the program's memory.
//!
//! A plain map gives the program the driver's own pointer. What it holds is copied when the map is made, and compared
//! when it ends; a map that invalidates needs no copy, because everything in it counts as written, and one with
//! explicit flushes says itself what was written.
//!
//! A persistent map stays while GL uses the buffer, so nothing says when the program writes. The program gets memory of
//! our own ([`Pages`]) that remembers which pages were written; before GL can look, what has changed there goes to the
//! driver's pointer and into the trace, and when the program has waited for GL, what GL has written comes back.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};

use api::{CommandId, constant as c, id};
use ring::Payload;

use super::changes;
use super::pages::{self, PAGE, Pages};
use crate::thread::Thread;

/// Equal bytes between two changes that are cheaper to record than another range.
const GAP: usize = 96;

/// How many maps there are that are persistent, and in all.
static PERSISTENT: AtomicU32 = AtomicU32::new(0);
static LIVE: AtomicU32 = AtomicU32::new(0);

/// How many buffers have storage that was made without contents.
static UNDEFINED: AtomicU32 = AtomicU32::new(0);

/// Whether any map of the process is persistent.
#[inline]
pub fn any_persistent() -> bool {
    PERSISTENT.load(Relaxed) != 0
}

/// Whether anything is mapped in the process.
#[inline]
pub fn any() -> bool {
    LIVE.load(Relaxed) != 0
}

/// Whether GL may have written to any buffer by itself.
static WRITTEN_BY_GL: AtomicBool = AtomicBool::new(false);

/// GL may write to buffers from now on.
#[inline]
pub fn note_writer() {
    if !WRITTEN_BY_GL.load(Relaxed) {
        WRITTEN_BY_GL.store(true, Relaxed);
    }
}

/// Whether it matters that a buffer gets new storage with contents.
#[inline]
pub fn matters() -> bool {
    any() || UNDEFINED.load(Relaxed) != 0
}

/// Where it is noted what was written to maps (`afiMemory`) and what can be read from them (`afiMapped`).
pub trait Sink {
    /// Notes bytes of a map that begins at `address`.
    fn note(&mut self, command: CommandId, address: usize, offset: usize, bytes: &[u8]);
}

impl Sink for Thread {
    fn note(&mut self, command: CommandId, address: usize, offset: usize, bytes: &[u8]) {
        let args = [address as u64, offset as u64, bytes.len() as u64, bytes.as_ptr() as u64];
        self.emit(command, &args, &[Payload { param: 3, bytes }]);
    }
}

/// What a program asks for when it maps a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The buffer's name.
    pub buffer: u32,
    /// Where in the buffer the map begins.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// Bits of `glMapBufferRange`.
    pub access: u32,
    /// Whether this is all of the buffer.
    pub whole: bool,
}

/// The maps of all contexts that share their objects.
#[derive(Default)]
pub struct Maps {
    list: Vec<Map>,
    /// Buffers whose storage was made without contents. What a driver has there is chance: that the program has written
    /// the same does not mean that it is there again in a replay.
    undefined: Vec<u32>,
    /// The faults that the process had had when [`LARGE`] maps were last looked through.
    faults: i64,
    /// Buffers that were all but rewritten the last time, and how many maps of them may go by without a comparison.
    rewritten: Vec<(u32, u8)>,
    /// Memory of copies that are no longer needed.
    spare: Vec<Vec<u8>>,
}

/// Persistent maps of this size are looked through only when the process had a page fault since the last time: the
/// kernel has to look at every page of them.
const LARGE: usize = 4 << 20;

/// How many maps of a buffer that is rewritten each time are recorded as a whole before one is compared again.
const TRUST: u8 = 31;

/// Buffers of which it is remembered that they are rewritten.
const REMEMBERED: usize = 64;

/// Copies that are kept for the next map, so that mapping does not mean asking for fresh memory.
const SPARES: usize = 4;

struct Map {
    request: Request,
    /// The driver's pointer.
    real: usize,
    /// What the memory held when it was last looked at. Empty when nothing is to be compared.
    copy: Vec<u8>,
    /// What the program got instead of the driver's pointer.
    shadow: Option<Shadow>,
    /// Whether it was filled with zeros when it was made, which a trace must say.
    zeroed: bool,
}

struct Shadow {
    pages: Pages,
    /// Where the map begins in the pages: as far from the start of a page as in the buffer.
    inset: usize,
}

impl Shadow {
    /// Bytes that the kernel watches.
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
    /// Where the program thinks that the map begins.
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
    /// A buffer is mapped; `real` is the driver's pointer. Returns the pointer for the program. `old` fills memory with
    /// what the buffer holds, when it can tell without reading through the new pointer.
    ///
    /// # Safety
    /// `real` is valid for as many bytes as the request says, until the map ends.
    pub unsafe fn begin(&mut self, request: Request, real: usize, old: impl FnOnce(&mut [u8]) -> bool) -> usize {
        // A map that the driver gives while we think that there is one: that one ended unseen.
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
                // Whatever is there is as good as zeros, and zeros are the same in a replay.
                copy.fill(0);
                // SAFETY: the caller's promise; the program may write there, so may we.
                unsafe { copy_bytes(copy.as_ptr() as usize, real, request.size) };
            } else if map.shadow.is_none()
                || request.access & c::GL_MAP_READ_BIT != 0
                || !old(copy.get_mut(..request.size).unwrap_or_default())
            {
                // SAFETY: the caller's promise; the copy has as many bytes.
                unsafe { copy_bytes(real, copy.as_mut_ptr() as usize, request.size) };
            }
            map.copy = copy;
            map.zeroed = undefined && writable;
        }
        let address = map.address();
        if let Some(shadow) = &mut map.shadow {
            // SAFETY: the pages have room for inset and size; nobody knows them yet.
            unsafe { copy_bytes(map.copy.as_ptr() as usize, address, request.size) };
            shadow.pages.track();
        }
        self.list.push(map);
        address
    }

    /// Records what the program finds in a map that was just made.
    pub fn record_begin(&self, sink: &mut impl Sink, buffer: u32) {
        let Some(map) = self.find(buffer) else { return };
        if map.zeroed {
            // SAFETY: the map lives, so as many bytes are there.
            unsafe { record(sink, id::afiMemory, map.address(), 0, map.request.size) };
        }
        if map.has(c::GL_MAP_READ_BIT) {
            // SAFETY: the map lives, so as many bytes are there.
            unsafe { record(sink, id::afiMapped, map.address(), 0, map.request.size) };
        }
    }

    /// A map is about to end: records what was written through it, and forgets it.
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
                // SAFETY: the map lives until the call that ends it is made.
                unsafe { record(sink, id::afiMemory, real, 0, size) };
            } else {
                let mut changed = 0;
                let note = |offset: usize, size: usize| {
                    changed += size;
                    // SAFETY: the range lies within the map, which lives until the call that ends it is made.
                    unsafe { record(sink, id::afiMemory, real, offset, size) };
                };
                // SAFETY: as above, and the copy has as many bytes.
                unsafe { changes::roughly_changed(map.copy.as_ptr(), real as *const u8, size, GAP, note) };
                if changed >= size - size / 8 && self.rewritten.len() < REMEMBERED {
                    self.rewritten.push((buffer, TRUST));
                }
            }
        }
        self.keep_spare(&mut map);
    }

    /// The program says that it has written a range of a map with explicit flushes.
    pub fn flush(&mut self, sink: &mut impl Sink, buffer: u32, offset: usize, size: usize) {
        let Some(map) = self.list.iter_mut().find(|map| map.request.buffer == buffer) else { return };
        if map.shadow.is_some() {
            map.publish(sink);
            return;
        }
        let inside = offset.checked_add(size).is_some_and(|end| end <= map.request.size);
        if inside && map.has(c::GL_MAP_FLUSH_EXPLICIT_BIT) {
            // SAFETY: the range lies within the map, which lives.
            unsafe { record(sink, id::afiMemory, map.real, offset, size) };
        }
    }

    /// A buffer has new storage: a map of it has ended, and what was written through that is lost.
    pub fn replace(&mut self, buffer: u32, has_contents: bool) {
        self.forget(buffer);
        self.define(buffer);
        if !has_contents {
            self.undefined.push(buffer);
            UNDEFINED.fetch_add(1, SeqCst);
        }
    }

    /// Whether a buffer is likely to be rewritten as before. Comparing what is all different costs more than recording
    /// a few bytes that are not.
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

    /// All of a buffer has contents that are in the trace.
    fn define(&mut self, buffer: u32) {
        if let Some(index) = self.undefined.iter().position(|name| *name == buffer) {
            self.undefined.swap_remove(index);
            UNDEFINED.fetch_sub(1, SeqCst);
        }
    }

    /// A map has ended, and what was written through it is lost.
    pub fn forget(&mut self, buffer: u32) {
        if let Some(index) = self.list.iter().position(|map| map.request.buffer == buffer) {
            let mut map = self.list.swap_remove(index);
            self.keep_spare(&mut map);
        }
    }

    /// GL may look at persistent maps: gives it what the program wrote since the last time.
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

    /// The program has waited for GL: gives it what GL wrote to persistent maps. Programs get to see that through maps
    /// that are not for reading as well, though GL does not promise it.
    pub fn receive(&mut self, sink: &mut impl Sink) {
        let written = WRITTEN_BY_GL.load(Relaxed);
        for map in &mut self.list {
            if map.shadow.is_some() && (written || map.has(c::GL_MAP_READ_BIT)) {
                map.receive(sink);
            }
        }
    }

    /// The program's pointer for the driver's, when they differ.
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
    /// What the program wrote goes to the driver and into the trace.
    fn publish(&mut self, sink: &mut impl Sink) {
        let address = self.address();
        let (real, size) = (self.real, self.request.size);
        // What GL writes between two bytes of the program's must stay.
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
                // SAFETY: the range lies within what is kept of the map, which is as long.
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

    /// What GL wrote goes to the program and into the trace.
    fn receive(&mut self, sink: &mut impl Sink) {
        self.publish(sink);
        let address = self.address();
        let (real, size) = (self.real, self.request.size);
        let kept = self.copy.as_mut_ptr() as usize;
        // Only what GL has written is copied, but what is noted may have a few more bytes, and be one range for many.
        let mut noted: Option<(usize, usize)> = None;
        let take = |offset: usize, length: usize| {
            // SAFETY: the range lies within the map, which can be read, and within what is kept of it.
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
        // SAFETY: the map lives and can be read, and the copy is as long.
        unsafe { changes::changed(kept as *const u8, real as *const u8, size, take) };
        if let Some((from, to)) = noted {
            // SAFETY: as above.
            unsafe { record(sink, id::afiMapped, address, from, to - from) };
        }
    }
}

/// Memory for a persistent map. Nothing when there is no memory left: then the program gets the driver's pointer.
fn shadow(request: &Request) -> Option<Shadow> {
    let inset = request.offset % PAGE;
    Some(Shadow { pages: Pages::new(request.size.checked_add(inset)?)?, inset })
}

/// Copies bytes from one address to another.
///
/// # Safety
/// `size` bytes can be read at `from` and written at `to`, and these ranges do not overlap.
unsafe fn copy_bytes(from: usize, to: usize, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, size) };
}

/// Notes bytes of a map.
///
/// # Safety
/// `size` bytes can be read at `address + offset`.
unsafe fn record(sink: &mut impl Sink, command: CommandId, address: usize, offset: usize, size: usize) {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts((address + offset) as *const u8, size) };
    sink.note(command, address, offset, bytes);
}

#[cfg(test)]
mod tests;
