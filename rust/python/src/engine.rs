//! Answers events of the hook with the Rust engine.

use crate::convert::{Raised, Text};
use crate::models::PythonModels;
use cuecard_engine::host::Host;
use cuecard_engine::{Environment, hook};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Reads one event of a host from standard input and prints the answer. Returns `None` if the event is answered, and
/// otherwise the payload that Python must answer.
#[pyfunction]
pub(crate) fn run_hook(py: Python<'_>, arguments: Vec<String>, open_models: Py<PyAny>) -> Option<Bound<'_, PyBytes>> {
    let models = PythonModels::new(open_models);
    let left = py.detach(|| hook::run(&arguments, &Environment::read(), Some(&models)));
    left.map(|payload| PyBytes::new(py, &payload))
}

/// Answers a prompt of a host, and returns the text to print. What is written after an answer is written before that.
#[pyfunction]
pub(crate) fn answer_prompt(
    py: Python<'_>,
    payload: Vec<u8>,
    host: Text,
    open_models: Py<PyAny>,
) -> Result<String, Raised> {
    let host = Host::from_name(&host)?;
    let models = PythonModels::new(open_models);
    Ok(py.detach(|| hook::answer_prompt(&payload, host, &Environment::read(), &models)))
}
