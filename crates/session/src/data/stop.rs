//! Going on, and stopping.

use serde::{Deserialize, Serialize};

use super::place::{Invocation, Location};

/// A way to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// To the next statement of this function, or of the one that called it.
    Over,
    /// To the next statement, into calls.
    Into,
    /// To the statement after the call of this function; out of `main` into the pass that was come from, else to the end.
    Out,
    /// To the statement before this one in this function; from the first to the call.
    BackOver,
    /// To the statement before this one, into calls.
    BackInto,
    /// To the call of this function; out of `main` into the pass that was come from, else to the start.
    BackOut,
    /// To the next breakpoint; else to the end.
    Continue,
    /// To the last breakpoint before; else to the start.
    ReverseContinue,
    /// To the first statement.
    ToStart,
    /// To the end.
    ToEnd,
}

impl Step {
    /// Whether it leads towards the start.
    #[must_use]
    pub fn is_back(self) -> bool {
        matches!(self, Step::BackOver | Step::BackInto | Step::BackOut | Step::ReverseContinue | Step::ToStart)
    }
}

/// Why a session stands where it does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The invocation was just entered.
    Entry,
    /// A step ended.
    Step,
    /// At the first statement: there is nothing before.
    Start,
    /// The invocation is over: there is nothing after.
    End,
    /// At breakpoints.
    Breakpoint {
        /// Which: [`crate::BreakStatus::id`].
        ids: Vec<u64>,
    },
    /// A variable was written, by the statement that ran last; also at the end of the invocation. On the way back it is the
    /// statement that is about to run that writes it.
    Data {
        /// Which breakpoint.
        id: u64,
        /// The variable.
        path: String,
        /// What it holds before the statement.
        old: String,
        /// What it holds after the statement.
        new: String,
        /// The statement is about to run, so that the variable holds the old value.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ahead: bool,
    },
    /// The statement that is about to run does something undefined.
    Exception {
        /// [`crate::ExceptionKind::code`].
        kind: String,
        /// One sentence with the operands in it.
        message: String,
    },
    /// A pass was entered through a texture read, or left.
    Pass,
    /// On the way, because the user interrupted ([`crate::Control::interrupt`]).
    Interrupted,
}

impl Reason {
    /// What became of the variable that a data breakpoint watches, or will, as a sentence that is true where the session stands;
    /// nothing at other stops.
    #[must_use]
    pub fn change(&self) -> Option<String> {
        match self {
            Reason::Data { path, old, new, ahead: false, .. } => Some(format!("{path} was {old} and is {new}")),
            Reason::Data { path, old, new, ahead: true, .. } => {
                Some(format!("{path} is {old}, and the next statement makes it {new}"))
            }
            _ => None,
        }
    }
}

/// Where a session stands. The statement at `location` has not run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// Who is walked through.
    pub invocation: Invocation,
    /// The innermost function.
    pub function: String,
    /// The statement that is about to run; at the end the one that ran last.
    pub location: Location,
    /// The way there, as text: `s12:call@7/loop@9#3`.
    pub moment: String,
    /// How many stops of the invocation and its neighbours lie behind.
    pub time: u64,
    /// The invocation is over.
    pub ended: bool,
    /// It was thrown away.
    pub discarded: bool,
    /// How many calls are open, in this invocation.
    pub depth: usize,
    /// How many passes lie between this invocation and the one that was chosen.
    pub pass: usize,
    /// What log messages of breakpoints on the way here said.
    pub log: Vec<LogLine>,
    /// A value was set, so that what follows is not what was recorded.
    pub diverted: bool,
}

/// What a breakpoint's log message said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// The breakpoint.
    pub id: u64,
    /// The text, with values in it.
    pub text: String,
    /// The line it is at.
    pub line: u32,
}
