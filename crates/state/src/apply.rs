//! Applies one call.

use std::sync::Arc;

use api::{Library, Role, constant as c, id};

use crate::call::Call;
use crate::fault::Fault;
use crate::handlers::{self, list, window};
use crate::model::Model;
use crate::observer::{CallObserver, reborrow};
use crate::step::Step;
use crate::work::Counted;

impl Model {
    /// Applies a call. `observer` receives what it reads and writes. After a call that asked for too much, it does nothing:
    /// see [`Model::excess`].
    pub fn apply(&mut self, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
        if !self.begin_work() {
            return;
        }
        let memory = Counted::new(call.memory);
        self.apply_counted(&Call { memory: &memory, ..*call }, observer);
        self.end_work(call.number, call.command, memory.bytes());
    }

    fn apply_counted(&mut self, call: &Call<'_>, mut observer: Option<&mut dyn CallObserver>) {
        let command = api::command(call.command);
        match command.library {
            Library::Gl => {}
            Library::Capture => return window::apply(self, call, observer),
            // For most calls of EGL and GLX, capture records their effect in commands of its own.
            Library::Egl | Library::Glx => return window::bind_tex_image(self, call, observer),
        }
        // A call that never returned may have had any effect or none; one without a context has none.
        if call.result.is_none() {
            return;
        }
        let seat = self.seat(call.thread);
        self.enter_realm(seat.context);
        let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) else { return };
        let begun = context.fixed.begun.is_some();
        if begun && !list::is_inside(call.command) {
            // A display list that is being compiled contains the call all the same; executing it reports the error.
            if let Some(compiling) = &mut Arc::make_mut(context).compiling {
                list::compile(Arc::make_mut(compiling), call);
            }
            return self.refuse(call, list::INSIDE, observer);
        }
        if command.role == Role::Query
            && call.command != id::glGetError
            && let Some(fault) = self.refusal(call)
        {
            return self.refuse(call, fault, observer);
        }
        let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) else { return };
        let context = Arc::make_mut(context);
        if call.command == id::glGetError {
            let expected = context.error.take().map_or(c::GL_NO_ERROR, |fault| fault.error);
            let recorded = call.result.unwrap_or(0) as u32;
            if let Some(observer) = observer.filter(|_| expected != recorded) {
                observer.error_differs(expected, recorded);
            }
            return;
        }
        if let Some(compiling) = &mut context.compiling
            && !list::compile(Arc::make_mut(compiling), call)
        {
            return;
        }
        let Some(handler) = handlers::table().handler(call.command) else {
            return self.apply_query(call, command.role, observer);
        };
        let Some(group) = self.groups.get_mut(context.group) else { return };
        let mut step = Step {
            call,
            context,
            group: Arc::make_mut(group),
            seat,
            surfaces: &self.surfaces,
            observer: reborrow(&mut observer),
            work: &mut self.work,
            list_depth: 0,
        };
        if let Err(fault) = handler(&mut step) {
            self.refuse(call, fault, observer);
        }
    }

    /// Puts the objects of a context into the tables of its share group, if those of another realm are there.
    #[inline]
    pub(crate) fn enter_realm(&mut self, context: u32) {
        let Some((group, realm)) = self.context(context).map(|context| (context.group, context.realm)) else { return };
        if let Some(group) = self.groups.get_mut(group).filter(|group| group.realm != realm) {
            Arc::make_mut(group).enter(realm);
        }
    }

    /// Returns why GL rejects a query, if it does.
    fn refusal(&self, call: &Call<'_>) -> Option<Fault> {
        self.view(call.thread)?.answer_with(call.command, call.args, call.memory)?.err()
    }

    fn refuse(&mut self, call: &Call<'_>, fault: Fault, observer: Option<&mut dyn CallObserver>) {
        let seat = self.seat(call.thread);
        if let Some(Some(context)) = self.contexts.get_mut(seat.context as usize) {
            // The first error stays until it is fetched (GL 4.6, 2.3.1).
            Arc::make_mut(context).error.get_or_insert(fault);
        }
        if let Some(observer) = observer {
            observer.refused(fault);
        }
    }

    /// Handles a call without a handler: a query, or a command that is not modelled.
    fn apply_query(&mut self, call: &Call<'_>, role: Role, observer: Option<&mut dyn CallObserver>) {
        if role == Role::Query {
            return;
        }
        let answer = self.view(call.thread).and_then(|view| view.answer_with(call.command, call.args, call.memory));
        match (answer, observer) {
            (Some(Err(fault)), observer) => self.refuse(call, fault, observer),
            (None, Some(observer)) => observer.unmodelled(),
            _ => {}
        }
    }
}
