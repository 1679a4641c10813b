//! One client and what it debugs.

mod begin;
mod breaks;
mod console;
mod everywhere;
mod going;
mod invocations;
mod looking;
mod memory;
mod picture;
mod sources;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;

use serde_json::{Value, json};
use session::{Choice, Reason, Session, Step, Stop};

use crate::Options;
use crate::program::{Program, ProgramEvent};
use crate::protocol::arguments::{Initialize, Launch};
use crate::protocol::{Attention, Incoming, Output, Request, SharedAttention};
use crate::refusal::Refusal;
use crate::wire::WireError;
use breaks::Breaks;
use invocations::Invocations;
use looking::Handles;
use sources::Sources;

/// The adapter.
pub struct Adapter {
    options: Options,
    output: Output,
    /// Where threads of ours send what they find out.
    sender: Sender<Incoming>,
    attention: SharedAttention,
    client: Initialize,
    launch: Launch,
    program: Option<Program>,
    /// A recording to delete at the end.
    temporary: Option<host::PrivateFolder>,
    session: Option<Session>,
    /// The trace of the session.
    opened: Option<std::path::PathBuf>,
    /// Set when the client has said everything it has to say before the start.
    configured: bool,
    /// What is debugged, as it was asked for; nothing before something is chosen.
    chosen: Option<Choice>,
    sources: Sources,
    breaks: Breaks,
    invocations: Invocations,
    handles: Handles,
    /// The exception it last stopped at: kind and sentence.
    exception: Option<(String, String)>,
    /// What to do once the response is out.
    after: Vec<After>,
    /// A stop that is told of when the pause that made it is answered.
    paused: Option<Stop>,
    progress: u64,
    over: bool,
}

/// What is done after a response.
enum After {
    /// An event.
    Event(&'static str, Value),
    /// Going on: the client believes that it runs, and hears where it stopped.
    Go(Going),
    /// It stopped a while ago, and the client hears of it now.
    Stopped(Box<Stop>),
}

/// A way to go on.
#[derive(Clone, Copy)]
enum Going {
    Step(Step),
    /// Into a texture read: the read and the texel.
    Read(usize, usize),
}

impl Adapter {
    /// An adapter for a client that has said nothing yet.
    pub fn new(options: Options, output: Output, sender: Sender<Incoming>, attention: SharedAttention) -> Adapter {
        Adapter {
            options,
            output,
            sender,
            attention,
            client: Initialize::default(),
            launch: Launch::default(),
            program: None,
            temporary: None,
            session: None,
            opened: None,
            configured: false,
            chosen: None,
            sources: Sources::default(),
            breaks: Breaks::default(),
            invocations: Invocations::default(),
            handles: Handles::default(),
            exception: None,
            after: Vec::new(),
            paused: None,
            progress: 0,
            over: false,
        }
    }

    /// Does what came in; false at the end.
    pub fn take(&mut self, incoming: Incoming) -> Result<bool, WireError> {
        match incoming {
            Incoming::Request(request) if request.command.is_empty() => {}
            Incoming::Request(request) => self.serve(&request)?,
            Incoming::Closed => self.over = true,
            Incoming::Broken(error) => {
                self.leave();
                return Err(error);
            }
            Incoming::Program(ProgramEvent::Printed { category, text }) => {
                self.output.event("output", json!({"category": category, "output": text}))?;
            }
            Incoming::Program(ProgramEvent::Ended(process, status)) => self.recorded(process, status)?,
            Incoming::History(number, graph) => self.history_known(number, *graph)?,
        }
        if self.over {
            self.leave();
        }
        Ok(!self.over)
    }

    fn serve(&mut self, request: &Request) -> Result<(), WireError> {
        let wanted = Attention::of(&self.attention).begin(request.seq);
        let answer = match wanted {
            false => Err(Refusal::Cancelled),
            // A fault of ours costs one request, and neither the session nor the editor.
            true => catch_unwind(AssertUnwindSafe(|| self.answer(request))).unwrap_or(Err(Refusal::Panicked)),
        };
        Attention::of(&self.attention).end();
        let answer = match answer {
            Err(Refusal::Session(error)) if error.is_interruption() => Err(Refusal::Cancelled),
            answer => answer,
        };
        self.output.respond(request, &answer)?;
        let after = std::mem::take(&mut self.after);
        if answer.is_err() {
            return Ok(());
        }
        for what in after {
            match what {
                After::Event(event, body) => self.output.event(event, body)?,
                After::Go(going) => self.run(going)?,
                After::Stopped(stop) => self.stopped(Ok(*stop))?,
            }
        }
        Ok(())
    }

