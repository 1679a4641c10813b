//! What a trace may cost. A few bytes of a trace can ask for hours of work or for more memory than there is: a name range
//! of a billion display lists, lists that call each other, a million draws with a thousand layers each. So work is
//! counted as it is done, and what the objects take is measured now and then. When a limit is reached, the model takes no
//! further calls and says which call was too much ([`Model::excess`]).
//!
//! No real recording comes near the limits: they are about a hundred times what the programs need that this project
//! records in its tests.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use api::CommandId;

use crate::call::{Data, Memory};
use crate::model::Model;

/// Units of work, each about five nanoseconds: one call of a display list.
pub const LISTED_CALL: u64 = 8;
/// A read or a write that an observer is told.
pub const EVENT: u64 = 32;
/// A write to an image, of which observers keep records.
pub const IMAGE_WRITE: u64 = 96;
/// An object that is created or deleted.
pub const NAME: u64 = 64;
/// Bytes of a blob that the model looks at for one unit.
const BYTES: u64 = 4;

/// Units that one call may take.
const PER_CALL: u64 = 1 << 25;
/// Units that all calls of a trace may take, and what each call adds to that.
const TOTAL: u64 = 1 << 31;
const EARNED: u64 = 64;

/// Units between two looks at how much memory the model takes. No call takes more than 128 bytes for a unit.
const BETWEEN_WEIGHINGS: u64 = 1 << 21;
/// Bytes that the model may take.
const MEMORY: u64 = 512 << 20;

/// Contexts and groups have much of their own, however little is done with them.
pub const CONTEXT: u64 = 1 << 10;

const ADVICE: &str = "no real program does that, but if you trust the trace, set AFTERIMAGE_TRUST=1";

static LIFTED: AtomicBool = AtomicBool::new(false);

/// Lifts the limits of what a trace may cost in this process, for good.
pub fn lift_limits() {
    LIFTED.store(true, Ordering::Relaxed);
}

/// Returns whether the user trusts traces, so that nothing limits what they cost.
#[must_use]
pub fn are_limits_lifted() -> bool {
    LIFTED.load(Ordering::Relaxed)
}

/// What a trace has cost so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    calls: u64,
    spent: u64,
    /// What had been spent before the current call.
    before: u64,
    /// What had been spent, calls included, when the model was last weighed.
    weighed: u64,
    excess: Option<Why>,
    refused: Option<Excess>,
}

/// The call of a trace that asks for too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excess {
    /// The call.
    pub call: u64,
    /// Its command.
    pub command: CommandId,
    why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Call,
    Total,
    Memory,
}

impl fmt::Display for Excess {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Excess { call, command, why } = self;
        let name = api::command(*command).name;
        match why {
            Why::Call => {
                write!(out, "command {call}, {name}, asks for more work than one command may; {ADVICE}")
            }
            Why::Total => {
                write!(out, "the commands up to {call}, {name}, ask for more work than so many commands may; {ADVICE}")
            }
            Why::Memory => write!(
                out,
                "the objects that exist after command {call}, {name}, take more than {} MiB of memory; {ADVICE}",
                MEMORY >> 20
            ),
        }
    }
}

impl std::error::Error for Excess {}

impl Work {
    /// Counts work. Returns whether it may be done.
    pub fn charge(&mut self, units: u64) -> bool {
        self.spent = self.spent.saturating_add(units);
        if are_limits_lifted() {
            return true;
        }
        if self.spent - self.before > PER_CALL {
            self.excess.get_or_insert(Why::Call);
        } else if self.spent > TOTAL + self.calls.saturating_mul(EARNED) {
            self.excess.get_or_insert(Why::Total);
        }
        self.excess.is_none()
    }

    /// Returns whether a limit has been reached.
    pub fn is_exceeded(&self) -> bool {
        self.excess.is_some()
    }
}

impl Model {
    /// Returns the call that asked for too much, if one did. The model has taken no call after it, and that one perhaps in
    /// part: its state is not to be shown.
    #[must_use]
    pub fn excess(&self) -> Option<Excess> {
        self.work.refused
    }

    /// Begins to count the work of a call. Returns false when no more calls are taken.
    pub(crate) fn begin_work(&mut self) -> bool {
        self.work.calls += 1;
        self.work.before = self.work.spent;
        self.work.excess.is_none()
    }

    /// Counts what a call read, and weighs the model if enough was done since the last time.
    pub(crate) fn end_work(&mut self, call: u64, command: CommandId, bytes: u64) {
        if bytes > 0 {
            self.work.charge(bytes / BYTES);
        }
        let done = self.work.spent.saturating_add(self.work.calls);
        if done - self.work.weighed > BETWEEN_WEIGHINGS {
            self.work.weighed = done;
            if !are_limits_lifted() && self.held_bytes() > MEMORY {
                self.work.excess.get_or_insert(Why::Memory);
            }
        }
        if let Some(why) = self.work.excess {
            self.work.refused = Some(Excess { call, command, why });
        }
    }
}

/// Memory of a call that counts how much of it is read. Bytes that are stored with the call are not counted: there are
/// few, and the trace has them for this call alone.
pub struct Counted<'a> {
    memory: &'a dyn Memory,
    bytes: Cell<u64>,
}

impl<'a> Counted<'a> {
    pub fn new(memory: &'a dyn Memory) -> Counted<'a> {
        Counted { memory, bytes: Cell::new(0) }
    }

    /// Returns how many bytes of blobs were unpacked and read.
    pub fn bytes(&self) -> u64 {
        self.bytes.get().saturating_add(self.memory.unpacked())
    }

    fn count(&self, data: Option<Data>) {
        if let Some(Data { size, blob: Some(_) }) = data {
            self.bytes.set(self.bytes.get().saturating_add(size));
        }
    }
}

impl Memory for Counted<'_> {
    fn input(&self, param: u8) -> Option<Data> {
        self.memory.input(param)
    }

    fn output(&self, param: u8) -> Option<Data> {
        self.memory.output(param)
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.count(self.memory.input(param));
        self.memory.input_bytes(param)
    }

    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        self.count(self.memory.output(param));
        self.memory.output_bytes(param)
    }

    fn is_from_list(&self) -> bool {
        self.memory.is_from_list()
    }
}
