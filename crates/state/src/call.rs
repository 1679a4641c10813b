//! A call as the model sees it.

use std::borrow::Cow;

use api::CommandId;

/// One call of a trace.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Its number in the trace.
    pub number: u64,
    /// What was called.
    pub command: CommandId,
    /// The thread that called.
    pub thread: u32,
    /// Whether capture put it in, rather than the program.
    pub by_capture: bool,
    /// One word for each parameter: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
    /// are their bits.
    pub args: &'a [u64],
    /// What it returned; nothing when it never did.
    pub result: Option<u64>,
    /// What is behind its pointers.
    pub memory: &'a dyn Memory,
}

/// The memory behind the parameters of a call.
pub trait Memory {
    /// What is behind a parameter when the call is entered.
    fn input(&self, param: u8) -> Option<Data>;

    /// What is behind a parameter when the call has returned.
    fn output(&self, param: u8) -> Option<Data>;

    /// The bytes that were read there; nothing when they were not kept or are lost.
    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>>;

    /// The bytes that were written there; nothing when they were not kept or are lost.
    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>>;

    /// Whether it is what a display list keeps of an earlier call.
    fn is_from_list(&self) -> bool {
        false
    }
}

/// Memory without its bytes: how much there is, and where the trace has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    /// How many bytes there are.
    pub size: u64,
    /// Which blob of the trace they are, when they are not stored with the call.
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
