//! A minimal client of `afterimage dap`.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running adapter.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: i64,
    /// Events that were not consumed yet.
    events: VecDeque<Value>,
}

impl Client {
    /// Starts an adapter, and sends `initialize`.
    pub fn start() -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        let mut child = command.arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, input, output, last: 0, events: VecDeque::new() };
        client.ask("initialize", &json!({"adapterID": "afterimage", "supportsProgressReporting": true}));
        client
    }

    /// Launches, and waits for the first stop.
    pub fn launch(&mut self, configuration: &Value) {
        let answer = self.ask("launch", configuration);
        assert_eq!(answer["success"], true, "{answer}");
        self.ask("configurationDone", &Value::Null);
        self.event("stopped");
    }

    /// Sends a request, and waits for the response.
    pub fn ask(&mut self, command: &str, arguments: &Value) -> Value {
        self.last += 1;
        let request = json!({"seq": self.last, "type": "request", "command": command, "arguments": arguments});
        let text = request.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
        loop {
            let message = self.read().unwrap_or_else(|| panic!("no response to {command}"));
            if message["type"] == "response" && message["request_seq"] == self.last {
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// Returns the next event of a type; others are dropped.
    pub fn event(&mut self, event: &str) -> Value {
        loop {
            let message = self.events.pop_front().or_else(|| self.read());
            let message = message.unwrap_or_else(|| panic!("no event {event}"));
            if message["event"] == event {
                return message;
            }
        }
    }

    /// Disconnects, and waits until the adapter has exited.
    pub fn leave(mut self) {
        self.ask("disconnect", &Value::Null);
        self.input = None;
        assert!(self.child.wait().unwrap().success());
    }

    fn read(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = Some(number.parse::<usize>().unwrap()),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length.unwrap()];
        self.output.read_exact(&mut bytes).unwrap();
        Some(serde_json::from_slice(&bytes).unwrap())
    }
}
