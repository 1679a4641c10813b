//! What one call does.

use std::sync::Arc;

use api::{Library, Role, constant as c, id};

use crate::call::Call;
use crate::fault::Fault;
use crate::handlers::{self, list, window};
use crate::model::Model;
use crate::notes::{Notes, lend};
use crate::step::Step;

impl Model {
    /// Does what a call does. `notes` is told what it touches.
    pub fn apply(&mut self, call: &Call<'_>, mut notes: Option<&mut dyn Notes>) {
        let command = api::command(call.command);
        match command.library {
            Library::Gl => {}
            Library::Capture => return window::apply(self, call, notes),
            // Capture says in words of its own what most calls of EGL and GLX mean.
            Library::Egl | Library::Glx => return window::bind_tex_image(self, call, notes),
        }
        // A call that never returned may have done anything or nothing; one without a context does nothing.
        if call.result.is_none() {
            return;
        }
        let seat = self.seat(call.thread);
        let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) else { return };
        let begun = context.fixed.begun.is_some();
        if begun && !list::is_inside(call.command) {
            // A list that is compiled meanwhile has the call all the same, and is refused it when called.
            if let Some(compiling) = &mut Arc::make_mut(context).compiling {
                list::compile(Arc::make_mut(compiling), call);
            }
            return self.refuse(call, list::INSIDE, notes);
        }
        if command.role == Role::Query
            && call.command != id::glGetError
            && let Some(fault) = self.refusal(call)
        {
            return self.refuse(call, fault, notes);
        }
        let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) else { return };
        let context = Arc::make_mut(context);
        if call.command == id::glGetError {
            let expected = context.error.take().map_or(c::GL_NO_ERROR, |fault| fault.error);
            let recorded = call.result.unwrap_or(0) as u32;
            if let Some(notes) = notes.filter(|_| expected != recorded) {
                notes.error_differs(expected, recorded);
            }
            return;
        }
        if let Some(compiling) = &mut context.compiling
            && !list::compile(Arc::make_mut(compiling), call)
        {
            return;
        }
        let Some(handler) = handlers::table().handler(call.command) else {
            return self.apply_query(call, command.role, notes);
        };
        let Some(group) = self.groups.get_mut(context.group) else { return };
        let mut step = Step {
            call,
            context,
            group: Arc::make_mut(group),
            seat,
            surfaces: &self.surfaces,
            notes: lend(&mut notes),
        };
        if let Err(fault) = handler(&mut step) {
            self.refuse(call, fault, notes);
        }
    }

    /// Why GL refuses a query, if it does.
    fn refusal(&self, call: &Call<'_>) -> Option<Fault> {
        self.view(call.thread)?.answer_with(call.command, call.args, call.memory)?.err()
    }

    fn refuse(&mut self, call: &Call<'_>, fault: Fault, notes: Option<&mut dyn Notes>) {
        let seat = self.seat(call.thread);
        if let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) {
            // The first error stays until somebody asks for it (GL 4.6, 2.3.1).
            Arc::make_mut(context).error.get_or_insert(fault);
        }
        if let Some(notes) = notes {
            notes.refused(fault);
        }
    }

    /// A call without a handler is one that only asks, whatever its role, or one that the model does not know.
    fn apply_query(&mut self, call: &Call<'_>, role: Role, notes: Option<&mut dyn Notes>) {
        if role == Role::Query {
            return;
        }
        let answer = self.view(call.thread).and_then(|view| view.answer_with(call.command, call.args, call.memory));
        match (answer, notes) {
            (Some(Err(fault)), notes) => self.refuse(call, fault, notes),
            (None, Some(notes)) => notes.unmodelled(),
            _ => {}
        }
    }
}
