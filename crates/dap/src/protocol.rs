//! Messages of the protocol, as far as this adapter speaks it.

pub mod arguments;
pub mod bodies;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::program::Told;
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
    Program(Told),
    /// The history of a pixel is known, or cannot be: of the search with this number.
    History(u64, Box<Result<session::HistoryGraph, session::SessionError>>),
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
        serde_json::from_value(arguments)
            .map_err(|error| Refusal::Arguments { command: self.command.clone(), why: error.to_string() })
    }
}

/// What the client took back.
#[derive(Debug, Default)]
pub struct Cancelled {
    /// Numbers of requests.
    pub requests: BTreeSet<i64>,
    /// Names of progress.
    pub progress: BTreeSet<String>,
}

/// Notes what a request takes back, while others are still being worked on.
pub fn note(cancelled: &Mutex<Cancelled>, request: &Request) {
    if request.command != "cancel" {
        return;
    }
    if let (Ok(cancel), Ok(mut cancelled)) = (request.arguments::<arguments::Cancel>(), cancelled.lock()) {
        cancelled.requests.extend(cancel.request_id);
        cancelled.progress.extend(cancel.progress_id);
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
