//! The program's end of a ring.

use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::sync::atomic::fence;
use std::time::{Duration, Instant};

use crate::block::{Block, RING, Reason, Slot};
use crate::clock::Clock;
use crate::futex;
use crate::layout::{
    ALIGN, HEADER, Kind, PAYLOAD_HEADER, PIECE, PIECE_HEADER, SHORT_LEAVE, UNSTAMPED, header, payload_header,
};

/// The longest record. Half a ring, so that there is room for it again whenever the recorder has caught up, wherever
/// the ring's end is.
pub const LONGEST: usize = RING / 2;

/// Payloads of one record that together are longer than this travel in pieces.
const INLINE: usize = 2 * PIECE;

/// How long a recorder may stand still before the program goes on without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long one wait is.
const WAIT: Duration = Duration::from_millis(20);

/// One thread's way to the recorder. All zero bytes are a producer that has no room and never gets any, so it may live
/// in memory that the kernel wipes in the child of a fork.
#[repr(C)]
#[derive(Debug)]
pub struct Producer {
    /// Where the next record goes.
    cursor: *mut u8,
    /// Bytes from there on that may be written before looking at the tail again.
    room: usize,
    /// The position of the cursor, counted from the ring's first use.
    head: u64,
    slot: *const Slot,
    block: *const Block,
    ring: *mut u8,
    /// The block's [`Clock`], or 0 for one that has no block.
    clock: u32,
}

/// Memory that belongs to a call, by the index of the parameter that points to it.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// The parameter's index.
    pub param: u8,
    /// What is behind it.
    pub bytes: &'a [u8],
}

impl Producer {
    /// A producer that has no room and never gets any.
    pub const NONE: Self = Self {
        cursor: ptr::null_mut(),
        room: 0,
        head: 0,
        slot: ptr::null(),
        block: ptr::null(),
        ring: ptr::null_mut(),
        clock: 0,
    };

    /// Takes a slot for the calling thread. Nothing when all are taken or nobody records.
    pub fn claim(block: &'static Block) -> Option<Self> {
        if !block.recording() {
            return None;
        }
        // SAFETY: this call has no conditions.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        let (slot, ring) = block.claim(thread as u32)?;
        let head = slot.head.0.load(Acquire);
        // SAFETY: the remainder is less than the size of the ring.
        let cursor = unsafe { ring.as_ptr().add((head % RING as u64) as usize) };
        Some(Self { cursor, room: 0, head, slot, block, ring: ring.as_ptr(), clock: block.clock() as u32 })
    }

    /// Gives the slot back; the recorder still gets everything that was published.
    pub fn release(&mut self) {
        if let Some(slot) = self.slot() {
            slot.release();
        }
        *self = Self::NONE;
    }

    /// Whether it can still write anything, as far as it knows.
    #[inline]
    pub fn alive(&self) -> bool {
        !self.block.is_null()
    }

    /// Room for a record of so many bytes (a multiple of [`ALIGN`], at most [`LONGEST`]), waiting for it if the ring
    /// is full. Nothing when recording is off.
    #[inline]
    pub fn reserve(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        if bytes <= self.room { NonNull::new(self.cursor) } else { self.make_room(bytes) }
    }

    /// Shows the recorder what was written to the room reserved last; `bytes` as in [`reserve`](Self::reserve).
    #[inline]
    pub fn publish(&mut self, bytes: usize) {
        if bytes > self.room {
            return;
        }
        let Some(slot) = self.slot() else { return };
        self.room -= bytes;
        self.head += bytes as u64;
        // SAFETY: `room` bytes from the cursor on are inside the ring, and `bytes` is not more than that.
        self.cursor = unsafe { self.cursor.add(bytes) };
        slot.head.0.store(self.head, Release);
    }

    /// Writes that a call begins. Returns whether it was recorded.
    #[inline]
    pub fn enter(&mut self, command: u16, flags: u8, args: &[u64]) -> bool {
        let size = HEADER + 8 * args.len();
        let Some(at) = self.reserve(size) else { return false };
        let stamp = self.stamp();
        // SAFETY: `size` bytes have been reserved.
        unsafe { write_start(at, header(size, Kind::Enter, flags, command), stamp, args) };
        self.publish(size);
        true
    }

    /// Writes that a call has returned. Returns whether it was recorded. There is no stamp: what this thread knew of
    /// others when it entered is true all the same.
    #[inline]
    pub fn leave(&mut self, command: u16, result: u64) -> bool {
        const SIZE: usize = HEADER + 8;
        if result == 0 {
            return self.leave_with_nothing(command);
        }
        let Some(at) = self.reserve(SIZE) else { return false };
        // SAFETY: `SIZE` bytes have been reserved.
        unsafe { write_start(at, header(SIZE, Kind::Leave, 0, command), UNSTAMPED, &[result]) };
        self.publish(SIZE);
        true
    }

    #[inline]
    fn leave_with_nothing(&mut self, command: u16) -> bool {
        let Some(at) = self.reserve(SHORT_LEAVE) else { return false };
        // SAFETY: so many bytes have been reserved, which is one word.
        unsafe { at.cast::<u64>().write(header(SHORT_LEAVE, Kind::Leave, 0, command)) };
        self.publish(SHORT_LEAVE);
        true
    }

