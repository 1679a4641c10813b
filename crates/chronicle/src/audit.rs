//! A trace checked from beginning to end: what GL refuses, what it is asked and what it said, against the model.

use std::collections::BTreeMap;

use api::{CommandId, Library, Role, constant as c, id};
use state::{Answer, CallObserver, Fault, Model, Values};
use trace::Reader;

use crate::ChronicleError;
use crate::call::{each_call, with_call};

/// Findings of a kind that are kept. A program that makes an error in every call for an hour has more; the first tell as
/// much as all of them.
const KEPT: usize = 1 << 18;

/// Findings, the first of them as a list.
#[derive(Clone, Debug)]
pub struct Found<T> {
    /// The first findings.
    pub first: Vec<T>,
    /// How many more there are.
    pub more: u64,
}

impl<T> Default for Found<T> {
    fn default() -> Found<T> {
        Found { first: Vec::new(), more: 0 }
    }
}

impl<T> Found<T> {
    fn push(&mut self, found: T) {
        if self.first.len() < KEPT {
            self.first.push(found);
        } else {
            self.more += 1;
        }
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.first.len() as u64 + self.more
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Calls that GL refuses, by the model: the number of the call, the command, and why.
    pub refused: Found<(u64, CommandId, Fault)>,
    /// How often the program asked for its error, and was told what.
    pub errors: Errors,
    /// Commands that the model does not know: how often, and where first.
    pub unmodelled: BTreeMap<CommandId, (u64, u64)>,
    /// How often the program asked for something else that the model knows.
    pub asked: u64,
    /// How often it was told something else than the model says.
    pub contradicted: Found<Contradiction>,
}

/// What `glGetError` said in the recording, against the model.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// No error, in both.
    pub none: u64,
    /// The same error in both.
    pub same: u64,
    /// An error in the recording that the model did not expect, or another one.
    pub missed: Found<ErrorDifference>,
    /// An error by the model that the recording did not have.
    pub invented: Found<ErrorDifference>,
}

/// An error that one had and the other had not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorDifference {
    /// The call of `glGetError`.
    pub command: u64,
    /// What the model expected.
    pub expected: u32,
    /// What the program was told.
    pub recorded: u32,
    /// The call that is to blame by the model, and why.
    pub blamed: Option<(u64, Fault)>,
    /// The call of the same context before that; when the model blames none, this one may have been refused.
    pub before: Option<(u64, CommandId)>,
}

/// A query whose recorded answer is not the model's.
#[derive(Clone, PartialEq, Debug)]
pub struct Contradiction {
    /// The call.
    pub command: u64,
    /// What was asked.
    pub query: CommandId,
    /// What the model says.
    pub model: Answer,
}

/// Goes through a whole trace. `progress` is told the number of a call now and then.
///
/// # Errors
/// When the trace cannot be read.
pub fn audit(reader: &Reader, progress: &mut dyn FnMut(u64)) -> Result<Audit, ChronicleError> {
    let mut audit = Audit::default();
    let mut model = Model::default();
    // The call that each context's pending error is blamed on.
    let mut blamed: BTreeMap<u32, (u64, Fault)> = BTreeMap::new();
    let mut before: BTreeMap<u32, (u64, CommandId)> = BTreeMap::new();
    each_call(&mut reader.calls(), reader.len(), |call| {
        if call.number % 10_000 == 0 {
            progress(call.number);
        }
        with_call(reader, call, |call| {
            let context = model.seat(call.thread).context;
            if call.command == id::glGetError && !call.by_capture {
                audit.error(&model, call, blamed.remove(&context), before.get(&context).copied());
            } else if api::command(call.command).role == Role::Query && !call.by_capture {
                audit.query(&model, call);
            }
            if api::command(call.command).library == Library::Gl && call.command != id::glGetError {
                before.insert(context, (call.number, call.command));
            }
            let mut noted = Noted::default();
            model.apply(call, Some(&mut noted));
            if let Some(fault) = noted.refused {
                audit.refused.push((call.number, call.command, fault));
                blamed.entry(context).or_insert((call.number, fault));
            }
            if noted.unmodelled {
                audit.unmodelled.entry(call.command).or_insert((0, call.number)).0 += 1;
            }
        });
        ChronicleError::check(&model)
    })?;
    Ok(audit)
}

impl Audit {
    fn error(
        &mut self,
        model: &Model,
        call: &state::Call<'_>,
        blamed: Option<(u64, Fault)>,
        before: Option<(u64, CommandId)>,
    ) {
        let Some(view) = model.view(call.thread) else { return };
        let Some(recorded) = call.result.map(|result| result as u32) else { return };
        let expected = view.context.error.map_or(c::GL_NO_ERROR, |fault| fault.error);
        let difference = ErrorDifference { command: call.number, expected, recorded, blamed, before };
        match (expected, recorded) {
            (c::GL_NO_ERROR, c::GL_NO_ERROR) => self.errors.none += 1,
            _ if expected == recorded => self.errors.same += 1,
            (_, c::GL_NO_ERROR) => self.errors.invented.push(difference),
            _ => self.errors.missed.push(difference),
        }
    }

    fn query(&mut self, model: &Model, call: &state::Call<'_>) {
        let Some(view) = model.view(call.thread) else { return };
        let Some(result) = call.result else { return };
        let params = api::command(call.command).params;
        let mut written = Vec::new();
        for (param, about) in (0u8..).zip(params) {
            if about.memory.is_some_and(|memory| memory.access != api::Access::Read) {
                // What is not recorded cannot be compared: the query was refused, or its answer is too long.
                let Some(bytes) = call.memory.output_bytes(param) else { return };
                written.push((param, bytes));
            }
        }
        let Some(answer) = view.answer_with(call.command, call.args, call.memory) else { return };
        // A refused query wrote nothing, whatever was recorded; that it was refused, `glGetError` tells.
        let Ok(answer) = answer else { return };
        if let Values::Unknown(_) = answer.values {
            return;
        }
        self.asked += 1;
        let outputs: Vec<(u8, &[u8])> = written.iter().map(|(param, bytes)| (*param, &**bytes)).collect();
        if !answer.agrees(call.command, result, &outputs, &mut |_, name| name) {
            self.contradicted.push(Contradiction { command: call.number, query: call.command, model: answer });
        }
    }
}

/// What the model says of one call.
#[derive(Default)]
struct Noted {
    refused: Option<Fault>,
    unmodelled: bool,
}

impl CallObserver for Noted {
    fn refused(&mut self, fault: Fault) {
        self.refused = Some(fault);
    }

    fn unmodelled(&mut self) {
        self.unmodelled = true;
    }
}
