//! What variables hold, the stack, and the text.

use std::ffi::c_char;

use afterimage::{Agreement, Scope, Session, Variable};

use crate::error::{Failure, answer};
use crate::memory::{Kept, given, given_text, passed, passed_text, taken_back};
use crate::session::AfterimageSession;

/// A sort of variables.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageScope {
    /// Declared in the function.
    Locals,
    /// What the function was called with.
    Parameters,
    /// Declared outside of functions.
    Globals,
    /// What the stage was given.
    Inputs,
    /// What the stage gives on.
    Outputs,
    /// Uniforms, and members of uniform and storage blocks.
    Uniforms,
    /// What the language declares.
    BuiltIns,
    /// Samplers and images.
    Samplers,
}

impl AfterimageScope {
    /// Returns the scope of a number. C may pass any.
    fn of(number: u32) -> Option<Scope> {
        use AfterimageScope as Own;
        const ALL: [(Own, Scope); 8] = [
            (Own::Locals, Scope::Locals),
            (Own::Parameters, Scope::Parameters),
            (Own::Globals, Scope::Globals),
            (Own::Inputs, Scope::Inputs),
            (Own::Outputs, Scope::Outputs),
            (Own::Uniforms, Scope::Uniforms),
            (Own::BuiltIns, Scope::BuiltIns),
            (Own::Samplers, Scope::Samplers),
        ];
        ALL.into_iter().find(|(own, _)| *own as u32 == number).map(|(_, scope)| scope)
    }
}

/// How the emulator's value and the one that the driver measured compare.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum AfterimageAgreement {
    /// One of them is missing.
    Unknown,
    /// The same bits, or both are no number.
    Equal,
    /// As close as can be asked for.
    Within,
    /// Not the same.
    Divergent,
}

/// A variable, a part of one, or an expression.
#[repr(C)]
pub struct AfterimageVariable {
    /// Its name.
    pub name: *const c_char,
    /// An expression that means it: `lights[2].colour`.
    pub path: *const c_char,
    /// Its type, as its author would write it.
    pub type_name: *const c_char,
    /// What the emulator says, as an expression of the shading language, or `NULL`.
    pub emulated: *const c_char,
    /// What the driver measured, or `NULL`.
    pub measured: *const c_char,
    /// How the two compare.
    pub agreement: AfterimageAgreement,
    /// How far they are apart, in units in the last place of a float.
    pub ulps: u32,
    /// How many numbers the value is made of; 0 if it is not made of one sort of scalar.
    pub number_count: usize,
    /// These numbers.
    pub numbers: *const f64,
    /// How many parts it has; `afterimage_children` returns them.
    pub children: usize,
    /// That it has no value yet, or why it cannot be shown; else `NULL`.
    pub note: *const c_char,
}

/// Variables.
#[repr(C)]
pub struct AfterimageVariables {
    /// How many.
    pub count: usize,
    /// The variables.
    pub variables: *const AfterimageVariable,
}

/// One level of the stack.
#[repr(C)]
pub struct AfterimageFrame {
    /// The function.
    pub function: *const c_char,
    /// The line of the statement about to run, or of the call that was made.
    pub line: u32,
    /// This statement, on one line.
    pub text: *const c_char,
    /// Which invocation it belongs to, from the one that was entered first.
    pub pass: usize,
}

/// The stack.
#[repr(C)]
pub struct AfterimageFrames {
    /// How many levels.
    pub count: usize,
    /// The innermost level first.
    pub frames: *const AfterimageFrame,
}

/// Returns the variables of a sort that a level of the stack can name: `frame` is 0 for the innermost, `scope` an
/// `AfterimageScope`. Give them back to `afterimage_variables_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_variables(
    session: *const AfterimageSession,
    frame: usize,
    scope: u32,
) -> *mut AfterimageVariables {
    listed(session, |session| {
        let scope = AfterimageScope::of(scope).ok_or_else(|| format!("{scope} is no AfterimageScope"))?;
        Ok(session.variables(frame, scope)?)
    })
}

