//! Histories, and walking through an invocation.

mod stop;
mod variables;

use std::ffi::c_char;

use afterimage::{Choice, HistoryRequest, LineBreak, Stop};

use crate::error::{Failure, answer};
use crate::memory::{given_text, optional_text, passed, passed_text};
use crate::session::AfterimageSession;

pub use stop::*;
pub use variables::*;

/// A breakpoint at a line.
#[repr(C)]
pub struct AfterimageBreakpoint {
    /// The line, from 1.
    pub line: u32,
    /// An expression of the shading language that has to be true there, or `NULL`.
    pub condition: *const c_char,
    /// Which times to stop, such as `5` or `% 5`, or `NULL` for all.
    pub hit_count: *const c_char,
}

/// Returns what a pixel was made of, as JSON (the document of `afterimage history --json`). `frame` is -1 for the last.
/// Pixels are counted from the lower left. It goes `depth` passes back, or all if that is -1. Give it back to
/// `afterimage_string_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_history(
    session: *const AfterimageSession,
    frame: i64,
    x: u32,
    y: u32,
    depth: i32,
) -> *mut c_char {
    answer(std::ptr::null_mut(), || {
        let depth = u32::try_from(depth).ok();
        let request = HistoryRequest { rows: true, depth, ..HistoryRequest::of(&pixel(frame, x, y))? };
        let history = passed(session, "the session")?.lock().history(&request)?;
        Ok(given_text(&serde_json::to_string(&history)?))
    })
}

/// Enters the invocation that wrote a pixel last before a frame was shown. `frame` is -1 for the last. Pixels are counted
/// from the lower left. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_enter_pixel(
    session: *const AfterimageSession,
    frame: i64,
    x: u32,
    y: u32,
) -> *mut AfterimageStop {
    enter(session, &pixel(frame, x, y))
}

/// Enters the fragment that a draw leaves at a pixel. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_enter_fragment(
    session: *const AfterimageSession,
    command: u64,
    x: u32,
    y: u32,
) -> *mut AfterimageStop {
    enter(session, &Choice::fragment(command, x, y))
}

/// Enters a vertex of a draw, of any instance if `instance` is -1. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_enter_vertex(
    session: *const AfterimageSession,
    command: u64,
    vertex: u32,
    instance: i64,
) -> *mut AfterimageStop {
    enter(session, &Choice::Vertex { command, vertex, instance: u32::try_from(instance).ok() })
}

/// Enters a thread of a dispatch, by its global number. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_enter_thread(
    session: *const AfterimageSession,
    command: u64,
    x: u32,
    y: u32,
    z: u32,
) -> *mut AfterimageStop {
    enter(session, &Choice::thread(command, [x, y, z]))
}

/// Goes on: `step` is an `AfterimageStep`. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_step(session: *const AfterimageSession, step: u32) -> *mut AfterimageStop {
    stopped(session, |session| {
        let step = AfterimageStep::of(step).ok_or_else(|| format!("{step} is no AfterimageStep"))?;
        Ok(session.lock().step(step)?)
    })
}

/// Enters the invocation that wrote a texel which the current statement reads: `read` is the number of the texture
/// look-up and `texel` of the texel among those it reads, from 0; texels with the largest share come first. Give the stop
/// back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_step_into_read(
    session: *const AfterimageSession,
    read: usize,
    texel: usize,
) -> *mut AfterimageStop {
    stopped(session, |session| Ok(session.lock().step_into_read(read, texel)?))
}

/// Sets the breakpoints of a source text (`AfterimageStop::source`), in place of those it had.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_set_breakpoints(
    session: *const AfterimageSession,
    source: *const c_char,
    breakpoints: *const AfterimageBreakpoint,
    count: usize,
) -> bool {
    answer(false, || {
        let session = passed(session, "the session")?;
        let source = passed_text(source, "the source")?;
        let given: &[AfterimageBreakpoint] = match (breakpoints.is_null(), count) {
            (_, 0) => &[],
            (true, _) => return Err("the list of breakpoints is NULL".into()),
            // SAFETY: by the contract of the interface, a list that is not NULL has as many elements as are said.
            (false, _) => unsafe { std::slice::from_raw_parts(breakpoints, count) },
        };
        let lines = given.iter().map(|one| -> Result<LineBreak, Failure> {
            let condition = optional_text(one.condition, "the condition")?.map(str::to_owned);
            let hit_count = optional_text(one.hit_count, "the hit count")?.map(str::to_owned);
            Ok(LineBreak { line: one.line, condition, hit_count, log: None })
        });
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        let wrong = session.lock().set_breakpoints(source, &lines).into_iter().find(|status| !status.verified);
        match wrong.map(|status| (status.line, status.message)) {
            None => Ok(true),
            Some((line, message)) => {
                let line = line.map_or(String::new(), |line| format!(" at line {line}"));
                let why = message.map_or(String::new(), |message| format!(": {message}"));
                Err(format!("nothing can stop at the breakpoint{line}{why}").into())
            }
        }
    })
}

fn pixel(frame: i64, x: u32, y: u32) -> Choice {
    Choice::Pixel { frame: usize::try_from(frame).ok(), x, y }
}

fn enter(session: *const AfterimageSession, choice: &Choice) -> *mut AfterimageStop {
    stopped(session, |session| Ok(session.lock().enter(choice)?))
}

fn stopped(
    session: *const AfterimageSession,
    go: impl FnOnce(&AfterimageSession) -> Result<Stop, Failure>,
) -> *mut AfterimageStop {
    answer(std::ptr::null_mut(), || Ok(stop::given_stop(&go(passed(session, "the session")?)?)))
}
