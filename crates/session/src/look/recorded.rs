//! The device's recording of an invocation, which may take it several questions.

use std::sync::Arc;

use inquiry::{InquiryError, Measured};
use instrument::inspect::{Limits, Unfinished};
use instrument::{Detail, Question};
use shader::version::Stage;

use crate::error::SessionError;
use crate::open::{LIMITS, Session};
use crate::tape::Tape;

/// How an invocation is asked for.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// By these numbers.
    Pick([i32; 4]),
    /// By drawing its primitive alone.
    Primitive,
}

/// A recording that is there in part.
#[derive(Clone)]
pub(crate) struct Begun {
    pub(super) way: Way,
    pub(super) rest: Unfinished,
}

/// The state of the device's recording.
pub(crate) enum TapeState {
    /// It was not asked for yet.
    Unasked,
    /// Its beginning is there.
    Growing(Box<Tape>, Box<Begun>),
    /// There is one.
    There(Box<Tape>),
    /// There is none, for this reason.
    None(String),
}

impl TapeState {
    /// What is there of it.
    pub fn tape(&self) -> Option<&Tape> {
        match self {
            TapeState::Growing(tape, _) | TapeState::There(tape) => Some(tape),
            TapeState::Unasked | TapeState::None(_) => None,
        }
    }

    /// Whether more of it may come.
    pub fn is_pending(&self) -> bool {
        matches!(self, TapeState::Unasked | TapeState::Growing(..))
    }
}

impl Session {
    /// Says whether values wait for the device, as they do at first. If not, they are shown as emulated, and called
    /// [pending](crate::Shown::pending), until [`Session::record_ahead`] was called often enough.
    pub fn wait_for_device(&mut self, waits: bool) {
        self.waits = waits;
    }

    /// Has the device make its recordings in parts of about so many words: the first values of smaller parts are there
    /// earlier, and all of them later.
    pub fn record_in_parts_of(&mut self, words: u32) {
        self.inquiry.limit(Limits { part: Some(words), ..LIMITS });
    }

    /// Asks the device for the next part of its recording of the invocation; returns whether more is to come. A client
    /// calls this while it waits for the user.
    ///
    /// # Errors
    /// When no invocation was chosen, or the question was interrupted.
    pub fn record_ahead(&mut self) -> Result<bool, SessionError> {
        self.top()?;
        let number = self.passes.len() - 1;
        self.record_next(number)?;
        Ok(self.passes[number].tape.is_pending())
    }

    /// How many parts of the recording of the invocation are there, of how many; nothing if it is not being made.
    #[must_use]
    pub fn recorded_parts(&self) -> Option<[usize; 2]> {
        match &self.passes.last()?.tape {
            TapeState::Growing(_, begun) => Some(begun.rest.parts()),
            TapeState::Unasked | TapeState::There(_) | TapeState::None(_) => None,
        }
    }

    /// Has the device record an invocation, once, if values wait for that. That it cannot is no reason to show nothing.
    pub(crate) fn record(&mut self, number: usize) {
        while self.waits && self.passes[number].tape.is_pending() {
            if self.record_next(number).is_err() {
                return;
            }
        }
    }

    /// Asks for the next part. An interruption is an error, after which it can be asked again.
    fn record_next(&mut self, number: usize) -> Result<(), InquiryError> {
        let pass = &self.passes[number];
        let begun = match &pass.tape {
            TapeState::Unasked => None,
            TapeState::Growing(_, begun) => Some((**begun).clone()),
            TapeState::There(_) | TapeState::None(_) => return Ok(()),
        };
        let (bench, pick, alone) = (Arc::clone(&pass.bench), pass.pick, pass.invocation.others == 0);
        let (work, stage) = (&bench.work, bench.stage);
        let question = Question::Recording { detail: Detail::Statements };
        let answer = self.ask_some((work, stage), &question, (pick, alone), &bench.changes, (begun, 1));
        self.passes[number].tape = match answer {
            Ok(answer) => taped(&bench, answer),
            Err(error) if error.is_interruption() => return Err(error),
            Err(error) => TapeState::None(error.to_string()),
        };
        Ok(())
    }
}

/// What an answer is as a recording.
fn taped(bench: &crate::bench::Bench, (measured, rest): (Measured, Option<Begun>)) -> TapeState {
    // Should several answer to one number, nothing says which of them is meant; of fragments at a pixel the last is the one
    // that stays.
    if bench.stage != Stage::Fragment && measured.result.readings.len() > 1 {
        let text = "several invocations of this draw have the same number, and recordings do not tell them apart";
        return TapeState::None(text.to_owned());
    }
    match (measured.result.readings.last(), rest) {
        (Some((_, reading)), Some(rest)) => {
            TapeState::Growing(Box::new(Tape::new(bench.shader(), reading, false)), Box::new(rest))
        }
        (Some((_, reading)), None) => TapeState::There(Box::new(Tape::new(bench.shader(), reading, true))),
        (None, _) => TapeState::None("the device runs no such invocation".to_owned()),
    }
}
