//! The recorder's end of a ring.

use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::sync::atomic::fence;

use crate::block::{Block, RingMemory, SLOTS, Slot};
use crate::futex;
use crate::layout::ALIGN;

/// The recorder's read position in one slot.
#[derive(Debug)]
pub struct Consumer {
    index: usize,
    /// The tail; the one in shared memory is only written.
    tail: u64,
}

/// The head has a value that no producer writes: the program overwrote the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the program overwrote the memory that it shares with the recorder")]
pub struct Corrupted;

impl Consumer {
    /// Returns a consumer for each slot.
    pub fn all() -> Vec<Self> {
        (0..SLOTS).map(|index| Self { index, tail: 0 }).collect()
    }

    /// Returns whether a thread has the slot.
    pub fn is_claimed(&self, block: &Block) -> bool {
        self.slot(block).is_some_and(|(slot, _)| slot.is_claimed())
    }

    /// Returns whether a thread has the slot, or one that had it left unread records.
    pub fn in_use(&self, block: &Block) -> bool {
        self.slot(block).is_some_and(|(slot, _)| slot.is_claimed() || slot.head.0.load(Acquire) != self.tail)
    }

    /// Returns the thread that has the slot, numbered as in its own process.
    pub fn thread(&self, block: &Block) -> u32 {
        self.slot(block).map_or(0, |(slot, _)| slot.thread())
    }

    /// Returns the number of claims in the block before this slot's.
    pub fn claim(&self, block: &Block) -> u64 {
        self.slot(block).map_or(0, |(slot, _)| slot.claim())
    }

    /// Returns the command and the arguments of a call whose memory the thread was copying when the process ended.
    pub fn announced(&self, block: &Block) -> Option<(u16, Vec<u64>)> {
        self.slot(block)?.0.announced()
    }

    /// Makes the slot available to the next thread. Only valid when its thread has ended without releasing it.
    pub fn release(&self, block: &Block) {
        if let Some((slot, _)) = self.slot(block) {
            slot.release();
        }
    }

    /// Appends published records to `target` and frees their space in the ring: all of them if they total at most
    /// `most` bytes, otherwise the first ones that together reach it. Returns the number of bytes appended.
    ///
    /// # Errors
    /// When the slot is corrupted; it must not be read any more.
    pub fn take(&mut self, block: &Block, most: usize, target: &mut Vec<u8>) -> Result<usize, Corrupted> {
        let Some((slot, ring)) = self.slot(block) else { return Err(Corrupted) };
        let head = slot.head.0.load(Acquire);
        let bytes = head.wrapping_sub(self.tail);
        if bytes > ring.size as u64 || !bytes.is_multiple_of(ALIGN as u64) {
            return Err(Corrupted);
        }
        if bytes == 0 {
            return Ok(0);
        }
        let there = bytes as usize;
        let bytes = if there > most { self.whole_records(ring, there, most)? } else { there };
        let start = (self.tail % ring.size as u64) as usize;
        let first = bytes.min(ring.size - start);
        // SAFETY: `start` is inside the ring.
        let from = unsafe { ring.bytes.add(start) };
        // SAFETY: the `first` bytes that follow are inside the ring too.
        unsafe { append(target, from.as_ptr(), first) };
        // SAFETY: the rest is at most a whole ring.
        unsafe { append(target, ring.bytes.as_ptr(), bytes - first) };
        self.tail += bytes as u64;
        give_room(slot, self.tail);
        Ok(there)
    }

    /// Returns the size of the shortest run of whole records, of the `there` bytes, that has at least `most` bytes.
    fn whole_records(&self, ring: RingMemory, there: usize, most: usize) -> Result<usize, Corrupted> {
        let mut bytes = 0;
        while bytes < most {
            let at = ((self.tail + bytes as u64) % ring.size as u64) as usize;
            // SAFETY: `at` is inside the ring.
            let header = unsafe { ring.bytes.add(at) };
            // SAFETY: the tail and all sizes are multiples of the alignment, so a whole aligned word is there. The
            // program may change it concurrently; it is read once.
            let header = unsafe { header.cast::<u64>().read_volatile() };
            let size = header as u32 as usize;
            if size == 0 || !size.is_multiple_of(ALIGN) || size > there - bytes {
                return Err(Corrupted);
            }
            bytes += size;
        }
        Ok(bytes)
    }

    fn slot<'a>(&self, block: &'a Block) -> Option<(&'a Slot, RingMemory)> {
        block.slot(self.index)
    }
}

fn give_room(slot: &Slot, tail: u64) {
    slot.tail.0.position.store(tail, Release);
    fence(SeqCst);
    if slot.tail.0.awaited.load(SeqCst) != 0 {
        slot.tail.0.awaited.store(0, SeqCst);
        slot.tail.0.turn.fetch_add(1, Release);
        futex::wake(&slot.tail.0.turn);
    }
}

/// # Safety
/// `size` bytes from `source` on must be mapped. They may change concurrently: nothing is assumed about them.
unsafe fn append(target: &mut Vec<u8>, source: *const u8, size: usize) {
    target.reserve(size);
    let end = target.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    // SAFETY: the caller guarantees that the source is mapped, and enough capacity was reserved.
    unsafe { ptr::copy_nonoverlapping(source, end, size) };
    let length = target.len() + size;
    // SAFETY: that many bytes are initialised now.
    unsafe { target.set_len(length) };
}
