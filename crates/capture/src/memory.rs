//! The memory that calls read and write.
//!
//! At startup, `hook` asks which commands this module handles ([`interest`]). For those alone, and only on recorded
//! threads, it calls:
//!
//! 1. [`before`], when the program has made the call and nothing is written yet. Calls by capture that precede the call
//!    are emitted here (`Thread::emit`), and payloads of the call itself are pushed to the given list.
//! 2. [`after`], when the driver has returned. Payloads pushed here are recorded with the result.
//! 3. [`finished`], when the result is written: for calls by capture that follow the call.
//!
//! The state of this module lives in [`PerThread`], [`PerContext`] and [`PerShare`], which are created and dropped with
//! the thread, context or share group that they belong to.

mod action;
mod arrays;
mod bindings;
mod buffers;
mod changes;
mod client;
mod driver;
mod fetch;
mod maps;
mod pages;
mod payload;
mod selection;
mod surroundings;

use api::{Command, CommandId};

use crate::call::{Call, Payloads};
use action::Action;

/// Which of this module's functions handle a command.
#[derive(Clone, Copy, Default)]
pub struct Interest {
    /// Call [`before`].
    pub before: bool,
    /// That may read memory of the program at addresses that the call gives.
    pub reads: bool,
    /// Call [`after`].
    pub after: bool,
    /// Call [`finished`].
    pub finished: bool,
}

/// State of a thread.
#[derive(Default)]
pub struct PerThread {}

/// State of a context.
#[derive(Default)]
pub struct PerContext {
    facts: client::ContextProfile,
    bindings: bindings::Bindings,
    layouts: bindings::Layouts,
    arrays: arrays::Arrays,
    saved: Vec<client::Saved>,
    immediate: fetch::Immediate,
    selection: selection::Selection,
}

impl PerContext {
    /// Returns whether the context has a core profile.
    fn is_core(&self) -> bool {
        self.facts.core
    }
}

/// State of all contexts that share objects; protected by the lock in [`Share`](crate::context::Share).
#[derive(Default)]
pub struct PerShare {
    maps: maps::Maps,
}

/// Returns how this module handles a command. Called once for each command, when the process attaches.
pub fn interest(id: CommandId, command: &Command) -> Interest {
    let action = action::of(id);
    let mut interest = Interest {
        before: payload::has_inputs(id) || action::may_read_maps(id, command),
        reads: payload::has_inputs(id) || matches!(action, Action::Draw | Action::Begin | Action::ArrayElement),
        after: payload::has_outputs(id),
        finished: false,
    };
    match action {
        Action::None => {}
        Action::Map | Action::Wait => {
            interest.after = true;
            interest.finished = true;
        }
        Action::RenderMode | Action::MapPointer => {
            interest.before = true;
            interest.after = true;
        }
        _ => interest.before = true,
    }
    interest
}

/// Runs when the program has made a call that is not written yet.
pub fn before(call: &mut Call<'_>, payloads: &mut Payloads) {
    if let Some(context) = call.context.as_mut() {
        client::query_once(context, call.thread);
    }
    if maps::any_persistent() && action::may_read_maps(call.command, api::command(call.command)) {
        buffers::publish(call);
    }
    match action::of(call.command) {
        Action::None => {}
        Action::Draw => fetch::before_draw(call),
        Action::Begin | Action::End | Action::ArrayElement => fetch::immediate(call),
        Action::Map | Action::Wait | Action::MapPointer => {}
        Action::Unmap | Action::Flush | Action::Replace | Action::Delete => buffers::before(call),
        Action::Write => buffers::note_writer(call),
        Action::Feedback | Action::Select | Action::RenderMode => selection::before(call),
        Action::Bind
        | Action::BindVertexArray
        | Action::DeleteVertexArrays
        | Action::ElementBuffer
        | Action::PixelStore
        | Action::PushClient
        | Action::PopClient
        | Action::DefaultClient
        | Action::ActiveUnit
        | Action::Enable
        | Action::Disable
        | Action::Divisor
        | Action::Pointer
        | Action::Detach
        | Action::Interleaved => client::before(call),
    }
    if payload::has_inputs(call.command) {
        payload::inputs(call, payloads);
    }
}

/// Runs when the driver has returned from a call.
pub fn after(call: &mut Call<'_>, payloads: &mut Payloads) {
    match action::of(call.command) {
        Action::Map => buffers::mapped(call),
        Action::MapPointer => buffers::translate(call),
        Action::RenderMode => selection::after(call, payloads),
        // GL keeps these pointers and writes there later.
        Action::Feedback | Action::Select => return,
        _ => {}
    }
    payload::outputs(call, payloads);
}

/// Runs when the result of a call has been written.
pub fn finished(call: &mut Call<'_>) {
    match action::of(call.command) {
        Action::Map => buffers::record_begin(call),
        Action::Wait => buffers::receive(call),
        _ => {}
    }
}
