//! One call of the program on its way through capture, and what may be written beside it.

use std::mem::MaybeUninit;
use std::slice;

use api::CommandId;
use ring::Payload;

use crate::context::Context;
use crate::memory::PerThread;
use crate::thread::Thread;

/// One call of the program.
pub struct Call<'a> {
    /// What was called.
    pub command: CommandId,
    /// One word for each argument, as described in `ring::layout`. What is changed here is what the driver gets.
    pub args: &'a mut [u64],
    /// What the driver returned; 0 before it did, and for commands that return nothing.
    pub result: u64,
    /// The calling thread: writes records and knows the real functions.
    pub thread: &'a mut Thread,
    /// The context that is current in it, if there is one and its making was seen.
    pub context: Option<&'a mut Context>,
    /// What `memory` keeps for the thread.
    pub memory: &'a mut PerThread,
}

/// The payloads that a command gathers for its next record. Commands have few pointers; a list of fixed size keeps the
/// heap out of the hot path.
pub struct Payloads {
    list: [MaybeUninit<Payload<'static>>; Payloads::CAPACITY],
    /// How many of them have been added.
    count: usize,
}

impl Payloads {
    /// More pointers than any command has.
    pub const CAPACITY: usize = 12;

    /// No payloads.
    pub const fn new() -> Payloads {
        Payloads { list: [const { MaybeUninit::uninit() }; Self::CAPACITY], count: 0 }
    }

    /// Adds the bytes behind a parameter; returns false when there is no room for more payloads. The bytes are copied
    /// when the record is written, not before.
    ///
    /// # Safety
    /// `size` bytes at `bytes` must be readable, and stay so until the caller has returned and the record is written.
    pub unsafe fn push(&mut self, param: u8, bytes: *const u8, size: usize) -> bool {
        let Some(place) = self.list.get_mut(self.count) else { return false };
        // SAFETY: as the caller promises; the list does not outlive the record.
        let bytes = unsafe { slice::from_raw_parts(bytes, size) };
        place.write(Payload { param, bytes });
        self.count += 1;
        true
    }

    /// Those that were added.
    pub fn as_slice(&self) -> &[Payload<'static>] {
        // SAFETY: `push` has written the first `count` of the list, which has at least as many.
        unsafe { slice::from_raw_parts(self.list.as_ptr().cast(), self.count) }
    }
}

impl Default for Payloads {
    fn default() -> Payloads {
        Payloads::new()
    }
}
