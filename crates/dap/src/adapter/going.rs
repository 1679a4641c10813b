//! Going on, forwards and backwards, and where it stops.

use serde_json::{Value, json};
use session::{Choice, Reason, Step, Stop};

use super::{Adapter, After, Going};
use crate::protocol::Request;
use crate::protocol::arguments::{AnyStep, OfFrame, OfThread, Who};
use crate::protocol::bodies::StepInTarget;
use crate::refusal::Refusal;
use crate::wire::WireError;

/// Texels of one look-up that are offered to step into; a filter with more gives the others hardly any weight.
const MOST_TEXELS: usize = 16;

/// What an ordinary step into a function is called among the targets.
const FUNCTION: i64 = 1;

impl Adapter {
    /// Begins to walk through an invocation, wherever the session stood.
    pub(super) fn enter(&mut self, choice: &Choice) -> Result<Stop, Refusal> {
        let stop = self.session()?.enter(choice)?;
        self.forget();
        self.chosen = Some(choice.clone());
        let session = self.session.as_ref().ok_or(Refusal::NoTrace)?;
        self.invocations.entered(choice, &stop, session)?;
        self.meet_sources()?;
        Ok(stop)
    }

    /// Goes on once the response is out.
    pub(super) fn start(&mut self, request: &Request, step: Step) -> Result<Value, Refusal> {
        let of: OfThread = request.arguments()?;
        self.focus(of.thread_id)?;
        self.after.push(After::Go(Going::Step(step)));
        Ok(match step {
            Step::Continue => json!({"allThreadsContinued": true}),
            _ => Value::Null,
        })
    }

    pub(super) fn any_step(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: AnyStep = request.arguments()?;
        self.focus(wanted.thread_id)?;
        self.goes_on();
        self.after.push(After::Go(Going::Step(wanted.step)));
        Ok(Value::Null)
    }

    /// Has the client told that something runs which it did not set going with a request of the protocol's own. VS Code
    /// keeps every stop until it hears so, and turns back to the first of them when threads are listed anew.
    pub(super) fn goes_on(&mut self) {
        if self.chosen.is_some() {
            let body = json!({"threadId": self.invocations.current(), "allThreadsContinued": true});
            self.after.push(After::Event("continued", body));
        }
    }

    pub(super) fn step_in(&mut self, request: &Request) -> Result<Value, Refusal> {
        let of: OfThread = request.arguments()?;
        self.focus(of.thread_id)?;
        let going = match of.target_id.filter(|target| *target != FUNCTION) {
            None => Going::Step(Step::Into),
            Some(target) => {
                let texels = self.texels()?;
                let place = usize::try_from(target - FUNCTION - 1).ok();
                let found = place.and_then(|place| texels.get(place));
                let (read, texel, _) = found.ok_or_else(|| {
                    Refusal::NotThere("the statement that is about to run does not read this texel".to_owned())
                })?;
                Going::Read(*read, *texel)
            }
        };
        self.after.push(After::Go(going));
        Ok(Value::Null)
    }

    pub(super) fn step_in_targets(&mut self, request: &Request) -> Result<Value, Refusal> {
        let of: OfFrame = request.arguments()?;
        let frame = self.frame(Some(of.frame_id))?;
        // Editors put the first under the cursor, and who asks for a target seldom wants what plain stepping does.
        let mut targets = Vec::new();
        if frame == 0 {
            let texels = self.texels()?.into_iter().map(|(_, _, target)| target);
            targets.extend((FUNCTION + 1..).zip(texels).map(|(id, target)| StepInTarget { id, ..target }));
        }
        targets.push(StepInTarget { id: FUNCTION, label: "functions that are called".to_owned(), line: None });
        Ok(json!({"targets": targets}))
    }

    /// The texels that the statement about to run reads: read, texel, and what they are called.
    fn texels(&mut self) -> Result<Vec<(usize, usize, StepInTarget)>, Refusal> {
        let reads = self.session()?.reads()?;
        let mut all = Vec::new();
        for read in &reads {
            let some = read.texels.iter().enumerate().filter(|(_, texel)| texel.weight != 0.0);
            for (number, texel) in some.take(MOST_TEXELS) {
                let mut label = format!("texel {},{} of {}", texel.at[0], texel.at[1], read.texture);
                if texel.level > 0 {
                    label += &format!(", level {}", texel.level);
                }
                if texel.layer > 0 {
                    label += &format!(", layer {}", texel.layer);
                }
                if read.texels.len() > 1 {
                    label += &match texel.weight * 100.0 {
                        part if part.abs() < 1.0 => ", less than 1 %".to_owned(),
                        part => format!(", {part:.0} %"),
                    };
                }
                if let Some([red, green, blue, alpha]) = texel.value {
                    label += &format!(": {red:.4} {green:.4} {blue:.4} {alpha:.4}");
                }
                let line = read.location.as_ref().map(|location| self.place(location).line);
                all.push((read.number, number, StepInTarget { id: 0, label, line }));
            }
        }
        Ok(all)
    }

