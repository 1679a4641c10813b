//! Where a session stands.

use std::ffi::c_char;

use afterimage::{Reason, Step, Stop};

use crate::memory::{Kept, given, taken_back};

/// A way to go on.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageStep {
    /// To the next statement of this function, or of the one that called it.
    Over,
    /// To the next statement, into calls.
    Into,
    /// To the statement after the call of this function.
    Out,
    /// To the statement before this one in this function.
    BackOver,
    /// To the statement before this one, into calls.
    BackInto,
    /// To the call of this function.
    BackOut,
    /// To the next breakpoint, or to the end.
    Continue,
    /// To the last breakpoint before, or to the start.
    ReverseContinue,
    /// To the first statement.
    ToStart,
    /// To the end.
    ToEnd,
}

impl AfterimageStep {
    /// Returns the step of a number. C may pass any.
    pub(crate) fn of(number: u32) -> Option<Step> {
        use AfterimageStep as Own;
        const ALL: [(Own, Step); 10] = [
            (Own::Over, Step::Over),
            (Own::Into, Step::Into),
            (Own::Out, Step::Out),
            (Own::BackOver, Step::BackOver),
            (Own::BackInto, Step::BackInto),
            (Own::BackOut, Step::BackOut),
            (Own::Continue, Step::Continue),
            (Own::ReverseContinue, Step::ReverseContinue),
            (Own::ToStart, Step::ToStart),
            (Own::ToEnd, Step::ToEnd),
        ];
        ALL.into_iter().find(|(own, _)| *own as u32 == number).map(|(_, step)| step)
    }
}

/// Why a session stands where it does.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageReason {
    /// The invocation was just entered.
    Entry,
    /// A step ended.
    Step,
    /// There is nothing before.
    Start,
    /// The invocation is over.
    End,
    /// At a breakpoint.
    Breakpoint,
    /// A watched variable was written.
    Data,
    /// The statement does something undefined.
    Exception,
    /// A pass was entered through a texture read, or left.
    Pass,
    /// The user interrupted.
    Interrupted,
}

/// Where a session stands. The statement there has not run.
#[repr(C)]
pub struct AfterimageStop {
    /// Why.
    pub reason: AfterimageReason,
    /// More about the reason: of an exception, or a write; else `NULL`.
    pub detail: *const c_char,
    /// The invocation, such as `fragment 320,200 of glDrawArrays (command 1200)`.
    pub invocation: *const c_char,
    /// Its stage, such as `fragment`.
    pub stage: *const c_char,
    /// The command of its draw or dispatch.
    pub command: u64,
    /// The innermost function.
    pub function: *const c_char,
    /// The source text, to ask for it and to set breakpoints in it.
    pub source: *const c_char,
    /// The line of the statement, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The statement, on one line.
    pub text: *const c_char,
    /// How many stops of the invocation and its neighbours lie behind.
    pub time: u64,
    /// Whether the invocation is over.
    pub ended: bool,
    /// Whether it was thrown away.
    pub discarded: bool,
    /// How many calls are open.
    pub depth: usize,
    /// How many passes lie between this invocation and the one that was entered first.
    pub pass: usize,
}

/// Gives a stop back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_stop_free(stop: *mut AfterimageStop) {
    taken_back(stop);
}

pub(crate) fn given_stop(stop: &Stop) -> *mut AfterimageStop {
    let mut kept = Kept::default();
    let (reason, detail) = match &stop.reason {
        Reason::Entry => (AfterimageReason::Entry, None),
        Reason::Step => (AfterimageReason::Step, None),
        Reason::Start => (AfterimageReason::Start, None),
        Reason::End => (AfterimageReason::End, None),
        Reason::Breakpoint { .. } => (AfterimageReason::Breakpoint, None),
        Reason::Data { .. } => (AfterimageReason::Data, stop.reason.change()),
        Reason::Exception { message, .. } => (AfterimageReason::Exception, Some(message.clone())),
        Reason::Pass => (AfterimageReason::Pass, None),
        Reason::Interrupted => (AfterimageReason::Interrupted, None),
    };
    let own = AfterimageStop {
        reason,
        detail: kept.optional(detail.as_deref()),
        invocation: kept.text(&stop.invocation.name),
        stage: kept.text(&stop.invocation.stage),
        command: stop.invocation.command,
        function: kept.text(&stop.function),
        source: kept.text(&stop.location.source),
        line: stop.location.line,
        column: stop.location.column,
        text: kept.text(&stop.location.text),
        time: stop.time,
        ended: stop.ended,
        discarded: stop.discarded,
        depth: stop.depth,
        pass: stop.pass,
    };
    given(own, kept)
}
