//! An open trace.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use afterimage::{
    BreakpointSearch, Choice, ContentsOf, Control, DataBreak, DrawSelection, HistoryRequest, Host, LineBreak,
    NanRequest, Nonfinite, OpenOptions, Scope, Session, SessionError, Step, When,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{Call, Calls};
use crate::convert::document;
use crate::debugger::{Source, StackFrame, Stop, Variable};
use crate::error;
use crate::image::Image;
use crate::question::ask;

/// A frame: commands up to a present.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Frame {
    /// From 0.
    index: usize,
    /// Its first command.
    first_command: u64,
    /// Its last command.
    last_command: u64,
}

#[pymethods]
impl Frame {
    fn __repr__(&self) -> String {
        format!("<Frame {}: commands {} to {}>", self.index, self.first_command, self.last_command)
    }
}

/// An open trace with its debugger: open() makes one. Threads may share it; it answers one question at a time.
#[pyclass(frozen, module = "afterimage")]
pub struct Trace {
    trace: afterimage::Trace,
    /// None when it is closed.
    session: Mutex<Option<Session>>,
    control: Control,
}

impl Trace {
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Session) -> Result<T, SessionError> + Send,
    ) -> PyResult<T> {
        ask(py, &self.session, &self.control, question)
    }

    fn choose(&self, py: Python<'_>, choice: &Choice) -> PyResult<Stop> {
        Ok(self.ask(py, |session| session.enter(choice))?.into())
    }

    fn listed(&self, py: Python<'_>, command: u64, object: ContentsOf) -> PyResult<Vec<Image>> {
        let images = self.ask(py, |session| session.images(command, object))?;
        Ok(images.iter().map(|image| Image::of(py, image)).collect())
    }
}

#[pymethods]
impl Trace {
    #[new]
    #[pyo3(signature = (path, worker, *, device=None, timeout=60.0, sandbox=true, worker_memory=None))]
    fn new(
        path: PathBuf,
        worker: PathBuf,
        device: Option<String>,
        timeout: f64,
        sandbox: bool,
        worker_memory: Option<u64>,
    ) -> PyResult<Trace> {
        let mut options = OpenOptions::new(path);
        options.device = device;
        options.timeout =
            Duration::try_from_secs_f64(timeout).map_err(|error| PyValueError::new_err(error.to_string()))?;
        options.sandbox = sandbox;
        options.worker_memory = worker_memory;
        let session = Host::with_program(worker).session(&options).map_err(error)?;
        let (trace, control) = (afterimage::Trace::of(&session), session.control());
        Ok(Trace { trace, session: Mutex::new(Some(session)), control })
    }

    /// Stops the workers. What was read before stays valid; the trace itself can still list calls and state.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.session.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    fn __enter__(this: Py<Trace>) -> Py<Trace> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    /// How many commands the trace has.
    fn __len__(&self) -> usize {
        usize::try_from(self.trace.len()).unwrap_or(usize::MAX)
    }

    fn __repr__(&self) -> String {
        format!("<Trace of {} commands, {} frames>", self.trace.len(), self.trace.frames().len())
    }

    /// The frames. Commands after the last one are in none.
    #[getter]
    fn frames(&self) -> Vec<Frame> {
        let frame = |frame: afterimage::FrameInfo| Frame {
            index: frame.index,
            first_command: frame.first_command,
            last_command: frame.last_command,
        };
        self.trace.frames().into_iter().map(frame).collect()
    }

    /// Whether the recording ended as it should.
    #[getter]
    fn complete(&self) -> bool {
        self.trace.is_complete()
    }

    /// Iterates over calls, from command first up to but not end. Where calls are lost, it raises Error, and goes on behind
    /// them when it is asked again.
    #[pyo3(signature = (first=0, end=None))]
    fn calls(&self, first: u64, end: Option<u64>) -> Calls {
        Calls(Mutex::new(self.trace.calls(first..end.unwrap_or(u64::MAX))))
    }

    /// Returns one call.
    fn call(&self, py: Python<'_>, command: u64) -> PyResult<Call> {
        Call::of(py, self.trace.call(command).map_err(error)?)
    }

