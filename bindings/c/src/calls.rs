//! Calls and state.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use afterimage::{Argument, ArgumentValue, Call, Calls};

use crate::error::answer;
use crate::memory::{Kept, given, given_text, passed, passed_text, taken_back};
use crate::session::AfterimageSession;

/// What sort of value an argument is.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageKind {
    /// There is no value.
    None,
    /// `integer` is 0 or 1.
    Boolean,
    /// `integer`.
    Integer,
    /// `number`.
    Float,
    /// One of GL's names: `integer`, and `text` has the name if there is one.
    Enum,
    /// A set of GL's names: `integer` has the bits, and `text` the names with ` | ` between them.
    Bits,
    /// The name of an object: `integer`, and `text` says what it is, such as `texture`.
    Object,
    /// An address in the recorded program: `integer`.
    Pointer,
    /// `text`.
    Text,
}

/// A value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AfterimageValue {
    /// What it is.
    pub kind: AfterimageKind,
    /// Its number, if it is an integer; numbers of 64 bits without a sign have the same bits.
    pub integer: i64,
    /// Its number as a float.
    pub number: f64,
    /// Its text, or `NULL`.
    pub text: *const c_char,
}

/// An argument of a call.
#[repr(C)]
pub struct AfterimageArgument {
    /// The parameter's name.
    pub name: *const c_char,
    /// What was passed.
    pub value: AfterimageValue,
    /// How many elements are known of the memory that it points to: texts, and what the call has in it.
    pub element_count: usize,
    /// These elements.
    pub elements: *const AfterimageValue,
    /// How many bytes it points to.
    pub memory_size: u64,
}

/// A call of the recorded program.
#[repr(C)]
pub struct AfterimageCall {
    /// Its number in the trace.
    pub command: u64,
    /// Its frame, from 0; -1 after the last frame.
    pub frame: i64,
    /// The thread that called, from 0.
    pub thread: u32,
    /// Whether it returned to the program.
    pub returned: bool,
    /// The function.
    pub name: *const c_char,
    /// The call as one line.
    pub text: *const c_char,
    /// How many arguments it has.
    pub argument_count: usize,
    /// Its arguments, in order.
    pub arguments: *const AfterimageArgument,
    /// What it returned.
    pub result: AfterimageValue,
}

/// Calls, one after the other.
pub struct AfterimageCalls(Mutex<Calls>);

/// Returns how many commands a trace has; 0 on failure too.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_command_count(session: *const AfterimageSession) -> u64 {
    answer(0, || Ok(passed(session, "the session")?.trace.len()))
}

/// Returns how many frames a trace has; 0 on failure too.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_frame_count(session: *const AfterimageSession) -> u64 {
    answer(0, || Ok(passed(session, "the session")?.trace.frames().len() as u64))
}

/// Stores the command after which the picture of a frame is complete.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_frame_shown(session: *const AfterimageSession, frame: u64, command: *mut u64) -> bool {
    answer(false, || {
        let session = passed(session, "the session")?;
        let index = usize::try_from(frame)?;
        session.trace.frame(index)?;
        let shown = session.lock().frame_shown(index).ok_or("nothing is shown in this frame")?;
        if command.is_null() {
            return Err("the place for the command is NULL".into());
        }
        // SAFETY: by the contract of the interface, a pointer that is not NULL has room for what it points to.
        unsafe { command.write(shown) };
        Ok(true)
    })
}

/// Returns the calls of the commands from `first` up to but not `end`. Give them back to `afterimage_calls_free`. They may
/// outlive the session.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_calls(session: *const AfterimageSession, first: u64, end: u64) -> *mut AfterimageCalls {
    answer(std::ptr::null_mut(), || {
        let calls = passed(session, "the session")?.trace.calls(first..end);
        Ok(given(AfterimageCalls(Mutex::new(calls)), Kept::default()))
    })
}

