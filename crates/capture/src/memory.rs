//! The memory that calls read and write.
//!
//! The core of this crate asks once which commands this module wants to see ([`interest`]), and then calls, for those
//! alone and only on threads that are recorded:
//!
//! 1. [`before`], when the program has made the call and nothing is written yet. Here calls by capture are emitted that
//!    belong before the call (`Thread::emit`), and payloads of the call itself are pushed to the list it is given.
//! 2. [`after`], when the driver has returned. Payloads pushed here travel with the result.
//! 3. [`finished`], when the result is written: the place for calls by capture that belong behind the call.
//!
//! State that this module keeps lives in [`PerThread`], [`PerContext`] and [`PerShare`], which the core makes, keeps and
//! drops together with the thread, context or share group they belong to.

use api::{Command, CommandId};

use crate::call::{Call, Payloads};

/// What of a command this module wants to see.
#[derive(Clone, Copy, Default)]
pub struct Interest {
    /// Call [`before`].
    pub before: bool,
    /// Call [`after`].
    pub after: bool,
    /// Call [`finished`].
    pub finished: bool,
}

/// What is kept for a thread: scratch space for payloads that have to be put together.
#[derive(Default)]
pub struct PerThread {}

/// What is kept for a context.
#[derive(Default)]
pub struct PerContext {}

/// What is kept for all contexts that share objects; behind a lock of the core's.
#[derive(Default)]
pub struct PerShare {}

/// Which commands this module wants to see. Asked once for each command, when the process attaches.
pub fn interest(_id: CommandId, _command: &Command) -> Interest {
    Interest::default()
}

/// The program has made a call that is not written yet.
pub fn before(_call: &mut Call<'_>, _payloads: &mut Payloads) {}

/// The driver has returned from a call.
pub fn after(_call: &mut Call<'_>, _payloads: &mut Payloads) {}

/// The result of a call is written.
pub fn finished(_call: &mut Call<'_>) {}
