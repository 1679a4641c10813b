//! The [Debug Adapter Protocol](https://microsoft.github.io/debug-adapter-protocol) over a [`session::Session`]: any
//! editor that speaks it steps through the shaders of a trace, forwards and backwards.
//!
//! Requests come in, responses and events go out ([`serve`]); what they mean is the facade's. A *thread* is an
//! invocation of the history of the chosen pixel, a *stack frame* a function of it or of the pass that it was entered
//! from, a *source* a text of the trace. What the protocol has no word for are requests of our own, which begin with
//! `afterimage/`; `docs/editors.md` lists them.
//!
//! The crate knows no drivers and no waves, draws nothing, and does not record: it starts `afterimage record` for that.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod adapter;
mod base64;
mod guard;
mod program;
mod protocol;
mod refusal;
mod wire;

use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use adapter::Adapter;
use host::{Host, OpenOptions};
use protocol::{Attention, Incoming, Output, SharedAttention};

pub use guard::Guard;
pub use wire::WireError;

/// What an adapter needs to know of its surroundings.
#[derive(Clone)]
pub struct Options {
    /// The program `afterimage`, which records programs.
    pub afterimage: PathBuf,
    /// The traces that are open, which all clients share.
    pub host: Arc<Host>,
    /// as [`OpenOptions::sandbox`], for all traces.
    pub sandbox: bool,
    /// as [`OpenOptions::worker_memory`], for all traces.
    pub worker_memory: Option<u64>,
    /// What guards the connection; `None` where only the user can have made it.
    pub guard: Option<Guard>,
}

impl Options {
    /// Returns how a trace is opened on a device.
    fn opening(&self, trace: impl Into<PathBuf>, device: Option<&str>) -> OpenOptions {
        let (device, sandbox, worker_memory) = (device.map(ToOwned::to_owned), self.sandbox, self.worker_memory);
        OpenOptions { device, sandbox, worker_memory, ..OpenOptions::new(trace) }
    }
}

/// Serves one client until it disconnects or is gone.
///
/// # Errors
/// When what comes in is not the protocol, or nothing can be sent.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    options: &Options,
) -> Result<(), WireError> {
    let (sender, incoming) = channel();
    let attention = SharedAttention::default();
    let output = Output::new(Box::new(output));
    let mut adapter = Adapter::new(options.clone(), output, sender.clone(), SharedAttention::clone(&attention));
    // Requests are read ahead, so that one can end another that is still being worked on.
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let message = wire::read(&mut input).transpose();
            let last = !matches!(message, Some(Ok(_)));
            let message = match message {
                Some(Ok(bytes)) => match protocol::Request::parse(&bytes) {
                    Ok(request) => {
                        Attention::of(&attention).note(&request);
                        Incoming::Request(request)
                    }
                    Err(error) => Incoming::Broken(error),
                },
                Some(Err(error)) => Incoming::Broken(error),
                None => Incoming::Closed,
            };
            if last {
                // A client that is gone waits for nothing.
                Attention::of(&attention).interrupt();
            }
            if sender.send(message).is_err() || last {
                return;
            }
        }
    });
    for message in incoming {
        if !adapter.take(message)? {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use serde_json::{Value, json};

    /// A stream that others look at.
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<u8>>>);

    impl Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is said to requests, one after the other.
    fn said(requests: &[Value]) -> Vec<Value> {
        let mut input = Vec::new();
        for request in requests {
            wire::write(&mut input, request).unwrap();
        }
        let heard = Heard::default();
        let options = Options {
            afterimage: "afterimage".into(),
            host: Arc::default(),
            sandbox: true,
            worker_memory: None,
            guard: None,
        };
        serve(std::io::Cursor::new(input), heard.clone(), &options).unwrap();
        let bytes = heard.0.lock().unwrap().clone();
        let mut stream = &bytes[..];
        let mut all = Vec::new();
        while let Some(message) = wire::read(&mut stream).unwrap() {
            all.push(serde_json::from_slice(&message).unwrap());
        }
        all
    }

    #[test]
    fn a_session_without_a_trace() {
        let request = |seq: i64, command: &str, arguments: Value| json!({"seq": seq, "type": "request", "command": command, "arguments": arguments});
        let answers = said(&[
            request(1, "initialize", json!({"adapterID": "afterimage"})),
            request(2, "attach", json!({})),
            request(3, "threads", Value::Null),
            request(4, "scopes", json!({"frameId": "first"})),
            request(5, "sing", json!({})),
            request(6, "disconnect", Value::Null),
            request(7, "threads", Value::Null),
        ]);
        let seen: Vec<_> = answers.iter().map(|answer| (&answer["request_seq"], &answer["success"])).collect();
        let expected = [(1, true), (2, false), (3, true), (4, false), (5, false), (6, true)];
        let expected: Vec<(Value, Value)> = expected.iter().map(|(seq, good)| (json!(seq), json!(good))).collect();
        assert_eq!(seen, expected.iter().map(|(seq, good)| (seq, good)).collect::<Vec<_>>());
        assert_eq!(answers[0]["body"]["supportsStepBack"], true);
        assert_eq!(answers[1]["message"], "`attach` needs a `trace` to debug");
        assert_eq!(answers[2]["body"]["threads"], json!([]));
        // Numbers of messages go up by one, whatever they are.
        let numbers: Vec<_> = answers.iter().map(|answer| answer["seq"].as_i64().unwrap()).collect();
        assert_eq!(numbers, (1..=6).collect::<Vec<i64>>());
    }
}
