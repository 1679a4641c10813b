//! Calls as input of the model.

use std::borrow::Cow;

use api::CommandId;

/// One call of a trace.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Its number in the trace.
    pub number: u64,
    /// The command.
    pub command: CommandId,
    /// The calling thread.
    pub thread: u32,
    /// Whether capture inserted it, rather than the program.
    pub by_capture: bool,
    /// One word for each parameter: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
    /// are their bits.
    pub args: &'a [u64],
    /// The result; `None` when the call never returned.
    pub result: Option<u64>,
    /// The memory behind its pointers.
    pub memory: &'a dyn Memory,
}

/// The memory behind the parameters of a call.
pub trait Memory {
    /// Returns the size of the memory behind a parameter on entry.
    fn input(&self, param: u8) -> Option<Data>;

    /// Returns the size of the memory behind a parameter on return.
    fn output(&self, param: u8) -> Option<Data>;

    /// Returns the bytes behind a parameter on entry; `None` when they were not recorded or are lost.
    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>>;

    /// Returns the bytes behind a parameter on return; `None` when they were not recorded or are lost.
    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>>;

    /// Returns how many bytes were unpacked so far to return bytes.
    fn unpacked(&self) -> u64 {
        0
    }

    /// Returns whether this is memory that a display list keeps of an earlier call.
    fn is_from_list(&self) -> bool {
        false
    }
}

/// Memory without its bytes: its size, and where the trace has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    /// Size in bytes.
    pub size: u64,
    /// The blob of the trace, when the bytes are not stored with the call.
    pub blob: Option<u32>,
}

/// A call without memory.
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn input(&self, _param: u8) -> Option<Data> {
        None
    }

    fn output(&self, _param: u8) -> Option<Data> {
        None
    }

    fn input_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }

    fn output_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }
}
