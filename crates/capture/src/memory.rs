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

mod action;
mod arrays;
mod bindings;
mod buffers;
mod changes;
mod client;
mod draws;
mod driver;
mod fetch;
mod indices;
mod maps;
mod pages;
mod payload;
mod selection;
mod surroundings;

use api::{Command, CommandId};

use crate::call::{Call, Payloads};
use action::Action;

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

/// What is kept for a thread.
#[derive(Default)]
pub struct PerThread {}

/// What is kept for a context.
#[derive(Default)]
pub struct PerContext {
    facts: client::Facts,
    bindings: bindings::Bindings,
    layouts: bindings::Layouts,
    arrays: arrays::Arrays,
    saved: Vec<client::Saved>,
    immediate: fetch::Immediate,
    selection: selection::Selection,
}

impl PerContext {
    /// Whether the context is of the core profile.
    fn is_core(&self) -> bool {
        self.facts.core
    }
}

/// What is kept for all contexts that share objects; behind a lock of the core's.
#[derive(Default)]
pub struct PerShare {
    maps: maps::Maps,
}

/// Which commands this module wants to see. Asked once for each command, when the process attaches.
pub fn interest(id: CommandId, command: &Command) -> Interest {
    let action = action::of(id);
    let mut interest = Interest {
        before: payload::has_inputs(id) || action::may_look(id, command),
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

/// The program has made a call that is not written yet.
pub fn before(call: &mut Call<'_>, payloads: &mut Payloads) {
    if let Some(context) = call.context.as_mut() {
        client::know(context, call.thread);
    }
    if maps::any_persistent() && action::may_look(call.command, api::command(call.command)) {
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

/// The driver has returned from a call.
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

/// The result of a call is written.
pub fn finished(call: &mut Call<'_>) {
    match action::of(call.command) {
        Action::Map => buffers::record_begin(call),
        Action::Wait => buffers::receive(call),
        _ => {}
    }
}
