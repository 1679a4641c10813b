//! Random traces: a few commands, random events, and the calls that they must produce.
#![allow(dead_code, reason = "each test binary uses part of it")]

use api::{Command, CommandId, Library, Meaning, Operation, Param, Role, Scalar, Traits, Value};
use testing::random::Random;
use trace::{Call, Content, Data, Origin, Payloads, ReadError, Reader, Writer};

const fn value(scalar: Scalar) -> Value {
    Value { scalar, meaning: Meaning::Number }
}

pub const fn param(name: &'static str, scalar: Scalar) -> Param {
    Param { name, value: value(scalar), memory: None }
}

pub const fn command(name: &'static str, params: &'static [Param], result: Scalar) -> Command {
    Command {
        name,
        library: Library::Gl,
        suffix: 0,
        params,
        result: value(result),
        role: Role::Other,
        operation: Operation::Unknown,
        traits: Traits::of(&[]),
        saved_with: 0,
    }
}

pub static COMMANDS: &[Command] = &[
    command("glFlush", &[], Scalar::Void),
    command(
        "glUniform4f",
        &[
            param("location", Scalar::I32),
            param("v0", Scalar::F32),
            param("v1", Scalar::F32),
            param("v2", Scalar::F32),
            param("v3", Scalar::F32),
        ],
        Scalar::Void,
    ),
    command(
        "glBufferData",
        &[
            param("target", Scalar::U32),
            param("size", Scalar::I64),
            param("data", Scalar::Pointer),
            param("usage", Scalar::U32),
        ],
        Scalar::Void,
    ),
    command("glGetError", &[], Scalar::U32),
    command("glGetIntegerv", &[param("pname", Scalar::U32), param("data", Scalar::Pointer)], Scalar::Void),
    command("afiPresent", &[param("surface", Scalar::U32)], Scalar::Void),
    command("afiProblem", &[param("text", Scalar::Pointer)], Scalar::Void),
];

/// A parameter, the bytes behind it, and whether only their hash and size are recorded.
pub type PayloadData = (u8, Vec<u8>, bool);

/// An event of a recording.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    Enter { thread: u32, command: u16, by_capture: bool, args: Vec<u64>, inputs: Vec<PayloadData> },
    Leave { thread: u32, result: u64, outputs: Vec<PayloadData>, before: u64 },
    Flush,
}

/// A call that owns its data.
#[derive(Clone, PartialEq, Debug)]
pub struct Owned {
    pub number: u64,
    pub name: String,
    pub thread: u32,
    pub by_capture: bool,
    pub args: Vec<u64>,
    pub inputs: Vec<PayloadData>,
    pub outcome: Option<(u64, Vec<PayloadData>, u64)>,
}

/// Random events.
pub struct Source(Random);

impl Source {
    pub fn new(seed: u64) -> Self {
        Source(Random::new(seed))
    }

    pub fn number(&mut self) -> u64 {
        self.0.number()
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn word(&mut self) -> u64 {
        match self.below(5) {
            0 => 0,
            1 => self.below(300),
            2 => (self.below(300) as i64 - 150) as u64,
            3 => self.number() & 0xffff_ffff,
            _ => self.number(),
        }
    }

    fn contents(&mut self, params: u64) -> Vec<PayloadData> {
        if self.below(3) > 0 {
            return Vec::new();
        }
        let count = self.below(3);
        (0..count)
            .map(|_| {
                let size = [0, 4, 64, 64, 64, 511, 513, 3000][self.below(8) as usize];
                let seed = self.below(4) as u8;
                let bytes = (0..size).map(|at: u32| (at as u8).wrapping_mul(seed)).collect();
                (self.below(params.max(1)) as u8, bytes, self.below(6) == 0)
            })
            .collect()
    }

    /// Returns events of several threads, with nested calls and calls that never return.
    pub fn events(&mut self, count: usize) -> Vec<Event> {
        let threads = 1 + self.below(3) as u32;
        let mut depth = vec![0; threads as usize];
        let mut entered = 0;
        let mut events = Vec::new();
        for _ in 0..count {
            let thread = self.below(u64::from(threads)) as u32;
            let depth = &mut depth[thread as usize];
            match self.below(40) {
                0 => events.push(Event::Flush),
                n if *depth > 0 && (n < 25 || *depth > 3) => {
                    let before = entered + self.below(2);
                    events.push(Event::Leave { thread, result: self.word(), outputs: self.contents(2), before });
                    *depth -= 1;
                }
                _ => {
                    let command = self.below(COMMANDS.len() as u64) as u16;
                    let args = COMMANDS[command as usize].params.iter().map(|_| self.word()).collect::<Vec<_>>();
                    let inputs = self.contents(args.len() as u64);
                    let by_capture = self.below(8) == 0;
                    events.push(Event::Enter { thread, command, by_capture, args, inputs });
                    *depth += 1;
                    entered += 1;
                }
            }
        }
        events
    }
}

pub fn origin() -> Origin {
    Origin { product: "test".to_owned(), pointer_bytes: 8, little_endian: true, identity: 0x1234_5678 }
}

fn content(list: &[PayloadData]) -> Vec<Content<'_>> {
    list.iter().map(|(param, bytes, digest_only)| Content { param: *param, bytes, digest_only: *digest_only }).collect()
}

