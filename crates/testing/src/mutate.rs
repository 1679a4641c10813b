//! Traces changed at random, call by call: what a hostile or a broken recorder could have written.
//!
//! A mutant is written by the ordinary writer, so that its checksums and sizes are right and the changes get past the
//! reader, to the model, to replay and to the driver. `fuzz` changes the bytes of traces instead.

use api::{CommandId, Library};
use trace::{Content, Origin, Payloads, ReadError, Reader, Writer};

use crate::random::Random;

/// The memory behind parameters.
type Memory = Vec<(u8, Vec<u8>)>;

/// A call with everything that belongs to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnedCall {
    thread: u32,
    command: CommandId,
    by_capture: bool,
    args: Vec<u64>,
    inputs: Memory,
    /// The result, and memory that was written; `None` if the call never returned.
    outcome: Option<(u64, Memory)>,
}

/// Numbers at which programs go wrong.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    3,
    4,
    16,
    255,
    256,
    4096,
    65535,
    65536,
    1 << 20,
    1 << 24,
    1 << 30,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    1 << 32,
    1 << 40,
    1 << 47,
    0x7F00_0000_1000,
    1 << 62,
    u64::MAX >> 1,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Payloads above this are not read: mutants should be small.
const LONGEST: u64 = 1 << 20;

/// Returns the first calls of a trace. Calls that this build does not know are left out.
///
/// # Errors
/// When the trace cannot be read.
pub fn calls(reader: &Reader, most: usize) -> Result<Vec<OwnedCall>, ReadError> {
    let payloads = |list: Payloads<'_>| -> Result<Memory, ReadError> {
        let mut owned = Vec::new();
        for payload in list.iter() {
            let is_short = !matches!(payload.data, trace::Data::Blob { size, .. } if size > LONGEST);
            if is_short && let Some(bytes) = reader.bytes(payload.data)? {
                owned.push((payload.param, bytes.to_vec()));
            }
        }
        Ok(owned)
    };
    let mut found = Vec::new();
    let mut calls = reader.calls();
    while found.len() < most {
        let Some(call) = calls.next()? else { break };
        let Some(command) = call.command else { continue };
        found.push(OwnedCall {
            thread: call.thread,
            command,
            by_capture: call.by_capture,
            args: call.args.to_vec(),
            inputs: payloads(call.inputs)?,
            outcome: match call.outcome {
                Some(outcome) => Some((outcome.result, payloads(outcome.outputs)?)),
                None => None,
            },
        });
    }
    Ok(found)
}

/// Returns a trace of calls as bytes. Calls that cannot be written are left out.
///
/// # Panics
/// When memory cannot be written to, which does not happen.
#[must_use]
pub fn write(calls: &[OwnedCall]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), api::COMMANDS, &Origin::here()).expect("memory can be written to");
    for call in calls {
        let entered = writer.enter(call.thread, call.command, call.by_capture, &call.args, &contents(&call.inputs));
        if let (Ok(number), Some((result, outputs))) = (entered, &call.outcome) {
            // Outputs that cannot be written leave a call that never returned.
            let _ = writer.leave(call.thread, *result, &contents(outputs), number + 1);
        }
    }
    writer.finish().expect("memory can be written to").1
}

fn contents(list: &[(u8, Vec<u8>)]) -> Vec<Content<'_>> {
    list.iter().map(|(param, bytes)| Content { param: *param, bytes, digest_only: false }).collect()
}

/// Changes a trace in one to six places. A third of the changes are to arguments.
pub fn mutate(calls: &mut Vec<OwnedCall>, random: &mut Random) {
    for _ in 0..=random.index(6) {
        if calls.is_empty() {
            return;
        }
        let at = random.index(calls.len());
        match random.index(12) {
            0..=3 => change_argument(calls, at, random),
            4 => change_payload(&mut calls[at].inputs, random),
            5 => {
                if let Some((_, outputs)) = &mut calls[at].outcome {
                    change_payload(outputs, random);
                }
            }
            6 => drop(calls.remove(at)),
            7 => {
                let copy = calls[random.index(calls.len())].clone();
                calls.insert(at, copy);
            }
            8 => {
                let other = random.index(calls.len());
                calls.swap(at, other);
            }
            9 => {
                let made = any_call(random, calls[at].thread);
                calls.insert(at, made);
            }
            10 => match &mut calls[at].outcome {
                Some((result, _)) if random.one_in(2) => *result = number(random, *result),
                outcome => *outcome = None,
            },
            _ => match random.index(3) {
                0 => calls[at].thread = random.pick(&[0, 1, 2, 63, 64]),
                1 => calls[at].inputs.clear(),
                _ => replace_command(&mut calls[at], random),
            },
        }
    }
}

