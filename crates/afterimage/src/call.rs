//! Calls as plain data: a name, typed arguments, a result.

mod value;

use std::collections::VecDeque;
use std::ops::Range;

use api::{Library, Meaning, Param};
use serde::Serialize;
use trace::{Data, ReadError};

use crate::error::TraceError;
use crate::line::line;
use crate::trace::Trace;
pub use value::ArgumentValue;
use value::values;

/// Calls that are read at a time.
const AHEAD: u64 = 256;

/// A call of the recorded program.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Call {
    /// Its number in the trace.
    pub command: u64,
    /// The function.
    pub name: String,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// What it returned; nothing if it returns nothing, or never returned.
    pub result: Option<ArgumentValue>,
    /// Whether it returned to the program.
    pub returned: bool,
    /// The thread that called, from 0 in the order of their first calls.
    pub thread: u32,
    /// The frame, from 0; nothing where it is in none.
    pub frame: Option<usize>,
    /// The debug groups that are open when it is called, the outermost first.
    pub groups: Vec<String>,
    /// Whether capture inserted it, so that the trace is complete in itself.
    pub by_capture: bool,
    /// The call as one line.
    pub text: String,
}

/// An argument.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Argument {
    /// The parameter's name in the registry.
    pub name: String,
    /// What was passed.
    pub value: ArgumentValue,
    /// The memory behind a pointer before the call.
    pub read: Option<Memory>,
    /// The memory behind a pointer after the call.
    pub written: Option<Memory>,
}

/// Memory behind a pointer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Memory {
    /// Its size in bytes.
    pub size: u64,
    /// What is there, element by element, where the type is known and the bytes are part of the call; texts always.
    pub values: Vec<ArgumentValue>,
    /// The number for [`Trace::blob`]; nothing if the bytes are part of the call or were not kept.
    pub blob: Option<u32>,
    /// The bytes that are part of the call.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
}

/// Calls in their order. What is lost is an error, after which the calls go on.
pub struct Calls {
    trace: Trace,
    range: Range<u64>,
    ready: VecDeque<Result<Call, TraceError>>,
}

impl Calls {
    pub(crate) fn new(trace: Trace, range: Range<u64>) -> Calls {
        let end = range.end.min(trace.len());
        Calls { trace, range: range.start.min(end)..end, ready: VecDeque::new() }
    }

    /// Reads on: the reader's own cursor borrows the trace, so that it cannot be kept here.
    fn fill(&mut self) {
        let reader = self.trace.open.reader();
        let until = self.range.end.min(self.range.start.saturating_add(AHEAD));
        let mut calls = reader.calls();
        calls.seek(self.range.start);
        while self.range.start < until {
            match calls.next() {
                Ok(Some(call)) if call.number < until => {
                    self.range.start = call.number + 1;
                    self.ready.push_back(Ok(described(&self.trace, &call)));
                }
                // A call that began before may be lost with all up to here.
                Ok(_) => self.range.start = until,
                Err(error) => {
                    match &error {
                        ReadError::Lost { last, .. } => self.range.start = last.saturating_add(1).min(self.range.end),
                        _ => self.range.start = self.range.end,
                    }
                    self.ready.push_back(Err(error.into()));
                    return;
                }
            }
        }
    }
}

impl Iterator for Calls {
    type Item = Result<Call, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && self.range.start < self.range.end {
            self.fill();
        }
        self.ready.pop_front()
    }
}

fn described(trace: &Trace, call: &trace::Call<'_>) -> Call {
    let (reader, annotations) = (trace.open.reader(), trace.open.annotations());
    let command = call.command.map(api::command);
    let library = command.map_or(Library::Capture, |command| command.library);
    let arguments = call.signature.params.iter().zip(call.args).enumerate().map(|(at, (param, word))| {
        let known: Option<&Param> = command.and_then(|command| command.params.get(at));
        let value = match known {
            Some(known) => ArgumentValue::of(library, known.value, *word),
            None => {
                ArgumentValue::of(library, api::Value { scalar: param.value.scalar, meaning: Meaning::Number }, *word)
            }
        };
        let place = u8::try_from(at).ok();
        let memory = |data: Option<Data<'_>>| data.map(|data| memory(trace, library, known, data));
        Argument {
            name: param.name.to_string(),
            value,
            read: memory(place.and_then(|at| call.input(at))),
            written: memory(place.and_then(|at| call.output(at))),
        }
    });
    let result = call.outcome.and_then(|outcome| {
        let plain = api::Value { scalar: call.signature.result.scalar, meaning: Meaning::Number };
        let value = command.map_or(plain, |command| command.result);
        (value.scalar != api::Scalar::Void).then(|| ArgumentValue::of(library, value, outcome.result))
    });
    Call {
        command: call.number,
        name: call.name().to_owned(),
        arguments: arguments.collect(),
        result,
        returned: call.outcome.is_some(),
        thread: call.thread,
        frame: reader.frame_of(call.number),
        groups: annotations.groups(call.thread, call.number).iter().map(ToString::to_string).collect(),
        by_capture: call.by_capture || call.signature.is_of_capture(),
        text: line(reader, call, annotations, false),
    }
}

fn memory(trace: &Trace, library: Library, param: Option<&Param>, data: Data<'_>) -> Memory {
    let described = param.and_then(|param| param.memory);
    let is_text = described.is_some_and(|memory| value::is_text(&memory));
    let (size, blob, bytes) = match data {
        Data::Inline(bytes) => (bytes.len() as u64, None, Some(bytes.to_vec())),
        Data::Blob { number, size } => {
            // Texts are what is asked for most; other blobs may be large.
            let bytes = is_text.then(|| trace.open.reader().blob(number).ok()).flatten();
            (size, Some(number), bytes.map(|bytes| bytes.to_vec()))
        }
        Data::Digest { size, .. } => (size, None, None),
    };
    let values = match (&described, &bytes) {
        (Some(memory), Some(bytes)) => values(library, memory, bytes),
        _ => Vec::new(),
    };
    Memory { size, values, blob, bytes: bytes.filter(|_| blob.is_none()) }
}
