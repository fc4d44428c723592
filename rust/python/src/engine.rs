//! The hook's events, answered by the engine.

use cuecard_engine::environment::Models;
use cuecard_engine::{Environment, hook};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Answers one event of a host on the standard streams of this process; `None` where that is done, else the payload
/// that Python has to answer.
#[pyfunction]
pub(crate) fn run_hook(py: Python<'_>, arguments: Vec<String>) -> Option<Bound<'_, PyBytes>> {
    let environment = Environment { models: Models::LeftToCaller, ..Environment::read() };
    let left = py.detach(|| hook::run(&arguments, &environment));
    left.map(|payload| PyBytes::new(py, &payload))
}