/// Feeds events to a writer.
pub fn feed<W: std::io::Write>(writer: &mut Writer<W>, events: &[Event]) {
    for event in events {
        match event {
            Event::Enter { thread, command, by_capture, args, inputs } => {
                writer.enter(*thread, CommandId(*command), *by_capture, args, &content(inputs)).unwrap();
            }
            Event::Leave { thread, result, outputs, before } => {
                writer.leave(*thread, *result, &content(outputs), *before).unwrap();
            }
            Event::Flush => writer.flush().unwrap(),
        }
    }
}

/// Returns a complete file.
pub fn write(events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &origin()).unwrap();
    feed(&mut writer, events);
    writer.finish().unwrap().1
}

/// Writes a trace whose first calls are before its first frame.
pub fn write_with_setup(events: &[Event], calls: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &origin()).unwrap();
    let mut entered = 0;
    let end = events.iter().position(|event| {
        entered += u64::from(matches!(event, Event::Enter { .. }));
        entered > calls
    });
    let (setup, rest) = events.split_at(end.unwrap());
    feed(&mut writer, setup);
    writer.end_setup().unwrap();
    feed(&mut writer, rest);
    writer.finish().unwrap().1
}

fn digested(list: &[PayloadData]) -> Vec<PayloadData> {
    let kept = |(param, bytes, digest_only): &PayloadData| match digest_only {
        true => (*param, [&blake3::hash(bytes).as_bytes()[..], &(bytes.len() as u64).to_le_bytes()].concat(), true),
        false => (*param, bytes.clone(), false),
    };
    list.iter().map(kept).collect()
}

/// Returns the calls that events produce.
pub fn play(events: &[Event]) -> Vec<Owned> {
    let mut calls: Vec<Owned> = Vec::new();
    let mut open = vec![Vec::new(); 8];
    for event in events {
        match event {
            Event::Enter { thread, command, by_capture, args, inputs } => {
                open[*thread as usize].push(calls.len());
                calls.push(Owned {
                    number: calls.len() as u64,
                    name: COMMANDS[*command as usize].name.to_owned(),
                    thread: *thread,
                    by_capture: *by_capture,
                    args: args.clone(),
                    inputs: digested(inputs),
                    outcome: None,
                });
            }
            Event::Leave { thread, result, outputs, before } => {
                let number = open[*thread as usize].pop().unwrap();
                calls[number].outcome = Some((*result, digested(outputs), *before));
            }
            Event::Flush => {}
        }
    }
    calls
}

fn resolved(reader: &Reader, payloads: Payloads<'_>) -> Result<Vec<PayloadData>, ReadError> {
    let mut list = Vec::new();
    for payload in payloads.iter() {
        list.push(match payload.data {
            Data::Digest { hash, size } => (payload.param, [&hash[..], &size.to_le_bytes()].concat(), true),
            data => (payload.param, reader.bytes(data)?.unwrap().to_vec(), false),
        });
    }
    Ok(list)
}

/// Returns a call with the bytes of all its payloads.
pub fn owned(reader: &Reader, call: &Call<'_>) -> Result<Owned, ReadError> {
    let outcome = match call.outcome {
        None => None,
        Some(outcome) => Some((outcome.result, resolved(reader, outcome.outputs)?, outcome.before)),
    };
    Ok(Owned {
        number: call.number,
        name: call.name().to_owned(),
        thread: call.thread,
        by_capture: call.by_capture,
        args: call.args.to_vec(),
        inputs: resolved(reader, call.inputs)?,
        outcome,
    })
}

/// Returns every readable call, and the errors for the rest.
pub fn read_all(reader: &Reader) -> (Vec<Owned>, Vec<ReadError>) {
    let mut calls = reader.calls();
    let (mut list, mut errors) = (Vec::new(), Vec::new());
    loop {
        let read = match calls.next() {
            Ok(Some(call)) => owned(reader, &call),
            Ok(None) => return (list, errors),
            Err(error) => Err(error),
        };
        match read {
            Ok(call) => list.push(call),
            Err(error) => errors.push(error),
        }
    }
}