    /// Like [`enter`](Self::enter), with memory that the call reads.
    pub fn enter_with(&mut self, command: u16, flags: u8, args: &[u64], payloads: &[Payload<'_>]) -> bool {
        let Some(inline) = self.send_long(payloads) else { return false };
        let size = HEADER + 8 * args.len() + inline;
        let Some(at) = self.reserve(size) else { return false };
        let stamp = self.stamp();
        // SAFETY: `size` bytes have been reserved.
        let body = unsafe { write_start(at, header(size, Kind::Enter, flags, command), stamp, args) };
        // SAFETY: `inline` bytes are left of those reserved, which is what these payloads take.
        unsafe { write_payloads(body, payloads) };
        self.publish(size);
        true
    }

    /// Like [`leave`](Self::leave), with memory that the call wrote.
    pub fn leave_with(&mut self, command: u16, result: u64, payloads: &[Payload<'_>]) -> bool {
        let Some(inline) = self.send_long(payloads) else { return false };
        let size = HEADER + 8 + inline;
        let Some(at) = self.reserve(size) else { return false };
        let stamp = self.stamp();
        // SAFETY: `size` bytes have been reserved.
        let body = unsafe { write_start(at, header(size, Kind::Leave, 0, command), stamp, &[result]) };
        // SAFETY: `inline` bytes are left of those reserved, which is what these payloads take.
        unsafe { write_payloads(body, payloads) };
        self.publish(size);
        true
    }

    /// Begins a payload of so many bytes that are not in one place. It belongs to the next enter or leave.
    pub fn stream(&mut self, param: u8, size: usize) -> Stream<'_> {
        Stream { producer: self, param, size, offset: 0, at: None, filled: 0 }
    }

    /// The stamp for a record. As long as there is only one thread there is nothing to put in order. One that does not
    /// know yet that there is another cannot have waited for anything that the other did.
    #[inline]
    fn stamp(&self) -> u64 {
        match self.block() {
            Some(block) if block.claims() > 1 => Clock::from_code(self.clock).now(),
            _ => UNSTAMPED,
        }
    }

    #[inline]
    fn slot(&self) -> Option<&'static Slot> {
        // SAFETY: null, or a slot of a block that is mapped for as long as the process lives.
        unsafe { self.slot.as_ref() }
    }

    #[inline]
    fn block(&self) -> Option<&'static Block> {
        // SAFETY: null, or a block that is mapped for as long as the process lives.
        unsafe { self.block.as_ref() }
    }

    /// Sends those payloads in pieces that do not fit into a record, and returns the size of the others in a record.
    fn send_long(&mut self, payloads: &[Payload<'_>]) -> Option<usize> {
        let mut inline = 0;
        for payload in payloads {
            if travels_inline(payload, &mut inline) {
                continue;
            }
            if !self.stream(payload.param, payload.bytes.len()).write(payload.bytes) {
                return None;
            }
        }
        Some(inline)
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let block = self.block()?;
        let slot = self.slot()?;
        if bytes > LONGEST || !bytes.is_multiple_of(ALIGN) {
            return None;
        }
        let mut patience = None;
        loop {
            if !block.recording() || block.recorder_died() {
                return self.give_up(Reason::RecorderGone);
            }
            let used = self.head.wrapping_sub(slot.tail.0.position.load(Acquire));
            let Some(free) = (RING as u64).checked_sub(used) else { return self.give_up(Reason::Scribbled) };
            let (used, free) = (used as usize, free as usize);
            let until_end = RING - (self.head % RING as u64) as usize;
            if used >= RING / 2 {
                block.wake_recorder();
            }
            if until_end < bytes && until_end <= free {
                self.pad(until_end);
            } else if bytes <= until_end && bytes <= free {
                // SAFETY: the remainder is less than the size of the ring.
                self.cursor = unsafe { self.ring.add(RING - until_end) };
                // Not all there is: this function is to be called again when it is time to wake the recorder.
                let until_look = if used < RING / 2 { RING / 2 - used } else { RING / 8 };
                self.room = until_look.max(bytes).min(until_end).min(free);
                return NonNull::new(self.cursor);
            } else if !wait(block, slot, self.head, free, &mut patience) {
                return self.give_up(Reason::RecorderGone);
            }
        }
    }

    /// Fills the rest of the ring with a record that means nothing.
    fn pad(&mut self, until_end: usize) {
        let word = header(until_end, Kind::Pad, 0, 0);
        // SAFETY: that is at least one word before the end of the ring, and aligned.
        self.cursor = unsafe { self.ring.add(RING - until_end) };
        // SAFETY: as above.
        unsafe { self.cursor.cast::<u64>().write(word) };
        self.room = until_end;
        self.publish(until_end);
        self.room = 0;
    }

    fn give_up(&mut self, reason: Reason) -> Option<NonNull<u8>> {
        if let Some(block) = self.block() {
            block.stop(reason);
        }
        self.release();
        None
    }
}

