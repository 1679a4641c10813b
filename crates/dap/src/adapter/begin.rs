//! From the first word to the first stop, and the end.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use host::PrivateFolder;
use serde_json::{Value, json};
use session::{Choice, Session, Step};

use super::{Adapter, After, Going};
use crate::program::{Program, Start};
use crate::protocol::arguments::{Disconnect, Initialize, Launch, Restart, Who};
use crate::protocol::{Attention, Request};
use crate::refusal::Refusal;
use crate::wire::WireError;

impl Adapter {
    pub(super) fn initialize(&mut self, request: &Request) -> Result<Value, Refusal> {
        self.client = request.arguments::<Initialize>()?;
        let filter = |kind: session::ExceptionKind| json!({"filter": kind.code, "label": kind.name, "default": false});
        let filters: Vec<Value> = Session::exception_kinds().into_iter().map(filter).collect();
        Ok(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsDataBreakpoints": true,
            "supportsBreakpointLocationsRequest": true,
            "supportsExceptionInfoRequest": true,
            "supportsExceptionFilterOptions": true,
            "exceptionBreakpointFilters": filters,
            "supportsEvaluateForHovers": true,
            "supportsStepBack": true,
            "supportsStepInTargetsRequest": true,
            "supportsSetVariable": true,
            "supportsSetExpression": true,
            "supportsCompletionsRequest": true,
            "completionTriggerCharacters": [".", "["],
            "supportsLoadedSourcesRequest": true,
            "supportsReadMemoryRequest": true,
            "supportsDisassembleRequest": true,
            "supportsRestartRequest": true,
            "supportsTerminateRequest": true,
            "supportTerminateDebuggee": true,
            "supportsCancelRequest": true,
        }))
    }

    pub(super) fn launch(&mut self, request: &Request) -> Result<Value, Refusal> {
        self.launch = self.permitted(request.arguments()?)?;
        if request.command == "attach" && self.launch.trace.is_none() {
            return Err(Refusal::Configuration("`attach` needs a `trace` to debug".to_owned()));
        }
        match (&self.launch.program, &self.launch.trace) {
            (Some(_), _) => self.record()?,
            (None, Some(trace)) => {
                let trace = trace.clone();
                self.open(&trace, Some(request.seq))?;
            }
            (None, None) => {
                let text = "a launch configuration needs a `program` to record or a `trace` to open";
                return Err(Refusal::Configuration(text.to_owned()));
            }
        }
        self.after.push(After::Event("initialized", Value::Null));
        Ok(Value::Null)
    }

    /// Returns a configuration if this client may launch it.
    fn permitted(&self, launch: Launch) -> Result<Launch, Refusal> {
        if let Some(guard) = &self.options.guard {
            guard.check_launch(launch.token.as_deref(), launch.program.is_some())?;
        }
        Ok(launch)
    }

    /// Runs the program of the configuration under the recorder.
    fn record(&mut self) -> Result<(), Refusal> {
        let launch = &self.launch;
        let Some(program) = &launch.program else { return Ok(()) };
        let trace = match launch.output.as_ref().or(launch.trace.as_ref()) {
            Some(output) => output.clone(),
            None => {
                let stem = program.file_stem().unwrap_or("program".as_ref()).to_string_lossy();
                let folder = PrivateFolder::new()
                    .map_err(|source| Refusal::File { file: "a temporary folder".to_owned(), source })?;
                let trace = folder.path().join(format!("{stem}.aftr"));
                self.temporary = Some(folder);
                trace
            }
        };
        let start = Start {
            afterimage: &self.options.afterimage,
            trace: &trace,
            program,
            args: &launch.args,
            cwd: launch.cwd.as_deref(),
            env: &launch.env,
        };
        self.program = Some(Program::start(&start, &self.sender)?);
        let name = program.display().to_string();
        let running = json!({"name": name, "isLocalProcess": true, "startMethod": "launch"});
        self.after.push(After::Event("process", running));
        // Editors offer to pause what has a thread.
        self.after.push(After::Event("thread", json!({"reason": "started", "threadId": 1})));
        self.say(&format!("recording {name}; pause it to end it and debug what it drew"));
        Ok(())
    }

    /// The program is over: what it drew can be debugged.
    pub(super) fn recorded(&mut self, process: u32, status: Option<ExitStatus>) -> Result<(), WireError> {
        // A program that was ended to start another is forgotten.
        let Some(program) = self.program.take_if(|program| program.process == process) else { return Ok(()) };
        let opened = self.open(&program.trace, None);
        if let Err(refusal) = opened {
            let why = match status {
                Some(status) if !status.success() && !program.trace.exists() => {
                    format!("nothing was recorded; the program ended with {status}")
                }
                _ => refusal.to_string(),
            };
            return self.give_up(&why, status);
        }
        for after in std::mem::take(&mut self.after) {
            if let After::Event(event, body) = after {
                self.output.event(event, body)?;
            }
        }
        for body in self.bind_breakpoints() {
            self.output.event("breakpoint", body)?;
        }
        if self.configured { self.first_stop() } else { Ok(()) }
    }

    /// There is nothing to debug.
    fn give_up(&mut self, why: &str, status: Option<ExitStatus>) -> Result<(), WireError> {
        self.output.event("output", json!({"category": "important", "output": format!("{why}\n")}))?;
        if let Some(code) = status.and_then(|status| status.code()) {
            self.output.event("exited", json!({"exitCode": code}))?;
        }
        self.output.event("terminated", Value::Null)
    }

    /// Opens a trace, and enters the invocation of the configuration, if it names one.
    fn open(&mut self, trace: &Path, request: Option<i64>) -> Result<(), Refusal> {
        let title = format!("opening {}", trace.display());
        // A client that cannot be sent progress cannot be sent the end either, which is handled there.
        let progress = self.begin_progress(&title, request, false).unwrap_or_default();
        let opened = self.open_and_enter(trace);
        let _ = self.end_progress(&progress, None);
        opened
    }

    fn open_and_enter(&mut self, trace: &Path) -> Result<(), Refusal> {
        let trace: PathBuf = match (&self.launch.cwd, trace.is_relative()) {
            (Some(cwd), true) => cwd.join(trace),
            _ => trace.to_owned(),
        };
        let options = self.options.opening(&trace, self.launch.device.as_deref());
        let session = self.options.host.session(&options)?;
        Attention::of(&self.attention).control(session.control());
        let shortcomings = shortcomings(&session);
        self.session = Some(session);
        self.opened = Some(trace.clone());
        self.sources.begin(&trace, self.launch.sources_to.as_deref())?;
        for sentence in shortcomings {
            self.say(&sentence);
        }
        let who = self.launch.who.clone();
        match self.choice(&who)? {
            Some(choice) => self.enter(&choice).map(|_| ()),
            None => {
                self.say("no invocation is chosen yet: pick a pixel, or type `.enter X,Y` here");
                Ok(())
            }
        }
    }

    /// Returns the invocation that a configuration names; `None` if it names none.
    pub(super) fn choice(&mut self, who: &Who) -> Result<Option<Choice>, Refusal> {
        let draw = |what: &str| {
            let text = format!(
                "to debug {what}, the configuration needs the `command` of its draw, as `afterimage info` lists it"
            );
            who.command.ok_or(Refusal::Configuration(text))
        };
        let stage = who.stage.as_deref();
        if let Some(id) = who.thread {
            return Ok(Some(Choice::Thread { command: draw("a thread")?, id }));
        }
        if let Some(vertex) = who.vertex {
            return Ok(Some(Choice::Vertex { command: draw("a vertex")?, vertex, instance: who.instance }));
        }
        if let Some([x, y]) = who.pixel {
            return Ok(Some(match who.command {
                Some(command) => {
                    let (primitive, sample, layer) = (who.primitive, who.sample, who.layer);
                    Choice::Fragment { command, x, y, primitive, sample, layer }
                }
                None => Choice::Pixel { frame: who.frame, x, y },
            }));
        }
        if let Some(primitive) = who.primitive {
            let Some(stage) = stage else {
                let text = "to debug a primitive, the configuration needs its `stage`: geometry, tesscontrol or tessevaluation";
                return Err(Refusal::Configuration(text.to_owned()));
            };
            let (command, stage, invocation) = (draw("a primitive")?, stage.to_owned(), who.invocation);
            return Ok(Some(Choice::Primitive { command, stage, primitive, invocation }));
        }
        Ok(None)
    }

    pub(super) fn configuration_done(&mut self) -> Result<Value, Refusal> {
        self.configured = true;
        if self.session.is_some() && self.chosen.is_some() {
            self.push_first_stop();
        }
        Ok(Value::Null)
    }

    /// After a recording: what [`Adapter::configuration_done`] does for traces.
    fn first_stop(&mut self) -> Result<(), WireError> {
        if self.chosen.is_none() {
            return Ok(());
        }
        if self.launch.stop_on_entry.unwrap_or(true) {
            let body = self.entry_body();
            return self.output.event("stopped", body);
        }
        self.run(Going::Step(Step::Continue))
    }

    /// What happens once the response is out: the stop at the entry, or going on to the first breakpoint.
    pub(super) fn push_first_stop(&mut self) {
        if self.launch.stop_on_entry.unwrap_or(true) {
            let body = self.entry_body();
            self.after.push(After::Event("stopped", body));
        } else {
            self.after.push(After::Go(Going::Step(Step::Continue)));
        }
    }

    pub(super) fn restart(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Restart = request.arguments()?;
        if let Some(launch) = wanted.arguments {
            self.launch = self.permitted(launch)?;
        }
        self.forget();
        if self.launch.program.is_some() {
            if let Some(program) = self.program.take() {
                program.end();
            }
            self.session = None;
            self.record()?;
        } else {
            let trace = self.launch.trace.clone().ok_or(Refusal::NoTrace)?;
            self.session = None;
            self.open(&trace, Some(request.seq))?;
            for body in self.bind_breakpoints() {
                self.after.push(After::Event("breakpoint", body));
            }
            if self.chosen.is_some() {
                self.push_first_stop();
            }
        }
        Ok(Value::Null)
    }

    pub(super) fn terminate(&mut self) -> Result<Value, Refusal> {
        if let Some(program) = self.program.take() {
            program.end();
        }
        self.forget();
        self.session = None;
        self.after.push(After::Event("terminated", Value::Null));
        Ok(Value::Null)
    }

    pub(super) fn disconnect(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Disconnect = request.arguments()?;
        if wanted.terminate_debuggee == Some(false) {
            // A program that goes on is recorded to its end, by a process that does not need us.
            self.program = None;
        }
        self.over = true;
        Ok(Value::Null)
    }

    /// What runs is paused. A program that is being recorded is ended, to debug what it drew.
    pub(super) fn pause(&mut self) -> Result<Value, Refusal> {
        Attention::of(&self.attention).paused();
        match &self.program {
            Some(program) => program.end(),
            // What was running has stopped: the thread that reads requests saw to that.
            None if self.chosen.is_some() => {
                let stopped = self.paused.take().map(|stop| After::Stopped(Box::new(stop)));
                self.after.extend(stopped);
            }
            None => return Err(Refusal::NoInvocation),
        }
        Ok(Value::Null)
    }

    /// Everything about what was debugged.
    pub(super) fn forget(&mut self) {
        self.chosen = None;
        self.exception = None;
        self.handles.clear();
        self.paused = None;
        Attention::of(&self.attention).search(None);
        self.invocations.clear();
    }

    /// The configuration of this session.
    pub(super) fn configuration(&self) -> &Launch {
        &self.launch
    }
}

/// Says what a trace lacks: answers may be about less than the program did.
fn shortcomings(session: &Session) -> Vec<String> {
    let trace = session.trace();
    let truncated = (!trace.reader().is_complete())
        .then(|| format!("the trace is truncated: its first {} calls could be read", trace.reader().calls_stored()));
    let damaged = trace.damage().text().map(|lost| format!("the trace is damaged: {lost}"));
    [truncated, damaged].into_iter().flatten().collect()
}