    /// Goes on until there is a reason to stop, and says so.
    fn run(&mut self, going: Going) -> Result<(), WireError> {
        Attention::of(&self.attention).run();
        let went = catch_unwind(AssertUnwindSafe(|| self.go(going))).unwrap_or(Err(Refusal::Panicked));
        let awaited = Attention::of(&self.attention).rest();
        match went {
            // The answer to the request comes first.
            Ok(stop) if awaited && stop.reason == Reason::Interrupted => self.paused = Some(stop),
            went => self.stopped(went)?,
        }
        Ok(())
    }

    fn answer(&mut self, request: &Request) -> Result<Value, Refusal> {
        if let Some(guard) = &self.options.guard {
            guard.check_request(&request.command)?;
        }
        match request.command.as_str() {
            "initialize" => self.initialize(request),
            "launch" | "attach" => self.launch(request),
            "configurationDone" => self.configuration_done(),
            "restart" => self.restart(request),
            "terminate" => self.terminate(),
            "disconnect" => self.disconnect(request),
            "cancel" => self.cancel(request),
            "pause" => self.pause(),

            "setBreakpoints" => self.set_breakpoints(request),
            "breakpointLocations" => self.breakpoint_locations(request),
            "setDataBreakpoints" => self.set_data_breakpoints(request),
            "dataBreakpointInfo" => self.data_breakpoint_info(request),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(request),
            "exceptionInfo" => self.exception_info(),

            "continue" => self.start(request, Step::Continue),
            "reverseContinue" => self.start(request, Step::ReverseContinue),
            "next" => self.start(request, Step::Over),
            "stepIn" => self.step_in(request),
            "stepOut" => self.start(request, Step::Out),
            "stepBack" => self.start(request, Step::BackOver),
            "afterimage/step" => self.any_step(request),
            "stepInTargets" => self.step_in_targets(request),

            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(request),
            "scopes" => self.scopes(request),
            "variables" => self.variables(request),
            "evaluate" => self.evaluate(request),
            "completions" => self.completions(request),
            "setVariable" => self.set_variable(request),
            "setExpression" => self.set_expression(request),
            "source" => self.source(request),
            "loadedSources" => self.loaded_sources(),
            "readMemory" => self.read_memory(request),
            "disassemble" => self.disassemble(request),

            "afterimage/picture" => self.picture(request),
            "afterimage/pick" => self.pick(request),
            "afterimage/frames" => self.frames(),
            "afterimage/history" => self.history(),
            "afterimage/find" => self.find(request),
            "afterimage/lanes" => self.lanes(),
            "afterimage/follow" => self.follow(request),
            other => Err(Refusal::Unknown(other.to_owned())),
        }
    }

    fn session(&mut self) -> Result<&mut Session, Refusal> {
        self.session.as_mut().ok_or(Refusal::NoTrace)
    }

    /// Says something on the debug console.
    fn say(&mut self, text: &str) {
        let body = json!({"category": "console", "output": format!("{text}\n")});
        self.after.push(After::Event("output", body));
    }

    /// Begins to show that something takes a while; nothing where the client cannot show it.
    fn begin_progress(&mut self, title: &str, request: Option<i64>, cancellable: bool) -> Result<String, WireError> {
        self.progress += 1;
        let id = format!("afterimage-{}", self.progress);
        if self.client.supports_progress_reporting {
            let mut body = json!({"progressId": id, "title": title, "cancellable": cancellable});
            if let Some(request) = request {
                body["requestId"] = request.into();
            }
            self.output.event("progressStart", body)?;
        }
        Ok(id)
    }

    fn end_progress(&mut self, id: &str, message: Option<&str>) -> Result<(), WireError> {
        if !self.client.supports_progress_reporting {
            return Ok(());
        }
        let mut body = json!({"progressId": id});
        if let Some(message) = message {
            body["message"] = message.into();
        }
        self.output.event("progressEnd", body)
    }

    /// Lets go of everything.
    fn leave(&mut self) {
        if let Some(program) = self.program.take() {
            program.end();
        }
        self.session = None;
        Attention::of(&self.attention).search(None);
        self.temporary = None;
    }
}