fn number(random: &mut Random, old: u64) -> u64 {
    match random.index(6) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => old ^ 1 << random.index(64),
        3 => old.wrapping_mul(2),
        _ => random.pick(NUMBERS),
    }
}

fn change_argument(calls: &mut [OwnedCall], at: usize, random: &mut Random) {
    // An argument of another call is likely to be a name or an enum of the right kind.
    let other = &calls[random.index(calls.len())].args;
    let borrowed = if other.is_empty() { 0 } else { other[random.index(other.len())] };
    let args = &mut calls[at].args;
    if args.is_empty() {
        return;
    }
    let which = random.index(args.len());
    args[which] = if random.one_in(4) { borrowed } else { number(random, args[which]) };
}

fn change_payload(payloads: &mut Memory, random: &mut Random) {
    if payloads.is_empty() {
        payloads.push((random.index(8) as u8, vec![random.number() as u8; random.index(64)]));
        return;
    }
    let which = random.index(payloads.len());
    let (param, bytes) = &mut payloads[which];
    match random.index(7) {
        0 => bytes.truncate(random.index(bytes.len() + 1)),
        1 => bytes.resize(bytes.len() + random.index(4096), 0xA5),
        2 => *param = random.pick(&[0, 1, 2, 3, 5, 8, 254, 255]),
        3 => drop(payloads.remove(which)),
        4 if bytes.len() >= 4 => {
            let at = random.index(bytes.len() - 3);
            let word = random.pick(NUMBERS) as u32;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        _ if !bytes.is_empty() => {
            let at = random.index(bytes.len());
            bytes[at] ^= 1 << random.index(8);
        }
        _ => {}
    }
}

/// Returns a call of any command of GL, with arguments that a program would hardly give.
fn any_call(random: &mut Random, thread: u32) -> OwnedCall {
    let command = loop {
        let command = CommandId(random.index(api::COMMANDS.len()) as u16);
        if api::command(command).library != Library::Egl && api::command(command).library != Library::Glx {
            break command;
        }
    };
    let described = api::command(command);
    let args = described.params.iter().map(|_| random.pick(NUMBERS)).collect();
    let payload = |param: usize, random: &mut Random| {
        let length = random.index(256);
        (param as u8, vec![random.number() as u8; length])
    };
    let pointers: Vec<usize> =
        (0..described.params.len()).filter(|at| described.params[*at].memory.is_some()).collect();
    let inputs = pointers.iter().filter(|at| **at < 256).map(|at| payload(*at, random)).collect();
    let outcome = Some((random.pick(NUMBERS), Vec::new()));
    OwnedCall { thread, command, by_capture: false, args, inputs, outcome }
}

/// Makes a call one of another command with as many parameters.
fn replace_command(call: &mut OwnedCall, random: &mut Random) {
    let count = call.args.len();
    let start = random.index(api::COMMANDS.len());
    let order = (start..api::COMMANDS.len()).chain(0..start);
    let fits = |at: &usize| api::COMMANDS[*at].params.len() == count && api::COMMANDS[*at].library == Library::Gl;
    if let Some(at) = order.into_iter().find(fits) {
        call.command = CommandId(at as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::TraceBuilder;

    fn subject() -> Vec<OwnedCall> {
        let mut trace = TraceBuilder::new(8);
        for _ in 0..50 {
            trace.call("glDrawArrays", &[4, 0, 3]);
            trace.reading("glUniform4fv", &[0, 1, 0x7F00_0000_1000], &[(2, &[7; 16])]);
        }
        let reader = Reader::new(Box::new(trace.bytes()), api::COMMANDS).expect("a trace");
        calls(&reader, 1000).expect("calls")
    }

    #[test]
    fn an_unchanged_trace_is_written_as_it_was_read() {
        let subject = subject();
        assert!(subject.len() > 100);
        let reader = Reader::new(Box::new(write(&subject)), api::COMMANDS).expect("a trace");
        assert_eq!(calls(&reader, 1000).expect("calls"), subject);
    }

    #[test]
    fn mutants_can_be_read_and_differ() {
        let subject = subject();
        let mut changed = 0;
        for seed in 0..200 {
            let mut mutant = subject.clone();
            mutate(&mut mutant, &mut Random::new(seed));
            let reader = Reader::new(Box::new(write(&mutant)), api::COMMANDS).expect("a trace");
            changed += usize::from(calls(&reader, 1000).expect("calls") != subject);
        }
        assert!(changed > 180, "{changed} of 200");
    }
}
