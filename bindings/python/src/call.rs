//! Calls.

use std::sync::{Mutex, PoisonError};

use afterimage::ArgumentValue;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::error;

/// A call of the recorded program. `call["mode"]` is the value of an argument.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Call {
    /// Its number in the trace.
    command: u64,
    /// The function.
    name: String,
    /// Its arguments, in order.
    arguments: Vec<Py<Argument>>,
    /// What it returned, or None.
    result: Py<PyAny>,
    /// Whether it returned to the program.
    returned: bool,
    /// The thread that called, from 0.
    thread: u32,
    /// The frame, from 0; None after the last frame.
    frame: Option<usize>,
    /// The debug groups that are open, the outermost first.
    groups: Vec<String>,
    /// Whether capture inserted it.
    by_capture: bool,
    /// The call as one line.
    text: String,
}

impl Call {
    pub fn of(py: Python<'_>, call: afterimage::Call) -> PyResult<Call> {
        let arguments = call.arguments.into_iter().map(|argument| Py::new(py, Argument::of(py, argument)?));
        Ok(Call {
            command: call.command,
            name: call.name,
            arguments: arguments.collect::<PyResult<_>>()?,
            result: call.result.map_or_else(|| Ok(py.None()), |result| value(py, result))?,
            returned: call.returned,
            thread: call.thread,
            frame: call.frame,
            groups: call.groups,
            by_capture: call.by_capture,
            text: call.text,
        })
    }
}

#[pymethods]
impl Call {
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let found = self.arguments.iter().map(|argument| argument.get()).find(|argument| argument.name == name);
        found.map(|argument| argument.value.clone_ref(py)).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __repr__(&self) -> String {
        format!("<Call {}: {}>", self.command, self.text)
    }
}

/// An argument of a call.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Argument {
    /// The parameter.
    name: String,
    /// What was passed: a number, a bool, a text, or a Symbol.
    value: Py<PyAny>,
    /// The elements of the memory that it points to, where the call has them: before the call, or after it if the call
    /// wrote there.
    elements: Py<PyAny>,
    /// The bytes of this memory that are part of the call, or None.
    data: Option<Py<PyBytes>>,
    /// The number for Trace.blob(), or None.
    blob: Option<u32>,
}

impl Argument {
    fn of(py: Python<'_>, argument: afterimage::Argument) -> PyResult<Argument> {
        let memory = argument.written.or(argument.read);
        let elements = PyList::empty(py);
        let (mut data, mut blob) = (None, None);
        if let Some(memory) = memory {
            for element in memory.values {
                elements.append(value(py, element)?)?;
            }
            data = memory.bytes.map(|bytes| PyBytes::new(py, &bytes).unbind());
            blob = memory.blob;
        }
        let value = value(py, argument.value)?;
        Ok(Argument { name: argument.name, value, elements: elements.into_py_any(py)?, data, blob })
    }
}

#[pymethods]
impl Argument {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Argument {} = {}>", self.name, self.value.bind(py).repr()?))
    }
}

/// A number with a name: one of GL's names, a set of them, or an object. It equals its number and its text.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Symbol {
    /// "enum", "bits", or what an object is, such as "texture".
    kind: String,
    /// The number.
    value: i128,
    /// The names, such as "GL_TRIANGLES"; "texture/5" for an object.
    text: String,
}

#[pymethods]
impl Symbol {
    fn __int__(&self) -> i128 {
        self.value
    }

    fn __index__(&self) -> i128 {
        self.value
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    // It has no hash: one could not be that of the number and of the text.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(symbol) = other.cast::<Symbol>() {
            let other = symbol.get();
            return (&self.kind, self.value) == (&other.kind, other.value);
        }
        other.extract::<i128>().is_ok_and(|number| number == self.value)
            || other.extract::<String>().is_ok_and(|text| text == self.text)
    }

    fn __repr__(&self) -> String {
        format!("<{} {} ({})>", self.kind, self.text, self.value)
    }
}

/// Calls, one after the other.
#[pyclass(frozen, module = "afterimage")]
pub struct Calls(pub Mutex<afterimage::Calls>);

#[pymethods]
impl Calls {
    fn __iter__(this: Py<Calls>) -> Py<Calls> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Call>> {
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        next.map(|call| Call::of(py, call.map_err(error)?)).transpose()
    }
}

fn value(py: Python<'_>, value: ArgumentValue) -> PyResult<Py<PyAny>> {
    let symbol = |kind: &str, value: i128, text: String| Symbol { kind: kind.to_owned(), value, text }.into_py_any(py);
    match value {
        ArgumentValue::Boolean(truth) => truth.into_py_any(py),
        ArgumentValue::Integer(number) => number.into_py_any(py),
        ArgumentValue::Unsigned(number) | ArgumentValue::Pointer(number) => number.into_py_any(py),
        ArgumentValue::Float(number) => number.into_py_any(py),
        ArgumentValue::Enum { name: Some(name), value } => symbol("enum", value.into(), name),
        ArgumentValue::Enum { name: None, value } => value.into_py_any(py),
        ArgumentValue::Bits { names, value } => symbol("bits", value.into(), names.join(" | ")),
        ArgumentValue::Object { kind, name } => symbol(&kind, name.into(), format!("{kind}/{name}")),
        ArgumentValue::Text(text) => text.into_py_any(py),
    }
}
