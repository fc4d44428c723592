//! Answers events of the hook with the Rust engine.

use crate::convert::{Raised, Text};
use crate::models::PythonModels;
use cuecard_engine::host::Host;
use cuecard_engine::{Environment, hook};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};

/// Reads one event of a host from standard input and prints the answer. Returns `None` if the event is answered, and
/// otherwise the payload that Python must answer.
#[pyfunction]
pub(crate) fn run_hook(py: Python<'_>, arguments: Vec<String>, open_models: Py<PyAny>) -> Option<Bound<'_, PyBytes>> {
    // The programs of this package are in the folder of its Python; links to the interpreter are not resolved.
    let python = py.import("sys").and_then(|sys| sys.getattr("executable")?.extract::<PathBuf>()).ok();
    let programs = python.and_then(|python| python.parent().map(Path::to_owned));
    let environment = Environment { programs, ..Environment::read() };
    let models = PythonModels::new(open_models);
    let left = py.detach(|| hook::run(&arguments, &environment, Some(&models)));
    left.map(|payload| PyBytes::new(py, &payload))
}

/// Answers a prompt of a host, and returns the text to print. What is written after an answer is written before that.
#[pyfunction]
pub(crate) fn answer_prompt(
    py: Python<'_>,
    payload: Vec<u8>,
    host: Text,
    open_models: Py<PyAny>,
    redact_texts: Py<PyAny>,
) -> Result<String, Raised> {
    // The engine has its own rules for secrets.
    drop(redact_texts);
    let host = Host::from_name(&host)?;
    let models = PythonModels::new(open_models);
    Ok(py.detach(|| hook::answer_prompt(&payload, host, &Environment::read(), &models)))
}