    /// Goes.
    pub(super) fn go(&mut self, going: Going) -> Result<Stop, Refusal> {
        self.handles.clear();
        self.exception = None;
        let session = self.session.as_mut().ok_or(Refusal::NoTrace)?;
        let stop = match going {
            Going::Step(step) => session.step(step)?,
            Going::Read(read, texel) => session.step_into_read(read, texel)?,
        };
        if let Reason::Exception { kind, message } = &stop.reason {
            self.exception = Some((kind.clone(), message.clone()));
        }
        self.meet_sources()?;
        Ok(stop)
    }

    /// Says where it stopped.
    pub(super) fn stopped(&mut self, went: Result<Stop, Refusal>) -> Result<(), WireError> {
        for after in std::mem::take(&mut self.after) {
            if let After::Event(event, body) = after {
                self.output.event(event, body)?;
            }
        }
        match went {
            Ok(stop) => {
                for line in &stop.log {
                    let mut body = json!({"category": "console", "output": format!("{}\n", line.text)});
                    if let Some((source, before)) = self.sources.body(&stop.location.source) {
                        body["source"] = json!(source);
                        body["line"] = self.line_out(line.line, before).into();
                    }
                    self.output.event("output", body)?;
                }
                let body = self.stopped_body(&stop);
                self.output.event("stopped", body)
            }
            // The client believes that it runs: it must hear that it does not, and why.
            Err(refusal) => {
                let text = refusal.to_string();
                self.output.event("output", json!({"category": "important", "output": format!("{text}\n")}))?;
                let body = json!({
                    "reason": "pause",
                    "description": text,
                    "threadId": self.invocations.current(),
                    "allThreadsStopped": true,
                });
                self.output.event("stopped", body)
            }
        }
    }

    /// The event of a stop at the first statement.
    pub(super) fn entry_body(&self) -> Value {
        json!({
            "reason": "entry",
            "description": "the first statement of the invocation",
            "threadId": self.invocations.current(),
            "allThreadsStopped": true,
        })
    }

    fn stopped_body(&self, stop: &Stop) -> Value {
        let mut hit = Vec::new();
        let (reason, description) = match &stop.reason {
            Reason::Entry => ("entry", "the first statement of the invocation".to_owned()),
            Reason::Step => ("step", String::new()),
            Reason::Start => ("start", "the first statement: there is nothing before".to_owned()),
            Reason::End if stop.discarded => ("end", "the fragment was discarded".to_owned()),
            Reason::End => ("end", "the invocation is over: there is nothing after".to_owned()),
            Reason::Breakpoint { ids } => {
                hit = self.breaks.ours(ids);
                ("breakpoint", String::new())
            }
            Reason::Data { id, .. } => {
                hit = self.breaks.ours(&[*id]);
                let over = if stop.ended { "; the invocation is over" } else { "" };
                ("data breakpoint", stop.reason.change().unwrap_or_default() + over)
            }
            Reason::Exception { message, .. } => ("exception", message.clone()),
            Reason::Pass => ("step", format!("in {}", stop.invocation.name)),
            Reason::Interrupted => ("pause", format!("after {} statements", stop.time)),
        };
        let mut body = json!({
            "reason": reason,
            "threadId": self.invocations.current(),
            "allThreadsStopped": true,
        });
        if !description.is_empty() {
            if reason == "exception" {
                body["text"] = description.as_str().into();
            }
            body["description"] = description.into();
        }
        if !hit.is_empty() {
            body["hitBreakpointIds"] = json!(hit);
        }
        body
    }

    /// Serves `afterimage/pick`: enters another invocation of the same trace, for the pixel picker.
    pub(super) fn pick(&mut self, request: &Request) -> Result<Value, Refusal> {
        let who: Who = request.arguments()?;
        let missing =
            || Refusal::Configuration("`afterimage/pick` needs a pixel, a vertex, a primitive or a thread".to_owned());
        let choice = self.choice(&who)?.ok_or_else(missing)?;
        self.goes_on();
        let stop = self.enter(&choice)?;
        let body = self.entry_body();
        self.after.push(After::Event("stopped", body));
        Ok(json!({"invocation": stop.invocation}))
    }
}
