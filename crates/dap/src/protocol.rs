//! Messages of the protocol, as far as this adapter speaks it.

pub mod arguments;
pub mod bodies;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::Control;

use crate::program::ProgramEvent;
use crate::refusal::Refusal;
use crate::wire::{self, WireError};

/// What comes to the adapter.
#[derive(Debug)]
pub enum Incoming {
    /// The client wants something.
    Request(Request),
    /// The client is gone.
    Closed,
    /// The client does not speak the protocol.
    Broken(WireError),
    /// Something about the program that is being recorded.
    Program(ProgramEvent),
    /// The history of a pixel is known, or cannot be: of the search with this number.
    History(u64, Box<Result<session::History, session::SessionError>>),
}

/// A request.
#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// What is wanted.
    #[serde(default)]
    pub command: String,
    /// Of what.
    #[serde(default)]
    pub arguments: Value,
    #[serde(rename = "type")]
    kind: String,
}

impl Request {
    /// Reads one. Responses to requests of ours, of which there are none, are read as requests for nothing.
    pub fn parse(bytes: &[u8]) -> Result<Request, WireError> {
        let mut request: Request = serde_json::from_slice(bytes)?;
        if request.kind != "request" {
            request.command.clear();
        }
        Ok(request)
    }

    /// What was sent along.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        // Requests without arguments have none at all.
        let arguments = if self.arguments.is_null() { json!({}) } else { self.arguments.clone() };
        serde_json::from_value(arguments.clone()).map_err(|error| Refusal::Arguments {
            command: self.command.clone(),
            why: mistyped::<T>(&arguments, &error),
        })
    }
}

/// Values that are tried to find the one of another type than it should be.
const TRIED: usize = 200;

/// Says which member of arguments has the wrong type, and which type it should have.
fn mistyped<T: DeserializeOwned>(arguments: &Value, error: &serde_json::Error) -> String {
    // Numbers have a name in the protocol too.
    let mut why = error.to_string();
    for sort in ["usize", "u64", "u32", "u16", "u8", "i64", "i32"] {
        why = why.replace(&format!("expected {sort}"), "expected a whole number");
    }
    let mut places = Vec::new();
    leaves(arguments, &mut String::new(), &mut places);
    // Without the culprit there is another error, or none. What is read before it may not be missing either, so it is the
    // last such value.
    places.truncate(TRIED);
    let guilty = places.into_iter().rev().find(|place| {
        let mut other = arguments.clone();
        if let Some(value) = other.pointer_mut(place) {
            *value = Value::Null;
        }
        serde_json::from_value::<T>(other).err().is_none_or(|other| other.to_string() != error.to_string())
    });
    match guilty {
        Some(place) => format!("`{}`: {why}", place.trim_start_matches('/').replace('/', ".")),
        None => why,
    }
}

/// Lists pointers to all values that have no others inside.
fn leaves(value: &Value, here: &mut String, places: &mut Vec<String>) {
    let length = here.len();
    let mut enter = |name: &str, inner: &Value| {
        here.push('/');
        here.push_str(&name.replace('~', "~0").replace('/', "~1"));
        leaves(inner, here, places);
        here.truncate(length);
    };
    match value {
        Value::Object(members) if !members.is_empty() => members.iter().for_each(|(name, inner)| enter(name, inner)),
        Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(at, inner)| enter(&at.to_string(), inner));
        }
        _ => places.push(here.clone()),
    }
}

/// What is being done, and what the client does not want to wait for any more: shared with the thread that reads
/// requests while others are being served.
#[derive(Debug, Default)]
pub struct Attention {
    /// Requests that were taken back before they were begun.
    cancelled: BTreeSet<i64>,
    /// The request that is being served.
    serving: Option<i64>,
    /// The invocation is running.
    running: bool,
    /// Requests to pause that are read and not served.
    pauses: usize,
    /// What ends what the session does.
    control: Option<Control>,
    /// What the progress of the search for a history is called, and what ends it.
    search: Option<(String, Control)>,
}

/// What several threads look at.
pub type SharedAttention = Arc<Mutex<Attention>>;

