//! Stops, variables, sources.

use afterimage::Reason;
use pyo3::prelude::*;

/// Where the debugger stands. The statement there has not run.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Stop {
    /// Why: "entry", "step", "start", "end", "breakpoint", "data", "exception", "pass" or "interrupted".
    reason: String,
    /// More about the reason: of an exception, or a write.
    detail: Option<String>,
    /// The invocation, such as "fragment 320,200 of glDrawArrays (command 1200)".
    invocation: String,
    /// Its stage, such as "fragment".
    stage: String,
    /// The command of its draw or dispatch.
    command: u64,
    /// The innermost function.
    function: String,
    /// The id of the source text: Source.id.
    source: String,
    /// The line of the statement, from 1.
    line: u32,
    /// Its column, from 1.
    column: u32,
    /// The statement, on one line.
    text: String,
    /// How many stops of the invocation and its neighbours lie behind.
    time: u64,
    /// Whether the invocation is over.
    ended: bool,
    /// Whether it was thrown away.
    discarded: bool,
    /// How many calls are open.
    depth: usize,
    /// How many passes lie between this invocation and the one that was entered first.
    #[pyo3(name = "pass_number")]
    pass: usize,
}

impl From<afterimage::Stop> for Stop {
    fn from(stop: afterimage::Stop) -> Stop {
        let (reason, detail) = match stop.reason {
            Reason::Entry => ("entry", None),
            Reason::Step => ("step", None),
            Reason::Start => ("start", None),
            Reason::End => ("end", None),
            Reason::Breakpoint { .. } => ("breakpoint", None),
            Reason::Data { .. } => ("data", stop.reason.change()),
            Reason::Exception { message, .. } => ("exception", Some(message)),
            Reason::Pass => ("pass", None),
            Reason::Interrupted => ("interrupted", None),
        };
        Stop {
            reason: reason.to_owned(),
            detail,
            invocation: stop.invocation.name,
            stage: stop.invocation.stage,
            command: stop.invocation.command,
            function: stop.function,
            source: stop.location.source,
            line: stop.location.line,
            column: stop.location.column,
            text: stop.location.text,
            time: stop.time,
            ended: stop.ended,
            discarded: stop.discarded,
            depth: stop.depth,
            pass: stop.pass,
        }
    }
}

#[pymethods]
impl Stop {
    fn __repr__(&self) -> String {
        format!("<Stop ({}) {} line {}: {}>", self.reason, self.invocation, self.line, self.text)
    }
}

/// One level of the stack.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct StackFrame {
    /// The function.
    function: String,
    /// The line of the statement about to run, or of the call that was made.
    line: u32,
    /// This statement, on one line.
    text: String,
    /// Which invocation it belongs to, from the one that was entered first.
    #[pyo3(name = "pass_number")]
    pass: usize,
}

impl From<afterimage::Frame> for StackFrame {
    fn from(frame: afterimage::Frame) -> StackFrame {
        let (line, text) = (frame.location.line, frame.location.text);
        StackFrame { function: frame.function, line, text, pass: frame.pass }
    }
}

#[pymethods]
impl StackFrame {
    fn __repr__(&self) -> String {
        format!("<StackFrame {} line {}: {}>", self.function, self.line, self.text)
    }
}

/// A variable, a part of one, or an expression.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Variable {
    /// Its name.
    name: String,
    /// An expression that means it, such as "lights[2].colour".
    path: String,
    /// Its type, as its author would write it.
    type_name: String,
    /// What the emulator says, as an expression of the shading language, or None.
    emulated: Option<String>,
    /// What the driver measured, or None.
    measured: Option<String>,
    /// How the two compare: "equal", "within" rounding, "divergent", or None if one of them is missing.
    agreement: Option<String>,
    /// How far they are apart, in units in the last place of a float.
    ulps: u32,
    /// The numbers that the value is made of, where it is made of one sort of scalar.
    numbers: Vec<f64>,
    /// How many parts it has: Trace.children() returns them.
    children: usize,
    /// That it has no value yet, or why it cannot be shown.
    note: Option<String>,
}

impl From<afterimage::Variable> for Variable {
    fn from(variable: afterimage::Variable) -> Variable {
        let value = variable.value;
        Variable {
            name: variable.name,
            path: variable.path,
            type_name: variable.type_name,
            emulated: value.emulated,
            measured: value.measured,
            agreement: value.agreement.map(|agreement| agreement.name().to_owned()),
            ulps: value.agreement.map_or(0, afterimage::Agreement::ulps),
            numbers: value.numbers,
            children: variable.children,
            note: variable.note,
        }
    }
}

#[pymethods]
impl Variable {
    fn __repr__(&self) -> String {
        let value = self.emulated.as_deref().or(self.measured.as_deref()).unwrap_or("no value");
        format!("<Variable {} {} = {value}>", self.type_name, self.path)
    }
}

/// The text of a shader, as the program passed it.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Source {
    /// What breakpoints are set by.
    id: String,
    /// A name for people, such as "program 3 fragment".
    name: String,
    /// The whole text.
    text: String,
}

impl From<afterimage::Source> for Source {
    fn from(source: afterimage::Source) -> Source {
        Source { id: source.id, name: source.name, text: source.text }
    }
}

#[pymethods]
impl Source {
    fn __repr__(&self) -> String {
        format!("<Source {}>", self.name)
    }
}