/// Waits for the tail to move. False when the recorder has not moved for so long that it must be thought dead.
fn wait(block: &Block, slot: &Slot, head: u64, free: usize, patience: &mut Option<(Instant, u32)>) -> bool {
    let tail = &slot.tail.0;
    let turn = tail.turn.load(Acquire);
    tail.awaited.store(1, SeqCst);
    fence(SeqCst);
    if RING as u64 - head.wrapping_sub(tail.position.load(SeqCst)) == free as u64 {
        futex::wait(&tail.turn, turn, WAIT);
    }
    let beat = block.heartbeat();
    match patience {
        Some((since, seen)) if *seen == beat => since.elapsed() < PATIENCE,
        _ => {
            *patience = Some((Instant::now(), beat));
            true
        }
    }
}

/// A payload that is written bit by bit.
#[derive(Debug)]
pub struct Stream<'a> {
    producer: &'a mut Producer,
    param: u8,
    size: usize,
    /// Bytes of the payload before the piece in hand.
    offset: usize,
    /// The bytes of the piece in hand.
    at: Option<NonNull<u8>>,
    /// How many of them are written.
    filled: usize,
}

impl Stream<'_> {
    /// Writes the next bytes; those beyond the announced size are dropped. False when recording is off.
    pub fn write(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() && self.offset < self.size {
            let piece = (self.size - self.offset).min(PIECE);
            let at = match self.at {
                Some(at) => at,
                None => {
                    let Some(at) = self.begin(piece) else { return false };
                    at
                }
            };
            let count = bytes.len().min(piece - self.filled);
            // SAFETY: `piece` bytes have been reserved there, of which `filled` are written.
            let target = unsafe { at.add(self.filled) };
            // SAFETY: `count` bytes fit there, and memory of a ring is never what a caller lends.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target.as_ptr(), count) };
            self.filled += count;
            bytes = &bytes[count..];
            if self.filled == piece {
                self.producer.publish(piece_size(piece));
                self.offset += piece;
                self.filled = 0;
                self.at = None;
            }
        }
        true
    }

    fn begin(&mut self, piece: usize) -> Option<NonNull<u8>> {
        let size = piece_size(piece);
        let at = self.producer.reserve(size)?;
        let start = [u64::from(self.param), self.size as u64, self.offset as u64];
        // SAFETY: `size` bytes have been reserved, more than header and start.
        let body = unsafe { write_start(at, header(size, Kind::Piece, 0, 0), UNSTAMPED, &start) };
        self.at = Some(body);
        Some(body)
    }
}

fn piece_size(piece: usize) -> usize {
    HEADER + PIECE_HEADER + piece.next_multiple_of(ALIGN)
}

/// Whether a payload goes into the record itself, in which `inline` bytes of payloads are so far.
fn travels_inline(payload: &Payload<'_>, inline: &mut usize) -> bool {
    let size = PAYLOAD_HEADER + payload.bytes.len().next_multiple_of(ALIGN);
    let fits = payload.bytes.len() <= PIECE && *inline + size <= INLINE;
    if fits {
        *inline += size;
    }
    fits
}

/// Writes a header and words after it; returns where they end.
///
/// # Safety
/// There must be room for them at `at`, which is a multiple of [`ALIGN`].
#[inline(always)]
unsafe fn write_start(at: NonNull<u8>, header: u64, stamp: u64, words: &[u64]) -> NonNull<u8> {
    let at = at.cast::<u64>();
    // SAFETY: the caller has room for the header's first word.
    unsafe { at.write(header) };
    // SAFETY: the caller has room for the header's second word.
    let second = unsafe { at.add(1) };
    // SAFETY: as above.
    unsafe { second.write(stamp) };
    // SAFETY: the caller has room for the words that follow.
    let body = unsafe { at.add(2) };
    // SAFETY: as above, and rings are never what a caller lends.
    unsafe { ptr::copy_nonoverlapping(words.as_ptr(), body.as_ptr(), words.len()) };
    // SAFETY: as above; the end of the room is still inside the ring's memory or just past it.
    unsafe { body.add(words.len()) }.cast()
}

/// Writes those payloads that travel in the record.
///
/// # Safety
/// There must be room for them at `at`, which is a multiple of [`ALIGN`].
unsafe fn write_payloads(mut at: NonNull<u8>, payloads: &[Payload<'_>]) {
    let mut inline = 0;
    for payload in payloads {
        if !travels_inline(payload, &mut inline) {
            continue;
        }
        // SAFETY: the caller has room for this payload's header.
        unsafe { at.cast::<u64>().write(payload_header(payload.param, payload.bytes.len())) };
        // SAFETY: the caller has room for this payload's bytes.
        let bytes = unsafe { at.add(PAYLOAD_HEADER) };
        // SAFETY: as above, and rings are never what a caller lends.
        unsafe { ptr::copy_nonoverlapping(payload.bytes.as_ptr(), bytes.as_ptr(), payload.bytes.len()) };
        // SAFETY: the caller has room for this payload filled up to the alignment.
        at = unsafe { bytes.add(payload.bytes.len().next_multiple_of(ALIGN)) };
    }
}
