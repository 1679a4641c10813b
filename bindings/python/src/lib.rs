//! The library as the Python package `afterimage`.
//!
//! This is its native module, `afterimage._native`; `python/afterimage` has what is written in Python. What takes long runs
//! on a thread of its own, while the caller looks for signals of Python: so Ctrl-C ends a question.
#![forbid(unsafe_code)]

mod call;
mod convert;
mod debugger;
mod image;
mod question;
mod trace;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    afterimage,
    Error,
    PyException,
    "Why a trace, or the debugger, gives no answer; the text is one sentence."
);

/// The error of Python for one of ours.
fn error(error: impl std::fmt::Display) -> PyErr {
    Error::new_err(error.to_string())
}

/// Native part of the package `afterimage`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add_class::<trace::Trace>()?;
    module.add_class::<trace::Frame>()?;
    module.add_class::<call::Call>()?;
    module.add_class::<call::Calls>()?;
    module.add_class::<call::Argument>()?;
    module.add_class::<call::Symbol>()?;
    module.add_class::<image::Image>()?;
    module.add_class::<debugger::Stop>()?;
    module.add_class::<debugger::StackFrame>()?;
    module.add_class::<debugger::Variable>()?;
    module.add_class::<debugger::Source>()?;
    Ok(())
}
