//! The program's end of a ring.

use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::sync::atomic::fence;
use std::time::{Duration, Instant};

use crate::block::{Block, Slot, StopReason};
use crate::clock::Clock;
use crate::futex;
use crate::layout::{
    ALIGN, HEADER, PAYLOAD_HEADER, PIECE_HEADER, RecordKind, SHORT_LEAVE, UNSTAMPED, header, payload_header, piece,
};

/// How long a recorder may make no progress before the program continues without it.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Duration of one wait.
const WAIT: Duration = Duration::from_millis(20);

/// One thread's connection to the recorder. All zero bytes are a producer that has no room and never gets any, so it
/// may live in memory that the kernel wipes in the child of a fork.
#[repr(C)]
#[derive(Debug)]
pub struct Producer {
    /// Where the next record goes.
    cursor: *mut u8,
    /// Bytes from there on that may be written before checking the tail again.
    room: usize,
    /// The position of the cursor, counted from the ring's first use.
    head: u64,
    slot: *const Slot,
    block: *const Block,
    ring: *mut u8,
    /// The ring's size in bytes.
    size: usize,
    /// The block's [`Clock`], or 0 without a block.
    clock: u32,
}

/// Memory behind a parameter of a call.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// The parameter's index.
    pub param: u8,
    /// The bytes.
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
        size: 0,
        clock: 0,
    };

    /// Claims a slot for the calling thread. `None` when all are taken or recording is off.
    pub fn claim(block: &'static Block) -> Option<Self> {
        if !block.recording() {
            return None;
        }
        // SAFETY: this call has no conditions.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        let (slot, ring) = block.claim(thread as u32)?;
        let head = slot.head.0.load(Acquire);
        let (size, clock) = (ring.size, block.clock() as u32);
        let ring = ring.bytes.as_ptr();
        // SAFETY: the remainder is less than the size of the ring.
        let cursor = unsafe { ring.add((head % size as u64) as usize) };
        let mut producer = Self { cursor, room: 0, head, slot, block, ring, size, clock };
        producer.begin().then_some(producer)
    }

    /// Separates this thread's records from those of the slot's last owner.
    fn begin(&mut self) -> bool {
        let Some(at) = self.reserve(HEADER) else { return false };
        // SAFETY: `HEADER` bytes have been reserved.
        unsafe { write_start(at, header(HEADER, RecordKind::Thread, 0, 0), UNSTAMPED, &[]) };
        self.publish(HEADER);
        true
    }

    /// Releases the slot; the recorder still gets everything that was published.
    pub fn release(&mut self) {
        if let Some(slot) = self.slot() {
            slot.release();
        }
        *self = Self::NONE;
    }

    /// Returns whether it can still write, as far as it knows.
    #[inline]
    pub fn alive(&self) -> bool {
        !self.block.is_null()
    }

    /// Reserves room for a record of `bytes` bytes (a multiple of [`ALIGN`], at most half a ring), waiting while the
    /// ring is full. `None` when recording is off.
    #[inline]
    pub fn reserve(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        if bytes <= self.room { NonNull::new(self.cursor) } else { self.make_room(bytes) }
    }

    /// Publishes what was written to the last reserved room; `bytes` as in [`reserve`](Self::reserve).
    #[inline]
    pub fn publish(&mut self, bytes: usize) {
        if bytes > self.room {
            return;
        }
        let Some(slot) = self.slot() else { return };
        self.room -= bytes;
        self.head += bytes as u64;
        // SAFETY: `room` bytes from the cursor on are inside the ring, and `bytes` does not exceed that.
        self.cursor = unsafe { self.cursor.add(bytes) };
        slot.head.0.store(self.head, Release);
    }

    /// Notes a call before its memory is copied: should that end the program, the recorder knows the call.
    #[inline]
    pub fn announce(&self, command: u16, args: &[u64]) {
        if let Some(slot) = self.slot() {
            slot.announce(command, args);
        }
    }

    /// Reverts [`announce`](Self::announce), when the call has been entered.
    #[inline]
    pub fn withdraw(&self) {
        if let Some(slot) = self.slot() {
            slot.withdraw();
        }
    }

    /// Writes that a call begins. Returns whether it was recorded.
    #[inline]
    pub fn enter(&mut self, command: u16, flags: u8, args: &[u64]) -> bool {
        let size = HEADER + 8 * args.len();
        let Some(at) = self.reserve(size) else { return false };
        let stamp = self.stamp();
        // SAFETY: `size` bytes have been reserved.
        unsafe { write_start(at, header(size, RecordKind::Enter, flags, command), stamp, args) };
        self.publish(size);
        true
    }

    /// Writes that a call has returned. Returns whether it was recorded. There is no stamp: what this thread knew about
    /// others when it entered still holds.
    #[inline]
    pub fn leave(&mut self, command: u16, result: u64) -> bool {
        const SIZE: usize = HEADER + 8;
        if result == 0 {
            return self.leave_with_nothing(command);
        }
        let Some(at) = self.reserve(SIZE) else { return false };
        // SAFETY: `SIZE` bytes have been reserved.
        unsafe { write_start(at, header(SIZE, RecordKind::Leave, 0, command), UNSTAMPED, &[result]) };
        self.publish(SIZE);
        true
    }

    #[inline]
    fn leave_with_nothing(&mut self, command: u16) -> bool {
        let Some(at) = self.reserve(SHORT_LEAVE) else { return false };
        // SAFETY: `SHORT_LEAVE` bytes have been reserved, which is one word.
        unsafe { at.cast::<u64>().write(header(SHORT_LEAVE, RecordKind::Leave, 0, command)) };
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
        let body = unsafe { write_start(at, header(size, RecordKind::Enter, flags, command), stamp, args) };
        // SAFETY: `inline` bytes are left of those reserved, which is the size of these payloads.
        unsafe { write_payloads(body, payloads, self.piece()) };
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
        let body = unsafe { write_start(at, header(size, RecordKind::Leave, 0, command), stamp, &[result]) };
        // SAFETY: `inline` bytes are left of those reserved, which is the size of these payloads.
        unsafe { write_payloads(body, payloads, self.piece()) };
        self.publish(size);
        true
    }

    /// Starts a payload of `size` bytes that are not contiguous in memory. It belongs to the next enter or leave.
    pub fn stream(&mut self, param: u8, size: usize) -> Stream<'_> {
        Stream { producer: self, param, size, offset: 0, at: None, filled: 0 }
    }

    /// Returns the stamp for a record. With a single thread there is nothing to order. A thread that has not seen
    /// another yet cannot have waited for anything that the other did.
    #[inline]
    fn stamp(&self) -> u64 {
        match self.block() {
            Some(block) if block.claims() > 1 => Clock::from_code(self.clock).now(),
            _ => UNSTAMPED,
        }
    }

    #[inline]
    fn slot(&self) -> Option<&'static Slot> {
        // SAFETY: null, or a slot of a block that stays mapped for the life of the process.
        unsafe { self.slot.as_ref() }
    }

    #[inline]
    fn block(&self) -> Option<&'static Block> {
        // SAFETY: null, or a block that stays mapped for the life of the process.
        unsafe { self.block.as_ref() }
    }

    /// Returns the size from which on payloads are split.
    fn piece(&self) -> usize {
        piece(self.size)
    }

    /// Sends the payloads that do not fit into a record in pieces, and returns the size of the others in a record.
    fn send_long(&mut self, payloads: &[Payload<'_>]) -> Option<usize> {
        let mut inline = 0;
        for payload in payloads {
            if is_inline(payload, self.piece(), &mut inline) {
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
        let size = self.size;
        // Half a ring is free wherever the ring's end is, once the recorder has caught up.
        if bytes > size / 2 || !bytes.is_multiple_of(ALIGN) {
            return None;
        }
        let mut patience = None;
        loop {
            if !block.recording() || block.recorder_died() {
                return self.give_up(StopReason::RecorderDied);
            }
            let used = self.head.wrapping_sub(slot.tail.0.position.load(Acquire));
            let Some(free) = (size as u64).checked_sub(used) else { return self.give_up(StopReason::Corrupted) };
            let (used, free) = (used as usize, free as usize);
            let until_end = size - (self.head % size as u64) as usize;
            if used >= size / 2 {
                block.wake_recorder();
            }
            if until_end < bytes && until_end <= free {
                self.pad(until_end);
            } else if bytes <= until_end && bytes <= free {
                // SAFETY: the remainder is less than the size of the ring.
                self.cursor = unsafe { self.ring.add(size - until_end) };
                // Less than what is free: this function has to run again when it is time to wake the recorder.
                let until_look = if used < size / 2 { size / 2 - used } else { size / 8 };
                self.room = until_look.max(bytes).min(until_end).min(free);
                return NonNull::new(self.cursor);
            } else if !wait(block, slot, self.head.wrapping_sub(used as u64), &mut patience) {
                return self.give_up(StopReason::RecorderDied);
            }
        }
    }

    /// Fills the rest of the ring with a padding record.
    fn pad(&mut self, until_end: usize) {
        let word = header(until_end, RecordKind::Pad, 0, 0);
        // SAFETY: that is at least one word before the end of the ring, and aligned.
        self.cursor = unsafe { self.ring.add(self.size - until_end) };
        // SAFETY: as above.
        unsafe { self.cursor.cast::<u64>().write(word) };
        self.room = until_end;
        self.publish(until_end);
        self.room = 0;
    }

    fn give_up(&mut self, reason: StopReason) -> Option<NonNull<u8>> {
        if let Some(block) = self.block() {
            block.stop(reason);
        }
        self.release();
        None
    }
}

/// Waits for the tail to move from a position. Returns false when the recorder has made no progress for so long that it
/// must be dead.
fn wait(block: &Block, slot: &Slot, position: u64, patience: &mut Option<(Instant, u32)>) -> bool {
    let tail = &slot.tail.0;
    let turn = tail.turn.load(Acquire);
    tail.awaited.store(1, SeqCst);
    fence(SeqCst);
    if tail.position.load(SeqCst) == position {
        futex::wait(&tail.turn, turn, WAIT);
    }
    let beat = block.heartbeat();
    match patience {
        Some((since, seen)) if *seen == beat => since.elapsed() < TIMEOUT,
        _ => {
            *patience = Some((Instant::now(), beat));
            true
        }
    }
}

/// A payload that is written in parts.
#[derive(Debug)]
pub struct Stream<'a> {
    producer: &'a mut Producer,
    param: u8,
    size: usize,
    /// Bytes of the payload before the current piece.
    offset: usize,
    /// The bytes of the current piece.
    at: Option<NonNull<u8>>,
    /// How many of them have been written.
    filled: usize,
}

impl Stream<'_> {
    /// Writes the next bytes; those beyond the announced size are dropped. Returns false when recording is off.
    pub fn write(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() && self.offset < self.size {
            let piece = (self.size - self.offset).min(self.producer.piece());
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
            // SAFETY: `count` bytes fit there, and callers never pass memory of a ring.
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
        // SAFETY: `size` bytes have been reserved, which is more than header and `start`.
        let body = unsafe { write_start(at, header(size, RecordKind::Piece, 0, 0), UNSTAMPED, &start) };
        self.at = Some(body);
        Some(body)
    }
}

fn piece_size(piece: usize) -> usize {
    HEADER + PIECE_HEADER + piece.next_multiple_of(ALIGN)
}

/// Returns whether a payload goes into the record itself, given `inline` bytes of payloads so far and the size from which
/// on payloads are split.
fn is_inline(payload: &Payload<'_>, piece: usize, inline: &mut usize) -> bool {
    let size = PAYLOAD_HEADER + payload.bytes.len().next_multiple_of(ALIGN);
    let fits = payload.bytes.len() <= piece && *inline + size <= 2 * piece;
    if fits {
        *inline += size;
    }
    fits
}

/// Writes a header and the words after it; returns where they end.
///
/// # Safety
/// There must be room for them at `at`, which is a multiple of [`ALIGN`].
#[inline(always)]
unsafe fn write_start(at: NonNull<u8>, header: u64, stamp: u64, words: &[u64]) -> NonNull<u8> {
    let at = at.cast::<u64>();
    // SAFETY: the caller has reserved room for the header's first word.
    unsafe { at.write(header) };
    // SAFETY: the caller has reserved room for the header's second word.
    let second = unsafe { at.add(1) };
    // SAFETY: as above.
    unsafe { second.write(stamp) };
    // SAFETY: the caller has reserved room for the words that follow.
    let body = unsafe { at.add(2) };
    // SAFETY: as above, and callers never pass memory of a ring.
    unsafe { ptr::copy_nonoverlapping(words.as_ptr(), body.as_ptr(), words.len()) };
    // SAFETY: as above; the end of the room is inside the ring's memory or just past it.
    unsafe { body.add(words.len()) }.cast()
}

/// Writes the payloads that go into the record.
///
/// # Safety
/// There must be room for them at `at`, which is a multiple of [`ALIGN`].
unsafe fn write_payloads(mut at: NonNull<u8>, payloads: &[Payload<'_>], piece: usize) {
    let mut inline = 0;
    for payload in payloads {
        if !is_inline(payload, piece, &mut inline) {
            continue;
        }
        // SAFETY: the caller has reserved room for this payload's header.
        unsafe { at.cast::<u64>().write(payload_header(payload.param, payload.bytes.len())) };
        // SAFETY: the caller has reserved room for this payload's bytes.
        let bytes = unsafe { at.add(PAYLOAD_HEADER) };
        // SAFETY: as above, and callers never pass memory of a ring.
        unsafe { ptr::copy_nonoverlapping(payload.bytes.as_ptr(), bytes.as_ptr(), payload.bytes.len()) };
        // SAFETY: the caller has reserved room for this payload padded to the alignment.
        at = unsafe { bytes.add(payload.bytes.len().next_multiple_of(ALIGN)) };
    }
}