/// Returns the next call; `NULL` after the last, without an error. An error says that calls are lost; the next call of
/// this function goes on behind them. Give the call back to `afterimage_call_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_next_call(calls: *mut AfterimageCalls) -> *mut AfterimageCall {
    answer(std::ptr::null_mut(), || {
        let calls = passed(calls, "the list of calls")?;
        let next = calls.0.lock().unwrap_or_else(PoisonError::into_inner).next().transpose()?;
        Ok(next.map_or(std::ptr::null_mut(), |call| given_call(&call)))
    })
}

/// Gives calls back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_calls_free(calls: *mut AfterimageCalls) {
    taken_back(calls);
}

/// Gives a call back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_call_free(call: *mut AfterimageCall) {
    taken_back(call);
}

/// Returns the GL state after a command as JSON: the part at a path, such as `blend` or `texture/5`, or everything for an
/// empty path. Without `all`, values that GL has initially are left out. Give it back to `afterimage_string_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_state(
    session: *const AfterimageSession,
    command: u64,
    path: *const c_char,
    all: bool,
) -> *mut c_char {
    answer(std::ptr::null_mut(), || {
        let path = passed_text(path, "the path")?;
        let part = passed(session, "the session")?.trace.state(command)?.part(path, all)?;
        Ok(given_text(&serde_json::to_string(&part.tree())?))
    })
}

fn given_call(call: &Call) -> *mut AfterimageCall {
    let mut kept = Kept::default();
    let arguments: Vec<AfterimageArgument> = call.arguments.iter().map(|one| argument(one, &mut kept)).collect();
    let result = call.result.as_ref().map_or(NO_VALUE, |result| value(result, &mut kept));
    let own = AfterimageCall {
        command: call.command,
        frame: call.frame.and_then(|frame| i64::try_from(frame).ok()).unwrap_or(-1),
        thread: call.thread,
        returned: call.returned,
        name: kept.text(&call.name),
        text: kept.text(&call.text),
        argument_count: arguments.len(),
        arguments: kept.list(arguments),
        result,
    };
    given(own, kept)
}

fn argument(argument: &Argument, kept: &mut Kept) -> AfterimageArgument {
    let memory = argument.written.as_ref().or(argument.read.as_ref());
    let elements = memory.map(|memory| memory.values.iter().map(|one| value(one, kept)).collect::<Vec<_>>());
    let elements = elements.unwrap_or_default();
    AfterimageArgument {
        name: kept.text(&argument.name),
        value: value(&argument.value, kept),
        element_count: elements.len(),
        elements: kept.list(elements),
        memory_size: memory.map_or(0, |memory| memory.size),
    }
}

const NO_VALUE: AfterimageValue =
    AfterimageValue { kind: AfterimageKind::None, integer: 0, number: 0.0, text: std::ptr::null() };

fn value(value: &ArgumentValue, kept: &mut Kept) -> AfterimageValue {
    let of = |kind, integer: i64| AfterimageValue { kind, integer, number: integer as f64, ..NO_VALUE };
    match value {
        ArgumentValue::Boolean(truth) => of(AfterimageKind::Boolean, i64::from(*truth)),
        ArgumentValue::Integer(number) => of(AfterimageKind::Integer, *number),
        ArgumentValue::Unsigned(number) => {
            AfterimageValue { number: *number as f64, ..of(AfterimageKind::Integer, number.cast_signed()) }
        }
        ArgumentValue::Float(number) => AfterimageValue { number: *number, ..of(AfterimageKind::Float, 0) },
        ArgumentValue::Enum { name, value } => {
            AfterimageValue { text: kept.optional(name.as_deref()), ..of(AfterimageKind::Enum, *value) }
        }
        ArgumentValue::Bits { names, value } => {
            AfterimageValue { text: kept.text(&names.join(" | ")), ..of(AfterimageKind::Bits, value.cast_signed()) }
        }
        ArgumentValue::Object { kind, name } => {
            AfterimageValue { text: kept.text(kind), ..of(AfterimageKind::Object, name.cast_signed()) }
        }
        ArgumentValue::Pointer(address) => of(AfterimageKind::Pointer, address.cast_signed()),
        ArgumentValue::Text(text) => AfterimageValue { text: kept.text(text), ..of(AfterimageKind::Text, 0) },
    }
}