impl Attention {
    /// Looks; a thread that died while it did has left nothing half done.
    pub fn of(shared: &SharedAttention) -> MutexGuard<'_, Attention> {
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a request just read means for what is being done.
    pub fn note(&mut self, request: &Request) {
        match request.command.as_str() {
            "cancel" => {
                let Ok(cancel) = request.arguments::<arguments::Cancel>() else { return };
                if cancel.request_id.is_some() && cancel.request_id == self.serving {
                    self.interrupt();
                } else {
                    self.cancelled.extend(cancel.request_id);
                }
                if let Some((progress, control)) = &self.search
                    && cancel.progress_id.as_ref() == Some(progress)
                {
                    control.interrupt();
                }
            }
            "pause" => {
                self.pauses += 1;
                if self.running {
                    self.interrupt();
                }
            }
            // The client does not wait for earlier requests.
            "disconnect" | "terminate" | "restart" => self.interrupt(),
            _ => {}
        }
    }

    /// Ends what the session does.
    pub fn interrupt(&self) {
        if let Some(control) = &self.control {
            control.interrupt();
        }
    }

    /// Another session is debugged.
    pub fn control(&mut self, control: Control) {
        self.control = Some(control);
    }

    /// A history is looked for, or not any more.
    pub fn search(&mut self, search: Option<(String, Control)>) {
        if let Some((_, control)) = std::mem::replace(&mut self.search, search) {
            control.interrupt();
        }
    }

    /// Begins to serve a request; false if it was taken back.
    pub fn begin(&mut self, request: i64) -> bool {
        self.serving = Some(request);
        !self.cancelled.remove(&request)
    }

    /// A request was served.
    pub fn end(&mut self) {
        self.serving = None;
        self.calm();
    }

    /// Begins to run.
    pub fn run(&mut self) {
        self.running = true;
        if self.pauses > 0 {
            self.interrupt();
        }
    }

    /// Notes that nothing runs any more, and returns whether the client waits for a pause.
    pub fn rest(&mut self) -> bool {
        self.running = false;
        self.calm();
        self.pauses > 0
    }

    /// A request to pause is being served.
    pub fn paused(&mut self) {
        self.pauses = self.pauses.saturating_sub(1);
    }

    /// It was served before it could be taken back.
    pub fn too_late(&mut self, request: i64) {
        self.cancelled.remove(&request);
    }

    fn calm(&self) {
        if let Some(control) = &self.control {
            control.clear();
        }
    }
}

/// Where responses and events go.
pub struct Output {
    stream: Box<dyn Write + Send>,
    last: i64,
}

impl Output {
    /// A stream to a client.
    pub fn new(stream: Box<dyn Write + Send>) -> Output {
        Output { stream, last: 0 }
    }

    /// Answers a request.
    pub fn respond(&mut self, request: &Request, answer: &Result<Value, Refusal>) -> Result<(), WireError> {
        let mut message = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body.clone(),
            Err(refusal) => {
                message["message"] = refusal.word().into();
                let show = !matches!(refusal, Refusal::Cancelled);
                message["body"] = json!({"error": {"id": 1, "format": refusal.to_string(), "showUser": show}});
            }
        }
        self.send(message)
    }

    /// Tells something.
    pub fn event(&mut self, event: &str, body: Value) -> Result<(), WireError> {
        let mut message = json!({"type": "event", "event": event});
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message)
    }

    fn send(&mut self, mut message: Value) -> Result<(), WireError> {
        self.last += 1;
        message["seq"] = self.last.into();
        wire::write(&mut self.stream, &message)
    }
}

#[cfg(test)]
mod tests {
    use super::arguments::{Launch, SetBreakpoints};
    use super::*;

    #[track_caller]
    fn refused<T: DeserializeOwned + std::fmt::Debug>(arguments: &Value) -> String {
        let message = json!({ "seq": 1, "type": "request", "command": "launch", "arguments": arguments });
        let request: Request = serde_json::from_value(message).expect("a request");
        request.arguments::<T>().expect_err("a wrong type").to_string()
    }

    #[test]
    fn a_member_of_the_wrong_type_is_named() {
        let said = refused::<Launch>(&json!({ "trace": "t.aftr", "frame": "seven" }));
        assert!(said.contains("`frame`: ") && said.contains("expected a whole number"), "{said}");
        let said = refused::<Launch>(&json!({ "trace": 3 }));
        assert!(said.contains("`trace`: ") && said.contains("path string"), "{said}");
        let said = refused::<Launch>(&json!({ "trace": "t.aftr", "pixel": true }));
        assert!(said.contains("`pixel`: ") && said.contains("expected a pixel"), "{said}");
        let said = refused::<SetBreakpoints>(&json!({ "source": {}, "breakpoints": [{ "line": 3 }, { "line": "4" }] }));
        assert!(said.contains("`breakpoints.1.line`: ") && said.contains("expected a whole number"), "{said}");
    }
}
