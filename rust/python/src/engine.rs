//! Answers events of the hook with the Rust engine.

use cuecard_engine::environment::Models;
use cuecard_engine::{Environment, hook};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Reads one event of a host from standard input and prints the answer. Returns `None` if the event is answered, and
/// otherwise the payload that Python must answer.
#[pyfunction]
pub(crate) fn run_hook(py: Python<'_>, arguments: Vec<String>) -> Option<Bound<'_, PyBytes>> {
    let environment = Environment { models: Models::LeftToCaller, ..Environment::read() };
    let left = py.detach(|| hook::run(&arguments, &environment));
    left.map(|payload| PyBytes::new(py, &payload))
}
