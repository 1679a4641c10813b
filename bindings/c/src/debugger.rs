//! Histories, and walking through an invocation.

mod stop;
mod variables;

use std::ffi::c_char;

use afterimage::{
    BreakpointSearch, Choice, DataBreak, DrawSelection, HistoryRequest, LineBreak, NanRequest, Nonfinite, Stop,
};

use crate::error::{Failure, answer};
use crate::memory::{given_text, optional_text, passed, passed_list, passed_text};
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

/// Finds the first NaN of a frame that reaches an image, and what it spread to, as JSON (the document of
/// `afterimage history --nan --json`). `frame` is -1 for the last. With `infinite`, infinities count too. Give it back to
/// `afterimage_string_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_find_nan(session: *const AfterimageSession, frame: i64, infinite: bool) -> *mut c_char {
    answer(std::ptr::null_mut(), || {
        let numbers = if infinite { Nonfinite::NanOrInfinite } else { Nonfinite::Nan };
        let request = NanRequest { frame: usize::try_from(frame).ok(), numbers, maps: None };
        let found = passed(session, "the session")?.lock().find_nan(&request)?;
        Ok(given_text(&serde_json::to_string(&found)?))
    })
}

/// Finds the invocations that reach a line of a source text with a condition true, on the device, and returns them as
/// JSON; `afterimage_enter` takes the `choice` of each. The condition may be `NULL`. `frame` is -1 for the whole trace. Give
/// it back to `afterimage_string_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_search_breakpoint(
    session: *const AfterimageSession,
    source: *const c_char,
    line: u32,
    condition: *const c_char,
    frame: i64,
) -> *mut c_char {
    answer(std::ptr::null_mut(), || {
        let draws = usize::try_from(frame).map_or(DrawSelection::All, DrawSelection::Frame);
        let source = passed_text(source, "the source")?.to_owned();
        let condition = optional_text(condition, "the condition")?.map(str::to_owned);
        let search = BreakpointSearch { condition, ..BreakpointSearch::new(source, line, draws) };
        let found = passed(session, "the session")?.lock().search_breakpoint(&search)?;
        Ok(given_text(&serde_json::to_string(&found)?))
    })
}

/// Enters any invocation, by its `choice` as JSON. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_enter(session: *const AfterimageSession, choice: *const c_char) -> *mut AfterimageStop {
    stopped(session, |session| {
        let choice: Choice = serde_json::from_str(passed_text(choice, "the choice")?)
            .map_err(|error| format!("this is no invocation: {error}"))?;
        Ok(session.lock().enter(&choice)?)
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
        let given = passed_list(breakpoints, count, "the list of breakpoints")?;
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

/// Gives a uniform another value: the numbers of the value, matrices by columns. What follows is not what was recorded.
/// Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_set_uniform(
    session: *const AfterimageSession,
    name: *const c_char,
    numbers: *const f64,
    count: usize,
) -> *mut AfterimageStop {
    stopped(session, |session| {
        let (name, numbers) = (passed_text(name, "the name")?, passed_list(numbers, count, "the list of numbers")?);
        Ok(session.lock().set_uniform(name, numbers)?)
    })
}

/// Takes back what `afterimage_set_uniform` changed. Give the stop back to `afterimage_stop_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_undo_changes(session: *const AfterimageSession) -> *mut AfterimageStop {
    stopped(session, |session| Ok(session.lock().undo_changes()?))
}

/// Stops where a variable, or a part of one, is given another value, in place of the one watched before; `NULL` for none.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_watch(session: *const AfterimageSession, path: *const c_char) -> bool {
    answer(false, || {
        let path = optional_text(path, "the path")?.map(str::to_owned);
        let breaks: Vec<DataBreak> = path.into_iter().map(|path| DataBreak { path, condition: None }).collect();
        let statuses = passed(session, "the session")?.lock().set_data_breakpoints(&breaks);
        match statuses.into_iter().zip(&breaks).find(|(status, _)| !status.verified) {
            None => Ok(true),
            Some((status, asked)) => {
                let why = status.message.map_or(String::new(), |message| format!(": {message}"));
                Err(format!("{} cannot be watched{why}", asked.path).into())
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
