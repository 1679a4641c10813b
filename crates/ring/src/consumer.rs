//! The recorder's end of a ring.

use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::sync::atomic::fence;

use crate::block::{Block, RING, SLOTS, Slot};
use crate::futex;
use crate::layout::ALIGN;

/// Where the recorder is in one slot.
#[derive(Debug)]
pub struct Consumer {
    index: usize,
    /// What the tail should be; the one in shared memory is only written.
    tail: u64,
}

/// The head is where no producer can have put it: the program wrote over the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the program wrote over the memory it shares with the recorder")]
pub struct Scribbled;

impl Consumer {
    /// One for each slot.
    pub fn all() -> Vec<Self> {
        (0..SLOTS).map(|index| Self { index, tail: 0 }).collect()
    }

    /// Whether a thread has the slot, or had it and left something to read.
    pub fn in_use(&self, block: &Block) -> bool {
        self.slot(block).is_some_and(|(slot, _)| slot.in_use())
    }

    /// Whether the slot's thread has given it back.
    pub fn released(&self, block: &Block) -> bool {
        self.slot(block).is_some_and(|(slot, _)| slot.released())
    }

    /// The thread that has it, as its own process numbers threads.
    pub fn thread(&self, block: &Block) -> u32 {
        self.slot(block).map_or(0, |(slot, _)| slot.thread())
    }

    /// How many claims came before this slot's.
    pub fn claim(&self, block: &Block) -> u64 {
        self.slot(block).map_or(0, |(slot, _)| slot.claim())
    }

    /// Lets the next thread have the slot. Only when its thread is done and everything has been read.
    pub fn free(&self, block: &Block) {
        if let Some((slot, _)) = self.slot(block) {
            slot.free();
        }
    }

    /// Copies records that are published to the end of `target` and gives their room back to the producer: all of them
    /// if they have no more than `most` bytes, otherwise as many as first have that. Returns how
    /// many bytes there were.
    ///
    /// # Errors
    /// When the slot is broken; it must not be read any more.
    pub fn take(&mut self, block: &Block, most: usize, target: &mut Vec<u8>) -> Result<usize, Scribbled> {
        let Some((slot, ring)) = self.slot(block) else { return Err(Scribbled) };
        let head = slot.head.0.load(Acquire);
        let bytes = head.wrapping_sub(self.tail);
        if bytes > RING as u64 || !bytes.is_multiple_of(ALIGN as u64) {
            return Err(Scribbled);
        }
        if bytes == 0 {
            return Ok(0);
        }
        let there = bytes as usize;
        let bytes = if there > most { self.whole_records(ring, there, most)? } else { there };
        let start = (self.tail % RING as u64) as usize;
        let first = bytes.min(RING - start);
        // SAFETY: `start` is inside the ring.
        let from = unsafe { ring.add(start) };
        // SAFETY: the `first` bytes that follow are inside the ring too.
        unsafe { append(target, from, first) };
        // SAFETY: the rest is not more than a ring.
        unsafe { append(target, ring, bytes - first) };
        self.tail += bytes as u64;
        give_room(slot, self.tail);
        Ok(there)
    }

    /// Bytes of the first records, of `there` bytes, that together have `most` bytes or more.
    fn whole_records(&self, ring: *const u8, there: usize, most: usize) -> Result<usize, Scribbled> {
        let mut bytes = 0;
        while bytes < most {
            let at = ((self.tail + bytes as u64) % RING as u64) as usize;
            // SAFETY: `at` is inside the ring.
            let header = unsafe { ring.add(at) };
            // SAFETY: the tail and all sizes are multiples of the alignment, so a whole word is there, and aligned. The
            // program may change it meanwhile; it is read once.
            let header = unsafe { header.cast::<u64>().read_volatile() };
            let size = header as u32 as usize;
            if size == 0 || !size.is_multiple_of(ALIGN) || size > there - bytes {
                return Err(Scribbled);
            }
            bytes += size;
        }
        Ok(bytes)
    }

    fn slot<'a>(&self, block: &'a Block) -> Option<(&'a Slot, *const u8)> {
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
/// `size` bytes from `source` on must be mapped. They may change meanwhile: nothing is assumed of them.
unsafe fn append(target: &mut Vec<u8>, source: *const u8, size: usize) {
    target.reserve(size);
    let end = target.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    // SAFETY: the source is mapped as the caller says, and so much capacity was reserved.
    unsafe { ptr::copy_nonoverlapping(source, end, size) };
    let length = target.len() + size;
    // SAFETY: that many bytes are initialised now.
    unsafe { target.set_len(length) };
}
