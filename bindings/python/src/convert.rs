//! Documents as objects of Python.

use pyo3::prelude::*;
use serde::Serialize;

use crate::error;

/// Returns a document as dictionaries, lists, texts and numbers: those that a reader of the commands' JSON gets, digit by
/// digit.
pub fn document(py: Python<'_>, of: &impl Serialize) -> PyResult<Py<PyAny>> {
    let text = serde_json::to_string(of).map_err(error)?;
    Ok(py.import("json")?.call_method1("loads", (text,))?.unbind())
}
