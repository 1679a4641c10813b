//! One call of the program on its way through capture, and the payloads recorded with it.

use std::mem::MaybeUninit;
use std::slice;

use api::CommandId;
use ring::Payload;

use crate::context::Context;
use crate::memory::PerThread;
use crate::thread::Thread;

/// One call of the program.
pub struct Call<'a> {
    /// The command.
    pub command: CommandId,
    /// One word for each argument, as described in `ring::layout`. Changes reach the driver.
    pub args: &'a mut [u64],
    /// The driver's result; 0 before the driver has returned, and for commands without a result.
    pub result: u64,
    /// The calling thread: writes records and finds the real functions.
    pub thread: &'a mut Thread,
    /// The thread's current context, if there is one and its creation was seen.
    pub context: Option<&'a mut Context>,
    /// The state of `memory` for the thread.
    pub memory: &'a mut PerThread,
}

/// The payloads of a command's next record. Commands have few pointers; a list of fixed size keeps the heap out of the
/// hot path.
pub struct Payloads {
    list: [MaybeUninit<Payload<'static>>; Payloads::CAPACITY],
    /// How many of them have been added.
    count: usize,
}

impl Payloads {
    /// More pointers than any command has.
    pub const CAPACITY: usize = 12;

    /// Creates an empty list.
    pub const fn new() -> Payloads {
        Payloads { list: [const { MaybeUninit::uninit() }; Self::CAPACITY], count: 0 }
    }

    /// Adds the bytes behind a parameter; returns false when the list is full. The bytes are copied when the record is
    /// written, not before.
    ///
    /// # Safety
    /// `size` bytes at `bytes` must be readable, and stay so until the caller has returned and the record is written.
    pub unsafe fn push(&mut self, param: u8, bytes: *const u8, size: usize) -> bool {
        let Some(place) = self.list.get_mut(self.count) else { return false };
        // SAFETY: guaranteed by the caller; the list does not outlive the record.
        let bytes = unsafe { slice::from_raw_parts(bytes, size) };
        place.write(Payload { param, bytes });
        self.count += 1;
        true
    }

    /// Returns the payloads added so far.
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
