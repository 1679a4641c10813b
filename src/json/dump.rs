//! `afterimage dump --json`: the elements of `commands`, which are written one after the other.

use serde::Serialize;

/// A command.
#[derive(Serialize)]
pub struct Command<'a> {
    /// The number of the command in the trace.
    pub command: u64,
    /// Its frame, which ends with `afiPresent`; null where it is in none.
    pub frame: Option<usize>,
    /// The thread that called, from 0 in the order of their first calls.
    pub thread: u32,
    /// The context that was current, numbered as by `afiContext`; 0 for none.
    pub context: u32,
    /// The debug groups that are open when it is called, the outermost first.
    pub groups: Vec<String>,
    /// The function.
    pub name: &'a str,
    /// Whether capture inserted the call, so that the trace is complete in itself; false for calls of the program.
    pub by_capture: bool,
    /// Whether the call returned to the program.
    pub returned: bool,
    /// The line that `dump` prints.
    pub text: &'a str,
    /// The memory behind parameters.
    pub memory: Vec<Memory<'a>>,
}

/// Memory behind a parameter.
#[derive(Serialize)]
pub struct Memory<'a> {
    /// The parameter; null if the memory belongs to none.
    pub parameter: Option<&'a str>,
    /// `in` for contents before the call, `out` for contents after it.
    pub direction: &'static str,
    /// The size.
    pub bytes: u64,
    /// The number for `dump --blob`; null if the bytes are few and part of the call.
    pub blob: Option<u32>,
    /// The BLAKE3 hash, if the trace has only that.
    pub digest: Option<String>,
}

/// Commands that are lost.
#[derive(Serialize)]
pub struct Lost<'a> {
    /// The commands.
    pub lost: LostCommands<'a>,
}

/// Which commands, and why.
#[derive(Serialize)]
pub struct LostCommands<'a> {
    /// The first lost command.
    pub first: u64,
    /// The last lost command.
    pub last: u64,
    /// Why they are lost.
    pub reason: &'a str,
}