/// Returns the parts of a variable by its path. Give them back to `afterimage_variables_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_children(
    session: *const AfterimageSession,
    frame: usize,
    path: *const c_char,
) -> *mut AfterimageVariables {
    listed(session, |session| Ok(session.children(frame, passed_text(path, "the path")?)?))
}

/// Returns what an expression of the shading language comes to, as the only element of a list. Give it back to
/// `afterimage_variables_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_evaluate(
    session: *const AfterimageSession,
    frame: usize,
    expression: *const c_char,
) -> *mut AfterimageVariables {
    listed(session, |session| Ok(vec![session.evaluate(frame, passed_text(expression, "the expression")?)?]))
}

/// Gives a variable the value of an expression, and returns it as the only element of a list. What follows is not what was
/// recorded. Give it back to `afterimage_variables_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_set_variable(
    session: *const AfterimageSession,
    frame: usize,
    path: *const c_char,
    expression: *const c_char,
) -> *mut AfterimageVariables {
    listed(session, |session| {
        let (path, expression) = (passed_text(path, "the path")?, passed_text(expression, "the expression")?);
        Ok(vec![session.set_variable(frame, path, expression)?])
    })
}

/// Gives variables back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_variables_free(variables: *mut AfterimageVariables) {
    taken_back(variables);
}

/// Returns the stack. Give it back to `afterimage_frames_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_stack(session: *const AfterimageSession) -> *mut AfterimageFrames {
    answer(std::ptr::null_mut(), || {
        let stack = passed(session, "the session")?.lock().stack()?;
        let mut kept = Kept::default();
        let frames = stack.iter().map(|frame| AfterimageFrame {
            function: kept.text(&frame.function),
            line: frame.location.line,
            text: kept.text(&frame.location.text),
            pass: frame.pass,
        });
        let frames: Vec<AfterimageFrame> = frames.collect();
        let all = AfterimageFrames { count: frames.len(), frames: kept.list(frames) };
        Ok(given(all, kept))
    })
}

/// Gives a stack back. `NULL` is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_frames_free(frames: *mut AfterimageFrames) {
    taken_back(frames);
}

/// Returns the text of the shader that an invocation runs: `pass` is `AfterimageStop::pass`. Give it back to
/// `afterimage_string_free`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_source(session: *const AfterimageSession, pass: usize) -> *mut c_char {
    answer(std::ptr::null_mut(), || {
        let source = passed(session, "the session")?.lock().source(pass)?;
        Ok(given_text(&source.text))
    })
}

fn listed(
    session: *const AfterimageSession,
    ask: impl FnOnce(&mut Session) -> Result<Vec<Variable>, Failure>,
) -> *mut AfterimageVariables {
    answer(std::ptr::null_mut(), || {
        let variables = ask(&mut passed(session, "the session")?.lock())?;
        let mut kept = Kept::default();
        let variables: Vec<AfterimageVariable> = variables.into_iter().map(|one| own(one, &mut kept)).collect();
        let all = AfterimageVariables { count: variables.len(), variables: kept.list(variables) };
        Ok(given(all, kept))
    })
}

fn own(variable: Variable, kept: &mut Kept) -> AfterimageVariable {
    let value = variable.value;
    AfterimageVariable {
        name: kept.text(&variable.name),
        path: kept.text(&variable.path),
        type_name: kept.text(&variable.type_name),
        emulated: kept.optional(value.emulated.as_deref()),
        measured: kept.optional(value.measured.as_deref()),
        agreement: match value.agreement {
            None => AfterimageAgreement::Unknown,
            Some(Agreement::Equal) => AfterimageAgreement::Equal,
            Some(Agreement::Within { .. }) => AfterimageAgreement::Within,
            Some(Agreement::Divergent { .. }) => AfterimageAgreement::Divergent,
        },
        ulps: value.agreement.map_or(0, Agreement::ulps),
        number_count: value.numbers.len(),
        numbers: kept.list(value.numbers),
        children: variable.children,
        note: kept.optional(variable.note.as_deref()),
    }
}