    /// Returns the bytes of a blob: Argument.blob.
    fn blob<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.trace.blob(number).map_err(error)?))
    }

    /// Returns the GL state after a command: the part at a path such as "blend" or "texture/5", or everything. Values that
    /// GL has initially are left out without all.
    #[pyo3(signature = (command, path="", *, all=false))]
    fn state(&self, py: Python<'_>, command: u64, path: &str, all: bool) -> PyResult<Py<PyAny>> {
        let state = py.detach(|| self.trace.state(command)).map_err(error)?;
        document(py, &state.part(path, all).map_err(error)?.tree())
    }

    /// Returns the command after which the picture of a frame is complete.
    fn frame_shown(&self, py: Python<'_>, frame: usize) -> PyResult<u64> {
        self.trace.frame(frame).map_err(error)?;
        let shown = self.ask(py, |session| Ok(session.frame_shown(frame)))?;
        shown.ok_or_else(|| error(format!("nothing is shown in frame {frame}")))
    }

    /// Returns a picture of what is drawn to after a command, with the top row first; None if there is nothing to see.
    fn picture(&self, py: Python<'_>, command: u64) -> PyResult<Option<Image>> {
        let picture = self.ask(py, |session| session.picture(command))?;
        Ok(picture.map(|picture| Image::of_picture(py, &picture)))
    }

    /// Returns the bytes of a buffer after a command.
    fn buffer<'py>(&self, py: Python<'py>, command: u64, name: u32) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.ask(py, |session| session.buffer(command, name))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the images of a texture after a command: levels, and faces of cubes. Their first row is GL's first, which
    /// is usually the lowest.
    fn texture(&self, py: Python<'_>, command: u64, name: u32) -> PyResult<Vec<Image>> {
        self.listed(py, command, ContentsOf::Texture(name))
    }

    /// Returns the images of a renderbuffer after a command.
    fn renderbuffer(&self, py: Python<'_>, command: u64, name: u32) -> PyResult<Vec<Image>> {
        self.listed(py, command, ContentsOf::Renderbuffer(name))
    }

    /// Returns everything that a pixel was made of, as `afterimage history --json` prints it: as a frame shows it (the last
    /// without one), or after a command. Pixels are counted from the lower left. It goes at most depth passes back, leaves
    /// out what has less influence than min_weight, and follows vertices, buffers and uniforms unless vertices is false.
    #[pyo3(signature = (x, y, *, frame=None, command=None, depth=None, min_weight=0.0, vertices=true))]
    #[expect(clippy::too_many_arguments, reason = "all but the pixel are keywords in Python")]
    fn history(
        &self,
        py: Python<'_>,
        x: u32,
        y: u32,
        frame: Option<usize>,
        command: Option<u64>,
        depth: Option<u32>,
        min_weight: f64,
        vertices: bool,
    ) -> PyResult<Py<PyAny>> {
        let when = match (frame, command) {
            (Some(_), Some(_)) => return Err(PyValueError::new_err("give a frame or a command, not both")),
            (frame, None) => When::Shown(frame),
            (None, Some(command)) => When::After(command),
        };
        let request = HistoryRequest { rows: true, depth, min_weight, vertices, ..HistoryRequest::new([x, y], when) };
        let history = self.ask(py, |session| session.history(&request))?;
        document(py, &history)
    }

    /// Enters the invocation that wrote a pixel last before a frame was shown; the last frame without one. Pixels are
    /// counted from the lower left.
    #[pyo3(signature = (x, y, *, frame=None))]
    fn enter_pixel(&self, py: Python<'_>, x: u32, y: u32, frame: Option<usize>) -> PyResult<Stop> {
        self.choose(py, &Choice::Pixel { frame, x, y })
    }

    /// Enters the fragment that a draw leaves at a pixel.
    fn enter_fragment(&self, py: Python<'_>, command: u64, x: u32, y: u32) -> PyResult<Stop> {
        self.choose(py, &Choice::fragment(command, x, y))
    }

    /// Enters a vertex of a draw.
    #[pyo3(signature = (command, vertex, *, instance=None))]
    fn enter_vertex(&self, py: Python<'_>, command: u64, vertex: u32, instance: Option<u32>) -> PyResult<Stop> {
        self.choose(py, &Choice::Vertex { command, vertex, instance })
    }

    /// Enters a thread of a dispatch, by its global number.
    #[pyo3(signature = (command, x, y=0, z=0))]
    fn enter_thread(&self, py: Python<'_>, command: u64, x: u32, y: u32, z: u32) -> PyResult<Stop> {
        self.choose(py, &Choice::thread(command, [x, y, z]))
    }

    /// Enters any invocation that a hit of search_breakpoint() or a draw names: its `choice`, such as
    /// {"primitive": {"command": 7, "stage": "geometry", "primitive": 0, "invocation": None}}.
    fn enter(&self, py: Python<'_>, choice: &Bound<'_, PyAny>) -> PyResult<Stop> {
        let text: String = py.import("json")?.call_method1("dumps", (choice,))?.extract()?;
        let choice: Choice = serde_json::from_str(&text)
            .map_err(|error| PyValueError::new_err(format!("this is no invocation: {error}")))?;
        self.choose(py, &choice)
    }

    /// Goes on: "over", "into", "out", "back_over", "back_into", "back_out", "continue", "reverse_continue", "to_start" or
    /// "to_end".
    fn step(&self, py: Python<'_>, step: &str) -> PyResult<Stop> {
        let step: Step = named(step, "step")?;
        Ok(self.ask(py, |session| session.step(step))?.into())
    }

    /// Enters the invocation that wrote a texel which the current statement reads: the number of the texture look-up, and
    /// of the texel among those it reads.
    #[pyo3(signature = (read=0, texel=0))]
    fn step_into_read(&self, py: Python<'_>, read: usize, texel: usize) -> PyResult<Stop> {
        Ok(self.ask(py, |session| session.step_into_read(read, texel))?.into())
    }

    /// Returns where the debugger stands.
    fn here(&self, py: Python<'_>) -> PyResult<Stop> {
        Ok(self.ask(py, |session| session.here())?.into())
    }

    /// Returns the stack, the innermost level first.
    fn stack(&self, py: Python<'_>) -> PyResult<Vec<StackFrame>> {
        Ok(self.ask(py, |session| session.stack())?.into_iter().map(Into::into).collect())
    }

    /// Returns the variables of a sort: "locals", "parameters", "globals", "inputs", "outputs", "uniforms", "built_ins" or
    /// "samplers".
    #[pyo3(signature = (scope="locals", *, frame=0))]
    fn variables(&self, py: Python<'_>, scope: &str, frame: usize) -> PyResult<Vec<Variable>> {
        let scope: Scope = named(scope, "scope")?;
        Ok(self.ask(py, |session| session.variables(frame, scope))?.into_iter().map(Into::into).collect())
    }

    /// Returns the parts of a variable, by its path.
    #[pyo3(signature = (path, *, frame=0))]
    fn children(&self, py: Python<'_>, path: &str, frame: usize) -> PyResult<Vec<Variable>> {
        Ok(self.ask(py, |session| session.children(frame, path))?.into_iter().map(Into::into).collect())
    }

    /// Returns what an expression of the shading language comes to.
    #[pyo3(signature = (expression, *, frame=0))]
    fn evaluate(&self, py: Python<'_>, expression: &str, frame: usize) -> PyResult<Variable> {
        Ok(self.ask(py, |session| session.evaluate(frame, expression))?.into())
    }

    /// Gives a variable the value of an expression. What follows is not what was recorded.
    #[pyo3(signature = (path, expression, *, frame=0))]
    fn set_variable(&self, py: Python<'_>, path: &str, expression: &str, frame: usize) -> PyResult<Variable> {
        Ok(self.ask(py, |session| session.set_variable(frame, path, expression))?.into())
    }

    /// Gives a uniform another value: the numbers of the value, matrices by columns. What follows is not what was recorded.
    #[expect(clippy::needless_pass_by_value, reason = "Python gives a list away")]
    fn set_uniform(&self, py: Python<'_>, name: &str, numbers: Vec<f64>) -> PyResult<Stop> {
        Ok(self.ask(py, |session| session.set_uniform(name, &numbers))?.into())
    }

    /// Takes back what set_uniform() changed, and stands where it did.
    fn undo_changes(&self, py: Python<'_>) -> PyResult<Stop> {
        Ok(self.ask(py, |session| session.undo_changes())?.into())
    }

    /// Stops where these variables, or parts of them, are given another value, in place of those watched before. Raises
    /// Error if one cannot be watched.
    fn watch(&self, py: Python<'_>, paths: Vec<String>) -> PyResult<()> {
        let breaks: Vec<DataBreak> = paths.into_iter().map(|path| DataBreak { path, condition: None }).collect();
        let statuses = self.ask(py, |session| Ok(session.set_data_breakpoints(&breaks)))?;
        match statuses.into_iter().zip(&breaks).find(|(status, _)| !status.verified) {
            None => Ok(()),
            Some((status, asked)) => {
                let why = status.message.map_or(String::new(), |message| format!(": {message}"));
                Err(error(format!("{} cannot be watched{why}", asked.path)))
            }
        }
    }

    /// Returns the last write to a variable before now, or None.
    #[pyo3(signature = (path, *, frame=0))]
    fn last_write(&self, py: Python<'_>, path: &str, frame: usize) -> PyResult<Py<PyAny>> {
        document(py, &self.ask(py, |session| session.last_write(frame, path))?)
    }

    /// Returns the texture look-ups of the current statement, with the texels that they read.
    fn reads(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        document(py, &self.ask(py, |session| session.reads())?)
    }

    /// Returns what the invocation does that the language leaves undefined, from its start to its end.
    fn findings(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        document(py, &self.ask(py, |session| session.findings())?)
    }

    /// Returns the draws and dispatches of a frame.
    fn draws(&self, py: Python<'_>, frame: usize) -> PyResult<Py<PyAny>> {
        document(py, &self.ask(py, |session| session.draws(frame))?)
    }

    /// Finds the first NaN of a frame that reaches an image, and what it spread to; the last frame without one. With
    /// infinite, infinities count too.
    #[pyo3(signature = (*, frame=None, infinite=false))]
    fn find_nan(&self, py: Python<'_>, frame: Option<usize>, infinite: bool) -> PyResult<Py<PyAny>> {
        let numbers = if infinite { Nonfinite::NanOrInfinite } else { Nonfinite::Nan };
        let request = NanRequest { frame, numbers, maps: None };
        document(py, &self.ask(py, |session| session.find_nan(&request))?)
    }

    /// Finds the invocations that reach a line of a source with a condition true, on the device: in the draws of a frame,
    /// or in all. Names the first most of them; enter() takes their `choice`.
    #[pyo3(signature = (source, line, *, condition=None, frame=None, most=10))]
    fn search_breakpoint(
        &self,
        py: Python<'_>,
        source: String,
        line: u32,
        condition: Option<String>,
        frame: Option<usize>,
        most: usize,
    ) -> PyResult<Py<PyAny>> {
        let draws = frame.map_or(DrawSelection::All, DrawSelection::Frame);
        let search = BreakpointSearch { condition, most, ..BreakpointSearch::new(source, line, draws) };
        document(py, &self.ask(py, |session| session.search_breakpoint(&search))?)
    }

    /// Returns the text of the shader that is walked through, or of another invocation: Stop.pass_number.
    #[pyo3(signature = (pass_number=0))]
    fn source(&self, py: Python<'_>, pass_number: usize) -> PyResult<Source> {
        Ok(self.ask(py, |session| session.source(pass_number))?.into())
    }

    /// Returns the texts of the shaders that run in a draw or dispatch.
    fn sources(&self, py: Python<'_>, command: u64) -> PyResult<Vec<Source>> {
        Ok(self.ask(py, |session| session.sources(command))?.into_iter().map(Into::into).collect())
    }

    /// Sets the breakpoints of a source, in place of those it had: lines, or pairs of a line and a condition. Raises Error
    /// if nothing can stop at one of them.
    fn set_breakpoints(&self, py: Python<'_>, source: &str, breakpoints: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let lines = breakpoints.into_iter().map(|one| {
            let (line, condition) = match one.extract::<u32>() {
                Ok(line) => (line, None),
                Err(_) => one.extract::<(u32, Option<String>)>()?,
            };
            Ok(LineBreak { line, condition, ..LineBreak::default() })
        });
        let lines = lines.collect::<PyResult<Vec<_>>>()?;
        let statuses = self.ask(py, |session| Ok(session.set_breakpoints(source, &lines)))?;
        match statuses.into_iter().zip(&lines).find(|(status, _)| !status.verified) {
            None => Ok(()),
            Some((status, asked)) => {
                let why = status.message.map_or(String::new(), |message| format!(": {message}"));
                Err(error(format!("nothing can stop at the breakpoint in line {}{why}", asked.line)))
            }
        }
    }
}

/// Returns the value of a type by its name.
fn named<T: serde::de::DeserializeOwned>(name: &str, what: &str) -> PyResult<T> {
    let value = serde_json::Value::String(name.to_owned());
    serde_json::from_value(value).map_err(|error| PyValueError::new_err(format!("`{name}` is no {what}: {error}")))
}
