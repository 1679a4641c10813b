//! Threads of the program: what is kept for each, and how a hook finds it.
//!
//! A thread is given a [`Seat`] when it makes its first call. Seats lie in memory that the kernel wipes in a child
//! process (`MADV_WIPEONFORK`), and a seat of zeros is a closed one: a fork, however it is made, records nothing and
//! shares nothing, without anybody having noticed that it happened.

use api::CommandId;
use ring::layout::BY_CAPTURE;
use ring::{Block, Payload, Producer, Stream};

/// A thread that is recorded: writes records, and knows the real functions.
pub struct Thread {
    producer: Producer,
    block: Option<&'static Block>,
}

impl Thread {
    /// Writes a call by capture into the trace: one that the program has not made, but that a trace needs to stand on
    /// its own. Nothing is called.
    pub fn emit(&mut self, command: CommandId, args: &[u64], payloads: &[Payload<'_>]) {
        if self.enter(command, BY_CAPTURE, args, payloads) {
            self.leave(command, 0, &[]);
        }
    }

    /// The memory shared with the recorder.
    pub fn block(&self) -> Option<&'static Block> {
        self.block
    }

    /// Begins a payload of so many bytes that are not in one place. It belongs to the next record: to the call itself
    /// in `memory::before`, to its result in `memory::after`, else to the next [`Thread::emit`].
    pub fn stream(&mut self, param: u8, size: usize) -> Stream<'_> {
        self.producer.stream(param, size)
    }

    /// Writes that a call begins. Returns false when recording is off.
    #[inline]
    pub(crate) fn enter(&mut self, command: CommandId, flags: u8, args: &[u64], payloads: &[Payload<'_>]) -> bool {
        if payloads.is_empty() {
            return self.producer.enter(command.0, flags, args).is_some();
        }
        self.producer.enter_with(command.0, flags, args, payloads).is_some()
    }

    /// Writes that a call has returned.
    #[inline]
    pub(crate) fn leave(&mut self, command: CommandId, result: u64, payloads: &[Payload<'_>]) {
        if payloads.is_empty() {
            self.producer.leave(command.0, result);
        } else {
            self.producer.leave_with(command.0, result, payloads);
        }
    }
}
